"""P-values of a statistic that is normal or Student's t under the null hypothesis."""

from scipy.special import ndtr, ndtri, stdtr, stdtrit

from arena.records.estimate import Sided


def p_value(statistic: float, sided: Sided = Sided.TWO, df: float | None = None) -> float:
    """How often chance alone goes as far; the normal limit without degrees of freedom.

    >>> round(p_value(-1.959964), 6), round(p_value(2.0, Sided.GREATER, df=4), 4)
    (0.05, 0.0581)
    """
    match Sided(sided):
        case Sided.TWO:
            return min(1.0, 2 * _below(-abs(statistic), df))
        case Sided.GREATER:
            return _below(-statistic, df)
        case Sided.LESS:
            return _below(statistic, df)


def critical(level: float, sided: Sided = Sided.TWO, df: float | None = None) -> float:
    """What a statistic must exceed, in absolute value, to be rejected at `level`.

    Raises:
        ValueError: The level is not in (0, 1).

    >>> round(critical(0.05), 6), round(critical(0.05, Sided.GREATER), 6)
    (1.959964, 1.644854)
    """
    if not 0 < level < 1:
        raise ValueError(f"a level lies in (0, 1), not {level}")
    tail = level / 2 if Sided(sided) is Sided.TWO else level
    return -float(ndtri(tail)) if df is None else -float(stdtrit(df, tail))


def _below(statistic: float, df: float | None) -> float:
    return float(ndtr(statistic) if df is None else stdtr(df, statistic))
