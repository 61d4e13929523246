"""Whether a contestant's own probabilities contradict each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.records.estimate import Estimate
from arena.scoring.table import Flags, Floats, Forecasts, LadderKind, Ladders, Whole
from arena.stats.columns import compact, moment_codes
from arena.stats.consistency import exclusive_arbitrage, ladder_arbitrage
from arena.stats.regression.clusters import interval

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
