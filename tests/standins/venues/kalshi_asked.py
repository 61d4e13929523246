"""What a request to Kalshi asks for: its filters, its page, and what is refused.

Source: https://docs.kalshi.com/api-reference, version 3.34.0.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus

from tests.standins.venues.dialect import EPOCH, Answer, Asked
from tests.standins.venues.kalshi_past import MOST_PERIODS, PERIODS, Span

LATEST = 10**11  # seconds since 1970
STATUSES = {
    "unopened": frozenset({"initialized"}),
    "open": frozenset({"active", "inactive"}),
    "paused": frozenset({"inactive"}),
    "closed": frozenset({"closed", "determined", "disputed", "amended"}),
    "settled": frozenset({"finalized"}),
}
# which status may stand beside a filter by time; None is none
TIMES: dict[str, tuple[str | None, ...]] = {
    "created": (None, "unopened", "open"),
    "close": (None, "closed"),
    "settled": (None, "settled"),
    "updated": (None,),
}


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
class Times:
    """A filter by time: `kind` is what the moment is of, both ends count."""

    kind: str
    low: datetime | None
    high: datetime | None

    def fits(self, at: datetime | None) -> bool:
        """Say whether a moment, if there is one, lies between the two."""
        if at is None or (self.low is not None and at < self.low):
            return False
        return self.high is None or at <= self.high


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

    def moment(self, key: str) -> datetime | None:
        """Give a moment that is told in seconds since 1970."""
        if self.one(key) is None:
            return None
        return EPOCH + timedelta(seconds=self.whole(key, 0, 0, LATEST))

    def names(self, key: str) -> tuple[str, ...] | None:
        """Give a list with commas, each name once; None where there is none."""
        said = self.one(key)
        return None if said is None else tuple(dict.fromkeys(said.split(",")))

    def statuses(self) -> frozenset[str] | None:
        """Give the states that a word of the filter stands for; None is all of them."""
        word = self.one("status")
        if word is not None and word not in STATUSES:
            raise bad("invalid status")
        return None if word is None else STATUSES[word]

    def times(self) -> Times | None:
        """Give the filter by time: of one kind only, and not beside any status."""
        ends = [(kind, f"min_{kind}_ts", f"max_{kind}_ts") for kind in TIMES]
        told = [one for one in ends if self.one(one[1]) or self.one(one[2])]
        if not told:
            return None
        kind, low, high = told[0]
        if len(told) > 1 or self.one("status") not in TIMES[kind]:
            raise bad("timestamp filters and status are incompatible")
        if kind == "updated" and self.one("mve_filter") != "exclude":
            raise bad("min_updated_ts needs mve_filter=exclude")
        return Times(kind, self.moment(low), self.moment(high))

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
