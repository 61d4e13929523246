"""What bets may take of a bankroll together: on one event, and on one day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.odds.columns import Floats, finite
from arena.odds.staking import StakeLimits

Codes = NDArray[np.intp]


class Cap(StrEnum):
    """Which limit a bet was cut to."""

    EVENT = "event"
    DAY = "day"


@dataclass(frozen=True, slots=True)
class Wager:
    """A bet as it was sized alone. `day` is the UTC date, as ISO 8601 writes it."""

    id: str
    market: str
    event: str
    day: str
    fraction: float


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A later row that cuts a wager; the wager itself, `parent`, stays as it was written."""

    id: str
    parent: str
    cap: Cap
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class CappedFractions:
    """The fractions to bet, one a wager in their order, and the rows that say why."""

    fractions: tuple[float, ...]
    adjustments: tuple[Adjustment, ...]


def within(fractions: ArrayLike, groups: Codes, cap: float, used: ArrayLike = 0.0) -> Floats:
    """Scale fractions so that no group takes more than `cap` less what it has `used`.

    A group above its cap is scaled as a whole, by cap/total; the others stay as they are.

    Args:
        fractions: Parts of the bankroll, none below 0.
        groups: The group of each, numbered from 0.
        cap: The most that a group may take.
        used: What each group has taken before, one number a group or the same for all.

    Raises:
        ValueError: A fraction below 0, NaN or infinite.
    """
    shares = finite(fractions, "fractions")
    if (shares < 0).any():
        raise ValueError("a stake is not below 0")
    taken = finite(used, "used")
    total = np.bincount(
        groups, shares, minlength=max(taken.size, int(groups.max(initial=-1)) + 1)
    )
    room = np.maximum(cap - taken, 0.0)
    above = total > room
    if not above.any():
        return shares
    scale = np.where(above, room / np.where(total > 0, total, 1.0), 1.0)
    return np.asarray(shares * scale[groups])


def cap_wagers(
    wagers: Sequence[Wager],
    limits: StakeLimits | None = None,
    *,
    used_events: Mapping[str, float] | None = None,
    used_days: Mapping[str, float] | None = None,
) -> CappedFractions:
    """Cut what is bet on one event, over all its markets, then what is left of each day.

    Args:
        wagers: Bets of any number of events and days, decided together.
        limits: `event_cap` and `day_cap`.
        used_events: What earlier wagers have already taken of an event.
        used_days: What they have already taken of a day.

    Raises:
        ValueError: A stake below 0, NaN or infinite.
    """
    rule = limits or StakeLimits()
    sized = [w.fraction for w in wagers]
    after_event = _capped(sized, [w.event for w in wagers], rule.event_cap, used_events)
    rows = _rows(wagers, Cap.EVENT, sized, after_event)
    after_day = _capped(after_event, [w.day for w in wagers], rule.day_cap, used_days)
    rows += _rows(wagers, Cap.DAY, after_event, after_day)
    return CappedFractions(tuple(after_day), tuple(rows))


def cap_wagers_source_c(
    wagers: Sequence[Wager],
    limits: StakeLimits | None = None,
    *,
    used_days: Mapping[str, float] | None = None,
) -> CappedFractions:
    """Cut as source C does: by market, and the day from totals before that cut.

    Several markets of one match are not cut together, and a wager over both caps gets two
    rows, each reckoned from its first size, so that neither contains the other. The
    fractions given back are those of the last row written.

    Source:
        "The 45 Percent Problem", market/market_pipeline.py.
    """
    rule = limits or StakeLimits()
    sized = [w.fraction for w in wagers]
    by_market = _capped(sized, [w.market for w in wagers], rule.event_cap, None)
    by_day = _capped(sized, [w.day for w in wagers], rule.day_cap, used_days)
    rows = _rows(wagers, Cap.EVENT, sized, by_market) + _rows(wagers, Cap.DAY, sized, by_day)
    last = {row.parent: row.after for row in rows}
    return CappedFractions(tuple(last.get(w.id, w.fraction) for w in wagers), tuple(rows))


def _names(keys: Sequence[str]) -> Mapping[str, int]:
    return {key: number for number, key in enumerate(dict.fromkeys(keys))}


def _capped(
    sized: Sequence[float], keys: Sequence[str], cap: float, used: Mapping[str, float] | None
) -> list[float]:
    numbers = _names(keys)
    before = dict(used or {})
    codes = np.array([numbers[key] for key in keys], np.intp)
    capped = within(sized, codes, cap, np.array([float(before.get(key, 0)) for key in numbers]))
    return [float(fraction) for fraction in capped]


def _rows(
    wagers: Sequence[Wager], cap: Cap, before: Sequence[float], after: Sequence[float]
) -> list[Adjustment]:
    return [
        Adjustment(f"{wager.id}/{cap}", wager.id, cap, was, now)
        for wager, was, now in zip(wagers, before, after, strict=True)
        if now < was
    ]
