"""Models that answer from a tape: what is not there stops everything."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from arena.errors import StopError
from arena.llms.scripted import ScriptedLlm
from arena.records.answer import Call, Caller, Completion
from arena.records.cohort import CohortId
from arena.records.settings import ModelSettings
from arena.steps.rounds.cached_llm import TapeLlm
from arena.store import Store
from tests.build import ADA, BEN
from tests.steps.asking import LOST, MODEL, WELL, board, question
from tests.store.spending import caller


@contextmanager
def taped(*said: Completion) -> Iterator[Store]:
    """A tape of what Ada was asked, one round after the other."""
    with board() as here:
        for number, one in enumerate(said, 1):
            who = caller(number=number)
            line = here.line(ScriptedLlm([one]))
            asyncio.run(line.complete(question(who, f"facts of {number}")))
        yield here.store


def test_a_tape_says_what_was_said() -> None:
    again = Caller(CohortId("replay"), 1, ADA, "decide")
    with taped(WELL, LOST) as tape:
        llm = TapeLlm(MODEL, tape)
        said = [
            asyncio.run(llm.complete(question(replace(again, round=n), f"facts of {n}")))
            for n in (1, 2)
        ]
        assert said == [WELL, LOST]


def test_a_tape_of_before_longer_answers_were_usual_is_still_heard() -> None:
    short, asked = replace(MODEL, max_tokens=4_096), question(caller(), "facts of 1")
    with board() as here:
        asyncio.run(here.line(ScriptedLlm([WELL]), short).complete(asked))
        llm = TapeLlm(replace(MODEL, max_tokens=16_000), here.store)
        assert asyncio.run(llm.complete(asked)) == WELL


@pytest.mark.parametrize(
    ("who", "user", "model"),
    [
        (caller(contestant=BEN), "facts of 1", MODEL),
        (caller("stake"), "facts of 1", MODEL),
        (caller(), "facts of 2", MODEL),
        (caller(), "facts of 1", replace(MODEL, model="small-2")),
    ],
)
def test_what_is_not_on_the_tape_stops_everything(
    who: Caller, user: str, model: ModelSettings
) -> None:
    with taped(WELL) as tape, pytest.raises(StopError) as stopped:
        asyncio.run(TapeLlm(model, tape).complete(question(who, user)))
    assert stopped.value.code == "replay.miss"
    assert f"{who.contestant} asks small something in round 1 of c" in stopped.value.message
    assert stopped.value.hint


def test_a_question_without_a_caller_is_on_no_tape() -> None:
    with taped(WELL) as tape, pytest.raises(StopError):
        asyncio.run(TapeLlm(MODEL, tape).complete(question(None, "facts of 1")))


def test_a_replay_has_a_tape_of_its_own() -> None:
    """It goes through the exchange like any model, and may be replayed in its turn."""
    with taped(WELL) as tape, board() as here:
        asked = question(caller(), "facts of 1")
        said = asyncio.run(here.line(TapeLlm(MODEL, tape)).complete(asked))
        assert said == WELL
        assert here.calls == (Call("decide", asked, WELL),)


def test_what_stops_a_replay_leaves_no_call() -> None:
    with taped() as tape, board() as here:
        with pytest.raises(StopError):
            asyncio.run(here.line(TapeLlm(MODEL, tape)).complete(question(caller())))
        assert here.calls == ()


def test_a_tape_answers_for_a_model_that_is_asked_in_batches() -> None:
    with taped(WELL) as tape, board() as here:
        line = here.line(TapeLlm(replace(MODEL, batch=True), tape), replace(MODEL, batch=True))
        assert line.batches is None
