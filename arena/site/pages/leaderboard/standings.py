"""What the leaderboard shows: the results of all contestants from the books."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from arena.metrics import figures
from arena.metrics.registry import LINEAR_CAVEAT, METRICS
from arena.records.grade import Board, Score, Standing
from arena.site.estimates import count_cell, formula, head_of, metric_cell
from arena.site.pages.parts import (
    Cell,
    Column,
    ColumnGroup,
    Drawing,
    Fact,
    Figure,
    Head,
    Link,
)
from arena.site.reading import Reading


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One contestant's line."""

    contestant: Link
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class BoardView:
    """A cohort's results as a table, in an order that claims nothing.

    `others` are rows that only the twin has room for.
    """

    groups: tuple[ColumnGroup, ...]
    columns: tuple[Column, ...]
    rows: tuple[BoardRow, ...]
    linear_caveat: str
    others: tuple[BoardRow, ...] = ()


@dataclass(frozen=True, slots=True)
class RankingRow:
    """One contestant's line, or the market's.

    `kind` is "market" for the market's price, "ref" for a baseline, else empty. `ranks` is
    from the lowest to the highest rank that tests leave open, and the rank is its value.
    `about` are its provider and its tags. `verdict` is "better" or "worse" than the market's
    price where that is shown. `leads` says that nobody is shown to be better. `interval` is
    drawn, with the verdict in words; `shape` is its equity over time.
    """

    slug: str
    kind: str
    ranks: Cell
    contestant: Link
    about: str
    provider: str
    verdict: str
    leads: bool
    cells: tuple[Cell, ...]
    interval: Drawing | None
    shape: Drawing | None


