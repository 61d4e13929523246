"""Published heads: each state of the journal that pages were published of, for ever."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from arena.errors import ArenaError
from arena.records.trade import Entry, Restored
from arena.site.engine.manifest import Shown, read_shown
from arena.site.engine.site_folder import in_words, places_beside
from arena.store import Store
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
