"""What a server says is left of its rate limits, read from the headers of its replies."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum

from arena.http import HttpReply
from arena.ports import Clock

LONGEST_RESET = 86_400.0  # a number beyond it is a moment and not a duration

_COUNT = re.compile(r"[0-9]{1,15}")
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,20})?")
_DURATION = re.compile(
    r"(?=.)(?:([0-9]{1,6})d)?(?:([0-9]{1,6})h)?(?:([0-9]{1,6})m)?"
    r"(?:([0-9]{1,9}(?:\.[0-9]{1,20})?)s)?(?:([0-9]{1,9}(?:\.[0-9]{1,20})?)ms)?"
)
_UNITS = (86_400.0, 3_600.0, 60.0, 1.0, 0.001)


class LimitUnit(StrEnum):
    """What a limit counts."""

    REQUESTS = "requests"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class Headroom:
    """How much of a limit is left, and in how many seconds there is more.

    `limit` is how much there can be at most; None where the server does not say. `name` tells
    the limits of one server apart.
    """

    name: str
    unit: LimitUnit
    left: int
    seconds: float
    limit: int | None = None


_HEADERS = (
    (LimitUnit.REQUESTS, "x-ratelimit-{}-requests", "x-ratelimit-reset-requests"),
    (LimitUnit.TOKENS, "x-ratelimit-{}-tokens", "x-ratelimit-reset-tokens"),
    *(
        (unit, f"anthropic-ratelimit-{what}-{{}}", f"anthropic-ratelimit-{what}-reset")
        for unit, what in (
            (LimitUnit.REQUESTS, "requests"),
            (LimitUnit.TOKENS, "tokens"),
            (LimitUnit.TOKENS, "input-tokens"),
            (LimitUnit.TOKENS, "output-tokens"),
        )
    ),
    (LimitUnit.TOKENS, "x-ratelimitbysize-{}-minute", "ratelimitbysize-reset"),
    (LimitUnit.TOKENS, "x-ratelimitbysize-{}-minute", "x-ratelimitbysize-reset"),
)


def headroom_in(reply: HttpReply, clock: Clock) -> Iterator[Headroom]:
    """Read what is left of each limit that a reply tells of.

    A limit without a moment of reset says nothing, and so does one of -1, as some proxies
    send; what cannot be read is passed over. Source: the headers that OpenAI, Anthropic and
    Mistral document.

    Args:
        reply: Any reply; one of success tells of limits too.
        clock: What a reset that is a date is compared with, where the server tells no `Date`.
    """
    headers = dict(reversed(reply.headers))
    for unit, name, until in _HEADERS:
        left = _count(headers.get(name.format("remaining"), ""))
        reset = headers.get(until, "").strip()
        if left is None:
            continue
        seconds = _seconds(reset)
        if seconds is None:
            seconds = _seconds_until(reset, headers.get("date", ""), clock)
        if seconds is not None and 0 < seconds <= LONGEST_RESET:
            limit = _count(headers.get(name.format("limit"), "")) or None
            yield Headroom(name, unit, left, seconds, limit)


def _count(words: str) -> int | None:
    bare = words.strip()
    return int(bare) if _COUNT.fullmatch(bare) else None


def _seconds(words: str) -> float | None:
    """Read a duration: `6m0s`, `1.5s`, `20ms`, or a number of seconds."""
    if _SECONDS.fullmatch(words):
        return float(words)
    parts = _DURATION.fullmatch(words)
    if parts is None:
        return None
    numbers = zip(parts.groups("0"), _UNITS, strict=True)
    return sum(float(number) * unit for number, unit in numbers)


def _seconds_until(words: str, date: str, clock: Clock) -> float | None:
    """Read a moment as RFC 3339 writes it."""
    try:
        moment = datetime.fromisoformat(words)
    except ValueError:
        return None
    moment = moment.replace(tzinfo=moment.tzinfo or UTC)
    try:
        now = parsedate_to_datetime(date)
    except (ValueError, OverflowError):
        now = clock.now()
    return (moment - now.replace(tzinfo=now.tzinfo or UTC)).total_seconds()
