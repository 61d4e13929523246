"""Published heads: each state of the journal that pages were published of, for ever."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from arena.errors import ArenaError
from arena.records.trade import Entry, Restored
from arena.site.engine.manifest import Shown, read_shown
from arena.site.engine.site_folder import in_words, places_beside
from arena.store import Store
from arena.store.codec import read_moment
from arena.store.journal.pieces import GENESIS
from arena.store.pages.showcase import Showcase

HEADS = "heads.tsv"
BEHIND = 7  # exit code
_LONGEST = 4096  # bytes of the file's end, where its last line is


class PublishedHead(NamedTuple):
    """The journal up to `entry`, which has this digest, was published as of `at`."""

    entry: int
    digest: str
    at: str


@dataclass(frozen=True, slots=True)
class Lost:
    """A head that was published and is not in the journal.

    `kept` is the newest published head that is; None where there is none.
    """

    head: PublishedHead
    kept: PublishedHead | None

    @property
    def id(self) -> str:
        """The name of the entry by which it is accepted."""
        return f"restore:{self.head.digest}"


PUBLISHED = "heads.jsonl"
_DIGEST = ', "digest": "'


class SiteHead(NamedTuple):
    """What a site showed: the journal up to `entry`, the tape up to `at`, a bundle's manifest.

    Its estimates were made at an earlier entry and moment, where those are given. `made_at` is
    the moment for which pages were made.
    """

    entry: int
    head: str
    at: str
    made_at: str
    overview_entry: int
    overview_at: str
    manifest: str


class HeadLine(NamedTuple):
    """A line of published heads; `digest` is chained from the first line on."""

    head: SiteHead
    digest: str


def with_head(file: Path, head: SiteHead) -> bytes:
    """The published heads of a site with one more; as they are where it is their last."""
    content = file.read_bytes() if file.is_file() else b""
    text = content.decode("utf-8", "replace")
    last = text.splitlines()[-1:] or [""]
    line = json.dumps(head._asdict())[:-1]
    if last[0].startswith(line + _DIGEST):
        return content
    before = last[0].partition(_DIGEST)[2][:64] or GENESIS
    return f'{text}{line}{_DIGEST}{_chained(before, line)}"}}\n'.encode()


def read_heads(content: bytes) -> tuple[list[HeadLine], str]:
    """Read published heads as far as their chain holds, and say what breaks it, if anything."""
    lines: list[HeadLine] = []
    before = GENESIS
    *rows, rest = content.split(b"\n")
    for number, row in enumerate(rows, 1):
        text, _, told = row.decode("utf-8", "replace").partition(_DIGEST)
        before = _chained(before, text)
        try:
            head = _read_head(text)
        except (ValueError, TypeError, OverflowError, RecursionError):
            return lines, f"line {number} cannot be read"
        if told != f'{before}"}}' or json.dumps(head._asdict())[:-1] != text:
            return lines, f"line {number} does not follow from the lines before"
        lines.append(HeadLine(head, before))
    return lines, "its last line has no end" if rest or not rows else ""


def _read_head(text: str) -> SiteHead:
    head = SiteHead(**json.loads(text + "}"))
    if tuple(map(type, head)) != (int, str, str, str, int, str, str):
        raise ValueError("a part of it is of another kind")
    for written in (head.made_at, *filter(None, (head.at, head.overview_at))):
        moment = read_moment(written)
        if moment.tzinfo is None:
            raise ValueError("a moment has no zone")
        moment.astimezone(UTC)  # an OverflowError where there is none
    return head


def newest_line(content: bytes) -> tuple[HeadLine | None, bytes]:
    """The last line of published heads, and the bytes that its digest is the SHA-256 of.

    None where there is no line that can be read; the lines before it are not checked.
    """
    *older, row = content.decode("utf-8", "replace").split("\n")[-3:-1] or [""]
    text, _, told = row.partition(_DIGEST)
    before = older[0].partition(_DIGEST)[2][:64] if older else GENESIS
    try:
        head = _read_head(text)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None, b""
    return HeadLine(head, told[:64]), f"{before}{text}".encode()


def _chained(before: str, line: str) -> str:
    return sha256(f"{before}{line}".encode()).hexdigest()


def note_head(beside: Path, shown: Shown) -> None:
    """Add what is about to be published, and wait until it is on the disk."""
    head = PublishedHead(shown.entry, shown.head, shown.at)
    file = beside / HEADS
    if not head.entry or next(_newest_first(file, _LONGEST), None) == head:
        return
    with in_words(file), file.open("a", encoding="utf-8") as opened:
        opened.write("\n" * _is_torn(file) + "\t".join(map(str, head)) + "\n")
        opened.flush()
        os.fsync(opened.fileno())


def lost_head(store: Store, out: Path) -> Lost | None:
    """The newest head that was published in a folder and is not in the journal.

    None if it has it, if nothing was published, or if the loss was accepted in the journal.
    """
    files = [place / HEADS for place in places_beside(out.resolve(), store.db.path)]
    shown = read_shown(out)
    of_pages = (
        [PublishedHead(shown.entry, shown.head, shown.at)] if shown and shown.entry else []
    )
    newest = [*of_pages, *(head for f in files for head in _first(f))]
    show = Showcase(store.db)
    lost = [Lost(head, None) for head in newest if show.digest_at(head.entry) != head.digest]
    lost = [loss for loss in lost if not store.journal.has(loss.id)]
    if not lost:
        return None
    every = (head for file in files for head in _newest_first(file))
    kept = (head for head in every if show.digest_at(head.entry) == head.digest)
    return Lost(max(lost, key=lambda loss: loss.head.entry).head, next(kept, None))


def refuse_rollback(store: Store, out: Path) -> None:
    """Make sure that the journal goes on from what was published in a folder.

    Raises:
        ArenaError: It is older (`site.ahead`), or another one (`site.another`).
    """
    lost = lost_head(store, out)
    if lost is None:
        return
    entry, _, at = lost.head
    newest, _ = Showcase(store.db).head()
    what = f"{out} shows the journal up to entry {entry:,} ({at})"
    if lost.kept is None and newest >= entry:
        raise ArenaError(
            "site.another",
            f"{what}, and the database has nothing that was published there",
            hint="give each arena a folder of its own: paths.site in config.yaml. "
            "`arena tick --accept-rollback` replaces what is there; nothing was done",
            status=BEHIND,
        )
    raise ArenaError(
        "site.ahead",
        f"{what}, and the database has {newest:,} entries: it is an older copy",
        hint="put the newest copy back. `arena tick --accept-rollback` goes on from this one, "
        "and says so in the journal and on the page of changes; nothing was done",
        status=BEHIND,
    )


def accept_rollback(store: Store, out: Path, at: datetime) -> None:
    """Write into the journal that a folder shows what it has not, and may be replaced."""
    while lost := lost_head(store, out):
        kept = lost.kept.entry if lost.kept else 0
        event = Restored(lost.head.entry, lost.head.digest, kept)
        store.journal.append([Entry(lost.id, at, event)])


def _first(file: Path) -> list[PublishedHead]:
    return [head for head in [next(_newest_first(file, _LONGEST), None)] if head]


def _newest_first(file: Path, most: int | None = None) -> Iterator[PublishedHead]:
    """The heads of a file, of its last bytes alone where `most` says so."""
    try:
        with file.open("rb") as opened:
            size = opened.seek(0, os.SEEK_END)
            opened.seek(max(0, size - most) if most else 0)
            lines = opened.read().decode("utf-8", "replace").split("\n")
    except FileNotFoundError:
        return
    for line in reversed(lines[:-1]):  # the last one has no end: it is torn, or blank
        entry, _, rest = line.partition("\t")
        digest, tab, at = rest.partition("\t")
        if tab and entry.isdecimal():
            yield PublishedHead(int(entry), digest, at)


def _is_torn(file: Path) -> bool:
    """Whether a kill left a line without its end."""
    with file.open("rb") as opened:
        if not opened.seek(0, os.SEEK_END):
            return False
        opened.seek(-1, os.SEEK_END)
        return opened.read() != b"\n"
