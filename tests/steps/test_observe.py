import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.records.cohort import FeeRule, Universe
from arena.records.market import (
    YES_WINS,
    FeeKind,
    FeeModel,
    MarketId,
    Side,
    State,
    Status,
    VenueId,
)
from arena.records.money import usd
from arena.records.settings import Schedule
from arena.records.trade import SoldFill
from arena.steps.markets.observe import observe
from arena.steps.play import enrol
from tests.build import (
    ADA,
    BEN,
    COHORT,
    DAY,
    HAIL,
    HERE,
    HOUR,
    PEERS,
    RAIN,
    SNOW,
    at,
    at_price,
    market,
    quote,
    spec,
)
from tests.stage import ScriptedVenue, buys, playing, sells, started

DOWN = ArenaError("venue.down", "here does not answer", hint="try again later")


def test_everybody_is_shown_the_same_offers() -> None:
    with started({ADA: {}, BEN: {}}) as game:
        (ada,), (ben,) = game.agents[ADA].shown, game.agents[BEN].shown
        assert (ada.offers, ada.cash, ada.at) == (ben.offers, ben.cash, ben.at)


def test_a_market_that_has_resolved_is_not_offered_whatever_is_listed() -> None:
    with started({ADA: {}}, spec(days=2)) as game:
        game.say(RAIN, YES_WINS)
        game.venue.listed.append(market(RAIN))
        game.tick(24)
        assert [o.market.id for o in game.agents[ADA].shown[-1].offers] == [HAIL, SNOW]


@pytest.mark.parametrize("state", [state for state in State if state is not State.RESOLVED])
def test_a_list_that_is_older_than_a_market_s_state_offers_only_what_is_open(
    state: State,
) -> None:
    with started({ADA: {}}, spec(days=2)) as game:
        game.say(RAIN, state)
        game.venue.listed = [market(RAIN)]
        game.tick(24)
        offered = [offer.market.id for offer in game.agents[ADA].shown[-1].offers]
        assert offered == ([RAIN] if state is State.OPEN else [])


def test_f5_a_venue_that_fails_is_reported() -> None:
    with playing({ADA: {}}) as game:
        game.venue.trouble = DOWN
        report = game.tick(0)
        assert [(f.what, f.where, f.hint) for f in report.failures] == [
            ("here does not answer", "venue here", "try again later")
        ]


def test_a_venue_in_its_own_pause_is_noted_and_is_no_failure() -> None:
    with playing({ADA: {}}) as game:
        game.venue.trouble = ArenaError("venue.paused", "here is paused until noon")
        report = game.tick(0)
        assert report.failures == ()
        assert report.notes == ("venue here: here is paused until noon",)
        game.venue.trouble = None
        assert len(game.tick(0.5).rounds) == 1


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


def test_a_disk_that_is_full_is_no_failure_of_a_venue() -> None:
    with playing({ADA: {}}) as game:
        game.venue.trouble = ArenaError("store.full", "arena.db cannot grow: the disk is full")
        with pytest.raises(ArenaError, match="the disk is full"):
            game.tick(0)
        assert game.store.db.value("SELECT count(*) FROM tape_polls") == 0


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
        assert report.polled == ("here",)
        assert [f.where for f in report.failures] == ["venue there"]


def test_a_venue_whose_adapter_has_a_defect_stops_no_tick() -> None:
    with playing({ADA: {}}) as game:
        game.venue.trouble = KeyError("yes_ask")
        (failure,) = game.tick(0).failures
        assert failure.what == "here cannot be read: KeyError: 'yes_ask'"
        assert failure.where == "venue here"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bid": 0.4}, "quotes: bid: 0.4 is no Price or None"),
        ({"market": SNOW}, f"a quote of {SNOW} is given as one of {RAIN}"),
    ],
)
def test_a_venue_that_gives_what_cannot_be_kept_fails_and_stops_no_tick(
    change: dict[str, Any], words: str
) -> None:
    with playing({ADA: {}}) as game:
        game.venue.quoted[RAIN] = replace(game.venue.quoted[RAIN], **change)
        (failure,) = game.tick(0).failures
        assert failure.what == f"here cannot be read: TypeError: {words}"
        game.venue.quoted[RAIN] = quote(name=RAIN)
        assert game.tick(0.5).failures == ()


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
    with started({ADA: {}}, spec(days=2), schedule=Schedule(poll_every=9 * DAY)) as game:
        assert game.tick(24).polled == ("here",)


