"""The books of a leaderboard as rows of a table."""

from collections.abc import Iterator, Sequence
from typing import Final

import click

from arena.cli.say import MISSING, percent, score
from arena.cli.tables import table
from arena.metrics import figures
from arena.records.grade import Board, Standing

HEAD: Final = (
    "rank",
    "contestant",
    "return",
    "P/L $",
    "Brier forecasts",
    "n forecasts",
    "Brier stated",
    "kelly",
    "linear",
    "resolved",
    "won",
    "open",
    "failed",
    "cost $",
)


def board_rows(board: Board) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """The head and a row for each contestant, in the order of the books."""
    return HEAD, [_line(s) for s in board.standings]


def say_board(board: Board) -> None:
    """Print the books, and what their columns need said."""
    if board.standings:
        table(*board_rows(board))
    for line in remarks(board):
        click.echo(line)


def remarks(board: Board) -> Iterator[str]:
    """What the columns need said."""
    if not board.standings:
        yield "The leaderboard is empty: no cohort has started."
        return
    unpriced = sum(1 for s in board.standings if s.unpriced)
    if unpriced:
        yield (
            f"{unpriced} hold positions that have no price: their return is not known, and "
            "their P/L lies between what it is if those end worthless and if they all win."
        )
    yield "A higher line is not yet a better contestant: `arena compare` tests the differences."


def _line(s: Standing) -> list[str]:
    return [
        MISSING if s.rank is None else str(s.rank),
        s.contestant,
        percent(s.returned, signed=True),
        _dollars(s),
        score(s.forecast),
        str(s.forecast.n),
        score(s.stated),
        score(s.kelly),
        score(s.linear),
        str(s.linear.n),
        percent(s.win_rate.value),
        f"{s.open}" if not s.unpriced else f"{s.open} ({s.unpriced} unpriced)",
        f"{s.turns_failed}/{s.turns_ok + s.turns_failed}",
        figures.spent(s.cost, s.cost_known, lambda cost: f"{cost:.2f}"),
    ]


def _dollars(s: Standing) -> str:
    if s.pnl is not None:
        return figures.number(s.pnl, 2, signed=True)
    low, high = (figures.number(edge, 0, signed=True) for edge in (s.pnl_low, s.pnl_high))
    return f"{low} to {high}"
