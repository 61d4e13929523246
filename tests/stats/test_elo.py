"""Elo ratings."""

import numpy as np
import pytest

from arena.stats.elo import EloRules, Games, elo, expected_score, order_averaged_elo


def _season(n: int = 60, players: int = 4, seed: int = 0) -> Games:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, players, n)
    second = (first + rng.integers(1, players, n)) % players
    return Games(first, second, rng.choice([0.0, 0.5, 1.0], n))


def test_a_season_by_hand() -> None:
    games, rules = _season(), EloRules(k=20, start=1000, scale=200, advantage=15)
    ratings = [1000.0] * 4
    for one, other, score in zip(games.first, games.second, games.score, strict=True):
        chance = 1 / (1 + 10 ** ((ratings[other] - ratings[one] - 15) / 200))
        ratings[one] += 20 * (score - chance)
        ratings[other] -= 20 * (score - chance)
    assert elo(games, 4, rules) == pytest.approx(ratings)


def test_games_of_a_period_are_rated_from_the_ratings_before_it() -> None:
    first, second = np.array([0, 0, 1]), np.array([1, 1, 0])
    games = Games(first, second, np.ones(3), np.array([3, 3, 7]))
    after = 1500 + 2 * 16
    chance = expected_score(np.array([2.0 * (1500 - after)]))[0]
    assert elo(games, 2)[1] == pytest.approx(3000 - after + 32 * (1 - chance))


def test_points_are_moved_and_never_made() -> None:
    games = _season(200)
    assert elo(games, 4).sum() == pytest.approx(6000)
    means, spread = order_averaged_elo(games, 4, np.random.default_rng(1), 50)
    assert means.sum() == pytest.approx(6000)
    assert np.all(spread > 0)


def test_averaging_takes_the_order_out() -> None:
    first = np.zeros(40, int)
    score = np.repeat([0.0, 1.0], 20)
    late = elo(Games(first, first + 1, score), 2)
    early = elo(Games(first, first + 1, score[::-1]), 2)
    assert late[0] > 1500 > early[0]
    for given in (score, score[::-1]):
        games = Games(first, first + 1, given)
        means, _ = order_averaged_elo(games, 2, np.random.default_rng(2), 4000)
        assert means[0] == pytest.approx(1500, abs=3)


def test_one_order_of_one_game_is_that_game() -> None:
    games = Games(np.array([1]), np.array([0]), np.array([0.5]))
    rules = EloRules(advantage=100)
    means, spread = order_averaged_elo(games, 3, np.random.default_rng(3), 7, rules)
    assert means == pytest.approx(elo(games, 3, rules))
    assert spread == pytest.approx(0)
    assert means[2] == 1500


def test_no_game_rates_nobody_and_nonsense_is_refused() -> None:
    none = Games(np.empty(0, int), np.empty(0, int), np.empty(0))
    assert elo(none, 2).tolist() == [1500, 1500]
    zero, one = np.array([0]), np.array([1])
    wrong = [
        (Games(zero, one, np.array([1.0, 0.0])), "score"),
        (Games(zero, zero, np.array([1.0])), "himself"),
        (Games(zero, one + 1, np.array([1.0])), "numbered"),
        (Games(zero, one, np.array([np.nan])), "score"),
        (Games(np.array([0, 0]), np.array([1, 1]), np.ones(2), np.array([2, 1])), "ascending"),
    ]
    for games, said in wrong:
        with pytest.raises(ValueError, match=said):
            elo(games, 2)
    with pytest.raises(ValueError, match="positive"):
        elo(none, 2, EloRules(k=0))
    with pytest.raises(ValueError, match="one at least"):
        order_averaged_elo(none, 2, np.random.default_rng(0), 0)
