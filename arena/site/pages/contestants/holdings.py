"""What the pages of contestants show; their positions and turns as rows of tables.

The pages of seats have the same rows.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from arena.ledger.mark import mark
from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.cohort import CohortId, MarkRule
from arena.records.market import Outcome
from arena.records.trade import Position, PositionState
from arena.site.estimates import (
    TableColumn,
    brier_cell,
    count_cell,
    formula,
    metric_cell,
    table_of,
)
from arena.site.pages.parts import (
    Cell,
    Fact,
    Field,
    Figure,
    Head,
    Kpi,
    Link,
    Moment,
    Pager,
    Table,
    TradeRow,
)
from arena.site.reading import Reading, cohort_link, moment_cell, outcome_words, shown_moment
from arena.site.sanitize import one_line
from arena.store.pages.cards import Deal, OpenPosition
from arena.store.pages.seat_pages import SeatTurn


@dataclass(frozen=True, slots=True)
class ContestantListPage:
    """templates/site/contestants.html."""

    head: Head
    table: Table | None
    words: str
    pager: Pager
    closes: Figure | None


@dataclass(frozen=True, slots=True)
class Claimed:
    """A sentence of what is shown of a contestant, and whom it names; `more` are left out."""

    words: str
    links: tuple[Link, ...] = ()
    more: str = ""


@dataclass(frozen=True, slots=True)
class StandingsTable:
    """How a contestant stands: what is claimed, its six numbers, and commands.

    `totals` are those of the books, `checks` has for each number the command that takes it
    apart.
    """

    claims: tuple[Claimed, ...]
    kpis: tuple[Kpi, ...]
    more: tuple[Fact, ...]
    totals: tuple[Fact, ...]
    checks: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Forecasting:
    """How its forecasts did, and where."""

    reliability: Figure | None
    scores: tuple[Fact, ...]
    parts: tuple[Figure, ...]
    table: Table | None


@dataclass(frozen=True, slots=True)
class Betting:
    """What is behind its profit and loss."""

    split: Figure | None
    closes: Figure | None
    chance: Figure | None
    luck: str
    facts: tuple[Fact, ...]
    best: Table | None
    worst: Table | None
    words: str


@dataclass(frozen=True, slots=True)
class Conducted:
    """How it answers, and what became of answers that could not be used."""

    replies: tuple[Fact, ...]
    failures: Table | None
    refusals: Table | None


@dataclass(frozen=True, slots=True)
class ContestantPage:
    """templates/site/contestant.html. What stands after the decisions is folded."""

    head: Head
    id: str
    label: str
    provider: Link | None
    reference: str
    as_of: Moment | None
    standing: StandingsTable
    equity: Figure | None
    forecasting: Forecasting
    betting: Betting
    trades: tuple[TradeRow, ...]
    trades_note: str
    decisions: Table | None
    decisions_note: str
    drawdown: Figure | None
    positions: Table | None
    played: Table | None
    conduct: Conducted
    identity: tuple[Fact, ...]
    of: tuple[Link, ...]


REASON: Final = 120
_ENDED: Final = {
    PositionState.OPEN: "open",
    PositionState.EXITED: "sold",
    PositionState.WON: "won",
    PositionState.LOST: "lost",
    PositionState.PAID: "paid a fraction",
    PositionState.CANCELLED: "void, stake returned",
}
_DID: Final = {"BET": "bet", "SELL": "sold", "HOLD": "held"}


def open_table(
    held: Sequence[OpenPosition], reading: Reading, root: str, caption: str
) -> Table | None:
    """Open positions, each valued as its cohort was last."""
    if not held:
        return None
    markets: dict[CohortId, list[OpenPosition]] = {}
    for holding in held:
        markets.setdefault(holding.position.cohort, []).append(holding)
    reading.learn(holding.position.market for holding in held)
    for group in markets.values():
        at = group[0].marked_at or reading.at
        reading.learn_books((holding.position.market for holding in group), at)
    return Table(
        "Open positions",
        (
            Field("Market", "words"),
            Field("Side", "one"),
            Field("Value", "n", formula("mark", root)),
            Field("Cost", "n", formula("amount", root)),
            Field("Shares", "n", formula("shares", root)),
            Field("Mark", "n", formula("price", root)),
            Field("Quote's age", "one"),
            Field("Cohort", "one"),
        ),
        tuple(_open_row(holding, reading, root) for holding in held),
        caption,
    )


def valued(held: OpenPosition, reading: Reading) -> tuple[Cell, Cell, Cell]:
    """What a position was valued at a share and in all, and how old the quote was then."""
    position = held.position
    at = held.marked_at or reading.at
    rules = reading.spec(position.cohort).rules
    book = reading.book(position.market, at)
    valuation = mark(position, book, at=at, max_age=rules.max_mark_age)
    worth = valuation.bid if rules.mark is MarkRule.BID else valuation.mid
    price = worth / position.shares if worth is not None and position.shares else None
    return (
        metric_cell("price", price),
        Cell("unpriced" if worth is None else METRICS["mark"].shown(worth), value=worth),
        Cell("no quote" if book is None else figures.span(at - book.at)),
    )


def closed_table(
    label: str, held: Sequence[Position], reading: Reading, root: str
) -> Table | None:
    """Closed positions with what they realised, in the order given."""
    reading.learn(position.market for position in held)
    return table_of(
        label,
        held,
        (
            ("Market", "words", "", lambda p: linked(reading.market(p.market, root))),
            ("Realised", "n", "realised", lambda p: metric_cell("realised", p.realised)),
            ("Side", "one", "", lambda p: Cell(p.side.value)),
            ("Ended", "one", "", ended),
            ("Cohort", "one", "", lambda p: linked(cohort_link(p.cohort, root))),
        ),
        root,
    )


def ended(position: Position) -> Cell:
    """What became of a position, in a word or two."""
    return Cell(_ENDED[position.state])


def turn_table(
    turns: Sequence[SeatTurn], href: Callable[[SeatTurn], str], root: str, *, cohorts: bool
) -> Table | None:
    """Turns with what was done in them and what they took; each leads to its decision."""
    cohort: TableColumn[SeatTurn]
    cohort = ("Cohort", "one", "", lambda turn: linked(cohort_link(turn.cohort, root)))
    return table_of(
        "Decisions",
        turns,
        (
            ("Decision", "when", "", lambda turn: moment_cell(turn.at, href(turn))),
            *((cohort,) if cohorts else ()),
            ("Round", "n", "", lambda turn: Cell(str(turn.round), value=turn.round)),
            ("Did", "words", "", _did),
            ("Orders taken", "n", "", lambda turn: count_cell(turn.accepted)),
            ("Refused", "n", "", lambda turn: count_cell(turn.refused)),
            ("Cost", "n", "cost", _turn_cost),
            ("Seconds", "n", "", lambda t: Cell(figures.number(t.seconds, 1), value=t.seconds)),
            ("Tokens", "n", "", lambda turn: count_cell(turn.tokens)),
        ),
        root,
    )


def _did(turn: SeatTurn) -> Cell:
    did = one_line(turn.failure, REASON) if turn.failure else _DID.get(turn.action, turn.action)
    return Cell(did, "failed" if turn.failure and not turn.is_withdrawn else "")


def _turn_cost(turn: SeatTurn) -> Cell:
    return Cell(
        "unknown" if turn.cost is None else figures.dollars(turn.cost, 4), value=turn.cost
    )


def linked(link: Link, note: str = "") -> Cell:
    """A link as a cell."""
    return Cell(link.text, note, href=link.href)


def counted(reasons: Mapping[str, int], label: str, caption: str) -> Table | None:
    """Reasons by how often, the most frequent first."""
    return table_of(
        label,
        sorted(reasons.items(), key=lambda item: (-item[1], item[0])),
        (
            ("Reason", "words", "", lambda item: Cell(one_line(item[0], 300))),
            ("Orders", "n", "", lambda item: count_cell(item[1])),
        ),
        "",
        caption,
    )


def _open_row(held: OpenPosition, reading: Reading, root: str) -> tuple[Cell, ...]:
    position = held.position
    price, worth, age = valued(held, reading)
    return (
        linked(reading.market(position.market, root)),
        Cell(position.side.value),
        worth,
        metric_cell("amount", position.cost),
        metric_cell("shares", position.shares),
        price,
        age,
        linked(cohort_link(position.cohort, root)),
    )


def deal_row(deal: Deal, about: Link, reading: Reading, root: str) -> TradeRow:
    """Show a deal; `about` is its market, or on a market's page the contestant."""
    outcome = reading.outcome(deal.market)
    return TradeRow(
        at=shown_moment(deal.at),
        cohort=cohort_link(deal.cohort, root),
        about=about,
        deed="sold" if deal.sold else "bought",
        side=deal.side.value,
        price=METRICS["price"].shown(deal.price),
        shares=METRICS["shares"].shown(deal.shares),
        amount=metric_cell(
            "amount", deal.dollars, f"fee {METRICS['fees'].shown(deal.fee)}" if deal.fee else ""
        ),
        confidence=METRICS["confidence"].shown(deal.confidence),
        implied=(
            implied("stated_p", deal.stated, outcome),
            implied("kelly_p", deal.kelly, outcome),
            implied("linear_p", deal.linear, outcome),
        ),
        outcome="" if outcome is None else outcome_words(outcome),
    )


def implied(key: str, probability: float | None, outcome: Outcome | None) -> Cell:
    """Show a probability of YES, and its Brier score once the truth is known."""
    score = brier_cell(probability, outcome.truth if outcome else None)
    return metric_cell(key, probability, "" if score.value is None else f"Brier {score.text}")
