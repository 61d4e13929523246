"""Pages that the arena wrote and no list names; they are recognised by their mark."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.records.settings import Pages
from arena.site import places
from arena.site.page import Kind, PageTask
from arena.site.pages.decisions.decision import NEWEST_COHORTS, kept, texts_of
from arena.site.reading import Reading
from arena.site.sanitize import folder_name
from arena.store.pages.cards import Changes, CohortCard

MARK = b'<meta name="generator" content="Paper Arena">'
MARK_WITHIN = 2000  # bytes from the start of a page

_BLOB = re.compile(r"[0-9a-f]{64}\.txt")
_BESIDE = (".json", ".md", ".svg", ".csv")


def left_over(out: Path, kept: set[str]) -> set[str]:
    """Find pages, with the files that belong to them, that are to be removed from the site.

    Only a page that bears the arena's mark is one of ours, and what stands beside it under
    its name; and a text that is named by its digest among the blobs.
    """
    existing: set[str] = set()
    for folder in places.FOLDERS:
        existing |= ours_in(out, folder, kept)
    return existing - kept


def ours_in(out: Path, folder: str, kept: Collection[str] = ()) -> set[str]:
    """The pages of ours in a folder, with the files that belong to them, and texts of ours."""
    files = [path for path in (out / folder).rglob("*") if path.is_file()]
    pages = {path.with_suffix("") for path in files if _is_page(path, out, kept)}
    return {
        path.relative_to(out).as_posix()
        for path in files
        if _base(path) in pages or (folder == "blobs" and _BLOB.fullmatch(path.name))
    }


def _base(path: Path) -> Path:
    """The page that a file is named after, without its ending."""
    if path.suffix == ".html":
        return path.with_suffix("")
    return path.with_name(path.name.partition(".")[0]) if path.suffix in _BESIDE else path


def _is_page(path: Path, out: Path, kept: Collection[str]) -> bool:
    if path.suffix != ".html":
        return False
    if path.relative_to(out).as_posix() in kept:
        return True
    with path.open("rb") as file:
        return MARK in file.read(MARK_WITHIN)


@dataclass(frozen=True, slots=True)
class Turned:
    """Cohorts whose decisions get pages again, or are left without them."""

    cohorts: tuple[CohortCard, ...] = ()
    lost: tuple[CohortCard, ...] = ()

    def tasks(self, reading: Reading) -> Iterator[PageTask]:
        """The pages that lead to these decisions, and those that decisions have."""
        for card in self.cohorts:
            yield PageTask(Kind.COHORT, (card.id,))
            rounds = reading.show.rounds(card.id)
            offered = sorted({market for round_card in rounds for market in round_card.offered})
            if offered:
                yield PageTask(Kind.MARKET, tuple(offered))
            yield PageTask(Kind.TURNS, (card.id,))

    def gone(self, out: Path, reading: Reading) -> tuple[str, ...]:
        """Files to remove from the site, the pages of decisions last.

        Texts that another decision shows stay.
        """
        if not self.lost:
            return ()
        shown = _texts(self.lost, reading) - _texts(_keeping(reading), reading)
        blobs = [path for path in map(places.blob, sorted(shown)) if (out / path).is_file()]
        pages = [ours_in(out, _folder(card)) for card in self.lost]
        return (*blobs, *(path for files in pages for path in sorted(files)))


def turned(out: Path, changes: Changes, reading: Reading) -> Turned:
    """Find whose decisions get pages, or lose them, by what has changed in the books.

    With recent pages only, a cohort loses them when it is complete and 30 newer ones have
    started; it has them again when a market of it is ruled on anew and it goes on.
    """
    if reading.edition.site.pages is not Pages.RECENT or not changes.cohorts:
        return Turned()
    last = reading.show.cohort_count() - NEWEST_COHORTS
    cards = {card.id: card for card in map(reading.show.cohort, changes.cohorts) if card}
    left = reading.show.cohorts(max(1, last - len(changes.cohorts) + 1), last)
    cards |= {card.id: card for card in left}
    affected = tuple(
        card
        for card in cards.values()
        if card.number <= last and kept(card, reading) != _has_pages(out, card)
    )
    return Turned(affected, tuple(card for card in affected if not kept(card, reading)))


def _keeping(reading: Reading) -> Iterator[CohortCard]:
    count = reading.show.cohort_count()
    newest = reading.show.cohorts(max(1, count - NEWEST_COHORTS + 1), count)
    older = {cohort.id for cohort in reading.store.books.running()} - {
        card.id for card in newest
    }
    yield from newest
    yield from (card for card in map(reading.show.cohort, older) if card)


def _texts(cards: Iterable[CohortCard], reading: Reading) -> set[str]:
    return {digest for card in cards for digest in texts_of(card, reading)}


def _has_pages(out: Path, card: CohortCard) -> bool:
    return next((out / _folder(card)).rglob("*.html"), None) is not None


def _folder(card: CohortCard) -> str:
    return f"decisions/{folder_name(card.id)}"
