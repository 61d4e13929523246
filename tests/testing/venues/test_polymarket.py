import json
from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from arena.records.money import price
from tests.present import present
from tests.standins.venues.dialect import Asked, Quirks
from tests.standins.venues.polymarket_ids import (
    condition_id,
    number_of_condition,
    number_of_token,
    token_id,
)
from tests.testing.venues.moments import (
    AT,
    OPEN,
    TWO_SIDED,
    VIEW,
    WORLD,
    found,
)
from tests.testing.venues.polymarket_asked import (
    CONDITION,
    DIALECT,
    NO,
    YES,
    Pairs,
    ask,
    told,
    walk,
)

BUSIEST: Pairs = (("order", "volumeNum"), ("ascending", "false"), ("limit", "20"))


def test_a_list_is_walked_once_and_in_order() -> None:
    rows = walk(*BUSIEST)
    assert len({row["id"] for row in rows}) == len(rows) > 40
    volumes = [row["volumeNum"] for row in rows]
    assert volumes == sorted(volumes, reverse=True)


def test_a_list_shows_nothing_closed_unless_it_is_asked_for() -> None:
    assert {row["closed"] for row in walk(*BUSIEST)} == {False}
    page = told("/gamma/markets/keyset", ("closed", "true"), ("limit", "100"))
    assert {row["closed"] for row in page["markets"]} == {True}


def test_a_cursor_of_another_name_is_not_heard() -> None:
    first = told("/gamma/markets/keyset", *BUSIEST)
    wrong = told("/gamma/markets/keyset", *BUSIEST, ("cursor", first["next_cursor"]))
    ids = [[row["id"] for row in page["markets"]] for page in (first, wrong)]
    assert ids[0] == ids[1]


def test_a_cursor_is_bound_to_its_filters() -> None:
    cursor = told("/gamma/markets/keyset", *BUSIEST)["next_cursor"]
    other = ask("/gamma/markets/keyset", ("after_cursor", cursor))
    assert (other.status, ask("/gamma/markets/keyset", ("after_cursor", "x")).status) == (
        422,
        422,
    )


def test_a_page_that_is_not_full_has_no_cursor() -> None:
    assert "next_cursor" not in told("/gamma/markets/keyset", ("id", str(TWO_SIDED.number)))


def test_a_limit_is_capped_without_a_word() -> None:
    rows = told("/gamma/markets/keyset", ("limit", "5000"), ("closed", "true"))["markets"]
    assert len(rows) == 100


def test_an_offset_is_refused() -> None:
    answer = ask("/gamma/markets/keyset", ("offset", "100"))
    assert answer.status == 422
    assert answer.payload == {
        "type": "validation error",
        "error": "offset is not allowed on keyset endpoints",
    }


def test_order_by_volume_sorts_as_text() -> None:
    rows = told("/gamma/markets/keyset", ("order", "volume"), ("limit", "100"))["markets"]
    volumes = [row["volumeNum"] for row in rows]
    assert volumes != sorted(volumes)
    assert sorted(map(str, volumes)) == [str(volume) for volume in volumes]


def test_a_wrong_order_is_silently_another() -> None:
    rows = told("/gamma/markets/keyset", ("order", "volume_num"), ("limit", "100"))["markets"]
    assert [row["id"] for row in rows] == sorted(row["id"] for row in rows)


def test_filters_of_amount_and_date_hold() -> None:
    soon = f"{AT + timedelta(days=3):%Y-%m-%d}"
    rows = walk(("volume_num_min", "5000"), ("end_date_max", soon), ("limit", "100"))
    assert rows
    assert min(row["volumeNum"] for row in rows) >= 5000
    kept = (found(VIEW, int(row["id"])) for row in rows)
    assert all(f"{market.closes_at:%Y-%m-%dT%H}" <= f"{soon}T00" for market in kept)
    assert ask("/gamma/markets/keyset", ("end_date_max", "20-x")).status == 422


def test_markets_are_asked_for_by_id_and_by_condition() -> None:
    two = [str(market.number) for market in OPEN[:2]]
    by_id = told("/gamma/markets/keyset", *(("id", own) for own in two))["markets"]
    assert {row["id"] for row in by_id} <= set(two)
    pairs = (("condition_ids", CONDITION), ("condition_ids", "0x12"))
    by_condition = told("/gamma/markets/keyset", *pairs)["markets"]
    assert [row["id"] for row in by_condition] == [str(TWO_SIDED.number)]


