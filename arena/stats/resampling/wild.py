"""A test for few events: the signs of whole events are flipped."""

from collections.abc import Iterator
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.records.estimate import Sided, State, Test
from arena.stats.columns import Floats, codes, finite, tally
from arena.stats.resampling.replicates import beyond

DRAWS: Final = 9_999
_CELLS: Final = 2_000_000


def sign_flip(
    differences: ArrayLike,
    rng: np.random.Generator,
    *,
    events: ArrayLike | None = None,
    sided: Sided = Sided.TWO,
    draws: int = DRAWS,
) -> Test:
    """Whether differences are as likely to have the other sign: a randomisation test.

    The signs of whole events are flipped, all rows of one together. It is exact at any
    number of events where each event's sum is symmetric about 0. Up to 13 events every
    assignment of signs is counted; else `draws` are, with the observed one added.

    Args:
        differences: (n,) paired differences.
        rng: Where chance comes from.
        events: (n,) codes of the events; one row each if not given.
        sided: Which departures count.
        draws: How many assignments are drawn.

    Returns:
        The statistic is the sum of the differences. EMPTY for none; SINGLE and without a p
        for one event, whose sign alone says nothing; with all of them 0, p is 1.

    Raises:
        ValueError: A number is not finite, or a code is missing.

    Source:
        Fisher (1935), The Design of Experiments, section 21; Phipson and Smyth (2010),
        Statistical Applications in Genetics and Molecular Biology 9.

    >>> sign_flip([1.0, 2.0, 3.0], np.random.default_rng(0)).p
    0.25
    """
    column = finite(differences, "differences")
    n = column.size
    event_codes = codes(np.arange(n) if events is None else events, n)
    if n == 0:
        return Test("sign-flip", 0, 0, sided=sided, state=State.EMPTY)
    sums, _ = tally(column, event_codes)
    g, total = sums.size, float(sums.sum())
    if g == 1:
        mean = total / n
        return Test("sign-flip", n, 1, mean, statistic=total, sided=sided, state=State.SINGLE)
    exact = 2**g <= draws
    beat, count = 0, 0
    for signs in _signs(g, draws, rng, exact=exact):
        beat += int(np.count_nonzero(beyond(signs @ sums, total, sided)))
        count += len(signs)
    p = beat / count if exact else (beat + 1) / (count + 1)
    name = f"sign-flip over events{', exact' if exact else ''}"
    return Test(name, n, g, total / n, statistic=total, p=p, sided=sided)


def _signs(g: int, draws: int, rng: np.random.Generator, *, exact: bool) -> Iterator[Floats]:
    if exact:
        yield np.array(list(product((-1.0, 1.0), repeat=g)))
        return
    step = max(1, _CELLS // g)
    for start in range(0, draws, step):
        drawn = rng.integers(0, 2, size=(min(step, draws - start), g))
        yield drawn.astype(np.float64) * 2 - 1
