"""Dates and stretches of dates in words, with their year."""

from datetime import date
from typing import Final

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def day_words(day: date) -> str:
    """Write a day.

    >>> day_words(date(2026, 2, 3))
    '3 February 2026'
    """
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def stretch_words(first: date, last: date) -> str:
    """Write from when to when; a year or a month that both share stands once.

    >>> stretch_words(date(2026, 1, 5), date(2026, 2, 3))
    '5 January to 3 February 2026'
    >>> stretch_words(date(2025, 12, 5), date(2026, 2, 3))
    '5 December 2025 to 3 February 2026'
    >>> stretch_words(date(2026, 1, 5), date(2026, 1, 9))
    '5 to 9 January 2026'
    """
    if first == last:
        return day_words(last)
    if first.year != last.year:
        return f"{day_words(first)} to {day_words(last)}"
    if first.month != last.month:
        return f"{first.day} {MONTHS[first.month - 1]} to {day_words(last)}"
    return f"{first.day} to {day_words(last)}"
