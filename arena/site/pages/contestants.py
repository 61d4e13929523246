"""The pages of contestants."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from arena.ledger.mark import mark
from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.cohort import CohortId, ContestantId, MarkRule
from arena.records.grade import Board, Standing
from arena.site import places
from arena.site.hostile import one_line
from arena.site.page import Document, Page
from arena.site.pages.deals import deal_row
from arena.site.pages.leaderboard import cells, columns, facts
from arena.site.reading import LABEL, Reading, cohort_link, shown_moment, state_words
from arena.site.views.contestants import (
    ContestantListPage,
    ContestantPage,
    ContestantRow,
    FailureRow,
    PlayedRow,
    PositionRow,
)
from arena.site.views.parts import CountRow, Fact, Head, TradeRow
from arena.store.cards import CohortCard, OpenPosition
from arena.store.conduct import ConductTotals

RECENT_COHORTS = 30
MOST_POSITIONS = 200
MOST_DEALS = 100
MOST_FAILURES = 50
REASON = 300
PLAYED_KEYS = ("returned", "pnl", "forecast", "kelly", "win_rate", "turns", "open")

T = TypeVar("T")
Refusals = Mapping[tuple[CohortId, ContestantId], Mapping[str, int]]
Recent = Mapping[ContestantId, Sequence[CohortCard]]


def pages(reading: Reading) -> Iterator[Page | Document]:
    """Everybody's own page, and the list of them."""
    board = reading.store.boards.overall()
    for path, view in contestant_pages(board, reading):
        yield Page(path, "contestant.html", view)
    yield Page(places.CONTESTANTS, "contestants.html", contestant_front(board, reading))


def contestant_pages(board: Board, reading: Reading) -> Iterable[tuple[str, ContestantPage]]:
    """Every contestant's page with its path, in the order of the leaderboard."""
    recent = {
        line.contestant: reading.show.cohorts_of(line.contestant, RECENT_COHORTS)
        for line in board.standings
    }
    cohorts = dict.fromkeys(card.id for cards in recent.values() for card in cards)
    refusals = reading.show.refusals(cohorts)
    for line in board.standings:
        path = places.contestant(line.contestant)
        yield path, _page(line, board, recent, refusals, reading)


def contestant_front(board: Board, reading: Reading) -> ContestantListPage:
    """Everybody who ever played, by name."""
    head = Head("Contestants", places.root_of(places.CONTESTANTS), "contestants")
    return ContestantListPage(
        head,
        tuple(
            ContestantRow(
                reading.contestant(line.contestant, head.root),
                one_line(line.contestant, LABEL),
                figures.count(line.cohorts),
                f"{figures.count(line.turns_ok)} / {figures.count(line.turns_failed)}",
                figures.count(line.buys),
            )
            for line in sorted(board.standings, key=lambda s: s.contestant)
        ),
    )


def _page(
    line: Standing, board: Board, recent: Recent, refusals: Refusals, reading: Reading
) -> ContestantPage:
    who = line.contestant
    root = places.root_of(places.contestant(who))
    label, name = reading.label(who), one_line(who, LABEL)
    positions, more = _cut(reading.show.open_positions(who, MOST_POSITIONS + 1), MOST_POSITIONS)
    trades, older = _trades(who, reading, root)
    failures, earlier = _failures(who, reading, root)
    conduct = reading.show.conduct_of(who)
    return ContestantPage(
        head=Head(
            f"Contestant {label}" if label == name else f"Contestant {label} ({name})",
            root,
            "contestants",
        ),
        id=name,
        label=label,
        as_of=shown_moment(board.as_of) if board.as_of else None,
        rank=figures.MISSING if line.rank is None else f"{line.rank} of {len(board.standings)}",
        facts=facts(line, root),
        columns=columns(PLAYED_KEYS, root),
        played=tuple(_played(card, who, reading, root) for card in recent[who]),
        positions=_positions(positions, reading, root),
        positions_note=f"The first {MOST_POSITIONS} are listed." if more else "",
        trades=trades,
        trades_note=f"The newest {MOST_DEALS} are listed." if older else "",
        replies=_replies(conduct) if conduct else (),
        failures=failures,
        failures_note=f"The newest {MOST_FAILURES} are listed." if earlier else "",
        refusals=_refused(recent[who], who, refusals),
        recent=RECENT_COHORTS,
    )


