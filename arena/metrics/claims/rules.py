"""The one way to a claim: who is better than whom, and than the market's price.

Every sentence, rank, range, colour and verdict of pages and commands comes from here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.records.claim import Guarantee, Minimum, Season, Valuation
from arena.stats.comparisons.group_sequential import anytime_p, sequential_p, spent
from arena.stats.comparisons.multiple import holm, shaffer
from arena.stats.comparisons.paired_gains import Readings

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]
Adjust = Callable[[Floats], Floats]

ALPHA: Final = 0.05
EVENTS: Final = 10
WEEKS: Final = 6
ASKING_WEEKS: Final = 6  # where no prices say what has happened to open questions
ENDLESS_EVERY: Final = 14  # days between the looks of an endless board
BEST_AT: Final = 80.0  # days after which an endless board's boundary is lowest


@dataclass(frozen=True, slots=True, eq=False)
class ClaimFamily:
    """Pairs that share one alpha: (P, 2) numbers of forecasters, and how they share it."""

    pairs: Whole
    adjust: Adjust


def every_pair(contestants: Sequence[int]) -> ClaimFamily:
    """All pairs of some forecasters, by Shaffer's steps."""
    numbers = np.array(contestants, dtype=np.intp)
    first, second = np.triu_indices(numbers.size, 1)
    pairs = np.stack([numbers[first], numbers[second]], axis=1)
    return ClaimFamily(pairs, lambda p: shaffer(p, numbers.size))


def each_of(pairs: Sequence[tuple[int, int]]) -> ClaimFamily:
    """Some pairs, by Holm's steps."""
    return ClaimFamily(np.array(pairs, dtype=np.intp).reshape(-1, 2), holm)


@dataclass(frozen=True, slots=True, eq=False)
class ClaimRule:
    """When a board is looked at, and what that leaves of alpha.

    `days` are the numbers of the days at whose end it was looked at so far, `fractions` the
    shares of a season at all of its looks, empty where it has no end. `next_day` is the day of
    the next look, None after the last. Weeks are counted from the day `origin` on.
    """

    guarantee: Guarantee
    valuation: Valuation
    days: tuple[int, ...]
    fractions: tuple[float, ...]
    origin: int
    minimum: Minimum
    next_day: int | None = None
    season: Season | None = None
    alpha: float = ALPHA


@dataclass(frozen=True, slots=True, eq=False)
class FamilyJudgement:
    """What a family's pairs may be said to be by the last look: arrays of (P,).

    `p` is what all looks and the whole family leave; `sign` 1 where the first of the pair is
    better at that level, -1 where the second is.
    """

    p: Floats
    sign: Whole
    readings: Readings


def judge(readings: Readings, family: ClaimFamily, rule: ClaimRule) -> FamilyJudgement:
    """Judge a family of pairs by what its looks read.

    A claim that was made stands: its direction is that of the look at which p was least. A
    pair with less than the least number of events and weeks is not looked at.
    """
    pairs = len(family.pairs)
    if not rule.days or not pairs:
        return FamilyJudgement(np.ones(pairs), np.zeros(pairs, np.intp), readings)
    need = rule.minimum
    enough = (
        (readings.events >= need.events_needed)
        & (readings.weeks >= need.weeks_needed)
        & (readings.asking_weeks >= need.cohorts_needed)
    )
    z = np.where(enough, readings.z, 0.0)
    p = _p_of(z, rule)
    at = np.argmin(p, axis=0)  # the first of the least
    sign = np.sign(z[at, np.arange(pairs)]).astype(np.intp)
    return FamilyJudgement(family.adjust(np.minimum(p[-1], 1.0)), sign, readings)


def _p_of(z: Floats, rule: ClaimRule) -> Floats:
    """(looks, P) what each look leaves of p, for a pair by itself."""
    if rule.guarantee is Guarantee.ENDLESS:
        passed = np.array(rule.days, dtype=np.float64) - rule.origin + 1
        level = rule.alpha / z.shape[1]
        return anytime_p(z, passed[:, None], best_at=BEST_AT, alpha=level)
    return sequential_p(z, rule.fractions)


def looks_of(season: Season | None) -> tuple[tuple[date, float], ...]:
    """The dates of a season's looks, and the alpha that is spent by each; none without end."""
    if season is None:
        return ()
    passed = [(look, (look - season.start) / season.length) for look in season.looks()]
    return tuple((look, spent(share, ALPHA)) for look, share in passed)


def season_rule(season: Season, start: int, today: int, valuation: Valuation) -> ClaimRule:
    """The rule of a season's board at the end of a day; `start` is its first day's number."""
    length = season.length.days
    looks = [(look - season.start).days for look in season.looks()]
    days = [start + look - 1 for look in looks]
    passed = tuple(day for day in days if day <= today)
    to_come = days[len(passed)] if len(passed) < len(days) else None
    fractions = tuple(look / length for look in looks)
    need = least(valuation)
    return ClaimRule(
        Guarantee.SEASON, valuation, passed, fractions, start, need, to_come, season
    )


def endless_rule(start: int, today: int, valuation: Valuation) -> ClaimRule:
    """The rule of a board without an end: a look every second week, valid at any of them."""
    days = tuple(range(start + ENDLESS_EVERY - 1, today + 1, ENDLESS_EVERY))
    to_come = start + ENDLESS_EVERY * (len(days) + 1) - 1
    return ClaimRule(Guarantee.ENDLESS, valuation, days, (), start, least(valuation), to_come)


def fixed_rule(start: int, today: int, *, dated: bool) -> ClaimRule:
    """The rule of one look, at a number of questions that was fixed before it."""
    need = least(Valuation.SETTLED) if dated else Minimum(weeks_needed=0)
    return ClaimRule(Guarantee.FIXED, Valuation.SETTLED, (today,), (1.0,), start, need)


def least(valuation: Valuation) -> Minimum:
    """What there must be before anything is ranked or claimed."""
    cohorts = 0 if valuation is Valuation.MARKET else ASKING_WEEKS
    return Minimum(events_needed=EVENTS, weeks_needed=WEEKS, cohorts_needed=cohorts)
