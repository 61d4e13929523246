"""What Kalshi says about itself."""

import pytest

from arena.records.market import FeeKind
from arena.venues.kalshi.exchange import (
    DAYS,
    Hours,
    exchange_schedule,
    exchange_status,
    historical_cutoff,
    series,
)
from arena.venues.reading import unreadable
from tests.venues.kalshi import rows
from tests.venues.kalshi.rows import HOUR, NOW, ORIGIN, Row, iso, trading


def test_an_exchange_trades_when_it_says_so_twice() -> None:
    assert exchange_status(trading(), ORIGIN).rows[0].trading
    assert not exchange_status(trading(on=False), ORIGIN).rows[0].trading
    off = trading() | {"exchange_active": False}
    assert not exchange_status(off, ORIGIN).rows[0].trading


def test_a_pause_says_until_when_it_lasts_or_nothing() -> None:
    said = trading(on=False, until=iso(NOW + HOUR))
    assert exchange_status(said, ORIGIN).rows[0].resumes_at == NOW + HOUR
    assert exchange_status(trading(on=False), ORIGIN).rows[0].resumes_at is None


@pytest.mark.parametrize("bad", [None, "true", 1])
def test_an_exchange_that_does_not_say_whether_it_trades_is_malformed(bad: object) -> None:
    read = exchange_status(trading(on=bad), ORIGIN)
    assert read.left_out == (unreadable("exchange", "no trading_active"),)


def test_a_pause_is_what_lies_between_the_hours() -> None:
    thursday = [
        {"open_time": "00:00", "close_time": "03:00"},
        {"open_time": "05:00", "close_time": "00:00"},
    ]
    said = {"schedule": {"standard_hours": [{"thursday": thursday}]}}
    assert exchange_schedule(said, ORIGIN).rows == (
        Hours("thursday", "00:00", "03:00"),
        Hours("thursday", "05:00", "00:00"),
    )


@pytest.mark.parametrize("payload", [None, {}, {"schedule": {}}, {"schedule": []}])
def test_a_schedule_without_hours_is_malformed(payload: object) -> None:
    read = exchange_schedule(payload, ORIGIN)
    assert read.left_out == (unreadable("schedule", "no standard_hours"),)


def test_a_day_or_a_week_that_cannot_be_read_is_left_out_by_name() -> None:
    week: Row = dict.fromkeys(DAYS) | {"friday": "closed"}
    del week["sunday"]
    read = exchange_schedule({"schedule": {"standard_hours": [week, None]}}, ORIGIN)
    assert read.rows == ()
    assert read.left_out == (
        unreadable("friday", "this is not a list"),
        unreadable("payload", "no sunday"),
        unreadable("a week", "this is not an object"),
    )


def test_the_archive_begins_at_its_cutoff() -> None:
    (found,) = historical_cutoff({"market_settled_ts": iso(NOW)}, ORIGIN).rows
    assert (found.markets_settled, found.trades_made) == (NOW, None)
    assert historical_cutoff({}, ORIGIN).left_out[0].why == "no market_settled_ts"


def test_a_series_tells_its_fee() -> None:
    (found,) = series(rows.series(), ORIGIN).rows
    assert (found.ticker, found.category) == ("KXSKY", "Weather")
    assert found.terms.model.kind is FeeKind.QUADRATIC


def test_series_may_come_in_a_list() -> None:
    listed: list[object] = [rows.series()["series"], {"ticker": ""}]
    read = series({"series": listed}, ORIGIN)
    assert [found.ticker for found in read.rows] == ["KXSKY"]
    assert [left.why for left in read.left_out] == ["no ticker"]


@pytest.mark.parametrize("payload", [None, {}, {"series": None}, {"series": "KXSKY"}])
def test_what_holds_no_series_is_malformed(payload: Row) -> None:
    assert series(payload, ORIGIN).left_out == (unreadable("series", "no series"),)