def test_only_lists_without_ids_come_from_a_cache() -> None:
    listed = dict(ask("/gamma/markets/keyset").headers)
    assert 0 <= int(listed["Age"]) < 300
    assert dict(ask("/gamma/markets/keyset", ("id", "1")).headers)["Age"] == "0"


def test_a_list_is_as_old_as_it_says() -> None:
    on_the_hour = WORLD.view(AT - timedelta(minutes=20))
    answer = ask("/gamma/markets/keyset", ("limit", "100"), view=on_the_hour)
    assert int(dict(answer.headers)["Age"]) > 0
    payload: Any = answer.payload
    before = WORLD.view(on_the_hour.at - timedelta(minutes=5))
    bids = {row["id"]: row.get("bestBid") for row in payload["markets"]}
    assert bids == {
        own: None if (bid := found(before, int(own)).bid) is None else float(bid)
        for own in bids
    }


def test_the_second_protocol_is_hidden_unless_asked_for() -> None:
    shown = told("/gamma/markets/keyset", ("version", "v2"), ("closed", "true"))["markets"]
    assert shown
    assert {row["version"] for row in shown} == {"v2"}
    assert all(row.get("version") != "v2" for row in walk(("closed", "true"), ("limit", "100")))


def test_a_market_has_lists_in_strings_and_ids_beyond_any_number() -> None:
    row = told(f"/gamma/markets/{TWO_SIDED.number}")
    assert json.loads(row["outcomes"]) == ["Yes", "No"]
    assert json.loads(row["clobTokenIds"]) == [YES, NO]
    assert {len(YES), len(NO)} == {77}
    assert len(CONDITION) == 66


def test_an_open_market_shows_its_middle_and_its_best_prices() -> None:
    row = told(f"/gamma/markets/{TWO_SIDED.number}")
    assert (row["bestBid"], row["bestAsk"]) == (
        float(present(TWO_SIDED.bid)),
        float(present(TWO_SIDED.ask)),
    )
    assert [price(p) for p in json.loads(row["outcomePrices"])] == [
        TWO_SIDED.mid,
        price(1 - present(TWO_SIDED.mid)),
    ]
    assert (row["active"], row["closed"], row["acceptingOrders"]) == (True, False, True)


def test_an_unknown_market_is_not_found_and_a_slug_is_invalid() -> None:
    lost = ask("/gamma/markets/12345")
    assert lost.status == 404
    assert lost.payload == {"type": "not found error", "error": "id not found"}
    assert ask("/gamma/markets/some-slug").status == 422
    assert ask(f"/gamma/markets/{'9' * 5000}").status == 422


def test_an_event_holds_all_its_markets() -> None:
    market = next(m for m in OPEN if m.exclusive)
    event = told(f"/gamma/events/{market.event_number}")
    assert len(event["markets"]) == market.siblings
    assert event["negRisk"] is True
    assert {row["negRiskMarketID"] for row in event["markets"]} == {event["negRiskMarketID"]}


def test_events_are_walked_like_markets() -> None:
    events = walk(("limit", "7"), path="/gamma/events/keyset")
    assert len({event["id"] for event in events}) == len(events) > 20
    assert {event["closed"] for event in events} == {False}


@given(st.integers(min_value=1, max_value=10**13), st.sampled_from([0, 1]))
def test_ids_lead_back_to_their_number(number: int, side: int) -> None:
    assert number_of_token(token_id(number, side)) == (number, side)
    assert number_of_condition(condition_id(number)) == number
    assert DIALECT.number(DIALECT.own_id(number)) == number


@given(st.text())
def test_what_is_no_id_leads_nowhere(said: str) -> None:
    assert number_of_token(said) is None
    assert number_of_condition(said) is None


@given(st.text(), st.lists(st.tuples(st.text(), st.text()), max_size=3), st.binary())
def test_nothing_that_is_asked_is_too_much(
    path: str, query: list[tuple[str, str]], body: bytes
) -> None:
    for method in ("GET", "POST"):
        for start in ("/gamma/markets", "/gamma/events", "/clob", "/data/v2", "/clob/books"):
            asked = Asked(method, f"{start}/{path}", tuple(query), body)
            json.dumps(DIALECT.answer(asked, VIEW, Quirks()).payload)
