"""Proper scoring rules for a yes/no event; smaller is better."""

PICO = 10**12


def brier_score(probability: float, outcome: int) -> float:
    """Squared distance between a forecast of YES and the outcome, in [0, 1].

    Raises:
        ValueError: The probability is outside [0, 1], or the outcome is neither 0 nor 1.

    Source:
        Brier (1950), Monthly Weather Review 78, in the one-sided form of Gneiting and
        Raftery (2007), JASA 102, section 3.1: half of Brier's original.

    >>> round(brier_score(0.8, 1), 12)
    0.04
    """
    if not 0 <= probability <= 1:
        raise ValueError(f"a probability lies in [0, 1], not {probability}")
    if outcome not in {0, 1}:
        raise ValueError(f"an outcome is 0 or 1, not {outcome}")
    off = probability - outcome
    return off * off


def skill_score(score: float, reference: float) -> float | None:
    """Share of a reference's loss that is avoided: 1 - score / reference.

    None for a perfect reference, where the ratio says nothing.

    Source:
        Murphy (1973), Journal of Applied Meteorology 12.
    """
    return 1 - score / reference if reference else None


def picos(score: float) -> int:
    """A score in whole trillionths, so that sums are exact in any order.

    >>> picos(0.04)
    40000000000
    """
    return round(score * PICO)


def mean_of_picos(total: int, count: int) -> float | None:
    """Mean of `count` scores whose sum is `total` trillionths; None for none."""
    return total / (count * PICO) if count else None
