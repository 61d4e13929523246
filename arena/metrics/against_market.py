"""Who differs from the market's price: each contestant's alpha against zero."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from arena.metrics.measures import LEVEL, is_mean, terms
from arena.records.estimate import Test
from arena.scoring.table import Floats, Forecasts, Whole
from arena.stats.clusters import mean_test
from arena.stats.multiple import holm
from arena.stats.spread import ROUNDING

ALPHA: Final = "alpha"
SPARSE: Final = 4  # events of more names than so many times the rows are numbered anew


@dataclass(frozen=True, slots=True)
class MarketTest:
    """What one contestant's alpha says; above zero it is better than the price.

    `p_adjusted` is Holm's over all contestants, None where there is no test. `verdict` is
    "better" or "worse" than the price where that is below one less the level, else None.
    """

    contestant: str
    test: Test
    p_adjusted: float | None
    verdict: str | None


@dataclass(frozen=True, slots=True)
class MarketTests:
    """A test a contestant, in the order of names.

    `copies` names those who said the price itself wherever it is known: there is nothing to
    test, and they are no part of the family.
    """

    level: float
    tests: tuple[MarketTest, ...]
    copies: tuple[str, ...] = ()


def against_market(forecasts: Forecasts, *, level: float = LEVEL) -> MarketTests | None:
    """Test each contestant against the market's price at its decision.

    The mean of alpha over a contestant's rows is held against zero, two-sided, by t over
    events, and the p-values are adjusted by Holm's method over all contestants.

    Args:
        forecasts: The rows; those without a price are left out.
        level: Confidence, in (0, 1).

    Returns:
        None for questions with options, and where nobody's forecast that has a price differs
        from it.

    Source:
        Cameron and Miller (2015), Journal of Human Resources 50, for the error; Holm (1979),
        Scandinavian Journal of Statistics 6.
    """
    if not is_mean(ALPHA, forecasts):
        return None
    tests: list[tuple[str, Test]] = []
    copies: list[str] = []
    for name, values, events in _by_contestant(forecasts):
        if np.abs(values).max() <= ROUNDING:
            copies.append(name)
        else:
            tests.append((name, mean_test(values, events)))
    if not tests:
        return None
    p = np.array([test.p for _, test in tests if test.p is not None], dtype=np.float64)
    adjusted = iter(holm(p).tolist())
    made = tuple(
        _told(name, test, None if test.p is None else next(adjusted), 1 - level)
        for name, test in tests
    )
    return MarketTests(level, made, tuple(copies))


def _by_contestant(forecasts: Forecasts) -> Iterator[tuple[str, Floats, Whole]]:
    """Each contestant with a price: its alphas and the events they are of."""
    values = terms(ALPHA, forecasts)
    rows = np.flatnonzero(~np.isnan(values))
    who = forecasts.contestant.take(rows).in_order()
    small = who.codes.astype(np.min_scalar_type(len(who.names)))
    order = rows[np.argsort(small, kind="stable")]
    ends = np.cumsum(np.bincount(who.codes, minlength=len(who.names))).tolist()
    for name, (start, end) in zip(who.names, pairwise([0, *ends]), strict=True):
        own = order[start:end]
        events = forecasts.event.codes[own]
        if len(forecasts.event.names) > SPARSE * len(own):
            events = np.unique(events, return_inverse=True)[1]
        yield name, values[own], events


def _told(name: str, test: Test, p: float | None, alpha: float) -> MarketTest:
    verdict = None
    if p is not None and p < alpha and test.estimate:
        verdict = "better" if test.estimate > 0 else "worse"
    return MarketTest(name, test, p, verdict)
