"""The pages of cohorts."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from decimal import Decimal

from arena.metrics import figures
from arena.records.cohort import CohortSpec, Rules, Universe
from arena.records.market import MarketId
from arena.site import places
from arena.site.hostile import one_line
from arena.site.lists import PER_PAGE, front_pager, numbers_on, pager
from arena.site.page import Document, Page
from arena.site.pages.leaderboard import board_view
from arena.site.reading import (
    LABEL,
    QUESTION,
    Reading,
    cohort_link,
    ruling_words,
    shown_moment,
    state_words,
)
from arena.site.views.cohorts import CohortListPage, CohortPage, CohortRow, RoundRow
from arena.site.views.markets import MarketRow
from arena.site.views.parts import Cell, Fact, Head, Link, Moment
from arena.store.cards import CohortCard, RoundCard

MOST_MARKETS = 300
_DOLLARS = {"capital", "min_bet"}  # volumes are in the unit of the venue
_NONE = {"exclude", "quotas"}  # of these an empty list is none; of the others all


def pages(card: CohortCard, reading: Reading) -> Iterator[Page | Document]:
    """A cohort's own page, and those of its seats."""
    yield Page(places.cohort(card.id), "cohort.html", cohort_page(card, reading))


def fronts(reading: Reading) -> Iterator[Page | Document]:
    """The list of cohorts, newest first."""
    yield Page(places.COHORTS, "cohorts.html", cohort_front(reading))


def cohort_page(card: CohortCard, reading: Reading) -> CohortPage:
    """One cohort: what was agreed, how it stands, what was played.

    Nothing on it depends on later cohorts, so it stays as it is once all its markets have
    resolved.
    """
    root = places.root_of(places.cohort(card.id))
    board, rounds = reading.board(card.id), reading.show.rounds(card.id)
    marked = reading.show.marked_at(card.id)
    still_open = sum(line.open for line in board.standings)
    offered = list(dict.fromkeys(m for r in rounds for m in r.offered))
    return CohortPage(
        head=Head(f"Cohort {one_line(card.id, LABEL)}", root, "cohorts"),
        name=one_line(card.id, LABEL),
        title=one_line(card.spec.title, QUESTION),
        state=_state(card, marked, still_open),
        marked=shown_moment(marked) if marked else None,
        started=shown_moment(card.started_at),
        ends=shown_moment(card.ends_at),
        digest=card.digest,
        agreement=agreement(card.spec),
        board=board_view(board, reading, root),
        rounds=tuple(_round_row(r) for r in rounds),
        markets=_offered(card, offered[:MOST_MARKETS], rounds, reading, root),
        left_out=_left_out(len(offered)),
    )


def agreement(spec: CohortSpec) -> tuple[Fact, ...]:
    """Every key of a cohort's agreement as it was frozen."""
    shown = [
        Fact("venue", one_line(spec.venue, LABEL)),
        Fact("decide_every", figures.span(spec.decide_every)),
        Fact("decide_for", figures.span(spec.decide_for)),
    ]
    shown += [
        _fact("universe", f.name, getattr(spec.universe, f.name)) for f in fields(Universe)
    ]
    shown += [_fact("rules", f.name, getattr(spec.rules, f.name)) for f in fields(Rules)]
    return tuple(shown)


def cohort_list(page: int, reading: Reading) -> CohortListPage:
    """A page of cohorts by number."""
    path = places.list_page("cohorts", page)
    cards = reading.show.cohorts(*numbers_on(page))
    head = Head(f"Cohorts, page {page}", places.root_of(path), "cohorts")
    count = reading.show.cohort_count()
    return CohortListPage(head, _rows(cards, head.root), pager(page, count))


def cohort_front(reading: Reading) -> CohortListPage:
    """The newest cohorts, and the way to all of them."""
    count = reading.show.cohort_count()
    cards = reading.show.cohorts(count - PER_PAGE + 1, count)
    head = Head("Cohorts", places.root_of(places.COHORTS), "cohorts")
    return CohortListPage(head, _rows(cards, head.root), front_pager("cohorts", count))


def _rows(cards: Sequence[CohortCard], root: str) -> tuple[CohortRow, ...]:
    return tuple(
        CohortRow(
            cohort_link(card.id, root),
            one_line(card.spec.title, QUESTION),
            shown_moment(card.started_at),
            state_words(card),
            figures.count(len(card.spec.contestants)),
        )
        for card in cards
    )


def _state(card: CohortCard, marked: datetime | None, still_open: int) -> str:
    """Where a cohort is in its life, by its own last valuation: no clock is read."""
    if card.complete_at is not None:
        return f"complete since {figures.moment(card.complete_at)}"
    if marked is None or marked < card.ends_at:
        return f"deciding until {figures.moment(card.ends_at)}"
    return f"waiting for {figures.many(still_open, 'open position')} to resolve"


def _round_row(card: RoundCard) -> RoundRow:
    return RoundRow(
        number=str(card.number),
        at=shown_moment(card.at),
        markets=figures.count(len(card.offered)),
        turns=Cell(f"{figures.count(card.ok)} / {figures.count(card.failed)}"),
        state="closed" if card.closed else "open",
        digest=card.digest,
    )


def _offered(
    card: CohortCard,
    offered: Sequence[MarketId],
    rounds: Sequence[RoundCard],
    reading: Reading,
    root: str,
) -> tuple[MarketRow, ...]:
    """The markets of the rounds, with their facts as they were when last offered."""
    if not rounds:
        return ()
    facts = reading.store.tape.markets(offered, rounds[-1].at)
    rulings = reading.show.rulings(offered)
    return tuple(
        MarketRow(
            market=Link(
                one_line(facts[m].question if m in facts else m, QUESTION),
                root + places.market(m),
            ),
            category=one_line(facts[m].category, LABEL) if m in facts else "",
            venue=one_line(card.spec.venue, LABEL),
            state=ruling_words(rulings.get(m)),
            closes=_closes(facts[m].closes_at) if m in facts else None,
        )
        for m in offered
    )


def _closes(at: datetime | None) -> Moment | None:
    return shown_moment(at) if at else None


def _left_out(count: int) -> str:
    if count <= MOST_MARKETS:
        return ""
    return f"The first {MOST_MARKETS} of {figures.count(count)} markets are listed."


def _fact(group: str, name: str, value: object) -> Fact:
    return Fact(f"{group}.{name}", _value(name, value))


def _value(name: str, value: object) -> str:
    if value is None:
        return "no limit"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, timedelta):
        return figures.span(value)
    if isinstance(value, Decimal):
        return figures.dollars(value) if name in _DOLLARS else f"{value.normalize():f}"
    if isinstance(value, tuple):
        empty = "none" if name in _NONE else "all"
        return one_line(", ".join(str(v) for v in value), 1000) if value else empty
    return one_line(str(value), LABEL)
