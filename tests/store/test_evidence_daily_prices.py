"""What a played demo knows of its outcomes, its exclusive events and its markets' prices."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from json import loads

import numpy as np
import pytest

from arena.metrics.claims.claim_board import claim_board
from arena.records.claim import Scope, Valuation
from arena.records.market import MarketId
from arena.scoring.table import Forecasts
from arena.store import Store, open_store
from arena.store.codec import read_moment
from arena.store.scores.evidence import Saying, SqliteEvidence, with_outcomes, with_prices
from arena.store.tape.prices import first_due
from tests.site.folders import play_days

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def played() -> Iterator[tuple[Store, Forecasts]]:
    """Twelve simulated days, and what was forecast in them."""
    with open_store(None) as store:
        play_days(store, 0, 12)
        yield store, with_prices(store.db, SqliteEvidence(store.db).forecasts())


def test_an_outcome_is_known_when_its_market_was_resolved(
    played: tuple[Store, Forecasts],
) -> None:
    store, found = played
    assert found.ended is not None
    resolved = {
        row["market"]: read_moment(row["at"])
        for row in store.db.rows("SELECT market, at FROM resolutions")
    }
    names = found.market.names
    for code, ended in zip(found.market.codes.tolist(), found.ended.tolist(), strict=True):
        assert ended.replace(tzinfo=UTC) == resolved[names[code]]


def test_what_waits_has_no_end_and_says_so(played: tuple[Store, Forecasts]) -> None:
    waiting = played[1].waiting
    assert waiting is not None
    assert waiting.ended is not None
    assert len(waiting)
    assert np.isnat(waiting.ended).all()


def test_exclusive_markets_are_those_that_their_venue_calls_so(
    played: tuple[Store, Forecasts],
) -> None:
    store, found = played
    assert found.exclusive is not None
    rows = store.db.rows("SELECT market, facts FROM tape_markets ORDER BY seen_at")
    told = {row["market"]: bool(loads(row["facts"]).get("exclusive")) for row in rows}
    expected = [told[found.market.names[code]] for code in found.market.codes.tolist()]
    assert found.exclusive.tolist() == expected
    assert 0 < sum(expected) < len(expected)


def test_a_price_of_a_day_is_the_last_that_was_read_in_it(
    played: tuple[Store, Forecasts],
) -> None:
    store, found = played
    assert found.prices is not None
    prices = found.prices
    told = np.flatnonzero(~np.isnan(prices.price))
    assert told.size > 50
    for n in told[::17].tolist():
        market = MarketId(found.market.names[prices.market[n]])
        end = EPOCH + timedelta(days=int(prices.day[n]) + 1) - timedelta(microseconds=1)
        last = store.tape.two_sided_quotes([market], end)[market]
        assert last.at.date() == end.date()
        assert last.bid is not None
        assert last.ask is not None
        assert prices.price[n] == pytest.approx((float(last.bid) + float(last.ask)) / 2)


def test_prices_come_in_the_order_of_markets_and_days(played: tuple[Store, Forecasts]) -> None:
    prices = played[1].prices
    assert prices is not None
    rows = list(zip(prices.market.tolist(), prices.day.tolist(), strict=True))
    assert all(one <= other for one, other in pairwise(rows))
    assert set(prices.market.tolist()) <= set(range(len(played[1].market.names)))


def test_a_demo_that_is_read_twice_a_day_has_fresh_prices(
    played: tuple[Store, Forecasts],
) -> None:
    found = played[1]
    assert found.prices is not None
    today = (EPOCH + timedelta(days=int(found.prices.day.max()) + 1)).date()
    made = claim_board(found, "brier", by_moment=True, scope=Scope(today))
    assert made is not None
    assert made.valuation is Valuation.MARKET
    assert made.asked.paths is not None


def test_outcomes_alone_are_the_same_without_prices(played: tuple[Store, Forecasts]) -> None:
    store, found = played
    bare = with_outcomes(store.db, SqliteEvidence(store.db).forecasts())
    assert bare.prices is None
    assert bare.ended is not None
    assert found.ended is not None
    assert np.array_equal(bare.ended, found.ended)
    assert bare.exclusive is not None
    assert found.exclusive is not None
    assert np.array_equal(bare.exclusive, found.exclusive)


def test_no_forecast_has_no_price() -> None:
    with open_store(None) as store:
        found = with_prices(store.db, SqliteEvidence(store.db).forecasts())
    assert found.prices is not None
    assert (len(found), found.prices.price.size) == (0, 0)


@pytest.mark.parametrize("saying", list(Saying))
def test_every_forecast_has_come_out_waits_or_never_will(
    saying: Saying, played: tuple[Store, Forecasts]
) -> None:
    store = played[0]
    found = SqliteEvidence(store.db).forecasts(saying)
    columns = {Saying.STATED: "stated", Saying.KELLY: "kelly", Saying.LINEAR: "linear"}
    source = "journal_forecasts" if saying is Saying.FORECAST else "fills"
    where = f"WHERE {columns[saying]} IS NOT NULL" if saying in columns else ""
    total = store.db.value(f"SELECT count(*) FROM {source} {where}")  # noqa: S608
    assert found.waiting is not None
    assert len(found) > 0
    assert len(found.waiting) == found.left_out["outcome_missing"] > 0
    assert len(found) + sum(found.left_out.values()) == total
    assert set(found.outcome.tolist()) <= {0, 1}
    assert not set(found.market.codes.tolist()) & set(found.waiting.market.codes.tolist())


def test_what_waits_has_the_same_codes(
    played: tuple[Store, Forecasts],
) -> None:
    found = played[1]
    assert found.waiting is not None
    for name in ("contestant", "market", "event"):
        assert getattr(found, name).names is getattr(found.waiting, name).names


def test_a_market_is_due_when_it_was_first_said_to_close(
    played: tuple[Store, Forecasts],
) -> None:
    store, found = played
    assert found.due is not None
    market, told = found.market.names[found.market.codes[0]], found.due[0]
    (first,) = first_due(store.db, [market]).values()
    assert np.datetime64(first.replace(tzinfo=None)) == told
    later = """INSERT INTO tape_markets SELECT market, '9999-01-01T00:00:00+00:00',
        json_set(facts, '$.closes_at', '2020-01-01T00:00:00+00:00')
        FROM tape_markets WHERE market = ? ORDER BY seen_at LIMIT 1"""
    store.db.raw.execute(later, (market,))
    assert first_due(store.db, [market]) == {market: first}
    store.db.raw.rollback()
