from math import comb

import numpy as np
import pytest

from arena.scoring.calibration.bands import count_ends


def test_ends_of_a_count_are_the_least_that_reach_the_probability() -> None:
    def below(count: int) -> float:
        return sum(comb(12, c) * 0.3**c * 0.7 ** (12 - c) for c in range(count + 1))

    low, high = (int(end) for end in count_ends(12, 0.3, 0.9))
    assert below(low - 1) < 0.05 <= below(low)
    assert below(high - 1) < 0.95 <= below(high)


def test_certain_counts_have_no_spread() -> None:
    low, high = count_ends([5, 5, 0], [0.0, 1.0, 0.4], 0.9)
    assert low.tolist() == high.tolist() == [0, 5, 0]


@pytest.mark.parametrize(("n", "p"), [(-1, 0.5), (1.5, 0.5), (3, 1.1), (3, np.nan)])
def test_what_is_no_binomial_is_refused(n: float, p: float) -> None:
    with pytest.raises(ValueError, match=r"whole|lies in"):
        count_ends(n, p)
