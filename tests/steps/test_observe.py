from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.records.cohort import Universe
from arena.records.market import YES_WINS, Market, MarketId, Side, State, VenueId
from arena.records.money import usd
from arena.records.settings import Schedule
from arena.steps.observe import pick
from tests.build import ADA, BEN, DAY, HAIL, HOUR, RAIN, SNOW, T0, at, at_price, market, spec
from tests.stage import buys, playing

VOLUMES = {RAIN: "100", SNOW: "300", HAIL: "200"}
QUOTES = {n: replace(at_price("0.5", n), volume=usd(v)) for n, v in VOLUMES.items()}
LISTED = tuple(market(name) for name in VOLUMES)
ANY = Universe()
DOWN = ArenaError("venue.down", "here does not answer", hint="try again later")


def picked(universe: Universe = ANY, listed: Sequence[Market] = LISTED) -> list[str]:
    return [m.id for m in pick(universe, listed, QUOTES, T0)]


def test_the_largest_volume_comes_first() -> None:
    assert picked() == [SNOW, HAIL, RAIN]


def test_only_the_top_is_offered() -> None:
    assert picked(Universe(top=2)) == [SNOW, HAIL]


def test_a_small_volume_is_passed_over() -> None:
    assert picked(Universe(min_volume=usd(200))) == [SNOW, HAIL]


def test_equal_volumes_go_by_market() -> None:
    equal = {name: at_price("0.5", name) for name in VOLUMES}
    assert [m.id for m in pick(ANY, LISTED, equal, T0)] == [HAIL, RAIN, SNOW]


def test_an_unknown_volume_counts_as_none() -> None:
    unknown = {**QUOTES, SNOW: at_price("0.5", SNOW)}
    assert [m.id for m in pick(ANY, LISTED, unknown, T0)] == [HAIL, RAIN, SNOW]


def test_a_market_without_a_quote_is_not_offered() -> None:
    quotes = {RAIN: QUOTES[RAIN]}
    assert [m.id for m in pick(ANY, LISTED, quotes, T0)] == [RAIN]


def test_a_category_is_chosen_from() -> None:
    wet = replace(market(RAIN), category="wet")
    assert picked(Universe(categories=("wet",)), [wet, market(SNOW)]) == [RAIN]


@pytest.mark.parametrize(
    ("closes_in", "expected"),
    [(DAY, [RAIN]), (2 * DAY, []), (None, [])],
    ids=["in-time", "too-late", "unknown"],
)
def test_a_market_must_close_in_time(closes_in: timedelta | None, expected: list[str]) -> None:
    closes_at = None if closes_in is None else T0 + closes_in
    soon = replace(market(), closes_at=closes_at)
    assert picked(Universe(closes_within=DAY), [soon]) == expected


def test_a_market_that_is_listed_twice_is_offered_once() -> None:
    assert picked(listed=[market(), market()]) == [RAIN]


@given(order=st.permutations(LISTED))
def test_the_order_of_the_listing_changes_nothing(order: list[Market]) -> None:
    assert picked(listed=order) == picked()


def test_everybody_is_shown_the_same_offers() -> None:
    with playing({ADA: {}, BEN: {}}) as game:
        game.tick(0)
        (ada,), (ben,) = game.agents[ADA].shown, game.agents[BEN].shown
        assert (ada.offers, ada.cash, ada.at) == (ben.offers, ben.cash, ben.at)


def test_a_market_that_has_resolved_is_not_offered_whatever_is_listed() -> None:
    with playing({ADA: {}}, spec(days=2)) as game:
        game.tick(0)
        game.say(RAIN, YES_WINS)
        game.venue.listed.append(market(RAIN))
        game.tick(24)
        assert [o.market.id for o in game.agents[ADA].shown[-1].offers] == [HAIL, SNOW]


def test_f5_a_venue_that_fails_is_reported() -> None:
    with playing({ADA: {}}) as game:
        game.venue.trouble = DOWN
        report = game.tick(0)
        assert [(f.what, f.where, f.hint) for f in report.failures] == [
            ("here does not answer", "venue here", "try again later")
        ]


