"""One number, taken apart: what went in, row by row, so that anybody can make it again."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from arena.errors import ArenaError
from arena.metrics.claims.adjusted import adjust
from arena.metrics.claims.adjusted_gain import ADJUSTED_GAIN, GAIN
from arena.metrics.metric import Metric
from arena.metrics.metric_values import (
    ADJUSTED,
    LEVEL,
    computable,
    is_mean,
    measure,
    terms,
    unknown_contestant,
    unknown_metric,
)
from arena.metrics.registry import METRICS
from arena.metrics.returns import daily_returns, realised_return, risks
from arena.metrics.shadow import OWN, OfferedMarket, PlayedBook, play
from arena.records.estimate import Estimate
from arena.scoring.bets.book import BetBook, MarketLines
from arena.scoring.leaderboard import brier_score, mean_of_picos, picos
from arena.scoring.proper import brier_terms
from arena.scoring.table import STATES, Factor, Floats, Forecasts, Memory, Whole
from arena.stats.mean_intervals import growth_interval

Cell = str | int | float | None
Column = Sequence[Cell] | Floats | Whole


@dataclass(frozen=True, slots=True)
class Explained:
    """A metric of a contestant with its inputs and rows.

    `inputs` are sums and counts: `n` rows of so many `events` are in the number, others are
    left out because their price is unknown. `columns` head the rows. `digest` is of the
    rows, so that two people can say whether they look at the same ones: see `digest_of`.
    """

    contestant: str
    metric: Metric
    estimate: Estimate
    inputs: Mapping[str, Cell]
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    digest: str


def explain(
    forecasts: Forecasts, contestant: str, key: str, *, level: float = LEVEL
) -> Explained:
    """Take one contestant's metric apart.

    Rows are in the order of market and time. A mean's last column is what it is the mean of;
    a row without it, because its price is unknown, is not in the mean. The Brier score that
    is adjusted for difficulty is fitted to everybody's forecasts: each row then says how
    difficult its question was found to be, and what is left without that.

    Raises:
        ArenaError: The contestant has no forecast, or the metric is none of theirs.
    """
    rows = _rows_of(forecasts, contestant)
    available = computable(forecasts, ordered=True)
    if key == ADJUSTED_GAIN:
        raise ArenaError(
            "score.metric",
            f"{key} is fitted to the rows of everybody: it is no mean of a contestant's own",
            hint=f"explain {GAIN}, which is that mean",
            status=2,
        )
    if key not in available:
        raise unknown_metric([key], available)
    own = forecasts.take(rows)
    inputs: dict[str, Cell] = {}
    if key == ADJUSTED:
        code = forecasts.contestant.names.index(contestant)
        estimate = measure([key], forecasts, level=level)[key][code]
        last = _adjusted(forecasts, rows, contestant, inputs)
    else:
        alone = replace(own, contestant=Factor(("",), np.zeros(len(own), dtype=np.intp)))
        estimate = measure([key], alone, level=level)[key][0]
        last = {key: terms(key, own)} if is_mean(key, own) else {}
    for name, column in last.items():
        values = column[~np.isnan(column)]
        inputs[f"sum of {name}"] = float(values.sum())
    inputs = _stands_on(estimate, own) | inputs
    columns = _columns(own) | last
    table = tuple(zip(*map(_cells, columns.values()), strict=True))
    digest = digest_of(columns.values())
    return Explained(contestant, METRICS[key], estimate, inputs, tuple(columns), table, digest)


def explain_memory(forecasts: Forecasts, contestant: str) -> Explained:
    """Show what a contestant may remember of each market that it was asked about.

    Raises:
        ArenaError: The contestant has no forecast.
    """
    own = forecasts.take(_rows_of(forecasts, contestant))
    ledger = own.ledger
    if ledger is None:
        raise AssertionError("the arena's own forecasts have a ledger")
    states = [str(STATES[code]) for code in ledger.states().tolist()]
    days = {
        "knowledge_until": _moments(ledger.cutoff, "D"),
        "release": _moments(ledger.released, "D"),
        **{key: _moments(getattr(ledger, key)) for key in ("opened", "asked", "closes")},
        "outcome_known": _moments(ledger.known),
    }
    columns = {"market": _names(own.market), "event": _names(own.event), **days}
    counts: dict[str, Cell] = {str(state): states.count(state) for state in STATES}
    value = counts[Memory.REMEMBERED] if Memory.UNKNOWN not in states else None
    share = None if value is None else int(value) / len(own)
    return _explained(
        contestant,
        "remembered",
        Estimate(share, len(own), own.event.used()),
        {key: count for key, count in counts.items() if count},
        {**columns, "memory": list(states)},
    )


def row_digests(
    forecasts: Forecasts, contestant: str, keys: Iterable[str]
) -> Mapping[str, str]:
    """The digests that `explain` gives of the rows of means, by key.

    Raises:
        ArenaError: The contestant has no forecast.
    """
    own = forecasts.take(_rows_of(forecasts, contestant))
    shared = [_digest(column) for column in _columns(own).values()]
    return {
        key: sha256(b"".join([*shared, _digest(terms(key, own))])).hexdigest() for key in keys
    }


def of_board(
    forecasts: Forecasts, contestant: str, key: str, *, level: float = LEVEL
) -> Explained:
    """Take apart a Brier score of the leaderboard: `forecast`, `stated`, `kelly` or `linear`.

    The leaderboard adds scores up in whole trillionths, so that its sums do not depend on their
    order; so does the value here, and the inputs have that sum.

    Args:
        forecasts: What is scored by that name.
        contestant: Whose.
        key: The name.
        level: Of the interval, in (0, 1).

    Raises:
        ArenaError: The contestant has no such forecast.
    """
    explained = explain(forecasts, contestant, "brier", level=level)
    own = forecasts.of(contestant)
    scored = zip(own.p.tolist(), own.outcome.tolist(), strict=True)
    total = sum(picos(brier_score(p, outcome)) for p, outcome in scored)
    return replace(
        explained,
        metric=METRICS[key],
        estimate=replace(explained.estimate, value=mean_of_picos(total, len(own))),
        inputs={**explained.inputs, "sum in trillionths": total},
    )


def digest_of(columns: Iterable[Column]) -> str:
    """SHA-256 of the SHA-256 of each column, one after the other.

    A column of text, or of text and null, counts as the JSON array that `json.dumps(column,
    separators=(",", ":"))` writes; one of numbers as 8 bytes each, IEEE 754, little-endian,
    with null as NaN. The columns are those of the rows that `arena explain --json` prints.
    """
    return sha256(b"".join(map(_digest, columns))).hexdigest()


def _digest(column: Column) -> bytes:
    if not isinstance(column, np.ndarray) and any(isinstance(cell, str) for cell in column):
        text = json.dumps(column, separators=(",", ":"))
        return sha256(text.encode()).digest()
    numbers = np.asarray(column, dtype="<f8")
    return sha256(np.where(np.isnan(numbers), np.nan, numbers).tobytes()).digest()


def _cells(column: Column) -> Sequence[Cell]:
    if not isinstance(column, np.ndarray):
        return column
    return [None if value != value else value for value in column.tolist()]  # noqa: PLR0124


def _rows_of(forecasts: Forecasts, contestant: str) -> Whole:
    """The numbers of a contestant's rows, by market and time."""
    code = forecasts.contestant.code(contestant)
    rows = np.flatnonzero(forecasts.contestant.codes == (-1 if code is None else code))
    if not len(rows):
        raise unknown_contestant(contestant, forecasts.contestant.in_order().names)
    market = forecasts.market.take(rows).in_order()
    return rows[np.lexsort((forecasts.at[rows], market.codes))]


