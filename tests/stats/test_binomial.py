from math import comb

import numpy as np
import pytest

from arena.records.estimate import State
from arena.stats.binomial import Share, count_ends, share, share_ends
from tests.vectors import case, near


def test_binomial_intervals_are_those_of_r_and_statsmodels() -> None:
    known = case("15_reliability_intervals_cluster", "binomial_intervals")
    for given, expected in zip(known["inputs"], known["expected"], strict=True):
        k, n = given["x"], given["n"]
        ours = {
            method: [float(end) for end in share_ends(k, n, 0.95, Share(name))]
            for method, name in (
                ("wilson", "wilson"),
                ("clopper_pearson", "clopper-pearson"),
                ("jeffreys", "jeffreys"),
            )
        }
        assert near({"x": k, "n": n, **ours}, expected, known["tol"], relative=True)


@pytest.mark.parametrize("method", list(Share))
def test_ends_lie_around_the_share_and_inside_the_unit_interval(method: Share) -> None:
    n = np.repeat(np.arange(1, 30), 30)
    k = np.minimum(np.tile(np.arange(30), 29), n)
    low, high = share_ends(k, n, 0.9, method)
    inner = (k > 0) & (k < n)
    assert np.all((low >= 0) & (high <= 1))
    assert np.all((low <= k / n)[inner] & (high >= k / n)[inner])


def test_yes_and_no_have_mirrored_intervals() -> None:
    for method in Share:
        low, high = share_ends(3, 17, 0.95, method)
        other_low, other_high = share_ends(14, 17, 0.95, method)
        assert (float(low), float(high)) == pytest.approx((1 - other_high, 1 - other_low))


def test_a_share_comes_with_its_interval() -> None:
    found = share(3, 10)
    assert (found.value, found.n) == (0.3, 10)
    assert found.interval is not None
    assert found.interval.method == "wilson"


def test_no_trial_is_empty() -> None:
    assert share(0, 0).state is State.EMPTY


def test_ends_of_a_count_are_the_least_that_reach_the_probability() -> None:
    def below(count: int) -> float:
        return sum(comb(12, c) * 0.3**c * 0.7 ** (12 - c) for c in range(count + 1))

    low, high = (int(end) for end in count_ends(12, 0.3, 0.9))
    assert below(low - 1) < 0.05 <= below(low)
    assert below(high - 1) < 0.95 <= below(high)


def test_certain_counts_have_no_spread() -> None:
    low, high = count_ends([5, 5, 0], [0.0, 1.0, 0.4], 0.9)
    assert low.tolist() == high.tolist() == [0, 5, 0]


@pytest.mark.parametrize(
    ("k", "n", "level"),
    [(1, 0, 0.95), (-1, 3, 0.95), (4, 3, 0.95), (0.5, 3, 0.95), (1, 3, 1.0), (1, np.nan, 0.9)],
)
def test_what_is_no_share_is_refused(k: float, n: float, level: float) -> None:
    with pytest.raises(ValueError, match=r"share|whole|level"):
        share_ends(k, n, level)


@pytest.mark.parametrize(("n", "p"), [(-1, 0.5), (1.5, 0.5), (3, 1.1), (3, np.nan)])
def test_what_is_no_binomial_is_refused(n: float, p: float) -> None:
    with pytest.raises(ValueError, match=r"whole|lies in"):
        count_ends(n, p)
