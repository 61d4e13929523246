"""Known answers are named by their row: gN of prices."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from arena.records.market import PricePoint
from arena.records.money import price
from arena.venues.polymarket.clob import price_history, traded

T0 = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND = int(T0.timestamp())


def points(history: Sequence[object]) -> tuple[PricePoint, ...]:
    return price_history({"history": history}).rows


def after(seconds: int, paid: str) -> PricePoint:
    return PricePoint(T0 + timedelta(seconds=seconds), price(paid))


def test_both_services_histories_are_read() -> None:
    of_clob = {"history": [{"t": SECOND, "p": 0.205}]}
    of_data = [{"timestamp": SECOND, "price": "0.205", "resolution_seconds": 60}]
    wrapped = {"data": of_data, "pagination": {"has_more": False}}
    for payload in (of_clob, of_data, wrapped):
        assert price_history(payload).rows == (after(0, "0.205"),)


def test_a_point_that_cannot_be_read_is_left_out_and_named() -> None:
    read = price_history([{"timestamp": None, "price": 1}, {"t": SECOND, "p": 2}, 7])
    assert not read.rows
    assert all(left.malformed for left in read.left_out)
    assert "no price" in read.left_out[1].why


def test_of_two_prices_of_one_moment_the_first_counts() -> None:
    assert points([{"t": SECOND, "p": 0.2}, {"t": SECOND, "p": 0.3}]) == (after(0, "0.2"),)


@pytest.mark.parametrize("payload", [None, {}, {"history": None}, {"error": "bad"}, "x"])
def test_what_is_no_history_is_one_malformed_thing(payload: object) -> None:
    assert [left.malformed for left in price_history(payload).left_out] == [True]


def test_the_flat_half_before_the_first_trade_is_no_price() -> None:
    told = [after(3, "0.5"), after(1, "0.5"), after(2, "0.5"), after(9, "0.5"), after(5, "0.4")]
    assert traded(told) == (after(5, "0.4"), after(9, "0.5"))


def test_where_nothing_was_ever_traded_there_is_no_price() -> None:
    assert traded([after(1, "0.5"), after(2, "0.5")]) == ()
