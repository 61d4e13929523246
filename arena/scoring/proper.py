"""Proper scores of probabilities: the Brier score and the spherical score.

A rule gives its rows' scores. Columns of a forecast that is refused raise a ValueError (see
`arena.scoring.table`). The expected score of a forecast f, where the event has the probability
p, is here too: single numbers or arrays, whose shapes broadcast.
"""

from collections.abc import Sequence
from enum import StrEnum
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from arena.scoring.table import Floats, over_options, yes_no


class BrierConvention(StrEnum):
    """Which of the two Brier scores: they differ by a factor of 2 on a yes/no question."""

    HALF = "half"  # the squared distance of P(YES): 0 to 1
    SUM = "sum"  # the squares of all options, as Brier had it: 0 to 2


def brier_terms(
    p: ArrayLike,
    outcome: ArrayLike,
    *,
    convention: BrierConvention = BrierConvention.HALF,
) -> Floats:
    """Squared distance between each forecast of YES and its outcome; lower is better.

    Equal to `arena.scoring.leaderboard.brier_score` to the last bit.

    Args:
        p: (n,) P(YES).
        outcome: (n,) 0 or 1.
        convention: HALF gives 0 to 1, SUM twice that.

    Raises:
        ValueError: A row that is refused.

    Source:
        Brier (1950), Monthly Weather Review 78; Gneiting and Raftery (2007), JASA 102.

    >>> brier_terms([0.85, 0.4], [1, 0]).round(4).tolist()
    [0.0225, 0.16]
    """
    forecasts, truth = yes_no(p, outcome)
    off = forecasts - truth
    half = off * off
    return half if BrierConvention(convention) is BrierConvention.HALF else 2 * half


def brier_option_terms(options: ArrayLike, outcome: ArrayLike) -> Floats:
    """Squared distance of each forecast over K options from what came true; lower is better.

    From 0 to 2, not divided by the number of options. With two options it is twice the half
    form of the yes/no score.

    Args:
        options: (n, K) probabilities, each row summing to 1.
        outcome: (n,) the number of the option that came true, from 0.

    Raises:
        ValueError: A row that is refused.

    Source:
        Brier (1950), Monthly Weather Review 78.

    >>> brier_option_terms([[0.5, 0.3, 0.2]], [0]).round(2).tolist()
    [0.38]
    """
    forecasts, truth = over_options(options, outcome)
    gap = forecasts.copy()
    gap[np.arange(len(gap)), truth] -= 1
    return np.asarray(np.einsum("ij,ij->i", gap, gap))


def spherical_terms(p: ArrayLike, outcome: ArrayLike) -> Floats:
    """What each forecast said of the outcome over its length; higher is better, 0 to 1.

    Args:
        p: (n,) P(YES).
        outcome: (n,) 0 or 1.

    Raises:
        ValueError: A row that is refused.

    Source:
        Gneiting and Raftery (2007), JASA 102, section 4.1.

    >>> spherical_terms([1.0, 0.5], [1, 1]).round(4).tolist()
    [1.0, 0.7071]
    """
    forecasts, truth = yes_no(p, outcome)
    return np.abs(forecasts - (1 - truth)) / np.hypot(forecasts, 1 - forecasts)


def spherical_option_terms(options: ArrayLike, outcome: ArrayLike) -> Floats:
    """The spherical score over K options: higher is better, 0 to 1.

    Args:
        options: (n, K) probabilities, each row summing to 1.
        outcome: (n,) the number of the option that came true, from 0.

    Raises:
        ValueError: A row that is refused.

    Source:
        See `spherical_terms`.
    """
    forecasts, truth = over_options(options, outcome)
    length = np.sqrt(np.einsum("ij,ij->i", forecasts, forecasts))
    return np.asarray(forecasts[np.arange(len(forecasts)), truth] / length)


def brier_index(brier_half: float) -> float:
    """A mean Brier score as a percentage of distance: 100 is perfect, 50 always says 0.5.

    100 (1 - sqrt(Brier)) of the half form. Take it of the mean: the mean of indices is
    another number, and no proper score.

    Raises:
        ValueError: A score outside [0, 1].

    Source:
        Forecasting Research Institute, "Introducing the Brier Index"; the ForecastBench
        leaderboard.

    >>> brier_index(0.25)
    50.0
    """
    if not 0 <= brier_half <= 1:
        raise ValueError(f"a Brier score of the half form lies in [0, 1], not {brier_half}")
    return 100 * (1 - sqrt(brier_half))


def rps_terms(
    options: ArrayLike, outcome: ArrayLike, *, order: Sequence[str], normalised: bool = True
) -> Floats:
    """Squared distance between cumulative forecast and outcome; lower is better.

    With two options the normalised score is the yes/no Brier score.

    Args:
        options: (n, K) probabilities, each row summing to 1, its columns in `order`.
        outcome: (n,) the number of the option that came true, from 0, in `order`.
        order: The K options from one end to the other: the score depends on it.
        normalised: Divide by K - 1, so that the worst is 1; otherwise it is K - 1.

    Raises:
        ValueError: A row that is refused, or an order that is not K different names.

    Source:
        Epstein (1969), Journal of Applied Meteorology 8; Murphy (1971), same journal 10.

    >>> rps_terms([[0.5, 0.3, 0.2]], [0], order=("home", "draw", "away")).round(4).tolist()
    [0.145]
    """
    forecasts, truth = over_options(options, outcome)
    k = forecasts.shape[1]
    if isinstance(order, str) or len(order) != k or len(set(order)) != k:
        raise ValueError(f"the order of {k} options names each of them once")
    steps = np.arange(k - 1)
    gap = np.cumsum(forecasts[:, :-1], axis=1) - (truth[:, None] <= steps)
    total = np.asarray(np.einsum("ij,ij->i", gap, gap))
    return total / len(steps) if normalised else total


def expected_brier(f: ArrayLike, p: ArrayLike) -> Floats:
    """(f - p)^2 + p (1 - p): least at f = p, where only the event's own variance is left.

    Raises:
        ValueError: A probability outside [0, 1].

    Source:
        Gneiting and Raftery (2007), JASA 102.

    >>> expected_brier(0.5, 0.3).item()
    0.25
    """
    stated, true = _probabilities(f, p)
    return np.asarray((stated - true) ** 2 + true * (1 - true))


def expected_log_curvature(f: ArrayLike, p: ArrayLike) -> Floats:
    """Second derivative of the expected log loss: p / f^2 + (1 - p) / (1 - f)^2.

    Positive everywhere: f = p is a minimum of the loss.

    Raises:
        ValueError: A probability outside [0, 1], or a forecast of 0 or 1.
    """
    stated, true = _probabilities(f, p)
    if not np.all((stated > 0) & (stated < 1)):
        raise ValueError("the log loss has no derivative at 0 and 1")
    return np.asarray(true / stated**2 + (1 - true) / (1 - stated) ** 2)


def _probabilities(f: ArrayLike, p: ArrayLike) -> tuple[Floats, Floats]:
    stated, true = np.asarray(f, dtype=np.float64), np.asarray(p, dtype=np.float64)
    for probability in (stated, true):
        if not np.all((probability >= 0) & (probability <= 1)):
            raise ValueError("a probability lies in [0, 1]")
    return stated, true
