"""The list of a site's pages, one a line; it is only appended to until a full build."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from os import SEEK_END
from pathlib import Path
from typing import NamedTuple

from arena.metrics import figures
from arena.process import rare_collection
from arena.store import Store

MANIFEST = ".arena-site.json"
LIST = "pages.tsv"
ROOM = 1_000_000  # bytes that are added before a list may be made anew

LONGEST_END = 200  # bytes: more than the line that closes a list has

_NAMES = ("head", "at", "templates", "asked")
_GONE = -1  # elements of a page that is no longer there
_HEAD, _OPEN, _CLOSED = "#", "!", "="  # what lines begin with that are no pages


@dataclass(frozen=True, slots=True)
class Shown:
    """What a folder shows: the journal up to `entry`, the tape up to `at`, and by what code."""

    entry: int
    head: str
    at: str
    templates: str
    asked: str

    @property
    def state(self) -> tuple[int, str, str]:
        """The state of the store that is shown."""
        return self.entry, self.head, self.at

    def text(self) -> str:
        """As a file of the site."""
        return json.dumps(asdict(self), indent=1) + "\n"

    def digest(self) -> str:
        """The digest of this state, which closes a list of pages."""
        return sha256(self.text().encode()).hexdigest()


class File(NamedTuple):
    """A file of a page, by its name in the page's folder.

    It is a tuple, as an entry is, because hundreds of thousands are read in a second.
    """

    name: str
    size: int
    digest: str


class ManifestEntry(NamedTuple):
    """A page that was made: `key` stands for all it was made from, `nodes` are its elements.

    A document has one file, no nodes, and no key where it is always written anew.
    """

    path: str
    key: str
    nodes: int
    files: tuple[File, ...]

    @property
    def paths(self) -> Iterator[str]:
        """Where its files stand."""
        folder = self.path.rpartition("/")[0]
        before = f"{folder}/" if folder else ""
        return (before + file.name for file in self.files)


@dataclass(frozen=True, slots=True)
class Known:
    """The pages of a folder by path, as the list has them.

    It is `sound` if it is whole, and was closed for what the folder says it shows: only then
    does a page with the same key not have to be made again.
    """

    entries: Mapping[str, ManifestEntry] = field(default_factory=dict)
    sound: bool = False


def gone(path: str) -> ManifestEntry:
    """The line of a page that is no longer there."""
    return ManifestEntry(path, "", _GONE, ())


def tape_moment(store: Store) -> str:
    """The newest moment of the tape as text; empty before the first."""
    as_of = store.boards.as_of()
    return figures.machine(as_of) if as_of else ""


def read_shown(out: Path) -> Shown | None:
    """The state that a folder shows; None if it cannot be read, which leads to a full build."""
    try:
        manifest = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
        return Shown(int(manifest["entry"]), *(str(manifest[name]) for name in _NAMES))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def read_known(beside: Path, shown: Shown | None) -> Known:
    """Read the list of pages; an empty one that is not sound where it cannot be read."""
    try:
        lines = (beside / LIST).read_text(encoding="utf-8").split("\n")[:-1]
    except (OSError, ValueError):
        return Known()
    with rare_collection():
        return _read(lines, shown)


def _read(lines: list[str], shown: Shown | None) -> Known:
    has_head = bool(lines) and lines[0].startswith(_HEAD)
    last = lines[-1].partition("\t")[0] if lines else ""
    closed = shown is not None and last == _CLOSED + shown.digest()
    entries: dict[str, ManifestEntry] = {}
    for line in lines:
        if line[:1] not in {_HEAD, _OPEN, _CLOSED}:
            entry = _entry(line)
            if entry is None:
                closed = False
            else:
                _list_entry(entries, entry)
    return Known(entries, has_head and closed)


def listed_bytes(beside: Path) -> int | None:
    """The size of all files of the pages in the list; None where no closed list says it."""
    try:
        with (beside / LIST).open("rb") as file:
            file.seek(max(0, file.seek(0, SEEK_END) - LONGEST_END))
            last = file.read().decode(errors="replace").split("\n")[-2:]
    except OSError:
        return None
    closed, _, size = last[0].partition("\t")
    has_size = len(last) > 1 and closed.startswith(_CLOSED) and size.isdecimal()
    return int(size) if has_size else None


def write_known(beside: Path, entries: Collection[ManifestEntry], shown: Shown) -> None:
    """Write the list of a folder's pages anew."""
    lines = [_line(entry) for entry in sorted(entries, key=lambda entry: entry.path)]
    size = sum(map(len, lines)) + len(lines)
    draft = beside / f"{LIST}.tmp"
    text = "\n".join([f"{_HEAD}{size}", *lines, _closed(entries, shown)])
    draft.write_text(f"{text}\n", encoding="utf-8")
    draft.replace(beside / LIST)


def open_list(beside: Path) -> None:
    """Note that pages are about to change: until it is closed, the list vouches for nothing."""
    _add(beside, [_OPEN])


def close_list(
    beside: Path,
    before: Mapping[str, ManifestEntry],
    entries: Iterable[ManifestEntry],
    shown: Shown,
) -> None:
    """Add pages that were made to those `before`, and say what the folder shows now.

    A list that has grown to several times the pages in it is made anew: that costs a page
    no more than its few earlier lines did.
    """
    listed, new = dict(before), list(entries)
    for entry in new:
        _list_entry(listed, entry)
    _add(beside, [*map(_line, new), _closed(listed.values(), shown)])
    if _has_grown(beside / LIST):
        write_known(beside, listed.values(), shown)


def _list_entry(entries: dict[str, ManifestEntry], entry: ManifestEntry) -> None:
    if entry.nodes == _GONE:
        entries.pop(entry.path, None)
    else:
        entries[entry.path] = entry


def _closed(entries: Iterable[ManifestEntry], shown: Shown) -> str:
    """The last line of a list: what the folder shows, and the size of all its files."""
    size = sum(file.size for entry in entries for file in entry.files)
    return f"{_CLOSED}{shown.digest()}\t{size}"


def _add(beside: Path, lines: list[str]) -> None:
    with (beside / LIST).open("a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def _has_grown(file: Path) -> bool:
    with file.open(encoding="utf-8") as opened:
        first = opened.readline().strip()
    if not first.startswith(_HEAD):
        return False
    return file.stat().st_size > 3 * int(first[1:]) + ROOM


def _line(entry: ManifestEntry) -> str:
    files = (part for f in entry.files for part in (f.name, str(f.size), f.digest))
    return "\t".join([entry.path, entry.key, str(entry.nodes), *files])


def _entry(line: str) -> ManifestEntry | None:
    """Read a line; None for one that was not written to its end."""
    path, *parts = line.split("\t")
    if parts == ["", str(_GONE)]:
        return gone(path)
    if len(parts) < 5 or len(parts) % 3 != 2:  # noqa: PLR2004  a key, a count, a file of three
        return None
    try:
        files = tuple(
            File(parts[n], int(parts[n + 1]), parts[n + 2]) for n in range(2, len(parts), 3)
        )
        return ManifestEntry(path, parts[0], int(parts[1]), files)
    except ValueError:
        return None
