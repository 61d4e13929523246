"""What a market says it charges whoever takes an offer."""

from collections.abc import Mapping
from decimal import Decimal

from arena.records.market import FeeKind, FeeModel
from arena.venues.reading import number

MOST_EXPONENT = 10

FREE = FeeModel()
UNKNOWN = FeeModel(FeeKind.UNKNOWN)


def stated_fee(market: Mapping[str, object]) -> FeeModel | None:
    """Read a Gamma market's fee; None where it says nothing about one.

    A fee that is charged without a schedule that can be read is UNKNOWN, never nothing.
    `makerBaseFee` and `takerBaseFee` are not what is charged.

    >>> stated_fee({"feesEnabled": True, "feeSchedule": {"rate": "0.05", "exponent": 1}})
    FeeModel(kind=<FeeKind.QUADRATIC: 'quadratic'>, rate=Decimal('0.05'), exponent=1, step=None)
    """
    enabled, schedule = market.get("feesEnabled"), market.get("feeSchedule")
    if enabled is False:
        return FREE
    if isinstance(schedule, dict):
        return _model(schedule.get("rate"), schedule.get("exponent"))
    return None if enabled is None and schedule is None else UNKNOWN


def abbreviated_fee(market: Mapping[str, object]) -> FeeModel | None:
    """Read the fee of a market of `/clob-markets`; None where it says nothing about one.

    The base fee of takers, `tbf`, is not what is charged, but where it is 0 nothing is.
    """
    fee_row = market.get("fd")
    if isinstance(fee_row, dict):
        return _model(fee_row.get("r"), fee_row.get("e"))
    if fee_row is None:
        return FREE if number(market.get("tbf")) == 0 else None
    return UNKNOWN


def _model(rate: object, exponent: object) -> FeeModel:
    """Read rate x shares x (price x (1 - price)) ^ exponent."""
    fee_rate, power = number(rate), number(exponent)
    if fee_rate == 0:
        return FREE
    if fee_rate is None or power is None or not 0 < fee_rate <= 1:
        return UNKNOWN
    if not 0 <= power <= MOST_EXPONENT or power != power.to_integral_value():
        return UNKNOWN
    return FeeModel(FeeKind.QUADRATIC, Decimal(fee_rate), int(power))
