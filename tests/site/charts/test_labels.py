"""Labels that cover nothing."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from arena.site.charts.parts.axis import apart, free

PLACES = st.lists(st.integers(0, 500), max_size=30)


def test_labels_with_room_stay_where_they_are() -> None:
    assert apart([10, 100, 50], 20, (0, 200)) == [10, 100, 50]


def test_labels_that_would_cover_one_another_move_the_same_way() -> None:
    assert apart([100, 100], 20, (0, 200)) == [90, 110]


def test_no_label_leaves_its_ends() -> None:
    assert apart([0, 1, 199], 20, (0, 200)) == [0, 20, 199]


def test_a_box_is_free_where_nothing_else_is() -> None:
    within = (0, 0, 100, 100)
    assert free((10, 10, 20, 20), [(20, 10, 30, 20)], within)
    assert not free((10, 10, 21, 20), [(20, 10, 30, 20)], within)
    assert not free((90, 10, 110, 20), [], within)


@given(PLACES, st.integers(1, 40))
def test_labels_are_apart_in_order_and_inside(wanted: list[int], gap: int) -> None:
    found = apart(wanted, gap, (0, 500))
    room = min(gap, 500 // max(1, len(wanted) - 1))
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    steps = [found[b] - found[a] for a, b in pairwise(order)]
    assert all(step >= room - 1 for step in steps)
    assert all(0 <= place <= 500 for place in found)
