"""From balances and marks to profit, loss and return."""

from decimal import Decimal

from arena.records.money import Usd


def total_value(cash: Decimal, owed: Decimal, marks: Decimal) -> Usd:
    """Cash less what is owed, plus what the open positions are worth."""
    return Usd(cash - owed + marks)


def profit(total: Decimal, capital: Decimal) -> Usd:
    """Dollars above (+) or below (-) the opening capital."""
    return Usd(total - capital)


def return_on(pnl: Decimal, capital: Decimal) -> float | None:
    """Profit as a share of the capital; None without capital.

    >>> return_on(Decimal(500), Decimal(10000))
    0.05
    """
    return float(pnl / capital) if capital else None


def win_rate(won: int, resolved: int) -> float | None:
    """Share of resolved fills whose side won; None when none has resolved."""
    return won / resolved if resolved else None