def _stands_on(estimate: Estimate, own: Forecasts) -> dict[str, Cell]:
    """How many rows and events are in the number, and how many rows it leaves out."""
    inputs: dict[str, Cell] = {"n": estimate.n, "events": estimate.events}
    if estimate.n < len(own):
        inputs["rows left out, no price known"] = len(own) - estimate.n
    if own.options is None:
        inputs["outcomes YES of all rows"] = int(own.outcome.sum())
    return inputs


def _adjusted(
    forecasts: Forecasts, rows: Whole, contestant: str, inputs: dict[str, Cell]
) -> dict[str, Floats]:
    """What the adjusted score is the mean of; adds to the inputs who was compared."""
    fitted = adjust(forecasts, forecasts.contestant)
    if fitted is None:
        raise AssertionError("a contestant has rows")
    inputs["contestants compared"] = sum(fitted.comparable)
    inputs["markets of all"] = forecasts.market.used()
    scores = brier_terms(forecasts.p[rows], forecasts.outcome[rows])
    if not fitted.comparable[fitted.names.index(contestant)]:
        return {"brier": scores}
    difficulty = fitted.difficulty()[rows]
    return {"brier": scores, "difficulty": difficulty, ADJUSTED: scores - difficulty}


def _columns(own: Forecasts) -> dict[str, Column]:
    columns: dict[str, Column] = {
        "market": _names(own.market),
        "event": _names(own.event),
        "at": _moments(own.at),
    }
    if own.options is None:
        columns["p"], columns["outcome"] = own.p, own.outcome
    else:
        for k, probabilities in enumerate(own.options.T, 1):
            columns[f"p_{k}"] = probabilities
        columns["outcome"] = own.outcome + 1
    columns["market_p"], columns["close_p"] = own.market_p, own.close_p
    return columns


