"""What a played demo knows of its outcomes, its exclusive events and its markets' prices."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from json import loads

import numpy as np
import pytest

from arena.metrics.claims.questions import claim_board
from arena.records.claim import Scope, Valuation
from arena.records.market import MarketId
from arena.scoring.table import Forecasts
from arena.store import Store, open_store
from arena.store.codec import read_moment
from arena.store.scores.evidence import Saying, SqliteEvidence, with_outcomes, with_prices
from arena.store.tape.prices import first_due
from tests.present import present
from tests.site.folders import play_days

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    """Twelve simulated days."""
    with open_store(None) as opened:
        play_days(opened, 0, 12)
        yield opened


@pytest.fixture(scope="module")
def found(store: Store) -> Forecasts:
    """What was forecast in them."""
    return with_prices(store.db, SqliteEvidence(store.db).forecasts())


def test_an_outcome_is_known_when_its_market_was_resolved(
    store: Store, found: Forecasts
) -> None:
    rows = store.db.rows("SELECT market, at FROM resolutions")
    resolved = {row["market"]: read_moment(row["at"]) for row in rows}
    names, known = found.market.names, present(found.ended).tolist()
    for code, ended in zip(found.market.codes.tolist(), known, strict=True):
        assert ended.replace(tzinfo=UTC) == resolved[names[code]]


def test_what_waits_has_no_end_and_the_same_codes(found: Forecasts) -> None:
    waiting = present(found.waiting)
    assert len(waiting)
    assert np.isnat(present(waiting.ended)).all()
    for name in ("contestant", "market", "event"):
        assert getattr(found, name).names is getattr(waiting, name).names


def test_exclusive_markets_are_those_that_their_venue_calls_so(
    store: Store, found: Forecasts
) -> None:
    rows = store.db.rows("SELECT market, facts FROM tape_markets ORDER BY seen_at")
    told = {row["market"]: bool(loads(row["facts"]).get("exclusive")) for row in rows}
    expected = [told[found.market.names[code]] for code in found.market.codes.tolist()]
    assert present(found.exclusive).tolist() == expected
    assert 0 < sum(expected) < len(expected)


def test_a_price_of_a_day_is_the_last_that_was_read_in_it(
    store: Store, found: Forecasts
) -> None:
    prices = present(found.prices)
    told = np.flatnonzero(~np.isnan(prices.price))
    assert told.size > 50
    for n in told[::17].tolist():
        market = MarketId(found.market.names[prices.market[n]])
        end = EPOCH + timedelta(days=int(prices.day[n]) + 1) - timedelta(microseconds=1)
        last = store.tape.two_sided_quotes([market], end)[market]
        assert last.at.date() == end.date()
        middle = (float(present(last.bid)) + float(present(last.ask))) / 2
        assert prices.price[n] == pytest.approx(middle)


def test_prices_come_in_the_order_of_markets_and_days(found: Forecasts) -> None:
    prices = present(found.prices)
    rows = list(zip(prices.market.tolist(), prices.day.tolist(), strict=True))
    assert all(one <= other for one, other in pairwise(rows))
    assert set(prices.market.tolist()) <= set(range(len(found.market.names)))


def test_a_demo_that_is_read_twice_a_day_has_fresh_prices(found: Forecasts) -> None:
    today = (EPOCH + timedelta(days=int(present(found.prices).day.max()) + 1)).date()
    made = present(claim_board(found, "brier", by_moment=True, scope=Scope(today)))
    assert made.valuation is Valuation.MARKET
    assert made.asked.paths is not None


def test_outcomes_alone_are_the_same_without_prices(store: Store, found: Forecasts) -> None:
    bare = with_outcomes(store.db, SqliteEvidence(store.db).forecasts())
    assert bare.prices is None
    assert np.array_equal(present(bare.ended), present(found.ended))
    assert np.array_equal(present(bare.exclusive), present(found.exclusive))


def test_no_forecast_has_no_price() -> None:
    with open_store(None) as store:
        found = with_prices(store.db, SqliteEvidence(store.db).forecasts())
    assert (len(found), present(found.prices).price.size) == (0, 0)


@pytest.mark.parametrize("saying", list(Saying))
def test_every_forecast_has_come_out_waits_or_never_will(saying: Saying, store: Store) -> None:
    found = SqliteEvidence(store.db).forecasts(saying)
    columns = {Saying.STATED: "stated", Saying.KELLY: "kelly", Saying.LINEAR: "linear"}
    source = "journal_forecasts" if saying is Saying.FORECAST else "fills"
    where = f"WHERE {columns[saying]} IS NOT NULL" if saying in columns else ""
    total = store.db.value(f"SELECT count(*) FROM {source} {where}")  # noqa: S608
    waiting = present(found.waiting)
    assert len(found) > 0
    assert len(waiting) == found.left_out["outcome_missing"] > 0
    assert len(found) + sum(found.left_out.values()) == total
    assert set(found.outcome.tolist()) <= {0, 1}
    assert not set(found.market.codes.tolist()) & set(waiting.market.codes.tolist())


def test_a_market_is_due_when_it_was_first_said_to_close(
    store: Store, found: Forecasts
) -> None:
    market, told = found.market.names[found.market.codes[0]], present(found.due)[0]
    (first,) = first_due(store.db, [market]).values()
    assert np.datetime64(first.replace(tzinfo=None)) == told
    later = """INSERT INTO tape_markets SELECT market, '9999-01-01T00:00:00+00:00',
        json_set(facts, '$.closes_at', '2020-01-01T00:00:00+00:00')
        FROM tape_markets WHERE market = ? ORDER BY seen_at LIMIT 1"""
    store.db.raw.execute(later, (market,))
    assert first_due(store.db, [market]) == {market: first}
    store.db.raw.rollback()
