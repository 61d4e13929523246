from decimal import Decimal

import pytest

from arena.venues.polymarket.outcome import Resolution, resolutions
from tests.venues.polymarket.rows import Row, condition_of, resolution


def test_a_row_has_its_status_its_payouts_and_its_answer() -> None:
    read = resolutions({"data": [resolution("1")], "pagination": {"has_more": False}})
    paid = (Decimal(1_000_000), Decimal(0))
    assert read.rows == (Resolution(condition_of("1"), "resolved", paid, Decimal(1)),)


def test_an_answer_of_69_is_none() -> None:
    (found,) = resolutions([resolution(price="69", payouts=None)]).rows
    assert (found.answer, found.payouts) == (None, None)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"condition_id": "0x1"}, "condition_id"),
        ({"status": None}, "status"),
        ({"payouts": [1]}, "payouts"),
        ({"payouts": [1_000_000, "x"]}, "payouts"),
        ({"payouts": [1_000_001, -1]}, "payouts"),
        ({"payouts": ["9e999999", "9e999999"]}, "payouts"),
        ({"payouts": "[1000000,0]"}, "payouts"),
    ],
)
def test_a_row_that_cannot_be_read_is_left_out_and_says_why(changes: Row, field: str) -> None:
    read = resolutions([resolution(**changes)])
    assert not read.rows
    assert read.left_out[0].malformed
    assert field in read.left_out[0].why


def test_of_two_rows_of_one_market_the_first_counts_and_the_other_is_told() -> None:
    read = resolutions([resolution("1"), resolution("1", status="disputed")])
    assert [row.status for row in read.rows] == ["resolved"]
    assert [left.what for left in read.left_out] == [condition_of("1")]


@pytest.mark.parametrize("payload", [None, {}, {"data": 7}, {"error": "bad"}])
def test_what_is_no_list_of_resolutions_is_one_malformed_thing(payload: object) -> None:
    assert [left.malformed for left in resolutions(payload).left_out] == [True]
