"""The grid that prices lie on, where a market stands."""

from decimal import Decimal

import pytest

from arena.records.market import MarketId, Quote
from arena.records.money import Price, price
from arena.venues.kalshi.parse import tick_of
from tests.venues.kalshi.rows import NOW, market

TAPERED = [
    {"start": "0.0000", "end": "0.1000", "step": "0.0010"},
    {"start": "0.1000", "end": "0.9000", "step": "0.0100"},
    {"start": "0.9000", "end": "1.0000", "step": "0.0010"},
]


def at(bid: str | None, ask: str | None) -> Quote:
    ends = [None if end is None else price(end) for end in (bid, ask)]
    return Quote(MarketId("m"), ends[0], ends[1], NOW)


@pytest.mark.parametrize(
    ("quote", "tick"),
    [
        (at("0.41", "0.43"), "0.01"),
        (at("0.051", "0.053"), "0.001"),
        (at("0.951", None), "0.001"),
        (at(None, "0.05"), "0.001"),
        (at("0.09", "0.12"), None),
        (at("0.1", "0.12"), None),
        (None, None),
    ],
)
def test_a_tapered_ladder_has_the_step_of_both_prices(
    quote: Quote | None, tick: str | None
) -> None:
    assert tick_of(market(price_ranges=TAPERED), quote) == (
        None if tick is None else Decimal(tick)
    )


def test_an_even_ladder_needs_no_price() -> None:
    assert tick_of(market(), None) == price("0.01")


@pytest.mark.parametrize(
    ("name", "tick"),
    [
        ("linear_cent", price("0.01")),
        ("deci_cent", price("0.001")),
        ("tapered_deci_cent", None),
        ("new_in_july", None),
        (7, None),
        ([], None),
    ],
)
def test_without_ranges_the_name_of_the_ladder_tells(name: object, tick: Price | None) -> None:
    assert tick_of(market(price_ranges=None, price_level_structure=name), None) == tick


@pytest.mark.parametrize("step", ["0.0000", "2", None, 1, "x"])
def test_a_step_that_is_none_is_not_known(step: object) -> None:
    ladder = [{"start": "0.0000", "end": "1.0000", "step": step}]
    assert tick_of(market(price_ranges=ladder), at("0.41", "0.43")) is None
