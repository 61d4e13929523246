"""How numbers and moments are written on every page."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import count as count_from
from typing import Final, TypeVar

MISSING = "n/a"
MINUS = "\N{MINUS SIGN}"
MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip

Number = Decimal | float
T = TypeVar("T")

_SIGNS = (MINUS, "+")
_NOISE = 1e-12


def steady(value: T) -> T | float:
    """A score to 12 significant digits: the last ones differ between versions of numpy.

    >>> steady(0.1 + 0.2), steady(1e-7), steady(None)
    (0.3, 1e-07, None)
    """
    return float(f"{value:.12g}") if isinstance(value, float) else value


def number(value: Number | None, decimals: int, *, signed: bool = False) -> str:
    """Write a number with its decimals, or `n/a` where there is none.

    Where it is `signed` it gets as many decimals more as show its sign. What rounds to zero
    has no sign.

    >>> number(-0.001, 2), number(1234.5, 1, signed=True), number(None, 2)
    ('0.00', '+1,234.5', 'n/a')
    >>> number(0.00012, 2, signed=True), number(1e-17, 2, signed=True)
    ('+0.0001', '0.00')
    """
    if value is None:
        return MISSING
    if signed:
        decimals = telling(value, decimals)
    digits = f"{value:z,.{decimals}f}"  # z: what rounds to zero has no minus
    if digits[0] == "-":
        return MINUS + digits[1:]
    return f"+{digits}" if signed and value > 0 and digits.strip("0.,") else digits


def telling(value: Number, decimals: int) -> int:
    """The fewest decimals, not below `decimals`, with which a value does not round to zero.

    Below 10 to the minus twelfth it is an error of arithmetic, and rounds to zero.

    >>> telling(0.5, 2), telling(-0.0003, 2), telling(Decimal("0.005"), 2), telling(0.0, 2)
    (2, 4, 3, 2)
    """
    size = value.copy_abs() if isinstance(value, Decimal) else abs(value)
    if size < _NOISE:
        return decimals
    return next(n for n in count_from(decimals) if round(size, n))


def dollars(value: Number | None, decimals: int = 2, *, signed: bool = False) -> str:
    """Write dollars, the sign before the currency.

    >>> dollars(Decimal("-1234.5")) == MINUS + "$1,234.50"
    True
    """
    if value is None:
        return MISSING
    digits = number(value, decimals, signed=signed)
    return f"{digits[0]}${digits[1:]}" if digits[0] in _SIGNS else f"${digits}"


def spent(cost: Decimal | None, least: Decimal, shown: Callable[[Decimal], str]) -> str:
    """Write a cost: the whole, or at least what is known of it, or that nothing is.

    >>> spent(None, Decimal("0.5"), dollars), spent(Decimal("0.0002"), Decimal(0), dollars)
    ('at least $0.50', '<$0.01')
    """
    if cost is None:
        return f"at least {shown(least)}" if least else "unknown"
    text, nothing = shown(cost), shown(Decimal(0))
    return f"<{nothing[:-1]}1" if cost and text == nothing else text  # 0 is nothing at all


def percent(value: Number | None, decimals: int, *, signed: bool = False) -> str:
    """Write a share of one as a percentage.

    >>> percent(0.12345, 2, signed=True), percent(-0.00001, 2)
    ('+12.35%', '0.00%')
    """
    if value is None:
        return MISSING
    return number(value * 100, decimals, signed=signed) + "%"


def count(value: int) -> str:
    """Write a whole number with thousands set apart."""
    return f"{value:,}"


def moment(at: datetime) -> str:
    """Write a moment in UTC; seconds only where they say something.

    >>> moment(datetime(2026, 1, 5, 9, 30, tzinfo=UTC))
    '2026-01-05 09:30 UTC'
    """
    at = at.astimezone(UTC)
    clock = f"{at:%H:%M:%S}" if at.second else f"{at:%H:%M}"
    return f"{at:%Y-%m-%d} {clock} UTC"


def machine(at: datetime) -> str:
    """Write a moment for machines: ISO 8601 with a Z."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def day(on: date) -> str:
    """Write a day with its year.

    >>> day(date(2026, 2, 3))
    '3 February 2026'
    """
    return f"{on.day} {MONTHS[on.month - 1]} {on.year}"


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
        return day(last)
    if first.year != last.year:
        return f"{day(first)} to {day(last)}"
    if first.month != last.month:
        return f"{first.day} {MONTHS[first.month - 1]} to {day(last)}"
    return f"{first.day} to {day(last)}"


def span(length: timedelta) -> str:
    """Write a length of time in its two largest units.

    >>> span(timedelta(hours=26, minutes=5)), span(timedelta(0)), span(timedelta(minutes=61))
    ('1 d 2 h', '0 s', '1 h 1 min')
    """
    left = max(0, int(length.total_seconds()))
    parts: list[str] = []
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        many, left = divmod(left, size)
        if many:
            parts.append(f"{many} {unit}")
        elif parts:
            break
    return " ".join(parts[:2]) or "0 s"


def many(number_of: int, singular: str, several: str | None = None) -> str:
    """Count things in words.

    >>> many(1, "cohort"), many(1200, "cohort"), many(2, "entry", "entries")
    ('1 cohort', '1,200 cohorts', '2 entries')
    """
    return f"{count(number_of)} {singular if number_of == 1 else several or singular + 's'}"
