"""How long to leave a server alone: as it asks, or as its failures say."""

import itertools
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from email.utils import parsedate_to_datetime
from hashlib import sha256

from arena.http.door import HttpReply
from arena.ports import Clock

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
    until = _http_date(retry_after)
    if until is None:
        return None
    now = _http_date(reply.header("date") or "") or clock.now()
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


def _http_date(words: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(words)
    except (ValueError, OverflowError):
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC)
