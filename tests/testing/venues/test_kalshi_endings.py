"""How markets end in Kalshi's dialect, and what it keeps of the past."""

from datetime import timedelta
from decimal import Decimal

from tests.standins.venues.dialect import seconds
from tests.standins.venues.kalshi import KalshiDialect
from tests.testing.venues.asking import AT, HOUR, WORLD, Asking, Json, is_open
from tests.venues.recordings import recorded

KALSHI = KalshiDialect()
ASKING = Asking(KALSHI)
asked, told = ASKING.answer, ASKING.told


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
