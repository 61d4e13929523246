"""How Kalshi's tickers are made from the world's numbers, and read back."""

from datetime import date
from string import ascii_uppercase

from tests.standins.venues.world import MOST_EVENTS

MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_LETTERS = 26
_MOST_LETTERS = 9


def series_ticker(event_number: int) -> str:
    """Name the series of an event; each has only that one event."""
    return f"KX{_in_letters(event_number)}"


def event_ticker(event_number: int) -> str:
    """Name an event by its series and the day it opened."""
    day = date.fromordinal(event_number // (MOST_EVENTS + 1))
    when = f"{day.year % 100:02d}{MONTHS[day.month - 1]}{day.day:02d}"
    return f"{series_ticker(event_number)}-{when}"


def market_ticker(number: int) -> str:
    """Name a market by its event and its place in it."""
    event_number, place = divmod(number, 10)
    return f"{event_ticker(event_number)}-T{place}"


def event_of(ticker: str) -> int | None:
    """Find an event's number from its ticker; None where it cannot be one."""
    event_number = event_of_series(ticker.partition("-")[0])
    if event_number is None or event_ticker(event_number) != ticker:
        return None
    return event_number


def event_of_series(ticker: str) -> int | None:
    """Find the number of a series' only event; None where there can be none."""
    letters = ticker.removeprefix("KX")
    if not 1 <= len(letters) <= _MOST_LETTERS or set(letters) - set(ascii_uppercase):
        return None
    found = 0
    for letter in letters:
        found = found * _LETTERS + ascii_uppercase.index(letter)
    if not 1 <= found // (MOST_EVENTS + 1) <= date.max.toordinal():
        return None
    return found if series_ticker(found) == ticker else None


def number_of(ticker: str) -> int | None:
    """Find a market's number from its ticker; None where it cannot be one."""
    event, _, place = ticker.rpartition("-T")
    event_number = event_of(event)
    if event_number is None or len(place) != 1 or place not in "123456789":
        return None
    return event_number * 10 + int(place)


def _in_letters(number: int) -> str:
    letters = ""
    while number or not letters:
        number, place = divmod(number, _LETTERS)
        letters = ascii_uppercase[place] + letters
    return letters
