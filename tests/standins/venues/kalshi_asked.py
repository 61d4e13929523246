"""What a request to Kalshi asks for: its filters, its page, and what is refused.

Source: https://docs.kalshi.com/api-reference, version 3.34.0.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from tests.standins.venues.dialect import Answer, Asked
from tests.standins.venues.kalshi_past import MOST_PERIODS, PERIODS, Span

LATEST = 10**11  # seconds since 1970
OPEN = frozenset({"active", "inactive"})


class RefusedError(Exception):
    """A request is not answered as it wants; `answer` says why."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.answer = Answer(status, {"code": code, "message": message, "details": ""})


def bad(message: str) -> RefusedError:
    """Make the error of a request that is wrong."""
    return RefusedError(HTTPStatus.BAD_REQUEST, "bad_request", message)


def missing() -> RefusedError:
    """Make the error of something that is not there."""
    return RefusedError(HTTPStatus.NOT_FOUND, "not_found", "not found")


@dataclass(frozen=True, slots=True)
class Wishes:
    """The query of a request. Every method raises `RefusedError` for what is wrong in it."""

    asked: Asked

    def one(self, key: str) -> str | None:
        """Give the first value of a key; None where there is none, or an empty one."""
        return self.asked.one(key) or None

    def whole(self, key: str, default: int, least: int, most: int) -> int:
        """Give a whole number in a range."""
        said = self.one(key)
        if said is None:
            return default
        value = int(said) if said.isascii() and said.isdigit() else -1
        if not least <= value <= most:
            raise bad(f"{key} must be a whole number of {least} to {most}")
        return value

    def statuses(self) -> frozenset[str] | None:
        """Give the states that the word of the filter stands for; None is all of them."""
        word = self.one("status")
        if word not in {None, "open"}:
            raise bad("invalid status")
        return None if word is None else OPEN

    def span(self) -> Span:
        """Give the span of time whose candles are wanted."""
        for key in ("start_ts", "end_ts", "period_interval"):
            if self.one(key) is None:
                raise bad(f"{key} is required")
        start, end = (self.whole(key, 0, 0, LATEST) for key in ("start_ts", "end_ts"))
        minutes = self.whole("period_interval", 0, 0, max(PERIODS))
        if minutes not in PERIODS or end < start:
            raise bad("invalid period_interval, start_ts or end_ts")
        span = Span(start, end, minutes)
        if span.periods > MOST_PERIODS:
            raise bad(f"more than {MOST_PERIODS} periods")
        return span

    def page(self, keys: Sequence[int], limit: int, *, stuck: bool) -> tuple[list[int], str]:
        """Cut a page out of keys that rise, with the cursor of the next one.

        A cursor names the last key and nothing else: the filters have to be sent again. It is
        empty at the end. A server that is `stuck` gives its first page for ever.
        """
        cursor = self.one("cursor")
        start = 0 if cursor is None or stuck else bisect_right(keys, _last_key(cursor))
        chosen = list(keys[start : start + limit])
        more = start + limit < len(keys)
        return chosen, urlsafe_b64encode(b"after %d" % chosen[-1]).decode() if more else ""


def _last_key(cursor: str) -> int:
    try:
        return int(urlsafe_b64decode(cursor).removeprefix(b"after "))
    except ValueError as error:
        raise bad("invalid cursor") from error
