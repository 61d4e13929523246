"""The community's forecast of a question: a median weighted by recency."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def recency_weights(n: int) -> Floats:
    """What each of n standing forecasts weighs in the community's median, oldest first.

    exp(sqrt(i) - sqrt(n)) for i = 1..n; up to two forecasts weigh the same.

    Raises:
        ValueError: n is negative.

    >>> recency_weights(3).round(4).tolist()
    [0.4809, 0.7277, 1.0]
    """
    if n < 0:
        raise ValueError("there cannot be fewer than no forecasts")
    if n <= 2:  # noqa: PLR2004  the rule's own number
        return np.ones(n)
    return np.asarray(np.exp(np.sqrt(np.arange(1, n + 1)) - np.sqrt(n)))


def weighted_median(values: ArrayLike, weights: ArrayLike) -> Floats:
    """The value with half of the weight on either side; the mean of two on an exact tie.

    Args:
        values: (n, ...) numbers; each further axis has its own median.
        weights: (n,) not negative, and not all 0.

    Raises:
        ValueError: Nothing to take a median of, a value that is not finite, or weights that
            are negative, not finite, all 0 or not as many as the values.

    >>> weighted_median([0.1, 0.2, 0.9], [1, 1, 2]).item()
    0.55
    """
    numbers = np.asarray(values, dtype=np.float64)
    weight = np.asarray(weights, dtype=np.float64)
    if numbers.ndim == 0 or weight.shape != numbers.shape[:1] or not numbers.size:
        raise ValueError("a median needs values, and a weight for each")
    if not np.all(np.isfinite(numbers)):
        raise ValueError("a value is a finite number")
    if not (np.all((weight >= 0) & np.isfinite(weight)) and weight.sum() > 0):
        raise ValueError("weights are finite and not negative, and some are positive")
    kept = numbers[weight > 0]
    order = np.argsort(kept, axis=0, kind="stable")
    ranked = np.take_along_axis(kept, order, axis=0)
    summed = np.cumsum(weight[weight > 0][order], axis=0)
    half, last = summed[-1:] / 2, len(kept) - 1
    tie = 1e-12 * summed[-1:]
    low = np.minimum((summed < half - tie).sum(axis=0, keepdims=True), last)
    high = np.minimum((summed < half + tie).sum(axis=0, keepdims=True), last)
    middle = np.take_along_axis(ranked, low, axis=0) + np.take_along_axis(ranked, high, axis=0)
    return np.asarray(middle[0] / 2)