def test_what_is_held_is_quoted_when_it_is_listed_no_more() -> None:
    with started({ADA: {1: buys((RAIN, Side.YES, 100))}}) as game:
        game.say(RAIN, State.HALTED)
        game.quote(at_price("0.9"))
        game.tick(1)
        known = game.store.tape.quotes([RAIN], at(1))
        assert known[RAIN].bid == at_price("0.9").bid


def test_what_nobody_holds_or_is_offered_is_not_kept() -> None:
    few = replace(spec(days=1), universe=Universe(top=1))
    with started({ADA: {}}, few) as game:
        kept = game.store.tape.quotes([RAIN, SNOW, HAIL, MarketId("?")], at(0))
        assert list(kept) == [HAIL]


UNTOLD = FeeModel(FeeKind.UNKNOWN)


@pytest.mark.parametrize(("fees", "offered"), [(FeeRule.VENUE, []), (FeeRule.NONE, [RAIN])])
def test_a_market_whose_fee_is_not_known_is_offered_only_where_none_is_charged(
    fees: FeeRule, offered: list[MarketId]
) -> None:
    with playing({ADA: {}}, spec(rules=replace(PEERS, fees=fees))) as game:
        game.venue.listed = [market(RAIN, fee=UNTOLD)]
        game.tick(0)
        assert [o.market.id for o in game.agents[ADA].shown[0].offers] == offered


def test_a_fee_that_was_known_stays_when_its_venue_tells_it_no_more() -> None:
    known = FeeModel(FeeKind.NOTIONAL, Decimal("0.02"))
    script = {1: buys((RAIN, Side.YES, 100)), 2: sells((RAIN, Side.YES, 100))}
    charged = replace(PEERS, fees=FeeRule.VENUE)
    with playing({ADA: script}, spec("charged", (ADA,), rules=charged, days=2)) as game:
        game.venue.listed = [market(RAIN, fee=known)]
        game.tick(0)
        game.venue.listed = [market(RAIN, fee=UNTOLD)]
        assert game.tick(24).sales == 1
        (sold,) = [e.event for e in game.entries if isinstance(e.event, SoldFill)]
        assert sold.fee == usd("2")


@dataclass(slots=True)
class Endless(ScriptedVenue):
    """A venue that has a list, and takes for ever to say anything else."""

    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        await asyncio.Event().wait()
        return await ScriptedVenue.statuses(self, markets)


def test_a_venue_that_never_ends_is_given_up_and_the_others_are_kept() -> None:
    far = VenueId("far")
    specs = (spec(COHORT, (ADA,)), replace(spec("there", (BEN,)), venue=far))
    with playing({ADA: {}, BEN: {}}, *specs) as game:
        endless = Endless(game.venue.clock, [], {}, {})
        doors = replace(game.doors, venues={HERE: game.venue, far: endless})
        enrol(doors, at(0))
        seen = asyncio.run(observe(doors, at(0), longest=timedelta(milliseconds=50)))
        assert (seen.polled, [f.where for f in seen.failures]) == ((HERE,), ["venue far"])
        assert "had not told everything after" in seen.failures[0].what


def test_a_market_whose_name_holds_control_characters_is_left_out() -> None:
    with playing({ADA: {}}, spec(days=1)) as game:
        bad = MarketId("rain\x00")
        game.venue.listed.append(market(bad))
        game.quote(at_price("0.5", bad))
        game.tick(0)
        (played,) = game.store.db.rows("SELECT offered FROM rounds")
        assert "\\u0000" not in played["offered"]
