"""Whether what was called 70 % happened seven times of ten: errors of calibration."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from arena.records.estimate import Estimate
from arena.scoring.calibration.bins import BinTable
from arena.scoring.table import Flags, Floats, checked, over_options
from arena.stats.regression.clusters import interval


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
    return interval(forecasts - came, event, level)
