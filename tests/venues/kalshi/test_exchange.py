"""What Kalshi says about itself."""

import pytest

from arena.records.market import FeeKind
from arena.venues.kalshi.parse import series
from arena.venues.kalshi.server import exchange_status
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
