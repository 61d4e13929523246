from decimal import Decimal

import pytest

from arena.records.market import FeeKind, FeeModel
from arena.venues.polymarket.gamma import abbreviated_fee, stated_fee

Row = dict[str, object]

FREE, UNKNOWN = FeeModel(), FeeModel(FeeKind.UNKNOWN)
FIVE = FeeModel(FeeKind.QUADRATIC, Decimal("0.05"), 1)
SQUARED = FeeModel(FeeKind.QUADRATIC, Decimal("0.05"), 2)
SCHEDULE: Row = {"rate": 0.05, "exponent": 1, "takerOnly": True}


@pytest.mark.parametrize(
    ("market", "fee"),
    [
        ({"feesEnabled": True, "feeSchedule": SCHEDULE}, FIVE),
        ({"feeSchedule": SCHEDULE}, FIVE),
        ({"feesEnabled": False, "feeSchedule": SCHEDULE}, FREE),
        ({"feesEnabled": True, "feeSchedule": {"rate": 0}}, FREE),
        ({"feesEnabled": True, "feeSchedule": SCHEDULE | {"exponent": 2}}, SQUARED),
        ({"feesEnabled": True}, UNKNOWN),
        ({"feesEnabled": "yes"}, UNKNOWN),
        ({"feesEnabled": True, "feeSchedule": "5 %"}, UNKNOWN),
        ({"feesEnabled": True, "feeSchedule": {"rate": 0.05}}, UNKNOWN),
        ({"feesEnabled": True, "feeSchedule": SCHEDULE | {"exponent": 0.5}}, UNKNOWN),
        ({"feesEnabled": True, "feeSchedule": SCHEDULE | {"rate": 5}}, UNKNOWN),
        ({"feesEnabled": True, "feeSchedule": SCHEDULE | {"rate": -0.05}}, UNKNOWN),
        ({"feesEnabled": True, "feeSchedule": SCHEDULE | {"exponent": 10**9}}, UNKNOWN),
        ({"makerBaseFee": 1000, "takerBaseFee": 1000}, None),
        ({}, None),
    ],
)
def test_a_fee_is_what_the_market_says_and_never_a_guess(
    market: Row, fee: FeeModel | None
) -> None:
    assert stated_fee(market) == fee


@pytest.mark.parametrize(
    ("market", "fee"),
    [
        ({"fd": {"r": 0.05, "e": 1, "to": True}}, FIVE),
        ({"fd": {"r": 0, "e": 0, "to": True}}, FREE),
        ({"fd": {}}, UNKNOWN),
        ({"fd": 7}, UNKNOWN),
        ({"mbf": 1000, "tbf": 1000}, None),
        ({"mbf": 1000, "tbf": 0}, FREE),
        ({"fd": {"r": 0.05, "e": 1}, "tbf": 0}, FIVE),
        ({"fd": {}, "tbf": 0}, UNKNOWN),
    ],
)
def test_an_abbreviated_market_states_its_fee_under_fd(
    market: Row, fee: FeeModel | None
) -> None:
    assert abbreviated_fee(market) == fee
