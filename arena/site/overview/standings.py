"""Who stands where by the headline, what stays open of it, and how it came about."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.metrics.contest import Contest, contest
from arena.metrics.measures import lower_is_better, measure, terms
from arena.records.cohort import ContestantId
from arena.records.estimate import Estimate
from arena.scoring.table import Forecasts
from arena.site.overview.records import LEVEL, Place, RanksAt
from arena.stats.ranks import ranks

MOMENTS: Final = 16

Times = NDArray[np.datetime64]
Open = Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Standings:
    """Everybody's place, best first, and the tests behind it."""

    places: Mapping[ContestantId, Place]
    order: tuple[ContestantId, ...]
    tied: tuple[ContestantId, ...]
    contest: Contest | None


def headline_of(forecasts: Forecasts) -> str:
    """The metric of the ranks: alpha where a price is known, else Brier; "" of no forecast."""
    if not len(forecasts):
        return ""
    return "brier" if np.isnan(forecasts.market_p).all() else "alpha"


def standings(names: Iterable[ContestantId], forecasts: Forecasts, headline: str) -> Standings:
    """Rank contestants by what has come out, and test every pair on common questions.

    Args:
        names: Everybody who takes part, with a forecast or not.
        forecasts: The arena's own rounds.
        headline: What they are ranked by; nobody has a place by "".
    """
    if not headline:
        return placed(names, {}, {}, headline)
    found = contest(forecasts, headline, level=LEVEL, by_moment=True)
    values = measure((headline,), forecasts)[headline]
    by_name = dict(zip(forecasts.contestant.names, values, strict=True))
    made = placed(names, by_name, found.ranks if found else {}, headline)
    return Standings(made.places, made.order, made.tied, found)


def placed(
    names: Iterable[ContestantId], values: Mapping[str, Estimate], left: Open, headline: str
) -> Standings:
    """Places by value; equals share one, and who has no value has none and stands last.

    Args:
        names: Everybody.
        values: What there is of the headline, by name.
        left: The ranks that tests leave open; all of them where nothing is said.
        headline: The metric.
    """
    everybody = sorted(names)
    known = {n: e.value for n, e in values.items() if e.value is not None}
    ranked = [name for name in everybody if name in known]
    column = np.array([known[name] for name in ranked], np.float64)
    higher = bool(headline) and not lower_is_better(headline)
    order = ranks(column, higher_is_better=higher).tolist()
    found = {name: Place(None, 1, max(1, len(everybody))) for name in everybody}
    for name, rank in zip(ranked, order, strict=True):
        low, high = left.get(name, (1, len(ranked)))
        found[name] = Place(rank, min(low, rank), max(high, rank))
    best_first = sorted(everybody, key=lambda n: (found[n].rank or len(everybody) + 1, n))
    tied = tuple(n for n in best_first if n in known and found[n].low == 1)
    return Standings(found, tuple(best_first), tied, None)


def over_time(
    names: Sequence[ContestantId], forecasts: Forecasts, headline: str, came: Times
) -> tuple[RanksAt, ...]:
    """Everybody's rank after each of at most 16 of the moments at which something resolved.

    It is by value alone: no pairs are tested again.

    Args:
        names: Everybody.
        forecasts: What has come out.
        headline: The metric.
        came: (n,) when each row's market resolved; the last is the last moment.
    """
    if not len(forecasts):
        return ()
    times = np.unique(came)
    picked = np.unique(np.linspace(0, len(times) - 1, MOMENTS).round().astype(np.intp))
    values, who = terms(headline, forecasts), forecasts.contestant
    known = ~np.isnan(values)
    found = []
    for at in times[picked]:
        rows = known & (came <= at)
        n = np.bincount(who.codes[rows], minlength=len(who.names))
        sums = np.bincount(who.codes[rows], values[rows], minlength=len(who.names))
        means = {
            name: Estimate(float(sums[code] / n[code]), int(n[code]), 0)
            for code, name in enumerate(who.names)
            if n[code]
        }
        made = placed(names, means, {}, headline).places
        ranked = {name: _untested(place) for name, place in made.items()}
        found.append(RanksAt(moment_of(at), ranked))
    return tuple(found)


def _untested(place: Place) -> Place:
    return place if place.rank is None else Place(place.rank, place.rank, place.rank)


def moment_of(at: np.datetime64) -> datetime:
    """A moment of a column, which is in UTC."""
    found: datetime = at.astype("datetime64[us]").item()
    return found.replace(tzinfo=UTC)
