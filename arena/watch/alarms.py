"""Alarms that begin once and end once: who was told of what stands in a file.

After each tick the watch logs it, tells of alarms, and asks the dead man's switch.
"""

import asyncio
import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePath
from typing import Final

from arena.errors import ArenaError
from arena.http.door import HttpDoor
from arena.records.operations import ChannelSettings, Condition, Health, Severity
from arena.records.report import Failure, TickReport
from arena.records.settings import Settings
from arena.store.codec import UNREADABLE, from_plain, to_plain
from arena.watch.channels import Alarm, AlarmEvent, ping, send_alarm
from arena.watch.conditions import health_of_arena
from arena.watch.logs import log_event

ROOM: Final = 16_384  # bytes, for dozens of alarms


@dataclass(frozen=True, slots=True)
class OpenAlarm:
    """A condition that lasts, since when, and which channels were told of it."""

    condition: Condition
    since: datetime
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told of an arena's conditions, and the file that says who was told of what."""

    arena: str
    channels: Sequence[ChannelSettings]
    file: Path

    async def announce(
        self, conditions: Iterable[Condition], at: datetime, door: HttpDoor
    ) -> tuple[ArenaError, ...]:
        """Tell every channel of what began and of what ended since it was last told.

        What a channel did not take is told again next time. After each message the file is
        written: killed in between, a channel is told once more at the most. Where it cannot be
        written, for want of space, every channel is told all the same, and again next time.

        Returns:
            Why channels could not be told, or who was told not be written down.
        """
        now = {condition.key: condition for condition in conditions}
        alarms = dict(self.open_alarms())
        for key, condition in now.items():
            lasting = alarms.get(key, OpenAlarm(condition, at))
            alarms[key] = replace(lasting, condition=condition)
        failures: list[ArenaError] = self._keep(alarms)
        for key in sorted(alarms):
            event = AlarmEvent.BEGAN if key in now else AlarmEvent.ENDED
            for channel in self.channels:
                alarm = Alarm(self.arena, event, alarms[key].condition, at)
                if (channel.name in alarms[key].told) == (event is AlarmEvent.BEGAN):
                    continue
                try:
                    await send_alarm(channel, alarm, door)
                except ArenaError as error:
                    failures.append(error)
                    continue
                alarms[key] = _told(alarms[key], channel.name, event)
                failures += self._keep(alarms)
            if event is AlarmEvent.ENDED and not self._waits(alarms[key]):
                del alarms[key]
                failures += self._keep(alarms)
        return tuple({failure.message: failure for failure in failures}.values())

    def open_alarms(self) -> Mapping[str, OpenAlarm]:
        """What lasts, by key; nothing where the file is not there or cannot be read."""
        try:
            kept: Mapping[str, OpenAlarm] = from_plain(
                Mapping[str, OpenAlarm], json.loads(self.file.read_text("utf-8"))
            )
        except (OSError, *UNREADABLE):
            return {}
        return kept

    def _waits(self, ended: OpenAlarm) -> bool:
        """Whether a channel that is still configured was told of the beginning alone."""
        return bool({channel.name for channel in self.channels} & {*ended.told})

    def _keep(self, alarms: Mapping[str, OpenAlarm]) -> list[ArenaError]:
        """Write down who was told of what; why that cannot be done, if it cannot.

        The draft of the next time is kept: on a disk that is full by then it has its room.
        """
        draft = self.file.with_name(f"{self.file.name}.draft")
        text = json.dumps(to_plain(dict(alarms)), indent=2).ljust(ROOM)
        try:
            draft.touch()
            with draft.open("r+", encoding="utf-8") as opened:
                opened.write(text)
                opened.truncate()
            draft.replace(self.file)
            draft.write_text(" " * ROOM, "utf-8")
        except OSError as error:
            what = f"who was told of alarms cannot be written down: {error.strerror}"
            return [ArenaError("watch.file", what, hint="free some space")]
        return []


def _told(alarm: OpenAlarm, channel: str, event: AlarmEvent) -> OpenAlarm:
    others = tuple(name for name in alarm.told if name != channel)
    return replace(alarm, told=(*others, channel) if event is AlarmEvent.BEGAN else others)


def alarms_file(database: PurePath) -> Path:
    """Where it stands which alarms have begun."""
    return Path(f"{database}-alarms.json")


async def ping_switch(variable: str, door: HttpDoor, *, ok: bool) -> tuple[ArenaError, ...]:
    """Ask the dead man's switch, if one is configured; why it could not be asked."""
    if not variable:
        return ()
    try:
        await ping(variable, door, ok=ok)
    except ArenaError as error:
        return (error,)
    return ()


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
