"""How fast one host is asked by this process, whoever asks."""

import asyncio
import math
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from arena.errors import ArenaError
from arena.http.manners import Pauses

MANY = 1_000_000

_shared: dict[tuple[str, Pauses], "Pace"] = {}


def pace_of(host: str, pauses: Pauses) -> "Pace":
    """Give the pace of a host: the same one to all who ask it with equal pauses."""
    return _shared.setdefault((host, pauses), Pace(pauses))


class Pace:
    """Lets requests through in the order they came, evenly spaced, a few under way at once.

    It may be used in several event loops, one after the other: what was sent and heard in
    one still counts in the next.

    Args:
        pauses: What waiting is made of.
    """

    def __init__(self, pauses: Pauses) -> None:
        self._pauses = pauses
        self._gap = 0.0
        self._at_once = MANY
        self._places = asyncio.Semaphore(MANY)
        self._loop: weakref.ref[asyncio.AbstractEventLoop] | None = None
        self._next = self._quiet_until = self._closed_until = self._seen = -math.inf
        self._why: ArenaError | None = None

    def tighten(self, per_second: float, at_once: int) -> None:
        """Keep to these limits too."""
        self._gap = max(self._gap, 1 / per_second)
        if at_once < self._at_once:
            self._at_once, self._loop = at_once, None

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[float]:
        """Wait for a turn to send one request, and hold a place until it is over.

        What it gives is for how many seconds it slept.

        Raises:
            ArenaError: The host was closed.
        """
        self._now()
        async with self._places:
            yield await self._stand_in()

    def leave_alone(self, seconds: float) -> None:
        """Let nobody go for so long."""
        self._quiet_until = max(self._quiet_until, self._now() + seconds)

    def close(self, seconds: float, why: ArenaError) -> None:
        """Turn everybody away for so long, with the error that a server gave the reason for."""
        until = self._now() + seconds
        if until > self._closed_until:
            self._closed_until, self._why = until, why

    async def _stand_in(self) -> float:
        slept = 0.0
        while True:
            now = self._now()
            self._hold(now)
            start = max(now, self._next, self._quiet_until)
            self._next = start + self._gap
            if start > now:
                await self._pauses.sleep(start - now)
                slept += start - now
                self._hold(self._now())
            if self._quiet_until <= start:  # nobody was told to wait longer meanwhile
                return slept

    def _hold(self, now: float) -> None:
        why, left = self._why, self._closed_until - now
        if why is not None and left > 0:
            message = f"{why.message}; it is not asked again for {left:.3g} s"
            raise ArenaError(why.code, message, hint=why.hint, status=why.status)

    def _now(self) -> float:
        """Read the clock; another loop than before gets places of its own."""
        loop = asyncio.get_running_loop()
        if self._loop is None or self._loop() is not loop:
            self._loop = weakref.ref(loop)
            self._places = asyncio.Semaphore(self._at_once)
        now = loop.time() if self._pauses.now is None else self._pauses.now()
        if now < self._seen:  # another clock: moments of the last one mean nothing
            self._next = self._quiet_until = self._closed_until = -math.inf
        self._seen = now
        return now
