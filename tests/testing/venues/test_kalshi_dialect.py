"""Kalshi's dialect speaks as recorded answers of Kalshi do, and refuses what Kalshi refuses."""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from functools import cache

import pytest

from arena.records.market import State
from tests.present import some
from tests.standins.venues.dialect import Asked, Quirks, seconds
from tests.standins.venues.kalshi import COMBINATIONS, KalshiDialect
from tests.standins.venues.kalshi_asked import STATUSES
from tests.standins.venues.kalshi_rows import NEVER
from tests.testing.venues.asking import AT, HOUR, WORLD, Asking, Json, Query, ending, is_open
from tests.venues.recordings import recorded

KALSHI = KalshiDialect()
ASKING = Asking(KALSHI)
asked, told = ASKING.answer, ASKING.told
NOW_AND_THEN = {"liquidity_dollars", "settlement_bounds_type"}  # one of them, never both


@cache
def markets() -> list[Json]:
    """Give everything that Kalshi still lists at `AT`, as it says it."""
    return [
        row for page in pages("/markets", {"mve_filter": "exclude"}) for row in page["markets"]
    ]


def pages(path: str, query: Query | None = None, *, at: datetime = AT) -> Iterator[Json]:
    cursor = ""
    while True:
        page = told(path, {**(query or {}), "limit": "200", "cursor": cursor}, at=at)
        yield page
        cursor = page["cursor"]
        if not cursor:
            return


def test_every_ticker_leads_back_to_its_market() -> None:
    numbers = [market.number for market in WORLD.view(AT).markets]
    assert [KALSHI.number(KALSHI.own_id(number)) for number in numbers] == numbers


@pytest.mark.parametrize("ticker", ["", "KX", "KXABC", "KXFED-26JAN01-T1", "kx-1", "KXA-é-T1"])
def test_a_foreign_ticker_leads_to_no_market(ticker: str) -> None:
    assert KALSHI.number(ticker) is None


def test_a_ticker_begins_with_its_events_and_that_with_its_series() -> None:
    event = told("/events", {"limit": "1", "with_nested_markets": "true", "status": "open"})[
        "events"
    ][0]
    assert event["event_ticker"].startswith(event["series_ticker"] + "-")
    assert all(m["ticker"].startswith(event["event_ticker"]) for m in event["markets"])


def test_pages_of_events_hold_every_open_market_once() -> None:
    rows = [
        row["ticker"]
        for page in pages("/events", {"status": "open", "with_nested_markets": "true"})
        for event in page["events"]
        for row in event["markets"]
        if row["status"] == "active"
    ]
    assert rows == [KALSHI.own_id(market.number) for market in is_open()]


def test_a_cursor_carries_no_filter() -> None:
    first = told("/markets", {"status": "settled", "mve_filter": "exclude", "limit": "1"})
    bare = told(
        "/markets", {"cursor": first["cursor"], "limit": "1000", "mve_filter": "exclude"}
    )
    assert {"active", "finalized"} <= {row["status"] for row in bare["markets"]}


def test_a_stuck_server_gives_its_first_page_for_ever() -> None:
    first = told("/events", {"limit": "2"})
    stuck = Quirks(first_page=True)
    assert told("/events", {"limit": "2", "cursor": first["cursor"]}, quirks=stuck) == first


def test_a_list_of_markets_begins_with_combinations_alone() -> None:
    rows = told("/markets", {"status": "open", "limit": "1000"})["markets"]
    assert COMBINATIONS >= len(rows) == 1000
    assert all(row["ticker"].startswith("KXMVE") and row["is_provisional"] for row in rows)


def test_combinations_can_be_excluded() -> None:
    assert not [row for row in markets() if row["ticker"].startswith("KXMVE")]


@pytest.mark.parametrize("word", [*STATUSES])
def test_a_word_of_the_filter_stands_for_its_states(word: str) -> None:
    query = {"status": word, "mve_filter": "exclude"}
    rows = [row for page in pages("/markets", query) for row in page["markets"]]
    assert {row["status"] for row in rows} <= STATUSES[word]
    assert len(rows) == sum(row["status"] in STATUSES[word] for row in markets())


def test_a_list_of_open_markets_holds_halted_ones() -> None:
    number, course = ending(None, {State.HALTED: 1})
    halt = next(stage.at for stage in course if stage.state is State.HALTED)
    listed = pages("/markets", {"status": "open", "mve_filter": "exclude"}, at=halt)
    found = {row["ticker"]: row["status"] for page in listed for row in page["markets"]}
    assert found[KALSHI.own_id(number)] == "inactive"


