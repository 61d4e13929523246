"""What is wrong with a running arena, found in its file, its calendar and its disk."""

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from shutil import disk_usage
from typing import Final

from arena.errors import ArenaError
from arena.metrics.figures import moment
from arena.records.operations import Condition, Growth, Health, Severity
from arena.records.report import Status
from arena.records.settings import Settings
from arena.site.engine.manifest import MANIFEST, listed_bytes
from arena.site.engine.site_folder import places_beside
from arena.steps.status import status
from arena.store import Store, open_store
from arena.store.backups import BackupFolder, is_old
from arena.store.codec import read_moment
from arena.store.lease import overdue_holder
from arena.store.pages.costs import SqliteCosts
from arena.store.sqlite import tick_file
from arena.tick_timer import next_ring

RINGS: Final = 2  # ticks that may be missed before that is an alarm
GRACE: Final = timedelta(minutes=10)  # that a tick may take
LAST_TURNS: Final = 3  # of a contestant, all failed
SPENT: Final = 0.9  # of the day's budget
LEAST_FREE: Final = 1_000_000_000  # bytes
SOON: Final = timedelta(days=30)
SHORTEST_PACE: Final = timedelta(days=3)
LONGEST: Final = timedelta(days=3650)
MEGABYTE: Final = 1_000_000
DAY: Final = timedelta(days=1)


def health_of_arena(settings: Settings, at: datetime) -> Health:
    """Look at an arena as somebody who watches it; nothing is changed and nobody is asked.

    A file that cannot be read is a condition, and not an error.
    """
    if not Path(settings.database).exists():
        what = "no tick has made the database yet"
        return _without_books(settings, at, Condition("tick.never", Severity.WARNING, what))
    try:
        with open_store(settings.database) as store:
            return _health(store, settings, at)
    except ArenaError as error:
        what = f"the database cannot be read ({error.code})"
        hint = "`arena audit` says more; `arena restore` brings a backup back"
        return _without_books(
            settings,
            at,
            Condition("database", Severity.ALARM, what, hint),
            *_backups(settings, at)[1],
        )


def _without_books(settings: Settings, at: datetime, *conditions: Condition) -> Health:
    return Health(
        at=at,
        ok=not any(c.severity is Severity.ALARM for c in conditions),
        last_tick=None,
        next_tick=next_ring(settings.schedule.ring, at),
        due=0,
        stuck=0,
        price_age=None,
        day_spent=None,
        newest_backup=None,
        growth=None,
        conditions=conditions,
    )


def _health(store: Store, settings: Settings, at: datetime) -> Health:
    current = status(store, settings.cohorts, settings.schedule, at, settings.models)
    growth = growth_of(store, settings, at)
    spent = _day_spent(store, settings, at)
    ages = [v.oldest_price_age for v in current.venues if v.oldest_price_age is not None]
    newest, backups = _backups(settings, at)
    conditions = (
        *_ticks(current, settings, at),
        *_venues(current, settings),
        *_contestants(store),
        *_stuck(current),
        *_money(spent),
        *_growing(growth, at),
        *backups,
    )
    return replace(
        _without_books(settings, at, *conditions),
        last_tick=current.last_tick,
        due=len(current.due),
        stuck=len(current.stuck),
        price_age=max(ages, default=None),
        day_spent=spent,
        newest_backup=newest,
        growth=growth,
    )


def _ticks(current: Status, settings: Settings, at: datetime) -> Iterator[Condition]:
    hung = overdue_holder(tick_file(settings.database))
    if hung:
        hint = "the next `arena tick` takes over, or names the process to end"
        yield Condition("tick.hung", Severity.ALARM, "a tick gives no sign of life", hint)
    last, ring = current.last_tick, settings.schedule.ring
    if last is None:
        yield Condition("tick.never", Severity.WARNING, "no venue was asked yet")
        return
    due = last
    for _ in range(RINGS):
        due = next_ring(ring, due) or due
    late = max(due - last, settings.schedule.poll_every) + GRACE
    if at - last > late and (current.cohorts or current.due):
        hint = "is `arena run`, the timer or the workflow still there? `arena tick` does it now"
        what = f"nothing was ticked since {moment(last)}"
        yield Condition("tick.late", Severity.ALARM, what, hint)
    if last - at > GRACE:
        what = f"the last tick is of {moment(last)}, which is to come: a clock was ahead"
        yield Condition(
            "tick.ahead", Severity.ALARM, what, "docs/operations.md says what to do"
        )


def _venues(current: Status, settings: Settings) -> Iterator[Condition]:
    old = settings.schedule.stuck_after
    for venue in current.venues:
        if venue.last_error:
            since = "it was first asked" if venue.last_poll is None else moment(venue.last_poll)
            hint = "`arena venue check` asks it now; `arena status` has its words"
            what = f"venue {venue.venue} has not answered since {since}"
            yield Condition(f"venue.{venue.venue}", Severity.ALARM, what, hint)
        elif venue.oldest_price_age is not None and venue.oldest_price_age > old:
            days = venue.oldest_price_age // DAY
            what = f"the oldest price in use of venue {venue.venue} is {days} days old"
            yield Condition(f"price.{venue.venue}", Severity.WARNING, what)


def _contestants(store: Store) -> Iterator[Condition]:
    for row in store.db.rows(_FAILING, LAST_TURNS):
        hint = "`arena replies --failures` has what its model's server said"
        what = f"the last {LAST_TURNS} turns of contestant {row['contestant']} failed"
        yield Condition(f"contestant.{row['contestant']}", Severity.ALARM, what, hint)


