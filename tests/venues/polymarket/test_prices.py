"""Known answers are named by their row: gN of prices."""

from decimal import Decimal

import pytest

from arena.records.market import Quote
from arena.records.money import price
from arena.venues.polymarket.clob import is_ghost, read_midpoint, read_midpoints
from tests.venues.polymarket.rows import NOW, ours


def quoted(bid: str | None, ask: str | None) -> Quote:
    bids, asks = ([] if one is None else [price(one)] for one in (bid, ask))
    return Quote(ours("1"), next(iter(bids), None), next(iter(asks), None), NOW)


def test_g8_an_invalid_midpoint_is_absent() -> None:
    read = read_midpoints({"yes": "0.2", "no": 1, "bad": "1.2"})
    assert {one.token: one.price for one in read.rows} == {"yes": Decimal("0.2"), "no": 1}


GHOST = quoted("0.01", "0.99")


@pytest.mark.parametrize(
    "listed",
    [quoted("0.40", "0.42"), quoted(None, "0.03"), quoted("0.90", None)],
    ids=["both sides", "an ask", "a bid"],
)
def test_a_wide_book_is_a_ghost_where_gamma_shows_somebody_well_inside(listed: Quote) -> None:
    assert is_ghost(GHOST, listed, "t", {})


def test_a_wide_book_is_a_ghost_where_the_midpoint_is_another() -> None:
    assert is_ghost(GHOST, None, "t", {"t": price("0.2")})


@pytest.mark.parametrize("listed", [None, quoted("0.02", "0.97"), quoted(None, None)])
def test_a_wide_book_with_a_midpoint_that_agrees_is_real(listed: Quote | None) -> None:
    assert not is_ghost(GHOST, listed, "t", {"t": price("0.5")})


def test_a_wide_book_without_a_midpoint_is_not_believed() -> None:
    assert is_ghost(GHOST, None, "t", {})


def test_a_narrow_or_one_sided_book_is_no_ghost() -> None:
    narrow = quoted("0.40", "0.42")
    assert not is_ghost(narrow, quoted("0.1", "0.2"), "t", {"t": price("0.9")})
    assert not is_ghost(quoted("0.01", None), narrow, "t", {"t": price("0.9")})


@pytest.mark.parametrize("payload", [None, [], 7, {"error": "bad token"}])
def test_what_is_no_map_of_midpoints_is_one_malformed_thing(payload: object) -> None:
    assert [left.malformed for left in read_midpoints(payload).left_out] == [True]
    assert [left.malformed for left in read_midpoint(payload).left_out] == [True]


def test_a_midpoint_that_is_no_price_is_malformed() -> None:
    assert [left.malformed for left in read_midpoint({"mid": "1.2"}).left_out] == [True]
    assert [left.what for left in read_midpoints({"t": None}).left_out] == ["t"]
