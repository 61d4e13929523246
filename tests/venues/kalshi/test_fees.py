"""What a taker pays, by a series' terms and an event's changes to them."""

from decimal import Decimal

import pytest

from arena.ledger.price import taker_fee
from arena.records.market import FeeKind, FeeModel
from arena.records.money import usd
from arena.venues.kalshi.parse import FREE, NOT_KNOWN, KalshiFeeTerms, series
from arena.venues.reading import Origin
from tests.venues.kalshi.rows import HERE, NOW


def model(kind: object, multiplier: object) -> FeeModel:
    row = {"ticker": "KXSKY", "fee_type": kind, "fee_multiplier": multiplier}
    return series({"series": row}, Origin(HERE, NOW)).rows[0].terms.model


@pytest.mark.parametrize(
    "kind", ["quadratic", "quadratic_with_maker_fees", "quadratic_with_combo_maker_fees"]
)
def test_a_taker_pays_the_general_rate_whatever_makers_pay(kind: str) -> None:
    assert model(kind, 1) == FeeModel(FeeKind.QUADRATIC, Decimal("0.07"), step=usd("0.01"))


@pytest.mark.parametrize(
    ("multiplier", "rate"), [(Decimal("0.5"), "0.035"), ("2", "0.14"), (1.5, "0.105")]
)
def test_a_multiplier_scales_the_rate(multiplier: object, rate: str) -> None:
    assert model("quadratic", multiplier).rate == Decimal(rate)


def test_a_multiplier_of_nothing_is_no_fee() -> None:
    assert model("quadratic", 0) == FREE


@pytest.mark.parametrize("kind", ["flat", "quadratics", "new", "", None, 3, ["quadratic"]])
def test_a_form_that_is_not_known_is_an_unknown_fee(kind: object) -> None:
    assert model(kind, 1) == NOT_KNOWN


@pytest.mark.parametrize("multiplier", [None, -1, 101, "x", True, Decimal("1e99")])
def test_a_multiplier_that_cannot_be_meant_is_an_unknown_fee(multiplier: object) -> None:
    assert model("quadratic", multiplier) == NOT_KNOWN


def test_an_event_changes_what_it_says_and_nothing_else() -> None:
    general = KalshiFeeTerms("quadratic", Decimal(1))
    dearer = KalshiFeeTerms(None, Decimal(2))
    assert general.changed_by(dearer) == KalshiFeeTerms("quadratic", Decimal(2))
    assert general.changed_by(KalshiFeeTerms("flat")).model == NOT_KNOWN


def test_a_hundred_contracts_at_a_half_cost_175_cents_and_one_costs_two() -> None:
    fee = model("quadratic", 1)
    assert taker_fee(fee, Decimal(100), Decimal("0.5")) == usd("1.75")
    assert taker_fee(fee, Decimal(1), Decimal("0.5")) == usd("0.02")
