from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from arena.stats.comparisons.multiple import (
    bh,
    bonferroni,
    holm,
    level_of_each,
    shaffer,
)
from tests.present import some
from tests.vectors import case, near, source

Floats = NDArray[np.float64]
Adjust = Callable[[Floats], Floats]

METHODS: dict[str, Adjust] = {
    "bonferroni": bonferroni,
    "bonf": bonferroni,
    "holm": holm,
    "bh": bh,
}
every = pytest.mark.parametrize("adjust", [bonferroni, holm, bh])
families = st.lists(st.floats(0, 1), min_size=1, max_size=12).map(np.array)


def test_the_known_adjustments_of_eight_tests() -> None:
    known = source("ext.multiple")
    p = np.array(known["input"]["p"])
    for name, expected in some(known["expected"].items()):
        assert near(METHODS[name](p).tolist(), expected, known["tol"])


def test_the_adjustments_of_r_for_ten_tests() -> None:
    known = case("14_mcs_rank_sets", "p_adjust_10")
    p = np.array(known["inputs"]["p"])
    for name in ("bonf", "holm", "bh"):
        expected = known["expected"][name]
        assert near(METHODS[name](p).tolist(), expected, known["tol"], relative=True)


@every
def test_no_test_gives_no_p_value(adjust: Adjust) -> None:
    assert adjust(np.array([])).tolist() == []


@every
def test_a_single_test_stays_as_it_is(adjust: Adjust) -> None:
    assert adjust(np.array([0.03])).tolist() == [0.03]


@every
@pytest.mark.parametrize("p", [[0.5, np.nan], [-0.1], [1.1], [[0.5]]])
def test_what_is_no_p_value_is_refused(adjust: Adjust, p: list[float]) -> None:
    with pytest.raises(ValueError, match="p-value"):
        adjust(np.array(p))


@every
@given(p=families)
def test_an_adjusted_p_is_no_smaller_and_still_a_p(adjust: Adjust, p: Floats) -> None:
    found = adjust(p)
    assert (found >= p - 1e-15).all()
    assert (found <= 1).all()


@every
@given(p=families, data=st.data())
def test_the_order_of_the_tests_does_not_matter(
    adjust: Adjust, p: Floats, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(p))))
    assert adjust(p)[order] == pytest.approx(adjust(p[order]), abs=1e-15)


@pytest.mark.parametrize(("alpha", "tests"), [(0.0, 3), (1.0, 3), (0.05, 0)])
def test_a_family_without_a_level_or_a_test_is_refused(alpha: float, tests: int) -> None:
    with pytest.raises(ValueError, match="family"):
        level_of_each(alpha, tests)


@pytest.mark.parametrize(
    ("contestants", "counts"),
    [
        (2, [1]),
        (3, [3, 1, 1]),
        (4, [6, 3, 3, 3, 2, 1]),
        (5, [10, 6, 6, 6, 6, 4, 4, 3, 2, 1]),
        (6, [15, 10, 10, 10, 10, 10, 7, 7, 7, 6, 4, 4, 3, 2, 1]),
    ],
)
def test_shaffers_steps_are_the_counts_of_her_table(
    contestants: int, counts: list[int]
) -> None:
    p = np.array([1e-9 * 100**-step for step in range(len(counts), 0, -1)])
    assert shaffer(p, contestants) / p == pytest.approx(counts)


def test_of_fewer_pairs_than_all_shaffer_takes_those_left_for_equal() -> None:
    p = np.array([0.01, 0.02, 0.03])
    for contestants, some_of in ((10, p), (3, p[:2])):  # of ten six, of three two may be equal
        assert shaffer(some_of, contestants).tolist() == pytest.approx(holm(some_of).tolist())


@pytest.mark.parametrize("p", [[0.5, float("nan")], [1.1], [0.1] * 4])
def test_shaffer_refuses_what_is_no_family_of_three(p: list[float]) -> None:
    with pytest.raises(ValueError, match=r"p-value"):
        shaffer(np.array(p), 3)
