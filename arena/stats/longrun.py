"""How much a mean of dependent numbers varies: long-run variances of one series.

A long-run variance is n times the variance of the mean, for n large: the variance of one
observation and twice all its autocovariances. All functions take one series, oldest first,
finite, and centre it on its mean themselves.
"""

import math
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NEGLIGIBLE: Final = 1e-7  # a kernel's weight below this is none
STEEPEST: Final = 0.97  # an autoregression's coefficient above this is taken for this


class Kernel(StrEnum):
    """How much an autocovariance counts that is x bandwidths away."""

    BARTLETT = "bartlett"
    PARZEN = "parzen"
    QUADRATIC_SPECTRAL = "quadratic spectral"
    TRUNCATED = "truncated"
    TUKEY_HANNING = "tukey-hanning"


def series(x: Floats, least: int = 1) -> Floats:
    """A series as floats, if it is one.

    Raises:
        ValueError: It is not one row, is shorter than `least`, or holds NaN or infinity.
    """
    found = np.asarray(x, dtype=np.float64)
    if found.ndim != 1:
        raise ValueError(f"a series is one row, not {found.ndim} dimensions")
    if found.size < least:
        raise ValueError(f"a series of {found.size} is shorter than {least}")
    if not np.isfinite(found).all():
        raise ValueError("a series holds NaN or infinity")
    return found


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
    found = series(x)
    if not 0 <= lags < found.size:
        raise ValueError(f"a series of {found.size} has no lag of {lags}")
    return _products(found - found.mean(), lags) / found.size


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


def kernel_weights(x: Floats, kernel: Kernel) -> Floats:
    """A kernel's value at each of x >= 0, in bandwidths.

    Source:
        Andrews (1991), Econometrica 59, equation 2.7.
    """
    match kernel:
        case Kernel.TRUNCATED:
            return np.where(x > 1, 0.0, 1.0)
        case Kernel.BARTLETT:
            return np.maximum(0.0, 1 - x)
        case Kernel.PARZEN:
            near = 1 - 6 * x**2 + 6 * x**3
            return np.where(x > 0.5, 2 * np.maximum(0.0, 1 - x) ** 3, near)  # noqa: PLR2004
        case Kernel.TUKEY_HANNING:
            return np.where(x > 1, 0.0, (1 + np.cos(np.pi * x)) / 2)
        case Kernel.QUADRATIC_SPECTRAL:
            angle = np.where(x == 0, 1.0, 6 * np.pi * x / 5)
            waves = 3 / angle**2 * (np.sin(angle) / angle - np.cos(angle))
            return np.where(x == 0, 1.0, waves)


def prewhitened(centred: Floats, order: int) -> tuple[Floats, float]:
    """What an autoregression leaves, and by how much its long-run variance is scaled.

    The regression is by least squares and has no constant. Order 0 leaves everything.

    Raises:
        ValueError: The series is too short for such an order, or its regression is
            singular.

    Source:
        Andrews and Monahan (1992), Econometrica 60.
    """
    if order == 0:
        return centred, 1.0
    n = centred.size
    if not 0 < 2 * order < n:
        raise ValueError(f"a series of {n} has no autoregression of order {order}")
    before = np.column_stack([centred[order - k : n - k] for k in range(1, order + 1)])
    phi, _, rank, _ = np.linalg.lstsq(before, centred[order:], rcond=None)
    if rank < order or np.isclose(phi.sum(), 1.0, rtol=0, atol=1e-12):
        raise ValueError("the autoregression is singular")
    return centred[order:] - before @ phi, float((1 - phi.sum()) ** -2)


def kernel_estimate(
    x: Floats,
    bandwidth: float,
    kernel: Kernel = Kernel.QUADRATIC_SPECTRAL,
    *,
    prewhite: int = 1,
    adjust: bool = True,
) -> float:
    """Long-run variance with a kernel at a given bandwidth.

    Weights run from lag 0 to the last that is not negligible. With `adjust`, times
    n/(n - 1). Choose the bandwidth by `arena.stats.bandwidth`.

    Raises:
        ValueError: The series has fewer than two numbers or is not finite, or the
            bandwidth is negative.

    Source:
        Andrews (1991), Econometrica 59; Zeileis (2004), Journal of Statistical Software
        11(10).
    """
    if not bandwidth >= 0:
        raise ValueError(f"a bandwidth is not {bandwidth}")
    lags = np.arange(series(x, 2).size - prewhite, dtype=np.float64)
    apart = lags / bandwidth if bandwidth > 0 else np.where(lags == 0, 0.0, np.inf)
    weights = np.ones(1) if bandwidth == 0 else kernel_weights(apart, kernel)
    last = int(np.flatnonzero(np.abs(weights) > NEGLIGIBLE).max())
    return weighted_estimate(x, weights[: last + 1], prewhite=prewhite, adjust=adjust)


