"""Limits and pauses for requests to a server."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

FASTEST = 1e6


@dataclass(frozen=True, slots=True)
class Manners:
    """How a venue's server is asked.

    At most `per_second` requests start in a second, evenly spaced, and `at_once` are under
    way. A request takes `seconds` at most, and its answer `most` bytes, unpacked. It is asked
    `tries` times at most; a server that asks to be left alone for more than `longest_wait`
    seconds is given up. One that turned this machine away is asked once more after
    `after_block` seconds.
    """

    per_second: float = 4
    at_once: int = 2
    tries: int = 6
    longest_wait: float = 60
    seconds: float = 30
    most: int = 25_000_000
    after_block: float = 120

    def __post_init__(self) -> None:
        if not (0 < self.per_second <= FASTEST and self.seconds > 0):
            raise ValueError("a server is asked at some pace, and given some time")
        if min(self.at_once, self.tries, self.most) < 1:
            raise ValueError("a server is asked at least once, for at least a byte")
        if not (self.longest_wait >= 0 and self.after_block >= 0):
            raise ValueError("a wait is not negative")


@dataclass(frozen=True, slots=True)
class Pauses:
    """The functions that pauses are made with: sleep, clock and jitter.

    `now` gives the seconds of the clock on which `sleep` is seen to pass; None is the event
    loop's. `jitter` gives numbers in [0.5, 1]; None draws them from the venue's name. Only
    readers with equal pauses share the pace of a host.
    """

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], float] | None = None
    jitter: Callable[[], float] | None = None
