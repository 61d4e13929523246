"""A number of a contestant's own bets, or of its days, taken apart row by row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arena.errors import ArenaError, did_you_mean
from arena.metrics.explain import Cell, Explained, digest_of
from arena.metrics.measures import LEVEL
from arena.metrics.offered import Offered
from arena.metrics.registry import METRICS
from arena.metrics.returns import daily_returns, realised_return, risks
from arena.metrics.shadow import OWN, Played, play
from arena.records.estimate import Estimate
from arena.scoring.book import Book, Lines
from arena.scoring.table import Whole
from arena.stats.losses import growth_interval

Columns = Mapping[str, list[Cell]]


@dataclass(frozen=True, slots=True)
class Day:
    """What a contestant's cohorts had begun with and were worth at a day's end, in dollars.

    `worth` is None where an open position had no price.
    """

    day: str
    capital: float
    worth: float | None


def explain_bets(
    offered: Offered, contestant: str, key: str, *, level: float = LEVEL
) -> Explained:
    """Take apart a number of a contestant's own bets.

    A row is a bet that has a close, or for the realised return a part of a bet, with what it
    counts for last: nothing more than its fee while it is open.

    Args:
        offered: The market, with everybody's bets.
        contestant: Whose.
        key: One of `OF_BETS`.
        level: Of the interval, in (0, 1).

    Raises:
        ArenaError: The contestant has never bet.
    """
    played = play(offered, contestant, OWN)
    if played is None:
        raise ArenaError(
            "score.contestant",
            f"{contestant} has never bet",
            hint=did_you_mean(contestant, offered.placed),
            status=2,
        )
    if key == "realised_return":
        return _realised(played, offered, level)
    book, lines = played.book, played.lines
    closed = book.closing_lines(lines)
    rows, values = closed.rows, getattr(closed, {"ev_clv": "ev", "clv": "clv"}[key])
    columns = _bets(book, lines, rows, offered)
    columns["stake"] = closed.stake.tolist()
    columns[key] = values.tolist()
    inputs: dict[str, Cell] = {
        "bets": len(book),
        "without a close": len(book) - len(rows),
        f"sum of {key}": float(values.sum()),
    }
    found = growth_interval(values, lines.event[book.rows][rows], level)
    return _explained(contestant, key, found, inputs, columns)


def explain_days(contestant: str, days: Sequence[Day], key: str) -> Explained:
    """Take apart a number of a path of worth; a row is a day, and has its return last.

    Args:
        contestant: Whose.
        days: Every day from its first cohort on.
        key: One of `arena.metrics.returns.RISKS`.
    """
    capital, worth = [one.capital for one in days], [one.worth for one in days]
    made = daily_returns(capital, worth)
    left = iter(made or ())
    returns: list[Cell] = [None if one is None or made is None else next(left) for one in worth]
    columns: Columns = {
        "day": [one.day for one in days],
        "capital": list(capital),
        "worth": list(worth),
        "return": returns,
    }
    inputs: dict[str, Cell] = {"days": len(days), "returns": len(made or ())}
    return _explained(contestant, key, risks(capital, worth)[key], inputs, columns)


def _realised(played: Played, offered: Offered, level: float) -> Explained:
    book = played.paid
    counted = np.where(np.isnan(book.pnl), -book.fee, book.pnl)
    columns = _bets(book, played.paid_lines, np.arange(len(book)), offered)
    columns["stake"] = book.stake.tolist()
    columns["fee"] = book.fee.tolist()
    columns["open"] = np.isnan(book.pnl).astype(int).tolist()
    columns["counts"] = counted.tolist()
    inputs: dict[str, Cell] = {"capital": book.capital, "sum of counts": float(counted.sum())}
    found = realised_return(played, level)
    return _explained(played.contestant, "realised_return", found, inputs, columns)


def _bets(book: Book, lines: Lines, rows: Whole, offered: Offered) -> dict[str, list[Cell]]:
    at = book.rows[rows]
    return {
        "market": [offered.markets[code] for code in lines.market[at].tolist()],
        "event": [offered.events[code] for code in lines.event[at].tolist()],
        "at": [f"{moment}Z" for moment in lines.at[at].astype("datetime64[s]")],
        "side": ["YES" if yes else "NO" for yes in book.yes[rows].tolist()],
        "price": book.price[rows].tolist(),
    }


def _explained(
    contestant: str, key: str, found: Estimate, inputs: Mapping[str, Cell], columns: Columns
) -> Explained:
    rows = tuple(zip(*columns.values(), strict=True))
    digest = digest_of(columns.values())
    return Explained(contestant, METRICS[key], found, inputs, tuple(columns), rows, digest)
