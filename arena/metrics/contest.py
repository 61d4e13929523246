"""Who can be told apart: every pair on the questions that both answered."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from arena.metrics.measures import LEVEL, lower_is_better, mean_like, terms
from arena.records.estimate import Interval, Test
from arena.scoring.table import Factor, Floats, Forecasts, Whole
from arena.stats.pairs import Pair, Panel, all_pairs, panel
from arena.stats.promotion import daily_board, daily_gains

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

    Differences are averaged within an event, tested with t over events, and adjusted by
    Holm's method over all pairs. A rank interval counts whom a contestant is told apart from:
    all of them hold together with the level's probability.

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
    names, who = _in_order(forecasts.contestant, rows)
    if not 1 < len(names) <= MOST:
        return None
    table = panel_of(forecasts, values, rows, who, by_moment=by_moment)
    sign = 1 if lower_is_better(used) else -1
    claims = tuple(_claim(names, pair, sign, 1 - level) for pair in all_pairs(table, level))
    return Contest(used, level, claims, _open_ranks(names, claims))


def with_daily(found: Contest, forecasts: Forecasts) -> Contest:
    """Add what may be claimed by somebody who looks at the board every day.

    It is about Brier scores, whatever the contest's metric. An event counts once, on the day
    on which it was first forecast by anybody, and only with what was said on that day: its
    place in time must not depend on when it came out.

    Source:
        `arena.stats.promotion`: bets with known bounds, Ville's inequality, and the closed
        testing of Vovk and Wang (2021), Annals of Statistics 49.
    """
    if forecasts.options is not None or not len(forecasts) or np.isnat(forecasts.at).any():
        return found
    names = list(found.ranks)
    day = forecasts.at.astype("datetime64[D]").astype(np.int64)
    first = np.full(len(forecasts.event.names), np.iinfo(np.int64).max)
    np.minimum.at(first, forecasts.event.codes, day)
    own = forecasts.take(day == first[forecasts.event.codes])
    cell = np.unique(own.at, return_inverse=True)[1] * len(own.market.names) + own.market.codes
    questions, place = np.unique(cell, return_inverse=True)
    column = np.array([names.index(n) if n in found.ranks else 0 for n in own.contestant.names])
    p = np.zeros((len(questions), len(names)))
    made = np.zeros(p.shape, dtype=bool)
    who = column[own.contestant.codes]
    p[place, who], made[place, who] = own.p, True
    outcome, event = np.zeros((2, len(questions)), dtype=np.intp)
    outcome[place], event[place] = own.outcome, own.event.codes
    daily = daily_gains(p, outcome, event, first[event].astype(np.intp), made=made)
    levels = daily_board(daily, len(names)).p[-1]
    claims = []
    for claim in found.claims:
        i, j = names.index(claim.first), names.index(claim.second)
        least = float(min(levels[i, j], levels[j, i]))
        better = claim.first if levels[i, j] < levels[j, i] else claim.second
        told = better if least < 1 - found.level else None
        claims.append(replace(claim, p_anytime=least, better_anytime=told))
    return replace(found, claims=tuple(claims))


def _in_order(contestants: Factor, rows: Whole) -> tuple[list[str], Whole]:
    """The names that rows have, sorted, and each row's place among them."""
    codes = contestants.codes[rows]
    there = np.flatnonzero(np.bincount(codes, minlength=len(contestants.names)))
    order = sorted(there.tolist(), key=contestants.names.__getitem__)
    place = np.zeros(len(contestants.names), dtype=np.intp)
    place[order] = np.arange(len(order))
    return [contestants.names[code] for code in order], place[codes]


def panel_of(
    forecasts: Forecasts, values: Floats, rows: Whole, who: Whole, *, by_moment: bool
) -> Panel:
    """Rows as a matrix of contestants by questions."""
    question = forecasts.market.codes[rows]
    if by_moment:
        moment = np.unique(forecasts.at[rows], return_inverse=True)[1]
        question = np.unique(question * (int(moment.max()) + 1) + moment, return_inverse=True)[
            1
        ]
    events = forecasts.event.codes[rows]
    return panel(values[rows], who, question, events)


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
