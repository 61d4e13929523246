"""Strengths from who beat whom.

Elo ratings.
"""

import numpy as np
import pytest

from arena.records.estimate import State
from arena.stats.columns import Floats
from arena.stats.games import (
    Games,
    bradley_terry,
    clustered_covariance,
    components,
    order_averaged_elo,
    wins_by_event,
)
from tests.present import present
from tests.vectors import case, near


def test_random_8_agents() -> None:
    known = case("11_bradley_terry", "random_8_agents")
    fit = bradley_terry(np.array(known["inputs"]["W"]))
    against = present(fit.against(0))
    found = {
        "log_strength_ref_first": against[0].tolist(),
        "se": np.sqrt(np.diag(against[1])).tolist(),
        "vcov_of_others": against[1][1:, 1:].tolist(),
        "centred": present(fit.log_strength).tolist(),
    }
    expected = {key: known["expected"][key] for key in found}
    assert near(found, expected, known["tol"], relative=True)


def test_who_never_loses_has_no_estimate() -> None:
    wins = np.array([[0, 3, 4], [0, 0, 2], [0, 1, 0]])
    fit = bradley_terry(wins)
    assert fit.state is State.NOT_ESTIMABLE
    assert fit.log_strength is None
    assert fit.against() is None
    assert fit.groups.tolist() == [0, 1, 1]
    assert clustered_covariance(fit, wins[None].astype(float)) is None


def test_groups_are_joined_by_a_cycle() -> None:
    cycle = np.zeros((5, 5))
    cycle[np.arange(5), (np.arange(5) + 1) % 5] = 1
    assert components(cycle).tolist() == [0] * 5
    cycle[4, 0] = 0
    assert components(cycle).tolist() == [0, 1, 2, 3, 4]
    assert components(np.zeros((0, 0))).size == 0


def test_wins_are_counted_where_both_forecast_and_ties_are_halves() -> None:
    losses = np.array([[0.1, 0.2, 0.1], [0.3, 0.2, np.nan], [0.5, 0.5, 0.4]])
    made = ~np.isnan(losses)
    event = np.array([5, 5, 2])
    found = wins_by_event(losses, event, made)
    assert found.shape == (2, 3, 3)
    assert found[0].tolist() == [[0, 0.5, 0], [0.5, 0, 0], [1, 1, 0]]
    assert found[1].tolist() == [[0, 1, 0.5], [1, 0, 0], [0.5, 1, 0]]


def test_games_of_one_event_are_worth_one_event() -> None:
    rng = np.random.default_rng(0)
    once = rng.random((80, 4))
    losses = np.repeat(once, 5, axis=0)
    event = np.repeat(np.arange(80), 5)
    by_event = wins_by_event(losses, event)
    fit = bradley_terry(by_event.sum(axis=0))
    single = bradley_terry(wins_by_event(once, np.arange(80)).sum(axis=0))
    clustered = present(clustered_covariance(fit, by_event))
    covariance = present(fit.covariance)
    assert np.trace(covariance) == pytest.approx(np.trace(present(single.covariance)) / 5)
    assert np.trace(clustered) > 2 * np.trace(covariance)
    assert np.allclose(clustered.sum(axis=0), 0, atol=1e-12)


def test_two_contestants_differ_by_their_log_odds() -> None:
    fit = present(bradley_terry(np.array([[7.0, 30.0], [10.0, 3.0]])).against(1))
    assert fit[0][0] == pytest.approx(np.log(3))
    assert fit[1][0, 0] == pytest.approx(40 / (30 * 10))


def test_none_and_one_have_no_game() -> None:
    assert bradley_terry(np.zeros((0, 0))).state is State.EMPTY
    assert bradley_terry(np.zeros((1, 1))).state is State.SINGLE
    assert wins_by_event(np.empty((0, 2)), np.empty(0, int)).shape == (0, 2, 2)


def test_nonsense_is_refused() -> None:
    for wrong in (
        np.array([[0, -1], [1, 0]]),
        np.array([[0, np.nan], [1, 0]]),
        np.ones((2, 3)),
    ):
        with pytest.raises(ValueError, match="wins"):
            bradley_terry(wrong)
    with pytest.raises(ValueError, match="finite"):
        wins_by_event(np.array([[np.nan, 1.0]]), np.array([0]))
    with pytest.raises(ValueError, match="column"):
        wins_by_event(np.array([1.0]), np.array([0]))
    with pytest.raises(ValueError, match="other contestants"):
        clustered_covariance(bradley_terry(np.ones((2, 2))), np.ones((4, 3, 3)))


def _season(n: int = 60, players: int = 4, seed: int = 0) -> Games:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, players, n)
    second = (first + rng.integers(1, players, n)) % players
    return Games(first, second, rng.choice([0.0, 0.5, 1.0], n))


def averaged(games: Games, players: int) -> tuple[Floats, Floats]:
    return order_averaged_elo(games, players, np.random.default_rng(3), 7)


def test_a_season_by_hand() -> None:
    first, second, score = np.array([0] * 5), np.array([1] * 5), np.full(5, 1.0)
    ratings = [1500.0, 1500.0]
    for _ in range(5):
        chance = 1 / (1 + 10 ** ((ratings[1] - ratings[0]) / 400))
        ratings[0] += 32 * (1 - chance)
        ratings[1] -= 32 * (1 - chance)
    means, spread = averaged(Games(first, second, score), 2)
    assert means == pytest.approx(ratings)
    assert spread == pytest.approx(0)


def test_points_are_moved_and_never_made() -> None:
    games = _season(200)
    means, spread = order_averaged_elo(games, 4, np.random.default_rng(1), 50)
    assert means.sum() == pytest.approx(6000)
    assert np.all(spread > 0)


def test_averaging_takes_the_order_out() -> None:
    first = np.zeros(40, int)
    score = np.repeat([0.0, 1.0], 20)
    for given in (score, score[::-1]):
        games = Games(first, first + 1, given)
        means, _ = order_averaged_elo(games, 2, np.random.default_rng(2), 4000)
        assert means[0] == pytest.approx(1500, abs=3)


def test_no_game_rates_nobody_and_nonsense_is_refused() -> None:
    none = Games(np.empty(0, int), np.empty(0, int), np.empty(0))
    assert averaged(none, 2)[0].tolist() == [1500, 1500]
    zero, one = np.array([0]), np.array([1])
    wrong = [
        (Games(zero, one, np.array([1.0, 0.0])), "score"),
        (Games(zero, zero, np.array([1.0])), "himself"),
        (Games(zero, one + 1, np.array([1.0])), "numbered"),
        (Games(zero, one, np.array([np.nan])), "score"),
    ]
    for games, said in wrong:
        with pytest.raises(ValueError, match=said):
            averaged(games, 2)
    with pytest.raises(ValueError, match="one at least"):
        order_averaged_elo(none, 2, np.random.default_rng(0), 0)
