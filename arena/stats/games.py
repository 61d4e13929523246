"""Strengths from who beat whom, market by market: Bradley and Terry's, and Elo's ratings.

The chance that i beats j is the logistic function of their difference in log strength. Only
who was nearer counts, not by how much, so this stands beside mean losses and not for them.
Elo's last games weigh most, and their order matters: averaging over orders takes it out.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import expit, log_expit

from arena.records.estimate import State
from arena.stats.columns import Flags, Floats, Whole, codes
from arena.stats.comparisons.joint_losses import loss_table

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


_STEPS: Final = 100
_CLOSE: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Strengths:
    """Log strengths (k,) that sum to 0, with their covariance (k, k).

    Both are None where nothing can be said: EMPTY and SINGLE for none and one, and
    NOT_ESTIMABLE where some never lost to the rest, so that their strength is unbounded.
    `groups` (k,) numbers those that can be compared.
    """

    log_strength: Floats | None
    covariance: Floats | None
    games: float
    groups: Whole
    state: State

    def against(self, reference: int = 0) -> tuple[Floats, Floats] | None:
        """Log strengths with one contestant's at 0, and their covariance."""
        if self.log_strength is None or self.covariance is None:
            return None
        contrast = np.eye(self.log_strength.size)
        contrast[:, reference] -= 1
        return contrast @ self.log_strength, contrast @ self.covariance @ contrast.T


def bradley_terry(wins: Floats) -> Strengths:
    """Log strengths by maximum likelihood.

    Standard errors take every game for independent; see `clustered_covariance` for games of
    one event.

    Args:
        wins: (k, k) how often row beat column; a tie is half a win of each.

    Raises:
        ValueError: A count is negative or not finite, or the table not square.

    Source:
        Bradley and Terry (1952), Biometrika 39; Ford (1957), American Mathematical Monthly
        64, for when the estimate exists. Newton's method.

    >>> strengths = bradley_terry(np.array([[0.0, 3.0], [1.0, 0.0]]))
    >>> round(float(strengths.against(1)[0][0]), 6)
    1.098612
    """
    table = _checked(wins)
    k = len(table)
    groups = components(table)
    games = float(table.sum())
    state = State.OK
    if k <= 1:
        state = State.SINGLE if k else State.EMPTY
    elif np.unique(groups).size > 1:
        state = State.NOT_ESTIMABLE
    if state is not State.OK:
        return Strengths(None, None, games, groups, state)
    theta = _climb(table)
    return Strengths(theta, _inverse(_information(table, theta)), games, groups, state)


def components(wins: Floats) -> Whole:
    """Groups inside which everybody beat everybody, directly or through others.

    The maximum likelihood exists if there is one group only.

    Args:
        wins: (k, k) how often row beat column.

    Returns:
        (k,) the number of each one's group, from 0.

    Source:
        Ford (1957), American Mathematical Monthly 64: strong connection.

    >>> components(np.array([[0, 1, 1], [1, 0, 1], [0, 0, 0]])).tolist()
    [0, 0, 1]
    """
    if not len(wins):
        return np.zeros(0, np.intp)
    reach = (np.asarray(wins) > 0) | np.eye(len(wins), dtype=np.bool_)
    for _ in range(max(1, int(np.ceil(np.log2(max(2, len(reach))))))):
        reach = reach.astype(np.float64) @ reach > 0
    mutual = reach & reach.T
    return np.unique(mutual.argmax(axis=1), return_inverse=True)[1].reshape(-1)


