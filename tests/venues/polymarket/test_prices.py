"""Known answers are named by their row: gN of prices."""

from decimal import Decimal

import pytest

from arena.records.market import Quote
from arena.records.money import price
from arena.venues.polymarket.outcome import Choice, choices
from arena.venues.polymarket.prices import (
    Doubt,
    is_ghost,
    midpoints,
    read_midpoint,
    read_midpoints,
    single_midpoints,
    unanswered,
    yes_price,
)
from tests.venues.polymarket.rows import NOW, ours


def quoted(bid: str | None, ask: str | None) -> Quote:
    bids, asks = ([] if one is None else [price(one)] for one in (bid, ask))
    return Quote(ours("1"), next(iter(bids), None), next(iter(asks), None), NOW)


def test_g8_an_invalid_midpoint_is_absent() -> None:
    assert midpoints({"yes": "0.2", "no": 1, "bad": "1.2"}) == {"yes": Decimal("0.2"), "no": 1}


def test_g9_after_a_failed_batch_every_token_is_asked_singly_and_only_prices_are_kept() -> None:
    singly = unanswered(["a", "b", "c", "d"], midpoints(None))
    assert singly == ("a", "b", "c", "d")  # with the batch, five calls
    answers = dict(zip(singly, ({"mid": "0.33"}, None, {"mid": -0.1}, None), strict=True))
    assert single_midpoints(answers) == {"a": Decimal("0.33")}


def test_g11_where_the_services_disagree_the_clob_counts_and_a_doubt_says_so() -> None:
    found = yes_price(Choice("Yes", price("0.9"), "t"), {"t": price("0.25")})
    assert (found.yes, found.no) == (Decimal("0.25"), Decimal("0.75"))
    assert found.doubt is Doubt.FAR_APART


def test_g12_midpoints_belong_to_outcomes_in_the_order_of_the_tokens() -> None:
    listed = choices({"outcomes": ["A", "B"], "clobTokenIds": ["11", "22"]})
    mids = midpoints({"22": "0.7", "11": "0.2"})
    found = {one.name: mids.get(one.token or "") for one in listed}
    assert found == {"A": Decimal("0.2"), "B": Decimal("0.7")}


def test_g13_without_a_token_id_the_gamma_price_stands_with_a_doubt() -> None:
    found = yes_price(Choice("Yes", price("0.4")), {"t": price("0.9")})
    assert (found.yes, found.doubt) == (Decimal("0.4"), Doubt.NO_TOKEN)
    assert found.doubt == "missing CLOB YES token id"


def test_without_a_midpoint_the_gamma_price_stands_with_a_doubt() -> None:
    found = yes_price(Choice("Yes", price("0.4"), "t"), {})
    assert (found.yes, found.doubt) == (Decimal("0.4"), Doubt.NO_MIDPOINT)


def test_without_any_price_yes_and_no_have_none() -> None:
    found = yes_price(Choice("Yes", None, "t"), {})
    assert (found.yes, found.no) == (None, None)


def test_services_that_are_close_leave_no_doubt() -> None:
    found = yes_price(Choice("Yes", price("0.35"), "t"), {"t": price("0.25")})
    assert (found.yes, found.doubt) == (Decimal("0.25"), None)


def test_after_a_batch_only_what_is_missing_is_asked_and_each_once() -> None:
    assert unanswered(["a", "b", "b", ""], {"a": price("0.3")}) == ("b",)


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
