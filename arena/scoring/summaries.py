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
    bin, `squared` the mean squared distance: Murphy's reliability. `squared_debiased` is that
    less what noise alone would show, and can be negative.
    """

    expected: float
    maximum: float
    squared: float
    squared_debiased: float


def calibration_errors(table: BinTable) -> CalibrationErrors | None:
    """Errors of the bins of a `bin_table`; None for a table without rows.

    All but the last depend on the bins: more of them, more error. A bin with one forecast
    cannot say what its noise is, and nothing is taken off for it.

    Source:
        Naeini, Cooper and Hauskrecht (2015), AAAI 29; Guo, Pleiss, Sun and Weinberger (2017),
        ICML 34; Kumar, Liang and Ma (2019), NeurIPS 32, for the last.
    """
    if table.n == 0:
        return None
    weight = table.number / table.n
    gap = np.abs(table.mean_forecast - table.frequency)
    spread = table.frequency * (1 - table.frequency)
    noise = np.where(table.number > 1, spread / np.maximum(table.number - 1, 1), 0.0)
    squared = float(weight @ gap**2)
    return CalibrationErrors(
        float(weight @ gap), float(gap.max()), squared, squared - float(weight @ noise)
    )


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
    `mann_whitney` the number of such pairs. `slope` is how much higher the mean forecast was
    when the answer was YES. All but the means of what there was are None while all outcomes
    are alike (`state` is NOT_ESTIMABLE) or there are none (EMPTY).
    """

    n: int
    yes: int
    mean_if_yes: float | None
    mean_if_no: float | None
    slope: float | None
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
    """Area under the ROC curve, Mann-Whitney's count, and the discrimination slope.

    None of them changes if all forecasts are recalibrated by a rising function, but the slope.

    Raises:
        ValueError: A bad forecast or outcome.

    Source:
        Mann and Whitney (1947), Annals of Mathematical Statistics 18; Yates (1982),
        Organizational Behavior and Human Performance 30, for the slope.

    >>> discrimination([0.2, 0.6, 0.6, 0.9], [0, 0, 1, 1]).auc
    0.875
    """
    by_level = levels(p, outcome)
    no = by_level.number - by_level.yes
    many, true = int(by_level.number.sum()), int(by_level.yes.sum())
    if_yes = float(by_level.yes @ by_level.value) / true if true else None
    if_no = float(no @ by_level.value) / (many - true) if many > true else None
    if if_yes is None or if_no is None:
        state = State.NOT_ESTIMABLE if many else State.EMPTY
        return Discrimination(many, true, if_yes, if_no, None, None, None, state)
    below = np.cumsum(no) - no
    above = int(by_level.yes @ (2 * below + no)) / 2
    area = above / (true * (many - true))
    return Discrimination(many, true, if_yes, if_no, if_yes - if_no, area, above, State.OK)
