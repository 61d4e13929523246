"""Every failure of the stand-in's catalogue, in every wire format, in one round of the arena.

Each is a contestant of its own. What the books say of it must follow from its name alone, so
a failure that is added to the catalogue is played here too.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import pytest

from arena.llms.retries import MOST
from arena.records.answer import Trouble
from tests.engine.played import CAPITAL, STEM, Played, Seat, over_wires, play
from tests.present import some
from tests.sizes import size
from tests.standins.failures import FINAL, KEYS, PASSING, REFUSED, TOO_LONG
from tests.standins.model_server import Format, Misbehaviour, by_model, in_turn, small_bettor
from tests.standins.scripts import Saying

NEVER_AGAIN: Mapping[str, Misbehaviour] = {**FINAL, **KEYS, **REFUSED, **TOO_LONG}
SERVER, EMPTY = Trouble.SERVER, Trouble.EMPTY
NAMED: Mapping[str, Trouble] = {
    **dict.fromkeys(KEYS, Trouble.CREDENTIALS),
    **dict.fromkeys(REFUSED, Trouble.REFUSAL),
    **dict.fromkeys(
        ("quota", "spending limit", "no credit", "payment required"), Trouble.QUOTA
    ),
    **dict.fromkeys(TOO_LONG, Trouble.TOO_LONG),
    "country not served": Trouble.COUNTRY,
    **dict.fromkeys(("no such model", "request wrong"), Trouble.REQUEST),
    **dict.fromkeys(("cannot be processed", "moved"), Trouble.REQUEST),
    **dict.fromkeys(("cut at its longest", "whole, but at its longest"), Trouble.TRUNCATED),
    **dict.fromkeys(("page", "not JSON", "a list", "null"), Trouble.UNREADABLE),
    **dict.fromkeys(("bytes that are no text", "nested deeply"), Trouble.UNREADABLE),
    **dict.fromkeys(("empty words", "no words", "thoughts alone"), EMPTY),
    "too many": Trouble.RATE_LIMITED,
    "timeout": Trouble.TIMEOUT,
    **dict.fromkeys(("overloaded", "overloaded, 529", "broken", "too slow"), SERVER),
    **dict.fromkeys(("bad gateway", "no upstream", "gateway timeout"), SERVER),
    **dict.fromkeys(("broken, nothing", "error under 200", "null choices"), SERVER),
    "router's error under 200": SERVER,
    **dict.fromkeys(("empty body", "blank body"), EMPTY),
    **dict.fromkeys(("dropped", "cut off", "cut off after the head"), Trouble.UNREACHABLE),
    **dict.fromkeys(("cut off in chunks", "no HTTP"), Trouble.UNREACHABLE),
}
"""What the books call them; one that is not named here may be called anything."""


@dataclass(frozen=True, slots=True)
class Case:
    """A server that fails in one way: for ever, or only the first time."""

    format: Format
    failure: str
    once: bool = False

    @property
    def name(self) -> str:
        words = f"{self.format} {'once' if self.once else 'always'} {self.failure}"
        return re.sub("[^a-z0-9]+", "-", words.lower())

    @property
    def saying(self) -> Saying:
        ill = {**NEVER_AGAIN, **PASSING}[self.failure]
        return in_turn(ill, small_bettor) if self.once else ill

    @property
    def requests(self) -> int:
        """How often a server that fails so for ever is asked in a turn."""
        if self.failure in PASSING:
            return MOST
        if self.failure in REFUSED or self.failure in TOO_LONG:
            return 3  # whole, and in two halves
        return 2 if NAMED.get(self.failure) is EMPTY else 1


FAILING = [Case(f, name) for f, name in over_wires((*NEVER_AGAIN, *PASSING))]
MENDED = [Case(f, name, once=True) for f, name in over_wires(PASSING)]
EVERY = FAILING + MENDED


def named(case: Case) -> str:
    return case.name


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    seats = [Seat(case.name, case.format) for case in EVERY]
    replies = by_model({case.name: case.saying for case in EVERY})
    return play(tmp_path_factory.mktemp("failures") / "arena", seats, replies)


def test_the_tick_ends_and_says_that_a_part_failed(played: Played) -> None:
    assert (played.done.code, played.done.crashed) == (6, False)
    assert f"{len(FAILING)} failed turns" in played.done.out


def test_the_books_are_sound(played: Played) -> None:
    assert played.findings == ()


@pytest.mark.parametrize("case", FAILING, ids=named)
def test_a_failure_is_a_failed_turn_that_costs_no_paper_money(
    case: Case, played: Played
) -> None:
    turn = played.turn(case.name)
    said, _, _ = (turn.failure or "").partition(":")
    assert (turn.action, played.cash(case.name)) == (None, CAPITAL)
    assert said == NAMED.get(case.failure, said)
    assert Trouble(said) not in {Trouble.CRASHED, Trouble.MISSED}


@pytest.mark.parametrize("case", FAILING, ids=named)
def test_a_server_is_asked_as_often_as_the_failure_allows(case: Case, played: Played) -> None:
    assert len(played.asked(case.name)) == case.requests


@pytest.mark.parametrize("case", EVERY, ids=named)
def test_every_request_is_an_attempt_on_the_tape(case: Case, played: Played) -> None:
    attempts = [a for call in played.calls(case.name) for a in call.completion.attempts]
    assert len(attempts) == len(played.asked(case.name))
    failed = [a for a in attempts if a.trouble is not None]
    assert len(failed) == (1 if case.once else case.requests)
    assert {a.trouble for a in failed} == {NAMED.get(case.failure, failed[0].trouble)}


@pytest.mark.parametrize("case", EVERY, ids=named)
def test_what_was_refused_by_its_status_is_not_taken_for_billed(
    case: Case, played: Played
) -> None:
    for call in some(played.calls(case.name)):
        for attempt in call.completion.attempts:
            assert attempt.status is not None or attempt.billed is None
            if attempt.status is not None and attempt.status not in {200, 408}:
                assert attempt.billed is (False if attempt.status < 500 else attempt.billed)
                assert attempt.billed is not True


@pytest.mark.parametrize("case", MENDED, ids=named)
def test_what_passes_is_asked_again_and_the_answer_counts(case: Case, played: Played) -> None:
    turn = played.turn(case.name)
    assert (turn.failure, turn.accepted, len(played.asked(case.name))) == (None, 1, 2)
    assert (turn.conduct.calls, turn.conduct.reasks) == (1, 0)
    assert played.cash(case.name) < CAPITAL


@pytest.mark.parametrize(
    "case", [case for case in FAILING if case.failure in PASSING], ids=named
)
def test_between_attempts_a_server_is_left_alone_longer_each_time(
    case: Case, played: Played
) -> None:
    asked = [request.asked_at for request in played.asked(case.name)]
    waits = [later - before for before, later in pairwise(asked)]
    for wait, least in zip(waits, (0.5, 1, 2), strict=True):
        assert wait >= least - 0.01


def test_a_format_re_ask_is_counted_apart_from_attempts(played: Played) -> None:
    counted = {
        "cut at its longest": (0, [1]),
        "no words": (1, [1, 1]),
        "overloaded": (0, [MOST]),
    }
    for case in some([case for case in FAILING if case.failure in counted]):
        attempts = [len(call.completion.attempts) for call in played.calls(case.name)]
        assert (played.turn(case.name).conduct.reasks, attempts) == counted[case.failure]


@pytest.mark.parametrize(
    "case", [case for case in FAILING if case.failure in REFUSED], ids=named
)
def test_a_refusal_is_answered_by_asking_for_halves_once(case: Case, played: Played) -> None:
    calls = [call.name for call in played.calls(case.name)]
    assert sorted(calls) == ["decide", "decide/first-half", "decide/second-half"]
    assert played.turn(case.name).conduct.halved


def test_each_request_bore_the_key_of_its_own_model(played: Played) -> None:
    known = {seat.name: seat.key for seat in played.seats}
    assert {r.model: r.key for r in played.requests} == known


def test_no_key_and_no_beginning_of_one_is_in_any_file(played: Played) -> None:
    written = played.everything
    for seat in some(played.seats[:: size(5, 1)]):
        assert seat.name.encode() in written
        assert seat.key[:STEM].encode() not in written, seat.name
