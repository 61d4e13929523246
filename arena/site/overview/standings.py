"""Standings by the headline metric, and the history of ranks."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.metrics.comparisons.all_pairs import MarketTests, questions_of
from arena.metrics.metric_values import lower_is_better, measure, terms
from arena.records.cohort import ContestantId
from arena.records.estimate import Estimate
from arena.scoring.table import Forecasts
from arena.site.overview.records import RankPlace, RanksAt
from arena.stats.comparisons.ranks import ranks

MOMENTS: Final = 16

Times = NDArray[np.datetime64]
Open = Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Standings:
    """Everybody's place, best first, and who may be the leader."""

    places: Mapping[ContestantId, RankPlace]
    order: tuple[ContestantId, ...]
    tied: tuple[ContestantId, ...]


def headline_of(forecasts: Forecasts) -> str:
    """The metric of the ranks: alpha where a price is known, else Brier; "" of no forecast."""
    if not len(forecasts):
        return ""
    return "brier" if np.isnan(forecasts.market_p).all() else "alpha"


def values_of(forecasts: Forecasts, headline: str) -> Mapping[str, Estimate]:
    """The estimate of the headline metric of each contestant that has one, by name."""
    if not headline:
        return {}
    estimates = measure((headline,), forecasts)[headline]
    return dict(zip(forecasts.contestant.names, estimates, strict=True))


def questions_by(forecasts: Forecasts, headline: str) -> Mapping[str, int]:
    """How many questions the headline is the mean over, by name."""
    if not headline:
        return {}
    names = forecasts.contestant.names
    return dict(zip(names, question_counts(forecasts, headline), strict=True))


def question_counts(forecasts: Forecasts, headline: str) -> Sequence[int]:
    """How many questions the headline is the mean over, in the order of the contestants."""
    bare = replace(forecasts, labels={}, waiting=None, prices=None)
    scored = bare.take(~np.isnan(terms(headline, forecasts)))
    return [int(n) for n in questions_of(scored)]


def placed(  # noqa: PLR0913  who is ranked, by what, and whether at all
    names: Iterable[ContestantId],
    values: Mapping[str, Estimate],
    left: Open,
    headline: str,
    references: Collection[str] = (),
    *,
    enough: bool = True,
) -> Standings:
    """Places by value. Equal values share a place; a contestant without a value has none.

    References are ordered by their value and have no place. Who has no value comes last.

    Args:
        names: Everybody.
        values: Estimates of the headline metric, by name.
        left: The ranks that claims leave open; all of them where nothing is said.
        headline: The metric.
        references: Baselines.
        enough: Whether there is enough evidence to rank anyone.
    """
    everybody = sorted(names)
    known_values = {n: e.value for n, e in values.items() if e.value is not None}
    ranked = [name for name in everybody if name in known_values and name not in references]
    column = np.array([known_values[name] for name in ranked], np.float64)
    higher = bool(headline) and not lower_is_better(headline)
    order = ranks(column, higher_is_better=higher).tolist()
    places = {name: RankPlace(None, 1, max(1, len(ranked))) for name in everybody}
    for name, rank in zip(ranked if enough else (), order if enough else (), strict=True):
        low, high = left.get(name, (1, len(ranked)))
        places[name] = RankPlace(rank, min(low, rank), max(high, rank))
    sign = -1.0 if higher else 1.0
    best_first = sorted(
        everybody,
        key=lambda n: (
            sign * known_values[n] if n in known_values else np.inf,
            n in references,
            n,
        ),
    )
    tied = tuple(n for n in best_first if places[n].rank and places[n].low == 1)
    return Standings(places, tuple(best_first), tied)


def place_of_price(
    against: MarketTests | None,
    order: Standings,
    values: Mapping[str, Estimate],
    references: Collection[str],
) -> RankPlace | None:
    """Where the market's price stands among those who compete: its gain over itself is 0."""
    if against is None:
        return None
    competing = [n for n, place in order.places.items() if place.rank is not None]
    above = sum((values[name].value or 0.0) > 0 for name in competing)
    verdicts = [t.verdict for t in against.tests if t.contestant not in references]
    low = 1 + verdicts.count("better")
    high = 1 + len(competing) - verdicts.count("worse")
    return RankPlace(1 + above, min(low, 1 + above), max(high, 1 + above))


def over_time(
    names: Sequence[ContestantId],
    forecasts: Forecasts,
    headline: str,
    came: Times,
    references: Collection[str] = (),
) -> tuple[RanksAt, ...]:
    """Everybody's rank at up to 16 moments, each after a market resolved.

    It is by value alone: no pairs are tested again.

    Args:
        names: Everybody.
        forecasts: What has come out.
        headline: The metric.
        came: (n,) when each row's market resolved; the last is the last moment.
        references: Baselines.
    """
    if not len(forecasts):
        return ()
    times = np.unique(came)
    picked = np.unique(np.linspace(0, len(times) - 1, MOMENTS).round().astype(np.intp))
    values, who = terms(headline, forecasts), forecasts.contestant
    has_value = ~np.isnan(values)
    history = []
    for at in times[picked]:
        rows = has_value & (came <= at)
        n = np.bincount(who.codes[rows], minlength=len(who.names))
        sums = np.bincount(who.codes[rows], values[rows], minlength=len(who.names))
        means = {
            name: Estimate(float(sums[code] / n[code]), int(n[code]), 0)
            for code, name in enumerate(who.names)
            if n[code]
        }
        made = placed(names, means, {}, headline, references).places
        ranked = {name: _untested(place) for name, place in made.items()}
        history.append(RanksAt(moment_of(at), ranked))
    return tuple(history)


def _untested(place: RankPlace) -> RankPlace:
    return place if place.rank is None else RankPlace(place.rank, place.rank, place.rank)


def moment_of(at: np.datetime64) -> datetime:
    """A moment of a numpy column, in UTC."""
    moment: datetime = at.astype("datetime64[us]").item()
    return moment.replace(tzinfo=UTC)
