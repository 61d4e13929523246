"""What a trade costs in fees, by the venue's own formula."""

from collections.abc import Iterable
from decimal import ROUND_CEILING, Decimal

from arena.records.cohort import FeeRule, Rules
from arena.records.market import FeeKind, FeeModel, Market
from arena.records.money import ZERO_USD, Usd, usd

Leg = tuple[Decimal, Decimal]  # shares, and the price at which they trade


def taker_fee(model: FeeModel, shares: Decimal, at_price: Decimal) -> Usd:
    """Dollars charged for `shares` at `at_price`, to a millionth or up to the fee's step.

    Source:
        Polymarket charges rate x shares x (price x (1 - price)) ^ exponent, Kalshi the same
        with exponent 1 and each trade's fee rounded up to a cent.

    Raises:
        ValueError: The fee is not known; such a market is not to be offered.

    >>> taker_fee(FeeModel(FeeKind.QUADRATIC, Decimal("0.07")), Decimal(100), Decimal("0.5"))
    Decimal('1.750000')
    """
    return fee_of_legs(model, [(shares, at_price)])


def fee_of_legs(model: FeeModel, legs: Iterable[Leg]) -> Usd:
    """Dollars charged for a trade that walked down a book: the sum over its levels.

    Raises:
        ValueError: The fee is not known.
    """
    exact = sum((_exact(model, shares, at_price) for shares, at_price in legs), Decimal(0))
    if model.step is None or not model.step:
        return usd(exact)
    steps = (usd(exact) / model.step).to_integral_value(ROUND_CEILING)
    return usd(steps * model.step)


def _exact(model: FeeModel, shares: Decimal, at_price: Decimal) -> Decimal:
    match model.kind:
        case FeeKind.QUADRATIC:
            spread = at_price * (1 - at_price)
            return model.rate * shares * spread**model.exponent
        case FeeKind.NOTIONAL:
            return model.rate * shares * at_price
        case FeeKind.NONE:
            return ZERO_USD
        case FeeKind.UNKNOWN:
            raise ValueError("the venue's fee is not known")


def fee_model(market: Market, rules: Rules) -> FeeModel:
    """Say which fee a cohort's rules charge on a market: the venue's, or none."""
    return market.fee if rules.fees is FeeRule.VENUE else FeeModel()
