from datetime import timedelta
from typing import Any

import pytest

from arena.records.market import State
from arena.records.money import price
from tests.standins.venues.polymarket_ids import (
    condition_id,
    token_id,
)
from tests.testing.venues.moments import (
    AT,
    OPEN,
    RESOLVED,
    TWO_SIDED,
    moment_of,
)
from tests.testing.venues.polymarket_asked import (
    CONDITION,
    NO,
    YES,
    YOUNG,
    Pairs,
    ask,
    post,
    told,
)


def test_the_best_prices_of_a_book_come_last() -> None:
    book = told("/clob/book", ("token_id", YES))
    bids = [price(level["price"]) for level in book["bids"]]
    asks = [price(level["price"]) for level in book["asks"]]
    assert (bids, asks) == (sorted(bids), sorted(asks, reverse=True))
    assert (bids[-1], asks[-1]) == (TWO_SIDED.bid, TWO_SIDED.ask)
    assert (book["market"], book["asset_id"]) == (CONDITION, YES)


def test_the_book_of_no_mirrors_that_of_yes() -> None:
    yes, no = (told("/clob/book", ("token_id", token)) for token in (YES, NO))
    mirrored = [{"price": str(1 - price(a["price"])), "size": a["size"]} for a in yes["asks"]]
    assert [price(b["price"]) for b in no["bids"]] == [price(m["price"]) for m in mirrored]
    assert [b["size"] for b in no["bids"]] == [m["size"] for m in mirrored]


def test_books_drop_what_they_do_not_have_and_keep_their_own_order() -> None:
    tokens = [token_id(m.number, 0) for m in reversed(OPEN[:20])]
    body = [{"token_id": token} for token in [*tokens, "12", token_id(RESOLVED[0].number, 0)]]
    payload: Any = post("/clob/books", [*body, *body]).payload
    assert [book["asset_id"] for book in payload] == list(reversed(tokens))


def test_midpoints_are_a_map_of_those_that_have_one() -> None:
    answer = post("/clob/midpoints", [{"token_id": YES}, {"token_id": NO}, {"token_id": "1"}])
    mid = TWO_SIDED.mid
    assert mid is not None
    payload: Any = answer.payload
    assert {token: price(said) for token, said in payload.items()} == {
        YES: mid,
        NO: price(1 - mid),
    }
    assert told("/clob/midpoint", ("token_id", YES)) == {"mid": payload[YES]}


def test_a_post_is_a_list_of_five_hundred_at_most() -> None:
    assert post("/clob/books", [{"token_id": "1"}] * 501).status == 400
    assert post("/clob/books", {"token_id": YES}).status == 400
    assert post("/clob/books", [5, None, {"token_id": 5}]).payload == []


def test_no_book_is_an_error_of_its_own() -> None:
    for token in ("1", token_id(RESOLVED[0].number, 0), ""):
        answer = ask("/clob/book", ("token_id", token))
        assert answer.status == 404
        assert answer.payload == {"error": "No orderbook exists for the requested token id"}


def test_a_halted_market_keeps_its_book_and_takes_no_orders() -> None:
    view, market = moment_of(State.HALTED)
    assert told("/clob/book", ("token_id", token_id(market.number, 0)), view=view)
    row = told(f"/gamma/markets/{market.number}", view=view)
    assert (row["closed"], row["acceptingOrders"]) == (False, False)


def test_a_young_market_is_listed_without_tokens_and_has_no_book() -> None:
    assert ask("/clob/book", ("token_id", YES), quirks=YOUNG).status == 404
    assert ask(f"/clob/markets/{CONDITION}", quirks=YOUNG).status == 404
    row: Any = ask(f"/gamma/markets/{TWO_SIDED.number}", quirks=YOUNG).payload
    assert row["clobTokenIds"] in {"", "[]"}


def test_the_short_market_tells_the_fee() -> None:
    market = next(m for m in OPEN if m.fee.rate and m.fee.kind == "quadratic")
    short = told(f"/clob/clob-markets/{condition_id(market.number)}")
    row = told(f"/gamma/markets/{market.number}")
    assert short["fd"] == {"r": float(market.fee.rate), "e": 1, "to": True}
    assert row["feeSchedule"]["rate"] == float(market.fee.rate)


def test_an_unknown_condition_is_not_found() -> None:
    answer = ask("/clob/markets/0x12")
    assert (answer.status, answer.payload) == (404, {"error": "market not found"})


def test_history_is_in_seconds_and_floats() -> None:
    points = told("/clob/prices-history", ("market", YES), ("interval", "6h"))["history"]
    other = told("/clob/prices-history", ("market", NO), ("interval", "6h"))["history"]
    assert [set(point) for point in points] == [{"t", "p"}] * len(points)
    assert all(a["p"] + b["p"] == pytest.approx(1) for a, b in zip(points, other, strict=True))


def test_a_resolved_market_has_no_fine_history_of_all_time() -> None:
    token = ("market", token_id(RESOLVED[-1].number, 0))
    fine = told("/clob/prices-history", token, ("interval", "max"), ("fidelity", "60"))
    coarse = told("/clob/prices-history", token, ("interval", "max"), ("fidelity", "720"))
    assert fine == {"history": []} != coarse


def test_the_data_apis_history_has_a_window_of_fifteen_days() -> None:
    start = int((AT - timedelta(days=16)).timestamp())
    query = (("token_id", YES), ("start", str(start)))
    assert ask("/data/v2/prices-history", *query).status == 400
    end = ("end", str(start + 15 * 86_400))
    assert ask("/data/v2/prices-history", *query, end).status == 200
    assert ask("/data/v2/prices-history", ("token_id", YES)).status == 400


def test_the_data_apis_history_comes_in_pages() -> None:
    query: Pairs = (("token_id", YES), ("interval", "max"), ("limit", "3"))
    rows: list[Any] = []
    page = told("/data/v2/prices-history", *query)
    while page["pagination"]["has_more"]:
        rows += page["data"]
        cursor = ("cursor", page["pagination"]["next_cursor"])
        page = told("/data/v2/prices-history", *query, cursor)
    times = [row["timestamp"] for row in [*rows, *page["data"]]]
    assert times == sorted(set(times))
    assert len(times) > 3


def test_a_single_past_price_may_be_asked_for() -> None:
    moment = ("as_of", str(int((AT - timedelta(hours=2)).timestamp())))
    (row,) = told("/data/v2/prices-history", ("token_id", YES), moment)["data"]
    assert row["timestamp"] <= int(moment[1]) < row["timestamp"] + 3600
