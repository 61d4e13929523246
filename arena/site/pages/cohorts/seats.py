"""The page of a contestant in one cohort, and what the pages of cohorts show.

Nothing on it depends on other cohorts, so it stays as it is once its own markets have resolved.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId, MarkRule
from arena.records.grade import Board, Standing
from arena.records.market import Market, MarketId, Side
from arena.records.trade import Position, PositionState
from arena.site import Page, places
from arena.site.charts.subjects import Curve, LineWeight, Point, Scale, Words
from arena.site.charts.timed import curves
from arena.site.estimates import count_cell, formula, metric_cell, table_of
from arena.site.pages.contestants.contestant_charts import RANGES
from arena.site.pages.contestants.contestant_summary import marked_kpi
from arena.site.pages.contestants.holdings import counted, ended, turn_table, valued
from arena.site.pages.decisions.decision import kept
from arena.site.pages.leaderboard.standings import BoardView, cells, facts
from arena.site.pages.market import MarketRow
from arena.site.pages.parts import (
    Cell,
    DocumentsView,
    Fact,
    Figure,
    Head,
    Kpi,
    Link,
    Moment,
    Pager,
    Table,
)
from arena.site.reading import QUESTION, Reading, cohort_link, outcome_words
from arena.site.sanitize import one_line
from arena.store.journal.books import Ruling
from arena.store.pages.cards import CohortCard, OpenPosition
from arena.store.pages.seat_pages import Dealt, SeatMark, SeatSaid, SeatTurn


@dataclass(frozen=True, slots=True)
class CohortListPage:
    """templates/site/cohorts.html."""

    head: Head
    table: Table | None
    pager: Pager


@dataclass(frozen=True, slots=True)
class Progress:
    """How much of something is done: `done` of `of`, and the same in words."""

    name: str
    done: int
    of: int
    words: str


@dataclass(frozen=True, slots=True)
class SealView:
    """What was laid down about the grading before the first forecast, in words and as tests.

    `check` is the command that says whether it still holds.
    """

    words: str
    check: str
    versions: tuple[Fact, ...]
    tests: Table | None


@dataclass(frozen=True, slots=True)
class CohortPage:
    """templates/site/cohort.html. `agreement` has what is not as it is by default."""

    head: Head
    name: str
    title: str
    state: str
    marked: Moment | None
    started: Moment
    ends: Moment
    contents: tuple[Link, ...]
    kpis: tuple[Kpi, ...]
    progress: tuple[Progress, ...]
    board: BoardView
    equity: Figure | None
    rounds: Table | None
    documents: DocumentsView | None
    digest: str
    agreement: tuple[Fact, ...]
    defaults: tuple[Fact, ...]
    seal: SealView
    exclusions: tuple[str, ...]
    markets: tuple[MarketRow, ...]
    left_out: str


@dataclass(frozen=True, slots=True)
class SeatPage:
    """templates/site/seat.html."""

    head: Head
    contestant: Link
    cohort: Link
    title: str
    state: str
    kpis: tuple[Kpi, ...]
    equity: Figure | None
    positions: Table | None
    positions_note: str
    decisions: Table | None
    decisions_note: str
    forecasts: Table | None
    forecasts_note: str
    refusals: Table | None
    totals: tuple[Fact, ...]
    others: tuple[Link, ...]


MOST_POSITIONS: Final = 100
MOST_TURNS: Final = 60
MOST_FORECASTS: Final = 100


@dataclass(frozen=True, slots=True)
class Played:
    """All that was played in a cohort, read at once for its page and for those of its seats.

    `facts` of markets are as the cohort's last round offered them, `marked` is when it was last
    valued.
    """

    card: CohortCard
    board: Board
    state: str
    marked: datetime | None
    facts: Mapping[MarketId, Market]
    rulings: Mapping[MarketId, Ruling]
    marks: Mapping[ContestantId, tuple[SeatMark, ...]]
    positions: Mapping[ContestantId, tuple[Position, ...]]
    deals: Mapping[ContestantId, tuple[Dealt, ...]]
    turns: Mapping[ContestantId, tuple[SeatTurn, ...]]
    said: Mapping[ContestantId, tuple[SeatSaid, ...]]
    refused: Mapping[ContestantId, Mapping[str, int]]

    def question(self, market: MarketId) -> str:
        """What a market asked; one that is not on the tape is called by its id."""
        facts = self.facts.get(market)
        return one_line(facts.question if facts else market, QUESTION)

    def profits(self, marks: Iterable[SeatMark]) -> tuple[Point, ...]:
        """What a seat was worth less its capital, by the cohort's own mark."""
        rules = self.card.spec.rules
        worths = ((m.at, m.bid if rules.mark is MarkRule.BID else m.mid) for m in marks)
        return tuple(
            Point(at, None if worth is None else float(worth - rules.capital))
            for at, worth in worths
        )

    @property
    def scale(self) -> Scale:
        """The axis of profit and loss, on which the whole capital can be lost."""
        floor = -float(self.card.spec.rules.capital)
        return Scale("P/L", METRICS["pnl_luck"].shown, base=0.0, floor=floor)


