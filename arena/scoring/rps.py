"""The ranked probability score: for outcomes that have an order, such as score bands.

An option next to the one that came true is a smaller error than one far away. For outcomes
without an order ("who wins?") the score would depend on how the columns happen to stand: use
the Brier or the log score of options there.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.scoring.scored import over_options

Floats = NDArray[np.float64]


def rps_terms(
    options: ArrayLike, outcome: ArrayLike, *, order: Sequence[str], normalised: bool = True
) -> Floats:
    """Squared distance between cumulative forecast and outcome; lower is better.

    With two options the normalised score is the yes/no Brier score.

    Args:
        options: (n, K) probabilities, each row summing to 1, its columns in `order`.
        outcome: (n,) the number of the option that came true, from 0, in `order`.
        order: The K options from one end to the other: the score depends on it.
        normalised: Divide by K - 1, so that the worst is 1; otherwise it is K - 1.

    Raises:
        ValueError: A row that is refused, or an order that is not K different names.

    Source:
        Epstein (1969), Journal of Applied Meteorology 8; Murphy (1971), same journal 10.

    >>> rps_terms([[0.5, 0.3, 0.2]], [0], order=("home", "draw", "away")).round(4).tolist()
    [0.145]
    """
    said, truth = over_options(options, outcome)
    _ordered(order, said.shape[1])
    steps = np.arange(said.shape[1] - 1)
    gap = np.cumsum(said[:, :-1], axis=1) - (truth[:, None] <= steps)
    total = np.asarray(np.einsum("ij,ij->i", gap, gap))
    return total / len(steps) if normalised else total


def _ordered(order: Sequence[str], options: int) -> None:
    if isinstance(order, str) or len(order) != options or len(set(order)) != options:
        raise ValueError(f"the order of {options} options names each of them once")
