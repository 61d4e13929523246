"""Alarms that begin once and end once: who was told of what stands in a file."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePath
from typing import Final

from arena.errors import ArenaError
from arena.http.door import HttpDoor
from arena.records.operations import ChannelSettings, Condition
from arena.store.codec import UNREADABLE, from_plain, to_plain
from arena.watch.channels import Alarm, AlarmEvent, ping, send_alarm

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
            lasting = alarms.get(key)
            since = lasting.since if lasting else at
            told = lasting.told if lasting else ()
            alarms[key] = OpenAlarm(condition, since, told)
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
