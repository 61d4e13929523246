"""P-values of a statistic that is normal or Student's t under the null hypothesis."""

from scipy.special import ndtr, stdtr

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


def _below(statistic: float, df: float | None) -> float:
    return float(ndtr(statistic) if df is None else stdtr(df, statistic))
