"""Runs ticks on schedule: the only module that imports APScheduler.

What is due is worked out by the tick itself, from the calendar and the database.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from signal import SIGINT, SIGTERM, raise_signal, signal
from threading import Event
from traceback import format_exception

from apscheduler.triggers.cron import CronTrigger

from arena.clock import SystemClock
from arena.secrets import Secrets

_log = logging.getLogger(__name__)
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


class _Ended(BaseException):
    """Asked to end while nothing was under way."""


@dataclass(slots=True)
class _Rounds:
    """The job, call by call, until somebody asks to end it."""

    job: Callable[[], None]
    ending: Callable[[], None]
    secrets: Secrets
    is_busy: bool = False
    is_ending: bool = False

    def end(self, *_: object) -> None:
        """End at once where nothing is under way, or when asked again; else after the job."""
        if not self.is_busy:
            raise _Ended
        if self.is_ending:
            raise_signal(SIGINT)
        self.is_ending = True
        self.ending()

    def call(self) -> None:
        """Call the job."""
        self.is_busy = True
        try:
            self.job()
        except Exception as error:  # noqa: BLE001  # the next ring comes all the same
            trace = "".join(format_exception(error))
            _log.error("a tick failed\n%s", self.secrets.text(trace))
        self.is_busy = False


def ring(
    crontab: str, job: Callable[[], None], ending: Callable[[], None], secrets: Secrets
) -> None:
    """Call `job` now and whenever a crontab line in UTC says so, until stopped or none is left.

    A late ring is never skipped, several missed ones count as one, and two never overlap.
    A job that fails is written to the log, without `secrets`, and the next ring comes all the
    same. The job runs in the thread that called, so that an interrupt stops it too.

    Asked to end by SIGTERM, it lets a job that is under way finish, and calls `ending`
    first; asked again, it is as if interrupted.
    """
    rounds = _Rounds(job, ending, secrets)
    before = signal(SIGTERM, rounds.end)
    clock = SystemClock()
    due: datetime | None = clock.now()
    try:
        while due and not rounds.is_ending:
            if (wait := due - clock.now()) > timedelta(0):
                Event().wait(wait.total_seconds())
                continue
            due = next_ring(crontab, clock.now())
            rounds.call()
    except _Ended:
        _log.info("asked to end, with nothing under way")
    finally:
        signal(SIGTERM, before)


def next_ring(crontab: str, after: datetime) -> datetime | None:
    """The first moment strictly after one at which a crontab line in UTC rings."""
    trigger = _trigger(crontab)
    fires_at: datetime | None = trigger.get_next_fire_time(
        None, after + timedelta(microseconds=1)
    )
    return fires_at


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
    weekdays: set[int] = set()
    for part in days.lower().split(","):
        span, _, step = part.partition("/")
        first, _, last = ("0-6" if span == "*" else span).partition("-")
        begin = _day(first)
        end = _day(last) if last else 6 if step else begin
        if end < begin:
            end += 7
        weekdays.update(day % 7 for day in range(begin, end + 1, int(step or 1)))
    return ",".join(_DAYS[day] for day in sorted(weekdays))


def _day(day: str) -> int:
    return _DAYS.index(day) if day in _DAYS else int(day)
