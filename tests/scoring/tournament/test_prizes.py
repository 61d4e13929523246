from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.scoring.tournament.prizes import (
    Medal,
    medals,
    peer_global,
    peer_global_before_2024,
    prize_shares,
    ranks,
    squared_take,
)
from tests.present import present
from tests.vectors import near, source


def test_squared_takes_and_prizes_with_and_without_a_smallest_one() -> None:
    held = source("meta.take")
    told = held["input"]
    order = sorted(told["total_score"], key=told["total_score"].get, reverse=True)
    takes = [squared_take(told["total_score"][name]) for name in order]
    free = present(prize_shares(takes))
    least = present(prize_shares(takes, minimum=told["minimum_prize"] / told["pool"]))
    found = {
        "take": dict(zip(order, takes, strict=True)),
        "share": dict(zip(order, free, strict=True)),
        "prize_no_min": {n: told["pool"] * x for n, x in zip(order, free, strict=True)},
        "prize_min50": {n: told["pool"] * x for n, x in zip(order, least, strict=True)},
    }
    assert near(found, held["expected"], held["tol"])


def test_a_global_peer_score_counts_coverage_as_thirty_at_least() -> None:
    held = source("meta.peer_global")
    told = held["input"]
    found = {"score": peer_global(told["sum_peer"], told["coverage"])}
    assert near(found, held["expected"], held["tol"])
    assert peer_global(600, 60) == 10
    assert (peer_global_before_2024(600, 20), peer_global_before_2024(600, 60)) == (15, 10)


@pytest.mark.parametrize(
    ("takes", "minimum", "expected"),
    [
        ([6, 3, 1], 0, [0.6, 0.3, 0.1]),
        ([6, 3, 1], 0.25, [2 / 3, 1 / 3, 0]),
        ([6, 3, 1], 0.50, [1, 0, 0]),
        ([6, 3, 1, 0], 0, [0.6, 0.3, 0.1, 0]),
        ([6, 3, 1, 0, -1], 0.25, [2 / 3, 1 / 3, 0, 0, 0]),
        ([0.90, 0.049, 0.041, 0.01], 0.05, [0.90 / 0.949, 0.049 / 0.949, 0, 0]),
        ([95, 5], 0.05, [0.95, 0.05]),
        ([1, 1], 2, [0, 0]),
    ],
)
def test_what_is_too_small_goes_to_those_above(
    takes: list[float], minimum: float, expected: list[float]
) -> None:
    assert prize_shares(takes, minimum=minimum) == pytest.approx(expected)


@pytest.mark.parametrize("takes", [[], [0.0, 0.0], [-1.0]])
def test_nothing_taken_is_nothing_to_share(takes: list[float]) -> None:
    assert prize_shares(takes) is None


def test_who_is_not_included_is_paid_nothing_and_takes_nothing_away() -> None:
    assert prize_shares([4, 3, 1], [True, False, True]) == (0.8, 0.0, 0.2)


@pytest.mark.parametrize(("takes", "minimum"), [([inf], 0.0), ([1.0], -0.1), ([1.0], inf)])
def test_amounts_that_are_none_are_refused(takes: list[float], minimum: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        prize_shares(takes, minimum=minimum)


@settings(max_examples=60)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=8), st.floats(0, 0.5))
def test_all_of_the_pool_is_paid_or_nothing(takes: list[float], minimum: float) -> None:
    shares = prize_shares(sorted(takes, reverse=True), minimum=minimum)
    if shares is not None:
        assert sum(shares) == pytest.approx(1) or set(shares) == {0.0}
        assert list(shares) == sorted(shares, reverse=True)
        assert all(share == 0 or share >= minimum - 1e-12 for share in shares)


def test_ties_share_a_rank_and_the_next_is_skipped() -> None:
    assert ranks([9, 7, 7 * (1 - 1e-10), 5], [True] * 4) == (1, 2, 2, 4)
    assert ranks([9, 7, 6.99, 5], [True] * 4) == (1, 2, 3, 4)


def test_a_tie_reaches_as_far_as_it_may_and_no_farther() -> None:
    assert ranks([9.0, 8.0, 6.0], [True] * 3, absolute=1.0) == (1, 1, 3)


def test_ties_may_be_wider() -> None:
    assert ranks([100, 99.9995, 99], [True] * 3, relative=1e-5, absolute=1e-8) == (1, 1, 3)


def test_who_is_not_ranked_takes_no_rank_from_others() -> None:
    included = [True, False, False, False, True]
    assert ranks([100, 90, 80, 70, 60], included) == (1, 2, 2, 2, 2)
    assert ranks([50, 40, 30, 20], [False, True, False, False]) == (1, 1, 2, 2)


def test_ranks_need_an_order() -> None:
    with pytest.raises(ValueError, match="from the best"):
        ranks([1, 2], [True, True])


@pytest.mark.parametrize(
    ("n", "gold", "silver", "bronze"),
    [(1, 1, 0, 0), (3, 1, 1, 1), (100, 1, 1, 3), (101, 2, 1, 3), (1000, 10, 10, 30)],
)
def test_medals_go_to_the_best_hundredths(n: int, gold: int, silver: int, bronze: int) -> None:
    found = medals(range(1, n + 1), [True] * n)
    counts = [found.count(medal) for medal in Medal]
    assert counts == [gold, silver, bronze]


def test_who_is_not_included_has_no_medal() -> None:
    assert medals([1, 1], [False, True]) == (None, Medal.GOLD)
