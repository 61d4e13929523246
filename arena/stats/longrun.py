"""How much a mean of dependent numbers varies: long-run variances of one series.

A long-run variance is n times the variance of the mean, for n large: the variance of one
observation and twice all its autocovariances. All functions take one series, oldest first,
finite, and centre it on its mean themselves.
"""

import math
from typing import Final

import numpy as np

from arena.stats.columns import Floats, finite

STEEPEST: Final = 0.97  # an autoregression's coefficient above this is taken for this


def cube_root(n: int) -> int:
    """The largest whole number whose cube is at most n, exactly.

    >>> cube_root(64), int(64 ** (1 / 3))
    (4, 3)
    """
    if n < 0:
        raise ValueError(f"a count is not {n}")
    root = round(math.pow(n, 1 / 3))
    while root**3 > n:
        root -= 1
    while (root + 1) ** 3 <= n:
        root += 1
    return root


def cube_root_in_floats(n: int) -> int:
    """The same as binary64 has it: one too small at most perfect cubes.

    Source:
        The 45 Percent Problem, which takes its bandwidth this way.

    >>> cube_root_in_floats(1000)
    9
    """
    return math.floor(math.pow(n, 1 / 3))


def autocovariances(x: Floats, lags: int) -> Floats:
    """Autocovariances of lag 0 to `lags`, each over n: (lags + 1,).

    Raises:
        ValueError: The series is empty or not finite, or has no such lag.
    """
    values = finite(x)
    if not 0 <= lags < values.size:
        raise ValueError(f"a series of {values.size} has no lag of {lags}")
    centred, n = values - values.mean(), values.size
    return np.array([centred[: n - k] @ centred[k:] for k in range(lags + 1)]) / n


def rectangular(x: Floats, lags: int) -> float:
    """Every autocovariance up to `lags` in full; may be negative.

    Raises:
        ValueError: The series is empty or not finite, or has no such lag.

    Source:
        Diebold and Mariano (1995), Journal of Business and Economic Statistics 13.
    """
    return _weighed(autocovariances(x, lags), np.ones(lags + 1))


def bartlett(x: Floats, lags: int) -> float:
    """Autocovariances up to `lags` with weights 1 - k/(lags + 1); never negative.

    Raises:
        ValueError: The series is empty or not finite, or has no such lag.

    Source:
        Newey and West (1987), Econometrica 55.
    """
    return _weighed(autocovariances(x, lags), bartlett_weights(lags))


def bartlett_weights(lags: int) -> Floats:
    """1, then 1 - k/(lags + 1) for each lag k: (lags + 1,)."""
    return 1.0 - np.arange(lags + 1) / (lags + 1.0)


def daniell(x: Floats, frequencies: int) -> tuple[float, Floats]:
    """2 pi times the mean of the first values of the periodogram, and these.

    The periodogram is |sum of d_t exp(-i 2 pi k t/n)|^2 / (2 pi n) for k = 1, 2, ...

    Raises:
        ValueError: The series is not finite, or has not that many frequencies.

    Source:
        Coroneo and Iacone (2020), Journal of Applied Econometrics 35.
    """
    values = finite(x)
    if not 0 < frequencies <= (values.size - 1) // 2:
        raise ValueError(f"a series of {values.size} has no {frequencies} frequencies")
    waves = np.fft.rfft(values - values.mean())[1 : frequencies + 1]
    periodogram = np.abs(waves) ** 2 / (2 * np.pi * values.size)
    return float(2 * np.pi * periodogram.mean()), periodogram


def recoloured(x: Floats, frequencies: int) -> float:
    """As `daniell`, with the periodogram flattened by a first-order autoregression first.

    Its coefficient is r + (1 + 3r)/n with r the first autocorrelation, kept in [0, 0.97].

    Raises:
        ValueError: The series is not finite, or has not that many frequencies.

    Source:
        Andrews and Monahan (1992), Econometrica 60; Marriott and Pope (1954), Biometrika 41.
    """
    values = finite(x)
    n = values.size
    _, periodogram = daniell(values, frequencies)
    gamma_0, gamma_1 = autocovariances(values, 1)
    r = gamma_1 / gamma_0 if gamma_0 > 0 else 0.0
    phi = min(STEEPEST, max(0.0, r + (1 + 3 * r) / n))
    angles = 2 * np.pi * np.arange(1, frequencies + 1) / n
    against_zero = (1 - phi) ** 2 / (1 + phi**2 - 2 * phi * np.cos(angles))
    return float(2 * np.pi * np.mean(periodogram / against_zero))


def cosines(x: Floats, terms: int) -> float:
    """The mean square of the first cosine transforms of the series.

    Raises:
        ValueError: The series is not finite, or has not that many terms.

    Source:
        Lazarus, Lewis, Stock and Watson (2018), Journal of Business and Economic
        Statistics 36.
    """
    values = finite(x)
    if not 0 < terms < values.size:
        raise ValueError(f"a series of {values.size} has no {terms} cosine terms")
    times = (np.arange(values.size) + 0.5) / values.size
    waves = np.cos(np.pi * np.outer(np.arange(1, terms + 1), times))
    return float(np.mean((waves @ (values - values.mean())) ** 2) * 2 / values.size)


def _weighed(covariances: Floats, weights: Floats) -> float:
    return float(2 * (weights @ covariances) - weights[0] * covariances[0])


def rule_of_thumb_lags(n: int) -> int:
    """The cube root of n, rounded up: what statsmodels 0.15 takes for a Diebold-Mariano test.

    >>> rule_of_thumb_lags(64), rule_of_thumb_lags(65)
    (4, 5)
    """
    return math.ceil(math.pow(n, 1 / 3))
