"""What contestants were worth day by day, and what that path was like."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import accumulate
from math import ceil
from typing import Final

from arena.metrics.returns import risks
from arena.records.cohort import MarkRule
from arena.records.estimate import Estimate
from arena.site.overview.records import Worth
from arena.store import Store
from arena.store.worth import Change, SqliteWorth

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
    read = SqliteWorth(store.db)
    starts = _by_day(read.starts())
    worths, realised = _by_day(read.worths(mark, until)), _by_day(read.realised(until))
    last = until.astimezone(UTC).date()
    return {
        name: _path(began, worths[name], realised[name], last) for name, began in starts.items()
    }


Days = Mapping[date, tuple[int, int]]


def _by_day(changes: Sequence[Change]) -> defaultdict[str, dict[date, tuple[int, int]]]:
    found: defaultdict[str, dict[date, tuple[int, int]]] = defaultdict(dict)
    for change in changes:
        micro, unpriced = found[change.contestant].get(change.day, (0, 0))
        found[change.contestant][change.day] = (
            micro + change.micro,
            unpriced + change.unpriced,
        )
    return found


def _path(began: Days, worths: Days, realised: Days, last: date) -> tuple[Worth, ...]:
    first = min(began)
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    capital, worth, made = (
        list(accumulate(change.get(day, (0, 0))[0] for day in days))
        for change in (began, worths, realised)
    )
    unpriced = accumulate(worths.get(day, (0, 0))[1] for day in days)
    return tuple(
        Worth(
            datetime.combine(day, time(), UTC),
            k / MICRO,
            (k + r) / MICRO,
            None if without else w / MICRO,
        )
        for day, k, r, w, without in zip(days, capital, made, worth, unpriced, strict=True)
    )


def thinned(days: Sequence[Worth]) -> tuple[Worth, ...]:
    """At most 400 days: the newest half year whole, and of what is older one in some weeks."""
    older = days[:-DAILY]
    step = WEEK * max(1, ceil(len(older) / (OLDER * WEEK)))
    kept = [older[n] for n in range(len(older) - 1, -1, -step)]
    return (*reversed(kept), *days[-DAILY:])


def path_scores(days: Sequence[Worth]) -> Mapping[str, Estimate]:
    """Drawdown, volatility and the worst day of a whole path."""
    return risks([day.capital for day in days], [day.worth for day in days])
