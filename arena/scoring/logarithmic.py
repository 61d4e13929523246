"""The log score, and the clips that keep one certain miss from being infinitely bad.

The loss of a row is -ln of what the forecast gave to the outcome that came true. A clip is
part of the rule: below it the rule is proper but no longer strictly so.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from arena.scoring.table import Floats, over_options, yes_no


@dataclass(frozen=True, slots=True)
class Clip:
    """How far down a likelihood may go, and how far up.

    The likelihood is what the forecast gave to the outcome that came true. A clip `of_forecast`
    moves P(YES) instead, and the other side is what is left of it.
    """

    name: str
    low: float
    high: float = 1.0
    of_forecast: bool = False

    DEFAULT: ClassVar["Clip"]  # 1e-6 on the likelihood: both sides lose at most 13.815511
    NONE: ClassVar["Clip"]  # a certain miss loses infinitely much
    BETTING_GUIDE: ClassVar["Clip"]  # 1e-15 on P(YES): 34.538776 on one side, 34.539576 other
    FORTY_FIVE_PERCENT: ClassVar["Clip"]  # each option at least 1e-6, not summing to 1 again
    METACULUS: ClassVar["Clip"]  # within [0.001, 0.999]: at most 6.907755

    def __post_init__(self) -> None:
        """Refuse a clip that turns the order of forecasts around."""
        if not 0 <= self.low < self.high <= 1:
            raise ValueError(f"a clip goes up, within [0, 1]: not {self.low} to {self.high}")


Clip.DEFAULT = Clip("likelihood at least 1e-6", 1e-6)
Clip.NONE = Clip("no clip", 0.0)
Clip.BETTING_GUIDE = Clip("P(YES) in [1e-15, 1 - 1e-15]", 1e-15, 1 - 1e-15, of_forecast=True)
Clip.FORTY_FIVE_PERCENT = Clip("options at least 1e-6, not normalised again", 1e-6)
Clip.METACULUS = Clip("likelihood in [0.001, 0.999]", 0.001, 0.999)


def log_terms(p: ArrayLike, outcome: ArrayLike, *, clip: Clip = Clip.DEFAULT) -> Floats:
    """Minus the natural logarithm of what each forecast gave to its outcome; lower is better.

    Args:
        p: (n,) P(YES).
        outcome: (n,) 0 or 1.
        clip: How near to 0 a likelihood may come; under NONE a certain miss is inf.

    Raises:
        ValueError: A row that is refused.

    Source:
        Good (1952), Journal of the Royal Statistical Society B 14.

    >>> log_terms([0.5, 0.9, 0.0], [1, 0, 1]).round(6).tolist()
    [0.693147, 2.302585, 13.815511]
    """
    forecasts, truth = yes_no(p, outcome)
    return _losses(_clipped(forecasts, truth, clip))


def log_option_terms(
    options: ArrayLike, outcome: ArrayLike, *, clip: Clip = Clip.DEFAULT
) -> Floats:
    """Minus the logarithm of what each forecast gave to the option that came true.

    Args:
        options: (n, K) probabilities, each row summing to 1; a clip does not scale them again.
        outcome: (n,) the number of the option that came true, from 0.
        clip: How near to 0 a likelihood may come; under NONE a certain miss is inf.

    Raises:
        ValueError: A row that is refused.

    Source:
        Good (1952), Journal of the Royal Statistical Society B 14.

    >>> log_option_terms([[0.7, 0.2, 0.1]], [0]).round(6).tolist()
    [0.356675]
    """
    forecasts, truth = over_options(options, outcome)
    given = np.minimum(forecasts[np.arange(len(forecasts)), truth], 1.0)
    return _losses(_within(given, clip))


def _clipped(forecasts: Floats, truth: Floats, clip: Clip) -> Floats:
    """Likelihoods of the outcomes, |p - (1 - o)|, within the clip.

    They are written over `truth`.
    """
    kept = _within(forecasts, clip) if clip.of_forecast else forecasts
    likelihood = np.subtract(1, truth, out=truth)
    np.abs(np.subtract(kept, likelihood, out=likelihood), out=likelihood)
    return likelihood if clip.of_forecast else _within(likelihood, clip)


def _within(likelihood: Floats, clip: Clip) -> Floats:
    low = clip.low > 0 and likelihood.size and likelihood.min() < clip.low
    high = clip.high < 1 and likelihood.size and likelihood.max() > clip.high
    return np.clip(likelihood, clip.low, clip.high) if low or high else likelihood


def _losses(likelihood: Floats) -> Floats:
    with np.errstate(divide="ignore"):  # a certain miss loses inf where nothing is clipped
        return np.abs(np.log(likelihood))
