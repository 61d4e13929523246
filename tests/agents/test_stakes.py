from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from arena.agents.samples import fitted

CENT, MICRO = Decimal("0.01"), Decimal("0.000001")


def scaled(*wishes: int, cap: int, floor: int = 50) -> list[Decimal]:
    return list(fitted([Decimal(w) for w in wishes], Decimal(cap), Decimal(floor)))


def test_stakes_that_fit_stay_as_they_are() -> None:
    assert scaled(300, 20, cap=320) == [300, 20]


def test_stakes_that_do_not_fit_shrink_together() -> None:
    assert scaled(300, 100, cap=200) == [150, 50]


def test_a_stake_that_shrinks_too_far_leaves_its_room_to_the_others() -> None:
    assert scaled(300, 90, 300, cap=300) == [150, 0, 150]


def test_of_equal_stakes_the_last_is_left_out() -> None:
    assert scaled(100, 100, cap=60) == [60, 0]


def test_where_only_the_smallest_stake_is_possible_one_is_left() -> None:
    assert scaled(400, 300, 200, cap=50) == [50, 0, 0]


def test_stakes_are_in_whole_cents() -> None:
    assert fitted([Decimal("99.999")], Decimal(100), Decimal(50)) == (Decimal("99.99"),)
    assert scaled(100, 100, 100, cap=200) == [Decimal("66.66")] * 3


def test_without_room_nothing_is_staked() -> None:
    assert scaled(100, cap=0) == [0]
    assert scaled(cap=0) == []


@given(
    st.lists(st.integers(0, 10**8), max_size=30), st.integers(0, 10**12), st.integers(0, 10**9)
)
def test_together_they_fit_and_none_grows(wishes: list[int], cap: int, floor: int) -> None:
    asked = [Decimal(w) * CENT for w in wishes]
    most, least = Decimal(cap) * MICRO, Decimal(floor) * MICRO
    stakes = fitted(asked, most, least)
    assert sum(stakes, Decimal(0)) <= most
    for stake, wish in zip(stakes, asked, strict=True):
        assert stake <= wish
        assert stake == 0 or stake >= min(least, wish)
