"""Do two forecasters lose equally much? Diebold and Mariano's test in its versions.

All of them take the difference series d_i = loss_A,i - loss_B,i in the order of time: a
negative mean says that A is better. They differ in how they estimate the variance of the mean
of d, and in what they look the statistic up in. The tests compare forecasts as they were made,
not models that were fitted to each other.

Nothing to compare with is a state and never a number: identical losses are DEGENERATE with
p = 1, a gap that never varies is DEGENERATE with no p.
"""

from typing import Final

from arena.records.estimate import State, Test
from arena.stats import longrun
from arena.stats.columns import Floats, finite
from arena.stats.comparisons.difference import (
    DieboldMariano,
    StatisticForm,
    cube_root_lags,
    difference_test,
    difference_test_at,
    state_of,
)
from arena.stats.longrun import rule_of_thumb_lags

PREWHITENED: Final = "Diebold-Mariano, prewhitened periodogram"


def dm_recoloured(d: Floats) -> DieboldMariano:
    """The weighted-periodogram test without the slope of a first-order autoregression.

    Each ordinate is divided by what the fitted autoregression has there, relative to
    frequency 0, so that a peak at 0 is not averaged away. The coefficient is corrected for
    its bias and kept in [0, 0.97]. On an autoregression of 0.6 and 40 differences the plain
    test rejects in 8 per cent at a level of 5, this one in 6; without dependence both in 5.

    Raises:
        ValueError: d is not finite, or too short.

    Source:
        Andrews and Monahan (1992), Econometrica 60, for prewhitening; Marriott and Pope
        (1954), Biometrika 41, for the bias; Coroneo and Iacone (2020), Journal of Applied
        Econometrics 35, for the test.
    """
    differences = finite(d, "differences")
    m = cube_root_lags(differences.size)
    form = StatisticForm(PREWHITENED, m, student=2 * m)
    return difference_test(
        differences,
        lambda: longrun.recoloured(differences, m) / differences.size,
        form,
        least=3,
    )


def dm_ewc(d: Floats) -> DieboldMariano:
    """The equal-weighted cosine test: t with as many degrees of freedom as cosines.

    Raises:
        ValueError: d is not finite, or too short.

    Source:
        Lazarus, Lewis, Stock and Watson (2018), Journal of Business and Economic
        Statistics 36.
    """
    differences = finite(d, "differences")
    b = cube_root_lags(differences.size)
    form = StatisticForm("Diebold-Mariano, equal-weighted cosine", b, student=b)
    return difference_test(
        differences, lambda: longrun.cosines(differences, b) / differences.size, form
    )


FLOOR: Final = 1e-300  # of a variance, in "The 45 Percent Problem"


FEWEST: Final = 10


def dm_bandwidth_as_horizon(
    d: Floats,
    *,
    bandwidth: int | None = None,
    floor: float | None = None,
) -> DieboldMariano:
    """The 45 Percent Problem's test: its bandwidth stands in for the horizon.

    Bartlett weights 1 - j/(h+1) up to lag h, the cube root of n; the small-sample factor
    with the same h; t with n - 1 degrees of freedom. Two things are mixed up here: the
    factor is meant for the horizon, and on independent differences of 10 to 30 questions
    the test rejects in 5.4 to 7.2 per cent at a level of 5.

    Args:
        d: (n,) differences.
        bandwidth: h, if not the cube root.
        floor: Put this under the long-run variance and always give a number, as the source
            does with `FLOOR`: identical losses then give 0, and a constant gap nonsense.

    Raises:
        ValueError: d is not finite, or the bandwidth is not from 1 to n - 1.

    Source:
        The 45 Percent Problem (2026); Newey and West (1987), Econometrica 55.
    """
    differences = finite(d, "differences")
    n = differences.size
    h = cube_root_lags(n) if bandwidth is None else bandwidth

    def variance() -> float:
        return longrun.bartlett(differences, h) / n

    name = "Diebold-Mariano, bandwidth as horizon"
    how = StatisticForm(name, h, horizon=h, student=n - 1)
    if floor is not None and n > h:
        return difference_test_at(differences, max(floor / n, variance()), how)
    return difference_test(differences, variance, how)


def dm_textbook(d: Floats, horizon: int = 1) -> DieboldMariano:
    """The textbook's test of forecasts `horizon` steps ahead.

    Autocovariances up to lag horizon - 1, all in full; the small-sample factor; t with
    n - 1 degrees of freedom. For a horizon of one it is the paired t test. The variance can
    come out negative: then a horizon of one is taken instead, and `fell_back` says so.

    Raises:
        ValueError: d is not finite, or the horizon is not from 1 to n.

    Source:
        Diebold and Mariano (1995), Journal of Business and Economic Statistics 13; Harvey,
        Leybourne and Newbold (1997), International Journal of Forecasting 13.
    """
    differences = finite(d, "differences")
    n = differences.size
    if horizon < 1 or (n and horizon > n):
        raise ValueError(f"a horizon lies between 1 and {n}, not {horizon}")

    def variance(steps: int = horizon) -> float:
        return longrun.rectangular(differences, steps - 1) / n

    name = "Diebold-Mariano"
    form = StatisticForm(name, horizon - 1, horizon=horizon, student=n - 1)
    if horizon > 1 and state_of(differences) is State.OK and variance() <= 0:
        fallback = StatisticForm(name, 0, horizon=1, student=n - 1, fell_back=True)
        return difference_test_at(differences, variance(1), fallback)
    return difference_test(differences, variance, form)


def dm_newey_west(d: Floats, lags: int | None = None) -> DieboldMariano:
    """Newey and West's variance, looked up in the normal distribution.

    It rejects too often in small samples.

    Args:
        d: (n,) differences.
        lags: Autocovariances to count; otherwise the cube root of n rounded up, as
            statsmodels does.

    Raises:
        ValueError: d is not finite, or there are no such lags.

    Source:
        Newey and West (1987), Econometrica 55.
    """
    differences = finite(d, "differences")
    n = differences.size
    used = min(max(0, n - 1), rule_of_thumb_lags(n)) if lags is None else lags
    form = StatisticForm("Diebold-Mariano, Newey-West", used)
    return difference_test(differences, lambda: longrun.bartlett(differences, used) / n, form)


def naive_z(d: Floats) -> DieboldMariano:
    """The mean over its plain standard error, looked up in the normal distribution.

    A floor for the others: it knows neither of dependence nor of small samples.
    """
    differences = finite(d, "differences")
    form = StatisticForm("naive Z", 0)
    return difference_test(
        differences, lambda: float(differences.var(ddof=1)) / differences.size, form
    )


def diebold_mariano(d: Floats) -> DieboldMariano:
    """Our own choice for a series in time: the prewhitened periodogram's test.

    Fewer than ten differences give their mean and number only: TOO_FEW. For differences
    that come in events, and not in time, use a test clustered by event instead.

    Raises:
        ValueError: d is not finite.

    Source:
        Coroneo and Iacone (2020), Journal of Applied Econometrics 35; Andrews and Monahan
        (1992), Econometrica 60: see `dm_recoloured`.
    """
    differences = finite(d, "differences")
    n = differences.size
    if 1 < n < FEWEST:
        mean = float(differences.mean())
        return DieboldMariano(Test(PREWHITENED, n, n, mean, state=State.TOO_FEW))
    return dm_recoloured(differences)
