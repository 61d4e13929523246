"""Limits and pauses for requests to a server."""

import asyncio
import itertools
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from email.utils import parsedate_to_datetime
from hashlib import sha256

from arena.http.door import HttpReply
from arena.ports import Clock

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


LONGEST_WAIT = 30.0

_SECONDS = re.compile(r"\s*(\d{1,18}(?:\.\d{1,20})?)\s*", re.ASCII)
_PLEASE = re.compile(
    r"\bwait (?:for )?(\d{1,9}(?:\.\d{1,9})?) ?s(?:ec(?:ond)?s?)?\b", re.ASCII | re.IGNORECASE
)


def spread(seed: str) -> Callable[[], float]:
    """Make a source of jitter: numbers in [0.5, 1) that follow from the seed."""
    numbers = itertools.count()

    def draw() -> float:
        digest = sha256(f"{seed}/{next(numbers)}".encode()).digest()
        return 0.5 + int.from_bytes(digest[:4]) / 2**33

    return draw


def backoff(failures: int, jitter: float) -> float:
    """Give the seconds to wait after the first failure (0), the second (1) and so on.

    >>> [backoff(n, 1.0) for n in (0, 1, 5)]
    [1.0, 2.0, 30.0]
    """
    return float(min(LONGEST_WAIT, 2**failures) * jitter)


def wait_asked_for(reply: HttpReply, clock: Clock) -> float | None:
    """Read how many seconds a server asks to be left alone, from any of its headers.

    A date is compared with the server's own `Date` where it gives one. Of several numbers,
    which two servers on the way may have given, the largest counts. What cannot be read, or
    is not in the future, is None.
    """
    exact = _SECONDS.fullmatch(reply.header("retry-after-ms") or "")
    if exact and float(exact[1]):
        return float(exact[1]) / 1000
    retry_after = reply.header("retry-after") or ""
    matches = [_SECONDS.fullmatch(match) for match in retry_after.split(",")]
    seconds_given = [float(match[1]) for match in matches if match]
    if len(seconds_given) == len(matches):
        return max(seconds_given) or None
    until = http_date(retry_after)
    if until is None:
        return None
    now = http_date(reply.header("date") or "") or clock.now()
    seconds = (until - now).total_seconds()
    return seconds if seconds > 0 else None


def wait_in_body(payload: object, words: str) -> float | None:
    """Read how many seconds an error's body asks to be left alone.

    Args:
        payload: The body as JSON gave it; its field `retry_after_seconds` counts.
        words: What the body says in words, such as "Please wait 30 seconds".
    """
    field = payload.get("retry_after_seconds") if isinstance(payload, Mapping) else None
    if isinstance(field, int | Decimal | str) and not isinstance(field, bool):
        plain = _SECONDS.fullmatch(str(field))
        if plain and float(plain[1]):
            return float(plain[1])
    please = _PLEASE.search(words)
    return (float(please[1]) or None) if please else None


def http_date(words: str) -> datetime | None:
    """Read a moment as HTTP writes it; None for anything else."""
    try:
        moment = parsedate_to_datetime(words)
    except (ValueError, OverflowError):
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC)
