"""How markets end in Kalshi's dialect, and what it keeps of the past."""

from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from arena.records.market import NO_WINS, VOIDED, YES_WINS, Outcome, State
from arena.records.money import price
from tests.present import present
from tests.standins.venues.dialect import Quirks, seconds
from tests.standins.venues.kalshi import KalshiDialect
from tests.standins.venues.kalshi_rows import AMENDED_FOR, DETERMINED_FOR, cutoff
from tests.testing.venues.asking import AT, HOUR, WORLD, Asking, Json, ending, is_open, known
from tests.venues.recordings import recorded

KALSHI = KalshiDialect()
ASKING = Asking(KALSHI)
asked, told = ASKING.answer, ASKING.told
PLAINLY = {State.RESOLVED: 1, State.DISPUTED: 0}


def row_of(number: int, at: datetime) -> Json:
    return told(f"/markets/{KALSHI.own_id(number)}", at=at)["market"]


def test_a_result_is_determined_before_it_is_final() -> None:
    number, course = ending(YES_WINS, PLAINLY)
    at = course[-1].at
    closed = next(stage.at for stage in course if stage.state is not State.OPEN)
    early, final = row_of(number, at), row_of(number, at + DETERMINED_FOR)
    assert row_of(number, closed)["result"] == ""
    assert (early["status"], early["result"]) == ("determined", "yes")
    assert (final["status"], final["settlement_value_dollars"]) == ("finalized", "1.0000")
    assert "settlement_ts" in final
    assert "settlement_ts" not in early


def test_a_dispute_has_a_result_that_is_not_to_be_believed() -> None:
    results = []
    for market in WORLD.view(AT).markets:
        for stage in WORLD.course(market.number):
            if stage.state is State.DISPUTED and stage.at <= AT:
                row = row_of(market.number, stage.at)
                assert row["status"] == "disputed"
                results.append((row["result"], WORLD.truth(market.number)))
    assert ("yes", NO_WINS) in results
    assert ("no", NO_WINS) in results


def test_a_changed_result_is_amended_for_some_hours() -> None:
    number, course = ending(None, {State.RESOLVED: 2})
    at = course[-1].at
    first, second = row_of(number, at - HOUR), row_of(number, at)
    final = row_of(number, at + AMENDED_FOR)
    assert [row["status"] for row in (first, second, final)] == [
        "finalized",
        "amended",
        "finalized",
    ]
    assert first["result"] != second["result"] == final["result"]


def test_what_is_void_pays_half_to_each_side() -> None:
    number, course = ending(VOIDED, {})
    row = row_of(number, course[-1].at + AMENDED_FOR)
    assert (row["result"], row["settlement_value_dollars"]) == ("scalar", "0.5000")
    assert KALSHI.truth(VOIDED) == Outcome(price("0.5"))


def test_everything_that_is_final_pays_what_the_world_says() -> None:
    late = AT + timedelta(days=12)
    query = {"status": "settled", "mve_filter": "exclude", "limit": "1000"}
    rows = told("/markets", query, at=late)["markets"]
    told_of = {row["ticker"]: Decimal(row["settlement_value_dollars"]) for row in rows}
    assert len(told_of) > 300
    for ticker, value in told_of.items():
        number = KALSHI.number(ticker)
        assert number is not None
        assert KALSHI.truth(WORLD.truth(number)).yes_pays == value


def test_closed_prices_stand_still() -> None:
    number, course = ending(NO_WINS, PLAINLY)
    shown = [
        row_of(number, at)["yes_bid_dollars"] for at in (course[-1].at, course[-1].at + HOUR)
    ]
    assert shown[0] == shown[1]


def test_old_markets_are_in_the_archive_alone() -> None:
    number, course = ending(YES_WINS, PLAINLY)
    ticker, at = KALSHI.own_id(number), course[-1].at + timedelta(days=22)
    settled = datetime.fromisoformat(told("/historical/cutoff", at=at)["market_settled_ts"])
    assert course[-1].at + DETERMINED_FOR < settled == cutoff(at)
    assert asked(f"/markets/{ticker}", at=at).status == 404
    assert told("/markets", {"tickers": ticker}, at=at)["markets"] == []
    assert told(f"/historical/markets/{ticker}", at=at)["market"]["result"] == "yes"
    assert [
        r["ticker"] for r in told("/historical/markets", {"tickers": ticker}, at=at)["markets"]
    ] == [ticker]


