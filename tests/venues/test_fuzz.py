"""Spoiled answers crash nothing, never give a wrong number, and what they lack is said."""

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime

import numpy as np
import pytest

from tests.sizes import size
from tests.standins.venues import KALSHI, MANIFOLD, POLYMARKET
from tests.venues.fuzz import Json, Mutator, deep, put
from tests.venues.fuzz_judge import KINDS, Tally, fuzz
from tests.venues.fuzz_says import SAYS
from tests.venues.fuzz_sound import SOME, Sound, sound_payloads
from tests.venues.kalshi.test_golden import FILES as KALSHI_FILES
from tests.venues.manifold.test_golden import RECORDINGS as MANIFOLD_FILES
from tests.venues.polymarket.test_golden import RECORDINGS as POLYMARKET_FILES
from tests.venues.recordings import recorded

TIMES = size(2_000, 24_000)  # spoiled answers; 0.3 to 0.5 ms each
RECORDED_TIMES = size(200, 3_000)
AUGUST = datetime(2026, 8, 12, 20, tzinfo=UTC)
SOUND = tuple(sound_payloads())


@pytest.fixture(scope="module")
def tally() -> Tally:
    return spoil(SOUND, TIMES, seed=26)


def spoil(sounds: tuple[Sound, ...], times: int, seed: int) -> Tally:
    found = Tally()
    asyncio.run(fuzz(sounds, np.random.default_rng(seed), times, found))
    return found


def test_answers_of_every_kind_are_spoiled(tally: Tally) -> None:
    assert sum(tally.tried.values()) == TIMES
    assert set(tally.tried) == {(venue, kind) for venue in KINDS for kind in KINDS[venue]}
    assert min(tally.tried.values()) > TIMES / 480


def test_they_are_spoiled_in_every_way(tally: Tally) -> None:
    ways = {
        *("dropped", "renamed", "another's", "twice", "contradicted", "several"),
        *("a row twice", "a row in another's place", "rows shuffled", "a million characters"),
        *("as text", "as a number", "in a list", "in an object", "fifty deep", "raw NaN"),
        *("text: truncated", "text: deep in lists", "raw 1e400", "raw 999999999999"),
    }
    assert ways <= set(tally.hows)
    assert len(tally.hows) > 150


def test_much_is_still_read_and_much_is_refused(tally: Tally) -> None:
    assert tally.rows > TIMES
    assert tally.left > TIMES / 5
    assert TIMES / 20 < tally.unread < TIMES / 5
    assert tally.outcomes > TIMES / 20


def test_nothing_raises_whatever_it_gets(tally: Tally) -> None:
    assert tally.raised == []


def test_no_number_is_read_that_is_not_said(tally: Tally) -> None:
    assert tally.numbers == []


def test_no_outcome_and_no_state_is_read_that_is_not_said(tally: Tally) -> None:
    assert tally.outcome == []


def test_a_field_changes_what_it_says_and_nothing_else(tally: Tally) -> None:
    assert tally.strayed == []


def test_what_is_refused_has_a_short_reason(tally: Tally) -> None:
    assert tally.silent == []


def test_a_name_that_comes_twice_says_nothing_where_its_values_differ(tally: Tally) -> None:
    assert tally.hows["twice"] > TIMES / 240
    assert tally.hows["contradicted"] > TIMES / 120
    assert tally.unlike == []


@pytest.mark.parametrize("venue", KINDS)
def test_ten_thousand_lists_in_lists_crash_nothing_in_any_place(venue: str) -> None:
    abyss = deep()
    for kind, read in KINDS[venue].items():
        sound = next(one for one in SOUND if (one.venue, one.kind) == (venue, kind))
        telling = frozenset(SAYS[venue])
        for way in Mutator(sound.payload, telling).ways:
            found = read(put(sound.payload, way, abyss), sound.origin)
            assert all(left.why for left in found.left_out)
        read(abyss, sound.origin)


FILES: Mapping[str, Mapping[str, str]] = {
    KALSHI: KALSHI_FILES,
    MANIFOLD: {name: kind for name, (kind, _) in MANIFOLD_FILES.items()},
    POLYMARKET: POLYMARKET_FILES,
}


@pytest.mark.parametrize("venue", FILES)
def test_recorded_answers_may_be_spoiled_as_well(venue: str) -> None:
    sounds = tuple(
        Sound(venue, kind, name, _some(_recorded(venue, name)), AUGUST)
        for name, kind in FILES[venue].items()
    )
    found = spoil(sounds, RECORDED_TIMES, seed=8)
    assert found.rows > RECORDED_TIMES / 2
    wrong = found.raised + found.numbers + found.outcome
    assert wrong + found.strayed + found.silent + found.unlike == []


def _recorded(venue: str, name: str) -> Json:
    payload: Json = json.loads(json.dumps(recorded(venue, f"{name}.json"), default=float))
    wrapped = isinstance(payload, dict) and "_metadata" in payload
    return payload["response"] if wrapped else payload


def _some(payload: Json) -> Json:
    """Cut the lists of a payload: what is read again and again has to be short."""
    if isinstance(payload, list):
        return [_some(one) for one in payload[:SOME]]
    if isinstance(payload, dict):
        return {name: _some(value) for name, value in payload.items()}
    return payload