# Contestants whose newest turns all failed; one that was late is no failure of its model.
_FAILING = """
WITH newest AS (
    SELECT contestant, failure, row_number() OVER (
        PARTITION BY contestant ORDER BY at DESC, cohort DESC, round DESC
    ) AS place
    FROM turns WHERE at >= (SELECT date(max(at), '-14 days') FROM turns)
)
SELECT contestant FROM newest WHERE place <= ?1 GROUP BY contestant
HAVING count(*) = ?1 AND count(failure) = ?1
    AND sum(failure LIKE 'round missed%' OR failure LIKE 'withdrawn%') = 0
ORDER BY contestant
"""


def _stuck(current: Status) -> Iterator[Condition]:
    others = [line for line in current.stuck if not line.startswith("venue ")]
    if others:
        number = len(others)
        what = f"{number} thing{'' if number == 1 else 's'} stuck"
        yield Condition("stuck", Severity.WARNING, what, "`arena status` names what and why")


def _money(spent: float | None) -> Iterator[Condition]:
    if spent is not None and spent >= SPENT:
        what = f"{spent:.0%} of the day's budget is spent"
        hint = "calls that could pass it are not made; budgets.day in config.yaml is the cap"
        yield Condition("budget.day", Severity.WARNING, what, hint)


def _day_spent(store: Store, settings: Settings, at: datetime) -> float | None:
    if not settings.budgets.day:
        return None
    return float(SqliteCosts(store.db).on(at.date()).counted / settings.budgets.day)


def _growing(growth: Growth, at: datetime) -> Iterator[Condition]:
    if growth.free < max(LEAST_FREE, 2 * growth.database):
        what = f"{growth.free // MEGABYTE:,} MB are free on the disk"
        hint = "`arena tape size` says what is large, `arena tape prune` deletes what is old"
        yield Condition("disk.low", Severity.ALARM, what, hint)
    elif growth.disk_full_on is not None and growth.disk_full_on - at < SOON:
        what = f"the disk is full on {growth.disk_full_on:%Y-%m-%d} at the pace so far"
        yield Condition("disk.soon", Severity.WARNING, what, "`arena tape size`")
    if growth.site_full_on is not None and growth.site_full_on - at < SOON:
        what = (
            f"the site reaches {growth.site_limit // MEGABYTE:,} MB on "
            f"{growth.site_full_on:%Y-%m-%d} at the pace so far"
        )
        hint = "`pages: recent` or `pages: index` under site makes it small"
        yield Condition("site.large", Severity.WARNING, what, hint)


def growth_of(store: Store, settings: Settings, at: datetime) -> Growth:
    """How large an arena is, and when it reaches a limit at the mean pace of its life."""
    database = _bytes_of_database(Path(settings.database))
    site = _bytes_of_site(settings)
    free = disk_usage(Path(settings.database).parent).free
    first = store.db.value("SELECT min(at) FROM journal_entries")
    life = at - read_moment(first) if first else timedelta(0)
    days = life / DAY
    has_pace = life >= SHORTEST_PACE
    limit = settings.watch.site_limit * MEGABYTE
    return Growth(
        database=database,
        site=site,
        daily=(database + site) / days if has_pace else None,
        free=free,
        disk_full_on=_reached(at, free, (database + site) / days) if has_pace else None,
        site_limit=limit,
        site_full_on=_reached(at, limit - site, site / days) if has_pace else None,
    )


def _reached(at: datetime, room: float, daily: float) -> datetime | None:
    """When so much room is used up; None where that is more than ten years away."""
    if daily <= 0 or room / daily > LONGEST / DAY:
        return None
    return at + DAY * max(0.0, room / daily)


def _bytes_of_site(settings: Settings) -> int:
    """The size of a site: what the list of its pages says, else what its folder holds."""
    site = Path(settings.site).resolve()
    if (site / MANIFEST).is_file():
        for beside in places_beside(site, Path(settings.database)):
            if (size := listed_bytes(beside)) is not None:
                return size
    return _bytes_below(str(site))


def _bytes_below(folder: str) -> int:
    """The size of all files of a folder; 0 where it is not there.

    A Path of each file would take longer than its size does.
    """
    total = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    total += _bytes_below(entry.path)
                else:
                    total += entry.stat(follow_symlinks=False).st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0
    return total


def _bytes_of_database(file: Path) -> int:
    beside = (file, file.with_name(f"{file.name}-wal"))
    return sum(part.stat().st_size for part in beside if part.exists())


def _backups(settings: Settings, at: datetime) -> tuple[datetime | None, tuple[Condition, ...]]:
    """When the newest backup was made, and whether that is too long ago."""
    wanted = settings.backups
    if not wanted.folder:
        return None, ()
    try:
        newest = BackupFolder(wanted.folder).newest(at)
    except ArenaError as error:
        made, when = f"their folder cannot be read ({error.code})", None
    else:
        when = newest.at if newest else None
        if not is_old(when, 2 * wanted.every, at):
            return when, ()
        made = "there is none" if when is None else f"the newest is of {moment(when)}"
    hint = "`arena backup` makes one, and says why it cannot"
    what = f"no backup in time: {made}"
    return when, (Condition("backup.old", Severity.ALARM, what, hint),)