def test_an_event_whose_markets_are_archived_has_null_for_them() -> None:
    number, course = ending(YES_WINS, PLAINLY)
    event = known(number).event_number
    at = course[-1].at + timedelta(days=40)
    ticker = KALSHI.own_id(event * 10 + 1).rpartition("-")[0]
    assert told(f"/events/{ticker}", at=at)["markets"] is None


def test_a_young_market_is_listed_and_not_found() -> None:
    young = max(is_open(), key=lambda m: m.opens_at)
    quirks = Quirks(hydration=AT - young.opens_at + HOUR)
    ticker = KALSHI.own_id(young.number)
    for path in (f"/markets/{ticker}", f"/markets/{ticker}/orderbook"):
        assert asked(path, quirks=quirks).status == 404
    assert told("/markets", {"tickers": ticker}, quirks=quirks)["markets"] == []
    assert asked(f"/events/{ticker.rpartition('-')[0]}", quirks=quirks).status == 200


def test_hourly_candles_close_at_the_worlds_prices() -> None:
    number = is_open()[0].number
    history = dict(WORLD.history(number, AT - 6 * HOUR, AT))
    ticker = KALSHI.own_id(number)
    path = f"/series/{ticker.partition('-')[0]}/markets/{ticker}/candlesticks"
    span = {"start_ts": str(seconds(AT - 6 * HOUR)), "end_ts": str(seconds(AT))}
    rows = told(path, {"period_interval": "60", **span})["candlesticks"]
    assert [row["end_period_ts"] for row in rows] == [seconds(at) for at in history]
    for row, value in zip(rows, history.values(), strict=True):
        bid, ask = (Decimal(row[side]["close_dollars"]) for side in ("yes_bid", "yes_ask"))
        assert (bid + ask) / 2 == value


def test_candles_have_the_fields_of_recorded_ones() -> None:
    said: Json = recorded("kalshi", "candles_finalized.json")
    number = is_open()[0].number
    ticker = KALSHI.own_id(number)
    span = {"start_ts": str(seconds(AT - 90 * HOUR)), "end_ts": str(seconds(AT))}
    page = told(
        "/markets/candlesticks", {"market_tickers": ticker, "period_interval": "60", **span}
    )
    rows = page["markets"][0]["candlesticks"]
    assert page["markets"][0]["market_ticker"] == ticker
    assert {frozenset(row) for row in rows} == {frozenset(said["candlesticks"][0])}
    forms = {frozenset(row["price"]) for row in said["candlesticks"]}
    assert {frozenset(row["price"]) for row in rows} <= forms


def test_the_archives_candles_have_other_names_for_the_same() -> None:
    number, course = ending(YES_WINS, PLAINLY)
    at = course[-1].at + timedelta(days=22)
    ticker, opened = KALSHI.own_id(number), known(number).opens_at
    span = {"start_ts": str(seconds(opened)), "end_ts": str(seconds(opened + 9 * HOUR))}
    rows = told(
        f"/historical/markets/{ticker}/candlesticks", {"period_interval": "60", **span}, at=at
    )["candlesticks"]
    assert set(rows[0]) == {
        "end_period_ts",
        "open_interest",
        "price",
        "volume",
        "yes_ask",
        "yes_bid",
    }
    assert set(rows[0]["price"]) == {"close", "high", "low", "mean", "open", "previous"}
    assert set(rows[0]["yes_bid"]) == {"close", "high", "low", "open"}


@pytest.mark.parametrize("minutes", ["5", "0", ""])
def test_candles_have_three_lengths(minutes: str) -> None:
    ticker = KALSHI.own_id(is_open()[0].number)
    path = f"/series/{ticker.partition('-')[0]}/markets/{ticker}/candlesticks"
    answer = asked(path, {"start_ts": "1", "end_ts": "2", "period_interval": minutes})
    assert answer.status == 400


def test_too_many_candles_are_refused() -> None:
    ticker = KALSHI.own_id(is_open()[0].number)
    path = f"/series/{ticker.partition('-')[0]}/markets/{ticker}/candlesticks"
    answer = asked(path, {"start_ts": "0", "end_ts": str(3600 * 5001), "period_interval": "60"})
    assert answer.status == 400


def test_trades_are_paged_and_the_newest_first() -> None:
    ticker = KALSHI.own_id(is_open()[0].number)
    times, cursor = [], ""
    while True:
        page = told("/markets/trades", {"ticker": ticker, "limit": "50", "cursor": cursor})
        times += [row["created_time"] for row in page["trades"]]
        cursor = page["cursor"]
        if not cursor:
            break
    assert times == sorted(set(times), reverse=True)
    assert len(times) == len(WORLD.history(present(KALSHI.number(ticker)), AT - 999 * HOUR, AT))
