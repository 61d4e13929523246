"""When a tick runs: the only module that knows APScheduler, which rings and no more.

What is due is worked out by the tick itself, from the calendar and the database.
"""

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Event
from traceback import format_exception

from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.cron import CronTrigger

from arena.secrets import Secrets

_log = logging.getLogger(__name__)
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


def ring(crontab: str, job: Callable[[], None], secrets: Secrets) -> None:
    """Call `job` now and whenever a crontab line in UTC says so, until interrupted.

    A late ring is never skipped, several missed ones count as one, and two never overlap.
    A job that fails is written to the log, without `secrets`, and the next ring comes all the
    same. The job
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
            _answer(job, secrets)
    finally:
        scheduler.shutdown(wait=False)


def _answer(job: Callable[[], None], secrets: Secrets) -> None:
    try:
        job()
    except Exception as error:  # noqa: BLE001  # the next ring comes all the same
        trace = "".join(format_exception(error))
        _log.error("a tick failed\n%s", secrets.text(trace))


def next_ring(crontab: str, after: datetime) -> datetime | None:
    """The first moment strictly after one at which a crontab line in UTC rings."""
    trigger = _trigger(crontab)
    found: datetime | None = trigger.get_next_fire_time(None, after + timedelta(microseconds=1))
    return found


def _trigger(crontab: str) -> CronTrigger:
    *rest, days = crontab.split()
    return CronTrigger.from_crontab(" ".join([*rest, _by_name(days)]), timezone=UTC)


def _by_name(days: str) -> str:
    """List weekdays by name; 0 and 7 are Sunday, as everywhere but in APScheduler.

    >>> _by_name("0,2-4")
    'sun,tue,wed,thu'
    """
    if days == "*":
        return days
    found: set[int] = set()
    for part in days.lower().split(","):
        span, _, step = part.partition("/")
        first, _, last = ("0-6" if span == "*" else span).partition("-")
        begin = _day(first)
        end = _day(last) if last else 6 if step else begin
        if end < begin:
            end += 7
        found.update(day % 7 for day in range(begin, end + 1, int(step or 1)))
    return ",".join(_DAYS[day] for day in sorted(found))


def _day(said: str) -> int:
    return _DAYS.index(said) if said in _DAYS else int(said)
