from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.agents.derived import RecalibrationMethod, recalibration

Past = list[tuple[float, float]]

pasts = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from([0.0, 1.0])), min_size=1, max_size=60
)


def bent(past: Past, method: RecalibrationMethod, *asked: float) -> list[float]:
    curve = recalibration(past, method)
    assert curve is not None
    return [curve(p) for p in asked]


def history(said: float, came: int, of: int) -> Past:
    return [(said, 1.0)] * came + [(said, 0.0)] * (of - came)


def test_platt_on_two_levels_goes_through_their_shrunken_frequencies() -> None:
    # 12 of 40 and 28 of 40 came true; targets are 41/42 and 1/42, so the levels are
    # (12 * 41 + 28) / 42 / 40 = 0.3095 and its complement
    past = history(0.2, 12, 40) + history(0.8, 28, 40)
    low, middle, high = bent(past, RecalibrationMethod.PLATT, 0.2, 0.5, 0.8)
    assert low == pytest.approx((12 * 41 / 42 + 28 / 42) / 40, abs=1e-9)
    assert [middle, high] == pytest.approx([0.5, 1 - low])


def test_platt_finds_the_slope_of_a_forecaster_that_exaggerates() -> None:
    rng = np.random.default_rng(7)
    true = rng.normal(0, 1.5, 20_000)
    came = (rng.random(20_000) < 1 / (1 + np.exp(-true))).astype(float)
    said = 1 / (1 + np.exp(-2 * true))
    past = list(zip(said.tolist(), came.tolist(), strict=True))
    assert bent(past, RecalibrationMethod.PLATT, 0.8)[0] == pytest.approx(
        2 / 3, abs=0.02
    )  # odds 4 -> 2


def test_platt_on_one_level_shows_no_slope() -> None:
    assert recalibration(history(0.3, 5, 40), RecalibrationMethod.PLATT) is None


def test_isotonic_gives_the_rising_frequencies_and_lines_between_them() -> None:
    past = history(0.2, 1, 10) + history(0.4, 5, 10) + history(0.6, 3, 10)
    # 0.4 and 0.6 are pooled: 8 of 20
    said = bent(past, RecalibrationMethod.ISOTONIC, 0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 1.0)
    assert said == pytest.approx([0.1, 0.1, 0.25, 0.4, 0.4, 0.4, 0.4])


def test_isotonic_is_never_surer_than_its_past_is_long() -> None:
    past = history(0.2, 0, 15) + history(0.8, 15, 15)
    assert bent(past, RecalibrationMethod.ISOTONIC, 0.1, 0.9) == pytest.approx(
        [1 / 32, 31 / 32]
    )


@pytest.mark.parametrize("method", RecalibrationMethod)
def test_an_empty_past_shows_nothing(method: RecalibrationMethod) -> None:
    assert recalibration([], method) is None


@settings(deadline=None)
@given(pasts, st.sampled_from(RecalibrationMethod), st.lists(st.floats(0, 1), max_size=10))
def test_whatever_came_nothing_becomes_certain_and_isotonic_rises(
    past: Past, method: RecalibrationMethod, asked: list[float]
) -> None:
    curve = recalibration(past, method)
    if curve is None:
        return
    said = [curve(p) for p in sorted(asked)]
    assert all(0 < p < 1 for p in said)
    if method is RecalibrationMethod.ISOTONIC:
        assert all(a <= b for a, b in pairwise(said))


@settings(deadline=None)
@given(pasts, st.sampled_from(RecalibrationMethod))
def test_the_order_of_the_past_does_not_matter(past: Past, method: RecalibrationMethod) -> None:
    one, other = recalibration(past, method), recalibration(sorted(past), method)
    assert (one is None) == (other is None)
    if one and other:
        assert [one(p) for p in (0.1, 0.7)] == pytest.approx([other(p) for p in (0.1, 0.7)])
