"""How a bankroll that has lost is protected: full stakes, half stakes, none."""

from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Final

DECIMALS: Final = 12


class Mode(StrEnum):
    """Which part of a stake is bet."""

    NORMAL = "NORMAL"
    HALVED = "HALVED"
    STOPPED = "STOPPED"


MULTIPLIER: Final = {Mode.NORMAL: 1.0, Mode.HALVED: 0.5, Mode.STOPPED: 0.0}


@dataclass(frozen=True, slots=True)
class Brakes:
    """When stakes are halved, and when they are whole again, as parts of the peak."""

    trigger: float = 0.20
    recover: float = 0.90


@dataclass(frozen=True, slots=True)
class Drawdown:
    """A bankroll against its highest point; `episodes` counts how often it was halved."""

    bankroll: float
    peak: float
    mode: Mode = Mode.NORMAL
    episodes: int = 0

    def __post_init__(self) -> None:
        if not (isfinite(self.bankroll) and isfinite(self.peak) and self.peak > 0):
            raise ValueError(f"a peak is above 0: {self.bankroll} of {self.peak}")
        if self.bankroll > self.peak:
            raise ValueError(f"a bankroll is at most its peak: {self.bankroll} of {self.peak}")


def opened(bankroll: float) -> Drawdown:
    """A bankroll at its start, which is its peak."""
    return Drawdown(bankroll, bankroll)


def after(state: Drawdown, bankroll: float, brakes: Brakes | None = None) -> Drawdown:
    """Where a bankroll stands once it is `bankroll` dollars: at most one change of mode.

    NORMAL turns HALVED below 80 % of the peak, and that is an episode. HALVED turns NORMAL
    from 90 % on; in a second episode, STOPPED while below 80 %. STOPPED turns NORMAL from
    90 % on. The peak only ever rises.

    Source:
        "The 45 Percent Problem", market/kelly_sizer.py.

    >>> after(opened(1000), 799).mode.value
    'HALVED'
    """
    rule = brakes or Brakes()
    peak = max(state.peak, bankroll)
    ratio = round(bankroll / peak, DECIMALS)
    low, high = ratio < round(1 - rule.trigger, DECIMALS), ratio >= rule.recover
    mode, episodes = Mode(state.mode), state.episodes
    if mode is Mode.NORMAL and low:
        mode, episodes = Mode.HALVED, episodes + 1
    elif mode is not Mode.NORMAL and high:
        mode = Mode.NORMAL
    elif mode is Mode.HALVED and low and episodes >= 2:  # noqa: PLR2004  a second time
        mode = Mode.STOPPED
    return Drawdown(bankroll, peak, mode, episodes)
