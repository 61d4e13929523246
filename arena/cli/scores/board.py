"""The books of a leaderboard as rows of a table."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from arena.cli.say import percent, score
from arena.cli.tables import AS_IT_IS, TableLayout, table
from arena.metrics import figures
from arena.records.grade import Board, Standing

HEAD: Final = (
    "contestant",
    "return",
    "P/L $",
    "Brier forecasts",
    "n forecasts",
    "failed",
    "cost $",
    "at last prices",
    "Brier stated",
    "kelly",
    "linear",
    "resolved",
    "won",
    "open",
)
USUAL: Final = 8  # the first of them


def board_rows(board: Board) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """The head and a row for each contestant, in the order of the board: without ranks."""
    return HEAD, [_line(s) for s in board.standings]


def by_name(board: Board) -> Board:
    """The same lines in alphabetical order: the books alone rank nobody."""
    return replace(board, standings=tuple(sorted(board.standings, key=lambda s: s.contestant)))


def say_books(board: Board, layout: TableLayout = AS_IT_IS) -> None:
    """Print the books alone."""
    table(*board_rows(board), replace(layout, usual=USUAL), names=1)


def remarks(board: Board) -> Iterator[str]:
    """What the columns need said."""
    if not board.standings:
        yield "The leaderboard is empty: no cohort has started."
        return
    unpriced = sum(1 for s in board.standings if s.unpriced)
    if unpriced:
        yield (
            f"{unpriced} hold positions that have no price: their return is not known, and "
            "their P/L lies between what it is if those end worthless and if they all win. At "
            "last prices each counts at the last one that it had, the oldest of them so old."
        )
    yield "A higher line is not yet a better contestant: `arena compare` tests the differences."


def _line(s: Standing) -> list[str]:
    return [
        s.contestant,
        percent(s.returned, signed=True),
        _dollars(s),
        score(s.forecast),
        str(s.forecast.n),
        f"{s.turns_failed}/{s.turns_ok + s.turns_failed}",
        figures.spent(s.cost, s.cost_known, lambda cost: f"{cost:.2f}"),
        _at_last_prices(s),
        score(s.stated),
        score(s.kelly),
        score(s.linear),
        str(s.linear.n),
        percent(s.win_rate.value),
        f"{s.open}" if not s.unpriced else f"{s.open} ({s.unpriced} unpriced)",
    ]


def _at_last_prices(s: Standing) -> str:
    age = "" if s.price_age is None else f" ({figures.span(s.price_age)} old)"
    return percent(s.returned_last, signed=True) + age


def _dollars(s: Standing) -> str:
    if s.pnl is not None:
        return figures.number(s.pnl, 2, signed=True)
    low, high = (figures.number(edge, 0, signed=True) for edge in (s.pnl_low, s.pnl_high))
    return f"{low} to {high}"
