"""Whatever a server sends, a parser gives rows and what it left out, and never raises."""

import json
from copy import deepcopy
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.records.market import Quote
from arena.venues.polymarket import KINDS
from arena.venues.polymarket.gamma import GammaMarket
from tests.sizes import size
from tests.venues.polymarket.rows import (
    ORIGIN,
    Row,
    book,
    clob_market,
    closed,
    gamma,
    resolution,
    terms,
)

ODD: tuple[object, ...] = (
    *(None, True, False, 0, -1, 10**40, "", "x", "\0", "\ud800", "[" * 3000, "1e400000000"),
    *(Decimal("1e999999"), Decimal(-5), "0.5", "NaN", "9999-12-31T23:59:59-05:00", 1e300),
    *([], {}, [[]], [None], [{}], {"a": {}}, '["Yes", "No"]', '["1", "0"]', '[{"a": 1}]'),
)
anything = st.recursive(
    st.sampled_from(ODD) | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
WHOLE: dict[str, object] = {
    "markets": {"markets": [gamma("1"), gamma("2"), closed("3")], "next_cursor": "abc"},
    "markets-by-id": [gamma("1"), closed("2")],
    "market": gamma(),
    "event": {"id": "7", "slug": "rain", "markets": [gamma("1"), closed("2")]},
    "book": book(),
    "books": [book("1"), book("2")],
    "midpoint": {"mid": "0.41"},
    "midpoints": {"1": "0.41", "2": "0.7"},
    "price-history": {"history": [{"t": 1788263900, "p": 0.4}, {"t": 1788267500, "p": 0.5}]},
    "resolutions": {"data": [resolution("1"), resolution("2")]},
    "clob-market": clob_market(),
    "clob-markets": [terms("1"), terms("2")],
}


def holders(payload: object) -> list[Row]:
    """Find every object in a payload, however deep."""
    if isinstance(payload, dict):
        return [payload, *(one for value in payload.values() for one in holders(value))]
    if isinstance(payload, list):
        return [one for value in payload for one in holders(value)]
    return []


@st.composite
def spoiled(draw: st.DrawFn) -> tuple[str, object]:
    """Take a payload that is whole, and spoil a field or two of it."""
    kind = draw(st.sampled_from(sorted(WHOLE)))
    payload = json.loads(json.dumps(WHOLE[kind]))
    for _ in range(draw(st.integers(1, 3))):
        holder = draw(st.sampled_from(holders(payload)))
        if holder:
            name = draw(st.sampled_from(sorted(holder)))
            if draw(st.booleans()):
                holder[name] = deepcopy(draw(anything))  # the next field may be inside it
            else:
                del holder[name]
    return kind, payload


def test_there_is_a_whole_payload_of_every_kind() -> None:
    assert set(WHOLE) == set(KINDS)
    for kind, payload in WHOLE.items():
        assert KINDS[kind](payload, ORIGIN).rows, kind


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(payload=anything)
def test_any_json_is_rows_or_left_out(kind: str, payload: object) -> None:
    read = KINDS[kind](payload, ORIGIN)
    assert all(left.why for left in read.left_out)


@settings(
    deadline=None, max_examples=size(100, 400), suppress_health_check=[HealthCheck.too_slow]
)
@given(spoiled())
def test_a_spoiled_payload_gives_no_number_out_of_range(given_one: tuple[str, object]) -> None:
    kind, payload = given_one
    read = KINDS[kind](payload, ORIGIN)
    assert all(left.why for left in read.left_out)
    for row in read.rows:
        if isinstance(row, GammaMarket):
            assert row.market.question
            assert row.quote is None or sound(row.quote)


def sound(quote: Quote) -> bool:
    prices = [one for one in (quote.bid, quote.ask) if one is not None]
    amounts = (quote.volume, quote.volume_24h, quote.liquidity)
    return (
        bool(prices)
        and all(0 < one < 1 for one in prices)
        and all(one is None or one >= 0 for one in amounts)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_error_says_is_told(kind: str) -> None:
    read = KINDS[kind]({"type": "internal error", "error": "it rains in"}, ORIGIN)
    assert not read.rows
    assert [left.malformed for left in read.left_out] == [True]
    assert "it rains in" in read.left_out[0].why
