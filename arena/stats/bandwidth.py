"""How many autocovariances of a series to count."""

import math


def rule_of_thumb_lags(n: int, horizon: int = 1) -> int:
    """The larger of horizon - 1 and the cube root of n, rounded up.

    The default of statsmodels 0.15 for a Diebold-Mariano test.

    >>> rule_of_thumb_lags(64), rule_of_thumb_lags(65)
    (4, 5)
    """
    return max(horizon - 1, math.ceil(math.pow(n, 1 / 3)))
