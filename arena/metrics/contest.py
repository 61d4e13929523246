"""Who can be told apart: every pair on the questions that both answered."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.metrics.measures import LEVEL, lower_is_better, mean_like, terms
from arena.records.estimate import Interval, Test
from arena.scoring.table import Floats, Forecasts, Whole
from arena.stats.pairs import Pair, Panel, all_pairs, panel

MOST: Final = 100  # contestants; their pairs grow with the square


@dataclass(frozen=True, slots=True)
class Claim:
    """What two contestants' common questions say; the difference is the first less the second.

    `p_adjusted` is Holm's over all pairs. `better` names who is better where that is below
    one less the level, and is None where the two cannot be told apart. `p_anytime` allows
    for all pairs and for a look after every day; `better_anytime` follows from it. Both are
    None where that was not asked, or there are no moments to go by.
    """

    first: str
    second: str
    test: Test
    interval: Interval | None
    p_adjusted: float | None
    better: str | None
    p_anytime: float | None = None
    better_anytime: str | None = None


@dataclass(frozen=True, slots=True)
class Contest:
    """Claims about all pairs, and the ranks that they leave open: [low, high] by name."""

    metric: str
    level: float
    claims: tuple[Claim, ...]
    ranks: Mapping[str, tuple[int, int]]


def contest(
    forecasts: Forecasts, key: str, *, level: float = LEVEL, by_moment: bool = False
) -> Contest | None:
    """Test every pair of contestants on what both forecast.

    Mean differences are tested with t over events, and adjusted by Holm's method over all
    pairs. A rank interval counts whom a contestant is told apart from: all of them hold
    together with the level's probability.

    Args:
        forecasts: The rows.
        key: The metric; where it is not a mean over rows, the Brier score is taken.
        level: Confidence, in (0, 1).
        by_moment: Whether forecasts of a market at different moments are different questions,
            as in rounds where all are asked at once; if not, a contestant's are averaged.

    Returns:
        None for fewer than two contestants, and for more than 100.

    Source:
        Cameron and Miller (2015), Journal of Human Resources 50, for the error; Holm (1979),
        Scandinavian Journal of Statistics 6.
    """
    used = mean_like(key, forecasts)
    values = terms(used, forecasts)
    rows = np.flatnonzero(~np.isnan(values))
    who = forecasts.contestant.take(rows).in_order()
    names = list(who.names)
    if not 1 < len(names) <= MOST:
        return None
    table = panel_of(forecasts, values, rows, who.codes, by_moment=by_moment)
    sign = 1 if lower_is_better(used) else -1
    claims = tuple(_claim(names, pair, sign, 1 - level) for pair in all_pairs(table, level))
    return Contest(used, level, claims, _open_ranks(names, claims))


def panel_of(
    forecasts: Forecasts, values: Floats, rows: Whole, who: Whole, *, by_moment: bool
) -> Panel:
    """Rows, in their order, as a matrix of contestants by questions."""
    question, events = forecasts.market.codes, forecasts.event.codes
    if len(rows) < len(forecasts):
        question, events, values = question[rows], events[rows], values[rows]
    if by_moment:
        moment = np.unique(forecasts.at[rows], return_inverse=True)[1]
        question = np.unique(question * (int(moment.max()) + 1) + moment, return_inverse=True)[
            1
        ]
    return panel(values, who, question, events)


def _claim(names: list[str], pair: Pair, sign: int, alpha: float) -> Claim:
    first, second = names[pair.first], names[pair.second]
    better = None
    if pair.p_adjusted is not None and pair.p_adjusted < alpha and pair.test.estimate:
        better = first if sign * pair.test.estimate < 0 else second
    return Claim(first, second, pair.test, pair.interval, pair.p_adjusted, better)


def _open_ranks(names: list[str], claims: tuple[Claim, ...]) -> dict[str, tuple[int, int]]:
    low = dict.fromkeys(names, 1)
    high = dict.fromkeys(names, len(names))
    for claim in claims:
        if claim.better is not None:
            worse = claim.second if claim.better == claim.first else claim.first
            low[worse] += 1
            high[claim.better] -= 1
    return {name: (low[name], high[name]) for name in names}
