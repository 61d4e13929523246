"""When a tick runs: the only module that knows APScheduler, which rings and no more.

What is due is worked out by the tick itself, from the calendar and the database.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from apscheduler.schedulers.blocking import BlockingScheduler
from apscheduler.triggers.cron import CronTrigger

from arena.clock import SystemClock

_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun")


def ring(crontab: str, job: Callable[[], None]) -> None:
    """Call `job` now and whenever a crontab line in UTC says so, until interrupted.

    A late ring is never skipped, several missed ones count as one, and two never overlap.
    A job that fails is written to the log, and the next ring comes all the same.
    """
    scheduler = BlockingScheduler(
        timezone=UTC,
        job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1},
    )
    trigger = _trigger(crontab)
    scheduler.add_job(job, trigger, id="tick", next_run_time=SystemClock().now())
    try:
        scheduler.start()
    finally:
        if scheduler.running:
            scheduler.shutdown(wait=False)


def next_ring(crontab: str, after: datetime) -> datetime | None:
    """The first moment strictly after one at which a crontab line in UTC rings."""
    trigger = _trigger(crontab)
    found: datetime | None = trigger.get_next_fire_time(None, after + timedelta(microseconds=1))
    return found


def _trigger(crontab: str) -> CronTrigger:
    """Read a crontab line; weekday 0 is Sunday, as everywhere but in APScheduler."""
    *rest, days = crontab.split()
    named = re.sub(r"(?<!/)\b[0-7]\b", lambda day: _DAYS[int(day[0])], days)
    return CronTrigger.from_crontab(" ".join([*rest, named]), timezone=UTC)
