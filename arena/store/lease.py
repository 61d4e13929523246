"""Who is at work: one process at a time, which says so again and again, or loses the right."""

import asyncio
import fcntl
import json
import os
import socket
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Final, NoReturn, TypeVar

from arena.clock import SystemClock
from arena.errors import StopError

OVERDUE: Final = timedelta(minutes=15)  # without a sign, after which another may take over
BEAT: Final = 10.0  # seconds between two signs
PAUSE: Final = 0.1  # seconds between two tries

T = TypeVar("T")


class HeldError(Exception):
    """Another process is at it; the text says which, and since when."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to be the only process at some work; it ends with its process at the latest.

    It is a lock on a file whose time of change is the last sign of life. Who takes over puts
    another file in its place, so that the one before can tell and writes nothing any more.
    `taken_from` says which process was given up; blank where none was.
    """

    file: Path
    number: int
    taken_from: str = ""

    def beat(self) -> None:
        """Say that the work goes on.

        Raises:
            StopError: Another process has taken it over (`lease.lost`).
        """
        if not _stands(self.number, self.file):
            raise StopError(
                "lease.lost",
                f"this process gave no sign for too long, and another took over ({self.file})",
                hint="nothing more was written here; the other process does the work",
            )
        os.utime(self.number)

    async def during(self, work: Coroutine[object, object, T]) -> T:
        """Do some work, and give signs of life as long as it goes on."""
        doing, beating = asyncio.ensure_future(work), asyncio.ensure_future(self._beats())
        try:
            await asyncio.wait({doing, beating}, return_when=asyncio.FIRST_COMPLETED)
            return doing.result() if doing.done() else await beating
        finally:
            doing.cancel()
            beating.cancel()
            await asyncio.gather(doing, beating, return_exceptions=True)

    async def _beats(self) -> NoReturn:
        while True:
            await asyncio.sleep(BEAT)
            self.beat()


@contextmanager
def leased(
    file: Path,
    *,
    wait: float,
    quiet: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Iterator[Lease]:
    """Be the only process at some work.

    Args:
        file: Where the right stands.
        wait: Seconds that another process is waited for.
        quiet: Holds off the writes of a process that is taken over from, meanwhile.

    Raises:
        HeldError: Another process is at it, and has given a sign of life.
        OSError: The file cannot be written.
    """
    until = monotonic() + wait
    lease = _try(file, quiet)
    while lease is None:
        if monotonic() >= until:
            raise HeldError(_holder(file))
        sleep(PAUSE)
        lease = _try(file, quiet)
    try:
        yield lease
    finally:
        os.close(lease.number)


def overdue_holder(file: Path) -> str | None:
    """Which process has the right and gives no sign of life; None where there is none.

    None also for whoever may not read the file and cannot tell.
    """
    try:
        number = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, PermissionError):
        return None
    try:
        held = not _locked(number, fcntl.LOCK_SH)
        return _holder(file) if held and _is_overdue(number) else None
    finally:
        os.close(number)


def _try(file: Path, quiet: Callable[[], AbstractContextManager[object]]) -> Lease | None:
    number = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if _locked(number):
            if not _stands(number, file):
                return None
            _sign(number)
            lease, number = Lease(file, number), -1
            return lease
        if not _is_overdue(number):
            return None
        before = _holder(file)
        with quiet():
            return Lease(file, _replaced_file(file), before) if _stands(number, file) else None
    finally:
        if number >= 0:
            os.close(number)


def _replaced_file(file: Path) -> int:
    """Put a file that is ours in the place of one whose lock another process has."""
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    number = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    _locked(number)
    _sign(number)
    draft.replace(file)
    return number


def _sign(number: int) -> None:
    """Write down who we are."""
    since = SystemClock().now()
    signature = {
        "process": os.getpid(),
        "host": socket.gethostname(),
        "since": f"{since:%F %T}",
    }
    os.ftruncate(number, os.pwrite(number, json.dumps(signature).encode(), 0))


def _holder(file: Path) -> str:
    """Describe the process that holds the lease, if its signature can be read."""
    try:
        signature = json.loads(file.read_text(encoding="utf-8"))
        process, host = int(signature["process"]), signature["host"]
        who = f"process {process} on {host!r} since {signature['since']!s} UTC"
        return f"{who}, last sign {_changed(file.stat()):%F %T} UTC"
    except (OSError, ValueError, KeyError, TypeError):
        return "an unknown process"


def _locked(number: int, kind: int = fcntl.LOCK_EX) -> bool:
    try:
        fcntl.flock(number, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _stands(number: int, file: Path) -> bool:
    """Whether an open file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(number), file.stat())
    except FileNotFoundError:
        return False


def _is_overdue(number: int) -> bool:
    """Whether the last sign is long ago, or ahead by as much: then the clock was put right."""
    return abs(SystemClock().now() - _changed(os.fstat(number))) > OVERDUE


def _changed(stat: os.stat_result) -> datetime:
    return datetime.fromtimestamp(stat.st_mtime, UTC)
