"""What contestants were worth day by day, and what that path was like."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from math import ceil
from typing import Final

from arena.metrics.bets.returns import risks
from arena.records.cohort import MarkRule
from arena.records.estimate import Estimate
from arena.site.overview.records import Worth
from arena.store import Store
from arena.store.scores.daily_values import Change, SqliteWorth

DAILY: Final = 183  # newest days that are all kept
OLDER: Final = 217  # points that what is before them is thinned to
WEEK: Final = 7
MICRO: Final = 1_000_000


def days_of(store: Store, mark: MarkRule, until: datetime) -> Mapping[str, Sequence[Worth]]:
    """Every day of each contestant from its first cohort on, up to a moment.

    A seat whose cohort is complete keeps what it was worth last.

    Args:
        store: An open store.
        mark: The price that open positions are valued at.
        until: The last moment that counts.
    """
    changes_by_contestant: defaultdict[str, dict[date, Change]] = defaultdict(dict)
    for change in SqliteWorth(store.db).changes(mark, until):
        changes_by_contestant[change.contestant][change.day] = change
    last = until.astimezone(UTC).date()
    return {name: _path(changes, last) for name, changes in changes_by_contestant.items()}


def _path(changes: Mapping[date, Change], last: date) -> tuple[Worth, ...]:
    days, capital, realised, worth, unpriced = [], 0, 0, 0, 0
    first = min(changes)
    for day in (first + timedelta(days=n) for n in range((last - first).days + 1)):
        if change := changes.get(day):
            capital, realised = capital + change.capital, realised + change.realised
            worth, unpriced = worth + change.worth, unpriced + change.unpriced
        days.append(
            Worth(
                datetime.combine(day, time(), UTC),
                capital / MICRO,
                (capital + realised) / MICRO,
                None if unpriced else worth / MICRO,
            )
        )
    return tuple(days)


def fallen(days: Sequence[Worth]) -> tuple[Worth, ...]:
    """The same days, each with its drawdown from the best day before; a loss is below 0.

    A day's return is its worth over that of the day before and the capital that came in
    since, less one. Nothing can be said where more was lost than there was.
    """
    with_falls, path, best, had, began = [], 1.0, 1.0, 0.0, 0.0
    for day in days:
        base = had + day.capital - began
        if day.worth is None:
            with_falls.append(day)
            continue
        if base <= 0 or day.worth < 0:
            return tuple(days)
        path *= day.worth / base
        best = max(best, path)
        with_falls.append(replace(day, fall=path / best - 1))
        had, began = day.worth, day.capital
    return tuple(with_falls)


def thinned(days: Sequence[Worth]) -> tuple[Worth, ...]:
    """At most 400 days and the deepest: the newest half year, of what is older some weeks."""
    older = days[:-DAILY]
    step = WEEK * max(1, ceil(len(older) / (OLDER * WEEK)))
    kept = set(range(len(older) - 1, -1, -step))
    deepest = min(range(len(older)), key=lambda n: older[n].fall or 0.0, default=0)
    if older and older[deepest].fall:
        kept.add(deepest)
    return (*(older[n] for n in sorted(kept)), *days[-DAILY:])


def path_scores(days: Sequence[Worth]) -> Mapping[str, Estimate]:
    """Drawdown, volatility and the worst day of a whole path."""
    return risks([day.capital for day in days], [day.worth for day in days])
