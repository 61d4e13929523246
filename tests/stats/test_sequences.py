"""Confidence sequences: intervals that hold at every look."""

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.stats.sequences import empirical_bernstein
from tests.vectors import case, near

Floats = NDArray[np.float64]


def test_tie_n300_by_empirical_bernstein() -> None:
    known = case("13_anytime_valid", "tie_n300")
    expected = known["expected"]
    found = empirical_bernstein(_gains(known["inputs"]), known["inputs"]["alpha"])
    for end, values in (("lcb", found.low), ("ucb", found.high)):
        assert near(values.tolist(), expected[f"eb_{end}"], known["tol"], relative=True), end


def test_mirrored_differences_mirror_the_interval() -> None:
    d = np.random.default_rng(5).uniform(-1, 1, 80)
    assert np.allclose(empirical_bernstein(d).low, -empirical_bernstein(-d).high)


def test_no_difference_gives_no_interval_and_nonsense_is_refused() -> None:
    assert empirical_bernstein(np.array([])).high.size == 0
    with pytest.raises(ValueError, match="finite"):
        empirical_bernstein(np.array([np.nan]))
    with pytest.raises(ValueError, match="level"):
        empirical_bernstein(np.array([0.1]), 1.0)
    with pytest.raises(ValueError, match="outside"):
        empirical_bernstein(np.array([1.2]))


def test_intervals_hold_the_mean_at_every_look() -> None:
    rng = np.random.default_rng(11)
    missed = 0
    for _ in range(60):
        found = empirical_bernstein(rng.choice([-0.6, 0.1, 0.5], size=150))
        missed += bool(np.any((found.low > 0) | (found.high < 0)))
    assert missed <= 5


def _gains(given: dict[str, list[float]]) -> Floats:
    p, q, y = (np.array(given[name]) for name in ("p", "q", "y"))
    return np.asarray((q - y) ** 2 - (p - y) ** 2)
