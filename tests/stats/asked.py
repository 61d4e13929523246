"""Questions that were asked of a few forecasters, made by chance from a seed."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arena.metrics.claims.rules import ClaimFamily, ClaimRule, FamilyJudgement, judge
from arena.stats.comparisons.paired_gains import NEVER, Questions, readings

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]

LAST = 80  # the day after which everything is known


def brier_line(p: Floats) -> tuple[Floats, Floats]:
    """The base and the swing of the Brier score of forecasts, less being worse."""
    return -(p**2), 2 * p


def judged(asked: Questions, family: ClaimFamily, rule: ClaimRule) -> FamilyJudgement:
    """Judge a family of pairs by what was known at each look."""
    found = readings(asked, family.pairs, rule.days, rule.valuation, origin=rule.origin)
    return judge(found, family, rule)


def questions(  # noqa: PLR0913  each is one thing that a test is about
    seed: int = 1,
    *,
    forecasters: int = 3,
    markets: int = 40,
    moments: int = 2,
    missing: float = 0.2,
    exclusive: bool = False,
    priced: bool = True,
) -> Questions:
    """Markets of shared events, each asked on up to so many days; some outcomes are late.

    All of them are due by day 60 and known by `LAST`.
    """
    rng = np.random.default_rng(seed)
    event = rng.integers(0, max(1, markets // 2), markets)
    begun = rng.integers(0, 40, markets)
    due = begun + rng.integers(0, 20, markets)
    ended = np.clip(due + rng.integers(-10, 20, markets), begun, LAST - 1)
    outcome = (rng.random(markets) < 0.4).astype(np.float64)
    paths = rng.uniform(0.02, 0.98, (markets, LAST + 5))
    paths[np.arange(LAST + 5) < begun[:, None]] = np.nan
    rows = [
        (day, market)
        for market in range(markets)
        for day in np.unique(rng.integers(begun[market], due[market] + 1, moments)).tolist()
    ]
    days, of = (np.array(c, dtype=np.intp) for c in zip(*sorted(rows), strict=True))
    p = rng.random((forecasters, of.size))
    p[rng.random(p.shape) < missing] = np.nan
    shown = np.where(rng.random(of.size) < 0.1, np.nan, rng.uniform(0.05, 0.95, of.size))
    base, swing = brier_line(p)
    return Questions(
        base=base,
        swing=swing,
        price=shown,
        market=of,
        event=event[of],
        category=event[of] % 4,
        moment=days,
        asked=days,
        due=np.maximum(due[of], days),
        outcome=outcome,
        ended=ended,
        exclusive=np.full(markets, exclusive),
        first=0,
        paths=paths if priced else None,
    )


def take(asked: Questions, rows: NDArray[np.bool_]) -> Questions:
    """Only some of the questions."""
    return replace(
        asked,
        base=asked.base[:, rows],
        swing=asked.swing[:, rows],
        price=asked.price[rows],
        market=asked.market[rows],
        event=asked.event[rows],
        category=asked.category[rows],
        moment=asked.moment[rows],
        asked=asked.asked[rows],
        due=asked.due[rows],
    )


def one_each(  # noqa: PLR0913  each is one thing that a test is about
    p: Floats,
    outcome: Floats,
    price: Floats,
    *,
    event: Whole | None = None,
    asked: Whole | None = None,
    due: Whole | None = None,
    exclusive: bool = False,
    paths: Floats | None = None,
) -> Questions:
    """One question a market, known on the day it is due; NaN for what never is."""
    n = p.shape[1]
    began = np.zeros(n, np.intp) if asked is None else asked
    until = began if due is None else due
    events = np.arange(n) if event is None else event
    base, swing = brier_line(p)
    return Questions(
        base=base,
        swing=swing,
        price=price,
        market=np.arange(n),
        event=events,
        category=np.zeros(n, np.intp),
        moment=began,
        asked=began,
        due=until,
        outcome=outcome,
        ended=np.where(np.isnan(outcome), NEVER, until),
        exclusive=np.full(int(events.max()) + 1, exclusive),
        first=0,
        paths=paths,
    )
