"""What parsers of payloads give: records, and everything that was left out."""

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from arena.errors import ArenaError
from arena.records.market import LeftOut, Market, Quote, Status, VenueId

MOST_MALFORMED = 0.05

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose payload it is, and the moment for which it holds."""

    venue: VenueId
    at: datetime


@dataclass(frozen=True, slots=True)
class Listed:
    """A market as a list shows it: its facts, the list's own price, and its state."""

    market: Market
    quote: Quote | None
    status: Status


@dataclass(frozen=True, slots=True)
class Read(Generic[_T]):
    """The rows of a payload that could be read, in its order, and those that are left out."""

    rows: tuple[_T, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    def __add__(self, other: "Read[_T]") -> "Read[_T]":
        return Read(self.rows + other.rows, self.left_out + other.left_out)


def unreadable(what: str, why: str) -> LeftOut:
    """Name something that is not as the venue's format has it."""
    return LeftOut(what, why, malformed=True)


def hold_to_format(venue: VenueId, kind: str, read: Read[_T]) -> Read[_T]:
    """Let what was read pass, where nearly all of it could be.

    One malformed row is an accident, or 5 % of many are. More, or nothing but malformed
    rows, is a venue that has changed.

    Raises:
        ArenaError: `venue.format`: too much of it cannot be read; nothing of it may be used.
    """
    bad = [left for left in read.left_out if left.malformed]
    total = len(read.rows) + len(read.left_out)
    if len(bad) > max(1, MOST_MALFORMED * total) or (bad and len(bad) == total):
        raise ArenaError(
            "venue.format",
            f"{venue}: {len(bad)} of {total} {kind} cannot be read, "
            f"such as {bad[0].what}: {bad[0].why}",
            hint="nothing of this poll was used; `arena venue check` compares what it sends "
            "with what it used to send",
        )
    return read