def test_of_a_venue_that_fails_nothing_is_kept_but_the_failure() -> None:
    with playing({ADA: {1: buys((RAIN, Side.YES, 100))}}) as game:
        game.venue.trouble = DOWN
        game.tick(0)
        counts = [
            game.store.db.value(f"SELECT count(*) FROM {table}")  # noqa: S608
            for table in ("tape_markets", "tape_quotes", "tape_statuses", "rounds", "fills")
        ]
        assert counts == [0] * 5
        assert game.store.db.value("SELECT error FROM tape_polls") == "here does not answer"


def test_f5_the_next_tick_goes_on() -> None:
    with playing({ADA: {1: buys((RAIN, Side.YES, 100))}}) as game:
        game.venue.trouble = DOWN
        game.tick(0)
        game.venue.trouble = None
        report = game.tick(0.5)
        assert (report.failures, len(report.rounds), report.fills) == ((), 1, 1)


def test_a_venue_that_fails_leaves_the_others_alone() -> None:
    there = replace(spec("there", (BEN,)), venue=VenueId("there"))
    with playing({ADA: {}, BEN: {}}, spec("c", (ADA,)), there) as game:
        report = game.tick(0)
        assert (report.polled, [f.where for f in report.failures]) == (
            ("here",),
            ["venue there"],
        )


def test_a_venue_that_is_not_configured_any_more_is_named_with_what_to_do() -> None:
    there = replace(spec("there"), venue=VenueId("there"))
    with playing({ADA: {}}, there) as game:
        (failure,) = game.tick(0).failures
        assert failure.hint == "put there back under venues in config.yaml"


def test_a_venue_that_quotes_from_the_future_is_not_believed() -> None:
    with playing({ADA: {}}) as game:
        game.venue.lag = -HOUR
        (failure,) = game.tick(0).failures
        assert "from after" in failure.what
        assert game.store.db.value("SELECT count(*) FROM tape_quotes") == 0


def test_a_venue_is_polled_as_often_as_the_schedule_says() -> None:
    often = Schedule(poll_every=2 * HOUR)
    with playing({ADA: {}}, spec(days=2), schedule=often) as game:
        counts = []
        for hours in (0, 1, 1.9, 2, 3, 4):
            game.tick(hours)
            counts.append(game.venue.polls)
        assert counts == [1, 1, 1, 2, 2, 3]


def test_a_round_that_is_due_is_reason_enough_to_poll() -> None:
    with playing({ADA: {}}, spec(days=2), schedule=Schedule(poll_every=9 * DAY)) as game:
        game.tick(0)
        assert game.tick(24).polled == ("here",)


def test_what_is_held_is_quoted_when_it_is_listed_no_more() -> None:
    with playing({ADA: {1: buys((RAIN, Side.YES, 100))}}) as game:
        game.tick(0)
        game.say(RAIN, State.HALTED)
        game.quote(at_price("0.9"))
        game.tick(1)
        known = game.store.tape.quotes([RAIN], at(1))
        assert known[RAIN].bid == at_price("0.9").bid


def test_what_nobody_holds_or_is_offered_is_not_kept() -> None:
    few = replace(spec(days=1), universe=Universe(top=1))
    with playing({ADA: {}}, few) as game:
        game.tick(0)
        kept = game.store.tape.quotes([RAIN, SNOW, HAIL, MarketId("?")], at(0))
        assert list(kept) == [HAIL]


def test_a_market_whose_name_holds_control_characters_is_left_out() -> None:
    with playing({ADA: {}}, spec(days=1)) as game:
        bad = MarketId("rain\x00")
        game.venue.listed.append(market(bad))
        game.quote(at_price("0.5", bad))
        game.tick(0)
        (played,) = game.store.db.rows("SELECT offered FROM rounds")
        assert "\\u0000" not in played["offered"]
