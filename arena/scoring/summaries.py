"""Calibration, sharpness and discrimination of forecasts in one number each."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr

from arena.records.estimate import Estimate, State
from arena.scoring.bins import BinTable
from arena.scoring.corp import levels
from arena.scoring.table import Flags, Floats, checked, over_options, probabilities
from arena.stats.mean_intervals import interval


@dataclass(frozen=True, slots=True)
class CalibrationErrors:
    """How far mean forecasts and frequencies of bins are apart.

    `expected` (ECE) is the mean distance over forecasts, `maximum` (MCE) the largest of any
    bin.
    """

    expected: float
    maximum: float


def calibration_errors(table: BinTable) -> CalibrationErrors | None:
    """Errors of the bins of a `bin_table`; None for a table without rows.

    They depend on the bins: more of them, more error.

    Source:
        Naeini, Cooper and Hauskrecht (2015), AAAI 29; Guo, Pleiss, Sun and Weinberger (2017),
        ICML 34.
    """
    if table.n == 0:
        return None
    weight = table.number / table.n
    gap = np.abs(table.mean_forecast - table.frequency)
    return CalibrationErrors(float(weight @ gap), float(gap.max()))


def top_label(options: ArrayLike, outcome: ArrayLike) -> tuple[Floats, Flags]:
    """The probability of the likeliest option, and whether that one came true.

    The two columns are forecasts and outcomes for `bin_table`: the calibration that source C
    ("The 45 Percent Problem") draws for forecasts over several options. Of options that are
    equally likely, the first counts.

    Args:
        options: Probabilities, (n, K), rows that sum to 1 within 1e-6.
        outcome: The number of the option that came true, from 0, (n,).

    Raises:
        ValueError: A row is no distribution, or an outcome is no option.

    Source:
        Guo, Pleiss, Sun and Weinberger (2017), ICML 34.

    >>> top_label([[0.4, 0.4, 0.2], [0.1, 0.2, 0.7]], [1, 2])
    (array([0.4, 0.7]), array([False,  True]))
    """
    rows, came = over_options(options, outcome)
    likeliest = rows.argmax(axis=1)
    return rows[np.arange(len(rows)), likeliest], likeliest == came


def in_the_large(
    p: ArrayLike, outcome: ArrayLike, event: ArrayLike, level: float = 0.95
) -> Estimate:
    """Mean forecast less frequency: above 0 says YES too readily. With an interval by event.

    Args:
        p: Forecasts of YES, (n,).
        outcome: 0 or 1, (n,).
        event: Codes of the events, whole numbers from 0, (n,).
        level: Confidence in (0, 1).

    Raises:
        ValueError: A bad forecast, outcome, code or level.
    """
    forecasts, came = checked(p, outcome)
    return interval(forecasts - came, event, level).within(-1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Sharpness:
    """How far forecasts are from saying nothing; the outcomes play no part.

    `variance` is around the mean forecast with divisor n, `distance` the mean of |p - 1/2|,
    `entropy` the mean entropy in nats: 0 for certainty, 0.693 for one half.
    """

    n: int
    variance: float
    distance: float
    entropy: float


@dataclass(frozen=True, slots=True)
class Discrimination:
    """Whether what came true was forecast higher than what did not.

    `auc` is the probability that a YES was forecast above a NO, ties counting half, and
    `mann_whitney` the number of such pairs. Both are None while all outcomes are alike
    (`state` is NOT_ESTIMABLE) or there are none (EMPTY).
    """

    n: int
    yes: int
    auc: float | None
    mann_whitney: float | None
    state: State


def sharpness(p: ArrayLike) -> Sharpness | None:
    """Variance, distance from one half and entropy of forecasts; None for none.

    Raises:
        ValueError: A number is no probability.

    Source:
        Gneiting, Balabdaoui and Raftery (2007), Journal of the Royal Statistical Society B 69.
    """
    forecasts = probabilities(p)
    if not len(forecasts):
        return None
    entropy = float(np.mean(entr(forecasts) + entr(1 - forecasts)))
    distance = float(np.mean(np.abs(forecasts - 0.5)))
    return Sharpness(len(forecasts), float(np.var(forecasts)), distance, entropy)


def discrimination(p: ArrayLike, outcome: ArrayLike) -> Discrimination:
    """Area under the ROC curve, and Mann-Whitney's count.

    Neither changes if all forecasts are recalibrated by a rising function.

    Raises:
        ValueError: A bad forecast or outcome.

    Source:
        Mann and Whitney (1947), Annals of Mathematical Statistics 18.

    >>> discrimination([0.2, 0.6, 0.6, 0.9], [0, 0, 1, 1]).auc
    0.875
    """
    by_level = levels(p, outcome)
    no = by_level.number - by_level.yes
    many, true = int(by_level.number.sum()), int(by_level.yes.sum())
    if not 0 < true < many:
        state = State.NOT_ESTIMABLE if many else State.EMPTY
        return Discrimination(many, true, None, None, state)
    below = np.cumsum(no) - no
    above = int(by_level.yes @ (2 * below + no)) / 2
    return Discrimination(many, true, above / (true * (many - true)), above, State.OK)
