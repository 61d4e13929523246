"""Laws of every kind of payload: nothing raises, and nothing is made up."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.records.money import ONE
from arena.venues.kalshi import KINDS
from arena.venues.kalshi.exchange import DAYS
from tests.sizes import size
from tests.venues.kalshi import rows
from tests.venues.kalshi.rows import NOW, ORIGIN, RAIN, SNOW, book, candle, candles, iso

PAGE = rows.markets(rows.market(RAIN), rows.decided("yes", "1.0000", SNOW))
FAMILY = rows.event(rows.market(RAIN), rows.market(SNOW), fee_multiplier_override=2)
LADDER: list[object] = [["0.4100", "12.50"], ["0.4000", "3.00"]]
WELL: dict[str, object] = {
    "events": rows.events(FAMILY),
    "event": {"event": FAMILY},
    "markets": PAGE,
    "market": {"market": rows.market()},
    "quotes": PAGE,
    "statuses": PAGE,
    "orderbook": book(LADDER, LADDER),
    "orderbooks": {"orderbooks": [{"ticker": RAIN, **book(LADDER, None)}]},
    "candlesticks": candles(candle(NOW, "0.4100", "0.4300", "0.4200")),
    "trades": {
        "trades": [
            {
                "trade_id": "t-1",
                "ticker": RAIN,
                "created_time": iso(NOW),
                "yes_price_dollars": "0.4200",
                "count_fp": "7.50",
            }
        ]
    },
    "series": rows.series(),
    "exchange-status": rows.trading(),
    "exchange-schedule": {
        "schedule": {
            "standard_hours": [
                {day: [{"open_time": "00:00", "close_time": "03:00"}] for day in DAYS}
            ]
        }
    },
    "historical-cutoff": {"market_settled_ts": iso(NOW)},
}

numbers = st.decimals(allow_nan=False) | st.sampled_from(
    [Decimal("1e999999"), Decimal("-1e999999"), Decimal("1e-999999"), 10**400, -(10**400)]
)
words = st.text(st.characters(), max_size=6) | st.sampled_from(
    [
        "",
        "0.0000",
        "1.0000",
        "NaN",
        "sNaN",
        "1e999999",
        "-0",
        "\ud800",
        "\0",
        "9" * 5000,
        "active",
    ]
)
scalars = st.none() | st.booleans() | st.integers() | numbers | words
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
kinds = st.sampled_from(sorted(WELL))


def places(value: object, way: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Name every place in a payload by the steps that lead to it."""
    yield way
    inner = value.items() if isinstance(value, dict) else ()
    listed = enumerate(value) if isinstance(value, list) else ()
    for step, held in [*inner, *listed]:
        yield from places(held, (*way, step))


def put(payload: object, way: tuple[str | int, ...], value: object) -> object:
    """Put a value in a place of a copy; ... takes away what is there."""
    if not way:
        return None if value is ... else value
    whole = deepcopy(payload)
    held = whole
    for step in way[:-1]:
        held = held[step]  # type: ignore[index]  # the way leads through lists and objects
    if value is ...:
        del held[way[-1]]  # type: ignore[attr-defined]
    else:
        held[way[-1]] = value  # type: ignore[index]
    return whole


def held_in(value: object) -> Iterator[object]:
    """Give everything that a record holds, at any depth."""
    yield value
    if isinstance(value, tuple):
        parts: tuple[object, ...] = value
    elif is_dataclass(value):
        parts = tuple(getattr(value, own.name) for own in fields(value))
    else:
        parts = ()
    for part in parts:
        yield from held_in(part)


def test_there_is_a_sound_payload_of_every_kind() -> None:
    assert set(WELL) == set(KINDS)


@pytest.mark.parametrize("kind", WELL)
def test_a_sound_payload_leaves_nothing_out_as_malformed(kind: str) -> None:
    read = KINDS[kind](WELL[kind], ORIGIN)
    assert read.rows
    assert not any(left.malformed for left in read.left_out)


@given(kinds, anything)
@settings(deadline=None)
def test_no_payload_makes_any_kind_raise(kind: str, payload: object) -> None:
    KINDS[kind](payload, ORIGIN)


@given(st.data(), kinds)
@settings(max_examples=size(75, 300), deadline=None)
def test_no_change_anywhere_makes_a_kind_raise(data: st.DataObject, kind: str) -> None:
    payload = WELL[kind]
    for _ in range(data.draw(st.integers(1, 3))):
        way = data.draw(st.sampled_from(list(places(payload))))
        payload = put(payload, way, data.draw(anything | st.just(...)))
    read = KINDS[kind](payload, ORIGIN)
    told = list(held_in(read))
    assert all(value.is_finite() for value in told if isinstance(value, Decimal))
    assert all(value.tzinfo is UTC for value in told if isinstance(value, datetime))
    for value in told:
        if isinstance(value, str):
            value.encode()


@given(st.sampled_from(["yes_bid_dollars", "yes_ask_dollars"]), anything)
@settings(deadline=None)
def test_no_price_is_read_that_was_not_sent(field: str, value: object) -> None:
    page = rows.markets(rows.market(**{field: value}))
    for quote in KINDS["quotes"](page, ORIGIN).rows:
        for found in (quote.bid, quote.ask):
            assert found is None or 0 < found < ONE
            sent = {Decimal("0.41"), Decimal("0.43")}
            assert found is None or found in sent or isinstance(value, str)


@pytest.mark.parametrize("kind", WELL)
def test_no_place_of_a_payload_has_to_hold_what_it_should(kind: str) -> None:
    deep: object = "x"
    for _ in range(10_000):
        deep = [deep]
    for way in places(WELL[kind]):
        for odd in (..., None, {}, [], [None], "", 10**400, "\ud800", deep):
            KINDS[kind](put(WELL[kind], way, odd), ORIGIN)
