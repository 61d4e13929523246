"""What a venue's dialect is asked and what it answers, before any of it goes wrong."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

from arena.records.market import Outcome
from tests.standins.venues.world import WorldView

JSON = "application/json"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, its path counted from the venue's prefix on: `/markets/keyset`."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def one(self, key: str) -> str | None:
        """Give the first value of a key of the query; None where it was not given."""
        return next((value for name, value in self.query if name == key), None)

    def all(self, key: str) -> tuple[str, ...]:
        """Give every value of a key, in order."""
        return tuple(value for name, value in self.query if name == key)

    @property
    def parts(self) -> tuple[str, ...]:
        """The steps of the path: `/markets/12` has two."""
        return tuple(part for part in self.path.split("/") if part)


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent back: `payload` becomes JSON, but for bytes, which are sent as they are."""

    status: int
    payload: object
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str = JSON


@dataclass(frozen=True, slots=True)
class Quirks:
    """What goes wrong for once inside a dialect; what always does needs no word here.

    `first_page` gives the first page whatever the cursor. `as_text` sorts any list of
    numbers as text. A market that opened less than `hydration` ago is listed, but has no
    page, no book and no row of its own yet.
    """

    first_page: bool = False
    as_text: bool = False
    hydration: timedelta = timedelta(0)

    def hidden(self, opens_at: datetime, now: datetime) -> bool:
        """Say whether a market is too young to be found by its id."""
        return now - opens_at < self.hydration


class Dialect(Protocol):
    """One venue's way of speaking; an answer follows from nothing but what it is given."""

    def answer(self, asked: Asked, view: WorldView, quirks: Quirks) -> Answer:
        """Answer a request as the venue would; for a path that it does not have, 404."""
        ...

    def own_id(self, number: int) -> str:
        """Give the id by which the arena knows a market of this venue, without its name."""
        ...

    def number(self, own: str) -> int | None:
        """Find a market's number from such an id; None where it cannot be one."""
        ...

    def truth(self, outcome: Outcome) -> Outcome:
        """Say what this venue makes of an outcome of the world: not every venue can void."""
        ...


def draw(*what: object) -> float:
    """Draw a number in [0, 1) that follows from what it is drawn for."""
    return int.from_bytes(_digest(what)[:7]) / 2**56


def hex_id(digits: int, *what: object) -> str:
    """Make up an id of so many hexadecimal digits, at most 64."""
    return _digest(what).hex()[:digits]


def whole(value: str | None, default: int, most: int) -> int | None:
    """Read a whole number from a query, at most `most`; None where it is none."""
    if value is None:
        return default
    return min(int(value), most) if value.isascii() and value.isdigit() else None


def iso(at: datetime, *, digits: int = 0) -> str:
    """Write a moment as venues do, `2026-06-15T06:04:30Z`, with so many digits behind."""
    utc = at.astimezone(UTC)
    fraction = f".{utc.microsecond:06d}"[: digits + 1] if digits else ""
    return f"{utc:%Y-%m-%dT%H:%M:%S}{fraction}Z"


def millis(at: datetime) -> int:
    """Write a moment as milliseconds since 1970."""
    return (at - EPOCH) // timedelta(milliseconds=1)


def seconds(at: datetime) -> int:
    """Write a moment as whole seconds since 1970."""
    return (at - EPOCH) // timedelta(seconds=1)


def _digest(what: tuple[object, ...]) -> bytes:
    return hashlib.sha256("/".join(map(str, what)).encode()).digest()
