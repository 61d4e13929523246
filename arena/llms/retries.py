"""When to ask a server again: the one retry loop, for every wire format.

Asked again are: no connection, one that broke off, 408, 429 that is about the rate, 5xx, an
error that claims success, and an empty body. Never asked again are: any other 4xx, a quota,
a refusal, and silence after the request went out, since the provider may be at work on it
and charge for that. A connection that broke off may be charged for too; it is asked again,
and the attempt's `billed` stays None, so that a budget counts its worst case.
"""

import asyncio
import math
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from http import HTTPStatus

from arena.clock import SystemClock
from arena.http import Fault, HttpError, HttpReply, backoff
from arena.metrics.figures import span
from arena.ports import Clock
from arena.records.answer import Attempt, Completion, Trouble, taken_by

MOST = 4
MOST_AT_ONCE = 4
IN_LINE = 1200.0

_TOO_LONG = re.compile(
    r"maximum (?:context|prompt|model) length|(?:prompt|input) is too long"
    r"|(?:exceeds?|longer than|too large for)\b.{0,60}\bcontext"
    r"|context (?:window|length|size|limit) exceeded"
    r"|input tokens? .{0,30}exceeds?\b|exceeds the maximum number of tokens",
    re.IGNORECASE,
)
_COUNTRY = re.compile(
    r"user location is not supported|country[^.]{0,40} not supported|unsupported countr"
    r"|not (?:supported|available) in your (?:country|location|region|territory)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Tried:
    """One attempt: what it would mean as the last one, and whether another may help.

    `wait` is how many seconds the server asked to be left alone. `at_once` says that the next
    request will be another one, without what this server would not have: it is asked without
    a wait, and this attempt is not one of the `most`. `queued` are seconds spent in line
    before the request went out: our own limits do not shorten the server's time.
    """

    attempt: Attempt
    completion: Completion
    again: bool = False
    wait: float | None = None
    at_once: bool = False
    queued: float = 0.0


@dataclass(frozen=True, slots=True)
class AttemptVerdict:
    """What a failed reply means, and whether asking again may help."""

    trouble: Trouble
    again: bool = False


@dataclass(frozen=True, slots=True)
class Retries:
    """How often to ask, and what waiting is made of.

    `jitter` gives numbers in [0.5, 1], so that many who failed together do not return
    together; `clock` reads a `Retry-After` that is a date. `in_line` is for how many seconds
    an attempt may wait for its turn, which is no part of a model's deadline; it may for what
    is left of the deadline where that is longer.
    """

    jitter: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Clock = field(default_factory=SystemClock)
    most: int = MOST
    in_line: float = IN_LINE


async def ask_until_answered(
    ask_once: Callable[[float], Awaitable[Tried]], *, deadline: timedelta, retries: Retries
) -> Completion:
    """Ask until an attempt is final, the attempts are used up or the time is.

    A request may be changed and asked again `at_once` four times; a fifth wish to is final.

    Args:
        ask_once: Makes one attempt within the seconds it is given.
        deadline: The time for all attempts and the waits between them, without the time that
            attempts were `queued`.
        retries: How often, and how to wait.

    Returns:
        The last attempt's completion, with all attempts, their usage added up, and the
        time of everything but the queues.
    """
    loop = asyncio.get_running_loop()
    start = loop.time()
    end = start + deadline.total_seconds()
    tries: list[Tried] = []
    while True:
        last = await ask_once(end - loop.time())
        tries.append(last)
        end += last.queued
        wait = _wait_after(tries, retries)
        if wait is None:
            break
        if loop.time() + wait >= end:
            tries[-1] = _gave_up(last, wait)
            break
        if wait:
            await retries.sleep(wait)
    return replace(
        tries[-1].completion,
        attempts=tuple(t.attempt for t in tries),
        usage=taken_by(replace(t.completion, attempts=(t.attempt,)) for t in tries),
        latency_ms=milliseconds(loop.time() - start - sum(t.queued for t in tries)),
    )


def _wait_after(tries: Sequence[Tried], retries: Retries) -> float | None:
    """Say how many seconds to wait before the next attempt; None is: make none."""
    last = tries[-1]
    changes = sum(tried.at_once for tried in tries)
    if last.at_once:
        return 0.0 if changes <= MOST_AT_ONCE else None
    failures = len(tries) - changes
    if not last.again or failures >= retries.most:
        return None
    return last.wait or backoff(failures - 1, retries.jitter())


def judge_status(status: int) -> AttemptVerdict:
    """Say what an HTTP status other than success means."""
    named = {
        401: AttemptVerdict(Trouble.CREDENTIALS),
        402: AttemptVerdict(Trouble.QUOTA),
        403: AttemptVerdict(Trouble.CREDENTIALS),
        408: AttemptVerdict(Trouble.TIMEOUT, again=True),
        413: AttemptVerdict(Trouble.TOO_LONG),
        429: AttemptVerdict(Trouble.RATE_LIMITED, again=True),
    }
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return AttemptVerdict(Trouble.SERVER, again=True)
    return named.get(status, AttemptVerdict(Trouble.REQUEST))


def judge_words(verdict: AttemptVerdict, message: str) -> AttemptVerdict:
    """Say more of a request that was refused, where no code but the server's words do."""
    refused = verdict.trouble is Trouble.REQUEST
    if refused and _TOO_LONG.search(message):
        return AttemptVerdict(Trouble.TOO_LONG)
    if (refused or verdict.trouble is Trouble.CREDENTIALS) and _COUNTRY.search(message):
        return AttemptVerdict(Trouble.COUNTRY)
    return verdict


def judge_fault(error: HttpError) -> AttemptVerdict:
    """Say what it means that no reply came, or none that can be used."""
    return {
        Fault.REQUEST: AttemptVerdict(Trouble.REQUEST),
        Fault.CONNECT: AttemptVerdict(Trouble.UNREACHABLE, again=True),
        Fault.TIMEOUT: AttemptVerdict(Trouble.TIMEOUT),
        Fault.DROPPED: AttemptVerdict(Trouble.UNREACHABLE, again=True),
        Fault.TOO_LARGE: AttemptVerdict(Trouble.UNREADABLE),
        Fault.GARBLED: AttemptVerdict(Trouble.UNREADABLE),
        Fault.NOT_JSON: AttemptVerdict(Trouble.UNREADABLE),
    }[error.fault]


def is_final(reply: HttpReply) -> bool:
    """Say whether a server forbids to ask again, as OpenAI's does by `x-should-retry: false`.

    The opposite word counts for nothing: what is never asked again is not asked again.
    """
    return (reply.header("x-should-retry") or "").strip().lower() == "false"


def milliseconds(seconds: float) -> int:
    """Round seconds to whole milliseconds."""
    return round(seconds * 1000)


def _gave_up(tried: Tried, wait: float) -> Tried:
    wait_text = span(timedelta(seconds=math.ceil(wait)))
    why = f"waiting {wait_text} would pass the deadline" if wait else "the time is used up"
    detail = f"{tried.completion.detail}; {why}"
    return replace(tried, completion=replace(tried.completion, detail=detail))
