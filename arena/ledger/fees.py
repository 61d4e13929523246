"""What a venue charges for a trade."""

from decimal import Decimal

from arena.records.market import FeeKind, FeeModel
from arena.records.money import Usd, usd


def taker_fee(model: FeeModel, shares: Decimal, at_price: Decimal) -> Usd:
    """Dollars charged for `shares` traded at `at_price`, rounded to a millionth.

    Source:
        Polymarket and Kalshi charge rate x shares x price x (1 - price); Kalshi then rounds
        up to a cent, which is left to its adapter.

    >>> taker_fee(FeeModel(FeeKind.QUADRATIC, Decimal("0.07")), Decimal(100), Decimal("0.5"))
    Decimal('1.750000')
    """
    traded = shares * at_price
    if model.kind is FeeKind.QUADRATIC:
        return usd(model.rate * traded * (1 - at_price))
    return usd(model.rate * traded if model.kind is FeeKind.NOTIONAL else 0)
