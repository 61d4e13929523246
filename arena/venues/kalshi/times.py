"""When Kalshi's markets begin and end, as far as their rows and rules say."""

import re
from datetime import UTC, datetime

from arena.venues.kalshi.fields import Row
from arena.venues.reading import moment, text

WHEN_KNOWN = ("expected_expiration_time", "expected_settlement_time", "close_time")
MIDNIGHT = "12:00 AM +1400"  # where a day begins first

_SCHEDULED = re.compile(
    r"scheduled for (?P<month>[A-Z]{3})[a-z]*\.? (?P<day>\d{1,2}), (?P<year>\d{4})"
    r"(?: at (?P<hour>\d{1,2}:\d{2} [AP]M) (?P<zone>[A-Z]{2,4}))?",
    re.IGNORECASE | re.ASCII,
)
# Where it is not said whether clocks are forward, the earlier moment is taken.
_ZONES = {
    "UTC": "+0000",
    "GMT": "+0000",
    "EDT": "-0400",
    "ET": "-0400",
    "EST": "-0500",
    "CDT": "-0500",
    "CT": "-0500",
    "CST": "-0600",
    "MDT": "-0600",
    "MT": "-0600",
    "MST": "-0700",
    "PDT": "-0700",
    "PT": "-0700",
    "PST": "-0800",
}


def closes_at(row: Row, at: datetime, *, is_open: bool) -> datetime | None:
    """Read when the answer should be known; `close_time` may be years later, and moves.

    Of an open market what is past by `at` says nothing.
    """
    moments = (moment(row.get(key)) for key in WHEN_KNOWN)
    return next((when for when in moments if when and (not is_open or when > at)), None)


def starts_at(row: Row, category: str) -> datetime | None:
    """Read when a game begins: as its field says or its rules do, whichever is earlier.

    Where the rules name a day and no hour, the day may begin anywhere on earth.
    """
    is_game = category.casefold() == "sports"
    field = moment(row.get("occurrence_datetime")) if is_game else None
    starts = (field, _scheduled(text(row.get("rules_primary"))))
    return min((when for when in starts if when), default=None)


def _scheduled(rules: str) -> datetime | None:
    match = _SCHEDULED.search(rules)
    if match is None:
        return None
    zone = _ZONES.get((match["zone"] or "").upper())
    hour = f"{match['hour']} {zone}" if zone else MIDNIGHT
    day = f"{match['month']} {match['day']} {match['year']}"
    try:
        return datetime.strptime(f"{day} {hour}", "%b %d %Y %I:%M %p %z").astimezone(UTC)
    except (ValueError, OverflowError):  # such as 31 June
        return None
