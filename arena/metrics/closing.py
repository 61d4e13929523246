"""Closing line value in every form that a source gives it, each under its own name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Final

import numpy as np

from arena.odds import Floats
from arena.records.estimate import Estimate, State, Test
from arena.scoring.bets.clv import (
    ALPHA,
    ClosingLines,
    Exclusion,
    NaiveZ,
    clv_log_source_c,
    clv_t,
    clv_z_source_c,
    stake_weighted,
)
from arena.scoring.table import Whole
from arena.stats import EVENTS, Edge
from arena.stats.mean_intervals import growth_interval, interval
from arena.stats.reflected import ReflectedSharpe, reflected_sharpe
from arena.stats.sharpe import sharpe

GROWTH: Final = frozenset({"ev_clv", "clv"})  # forms that say how one dollar grew


@dataclass(frozen=True, slots=True)
class Form:
    """One way to value a bet at the close, over the bets that have it.

    `mean` has its interval over events; `by_stake` weighs a bet by its dollars, `total` adds
    bets up and `staked_total` stakes times value: the ends of the two cumulative curves.
    """

    key: str
    mean: Estimate
    by_stake: float | None
    total: float
    staked_total: float


@dataclass(frozen=True, slots=True)
class SourceC:
    """The tests of "The 45 Percent Problem" as it runs them, on CLV in the order of time.

    The resampled ratio is mirrored ("basic"); it calls an edge genuine too often.
    """

    z: NaiveZ
    sharpe: float
    low_90: float
    high_90: float
    low_95: float
    high_95: float
    label: Edge
    block_length: int | None
    seed: int | None


@dataclass(frozen=True, slots=True)
class Closing:
    """What the close says of a book: the forms, the ratio over events, tests, and who is out.

    `t` takes bets as independent, which several on one event are not.
    """

    forms: tuple[Form, ...]
    sharpe: Estimate
    t: Test
    source_c: SourceC
    excluded: Mapping[Exclusion, int]


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """What each bet paid a share, and what its side cost at the close; NaN if unknown."""

    paid: Floats
    at_close: Floats


def sharpe_of_events(values: Floats, events: Whole, level: float) -> Estimate:
    """Mean over standard deviation of the events' means.

    Below as many events as an edge label needs there is no interval: TOO_FEW.
    """
    _, code = np.unique(events, return_inverse=True)
    estimate = sharpe(np.bincount(code, values) / np.bincount(code), level)
    if estimate.interval is None or estimate.events >= EVENTS:
        return estimate
    return replace(estimate, interval=None, se=None, state=State.TOO_FEW)


def closing(  # noqa: PLR0913  a book and how it is valued
    closing_lines: ClosingLines,
    events: Whole,
    sides: Sides,
    level: float,
    *,
    reflected: Callable[[Floats], ReflectedSharpe] = reflected_sharpe,
    alpha: float = ALPHA,
) -> Closing:
    """Value a book at the close in all forms.

    Args:
        closing_lines: The bets that have a close, in the order of time.
        events: The event of each bet of the book, by number.
        sides: Prices of each bet of the book.
        level: Confidence of the intervals, in (0, 1).
        reflected: The resampled ratio of "The 45 Percent Problem", with its own parameters.
        alpha: Of its test by Z.
    """
    own = events[closing_lines.rows]
    forms = {
        "ev_clv": closing_lines.ev,
        "clv": closing_lines.clv,
        "clv_difference": closing_lines.difference,
        "clv_log": closing_lines.log_ratio,
        "clv_log_source_c": _with_margins(sides, closing_lines.rows),
    }
    return Closing(
        tuple(
            _form(key, values, closing_lines.stake, own, level) for key, values in forms.items()
        ),
        sharpe_of_events(closing_lines.clv, own, level),
        clv_t(closing_lines.clv),
        _source_c(clv_z_source_c(closing_lines.clv, alpha), reflected(closing_lines.clv)),
        closing_lines.reasons,
    )


def _form(key: str, values: Floats, stake: Floats, events: Whole, level: float) -> Form:
    valued = np.isfinite(values)
    kept, dollars = values[valued], stake[valued]
    return Form(
        key,
        (growth_interval if key in GROWTH else interval)(kept, events[valued], level),
        stake_weighted(kept, dollars),
        float(kept.sum()),
        float(kept @ dollars),
    )


def _with_margins(sides: Sides, rows: Whole) -> Floats:
    """Logarithms of decimal odds, NaN where a side cannot be had at the close."""
    paid, last = sides.paid[rows], sides.at_close[rows]
    there = (paid > 0) & (paid < 1) & (last > 0) & (last < 1)
    values = np.full(len(rows), np.nan)
    values[there] = clv_log_source_c(1 / paid[there], 1 / last[there])
    return values


def _source_c(z: NaiveZ, reflected: ReflectedSharpe) -> SourceC:
    return SourceC(
        z,
        reflected.sharpe if isfinite(reflected.sharpe) else 0.0,
        reflected.ci_90.low,
        reflected.ci_90.high,
        reflected.ci_95.low,
        reflected.ci_95.high,
        reflected.label,
        reflected.block_length,
        reflected.seed,
    )
