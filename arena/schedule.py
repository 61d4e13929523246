"""When a tick runs: the only module that knows APScheduler, which rings and no more.

What is due is worked out by the tick itself, from the calendar and the database.
"""

import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Event

from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.cron import CronTrigger

_log = logging.getLogger(__name__)
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun")


def ring(crontab: str, job: Callable[[], None]) -> None:
    """Call `job` now and whenever a crontab line in UTC says so, until interrupted.

    A late ring is never skipped, several missed ones count as one, and two never overlap.
    A job that fails is written to the log, and the next ring comes all the same. The job
    runs in the thread that called, so that an interrupt stops it too.
    """
    bell = Event()
    bell.set()
    scheduler = BackgroundScheduler(
        timezone=UTC,
        job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1},
    )
    scheduler.add_job(bell.set, _trigger(crontab), id="tick")
    scheduler.start()
    try:
        while True:
            bell.wait()
            bell.clear()
            _answer(job)
    finally:
        scheduler.shutdown(wait=False)


def _answer(job: Callable[[], None]) -> None:
    try:
        job()
    except Exception:  # noqa: BLE001  # the next ring comes all the same
        _log.exception("a tick failed")


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