def weighted_estimate(
    x: Floats, weights: Floats, *, prewhite: int = 0, adjust: bool = False
) -> float:
    """Long-run variance with a weight for each lag from 0 on.

    Lags that the series does not have are left out. After prewhitening the sums are still
    divided by the length of the whole series.

    Raises:
        ValueError: The series has fewer than two numbers or is not finite.

    Source:
        Zeileis (2004), Journal of Statistical Software 11(10).
    """
    found = series(x, 2)
    left, scale = prewhitened(found - found.mean(), prewhite)
    used = weights[: left.size]
    total = _weighed(_products(left, used.size - 1), used) * scale
    return total / (found.size - 1 if adjust else found.size)


def daniell(x: Floats, frequencies: int) -> tuple[float, Floats]:
    """2 pi times the mean of the first values of the periodogram, and these.

    The periodogram is |sum of d_t exp(-i 2 pi k t/n)|^2 / (2 pi n) for k = 1, 2, ...

    Raises:
        ValueError: The series is not finite, or has not that many frequencies.

    Source:
        Coroneo and Iacone (2020), Journal of Applied Econometrics 35.
    """
    found = series(x, 2)
    if not 0 < frequencies <= (found.size - 1) // 2:
        raise ValueError(f"a series of {found.size} has no {frequencies} frequencies")
    waves = np.fft.rfft(found - found.mean())[1 : frequencies + 1]
    periodogram = np.abs(waves) ** 2 / (2 * np.pi * found.size)
    return float(2 * np.pi * periodogram.mean()), periodogram


def recoloured(x: Floats, frequencies: int) -> float:
    """As `daniell`, with the periodogram flattened by a first-order autoregression first.

    Its coefficient is r + (1 + 3r)/n with r the first autocorrelation, kept in [0, 0.97].

    Raises:
        ValueError: The series is not finite, or has not that many frequencies.

    Source:
        Andrews and Monahan (1992), Econometrica 60; Marriott and Pope (1954), Biometrika 41.
    """
    found = series(x, 2)
    n = found.size
    _, periodogram = daniell(found, frequencies)
    zero, one = autocovariances(found, 1)
    r = one / zero if zero > 0 else 0.0
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
    found = series(x, 2)
    if not 0 < terms < found.size:
        raise ValueError(f"a series of {found.size} has no {terms} cosine terms")
    times = (np.arange(found.size) + 0.5) / found.size
    waves = np.cos(np.pi * np.outer(np.arange(1, terms + 1), times))
    return float(np.mean((waves @ (found - found.mean())) ** 2) * 2 / found.size)


def exponential(x: Floats, horizon: int = 1) -> float:
    """The long-run variance of autocovariances s^2 exp(-3 k/r), fitted by least squares.

    Fitted to the first half of the autocovariances, or to as many as the horizon. The
    search starts at s = r = 1 and stops early: the result depends a little on the unit of
    the series, and its seventh digit on rounding. Kept as the package `scores` 2.7 has it.

    Raises:
        ValueError: The series has fewer than three numbers, is not finite, or is not
            longer than the horizon.

    Source:
        Hering and Genton (2011), Technometrics 53.
    """
    from scipy.fft import fft, ifft, next_fast_len  # noqa: PLC0415  only this method needs it
    from scipy.optimize import least_squares  # noqa: PLC0415  only this method fits a curve

    found = series(x, 3)
    n = found.size
    if not 0 < horizon < n:
        raise ValueError(f"a series of {n} has no horizon of {horizon}")
    lags = np.arange(n)
    some = max((n - 1) // 2, horizon)
    waves = fft(found - found.mean(), next_fast_len(2 * n + 1, real=True))
    known = ifft(waves * waves.conj()).real[:some] / n

    def apart(s_r: Floats) -> Floats:
        gaps: Floats = s_r[0] ** 2 * np.exp(-3 * lags[:some] / s_r[1]) - known
        return gaps

    s, r = least_squares(apart, [1, 1], bounds=(0, np.inf)).x
    model = s**2 * np.exp(-3 * lags / r)
    return float(model[0] + 2 * model[1:].sum())


def _products(centred: Floats, lags: int) -> Floats:
    n = centred.size
    return np.array([centred[: n - k] @ centred[k:] for k in range(lags + 1)])


def _weighed(covariances: Floats, weights: Floats) -> float:
    return float(2 * (weights @ covariances) - weights[0] * covariances[0])
