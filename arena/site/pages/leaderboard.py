"""The leaderboard as a table, and the same numbers for machines."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby

from arena.metrics import figures
from arena.metrics.registry import LINEAR_CAVEAT, METRICS
from arena.records.cohort import RankBy
from arena.records.grade import Board, Score, Standing
from arena.site import places
from arena.site.page import Document, Page
from arena.site.reading import Reading, shown_moment
from arena.site.views.leaderboard import BoardRow, BoardView, IndexPage
from arena.site.views.parts import Cell, Column, ColumnGroup, Fact, Head

_RANKED_BY = {
    RankBy.RETURN: "returned",
    RankBy.PNL: "pnl",
    RankBy.BRIER_FORECAST: "forecast",
    RankBy.BRIER_STATED: "stated",
    RankBy.BRIER_KELLY: "kelly",
    RankBy.BRIER_LINEAR: "linear",
    RankBy.WIN_RATE: "win_rate",
}


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the leaderboard: the metric it shows, and how a line's cell is made."""

    key: str
    group: str
    cell: Callable[[str, Standing], Cell]


def _priced(value: Callable[[Standing], Decimal | float | None]) -> Callable[..., Cell]:
    """A number that nobody knows while an open position has no price."""

    def cell(key: str, line: Standing) -> Cell:
        if line.unpriced:
            positions = figures.many(line.open, "position")
            return Cell("n/a:", f"{figures.count(line.unpriced)} of {positions} unpriced")
        return Cell(METRICS[key].shown(value(line)))

    return cell


def _plain(value: Callable[[Standing], Decimal | float | None]) -> Callable[..., Cell]:
    def cell(key: str, line: Standing) -> Cell:
        return Cell(METRICS[key].shown(value(line)))

    return cell


def _scored(score: Callable[[Standing], Score]) -> Callable[..., Cell]:
    """A mean with the number of things it is the mean of."""

    def cell(key: str, line: Standing) -> Cell:
        mean = score(line)
        return Cell(METRICS[key].shown(mean.value), f"n {figures.count(mean.n)}")

    return cell


def _cost(key: str, line: Standing) -> Cell:
    return Cell("unknown" if line.cost is None else METRICS[key].shown(line.cost))


def _turns(_key: str, line: Standing) -> Cell:
    return Cell(f"{figures.count(line.turns_ok)} / {figures.count(line.turns_failed)}")


def _open(_key: str, line: Standing) -> Cell:
    note = f"{figures.count(line.unpriced)} unpriced" if line.unpriced else ""
    return Cell(figures.count(line.open), note)


_MONEY, _ALL, _FILLS = "Money", "Forecasts: Brier", "Bets: Brier score of each mapping"
_BETS, _RUNNING = "Resolved bets", "Taking part"

_COLUMNS = (
    _Column("returned", _MONEY, _priced(lambda s: s.returned)),
    _Column("pnl", _MONEY, _priced(lambda s: s.pnl)),
    _Column("realised", _MONEY, _plain(lambda s: s.realised)),
    _Column("unrealised", _MONEY, _priced(lambda s: s.unrealised)),
    _Column("forecast", _ALL, _scored(lambda s: s.forecast)),
    _Column("stated", _FILLS, _scored(lambda s: s.stated)),
    _Column("kelly", _FILLS, _scored(lambda s: s.kelly)),
    _Column("linear", _FILLS, _scored(lambda s: s.linear)),
    _Column("win_rate", _BETS, _scored(lambda s: s.win_rate)),
    _Column("break_even", _BETS, _plain(lambda s: s.break_even)),
    _Column("cost", _RUNNING, _cost),
    _Column("turns", _RUNNING, _turns),
    _Column("open", _RUNNING, _open),
)
_GROUP_NOTES = {_FILLS: f"linear: {LINEAR_CAVEAT}"}
_BY_KEY = {column.key: column for column in _COLUMNS}

KEYS = tuple(column.key for column in _COLUMNS)


def columns(keys: Sequence[str], root: str) -> tuple[Column, ...]:
    """The heads of some columns, each with a link to its formula."""
    return tuple(_head(key, root) for key in keys)


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
    listed = [(key, _BY_KEY[key].cell(key, line)) for key in KEYS] + shown
    return tuple(
        Fact(METRICS[key].name, cell.text, cell.note, _formula(key, root))
        for key, cell in listed
    )


def board_view(board: Board, reading: Reading, root: str) -> BoardView:
    """A leaderboard as a table."""
    groups = groupby(_COLUMNS, key=lambda column: column.group)
    return BoardView(
        groups=tuple(
            ColumnGroup(name, len(list(members)), _GROUP_NOTES.get(name, ""))
            for name, members in groups
        ),
        rank=_head("rank", root),
        columns=columns(KEYS, root),
        rows=tuple(
            BoardRow(
                "n/a" if line.rank is None else str(line.rank),
                reading.contestant(line.contestant, root),
                cells(KEYS, line),
            )
            for line in board.standings
        ),
        ranked_by=METRICS[_RANKED_BY[RankBy(board.rank_by)]].name.lower(),
        linear_caveat=METRICS["linear"].caveat,
    )


def pages(reading: Reading) -> Iterator[Page | Document]:
    """The front page."""
    board = reading.store.boards.overall()
    cohorts = reading.show.cohort_count()
    view = IndexPage(
        head=Head("Leaderboard", "", "leaderboard"),
        contestants=figures.many(len(board.standings), "contestant"),
        cohorts=figures.many(cohorts, "cohort"),
        fills=figures.many(resolved_fills(board), "resolved fill"),
        as_of=shown_moment(board.as_of) if board.as_of else None,
        board=board_view(board, reading, ""),
        twin=places.twin(places.INDEX),
    )
    yield Page(places.INDEX, "index.html", view)


def resolved_fills(board: Board) -> int:
    """How many fills the scores of a board stand on."""
    return sum(line.win_rate.n for line in board.standings)


def _head(key: str, root: str) -> Column:
    metric = METRICS[key]
    return Column(key, metric.short, metric.name, _formula(key, root))


def _formula(key: str, root: str) -> str:
    return f"{root}{places.METHODOLOGY}#{key}"
