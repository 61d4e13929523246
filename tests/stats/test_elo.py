"""Elo ratings."""

import numpy as np
import pytest

from arena.stats.ratings.games import Floats, Games, order_averaged_elo


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
