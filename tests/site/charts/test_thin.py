"""Fewer points that look the same."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arena.site.charts.thin import extremes, telling

PLACES = st.lists(
    st.tuples(st.integers(0, 999), st.integers(0, 999)), min_size=1, max_size=200
).map(sorted)


def kept_of(places: list[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    return [(x, y) for x, y in extremes(np.array(places), most).tolist()]


def test_a_line_with_room_for_it_is_left_alone() -> None:
    assert kept_of([(0, 1), (1, 5), (2, 3)], 4) == [(0, 1), (1, 5), (2, 3)]


def test_a_spike_stays_either_way() -> None:
    flat = [(n, {321: 500, 322: 0}.get(n, 10)) for n in range(1000)]
    assert {(321, 500), (322, 0)} <= set(kept_of(flat, 30))


@given(PLACES, st.integers(4, 60))
def test_what_is_kept_was_there_in_order_with_both_ends(
    places: list[tuple[int, int]], most: int
) -> None:
    kept = kept_of(places, most)
    assert len(kept) <= most
    assert kept == sorted(kept)
    assert set(kept) <= set(places)
    assert kept[:1] == places[:1]
    assert kept[-1:] == places[-1:]


def test_moments_keep_every_extreme_of_every_line() -> None:
    one = [float(n == 777) for n in range(10_000)]
    other = [None if n < 5000 else -float(n == 9001) for n in range(10_000)]
    kept = telling([one, other], 200)
    assert len(kept) <= 200
    assert {0, 777, 9001, 9999} <= set(kept)


def test_moments_with_room_for_them_are_all_kept() -> None:
    assert telling([[1.0, None, 2.0]], 3) == [0, 1, 2]
    assert telling([], 3) == []