def wins_by_event(losses: Floats, event: Whole, made: Flags | None = None) -> Floats:
    """Who beat whom in the questions of each event.

    The smaller loss wins; losses within a billionth of each other tie, half a win each.

    Args:
        losses: (n, k) a question a row and a contestant a column.
        event: (n,) each question's event.
        made: (n, k) where a forecast was made; everywhere if not given. Only questions that
            both forecast count for a pair.

    Returns:
        (G, k, k) how often row beat column, events in ascending order of code.

    Raises:
        ValueError: A loss is not finite where a forecast was made, or lengths differ.
    """
    table, there = loss_table(losses, made)
    where = np.unique(codes(event, len(table)), return_inverse=True)[1].reshape(-1)
    k = table.shape[1]
    wins = np.zeros((int(where.max(initial=-1)) + 1, k, k))
    kept = np.where(there, table, 0.0)
    room = 1e-9 * np.maximum(1e-300, np.abs(kept))
    for contestant in range(k):
        gap = kept - kept[:, [contestant]]
        won = np.where(gap > room, 1.0, np.where(gap < -room, 0.0, 0.5))
        np.add.at(
            wins[:, contestant], where, np.where(there & there[:, [contestant]], won, 0.0)
        )
        wins[:, contestant, contestant] = 0.0
    return wins


def clustered_covariance(strengths: Strengths, by_event: Floats) -> Floats | None:
    """The covariance of log strengths when the games of an event share their news.

    Args:
        strengths: Fitted to the sum of `by_event`.
        by_event: (G, k, k) the wins in each event, as of `wins_by_event`.

    Returns:
        (k, k), or None where there is no estimate or a single event.

    Raises:
        ValueError: Shapes do not fit.

    Source:
        White (1982), Econometrica 50, with scores summed over events and G / (G - 1):
        Cameron and Miller (2015), Journal of Human Resources 50.
    """
    if strengths.log_strength is None or strengths.covariance is None or len(by_event) <= 1:
        return None
    theta = strengths.log_strength
    if by_event.shape[1:] != strengths.covariance.shape:
        raise ValueError("the events' wins are of other contestants")
    expected = expit(theta[:, None] - theta)
    games = by_event + by_event.swapaxes(1, 2)
    pulls = (by_event - games * expected).sum(axis=2)
    factor = len(pulls) / (len(pulls) - 1)
    return np.asarray(strengths.covariance @ (factor * pulls.T @ pulls) @ strengths.covariance)


def _climb(wins: Floats) -> Floats:
    theta = np.zeros(len(wins))
    height = _height(wins, theta)
    games = wins + wins.T
    for _ in range(_STEPS):
        expected = games * expit(theta[:, None] - theta)
        slope = (wins - expected).sum(axis=1)
        step = _inverse(_information(wins, theta)) @ slope
        for _ in range(_STEPS):
            tried = _height(wins, theta + step)
            if tried >= height - _CLOSE * max(1.0, abs(height)):
                break
            step /= 2
        theta, height = theta + step, tried
        if np.abs(step).max() <= _CLOSE * max(1.0, float(np.abs(theta).max())):
            break
    return np.asarray(theta - theta.mean())


def _height(wins: Floats, theta: Floats) -> float:
    return float((wins * log_expit(theta[:, None] - theta)).sum())


def _information(wins: Floats, theta: Floats) -> Floats:
    chance = expit(theta[:, None] - theta)
    weight = (wins + wins.T) * chance * (1 - chance)
    np.fill_diagonal(weight, 0.0)
    return np.diag(weight.sum(axis=1)) - weight


def _inverse(information: Floats) -> Floats:
    """The covariance of log strengths about their mean: it has none along (1, ..., 1)."""
    k = len(information)
    level = np.full((k, k), 1 / k)
    return np.asarray(np.linalg.inv(information + level) - level)


def _checked(wins: Floats) -> Floats:
    table = np.asarray(wins, dtype=np.float64).copy()
    if len(table.shape) != 2 or table.shape[0] != table.shape[1]:  # noqa: PLR2004
        raise ValueError("wins stand in a square: row beat column")
    if not np.all(np.isfinite(table) & (table >= 0)):
        raise ValueError("a count of wins is finite and not negative")
    np.fill_diagonal(table, 0.0)
    return table
