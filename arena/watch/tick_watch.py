"""What the watch does after a tick: log it, tell of alarms, ask the dead man's switch."""

import asyncio
import logging
from dataclasses import replace
from datetime import datetime

from arena.errors import ArenaError
from arena.http.door import HttpDoor
from arena.records.operations import Condition, Health, Severity
from arena.records.report import Failure, TickReport
from arena.records.settings import Settings
from arena.watch.alarms import Watch, alarms_file, ping_switch
from arena.watch.conditions import health_of_arena
from arena.watch.logs import log_event


def watch_of(settings: Settings) -> Watch:
    """The watch over an arena, as it is configured."""
    return Watch(
        settings.publishing.name, settings.watch.alarms, alarms_file(settings.database)
    )


def tell(
    settings: Settings, conditions: tuple[Condition, ...], at: datetime, *, ok: bool | None
) -> tuple[Failure, ...]:
    """Tell the channels of what began and ended; with `ok` said, the dead man's switch too.

    Returns:
        Who could not be told, as failures of a part of the tick.
    """

    async def told() -> tuple[ArenaError, ...]:
        async with HttpDoor() as door:
            failures = await watch_of(settings).announce(conditions, at, door)
            if ok is None:
                return failures
            return failures + await ping_switch(settings.watch.ping_env, door, ok=ok)

    return tuple(Failure(e.message, "the watch", e.hint) for e in asyncio.run(told()))


def after_tick(settings: Settings, report: TickReport, at: datetime) -> TickReport:
    """Log a tick, and tell of what is wrong after it; the report names who was not told."""
    log_event(
        "tick",
        answers=report.answers,
        fills=report.fills,
        resolved=len(report.resolved),
        pages=report.pages,
        failures=len(report.failures),
        failed_turns=len(report.failed_turns),
    )
    for failure in report.failures:
        log_event("failure", level=logging.ERROR, where=failure.where, what=failure.what)
    if not _is_watched(settings):
        return report
    health = health_of_arena(settings, at)
    conditions = (*health.conditions, *_failed_parts(report))
    _log_conditions(health)
    failures = tell(settings, conditions, at, ok=not _failed_parts(report))
    return replace(report, failures=report.failures + failures)


def _failed_parts(report: TickReport) -> tuple[Condition, ...]:
    """Parts of a tick that failed, but for venues: those are conditions of their own."""
    parts = sorted({f.where for f in report.failures if not f.where.startswith("venue ")})
    return tuple(
        Condition(f"part.{where}", Severity.ALARM, f"a part of the tick failed: {where}")
        for where in parts
    )


def after_failure(settings: Settings, error: ArenaError | OSError, at: datetime) -> None:
    """Log a tick that failed as a whole, and tell of it, with its code alone."""
    code = error.code if isinstance(error, ArenaError) else "disk"
    log_event("tick failed", level=logging.ERROR, code=code)
    if not _is_watched(settings):
        return
    lasting = [alarm.condition for alarm in watch_of(settings).open_alarms().values()]
    failed = Condition("tick.failed", Severity.ALARM, f"a tick failed ({code})", "`arena tick`")
    others = tuple(c for c in lasting if c.key != failed.key)
    for failure in tell(settings, (*others, failed), at, ok=False):
        log_event("failure", level=logging.ERROR, where=failure.where, what=failure.what)


def _log_conditions(health: Health) -> None:
    for condition in health.conditions:
        log_event(
            "condition",
            level=logging.WARNING,
            key=condition.key,
            severity=condition.severity,
            what=condition.what,
        )


def _is_watched(settings: Settings) -> bool:
    return bool(settings.watch.alarms or settings.watch.ping_env)
