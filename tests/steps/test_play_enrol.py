from dataclasses import replace
from datetime import timedelta

import pytest

from arena.records.cohort import Cadence, CohortSpec, Start
from arena.records.market import VenueId
from arena.records.money import usd
from arena.records.trade import AdapterSet, Opened
from tests.build import ADA, BEN, DAY, HERE, PENNIES, T0, spec
from tests.stage import Game, playing, started

DAILY = spec("daily", cadence=Cadence.DAILY, days=3)
WEEKLY = spec("weekly", cadence=Cadence.WEEKLY, days=3)
ONCE = spec("once", days=3)


@pytest.mark.parametrize(
    ("agreed", "starts"),
    [
        pytest.param(DAILY, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1], id="daily"),
        pytest.param(WEEKLY, [1, 0, 0, 0, 0, 0, 0, 1, 0, 0], id="weekly"),
        pytest.param(ONCE, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0], id="once"),
    ],
)
def test_cohorts_start_as_their_cadence_says(agreed: CohortSpec, starts: list[int]) -> None:
    with playing({ADA: {}}, agreed) as game:
        assert [len(game.tick(24 * day).enrolled) for day in range(10)] == starts


def test_starts_that_nobody_ticked_for_are_missed() -> None:
    with started({ADA: {}}, DAILY) as game:
        late = game.tick(24 * 5)
        assert late.enrolled == ("daily-2026-01-10",)
        assert [note for note in late.notes if "passed without a tick" in note] == [
            "4 starts of daily before daily-2026-01-10 passed without a tick, and will not be"
        ]
        assert not any("passed" in note for note in game.tick(24 * 6).notes)


def test_a_late_start_is_dated_when_it_was_due() -> None:
    with playing({ADA: {}}, ONCE) as game:
        game.tick(30)
        (cohort,) = game.store.books.running()
        assert cohort.started_at == T0


def test_a_cohort_that_starts_at_noon_does_not_start_in_the_morning() -> None:
    noon = replace(ONCE, start=Start(Cadence.ONCE, T0 + DAY / 2))
    with playing({ADA: {}}, noon) as game:
        assert [len(game.tick(hours).enrolled) for hours in (11.9, 12, 13)] == [0, 1, 0]


def test_everybody_starts_with_the_same_capital() -> None:
    with started({ADA: {}, BEN: {}}) as game:
        assert {game.standing(who).capital for who in (ADA, BEN)} == {usd(10000)}


def test_an_agreement_is_frozen_when_its_cohort_starts() -> None:
    with started({ADA: {}}, ONCE) as game:
        game.specs = (replace(ONCE, rules=PENNIES, decide_for=timedelta(days=9)),)
        game.tick(1)
        (cohort,) = game.store.books.running()
        assert cohort.spec == ONCE


def test_the_first_entry_of_a_cohort_is_its_agreement() -> None:
    with started({ADA: {}}, ONCE) as game:
        event = game.entries[0].event
        assert isinstance(event, Opened)
        assert event.spec == ONCE


def test_another_agreement_has_another_digest() -> None:
    digests = set()
    for agreed in (ONCE, replace(ONCE, rules=PENNIES)):
        with started({ADA: {}}, agreed) as game:
            event = game.entries[0].event
            assert isinstance(event, Opened)
            digests.add(event.digest)
    assert len(digests) == 2


def read_by(game: Game, options: str, adapter: str = "kalshi") -> None:
    game.adapters = {HERE: AdapterSet(HERE, adapter, options)}


def adapters(game: Game) -> list[tuple[str, int]]:
    events = [entry.event for _, _, entry in game.store.journal.entries()]
    return [(e.options, e.cohorts) for e in events if isinstance(e, AdapterSet)]


def test_a_venue_in_use_that_is_read_in_another_way_is_named() -> None:
    with playing({ADA: {}}, DAILY) as game:
        read_by(game, "one")
        quiet = [game.tick(hours).notes for hours in (0, 1, 24)]
        assert (quiet, adapters(game)) == ([(), (), ()], [("one", 0)])
        read_by(game, "two")
        (note,) = game.tick(25).notes
        assert f"the options of the venue {HERE} changed: 2 running cohorts began" in note
        assert game.tick(26).notes == ()
        read_by(game, "one")
        assert len(game.tick(27).notes) == 1
        assert adapters(game) == [("one", 0), ("two", 2), ("one", 2)]


def test_another_adapter_with_the_same_options_is_named_too() -> None:
    with playing({ADA: {}}, ONCE) as game:
        for adapter in ("kalshi", "manifold"):
            read_by(game, "one", adapter)
            notes = game.tick(0).notes
        assert "1 running cohort began" in notes[0]


def test_a_cohort_that_begins_with_the_change_began_under_it() -> None:
    with playing({ADA: {}}, ONCE, DAILY) as game:
        read_by(game, "one")
        game.tick(0)
        read_by(game, "two")
        (note,) = game.tick(24).notes
        assert "2 running cohorts began" in note


def test_what_a_venue_is_read_by_is_written_down_when_a_cohort_runs_on_it() -> None:
    with playing({ADA: {}}, ONCE) as game:
        read_by(game, "one")
        other = VenueId("elsewhere")
        game.adapters = {**game.adapters, other: AdapterSet(other, "kalshi", "x")}
        game.tick(-1)
        assert adapters(game) == []
        game.tick(0)
        assert adapters(game) == [("one", 0)]
