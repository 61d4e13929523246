"""Whether a contestant's own probabilities contradict each other.

The measure is the profit that an arbitrageur has for certain of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import expit, rel_entr

from arena.records.estimate import Estimate
from arena.scoring.table import Flags, Floats, Forecasts, LadderKind, Ladders, Whole
from arena.stats.columns import compact, moment_codes
from arena.stats.mean_intervals import interval
from arena.stats.regression.logit import log_odds

CLIP: Final = 0.001  # nearer to 0 and 1 one contradiction would earn without limit
ROUNDED: Final = 1e-9  # what sums of decimal fractions are off by
HALVINGS: Final = 50


def exclusive_arbitrage(p: Floats, group: Whole) -> tuple[Floats, Whole]:
    """What outcomes of which at most one can come earn, group by group.

    Against a market maker that quotes p and pays by the logarithmic score, an arbitrageur's
    certain profit is the least sum of divergences KL(q || p) of coherent q. These have
    log odds lower than those of p by one amount, and add up to 1. Where p adds up to at most 1
    it is 0.

    Args:
        p: (n,) P(YES) of the outcomes, moved to 0.999 at most.
        group: (n,) which outcomes exclude each other, codes from 0.

    Returns:
        The profit in nats of each group that has two outcomes, and these groups' codes, rising.

    Source:
        Paleka et al. (2025), Consistency checks for language model forecasters,
        arXiv 2412.18544, section 3 and appendix.

    >>> profit, _ = exclusive_arbitrage(np.array([0.5, 0.6]), np.array([0, 0]))
    >>> profit.round(4).tolist()
    [0.0102]
    """
    there, place = compact(group)
    capped = np.minimum(p, 1 - CLIP)
    total = np.bincount(place, capped, minlength=len(there))
    profit = np.zeros(len(there))
    rows = (total > 1 + ROUNDED)[place] & (capped > 0)
    if rows.any():
        broken, of_broken = compact(place[rows])
        profit[broken] = _excess(capped[rows], of_broken, len(broken))
    checked = np.bincount(place, minlength=len(there)) > 1
    return profit[checked], there[checked]


def _excess(p: Floats, group: Whole, groups: int) -> Floats:
    """The divergence from p of the nearest probabilities that add up to 1 in each group."""
    odds = np.log(p / (1 - p))
    low = np.zeros(groups)
    high = np.full(groups, -np.inf)
    np.maximum.at(high, group, odds)
    high += np.log(np.bincount(group, minlength=groups))  # each is then at most 1 / size
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        over = np.bincount(group, expit(odds - middle[group]), minlength=groups) > 1
        low, high = np.where(over, middle, low), np.where(over, high, middle)
    nearest = expit(odds - high[group])
    total: Floats = np.bincount(group, divergence(nearest, p), groups).astype(np.float64)
    return total


def ladder_arbitrage(p: Floats, group: Whole, rung: Floats) -> tuple[Floats, Whole]:
    """What outcomes that imply each other earn, ladder by ladder.

    A rung implies all higher ones, so that p must not fall. The coherent q nearest to p, by
    the sum of KL(q || p), pool the log odds of rungs that do.

    Args:
        p: (n,) P(YES) of the rungs, moved into [0.001, 0.999].
        group: (n,) the ladder of each, codes from 0.
        rung: (n,) its place: no two rungs of a ladder have the same.

    Returns:
        The profit in nats of each ladder that has two rungs, and these ladders' codes, rising.

    Source:
        As of `exclusive_arbitrage`; of two outcomes it is the paper's Consequence check.

    >>> pair, one = np.array([0.6, 0.5]), np.array([0, 0])
    >>> profit, _ = ladder_arbitrage(pair, one, np.array([1.0, 2.0]))
    >>> profit.round(4).tolist()
    [0.0102]
    """
    order = np.lexsort((rung, group))
    there, place = compact(group[order])
    odds = log_odds(p[order], CLIP)
    falls = (np.diff(odds) < -ROUNDED) & (np.diff(place) == 0)
    is_broken = np.zeros(len(there), np.bool_)
    is_broken[place[1:][falls]] = True
    profit = np.zeros(len(there))
    rows = is_broken[place]
    if rows.any():
        broken, of_broken = compact(place[rows])
        apart = 2 * of_broken * -np.log(CLIP) * 2  # no two ladders are pooled
        pooled = isotonic_regression(odds[rows] + apart).x - apart
        moved = divergence(expit(pooled), expit(odds[rows]))
        profit[broken] = np.bincount(of_broken, moved, minlength=len(broken))
    checked = np.bincount(place, minlength=len(there)) > 1
    return profit[checked], there[checked]


def divergence(q: Floats, p: Floats) -> Floats:
    """KL(q || p) of two yes/no probabilities, in nats; infinite where p excludes q.

    Source:
        Kullback and Leibler (1951), Annals of Mathematical Statistics 22.
    """
    nats: Floats = np.maximum(rel_entr(q, p) + rel_entr(1 - q, 1 - p), 0.0)
    return nats


BROKEN: Final = (
    0.01  # nats, from which on a check counts as broken: 0.5 and 0.6 for one that is 1
)
KEYS: Final = {
    LadderKind.THRESHOLD: "arbitrage_thresholds",
    LadderKind.DEADLINE: "arbitrage_deadlines",
}


@dataclass(frozen=True, slots=True, eq=False)
class Checks:
    """A row a check: who said it, of which event (codes), and what it earns, in nats."""

    contestant: Whole
    event: Whole
    profit: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Consistency:
    """The checks of all contestants, by the metric that is their mean."""

    checks: Mapping[str, Checks]

    def of(self, contestant: int, level: float) -> Mapping[str, Estimate]:
        """One contestant's values: the mean profit of each kind and the share of broken ones.

        Args:
            contestant: Its code.
            level: Confidence of the intervals, by event, in (0, 1).
        """
        own = {
            key: (check.event[rows], check.profit[rows])
            for key, check in self.checks.items()
            for rows in (check.contestant == contestant,)
        }
        event, profit = (np.concatenate(both) for both in zip(*own.values(), strict=True))
        values = {
            key: _mean(gains, events, level, np.inf) for key, (events, gains) in own.items()
        }
        return {**values, "broken_checks": _mean(profit > BROKEN, event, level, 1.0)}


def consistency_of(forecasts: Forecasts) -> Consistency:
    """Check all that was said at one moment of markets that exclude or imply each other.

    What has not come out yet counts too. Forecasts of no known moment are in no check, and
    several of one market at one moment are their mean. Without `exclusive` or `ladders` there
    are no checks of that kind.
    """
    turns = _turns(forecasts)
    checks = {"arbitrage_exclusive": _exclusive_checks(turns)}
    for kind, key in KEYS.items():
        checks[key] = _ladder_checks(turns, forecasts.ladders, kind)
    return Consistency(checks)


@dataclass(frozen=True, slots=True, eq=False)
class _Turns:
    """A row a market that a contestant forecast at a moment; `turn` is both in one number."""

    turn: Whole
    moments: int
    market: Whole
    event: Whole
    exclusive: Flags
    p: Floats

    def checks(self, turn: Whole, event: Whole, profit: Floats) -> Checks:
        """Checks by the contestant of each turn."""
        return Checks(turn // self.moments, event, profit)


def _turns(forecasts: Forecasts) -> _Turns:
    parts = [part for part in (forecasts, forecasts.waiting) if part is not None]
    at = np.concatenate([part.at for part in parts]).astype("datetime64[us]")
    known = ~np.isnat(at)
    contestant = np.concatenate([part.contestant.codes for part in parts])[known]
    market = np.concatenate([part.market.codes for part in parts])[known]
    event = np.concatenate([part.event.codes for part in parts])[known]
    moment = moment_codes(at[known])
    moments = int(moment.max(initial=0)) + 1
    markets = len(forecasts.market.names)
    key, place = compact((contestant * moments + moment) * markets + market)
    p = np.concatenate([part.p for part in parts])[known]
    events = np.zeros(len(key), np.intp)
    events[place] = event
    exclusive = np.zeros(len(key), np.bool_)
    if all(part.exclusive is not None for part in parts):
        exclusive[place] = np.concatenate([part.exclusive for part in parts])[known]
    said = np.bincount(place, p, len(key)) / np.bincount(place, minlength=len(key))
    return _Turns(key // markets, moments, key % markets, events, exclusive, said)


def _exclusive_checks(turns: _Turns) -> Checks:
    rows, events = turns.exclusive, int(turns.event.max(initial=0)) + 1
    codes, group = compact((turns.turn * events + turns.event)[rows])
    profit, checked = exclusive_arbitrage(turns.p[rows], group)
    return turns.checks(codes[checked] // events, codes[checked] % events, profit)


def _ladder_checks(turns: _Turns, ladders: Ladders | None, kind: LadderKind) -> Checks:
    """Each rung that was forecast, by its ladder; a market may be on several ladders."""
    if ladders is None:
        nothing = np.zeros(0, np.intp)
        return Checks(nothing, nothing, np.zeros(0))
    rungs = ladders.of(kind)
    order = np.argsort(turns.market, kind="stable")
    market = turns.market[order]
    first, end = (np.searchsorted(market, rungs.market, side) for side in ("left", "right"))
    times = end - first
    rung = np.repeat(np.arange(len(times)), times)
    nth = np.arange(len(rung)) - np.repeat(np.cumsum(times) - times, times)
    row = order[first[rung] + nth]
    count = len(ladders.kinds)
    codes, group = compact(turns.turn[row] * count + rungs.ladder[rung])
    profit, checked = ladder_arbitrage(turns.p[row], group, rungs.rung[rung])
    event = np.zeros(len(codes), np.intp)
    event[group] = turns.event[row]
    return turns.checks(codes[checked] // count, event[checked], profit)


def _mean(values: Floats | Flags, event: Whole, level: float, most: float) -> Estimate:
    """A mean over checks with its interval by event."""
    return interval(values.astype(np.float64), event, level).within(0.0, most)
