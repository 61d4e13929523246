"""An axis of moments in UTC: which of them are written, and how."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from arena.site.charts.parts.axis import Axis, Tick

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_HOURS = (1, 3, 6, 12)
_DAYS = (1, 2, 7, 14)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 600)


def date_axis(moments: Iterable[datetime], ends: tuple[int, int], most: int = 6) -> Axis:
    """Choose an axis for moments, with at most `most` dates on it.

    One moment alone stands in the middle of a day. Values of the axis are seconds of UTC.
    """
    timestamps = [at.timestamp() for at in moments]
    low, high = (min(timestamps), max(timestamps)) if timestamps else (0.0, 0.0)
    if high - low < 1:
        low, high = low - 43200, high + 43200
    return Axis(low, high, *ends, tuple(_ticks(low, high, most)))


def _ticks(low: float, high: float, most: int) -> list[Tick]:
    first, last = (datetime.fromtimestamp(s, UTC) for s in (low, high))
    length = last - first
    room = most if first.year == last.year else max(2, most * 2 // 3)
    for hours in _HOURS:
        if length <= room * timedelta(hours=hours):
            return _hour_and_day_ticks(_hourly(first, last, hours), first.year)
    for days in _DAYS:
        if length <= room * timedelta(days=days):
            return _hour_and_day_ticks(_daily(first, last, days), first.year)
    months = next((m for m in _MONTHS if length.days <= most * m * 30.5), _MONTHS[-1])
    return [(at.timestamp(), _month(at, months)) for at in _monthly(first, last, months)]


def _hourly(first: datetime, last: datetime, hours: int) -> Iterator[datetime]:
    at = first.replace(hour=0, minute=0, second=0, microsecond=0)
    while at <= last:
        if at >= first:
            yield at
        at += timedelta(hours=hours)


def _daily(first: datetime, last: datetime, days: int) -> Iterator[datetime]:
    """Every so many days, the same ones however the axis starts; weeks start on Monday."""
    at = first.replace(hour=0, minute=0, second=0, microsecond=0)
    at -= timedelta(days=(at.toordinal() - 1) % days)
    while at <= last:
        if at >= first:
            yield at
        at += timedelta(days=days)


def _monthly(first: datetime, last: datetime, months: int) -> Iterator[datetime]:
    nth = (first.year * 12 + first.month - 1) // months * months
    while (at := datetime(nth // 12, nth % 12 + 1, 1, tzinfo=UTC)) <= last:
        if at >= first:
            yield at
        nth += months


def _hour_and_day_ticks(moments: Iterable[datetime], year: int) -> list[Tick]:
    """Hours of the day, and days; the first day of a later year says which year it is."""
    ticks = []
    for at in moments:
        text = f"{at:%H:%M}" if at.hour else f"{at.day} {MONTHS[at.month - 1]}"
        if at.year != year and not at.hour:
            text, year = f"{text} {at.year}", at.year
        ticks.append((at.timestamp(), text))
    return ticks


def _month(at: datetime, months: int) -> str:
    if at.month == 1 or months >= 12:  # noqa: PLR2004  # a year
        return str(at.year)
    return MONTHS[at.month - 1]
