"""Fewer points that look the same."""

from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arena.site.charts.parts.axis import even, extremes, telling

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


@given(st.sets(st.integers(0, 500), min_size=1), st.integers(2, 40))
def test_even_moments_are_few_with_both_ends(hours: set[int], most: int) -> None:
    moments = [datetime(2026, 1, 5, tzinfo=UTC) + timedelta(hours=n) for n in sorted(hours)]
    kept = even(moments, most)
    assert kept <= set(moments)
    assert len(kept) <= most
    assert {moments[0], moments[-1]} <= kept


def test_even_moments_are_even_in_time_and_not_in_number() -> None:
    first = datetime(2026, 1, 5, tzinfo=UTC)
    dense = [first + timedelta(hours=n) for n in [*range(90), *range(90, 191, 10)]]
    assert len([at for at in even(dense, 21) if at < dense[90]]) == 10