def test_unknown_tickers_are_left_out_without_a_word() -> None:
    known_one = markets()[0]["ticker"]
    rows = told("/markets", {"tickers": f"KXNOT-A-T1,{known_one},{known_one}"})["markets"]
    assert [row["ticker"] for row in rows] == [known_one]


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/markets", {"status": "active"}),
        ("/markets", {"status": "open,closed"}),
        ("/markets", {"limit": "1001"}),
        ("/markets", {"limit": "some"}),
        ("/markets", {"cursor": "nonsense"}),
        ("/markets", {"mve_filter": "no"}),
        ("/markets", {"min_close_ts": "1", "status": "open"}),
        ("/markets", {"min_close_ts": "1", "max_settled_ts": "2"}),
        ("/markets", {"min_updated_ts": "1"}),
        ("/events", {"limit": "201"}),
        ("/events", {"limit": "0"}),
        ("/markets/orderbooks", {}),
        ("/markets/candlesticks", {"market_tickers": "A"}),
    ],
)
def test_a_wrong_question_is_refused(path: str, query: dict[str, str]) -> None:
    answer = asked(path, query)
    assert answer.status == 400
    assert isinstance(answer.payload, dict)
    assert list(answer.payload) == ["code", "message", "details"]


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/nowhere",
        "/markets/KXNOT-A-T1",
        "/markets/KXNOT-A-T1/orderbook",
        "/events/KXNOT-A",
        "/series/KXno",
        "/historical/markets/KXNOT-A-T1",
        "/exchange/announcements",
    ],
)
def test_what_is_not_there_is_404(path: str) -> None:
    assert asked(path).status == 404


def test_nothing_can_be_changed() -> None:
    assert KALSHI.answer(Asked("POST", "/markets"), WORLD.view(AT), Quirks()).status == 405


def test_times_filter_what_closes() -> None:
    after, until = AT - 3 * HOUR, AT + 9 * HOUR
    query = {"min_close_ts": str(seconds(after)), "max_close_ts": str(seconds(until))}
    rows = told("/markets", {"mve_filter": "exclude", "limit": "1000", **query})["markets"]
    times = [datetime.fromisoformat(row["close_time"]) for row in rows]
    assert times
    assert all(after <= at <= until for at in times)


def test_money_is_text_with_four_decimals_and_there_are_no_cents() -> None:
    cents = {"yes_bid", "yes_ask", "no_bid", "no_ask", "last_price", "volume", "liquidity"}
    for row in some(markets()):
        assert not cents & set(row)
        for key, value in row.items():
            if key.endswith("_dollars"):
                assert value == f"{Decimal(value):.4f}"
            if key.endswith("_fp"):
                assert value == f"{Decimal(value):.2f}"


def test_a_market_has_the_fields_of_a_recorded_one() -> None:
    page: Json = recorded("kalshi", "markets_page_one_event_2026-08.json")
    fields = set(page["markets"][0])
    for row in some(markets()):
        found = set(row)
        assert fields - found <= NOW_AND_THEN
        more = found - fields - {"settlement_value_dollars", "settlement_ts"}
        assert more <= NOW_AND_THEN
        assert len(NOW_AND_THEN & found) == 1


def test_a_market_has_the_types_of_a_recorded_one() -> None:
    page: Json = recorded("kalshi", "markets_page_one_event_2026-08.json")
    types = {key: type(value) for key, value in page["markets"][0].items()}
    for row in some(markets()):
        for key, value in row.items():
            if key in types and value is not None:
                assert isinstance(value, types[key])


def test_a_finalized_market_has_the_fields_of_a_recorded_one() -> None:
    said: Json = recorded("kalshi", "market_finalized_no.json")
    of_combinations = {"is_provisional", "mve_collection_ticker", "mve_selected_legs"}
    row = next(row for row in markets() if row["status"] == "finalized")
    assert set(said) - of_combinations - NOW_AND_THEN <= set(row)


def test_an_event_has_the_fields_of_a_recorded_one() -> None:
    page: Json = recorded("kalshi", "jan2026_events_list.json")
    own = told("/events", {"limit": "3"})
    assert set(own) == set(page["response"])
    for event in own["events"]:
        assert set(page["response"]["events"][0]) <= set(event)


