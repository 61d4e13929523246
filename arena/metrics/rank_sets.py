"""Who may be the best: rank sets, chances, the model confidence set, and games of pairs."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.special import stdtrit

from arena.metrics.claims.questions import MOST, panel_of
from arena.metrics.metric_values import LEVEL, lower_is_better, mean_like, terms
from arena.records.estimate import Interval, State
from arena.scoring.table import Floats, Forecasts, Whole
from arena.stats.bootstrap import generator
from arena.stats.comparisons.joint_losses import mean_losses, resampled_means
from arena.stats.comparisons.ranks import (
    RankOptions,
    model_confidence_set,
    rank_chances,
    rank_sets,
)
from arena.stats.games import (
    Games,
    bradley_terry,
    clustered_covariance,
    order_averaged_elo,
    wins_by_event,
)
from arena.stats.mean_intervals import effective_events

DRAWS: Final = 2_500
ORDERS: Final = 100  # of the games of Elo, of which there are not more than so many:
GAMES_OF_PAIR: Final = 100
GAMES: Final = 20_000
CELLS: Final = 25_000_000  # of what draws are held in; many contestants get fewer draws
LEAST: Final = 3  # events
SOME: Final = 20  # events for an interval of a strength
ENOUGH: Final = 50  # events for the model confidence set, which is too small with fewer


@dataclass(frozen=True, slots=True)
class Place:
    """A contestant's place among all, on the questions that everybody answered.

    [rank_low, rank_high] are simultaneous: all ranks lie in theirs with the level's
    probability. `first` is how often it came first when events were resampled, `mcs_p` from
    which level on it falls out of the model confidence set, None for fewer than 50 events.
    `strength` is its log strength of a Bradley-Terry model in which the better forecast of a
    question wins, None where somebody never lost to the rest; its interval is over events,
    and None for fewer than 20. `elo` is the mean rating over random orders of the same
    games, None where nobody asked. Both use all questions that a pair has in common, and say
    how often it was better, not by how much.
    """

    name: str
    mean: float
    rank: int
    rank_low: int
    rank_high: int
    first: float
    mcs_p: float | None
    in_mcs: bool | None
    strength: float | None
    strength_interval: Interval | None
    elo: float | None


@dataclass(frozen=True, slots=True)
class League:
    """Places, best mean first, and what they were made from.

    `draws` is how often events were resampled for `first` and `mcs_p`.
    """

    metric: str
    level: float
    questions: int
    events: int
    places: tuple[Place, ...]
    state: State
    draws: int = 0


def league(
    forecasts: Forecasts,
    key: str,
    *,
    level: float = LEVEL,
    by_moment: bool = False,
    elo: bool = False,
) -> League:
    """Rank contestants on common questions, with everything that says how sure that is.

    Args:
        forecasts: The rows.
        key: The metric; where it is no mean over rows, the Brier score is taken.
        level: Of the sets, in (0, 1).
        by_moment: Whether forecasts of a market at different moments are different questions.
        elo: Whether Elo ratings are made.

    Returns:
        No places where there are fewer than two contestants or more than 100 (TOO_FEW), or
        fewer than three events that all of them forecast (NOT_ESTIMABLE).

    The draws follow from the contestants' names in alphabetical order: the order of rows
    changes nothing, and other names move what is drawn (rank sets, `first`, `mcs_p`, `elo`)
    by its Monte-Carlo error, and nothing else.

    Source:
        Mogstad, Romano, Shaikh and Wilhelm (2024), Review of Economic Studies 91; Hansen,
        Lunde and Nason (2011), Econometrica 79; Bradley and Terry (1952), Biometrika 39.
    """
    used = mean_like(key, forecasts)
    values = terms(used, forecasts)
    rows = np.flatnonzero(~np.isnan(values))
    who = forecasts.contestant.take(rows).in_order()
    names = list(who.names)
    if not 1 < len(names) <= MOST:
        return League(used, level, 0, 0, (), State.TOO_FEW)
    sign = 1.0 if lower_is_better(used) else -1.0
    ordered = replace(forecasts, event=forecasts.event.in_order())
    table = panel_of(ordered, sign * values, rows, who.codes, by_moment=by_moment)
    common = table.there.all(axis=0)
    events = len(np.unique(table.events[common]))
    if events < LEAST:
        return League(used, level, int(common.sum()), events, (), State.NOT_ESTIMABLE)
    losses, event = table.losses.T[common], table.events[common]
    draws = max(1000, min(DRAWS, CELLS // len(names) ** 2))
    on_means = _on_means(names, losses, event, (level, draws, sign))
    played = wins_by_event(table.losses.T, table.events, table.there.T)
    of_games = _of_games(names, played, level, elo=elo)
    places = [
        Place(name, *on, *of) for name, on, of in zip(names, on_means, of_games, strict=True)
    ]
    places.sort(key=lambda place: (place.rank, place.name))
    return League(used, level, len(losses), events, tuple(places), State.OK, draws)


OnMeans = tuple[float, int, int, int, float, float | None, bool | None]
OfGames = tuple[float | None, Interval | None, float | None]


def _on_means(
    names: list[str], losses: Floats, event: Whole, how: tuple[float, int, float]
) -> list[OnMeans]:
    level, draws, sign = how
    estimates = mean_losses(losses, event)
    if estimates.covariance is None:
        raise AssertionError("three events give a covariance")
    sizes = np.bincount(event).astype(np.float64)
    options = RankOptions(
        level=level,
        draws=max(1000, min(2 * DRAWS, CELLS // (5 * len(names) ** 2))),
        events=max(2, int(effective_events(sizes))),
    )
    sets = rank_sets(
        estimates.means, estimates.covariance, generator("league", "ranks", *names), options
    )
    drawn = resampled_means(losses, event, generator("league", "means", *names), draws)
    chances = rank_chances(drawn, level)
    kept = model_confidence_set(estimates.means, drawn, add_one=True)
    tested = kept.p.size == len(names) and np.count_nonzero(sizes) >= ENOUGH
    return [
        (
            sign * float(estimates.means[n]),
            int(sets.rank[n]),
            int(sets.low[n]),
            int(sets.high[n]),
            float(chances.first[n]),
            float(kept.p[n]) if tested else None,
            bool(kept.p[n] > 1 - level) if tested else None,
        )
        for n in range(len(names))
    ]


def _of_games(names: list[str], played: Floats, level: float, *, elo: bool) -> list[OfGames]:
    wins = played.sum(axis=0)
    fitted = bradley_terry(wins)
    covariance = clustered_covariance(fitted, played)
    rating: list[float | None] = [None] * len(names)
    if elo:
        rating = _elo(names, wins).tolist()
    events = int(np.count_nonzero(played.any(axis=(1, 2))))
    reach = float(stdtrit(events - 1.0, (1 + level) / 2))
    made: list[OfGames] = []
    for n in range(len(names)):
        strength = None if fitted.log_strength is None else float(fitted.log_strength[n])
        between = None
        if strength is not None and covariance is not None and events >= SOME:
            half = reach * float(np.sqrt(covariance[n, n]))
            between = Interval(strength - half, strength + half, level, "sandwich by event, t")
        made.append((strength, between, rating[n]))
    return made


def _elo(names: list[str], wins: Floats) -> Floats:
    """Mean ratings over random orders of some games of each pair, shared as the wins are."""
    first, second = np.triu_indices(len(names), 1)
    of_first, of_second = wins[first, second], wins[second, first]
    total = of_first + of_second
    most = min(GAMES_OF_PAIR, max(1, GAMES // len(first)))
    games = np.minimum(np.round(total), most).astype(np.intp)
    won = np.where(total > 0, of_first / np.maximum(total, 1), 0.5)
    number = np.concatenate([np.arange(g) for g in games]) if games.sum() else np.zeros(0)
    share = np.repeat(won * games, games)
    score = np.clip(share - number, 0.0, 1.0)
    played = Games(np.repeat(first, games), np.repeat(second, games), score)
    return order_averaged_elo(played, len(names), generator("league", "elo", *names), ORDERS)[0]