def pages(played: Played, reading: Reading) -> Iterator[Page]:
    """A page for every contestant of a cohort, in the order of its leaderboard."""
    for line in played.board.standings:
        path = places.seat(line.contestant, played.card.id)
        yield Page(path, "seat.html", seat_page(line, played, reading))


def seat_page(line: Standing, played: Played, reading: Reading) -> SeatPage:
    """One contestant in one cohort."""
    who, card = line.contestant, played.card
    root = places.root_of(places.seat(who, card.id))
    label, cohort = reading.label(who), cohort_link(card.id, root)
    turns = played.turns.get(who, ())
    forecasts = sorted(
        played.said.get(who, ()), key=lambda f: (f.brier is None, -(f.brier or 0.0))
    )
    held = sorted(played.positions.get(who, ()), key=_open_first)
    return SeatPage(
        head=Head(f"{label} in cohort {cohort.text}", root, "cohorts"),
        contestant=reading.contestant(who, root),
        cohort=cohort,
        title=one_line(card.spec.title, QUESTION),
        state=played.state,
        kpis=_kpis(line, played, root),
        equity=equity(who, played, reading),
        positions=_positions(held[:MOST_POSITIONS], played, reading, root),
        positions_note=_cut_words(len(held), MOST_POSITIONS, "position"),
        decisions=_decisions(turns[-MOST_TURNS:], played, reading, root),
        decisions_note=_cut_words(len(turns), MOST_TURNS, "decision", "newest"),
        forecasts=_forecasts(forecasts[:MOST_FORECASTS], played, root),
        forecasts_note=_cut_words(len(forecasts), MOST_FORECASTS, "market"),
        refusals=counted(played.refused.get(who, {}), "Refused orders", ""),
        totals=facts(line, root),
        others=tuple(
            Link(reading.label(other.contestant), root + places.seat(other.contestant, card.id))
            for other in played.board.standings
            if other.contestant != who
        ),
    )


def equity(who: ContestantId, played: Played, reading: Reading) -> Figure | None:
    """Profit and loss of one seat over time: mark-to-market, and what was realised."""
    marks = played.marks.get(who, ())
    if len(marks) < 2:  # noqa: PLR2004  # a line has two ends
        return None
    capital = played.card.spec.rules.capital
    lines = [
        Curve("Mark-to-market", played.profits(marks), tone=reading.tone(who)),
        Curve("Realised", _realised_points(who, played, marks), LineWeight.QUIET),
    ]
    words = Words(
        "equity",
        "Profit and loss",
        f"Equity, mark-to-market, less {figures.dollars(capital, 0)} of opening capital. "
        "Grey is what was realised, less fees.",
    )
    return curves(words, lines, played.scale, ranges=RANGES)


def gains(who: ContestantId, played: Played) -> list[tuple[datetime, Decimal]]:
    """A seat's realised gains with their moments: sales less fees, and booked settlements."""
    deals = played.deals.get(who, ())
    dated_gains = [(deal.at, Decimal(deal.gain - deal.fee)) for deal in deals]
    left: dict[tuple[MarketId, Side], Decimal] = {}
    for position in played.positions.get(who, ()):
        key = position.market, position.side
        left[key] = left.get(key, Decimal(0)) + position.realised
    for deal in deals:
        left[deal.market, deal.side] -= deal.gain
    for (market, _), amount in left.items():
        ruling = played.rulings.get(market)
        if amount and ruling is not None:
            dated_gains.append((ruling.at, amount))
    return sorted(dated_gains)


