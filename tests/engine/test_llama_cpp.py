"""A round with llama.cpp's own server: a real tokenizer, sampler, grammar and tool calls.

The model is made here, so what it says is nonsense; what is asked, counted and booked is not.
"""

import json
import sys
from collections.abc import Iterator
from decimal import Decimal

import pytest

from tests.cli.project import moment
from tests.cli.shell import running
from tests.engine.played import Played, Seat, keys, write
from tests.present import present

pytest.importorskip("xllamacpp", reason="xllamacpp is not installed: it is in verify")

GIVEN = {"tools": ["calculator"], "steps": 2}
PRICES = {"price_in": 1, "price_out": 10, "max_tokens": 400, "deadline": "300s"}
SEATS = (
    Seat("plain", model={**PRICES, "options": {"output": "schema"}}),
    Seat("tools", model={**PRICES, "options": {"output": "schema"}}, options=GIVEN),
    Seat("unruly", model={**PRICES, "options": {"output": "prompt"}}),
)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    folder = tmp_path_factory.mktemp("llama")
    program = (sys.executable, "-m", "tests.standins.tiny_model")
    with running(folder, cwd=folder, program=program) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        made = write(
            folder / "arena", SEATS, url, tools={"calculator": {"adapter": "calculator"}}
        )
        done = made.run("tick", "--at", moment(), **keys(SEATS))
        yield Played(made, SEATS, done, ())


def test_schemas_are_kept_by_its_grammar(played: Played) -> None:
    turn = played.turn("plain")
    assert (turn.failure, [forecast.probability for forecast in turn.forecasts]) == (
        None,
        [0.4],
    )


def test_its_tool_calls_are_made_and_their_results_sent_back(played: Played) -> None:
    calls = {call.name: call.completion for call in played.calls("tools")}
    assert [calls[f"decide/step/{n}/tool/1"].text for n in (1, 2)] == ['{"value":0.25}'] * 2
    turn = played.turn("tools")
    assert (turn.failure, [forecast.probability for forecast in turn.forecasts]) == (
        None,
        [0.4],
    )


def test_words_that_are_no_answer_fail_the_turn_alone(played: Played) -> None:
    assert "unreadable" in present(played.turn("unruly").failure)
    assert played.findings == ()


def test_costs_are_made_of_the_tokens_that_it_counted(played: Played) -> None:
    counts = [
        json.loads(call.completion.raw)["usage"]
        for seat in SEATS
        for call in played.calls(seat.name)
        if call.completion.raw
    ]
    tokens = sum(count["prompt_tokens"] + 10 * count["completion_tokens"] for count in counts)
    costs = played.made.run("costs", "--json").document
    assert Decimal(costs["total"]["cost"]) == Decimal(tokens) / 10**6