def test_a_single_event_has_its_markets_beside_it() -> None:
    said: Json = recorded("kalshi", "jan2026_event_single.json")
    event = told("/events", {"limit": "1", "status": "open"})["events"][0]["event_ticker"]
    own = told(f"/events/{event}")
    assert set(own) == set(said["response"])
    nested = told(f"/events/{event}", {"with_nested_markets": "true"})
    assert nested["event"]["markets"] == own["markets"]


def test_the_schedule_is_the_recorded_one() -> None:
    said: Json = recorded("kalshi", "jan2026_exchange_schedule.json")
    assert told("/exchange/schedule") == said["response"]


def test_the_exchanges_state_has_the_fields_of_a_recorded_one() -> None:
    said: Json = recorded("kalshi", "jan2026_exchange_status.json")
    assert set(said["response"]) <= set(told("/exchange/status"))


@pytest.mark.parametrize(
    ("at", "resumes"),
    [
        ("2026-01-08T07:59:59Z", None),
        ("2026-01-08T08:00:00Z", "2026-01-08T10:00:00Z"),
        ("2026-01-08T09:59:59Z", "2026-01-08T10:00:00Z"),
        ("2026-01-08T10:00:00Z", None),
        ("2026-01-09T08:30:00Z", None),
        ("2026-07-09T07:00:00Z", "2026-07-09T09:00:00Z"),
        ("2026-07-09T09:00:00Z", None),
    ],
)
def test_there_is_no_trading_on_thursday_from_3_to_5_in_new_york(
    at: str, resumes: str | None
) -> None:
    said = told("/exchange/status", at=datetime.fromisoformat(at))
    assert said["trading_active"] is (resumes is None)
    assert said["exchange_estimated_resume_time"] == resumes


def test_a_book_holds_bids_alone_the_best_last() -> None:
    row = next(row for row in markets() if row["status"] == "active" and row["ticker"])
    book = told(f"/markets/{row['ticker']}/orderbook")["orderbook_fp"]
    for side, best in (("yes_dollars", "yes_bid_dollars"), ("no_dollars", "no_bid_dollars")):
        prices = [Decimal(at) for at, _ in book[side]]
        assert prices == sorted(prices)
        assert book[side][-1][0] == row[best]
    assert Decimal(row["yes_ask_dollars"]) == 1 - Decimal(book["no_dollars"][-1][0])


def test_an_empty_side_of_a_book_is_null_and_its_price_0_or_1() -> None:
    row = next(
        row
        for row in markets()
        if row["yes_bid_dollars"] == "0.0000" and row["status"] == "active"
    )
    book = told(f"/markets/{row['ticker']}/orderbook")["orderbook_fp"]
    assert book["yes_dollars"] is None
    assert (row["no_ask_dollars"], row["yes_bid_size_fp"]) == ("1.0000", "0.00")


def test_depth_keeps_the_best() -> None:
    row = next(row for row in markets() if row["status"] == "active" and row["ticker"])
    book = told(f"/markets/{row['ticker']}/orderbook", {"depth": "1"})["orderbook_fp"]
    assert book["yes_dollars"] == [[row["yes_bid_dollars"], row["yes_bid_size_fp"]]]


def test_books_of_several_markets_are_named_and_unknown_ones_missing() -> None:
    two = [row["ticker"] for row in markets() if row["status"] == "active"][:2]
    books = told("/markets/orderbooks", {"tickers": [*two, "KXNOT-A-T1"]})["orderbooks"]
    assert [book["ticker"] for book in books] == two
    one = told(f"/markets/{two[0]}/orderbook")
    assert books[0]["orderbook_fp"] == one["orderbook_fp"]


def test_a_fee_is_told_by_the_series_unless_its_event_says_otherwise() -> None:
    overridden = 0
    for page in pages("/events"):
        for event in page["events"]:
            series = told(f"/series/{event['series_ticker']}")["series"]
            if "fee_type_override" in event:
                overridden += 1
                assert (series["fee_type"], series["fee_multiplier"]) == ("quadratic", 1)
    assert overridden


def test_lists_may_be_null_and_the_time_of_creation_missing() -> None:
    rows = markets()
    assert any(row["price_ranges"] is None for row in rows)
    assert any(row["created_time"] == NEVER for row in rows)
    series = told("/series")["series"]
    assert any(row["tags"] is None for row in series)
    assert any(row["settlement_sources"] is None for row in series)