def _names(column: Factor) -> list[Cell]:
    return [column.names[code] for code in column.codes.tolist()]


def _moments(times: NDArray[np.datetime64], unit: Literal["s", "D"] = "s") -> list[Cell]:
    """Moments or days as text, None for NaT."""
    moments, place = np.unique(times.astype(f"datetime64[{unit}]"), return_inverse=True)
    end = "Z" if unit == "s" else ""
    texts = [None if np.isnat(moment) else f"{moment}{end}" for moment in moments]
    return [texts[code] for code in place.tolist()]


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
    offered: OfferedMarket, contestant: str, key: str, *, level: float = LEVEL
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
        raise unknown_contestant(contestant, offered.placed, "has never bet")
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
    estimate = growth_interval(values, lines.event[book.rows][rows], level)
    return _explained(contestant, key, estimate, inputs, columns)


def explain_days(contestant: str, days: Sequence[Day], key: str) -> Explained:
    """Take apart a number of a path of worth; a row is a day, and has its return last.

    Args:
        contestant: Whose.
        days: Every day from its first cohort on.
        key: One of `arena.metrics.returns.RISKS`.
    """
    capital, worth = [day.capital for day in days], [day.worth for day in days]
    made = daily_returns(capital, worth)
    left = iter(made or ())
    returns: list[Cell] = [
        None if value is None or made is None else next(left) for value in worth
    ]
    columns: Columns = {
        "day": [day.day for day in days],
        "capital": list(capital),
        "worth": list(worth),
        "return": returns,
    }
    inputs: dict[str, Cell] = {"days": len(days), "returns": len(made or ())}
    return _explained(contestant, key, risks(capital, worth)[key], inputs, columns)


def _realised(played: PlayedBook, offered: OfferedMarket, level: float) -> Explained:
    book = played.paid
    counted = np.where(np.isnan(book.pnl), -book.fee, book.pnl)
    columns = _bets(book, played.paid_lines, np.arange(len(book)), offered)
    columns["stake"] = book.stake.tolist()
    columns["fee"] = book.fee.tolist()
    columns["open"] = np.isnan(book.pnl).astype(int).tolist()
    columns["counts"] = counted.tolist()
    inputs: dict[str, Cell] = {"capital": book.capital, "sum of counts": float(counted.sum())}
    estimate = realised_return(played, level)
    return _explained(played.contestant, "realised_return", estimate, inputs, columns)


def _bets(
    book: BetBook, lines: MarketLines, rows: Whole, offered: OfferedMarket
) -> dict[str, list[Cell]]:
    at = book.rows[rows]
    return {
        "market": [offered.markets[code] for code in lines.market[at].tolist()],
        "event": [offered.events[code] for code in lines.event[at].tolist()],
        "at": [f"{moment}Z" for moment in lines.at[at].astype("datetime64[s]")],
        "side": ["YES" if yes else "NO" for yes in book.yes[rows].tolist()],
        "price": book.price[rows].tolist(),
    }


def _explained(
    contestant: str, key: str, estimate: Estimate, inputs: Mapping[str, Cell], columns: Columns
) -> Explained:
    rows = tuple(zip(*columns.values(), strict=True))
    digest = digest_of(columns.values())
    return Explained(contestant, METRICS[key], estimate, inputs, tuple(columns), rows, digest)
