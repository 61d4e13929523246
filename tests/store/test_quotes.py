"""A price that was read again and found unchanged is a few bytes, and nobody can tell."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.odds.edge import GateReason
from arena.records.market import MarketId, Quote, Side, Source
from arena.records.money import usd
from arena.store import Store, open_store
from arena.store.codec import moment
from arena.store.pages.cards import Seen
from arena.store.pages.health import SqliteHealth
from arena.store.pages.showcase import Showcase
from arena.store.scores.offered_markets import SqliteLines
from arena.store.tape.prices import daily_prices
from tests.build import (
    ADA,
    COHORT,
    HAIL,
    HOUR,
    MARKETS,
    RAIN,
    SNOW,
    at,
    quote,
    spec,
    with_depth,
)
from tests.stage import buys, playing

DEEP = with_depth([("0.38", "5")], [("0.4", "1"), ("0.5", "2")])


def count(store: Store, table: str) -> int:
    return int(store.db.value(f"SELECT count(*) FROM tape_{table}"))  # noqa: S608  # ours


def read(store: Store, shown: Quote, hours: float) -> None:
    """Let a venue show a quote, read whole at that hour."""
    store.tape.record_quotes([replace(shown, at=at(hours))], at(hours))


def newest(store: Store, hours: float) -> Quote:
    return store.tape.quotes([RAIN], at(hours))[RAIN]


@pytest.mark.parametrize(
    "shown",
    [
        pytest.param(quote(), id="plain"),
        pytest.param(quote(None, None), id="empty"),
        pytest.param(replace(quote(), volume=usd(7), volume_24h=usd(2)), id="with-volumes"),
        pytest.param(DEEP, id="deep"),
    ],
)
def test_what_is_read_again_and_is_as_it_was_is_a_repeat(store: Store, shown: Quote) -> None:
    for hours in range(5):
        read(store, shown, hours)
    assert (count(store, "quotes"), count(store, "repeats")) == (1, 4)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(quote("0.37"), id="bid"),
        pytest.param(quote(ask="0.41"), id="ask"),
        pytest.param(quote(ask=None), id="no-ask"),
        pytest.param(replace(DEEP, bids=()), id="depth"),
        pytest.param(replace(quote(), source=Source.LIST), id="source"),
        pytest.param(replace(quote(), volume=usd(1)), id="volume"),
        pytest.param(replace(quote(), volume_24h=usd(1)), id="volume-of-a-day"),
        pytest.param(replace(quote(), liquidity=usd(1)), id="liquidity"),
    ],
)
def test_whatever_else_is_said_is_a_change_and_is_read_back_as_it_was_told(
    store: Store, other: Quote
) -> None:
    read(store, quote(), 0)
    read(store, other, 1)
    assert (count(store, "quotes"), count(store, "repeats")) == (2, 0)
    assert newest(store, 1) == replace(other, at=at(1))


def test_a_volume_that_is_not_given_is_no_change_and_stays_known(store: Store) -> None:
    whole = replace(quote(), volume=usd(5), volume_24h=usd(2), liquidity=usd(1))
    read(store, whole, 0)
    read(store, quote(), 1)
    assert count(store, "repeats") == 1
    assert newest(store, 1) == replace(whole, at=at(1))


MOMENT = timedelta(milliseconds=500)


@pytest.mark.parametrize(
    ("told", "when", "kept"),
    [
        pytest.param(quote(hours=1.9), at(2), (2, 1), id="of-another-moment"),
        pytest.param(quote("0.3", hours=0.5), at(2), (2, 1), id="of-before-the-repeat"),
        pytest.param(quote(hours=1), at(2), (1, 1), id="as-the-repeat"),
        pytest.param(quote(hours=1), at(1), (1, 1), id="as-the-repeat-at-its-moment"),
        pytest.param(replace(quote(), at=at(2) + MOMENT), at(2) + MOMENT, (2, 1), id="between"),
    ],
)
def test_a_quote_is_a_row_where_it_says_more_than_the_repeat_before(
    store: Store, told: Quote, when: datetime, kept: tuple[int, int]
) -> None:
    read(store, quote(), 0)
    read(store, quote(), 1)
    store.tape.record_quotes([told], when)
    assert (count(store, "quotes"), count(store, "repeats")) == kept
    assert newest(store, 3) == told


def test_a_quote_that_is_equal_in_all_is_not_kept_again(store: Store) -> None:
    for hours in (0, 1):
        store.tape.record_quotes([quote()], at(hours))
    assert (count(store, "quotes"), count(store, "repeats")) == (1, 0)


def test_what_a_repeat_said_of_a_moment_is_never_written_over(store: Store) -> None:
    read(store, quote(), 0)
    read(store, quote(), 1)
    store.tape.record_quotes([quote("0.3", hours=1)], at(1))
    assert newest(store, 1) == quote(hours=1)
    assert (count(store, "quotes"), count(store, "repeats")) == (1, 1)


def test_an_amount_that_no_file_can_hold_is_not_known(store: Store) -> None:
    read(store, replace(quote(), volume=usd(10**14), liquidity=usd(9 * 10**12)), 0)
    assert (newest(store, 0).volume, newest(store, 0).liquidity) == (None, usd(9 * 10**12))


def test_a_market_is_numbered_once_it_repeats_itself(store: Store) -> None:
    read(store, quote(), 0)
    assert count(store, "names") == 0
    for hours in (1, 2):
        read(store, quote(), hours)
    assert count(store, "names") == 1


def test_the_digest_of_a_round_is_of_the_last_readings(store: Store) -> None:
    read(store, quote(), 0)
    before = store.tape.digest_of([RAIN], at(0))
    read(store, quote(), 1)
    assert store.tape.digest_of([RAIN], at(1)) != before
    assert store.tape.digest_of([RAIN], at(0)) == before


@pytest.mark.parametrize("most", [1, 2, 3, 4, 5])
def test_a_page_shows_the_newest_readings_and_no_more(store: Store, most: int) -> None:
    for hours, bid in enumerate(("0.3", "0.3", "0.2", "0.2", "0.2")):
        read(store, quote(bid), hours)
    every = Showcase(store.db).books_of(RAIN, 100)
    assert Showcase(store.db).books_of(RAIN, most) == every[-most:]


def test_a_page_has_changed_when_its_price_was_read_again(store: Store) -> None:
    store.db.run("INSERT INTO watched VALUES (?, 'here', NULL)", RAIN)
    read(store, quote(), 0)
    read(store, quote(), 1)
    changes = [Showcase(store.db).since(0, at(hours)).markets for hours in (0, 1, 2)]
    assert changes == [(RAIN,), (RAIN,), ()]


@pytest.fixture(scope="module")
def calm() -> Iterator[Store]:
    """Two rounds a day apart of a bet whose price never moves, polled every hour."""
    scripts = {ADA: {1: buys((RAIN, Side.YES, 500), rain=0.7)}}
    with playing(scripts, spec(COHORT, (ADA,), days=2)) as game:
        for hours in range(31):
            game.tick(hours)
        yield game.store


def test_a_held_price_is_as_old_as_its_last_repeat(calm: Store) -> None:
    (health,) = SqliteHealth(calm.db).venues(at(40))
    assert (health.held_markets, health.oldest_price_age) == (1, at(40) - at(30))
    assert calm.db.value("SELECT count(*) FROM tape_quotes") == len(MARKETS)


def test_a_line_that_was_read_again_for_its_round_can_be_traded(calm: Store) -> None:
    found = SqliteLines(calm.db).offered()
    assert found.lines.bid.tolist() == [0.5] * 2 * len(MARKETS)
    assert found.gate.fired[GateReason.LIQUIDITY_PINNACLE_STALE] == 0


def test_a_position_is_valued_at_a_price_that_only_repeats_itself(calm: Store) -> None:
    row = calm.db.row("SELECT * FROM marks ORDER BY at DESC LIMIT 1")
    assert row is not None
    assert (row["at"], row["bid_unpriced"], row["mid_unpriced"]) == (moment(at(30)), 0, 0)


class Plain:
    """A tape that writes everything down."""

    def __init__(self) -> None:
        self.told: dict[MarketId, list[tuple[datetime, Quote]]] = {}

    def record(self, shown: Quote, when: datetime) -> None:
        self.told.setdefault(shown.market, []).append((when, shown))

    def newest(self, when: datetime, *, whole: bool = False) -> dict[MarketId, Quote]:
        found = {}
        for market, told in self.told.items():
            for seen, shown in told:
                if seen <= when and not (whole and shown.mid is None):
                    found[market] = shown
        return found

    def seen(self, market: MarketId) -> list[Seen]:
        return [Seen(when, shown) for when, shown in self.told.get(market, [])]


readings = st.lists(
    st.fixed_dictionaries({}, optional=dict.fromkeys(
        (RAIN, SNOW, HAIL),
        st.tuples(st.sampled_from(["0.4", "0.5", None]), st.booleans()),
    )),
    max_size=8,
)  # fmt: skip


@given(polls=readings, when=st.integers(-1, 9))
def test_a_tape_with_repeats_answers_as_one_that_writes_everything_down(
    polls: list[dict[MarketId, tuple[str | None, bool]]], when: int
) -> None:
    plain = Plain()
    with open_store(None) as store:
        for hours, poll in enumerate(polls):
            shown = [
                replace(quote(bid, "0.6", name=name, hours=hours), at=at(hours) - late * HOUR)
                for name, (bid, late) in poll.items()
            ]
            store.tape.record_quotes(shown, at(hours))
            for one in shown:
                known = plain.newest(at(hours)).get(one.market)
                if known != one:
                    plain.record(one, at(hours))
        ids = [RAIN, SNOW, HAIL]
        assert store.tape.quotes(ids, at(when)) == plain.newest(at(when))
        assert store.tape.two_sided_quotes(ids, at(when)) == plain.newest(at(when), whole=True)
        for name in ids:
            assert list(Showcase(store.db).books_of(name, 100)) == plain.seen(name)


def test_a_days_last_whole_book_is_its_price(store: Store) -> None:
    read(store, quote("0.2", "0.4"), 1)
    read(store, quote("0.4", "0.6"), 23)
    read(store, quote(None, "0.7"), 23.5)
    read(store, replace(quote("0.1", "0.3"), market=SNOW), 24)
    read(store, quote("0.4", "0.6"), 49)
    first = at().date()
    place, day, mid = daily_prices(store.db, [SNOW, HAIL, RAIN])
    days = [first + timedelta(days=n) for n in (1, 0, 2)]
    assert place.tolist() == [0, 2, 2]
    assert [date(1970, 1, 1) + timedelta(days=n) for n in day.tolist()] == days
    assert mid.tolist() == [0.2, 0.5, 0.5]
    assert daily_prices(store.db, [RAIN], at(1))[2].tolist() == [pytest.approx(0.3)]
    assert daily_prices(store.db, [RAIN], at(23))[2].tolist() == [0.5]
    assert [len(column) for column in daily_prices(store.db, [])] == [0, 0, 0]