def _replies(conduct: ConductTotals) -> tuple[Fact, ...]:
    """How it answers: what it was asked again for, and what had to be mended or left out."""
    facts = [
        Fact("Calls", figures.count(conduct.calls)),
        Fact("Re-asked", figures.count(conduct.reasks), "a reply could not be read"),
        Fact("Repaired", figures.count(conduct.repaired), "in syntax, never in meaning"),
        Fact("Orders left out", figures.count(conduct.dropped), "before the rules judged them"),
        Fact(
            "Bets against itself",
            figures.count(conduct.against),
            "dearer than its own probability of the side",
        ),
        Fact("Asked in halves", figures.count(conduct.halved), "after a refusal"),
    ]
    if conduct.baited:
        obeyed = f"{conduct.bait_taken} of {conduct.baited}"
        facts.append(Fact("Obeyed a honeypot", obeyed, "turns with a made-up market's orders"))
    return tuple(facts)


def _played(card: CohortCard, who: ContestantId, reading: Reading, root: str) -> PlayedRow:
    board = reading.board(card.id)
    line = next(s for s in board.standings if s.contestant == who)
    return PlayedRow(
        cohort_link(card.id, root),
        shown_moment(card.started_at),
        state_words(card),
        figures.MISSING if line.rank is None else f"{line.rank} of {len(board.standings)}",
        cells(PLAYED_KEYS, line),
    )


def _positions(
    held: Sequence[OpenPosition], reading: Reading, root: str
) -> tuple[PositionRow, ...]:
    """Open positions, each valued as its cohort was last."""
    markets: dict[CohortId, list[OpenPosition]] = {}
    for one in held:
        markets.setdefault(one.position.cohort, []).append(one)
    reading.learn(one.position.market for one in held)
    for group in markets.values():
        at = group[0].marked_at or reading.at
        reading.learn_books((one.position.market for one in group), at)
    return tuple(_position(one, reading, root) for one in held)


def _position(held: OpenPosition, reading: Reading, root: str) -> PositionRow:
    position = held.position
    at = held.marked_at or reading.at
    spec = reading.spec(position.cohort)
    book = reading.book(position.market, at)
    valued = mark(position, book, at=at, max_age=spec.rules.max_mark_age)
    worth = valued.bid if spec.rules.mark is MarkRule.BID else valued.mid
    price = worth / position.shares if worth is not None and position.shares else None
    return PositionRow(
        market=reading.market(position.market, root),
        cohort=cohort_link(position.cohort, root),
        side=position.side.value,
        shares=METRICS["shares"].shown(position.shares),
        cost=METRICS["amount"].shown(position.cost),
        price=METRICS["price"].shown(price),
        worth="unpriced" if worth is None else METRICS["mark"].shown(worth),
        quote="no quote" if book is None else figures.span(at - book.at),
    )


def _trades(
    who: ContestantId, reading: Reading, root: str
) -> tuple[tuple[TradeRow, ...], bool]:
    deals, more = _cut(reading.show.deals_of(who, MOST_DEALS + 1), MOST_DEALS)
    reading.learn(deal.market for deal in deals)
    rows = (deal_row(deal, reading.market(deal.market, root), reading, root) for deal in deals)
    return tuple(rows), more


def _failures(
    who: ContestantId, reading: Reading, root: str
) -> tuple[tuple[FailureRow, ...], bool]:
    turns, more = _cut(reading.show.failures_of(who, MOST_FAILURES + 1), MOST_FAILURES)
    rows = (
        FailureRow(
            shown_moment(turn.at),
            cohort_link(turn.cohort, root),
            str(turn.round),
            one_line(turn.reason, REASON),
        )
        for turn in turns
    )
    return tuple(rows), more


def _refused(
    cohorts: Iterable[CohortCard], who: ContestantId, refusals: Refusals
) -> tuple[CountRow, ...]:
    """Reasons by how often, the most frequent first."""
    counts: Counter[str] = Counter()
    for card in cohorts:
        counts.update(refusals.get((card.id, who), {}))
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(CountRow(one_line(reason, REASON), figures.count(n)) for reason, n in ordered)


def _cut(things: Sequence[T], most: int) -> tuple[Sequence[T], bool]:
    """The first `most` things, and whether there were more."""
    return things[:most], len(things) > most
