"""Elo ratings: what sequential updating makes of games.

The last games weigh most and the order of games matters, so a rating is a running picture
and not an estimate; `bradley_terry` is the estimate of the same model. Averaging over orders
takes the order out of it.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]

_CELLS: Final = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Games:
    """Games in the order played: `first` scored `score` (1, 0.5 or 0) against `second`.

    All have shape (n,).
    """

    first: Whole
    second: Whole
    score: Floats


K: Final = 32.0
START: Final = 1500.0
SCALE: Final = 400.0  # points for tenfold odds


def expected_score(difference: Floats) -> Floats:
    """The score expected of one who is rated so much higher.

    Source:
        Elo (1978), The Rating of Chessplayers, Past and Present.

    >>> expected_score(np.array([0.0, 400.0])).round(6).tolist()
    [0.5, 0.909091]
    """
    return np.asarray(1 / (1 + 10 ** (-np.asarray(difference, np.float64) / SCALE)))


def order_averaged_elo(
    games: Games, players: int, rng: np.random.Generator, orders: int = 500
) -> tuple[Floats, Floats]:
    """The mean rating over random orders of the games, and its spread among orders.

    Args:
        games: The games.
        players: How many there are.
        rng: Where chance comes from.
        orders: How many orders, at least one.

    Returns:
        (players,) means and (players,) standard deviations of one order's rating.

    Raises:
        ValueError: Unequal lengths, a score outside [0, 1], an unknown player, one against
            himself; or no order.

    Source:
        Own; the device against the order effect that Boubdir, Kim, Ermis, Hooker and Fadaee
        (2023), "Elo Uncovered", recommend.
    """
    _check(games, players)
    if orders < 1:
        raise ValueError("an average over orders needs one at least")
    n = games.score.size
    ratings = np.full((orders, players), START, np.float64)
    step = max(1, _CELLS // max(1, n))
    for begin in range(0, orders, step):
        part = ratings[begin : begin + step]
        places = np.tile(np.arange(n), (len(part), 1))
        rng.permuted(places, axis=1, out=places)
        rows = np.arange(len(part))
        for column in places.T:
            first, second = games.first[column], games.second[column]
            gap = part[rows, first] - part[rows, second]
            change = K * (games.score[column] - expected_score(gap))
            part[rows, first] += change
            part[rows, second] -= change
    return ratings.mean(axis=0), ratings.std(axis=0)


def _check(games: Games, players: int) -> None:
    n = games.score.size
    if games.first.shape != (n,) or games.second.shape != (n,):
        raise ValueError("every game has two players and a score")
    for side in (games.first, games.second):
        if not np.all((side >= 0) & (side < players)):
            raise ValueError(f"players are numbered from 0 to {players - 1}")
    if np.any(games.first == games.second):
        raise ValueError("nobody plays himself")
    if not np.all((games.score >= 0) & (games.score <= 1)):
        raise ValueError("a score lies in [0, 1]")
