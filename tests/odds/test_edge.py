import numpy as np
import pytest

from arena.odds.edge import (
    edges,
    exceeds,
    exceeds_source_c,
    sigma_p,
    sigma_q,
    sigma_q_source_c,
    threshold,
)

NONE = np.zeros(3)


def test_floats_flag_one_edge_of_three_points_and_not_another() -> None:
    on = np.array([0.33 - 0.30, 0.48 - 0.45])
    assert exceeds_source_c(on, 0.03).tolist() == [True, False]
    assert exceeds(on, 0.03).tolist() == [False, False]
    assert exceeds(on + 1e-6, 0.03).tolist() == [True, True]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("1x2", 0.03), (" Match_Winner", 0.03), ("btts", 0.05), ("unheard of", 0.05)],
)
def test_unknown_classes_are_held_to_the_wider_threshold(name: str, expected: float) -> None:
    assert threshold(name) == expected


def test_legs_of_opposite_sign_are_a_two_sided_warning() -> None:
    found = edges(
        [[0.5, 0.3, 0.2], [0.5, 0.25, 0.25]],
        [[0.4, 0.3, 0.3], [0.4, 0.275, 0.325]],
        np.zeros((2, 3)),
    )
    assert found.two_sided.tolist() == [True, True]
    assert not edges([0.5, 0.48, 0.02], [0.45, 0.5, 0.05], NONE, limit=0.04).two_sided


def test_the_standardised_edge_is_the_edge_in_its_own_uncertainty() -> None:
    found = edges([0.5, 1.0], [0.4, 1.0], [0.012, 0.0])
    assert found.sigma_p[0] == pytest.approx(0.005)
    assert found.standardised[0] == pytest.approx(0.1 / 0.013)
    assert np.isnan(found.standardised[1])


def test_sigma_p_is_the_error_of_counting_paths() -> None:
    assert sigma_p(0.2, 100).item() == pytest.approx(0.04)
    assert sigma_q_source_c(0.5).item() == pytest.approx(np.sqrt(0.25 / 50))


def test_sigma_q_follows_from_the_tick_of_the_odds() -> None:
    odds = np.array([[1.9, 2.0], [1.1, 9.0]])
    found = sigma_q(odds, np.random.default_rng(42), draws=4000)
    delta = 0.25 * 0.005 / np.sqrt(3) * np.hypot(1 / 1.9, 1 / 2.0)  # q (1 - q) d ln odds
    assert found[0] == pytest.approx([delta, delta], rel=0.05)
    assert found[:, 0] == pytest.approx(found[:, 1])


def test_sigma_q_is_the_same_for_the_same_chance() -> None:
    draws = [sigma_q([2.5, 3.5, 2.8], np.random.default_rng(42)) for _ in range(2)]
    assert (draws[0] == draws[1]).all()


def test_odds_are_not_moved_to_one_or_below() -> None:
    assert np.isfinite(sigma_q([1.0011, 300.0], np.random.default_rng(1))).all()


def test_bad_input_is_refused() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="two draws"):
        sigma_q([1.9, 2.0], rng, draws=1)
    with pytest.raises(ValueError, match="one path"):
        sigma_p(0.2, 0)
    with pytest.raises(ValueError, match="not below 0"):
        edges([0.5, 0.5], [0.5, 0.5], [-1.0, 0.0])
    with pytest.raises(ValueError, match="unequal"):
        edges([0.5, 0.5], [0.5, 0.5], [0.0])
    with pytest.raises(ValueError, match="finite"):
        exceeds(np.nan, 0.03)
