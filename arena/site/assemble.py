"""Which pages there are, and which of them to make again."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from arena.metrics import figures
from arena.records.grade import Board
from arena.site import places
from arena.site.lists import numbers_on, page_of, pages_with
from arena.site.pages.cohorts import cohort_front, cohort_list, cohort_page
from arena.site.pages.contestants import contestant_front, contestant_pages
from arena.site.pages.leaderboard import board_view, resolved_fills
from arena.site.pages.markets import market_front, market_list, market_page
from arena.site.pages.methodology import methodology_page
from arena.site.reading import Reading, shown_moment
from arena.site.views.leaderboard import IndexPage
from arena.site.views.notices import NotFoundPage
from arena.site.views.parts import Head
from arena.store.cards import Changes, CohortCard, MarketCard


@dataclass(frozen=True, slots=True)
class Page:
    """A page to be: where it goes, and the view that its template may use."""

    path: str
    template: str
    view: object


@dataclass(frozen=True, slots=True)
class Document:
    """A file whose text is ready."""

    path: str
    text: str


def whole_site(reading: Reading) -> Iterator[Page | Document]:
    """Every page there is, those that others lead to first and the front page last."""
    yield Page(places.METHODOLOGY, "methodology.html", methodology_page())
    yield Page(places.NOT_FOUND, "404.html", NotFoundPage(Head("Page not found", "")))
    show = reading.show
    for page in range(1, page_of(show.cohort_count()) + 1):
        cohorts = show.cohorts(*numbers_on(page))
        yield from _cohorts(cohorts, reading)
        yield from _cohort_lists([page] if cohorts else [], reading)
    for page in range(1, page_of(show.market_count()) + 1):
        markets = show.markets(*numbers_on(page))
        yield from _markets(markets, reading)
        yield from _market_lists([page] if markets else [], reading)
    yield from _fronts(reading)


def changed_pages(changes: Changes, reading: Reading) -> Iterator[Page | Document]:
    """The pages that may show something new: those of what changed, and the front ones.

    A list's page is made again when a thing on it changed, or when the page after it is new.
    """
    cohorts = [card for card in map(reading.show.cohort, changes.cohorts) if card]
    yield from _cohorts(cohorts, reading)
    yield from _cohort_lists(pages_with(card.number for card in cohorts), reading)
    markets = [card for card in map(reading.show.market, changes.markets) if card]
    yield from _markets(markets, reading)
    yield from _market_lists(pages_with(card.number for card in markets), reading)
    yield from _fronts(reading)


def _fronts(reading: Reading) -> Iterator[Page | Document]:
    """What shows the newest state of everything, bounded in number."""
    board = reading.store.boards.overall()
    for path, view in contestant_pages(board, reading):
        yield Page(path, "contestant.html", view)
    yield Page(places.CONTESTANTS, "contestants.html", contestant_front(board, reading))
    yield Page(places.MARKETS, "markets.html", market_front(reading))
    yield Page(places.COHORTS, "cohorts.html", cohort_front(reading))
    cohorts = reading.show.cohort_count()
    yield Page(places.INDEX, "index.html", _index(board, cohorts, reading))


def _index(board: Board, cohorts: int, reading: Reading) -> IndexPage:
    return IndexPage(
        head=Head("Leaderboard", "", "leaderboard"),
        contestants=figures.many(len(board.standings), "contestant"),
        cohorts=figures.many(cohorts, "cohort"),
        fills=figures.many(resolved_fills(board), "resolved fill"),
        as_of=shown_moment(board.as_of) if board.as_of else None,
        board=board_view(board, reading, ""),
        twin=places.twin(places.INDEX),
    )


def _cohorts(cards: Iterable[CohortCard], reading: Reading) -> Iterator[Page]:
    for card in cards:
        yield Page(places.cohort(card.id), "cohort.html", cohort_page(card, reading))


def _cohort_lists(pages: Iterable[int], reading: Reading) -> Iterator[Page]:
    for page in pages:
        path = places.list_page("cohorts", page)
        yield Page(path, "cohorts.html", cohort_list(page, reading))


def _markets(cards: Iterable[MarketCard], reading: Reading) -> Iterator[Page]:
    listed = list(cards)
    reading.learn(card.id for card in listed)
    for card in listed:
        yield Page(places.market(card.id), "market.html", market_page(card, reading))


def _market_lists(pages: Iterable[int], reading: Reading) -> Iterator[Page]:
    for page in pages:
        path = places.list_page("markets", page)
        yield Page(path, "markets.html", market_list(page, reading))
