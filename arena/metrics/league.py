"""Who may be the best: rank sets, chances, the model confidence set, and games of pairs."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import ndtri

from arena.metrics.contest import MOST, panel_of
from arena.metrics.measures import LEVEL, lower_is_better, mean_like, terms
from arena.records.estimate import Interval, State
from arena.scoring.table import Floats, Forecasts, Whole
from arena.stats.bradley_terry import bradley_terry, clustered_covariance, wins_by_event
from arena.stats.confidence_set import model_confidence_set
from arena.stats.elo import Games, order_averaged_elo
from arena.stats.mean_losses import mean_losses, resampled_means
from arena.stats.ranks import RankOptions, rank_chances, rank_sets
from arena.stats.seeds import generator

DRAWS: Final = 10_000
ORDERS: Final = 100
LEAST: Final = 2  # events


@dataclass(frozen=True, slots=True)
class Place:
    """A contestant's place among all, on the questions that everybody answered.

    [rank_low, rank_high] are simultaneous: all ranks lie in theirs with the level's
    probability. `first` is how often it came first when events were resampled, `mcs_p` from
    which level on it falls out of the model confidence set. `strength` is its log strength
    of a Bradley-Terry model in which the better forecast of a question wins, with an interval
    over events, and `elo` the mean rating over random orders of the same games; both use all
    questions that a pair has in common, and say how often it was better, not by how much.
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
    elo: float


@dataclass(frozen=True, slots=True)
class League:
    """Places, best mean first, and what they were made from."""

    metric: str
    level: float
    questions: int
    events: int
    places: tuple[Place, ...]
    state: State


def league(
    forecasts: Forecasts, key: str, *, level: float = LEVEL, by_moment: bool = False
) -> League:
    """Rank contestants on common questions, with everything that says how sure that is.

    Args:
        forecasts: The rows.
        key: The metric; where it is no mean over rows, the Brier score is taken.
        level: Of the sets, in (0, 1).
        by_moment: Whether forecasts of a market at different moments are different questions.

    Returns:
        No places where there are fewer than two contestants or more than 100 (TOO_FEW), or
        fewer than two events that all of them forecast (NOT_ESTIMABLE). The draws follow
        from the contestants' names.

    Source:
        Mogstad, Romano, Shaikh and Wilhelm (2024), Review of Economic Studies 91; Hansen,
        Lunde and Nason (2011), Econometrica 79; Bradley and Terry (1952), Biometrika 39.
    """
    used = mean_like(key, forecasts)
    values = terms(used, forecasts)
    rows = np.flatnonzero(~np.isnan(values))
    there, who = np.unique(forecasts.contestant.codes[rows], return_inverse=True)
    names = [forecasts.contestant.names[code] for code in there.tolist()]
    if not 1 < len(names) <= MOST:
        return League(used, level, 0, 0, (), State.TOO_FEW)
    sign = 1.0 if lower_is_better(used) else -1.0
    table = panel_of(forecasts, sign * values, rows, who, by_moment=by_moment)
    common = table.there.all(axis=0)
    events = len(np.unique(table.events[common]))
    if events < LEAST:
        return League(used, level, int(common.sum()), events, (), State.NOT_ESTIMABLE)
    losses, event = table.losses.T[common], table.events[common]
    played = wins_by_event(table.losses.T, table.events, table.there.T)
    places = [
        Place(names[n], *place, *games)
        for n, (place, games) in enumerate(
            zip(
                _on_means(names, losses, event, level, sign),
                _of_games(names, played, level),
                strict=True,
            )
        )
    ]
    places.sort(key=lambda place: (place.rank, place.name))
    return League(used, level, len(losses), events, tuple(places), State.OK)


OnMeans = tuple[float, int, int, int, float, float | None, bool | None]
OfGames = tuple[float | None, Interval | None, float]


def _on_means(
    names: list[str], losses: Floats, event: Whole, level: float, sign: float
) -> list[OnMeans]:
    found = mean_losses(losses, event)
    if found.covariance is None:
        raise AssertionError("two events give a covariance")
    options = RankOptions(level=level)
    sets = rank_sets(
        found.means, found.covariance, generator("league", "ranks", *names), options
    )
    drawn = resampled_means(losses, event, generator("league", "means", *names), DRAWS)
    chances = rank_chances(drawn, level)
    kept = model_confidence_set(found.means, drawn)
    known = kept.p.size == len(names)
    return [
        (
            sign * float(found.means[n]),
            int(sets.rank[n]),
            int(sets.low[n]),
            int(sets.high[n]),
            float(chances.first[n]),
            float(kept.p[n]) if known else None,
            bool(kept.p[n] > 1 - level) if known else None,
        )
        for n in range(len(names))
    ]


def _of_games(names: list[str], played: Floats, level: float) -> list[OfGames]:
    wins = played.sum(axis=0)
    fitted = bradley_terry(wins)
    covariance = clustered_covariance(fitted, played)
    rating = _elo(names, wins)
    reach = float(ndtri((1 + level) / 2))
    made: list[OfGames] = []
    for n in range(len(names)):
        strength = None if fitted.log_strength is None else float(fitted.log_strength[n])
        between = None
        if strength is not None and covariance is not None:
            half = reach * float(np.sqrt(covariance[n, n]))
            between = Interval(strength - half, strength + half, level, "normal, by event")
        made.append((strength, between, float(rating[n])))
    return made


def _elo(names: list[str], wins: Floats) -> Floats:
    """Mean ratings over random orders of at most 100 games a pair, shared as the wins are."""
    first, second = np.triu_indices(len(names), 1)
    of_first, of_second = wins[first, second], wins[second, first]
    total = of_first + of_second
    games = np.minimum(np.round(total), 100).astype(np.intp)
    won = np.where(total > 0, of_first / np.maximum(total, 1), 0.5)
    number = np.concatenate([np.arange(g) for g in games]) if games.sum() else np.zeros(0)
    share = np.repeat(won * games, games)
    score = np.clip(share - number, 0.0, 1.0)
    played = Games(np.repeat(first, games), np.repeat(second, games), score)
    return order_averaged_elo(played, len(names), generator("league", "elo", *names), ORDERS)[0]
