"""When to ask a server again: the one retry loop, for every wire format."""

import asyncio
import itertools
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from hashlib import sha256
from http import HTTPStatus

from arena.clock import SystemClock
from arena.http import Fault, HttpError, HttpReply
from arena.ports import Clock
from arena.records.answer import Attempt, Completion, Trouble, added_up

MOST = 4
LONGEST_WAIT = 30.0

_SECONDS = re.compile(r"\s*(\d{1,9}(?:\.\d{1,6})?)\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Tried:
    """One attempt: what it would mean as the last one, and whether another may help.

    `wait` is how many seconds the server asked to be left alone.
    """

    attempt: Attempt
    completion: Completion
    again: bool = False
    wait: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a failed reply means, and whether asking again may help."""

    trouble: Trouble
    again: bool = False


@dataclass(frozen=True, slots=True)
class Retries:
    """How often to ask, and what waiting is made of.

    `jitter` gives numbers in [0.5, 1], so that many who failed together do not return
    together; `clock` reads a `Retry-After` that is a date.
    """

    jitter: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Clock = field(default_factory=SystemClock)
    most: int = MOST


def spread(seed: str) -> Callable[[], float]:
    """Make a source of jitter: numbers in [0.5, 1) that follow from the seed."""
    numbers = itertools.count()

    def draw() -> float:
        digest = sha256(f"{seed}/{next(numbers)}".encode()).digest()
        return 0.5 + int.from_bytes(digest[:4]) / 2**33

    return draw


async def ask_until_answered(
    ask_once: Callable[[float], Awaitable[Tried]], *, deadline: timedelta, retries: Retries
) -> Completion:
    """Ask until an attempt is final, the attempts are used up or the time is.

    Args:
        ask_once: Makes one attempt within the seconds it is given.
        deadline: The time for all attempts and the waits between them.
        retries: How often, and how to wait.

    Returns:
        The last attempt's completion, with all attempts, their usage added up, and the
        time of everything.
    """
    loop = asyncio.get_running_loop()
    start = loop.time()
    end = start + deadline.total_seconds()
    tries: list[Tried] = []
    while True:
        last = await ask_once(end - loop.time())
        tries.append(last)
        if not last.again or len(tries) >= retries.most:
            break
        wait = last.wait or backoff(len(tries) - 1, retries.jitter())
        if loop.time() + wait >= end:
            tries[-1] = _gave_up(last, wait)
            break
        await retries.sleep(wait)
    return replace(
        tries[-1].completion,
        attempts=tuple(t.attempt for t in tries),
        usage=added_up(t.completion.usage for t in tries),
        latency_ms=milliseconds(loop.time() - start),
    )


def backoff(failures: int, jitter: float) -> float:
    """Give the seconds to wait after the first failure (0), the second (1) and so on.

    >>> [backoff(n, 1.0) for n in (0, 1, 5)]
    [1.0, 2.0, 30.0]
    """
    return float(min(LONGEST_WAIT, 2**failures) * jitter)


def judge_status(status: int) -> Verdict:
    """Say what an HTTP status other than success means."""
    named = {
        401: Verdict(Trouble.CREDENTIALS),
        402: Verdict(Trouble.QUOTA),
        403: Verdict(Trouble.CREDENTIALS),
        408: Verdict(Trouble.TIMEOUT, again=True),
        429: Verdict(Trouble.RATE_LIMITED, again=True),
    }
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Verdict(Trouble.SERVER, again=True)
    return named.get(status, Verdict(Trouble.REQUEST))


def judge_fault(error: HttpError) -> Verdict:
    """Say what it means that no reply came, or none that can be used."""
    return {
        Fault.REQUEST: Verdict(Trouble.REQUEST),
        Fault.CONNECT: Verdict(Trouble.UNREACHABLE, again=True),
        Fault.TIMEOUT: Verdict(Trouble.TIMEOUT),
        Fault.DROPPED: Verdict(Trouble.UNREACHABLE, again=True),
        Fault.TOO_LARGE: Verdict(Trouble.UNREADABLE),
        Fault.NOT_JSON: Verdict(Trouble.UNREADABLE),
    }[error.fault]


def wait_asked_for(reply: HttpReply, clock: Clock) -> float | None:
    """Read how many seconds a server asks to be left alone, from any of its headers.

    A date is compared with the server's own `Date` where it gives one. What cannot be read,
    or is not in the future, is None.
    """
    exact = _SECONDS.fullmatch(reply.header("retry-after-ms") or "")
    if exact:
        return float(exact[1]) / 1000 or None
    asked = reply.header("retry-after") or ""
    plain = _SECONDS.fullmatch(asked)
    if plain:
        return float(plain[1]) or None
    until = _http_date(asked)
    if until is None:
        return None
    now = _http_date(reply.header("date") or "") or clock.now()
    seconds = (until - now).total_seconds()
    return seconds if seconds > 0 else None


def milliseconds(seconds: float) -> int:
    """Round seconds to whole milliseconds."""
    return round(seconds * 1000)


def _http_date(words: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(words)
    except (ValueError, OverflowError):
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC)


def _gave_up(tried: Tried, wait: float) -> Tried:
    detail = f"{tried.completion.detail}; waiting {wait:.3g} s would pass the deadline"
    return replace(tried, completion=replace(tried.completion, detail=detail))
