"""Which pages there are, and which of them to make again."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import chain, groupby
from urllib.parse import unquote

from arena.records.cohort import CohortId
from arena.records.market import MarketId
from arena.records.settings import Pages, SiteSettings
from arena.site import Document, Kind, Page, PageTask, places
from arena.site.pages import market
from arena.site.pages.cohorts import cohort
from arena.site.pages.compare import compare
from arena.site.pages.contestants import calibration, contestant
from arena.site.pages.decisions import decision
from arena.site.pages.insights import insights
from arena.site.pages.leaderboard import leaderboard
from arena.site.pages.parts import Head, NotFoundPage
from arena.site.pages.project import audit, changes, data, feeds, methodology, status
from arena.site.pages.providers import costs, provider
from arena.site.places import page_of, pages_with
from arena.site.reading import Reading
from arena.site.sanitize import folder_name
from arena.store.pages.cards import Changes

MARKETS_A_TASK = 50
_NOT_FOUND = Page(places.NOT_FOUND, "404.html", NotFoundPage(Head("Page not found", "")))

Made = Iterator[Page | Document]

# What is bounded in number, by the name of its task. The front page is made last: everything
# that it leads to is there before it.
FRONTS: Mapping[str, Callable[[Reading], Made]] = {
    "methodology": methodology.pages,
    "notices": lambda _: iter((_NOT_FOUND,)),
    "contestants": contestant.pages,
    "providers": provider.pages,
    "compare": compare.pages,
    "calibration": calibration.pages,
    "insights": insights.pages,
    "costs": costs.pages,
    "cohorts": cohort.fronts,
    "markets": market.fronts,
    "cards": feeds.card_pages,
    "data": data.pages,
    "changes": changes.pages,
    "audit": audit.pages,
    "status": status.pages,
    "feeds": feeds.pages,
    "leaderboard": leaderboard.pages,
}


def tasks_of_site(reading: Reading) -> list[PageTask]:
    """Everything there is to make, those that others lead to first and the front page last."""
    show = reading.show
    cohort_ids = [card.id for card in show.cohorts(1, show.cohort_count())]
    market_ids = [card.id for card in show.markets(1, show.market_count())]
    tasks = [PageTask(Kind.COHORT, (name,)) for name in cohort_ids]
    tasks += _in_pieces(Kind.MARKET, market_ids)
    if reading.edition.site.pages is not Pages.INDEX:
        tasks += [PageTask(Kind.TURNS, (name,)) for name in cohort_ids]
    tasks += _lists(Kind.COHORT_LIST, range(1, page_of(len(cohort_ids)) + 1), cohort_ids)
    tasks += _lists(Kind.MARKET_LIST, range(1, page_of(len(market_ids)) + 1), market_ids)
    return [*tasks, *_fronts()]


def tasks_of(changes: Changes, reading: Reading) -> list[PageTask]:
    """The tasks of pages that may have changed, and of the front pages.

    A list's page is made again when a thing on it changed, or when the page after it is new.
    """
    show = reading.show
    cohort_cards = [card for card in map(show.cohort, changes.cohorts) if card]
    market_cards = [card for card in map(show.market, changes.markets) if card]
    tasks = [PageTask(Kind.COHORT, (card.id,)) for card in cohort_cards]
    tasks += _in_pieces(Kind.MARKET, [card.id for card in market_cards])
    if reading.edition.site.pages is not Pages.INDEX:
        tasks += _in_pieces(Kind.TURNS, decision.keys_of(changes.turns))
    tasks += _lists(
        Kind.COHORT_LIST, pages_with(card.number for card in cohort_cards), cohort_cards
    )
    tasks += _lists(
        Kind.MARKET_LIST, pages_with(card.number for card in market_cards), market_cards
    )
    return [*tasks, *_fronts()]


def pages_for(task: PageTask, reading: Reading) -> Made:
    """Make the pages of one piece of work."""
    site = reading.edition.site
    is_over = not reading.show.is_running()
    for made in _MAKERS[task.kind](task.keys, reading):
        if isinstance(made, Page):
            page = replace(made, final=made.final or is_over)
            yield addressed(page, site, has_picture=reading.has_picture)
        else:
            yield made


def addressed(page: Page, site: SiteSettings, *, has_picture: bool = True) -> Page:
    """Tell a page of which site it is, where that and its text stand, and when it is stale.

    What is final is never stale, and neither is a demonstration, whose days are invented.
    """
    head = getattr(page.view, "head", None)
    if not isinstance(head, Head):
        return page
    if not (site.base_url or head.as_of or site.name != head.site):
        return page
    ages = head.as_of and not (page.final or site.demonstration)
    new = replace(
        head,
        site=site.name,
        demonstration=site.notice,
        stale_hours=site.stale_after // timedelta(hours=1) if ages else 0,
        url=site.base_url + page.path if site.base_url else "",
        image=site.base_url + places.PREVIEW if site.base_url and has_picture else "",
    )
    return replace(page, view=replace(page.view, head=new))  # type: ignore[type-var]


def _fronts() -> list[PageTask]:
    return [PageTask(Kind.FRONT, (name,)) for name in FRONTS]


def _in_pieces(kind: Kind, keys: Sequence[str]) -> list[PageTask]:
    return [
        PageTask(kind, tuple(keys[n : n + MARKETS_A_TASK]))
        for n in range(0, len(keys), MARKETS_A_TASK)
    ]


def _lists(kind: Kind, pages: Iterable[int], things: Sequence[object]) -> list[PageTask]:
    return [PageTask(kind, (str(page),)) for page in pages] if things else []


def _cohorts(keys: Sequence[str], reading: Reading) -> Made:
    for key in keys:
        card = reading.show.cohort(CohortId(key))
        if card:
            made = chain(cohort.pages(card, reading), data.files_of(card, reading))
            yield from _grouped(made, _group_of(card.id))


def _markets(keys: Sequence[str], reading: Reading) -> Made:
    cards = [reading.show.market(MarketId(key)) for key in keys]
    listed = [card for card in cards if card]
    reading.learn(card.id for card in listed)
    for card in listed:
        yield from _grouped(market.pages(card, reading), f"markets-{page_of(card.number)}")


def _turns(keys: Sequence[str], reading: Reading) -> Made:
    """Turns cohort by cohort, as `decision.keys_of` has them beside each other."""
    for name, several in groupby(keys, _cohort_of):
        yield from _grouped(decision.pages(list(several), reading), _group_of(name))


def _cohort_of(key: str) -> CohortId:
    parts = key.split("/")
    is_turn = len(parts) == 3 and parts[1].isdecimal()  # noqa: PLR2004  # cohort, round, who
    return CohortId(unquote(parts[0]) if is_turn else key)


def _group_of(name: CohortId) -> str:
    return f"cohort-{folder_name(name)}"


def _grouped(made: Iterable[Page | Document], group: str) -> Made:
    yield from (replace(one, group=group) for one in made)


def _cohort_lists(keys: Sequence[str], reading: Reading) -> Made:
    for key in keys:
        path = places.list_page("cohorts", int(key))
        yield Page(path, "cohorts.html", cohort.cohort_list(int(key), reading))


def _market_lists(keys: Sequence[str], reading: Reading) -> Made:
    for key in keys:
        yield from market.list_pages(int(key), reading)


def _front(keys: Sequence[str], reading: Reading) -> Made:
    for key in keys:
        yield from FRONTS[key](reading)


_MAKERS: Mapping[Kind, Callable[[Sequence[str], Reading], Made]] = {
    Kind.COHORT: _cohorts,
    Kind.COHORT_LIST: _cohort_lists,
    Kind.MARKET: _markets,
    Kind.MARKET_LIST: _market_lists,
    Kind.TURNS: _turns,
    Kind.FRONT: _front,
}
