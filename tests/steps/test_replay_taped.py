"""What an arena polled is enough to play its cohort again, to the same journal."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from arena.clock import HandClock
from arena.errors import ArenaError
from arena.records.cohort import Cadence, CohortSpec, ContestantId, Universe
from arena.records.market import (
    NO_WINS,
    VOIDED,
    YES_WINS,
    FeeKind,
    FeeModel,
    Outcome,
    Side,
    State,
)
from arena.records.money import usd
from arena.records.settings import Schedule
from arena.steps.doors import Doors
from arena.steps.play import tick
from arena.steps.replay import TapedVenue
from arena.store import Store, open_store
from arena.store.exports.tape_export import export, recorded_store
from arena.store.tape.prune import prune
from arena.store.tape.taped import EXPORTED, SqliteRecording, first_difference
from tests.build import (
    ADA,
    BEN,
    COHORT,
    HAIL,
    HERE,
    RAIN,
    SNOW,
    T0,
    at,
    at_price,
    market,
    quote,
    spec,
)
from tests.stage import Game, Script, ScriptedAgent, buys, playing, sells, started

SCRIPTS: dict[ContestantId, Script] = {
    ADA: {
        1: buys((RAIN, Side.YES, 500), (SNOW, Side.NO, 300), rain=0.7, snow=0.2),
        2: sells((RAIN, Side.YES, 40)),
        3: ValueError("no answer"),
        4: buys((HAIL, Side.YES, 100), hail=0.6),
    },
    BEN: {1: "not JSON", 2: buys((RAIN, Side.NO, 900)), 5: buys((HAIL, Side.NO, 80))},
}
AGREED = spec(COHORT, (ADA, BEN), days=6)


def unconfirmed(game: Game, word: Outcome | State) -> None:
    """Let a live venue say what rain has become."""
    game.say(RAIN, word)
    game.venue.said[RAIN] = replace(game.venue.said[RAIN], unconfirmed=True)


def an_eventful_week(game: Game) -> None:
    """Prices that stand and move, failed polls, a flip, a void, an outcome read twice."""
    hours = iter(range(0, 200, 2))

    def until(end: float) -> None:
        for hour in hours:
            game.tick(hour)
            if hour >= end:
                return

    until(10)
    game.quote(at_price("0.6"), quote("0.2", "0.4", name=SNOW))
    until(26)
    game.quote(quote("0.55", None))
    until(30)
    game.venue.trouble = ArenaError("venue.silent", "here does not answer")
    until(40)
    game.venue.trouble = None
    game.quote(at_price("0.7"))
    game.venue.listed[0] = replace(
        game.venue.listed[0], fee=FeeModel(FeeKind.NOTIONAL), rules="New rules."
    )
    until(50)
    game.say(SNOW, VOIDED)
    until(60)
    unconfirmed(game, YES_WINS)
    until(61)
    unconfirmed(game, State.OPEN)
    until(64)
    unconfirmed(game, YES_WINS)
    until(80)
    unconfirmed(game, NO_WINS)
    until(100)
    game.say(HAIL, State.CLOSED_PENDING)
    until(170)
    game.say(HAIL, YES_WINS)
    until(190)


def play_again(
    source: Store,
    agreed: CohortSpec,
    into: Store,
    like: Game,
    moments: Sequence[datetime] | None = None,
) -> None:
    clock = HandClock(T0)
    agents = {who: ScriptedAgent(script) for who, script in SCRIPTS.items()}
    doors = Doors(
        into,
        {HERE: TapedVenue(source, HERE, agreed.name, clock)},
        agents,
        (agreed,),
        like.schedule,
        grading=lambda: like.grading,
    )
    for moment in moments or SqliteRecording(source.db).moments(HERE, agreed.name):
        clock.at = moment
        asyncio.run(tick(doors, moment))


@dataclass(frozen=True, slots=True)
class Twice:
    game: Game
    again: Store


@contextmanager
def twice(agreed: CohortSpec = AGREED, *more: CohortSpec) -> Iterator[Twice]:
    with playing(SCRIPTS, agreed, *more) as game, open_store(None) as again:
        an_eventful_week(game)
        play_again(game.store, agreed, again, game)
        yield Twice(game, again)


@pytest.fixture(scope="module")
def week() -> Iterator[Twice]:
    """A week that was played, and played again. Nobody changes it."""
    with twice() as played:
        yield played


def tables(store: Store, *names: str) -> dict[str, list[tuple[object, ...]]]:
    return {
        name: sorted(tuple(row) for row in store.db.rows(f"SELECT * FROM {name}"))  # noqa: S608
        for name in names
    }


def test_a_week_is_played_again_to_the_same_journal(week: Twice) -> None:
    assert week.again.journal.head() == week.game.store.journal.head()
    assert first_difference(week.again.db, week.game.store.db, COHORT) is None
    kinds = {type(entry.event).__name__ for entry in week.game.entries}
    assert {"Fill", "SoldFill", "Reversed", "Settled", "Marked", "Completed"} <= kinds


def test_an_export_of_a_week_is_played_again_to_the_same_journal(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    daily = spec("often", (ADA, BEN), cadence=Cadence.DAILY, days=2)
    with playing(SCRIPTS, daily) as game, open_store(None) as again:
        an_eventful_week(game)
        list(export(game.store.db, tmp_path))
        with recorded_store(tmp_path) as recorded:
            names = ("tape_quotes", "tape_statuses", "tape_polls", "tape_markets")
            assert tables(recorded, *names) == tables(game.store, *names)
            play_again(recorded, daily, again, game)
            assert again.journal.head() == recorded.journal.head() == game.store.journal.head()
            assert first_difference(again.db, recorded.db, "often", EXPORTED) is None


def test_what_it_was_played_from_is_on_the_new_tape_as_on_the_old(week: Twice) -> None:
    names = ("tape_quotes", "tape_repeats", "tape_statuses", "tape_polls", "tape_markets")
    assert tables(week.again, *names) == tables(week.game.store, *names)
    assert week.again.db.value("SELECT count(*) FROM tape_repeats") > 50


def test_a_replay_can_be_replayed(week: Twice) -> None:
    with open_store(None) as third:
        play_again(week.again, AGREED, third, week.game)
        assert third.journal.head() == week.again.journal.head()


def test_a_tape_that_was_pruned_is_played_again_as_before() -> None:
    seldom = Schedule(mark_every=timedelta(days=1))
    with playing(SCRIPTS, AGREED, schedule=seldom) as game, open_store(None) as again:
        an_eventful_week(game)
        done = prune(game.store.db, at(500), shown=0)
        assert done.quotes + done.repeats > 20
        play_again(game.store, AGREED, again, game)
        assert again.journal.head() == game.store.journal.head()


def test_cohorts_that_start_each_day_are_played_again() -> None:
    daily = spec("often", (ADA, BEN), cadence=Cadence.DAILY, days=2)
    with twice(daily) as played:
        assert played.again.journal.head() == played.game.store.journal.head()
        assert len(played.again.books.every()) > 5


def test_one_of_several_cohorts_goes_as_it_went_beside_the_others() -> None:
    narrow = replace(spec("narrow", (BEN,), days=4), universe=Universe(top=1))
    with twice(narrow, AGREED) as played:
        assert played.again.journal.head() != played.game.store.journal.head()
        assert first_difference(played.again.db, played.game.store.db, "narrow") is None


def test_the_first_entry_that_differs_is_named(week: Twice) -> None:
    with open_store(None) as again:
        moments = SqliteRecording(week.game.store.db).moments(HERE, COHORT)
        play_again(week.game.store, AGREED, again, week.game, moments[:1])
        found = first_difference(again.db, week.game.store.db, COHORT)
        assert found == f"mark:{COHORT}:2026-01-05T02:00:00Z"


def test_a_poll_that_failed_fails_again() -> None:
    with started(SCRIPTS, AGREED) as game:
        game.venue.trouble = ArenaError("venue.silent", "here does not answer")
        game.tick(24)
        taped = TapedVenue(game.store, HERE, COHORT, HandClock(at(24)))
        with pytest.raises(ArenaError, match="here does not answer"):
            asyncio.run(taped.quotes([RAIN]))


def test_nothing_is_told_from_after_the_moment() -> None:
    with started(SCRIPTS, AGREED) as game:
        game.quote(at_price("0.6"))
        game.tick(2)
        game.hear(RAIN, YES_WINS, 4)
        clock = HandClock(at(1))
        taped = TapedVenue(game.store, HERE, COHORT, clock)
        assert asyncio.run(taped.quotes([RAIN])) == {RAIN: at_price("0.5")}
        clock.at = at(3)
        assert asyncio.run(taped.statuses([RAIN]))[RAIN].state is State.OPEN
        clock.at = at(4)
        assert asyncio.run(taped.statuses([RAIN]))[RAIN].outcome == YES_WINS


def test_an_unconfirmed_word_is_told_once() -> None:
    with started(SCRIPTS, AGREED) as game:
        unconfirmed(game, YES_WINS)
        game.tick(2)
        clock = HandClock(at(2))
        taped = TapedVenue(game.store, HERE, COHORT, clock)
        assert RAIN in asyncio.run(taped.statuses([RAIN]))
        clock.at = at(2) + timedelta(minutes=20)
        assert asyncio.run(taped.statuses([RAIN])) == {}


def test_a_cohort_that_was_never_played_is_shown_what_was_open_then() -> None:
    with playing(SCRIPTS, AGREED) as game, open_store(None) as again:
        game.venue.listed[1] = replace(market(SNOW), closes_at=at(30))
        an_eventful_week(game)
        taped = TapedVenue(game.store, HERE, "another", HandClock(at(24)))
        listed = asyncio.run(taped.catalogue()).markets
        assert [m.id for m in listed] == sorted([RAIN, SNOW, HAIL])
        taped = TapedVenue(game.store, HERE, "another", HandClock(at(48)))
        assert SNOW not in [m.id for m in asyncio.run(taped.catalogue()).markets]
        other = replace(spec("another", (ADA,), days=2), universe=Universe(min_volume=usd(0)))
        play_again(game.store, other, again, game)
        assert [c.spec.name for c in again.books.running()] in ([], ["another"])
        assert again.books.rounds_played(again.books.every()[0]) == 2
