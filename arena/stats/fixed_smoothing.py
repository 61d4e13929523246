"""Tests of equal losses that stay right in short series with memory.

The variance is estimated from a few frequencies, or with a bandwidth that is a fixed share of
the series, and the statistic is judged by what such an estimate does in samples of this size.
As in `arena.stats.dm`, d is loss_A - loss_B in the order of time.
"""

from dataclasses import dataclass
from math import isqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.records.estimate import Sided, Test
from arena.stats import longrun
from arena.stats.difference import DieboldMariano, Form, cube_root_lags, told

Floats = NDArray[np.float64]


def dm_wpe(
    d: Floats, frequencies: int | None = None, *, sided: Sided = Sided.TWO
) -> DieboldMariano:
    """The weighted-periodogram test: right in size from about ten differences on.

    The variance is the mean of the first m ordinates of the periodogram, m the cube root
    of n; the statistic is looked up in t with 2m degrees of freedom.

    Raises:
        ValueError: d is not finite, or has not that many frequencies.

    Source:
        Coroneo and Iacone (2020), Journal of Applied Econometrics 35.
    """
    found = longrun.series(d, 0)
    m = cube_root_lags(found.size) if frequencies is None else frequencies
    form = Form("Diebold-Mariano, weighted periodogram", sided, m, student=2 * m)
    return told(found, lambda: longrun.daniell(found, m)[0] / found.size, form, least=3)


def dm_recoloured(
    d: Floats, frequencies: int | None = None, *, sided: Sided = Sided.TWO
) -> DieboldMariano:
    """The weighted-periodogram test without the slope of a first-order autoregression.

    Each ordinate is divided by what the fitted autoregression has there, relative to
    frequency 0, so that a peak at 0 is not averaged away. The coefficient is corrected for
    its bias and kept in [0, 0.97]. On an autoregression of 0.6 and 40 differences the plain
    test rejects in 8 per cent at a level of 5, this one in 6; without dependence both in 5.

    Raises:
        ValueError: d is not finite, or has not that many frequencies.

    Source:
        Andrews and Monahan (1992), Econometrica 60, for prewhitening; Marriott and Pope
        (1954), Biometrika 41, for the bias; Coroneo and Iacone (2020), Journal of Applied
        Econometrics 35, for the test.
    """
    found = longrun.series(d, 0)
    m = cube_root_lags(found.size) if frequencies is None else frequencies
    form = Form("Diebold-Mariano, prewhitened periodogram", sided, m, student=2 * m)
    return told(found, lambda: longrun.recoloured(found, m) / found.size, form, least=3)


def dm_ewc(d: Floats, terms: int | None = None, *, sided: Sided = Sided.TWO) -> DieboldMariano:
    """The equal-weighted cosine test: t with as many degrees of freedom as cosines.

    Raises:
        ValueError: d is not finite, or has not that many cosine terms.

    Source:
        Lazarus, Lewis, Stock and Watson (2018), Journal of Business and Economic
        Statistics 36.
    """
    found = longrun.series(d, 0)
    b = cube_root_lags(found.size) if terms is None else terms
    form = Form("Diebold-Mariano, equal-weighted cosine", sided, b, student=b)
    return told(found, lambda: longrun.cosines(found, b) / found.size, form)


@dataclass(frozen=True, slots=True)
class FixedB:
    """The fixed-b test: there is no p, only a critical value for the statistic.

    `critical` is what `test.statistic` is compared with at the test's `level`, `b` the
    share of the series that the bandwidth spans. `rejects` is None where nothing can be
    said.
    """

    test: Test
    bandwidth: int
    b: float
    level: float
    critical: float
    rejects: bool | None


TAILS: Final = {
    0.10: (1.2816, 1.3040, 0.5135, -0.3386),
    0.05: (1.6449, 2.1859, 0.3142, -0.3427),
    0.025: (1.9600, 2.9694, 0.4160, -0.5324),
    0.01: (2.3263, 4.1618, 0.5368, -0.9060),
}


def fixed_b_critical(b: float, tail: float = 0.025) -> float:
    """What a Bartlett fixed-b statistic exceeds in this share of cases, by chance.

    Raises:
        ValueError: b is not in (0, 1], or the tail is none of 0.1, 0.05, 0.025 and 0.01.

    Source:
        Kiefer and Vogelsang (2005), Econometric Theory 21, table 1.

    >>> round(fixed_b_critical(5 / 30), 6)
    2.463991
    """
    if not 0 < b <= 1:
        raise ValueError(f"b lies in (0, 1], not {b}")
    known = next((v for k, v in TAILS.items() if abs(k - tail) < 1e-12), None)  # noqa: PLR2004
    if known is None:
        raise ValueError(f"critical values are known for tails of {list(TAILS)}, not {tail}")
    return float(np.polynomial.polynomial.polyval(b, known))


def dm_fixed_b(
    d: Floats, bandwidth: int | None = None, *, level: float = 0.05, sided: Sided = Sided.TWO
) -> FixedB:
    """Bartlett weights 1 - j/M, judged as if M grew with n; M is the root of n.

    Args:
        d: (n,) differences.
        bandwidth: M, if not the whole part of the square root of n.
        level: Of the test; half of it is a tail if `sided` is TWO.
        sided: Which differences count.

    Raises:
        ValueError: d is not finite, M is not from 1 to n, or there is no critical value
            for this level.

    Source:
        Kiefer and Vogelsang (2005), Econometric Theory 21; Coroneo and Iacone (2020),
        Journal of Applied Econometrics 35.
    """
    found = longrun.series(d, 0)
    n = found.size
    m = max(1, isqrt(n)) if bandwidth is None else bandwidth
    if not 1 <= m <= max(1, n):
        raise ValueError(f"a bandwidth lies between 1 and {n}, not {m}")
    b = m / max(1, n)
    cut = fixed_b_critical(b, level / 2 if Sided(sided) is Sided.TWO else level)
    form = Form("Diebold-Mariano, fixed-b Bartlett", sided, m, looked_up=False)
    test = told(found, lambda: longrun.bartlett(found, m - 1) / n, form).test
    t = test.statistic
    sign = {Sided.TWO: 0, Sided.GREATER: 1, Sided.LESS: -1}[sided]
    return FixedB(
        test, m, b, level, cut, None if t is None else (sign * t if sign else abs(t)) > cut
    )
