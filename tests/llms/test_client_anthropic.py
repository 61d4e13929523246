"""The whole way of a question to Anthropic, over real sockets."""

import json
from dataclasses import replace

import pytest

from arena.errors import ArenaError
from arena.llms.client import WireClient
from arena.llms.wires.anthropic_messages import AnthropicMessages, from_settings
from arena.records.answer import Completion, Question, Trouble
from tests.llms import asking
from tests.llms.asking import KEY, RICH, Waits
from tests.present import present
from tests.standins.model_server import (
    Asked,
    Ill,
    Misbehaviour,
    ModelServer,
    Reply,
    ails,
    fails,
    in_turn,
)

HOME = "https://api.anthropic.com/v1"
KNOWN = {"output": "schema", "caches": True}
HELD = Question("the rules, in JSON", "the markets; my purse", shared=11, schema=RICH)


def answered(
    reply: Reply, *questions: Question, waits: Waits | None = None, **options: object
) -> list[Completion]:
    with ModelServer(reply) as server:
        named = replace(
            asking.settings(server.base_url, options={"profile": KNOWN, **options}),
            adapter="anthropic_messages",
        )
        llm = asking.client(named, waits or Waits(), key=KEY, wire=AnthropicMessages())
        return [asking.ask(llm, question) for question in questions or (HELD,)]


def test_a_second_contestant_reads_from_the_cache_what_the_first_one_wrote() -> None:
    facts = "m" * 8_000
    one, two = (Question("r" * 8_000, f"{facts}; {name}", 8_000) for name in ("ada", "bob"))
    first, second = (said.usage for said in answered(lambda _, __: "well", one, two))
    assert present(first.tokens_written) > 3_000
    assert second.tokens_cached == first.tokens_written
    assert second.tokens_in is not None
    assert second.tokens_cached is not None
    assert second.tokens_in > second.tokens_cached


def test_marks_that_are_refused_are_left_out() -> None:
    def reply(_: str, asked: Asked) -> Misbehaviour | str:
        marked = "cache_control" in json.dumps(asked.recorded.body)
        field = "messages.0.content.0.text.cache_control"
        return ails(Ill.FIELD, field=field) if marked else "well"

    [said] = answered(reply)
    assert (said.text, said.adapted) == ("well", ("without cache_control",))


def test_what_cannot_be_said_otherwise_is_not_asked_again() -> None:
    refused = fails(400, "Unsupported parameter: 'max_tokens'")
    [said] = answered(in_turn(refused, "well"))
    assert (said.trouble, len(said.attempts), said.adapted) == (Trouble.REQUEST, 1, ())


@pytest.mark.parametrize("version", ["2023-06-01\r\nx: y", "latest", 7])
def test_a_version_is_a_day(version: object) -> None:
    with pytest.raises(ArenaError, match="version"):
        from_settings(asking.settings(HOME, options={"version": version}), KEY)


def test_it_is_built_from_its_settings() -> None:
    dated = asking.settings(HOME, options={"version": "2026-10-21"})
    assert isinstance(from_settings(dated, KEY), WireClient)
    with pytest.raises(ArenaError, match="no option route"):
        from_settings(asking.settings(HOME, options={"route": {}}), KEY)