@dataclass(frozen=True, slots=True)
class RankingTable:
    """The table of everybody, best first; then baselines, in no rank and no count.

    Without a `rank` column nobody may be ranked. `axis` is the head of the intervals, which
    are drawn after the first column; None where none are. `left_out` counts those who stand
    elsewhere because there are too many for a page.
    """

    view: str
    rank: Column | None
    columns: tuple[Column, ...]
    axis: Drawing | None
    shapes: bool
    rows: tuple[RankingRow, ...]
    notes: tuple[str, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Chips:
    """The ways to other parts and other columns; the one that is open leads nowhere."""

    windows: tuple[Link, ...]
    categories: tuple[Link, ...]
    views: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class IndexPage:
    """templates/site/index.html. `claims` are the first sentence or two, `evidence` the next.

    `sure` says how sure that is, `checks` are the commands that make it again, `changed` is
    what moved since the last settlement.
    """

    head: Head
    claims: tuple[str, ...]
    evidence: str
    sure: tuple[str, ...]
    checks: tuple[Fact, ...]
    chips: Chips
    ranking: RankingTable
    changed: tuple[str, ...]
    equity: Figure | None
    plane: Figure | None
    twin: str


@dataclass(frozen=True, slots=True)
class BoardPage:
    """templates/site/board.html: other columns of the board, or a part of its evidence."""

    head: Head
    title: str
    words: str
    chips: Chips
    ranking: RankingTable
    twin: str


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the leaderboard: the metric it shows, and how a line's cell is made."""

    key: str
    group: str
    cell: Callable[[str, Standing], Cell]


def _priced(key: str, line: Standing) -> Cell:
    """A number that nobody knows while an open position has no price."""
    if line.unpriced:
        positions = figures.many(line.open, "position")
        return Cell("n/a:", f"{figures.count(line.unpriced)} of {positions} unpriced")
    return metric_cell(key, getattr(line, key))


def _last(key: str, line: Standing) -> Cell:
    """The return at the last known prices, and how old the oldest of them is."""
    age = line.price_age
    note = "" if age is None else f"oldest price {figures.span(age)} old"
    return metric_cell(key, line.returned_last, note)


def _plain(key: str, line: Standing) -> Cell:
    return metric_cell(key, getattr(line, key))


def _scored(key: str, line: Standing) -> Cell:
    """A mean with the number of things it is the mean of."""
    mean: Score = getattr(line, key)
    return metric_cell(key, mean.value, f"n {figures.count(mean.n)}")


def _cost(key: str, line: Standing) -> Cell:
    text = figures.spent(line.cost, line.cost_known, METRICS[key].shown)
    return Cell(text, value=line.cost)


def _turns(_key: str, line: Standing) -> Cell:
    text = f"{figures.count(line.turns_ok)} / {figures.count(line.turns_failed)}"
    return Cell(text, value=line.turns_ok)


def _open(_key: str, line: Standing) -> Cell:
    note = f"{figures.count(line.unpriced)} unpriced" if line.unpriced else ""
    return count_cell(line.open, note)


_MONEY, _ALL, _FILLS = "Money", "Forecasts: Brier", "Bets: Brier score of each mapping"
_BETS, _RUNNING = "Resolved bets", "Taking part"

_COLUMNS = (
    _Column("returned", _MONEY, _priced),
    _Column("pnl", _MONEY, _priced),
    _Column("returned_last", _MONEY, _last),
    _Column("realised", _MONEY, _plain),
    _Column("unrealised", _MONEY, _priced),
    _Column("forecast", _ALL, _scored),
    _Column("stated", _FILLS, _scored),
    _Column("kelly", _FILLS, _scored),
    _Column("linear", _FILLS, _scored),
    _Column("win_rate", _BETS, _scored),
    _Column("break_even", _BETS, _plain),
    _Column("cost", _RUNNING, _cost),
    _Column("turns", _RUNNING, _turns),
    _Column("open", _RUNNING, _open),
)
_GROUP_NOTES = {_FILLS: f"linear: {LINEAR_CAVEAT}"}
_BY_KEY = {column.key: column for column in _COLUMNS}

KEYS = tuple(column.key for column in _COLUMNS)
_UNSURE = "returned"  # stands nowhere without its interval
_BOOKED = tuple(key for key in KEYS if key != _UNSURE)


def columns(keys: Sequence[str], root: str) -> tuple[Column, ...]:
    """The heads of some columns, each with a link to its formula."""
    return tuple(head_of(key, root) for key in keys)


def cells(keys: Sequence[str], line: Standing) -> tuple[Cell, ...]:
    """One line's cells of some columns."""
    return tuple(_BY_KEY[key].cell(key, line) for key in keys)


def facts(line: Standing, root: str) -> tuple[Fact, ...]:
    """One line as a list of names and values, with some that the table has no room for."""
    shown = [
        ("total", Cell(METRICS["total"].shown(line.total))),
        ("fees", Cell(METRICS["fees"].shown(line.fees))),
        ("exclusions", Cell(figures.count(line.excluded))),
    ]
    listed = [(key, _BY_KEY[key].cell(key, line)) for key in _BOOKED] + shown
    return tuple(
        Fact(METRICS[key].name, cell.text, cell.note, formula(key, root))
        for key, cell in listed
    )


def by_name(board: Board, reading: Reading) -> tuple[Standing, ...]:
    """The lines of a cohort in alphabetical order, baselines last: its books rank nobody."""

    def name(line: Standing) -> tuple[bool, str, str]:
        who = line.contestant
        return reading.entrant(who).reference, reading.label(who).casefold(), who

    return tuple(sorted(board.standings, key=name))


def board_view(board: Board, reading: Reading, root: str) -> BoardView:
    """A cohort's results as a table, by name and without ranks."""
    booked = (_BY_KEY[key] for key in _BOOKED)
    groups = groupby(booked, key=lambda column: column.group)
    return BoardView(
        groups=tuple(
            ColumnGroup(name, len(list(members)), _GROUP_NOTES.get(name, ""))
            for name, members in groups
        ),
        columns=columns(_BOOKED, root),
        rows=tuple(
            BoardRow(reading.contestant(line.contestant, root), cells(_BOOKED, line))
            for line in by_name(board, reading)
        ),
        linear_caveat=METRICS["linear"].caveat,
    )
