"""How many autocovariances of a series to count: bandwidths chosen from the data."""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.stats.longrun import (
    Kernel,
    bartlett_weights,
    kernel_estimate,
    prewhitened,
    series,
    weighted_estimate,
)

Floats = NDArray[np.float64]

CONSTANT: Final = {
    Kernel.BARTLETT: 1.1447,
    Kernel.PARZEN: 2.6614,
    Kernel.QUADRATIC_SPECTRAL: 1.3221,
    Kernel.TRUNCATED: 0.6611,
    Kernel.TUKEY_HANNING: 1.7462,
}
LAG_RATE: Final = {
    Kernel.BARTLETT: 2 / 9,
    Kernel.PARZEN: 4 / 25,
    Kernel.QUADRATIC_SPECTRAL: 2 / 25,
}


def newey_west_bandwidth(
    x: Floats, kernel: Kernel = Kernel.BARTLETT, *, prewhite: int = 1
) -> float:
    """The bandwidth of Newey and West: from the autocovariances of a few lags.

    How many is 4 (n/100)^r, or 3 (n/100)^r after prewhitening, with r = 2/9 for Bartlett,
    4/25 for Parzen and 2/25 for the quadratic spectral kernel. Not rounded.

    Raises:
        ValueError: The series is too short, not finite or without spread, or the kernel has
            no such rule.

    Source:
        Newey and West (1994), Review of Economic Studies 61, tables I and II.
    """
    kernel = Kernel(kernel)
    if kernel not in LAG_RATE:
        raise ValueError(f"there is no such rule for the {kernel.value} kernel")
    found = series(x, 2)
    n = found.size
    lags = int((3 if prewhite else 4) * (n / 100) ** LAG_RATE[kernel])
    left, _ = prewhitened(found - found.mean(), prewhite)
    if not 0 <= lags < left.size:
        raise ValueError(f"a series of {n} has no {lags} lags")
    covariances = np.array([left[: left.size - k] @ left[k:] for k in range(lags + 1)])
    level = 2 * covariances.sum() - covariances[0]
    if level == 0:
        raise ValueError("the series has no spread")
    power = 1 if kernel is Kernel.BARTLETT else 2
    slope = 2 * (np.arange(lags + 1) ** power) @ covariances
    rate = 1 / (2 * power + 1)
    return float(CONSTANT[kernel] * ((slope / level) ** 2 * n) ** rate)


def andrews_bandwidth(
    x: Floats, kernel: Kernel = Kernel.QUADRATIC_SPECTRAL, *, prewhite: int = 1
) -> float:
    """The bandwidth that is best if what is left is an autoregression of order 1.

    Raises:
        ValueError: The series is too short, not finite or without spread.

    Source:
        Andrews (1991), Econometrica 59, section 6.
    """
    found = series(x, 4)
    left, _ = prewhitened(found - found.mean(), prewhite)
    before, after = left[:-1] - left[:-1].mean(), left[1:] - left[1:].mean()
    spread = before @ before
    if spread == 0:
        raise ValueError("the series has no spread")
    rho = float(before @ after / spread)
    kernel = Kernel(kernel)
    if kernel is Kernel.BARTLETT:
        alpha, rate = 4 * rho**2 / ((1 - rho) ** 2 * (1 + rho) ** 2), 1 / 3
    else:
        alpha, rate = 4 * rho**2 / (1 - rho) ** 4, 1 / 5
    return float(CONSTANT[kernel] * (left.size * alpha) ** rate)


def newey_west(
    x: Floats, lags: int | None = None, *, prewhite: int = 1, adjust: bool = False
) -> float:
    """Long-run variance with Bartlett weights 1 - k/(lags + 1).

    Without `lags`, the whole part of Newey and West's bandwidth. Divide by n for the
    variance of the mean.

    Raises:
        ValueError: The series is too short or not finite, or `lags` is negative.

    Source:
        Newey and West (1987), Econometrica 55; (1994), Review of Economic Studies 61.
    """
    if lags is None:
        lags = int(newey_west_bandwidth(x, prewhite=prewhite))
    if lags < 0:
        raise ValueError(f"there is no lag of {lags}")
    return weighted_estimate(x, bartlett_weights(lags), prewhite=prewhite, adjust=adjust)


def kernel_hac(
    x: Floats,
    bandwidth: float | None = None,
    kernel: Kernel = Kernel.QUADRATIC_SPECTRAL,
    *,
    prewhite: int = 1,
    adjust: bool = True,
) -> float:
    """Long-run variance with a kernel, at Andrews' bandwidth unless one is given.

    Divide by n for the variance of the mean.

    Raises:
        ValueError: The series is too short or not finite.

    Source:
        Andrews and Monahan (1992), Econometrica 60.
    """
    if bandwidth is None:
        bandwidth = andrews_bandwidth(x, kernel, prewhite=prewhite)
    return kernel_estimate(x, bandwidth, kernel, prewhite=prewhite, adjust=adjust)


def rule_of_thumb_lags(n: int, horizon: int = 1) -> int:
    """The larger of horizon - 1 and the cube root of n, rounded up.

    The default of statsmodels 0.15 for a Diebold-Mariano test.

    >>> rule_of_thumb_lags(64), rule_of_thumb_lags(65)
    (4, 5)
    """
    return max(horizon - 1, math.ceil(math.pow(n, 1 / 3)))
