"""The whole way of a question to Gemini, over real sockets."""

from arena.llms.client import WireClient
from arena.llms.wires.gemini import Gemini, from_settings
from arena.records.answer import Completion, Question
from tests.llms import asking
from tests.llms.asking import KEY, RICH, Waits
from tests.standins.model_server import Asked, Misbehaviour, ModelServer, Reply, fails

HELD = Question("the rules, in JSON", "the facts", schema=RICH)


def answered(reply: Reply, waits: Waits | None = None, **profile: object) -> Completion:
    with ModelServer(reply) as server:
        options: dict[str, object] = {"profile": {"output": "schema", **profile}}
        named = asking.settings(server.base_url, options=options)
        llm = asking.client(named, waits or Waits(), key=KEY, wire=Gemini())
        return asking.ask(llm, HELD)


def test_what_cannot_be_named_gives_way_to_the_prompt_alone() -> None:
    def reply(_: str, asked: Asked) -> Misbehaviour | str:
        config = asked.recorded.body["generationConfig"]
        wordless = fails(400, "Request contains an invalid argument.")
        return wordless if "responseMimeType" in config else "well"

    said = answered(reply)
    assert (said.text, said.adapted) == ("well", ("prompt instead of schema",))


def test_a_model_without_rules_of_its_own_is_told_them_with_the_facts() -> None:
    def reply(_: str, asked: Asked) -> Misbehaviour | str:
        told = fails(400, "Developer instruction is not enabled for models/gemma")
        return told if asked.system else asked.user

    said = answered(reply)
    assert said.text == "the rules, in JSONthe facts"
    assert said.adapted == ("without systemInstruction",)


def test_it_is_built_from_its_settings() -> None:
    assert isinstance(
        from_settings(asking.settings("https://example.com/v1beta"), KEY), WireClient
    )
