"""Exact dollars, shares and prices.

Each is a `Decimal` on a grid of one millionth, kept apart for the type checker by
`NewType`. Arithmetic on them gives back a bare `Decimal`; only `usd`, `shares` and `price`
(and their `*_from_micro` twins for stored integers) turn one into an amount again, so
nothing is rounded anywhere else.
"""

from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import NewType

Usd = NewType("Usd", Decimal)
Shares = NewType("Shares", Decimal)
Price = NewType("Price", Decimal)

MICRO = Decimal("0.000001")

ZERO_USD = Usd(Decimal("0.000000"))
ZERO_SHARES = Shares(Decimal("0.000000"))
ONE = Price(Decimal(1))


def usd(value: Decimal | str | int) -> Usd:
    """Round to a millionth of a dollar, half to even.

    >>> usd("0.1234565")
    Decimal('0.123456')
    """
    return Usd(_on_grid(value))


def shares(value: Decimal | str | int) -> Shares:
    """Round to a millionth of a share, half to even."""
    return Shares(_on_grid(value))


def shares_down(value: Decimal) -> Shares:
    """Round to a millionth of a share, down: nobody gets more than was paid for.

    >>> shares_down(Decimal(1) / Decimal("0.3"))
    Decimal('3.333333')
    """
    return Shares(value.quantize(MICRO, ROUND_FLOOR))


def usd_down(value: Decimal) -> Usd:
    """Round to a millionth of a dollar, down."""
    return Usd(value.quantize(MICRO, ROUND_FLOOR))


def price(value: Decimal | str | int) -> Price:
    """Dollars per share that pays $1, in [0, 1].

    Raises:
        ValueError: The value is outside [0, 1] or is not a number.
    """
    rounded = _on_grid(value)
    if not ZERO_USD <= rounded <= ONE:
        raise ValueError(f"a price lies in [0, 1], not {rounded}")
    return Price(rounded)


def micro(amount: Decimal) -> int:
    """Count an amount in whole millionths, as it is kept on disk.

    >>> micro(usd("1.5"))
    1500000
    """
    return int(amount.scaleb(6))


def usd_from_micro(count: int) -> Usd:
    """Read dollars kept as whole millionths."""
    return Usd(Decimal(count).scaleb(-6))


def shares_from_micro(count: int) -> Shares:
    """Read shares kept as whole millionths."""
    return Shares(Decimal(count).scaleb(-6))


def price_from_micro(count: int) -> Price:
    """Read a price kept as whole millionths."""
    return Price(Decimal(count).scaleb(-6))


def bare(amount: Decimal) -> int | float:
    """Write an amount as JSON shows it best.

    >>> bare(Decimal("120.00")), bare(Decimal("0.5"))
    (120, 0.5)
    """
    return int(amount) if amount == amount.to_integral_value() else float(amount)


def _on_grid(value: Decimal | str | int) -> Decimal:
    exact = value if isinstance(value, Decimal) else Decimal(value)
    if not exact.is_finite():
        raise ValueError(f"an amount is a finite number, not {value}")
    return exact.quantize(MICRO, ROUND_HALF_EVEN)