def _realised_points(
    who: ContestantId, played: Played, marks: Sequence[SeatMark]
) -> tuple[Point, ...]:
    """The total realised gain at each mark."""
    dated_gains, total, points = gains(who, played), Decimal(0), []
    done = 0
    for mark in marks:
        while done < len(dated_gains) and dated_gains[done][0] <= mark.at:
            total += dated_gains[done][1]
            done += 1
        points.append(Point(mark.at, float(total)))
    return tuple(points)


def _kpis(line: Standing, played: Played, root: str) -> tuple[Kpi, ...]:
    forecast_count = sum(n.n for n in played.said.get(line.contestant, ()))
    brier, won, cost = cells(("forecast", "win_rate", "cost"), line)
    turns = f"{figures.count(line.turns_ok)} / {figures.count(line.turns_failed)}"
    return (
        marked_kpi(line, root),
        Kpi(
            "Brier score",
            brier,
            f"of {figures.many(forecast_count, 'forecast')}",
            formula("forecast", root),
        ),
        Kpi("Win rate", won, "resolved fills", formula("win_rate", root)),
        Kpi("Turns ok / failed", Cell(turns), "", formula("turns", root)),
        Kpi("Cost", cost, "", formula("cost", root)),
    )


def _positions(
    held: Sequence[Position], played: Played, reading: Reading, root: str
) -> Table | None:
    at = played.marked
    if at is not None:
        reading.learn_books((p.market for p in held if p.state is PositionState.OPEN), at)
    return table_of(
        "Positions",
        held,
        (
            ("Market", "words", "", lambda position: _market(position.market, played, root)),
            ("Side", "one", "", lambda position: Cell(position.side.value)),
            ("State", "one", "", ended),
            ("Shares held", "n", "shares", lambda position: _open("shares", position)),
            ("Cost", "n", "amount", lambda position: _open("amount", position)),
            ("Value", "n", "mark", lambda position: _worth(position, at, reading)),
            ("Realised", "n", "realised", lambda p: metric_cell("realised", p.realised)),
        ),
        root,
        "Open ones are valued when the cohort was last.",
    )


def _market(market: MarketId, played: Played, root: str) -> Cell:
    return Cell(played.question(market), href=root + places.market(market))


def _open(key: str, position: Position) -> Cell:
    """The shares or the cost of a position; nothing once it is closed."""
    if position.state is not PositionState.OPEN:
        return Cell("")
    return metric_cell(key, position.shares if key == "shares" else position.cost)


def _worth(position: Position, at: datetime | None, reading: Reading) -> Cell:
    if position.state is not PositionState.OPEN or at is None:
        return Cell("")
    _, worth, _ = valued(OpenPosition(position, at), reading)
    return worth


def _decisions(
    turns: Sequence[SeatTurn], played: Played, reading: Reading, root: str
) -> Table | None:
    shown = kept(played.card, reading)

    def href(turn: SeatTurn) -> str:
        path = places.decision(turn.cohort, turn.round, turn.contestant)
        return root + path if shown else ""

    return turn_table(turns, href, root, cohorts=False)


def _forecasts(forecasts: Sequence[SeatSaid], played: Played, root: str) -> Table | None:
    return table_of(
        "Forecasts",
        forecasts,
        (
            ("Market", "words", "", lambda said: _market(said.market, played, root)),
            ("Forecasts", "n", "", lambda said: count_cell(said.n)),
            ("Last said", "n", "stated_p", lambda said: metric_cell("stated_p", said.last)),
            ("Outcome", "one", "", lambda said: _outcome(played.rulings.get(said.market))),
            ("Mean Brier", "n", "brier", lambda said: metric_cell("brier", said.brier)),
        ),
        root,
    )


def _open_first(position: Position) -> tuple[bool, Decimal]:
    return position.state is not PositionState.OPEN, -abs(position.realised)


def _outcome(ruling: Ruling | None) -> Cell:
    if ruling is None or ruling.outcome is None:
        return Cell("not resolved")
    return Cell(outcome_words(ruling.outcome))


def _cut_words(count: int, most: int, what: str, which: str = "first") -> str:
    if count <= most:
        return ""
    return f"The {which} {most} of {figures.many(count, what)}."
