"""The extra for Bedrock, Vertex and others: its library asks, and our rules hold.

The library's own client of OpenAI is pointed at the stand-in, over a socket.
"""

import asyncio
import importlib
import importlib.util
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from arena import plugins
from arena.errors import ArenaError
from arena.llms import pydantic_ai as adapter
from arena.llms.retries import MOST, Retries
from arena.ports import Llm
from arena.records.answer import Completion, Question, Trouble, Usage
from arena.records.money import usd
from arena.records.settings import ModelSettings
from tests.llms.asking import KEY, QUESTION, Unheeding, Waits, settings
from tests.sizes import size
from tests.standins.failures import FINAL, KEYS, PASSING, REFUSED, TOO_LONG, USED
from tests.standins.model_server import (
    DROPS,
    HANGS,
    Misbehaviour,
    ModelServer,
    Recorded,
    Served,
    by_model,
    fails,
    in_turn,
)
from tests.standins.scripts import Saying, complains_of_key, says_key

WITHOUT_IT = """
import sys
sys.modules["pydantic_ai"] = None  # as where it is not installed
from arena import plugins
from arena.errors import ArenaError
from arena.records.settings import ModelSettings
factory = plugins.load(plugins.LLMS, "pydantic_ai")
try:
    factory(ModelSettings("nova", "pydantic_ai", "https://x.invalid", "bedrock:nova"), None)
except ArenaError as error:
    print(error.code, error.status, error.message, error.hint, sep="|")
"""
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"ok": {"type": "boolean"}},
        "required": ["ok"],
        "additionalProperties": False,
    }
)
COUNTED = Served(tokens=USED)
EUROPE = {"region_name": "eu-west-1"}
SIGNING = {**EUROPE, "aws_access_key_id": "AKIA", "aws_secret_access_key": "x"}
NOVA = "bedrock:amazon.nova-pro-v1:0"
STRICT = replace(QUESTION, schema=SCHEMA)
WIRES = ("openai-chat:", "openai:")
# What claims success and cannot be read may have been paid for: it is asked for once.
READ_OR_LOST = {"error under 200", "router's error under 200", "null choices", "no choices"}
UNREAD = READ_OR_LOST | {"empty body", "blank body", "not gzip"}
# One or two of each way to fail: `make soak` tries all.
ONCE = ["key, page", "moderator", "prompt too long", "moved"]
AGAIN = ["overloaded", "too many"]
LOST = ["null choices", "empty body"]


def test_without_the_library_it_says_how_to_install_it() -> None:
    done = subprocess.run(  # noqa: S603  our own words
        [sys.executable, "-c", WITHOUT_IT], capture_output=True, text=True, check=True
    )
    code, status, message, hint = done.stdout.strip().split("|")
    assert code == "llm.missing"
    assert status == "2"
    assert hint == "pip install 'paper-arena[pydantic-ai]'"
    assert "nova" in message


needed = pytest.mark.skipif(
    not importlib.util.find_spec("pydantic_ai"),
    reason="pydantic-ai-slim is not installed: it is in the dependency group verify",
)
with_boto = pytest.mark.skipif(
    not importlib.util.find_spec("boto3"), reason="boto3 is not installed"
)
if importlib.util.find_spec("pydantic_ai"):
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.usage import RequestUsage


SMALL = "openai-chat:small-1"


def model(base_url: str, name: str = SMALL, /, **options: object) -> ModelSettings:
    return replace(settings(base_url, deadline=20, options=options), model=name)


def quick(llm: Llm, waits: Waits | None = None) -> adapter.PydanticAi:
    """The same client, whose waits take no time."""
    assert isinstance(llm, adapter.PydanticAi)
    patience = Retries(jitter=lambda: 0.5, sleep=(waits or Waits()).sleep)
    return replace(llm, retries=patience, throttle=Unheeding())


def asked(
    named: ModelSettings,
    question: Question = QUESTION,
    *,
    key: str | None = KEY,
    waits: Waits | None = None,
) -> Completion:
    """Ask once, of what the settings name."""
    return asyncio.run(quick(adapter.from_settings(named, key), waits).complete(question))


def ask(
    saying: Saying, name: str = SMALL, question: Question = QUESTION, **options: object
) -> tuple[Completion, list[Recorded]]:
    """Ask once, of a server that says this."""
    with ModelServer(by_model({}, others=saying)) as server:
        return asked(model(server.base_url, name, **options), question), server.requests


def told(made: object) -> Completion:
    """Ask once, of a model that the library has built."""
    wanted = model("https://x.invalid")
    client = adapter.pydantic_ai_client(made, wanted, KEY, Retries(jitter=lambda: 0.5))
    return asyncio.run(quick(client).complete(QUESTION))


def spoken(text: str = "words", **said: object) -> Completion:
    """Ask a function of ours that says this."""

    def speak(_messages: object, _info: object) -> object:
        return ModelResponse([TextPart(text)], **said)

    return told(FunctionModel(speak))


# A good answer


@needed
@pytest.mark.parametrize("wire", WIRES)
def test_words_and_where_they_are_from_come_back(wire: str) -> None:
    said, (request,) = ask(
        Misbehaviour(content="well", served=Served(model="small-2")), name=f"{wire}small-1"
    )
    assert said.text == "well"
    assert said.trouble is None
    assert said.model == "small-2"
    assert said.finish == "stop"
    assert (said.route, [a.status for a in said.attempts]) == ("openai", [200])
    assert (request.model, request.key) == ("small-1", KEY)


@needed
def test_rules_and_facts_are_put_as_they_are() -> None:
    _, (request,) = ask("well")
    put = [(message["role"], message["content"]) for message in request.body["messages"]]
    assert put == [("system", "the rules"), ("user", "the facts")]
    assert request.body["max_completion_tokens"] == 4096
    assert "tools" not in request.body


@needed
@pytest.mark.parametrize("wire", WIRES)
def test_tokens_are_counted_as_totals_with_their_parts(wire: str) -> None:
    said, _ = ask(Misbehaviour(content="x", served=Served(tokens=USED)), name=f"{wire}small-1")
    assert said.usage == Usage(1000, 500, None, 600, 300, 200)


@needed
def test_a_cost_is_reckoned_with_the_configured_prices() -> None:
    with ModelServer(
        lambda _model, _asked: Misbehaviour(content="x", served=COUNTED)
    ) as server:
        priced = replace(model(server.base_url), price_in=Decimal(3), price_out=Decimal(15))
        said = asked(priced)
    assert (said.usage.cost, said.usage.priced) == (usd("0.0105"), "configured")


@needed
def test_a_schema_is_enforced_where_the_library_says_that_the_model_can() -> None:
    _, (request,) = ask("{}", name="openai-chat:gpt-4.1", question=STRICT)
    wanted = request.body["response_format"]
    assert (wanted["type"], wanted["json_schema"]["strict"]) == ("json_schema", True)
    assert wanted["json_schema"]["schema"]["properties"] == {"ok": {"type": "boolean"}}


@needed
def test_output_prompt_leaves_it_to_the_words() -> None:
    _, (request,) = ask("{}", "openai-chat:gpt-4.1", STRICT, output="prompt")
    assert "response_format" not in request.body


@needed
def test_free_words_are_held_to_no_schema() -> None:
    _, (request,) = ask("well", name="openai-chat:gpt-4.1")
    assert "response_format" not in request.body


@needed
def test_the_librarys_own_settings_are_passed_on_and_ours_hold() -> None:
    _, (request,) = ask("well", settings={"temperature": 0.5, "max_tokens": 7})
    assert (request.body["temperature"], request.body["max_completion_tokens"]) == (0.5, 4096)


@needed
@pytest.mark.parametrize("reply", ["well", fails(502), DROPS], ids=["well", "fails", "drops"])
def test_what_a_server_says_counts_for_the_model_that_was_asked(
    reply: str | Misbehaviour,
) -> None:
    line = Unheeding()
    with ModelServer(by_model({}, others=reply)) as server:
        made = adapter.from_settings(replace(model(server.base_url), name="own name"), KEY)
        llm = replace(quick(made), throttle=line)
        attempts = asyncio.run(llm.complete(QUESTION)).attempts
    assert line.turns == line.replies == ["own name"] * len(attempts)


@needed
def test_one_client_is_good_for_one_event_loop_after_the_other() -> None:
    with ModelServer(by_model({}, others="well")) as server:
        llm = quick(adapter.from_settings(model(server.base_url), KEY))
        texts = [asyncio.run(llm.complete(QUESTION)).text for _ in range(3)]
    assert texts == ["well"] * 3


@needed
def test_many_may_be_under_way_at_once() -> None:
    async def crowd(llm: Llm) -> list[Completion]:
        return await asyncio.gather(*(llm.complete(QUESTION) for _ in range(20)))

    with ModelServer(by_model({}, others="well"), latency=0.05) as server:
        said = asyncio.run(crowd(quick(adapter.from_settings(model(server.base_url), KEY))))
        assert server.most_at_once > 1
    assert [one.text for one in said] == ["well"] * 20


# What goes wrong


@needed
@pytest.mark.parametrize("name", size(ONCE, [*KEYS, *REFUSED, *TOO_LONG, *FINAL]))
def test_what_no_asking_helps_against_is_asked_once(name: str) -> None:
    said, requests = ask({**KEYS, **REFUSED, **TOO_LONG, **FINAL}[name])
    assert said.trouble is not None
    assert len(requests) == len(said.attempts) == 1
    if name in KEYS:
        assert (said.trouble, said.attempts[0].billed) == (Trouble.CREDENTIALS, False)
    if name in TOO_LONG:
        assert said.trouble is Trouble.TOO_LONG
    if name in REFUSED:
        assert said.trouble is Trouble.REFUSAL


@needed
@pytest.mark.parametrize("name", size(AGAIN, sorted(set(PASSING) - UNREAD)))
@pytest.mark.parametrize("wire", WIRES)
def test_what_may_pass_is_asked_for_again_by_us_and_by_nobody_else(
    wire: str, name: str
) -> None:
    said, requests = ask(PASSING[name], name=f"{wire}small-1")
    assert said.trouble is not None
    assert len(requests) == len(said.attempts) == MOST


@needed
@pytest.mark.parametrize("name", size(LOST, sorted(set(PASSING) & UNREAD)))
def test_what_claims_success_and_cannot_be_read_is_a_failure(name: str) -> None:
    said, requests = ask(PASSING[name])
    assert said.trouble in {Trouble.UNREADABLE, Trouble.SERVER}
    assert len(requests) == len(said.attempts)
    assert said.attempts[0].billed is None


@needed
def test_after_a_failure_that_passes_the_answer_counts() -> None:
    said, requests = ask(in_turn(PASSING["overloaded"], "well"))
    assert (said.text, said.trouble, len(requests)) == ("well", None, 2)
    assert [a.trouble for a in said.attempts] == [Trouble.SERVER, None]


@needed
def test_a_wait_that_is_asked_for_is_kept() -> None:
    waits = Waits()
    busy = replace(PASSING["too many"], headers=(("Retry-After", "7"),))
    with ModelServer(in_turn(busy, "well")) as server:
        asked(model(server.base_url), waits=waits)
    assert waits.seconds == [7.0]


@needed
def test_silence_ends_at_the_deadline_and_is_not_asked_again() -> None:
    with ModelServer(lambda _model, _asked: HANGS) as server:
        said = asked(replace(model(server.base_url), deadline=timedelta(seconds=0.2)))
        assert len(server.requests) == 1
    (attempt,) = said.attempts
    assert (said.trouble, attempt.billed) == (Trouble.TIMEOUT, None)
    assert attempt.latency_ms >= 190


@needed
def test_a_server_that_is_not_there_is_unreachable_and_costs_nothing() -> None:
    with ModelServer() as gone:
        base_url = gone.base_url
    said = asked(model(base_url))
    assert (said.trouble, len(said.attempts)) == (Trouble.UNREACHABLE, MOST)
    assert {attempt.billed for attempt in said.attempts} == {False}


@needed
@pytest.mark.parametrize("telling", [complains_of_key, says_key])
def test_the_key_is_nowhere_in_what_comes_back(telling: Saying) -> None:
    said, _ = ask(telling)
    assert "[key]" in f"{said.text} {said.detail}"
    assert KEY[:8] not in repr(said)


@needed
def test_a_client_does_not_show_its_key() -> None:
    llm = adapter.from_settings(model("http://127.0.0.1:9/v1"), KEY)
    assert KEY not in repr(llm)


# The library's own stand-ins


@needed
def test_its_test_model_answers_like_any_other() -> None:
    said = told(TestModel(custom_output_text="well"))
    assert (said.text, said.trouble, said.model) == ("well", None, "test")


@needed
@pytest.mark.parametrize(
    ("finish", "trouble"),
    [
        ("stop", None),
        ("length", Trouble.TRUNCATED),
        ("content_filter", Trouble.REFUSAL),
        (None, None),
    ],
)
def test_why_it_stopped_is_understood(finish: str | None, trouble: Trouble | None) -> None:
    said = spoken(finish_reason=finish)
    assert (said.trouble, said.text) == (trouble, "words")


@needed
def test_a_count_of_zero_is_one_that_nobody_told() -> None:
    assert spoken(usage=RequestUsage(input_tokens=5)).usage == Usage(tokens_in=5)


@needed
def test_words_that_no_database_can_keep_are_made_good() -> None:
    assert spoken("nothing\0here").text == "nothing\ufffdhere"


# What is configured


@needed
@pytest.mark.parametrize(
    ("name", "options", "wanted"),
    [
        ("nobody:at-all", {}, "nobody"),
        ("without-a-colon", {}, "without-a-colon"),
        ("openai-chat:x", {"colour": "blue"}, "there is no option colour"),
        ("openai-chat:x", {"output": "json"}, "output is wrong"),
        ("openai-chat:x", {"provider": {"colour": "blue"}}, "colour"),
        ("openai-chat:x", {"settings": 5}, "settings is not a mapping"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(
    name: str, options: Mapping[str, object], wanted: str
) -> None:
    with pytest.raises(ArenaError) as refused:
        adapter.from_settings(model("http://127.0.0.1:9/v1", name, **options), KEY)
    assert (refused.value.status, wanted in refused.value.message) == (2, True)


@needed
def test_a_part_of_the_library_that_is_lacking_is_named() -> None:
    if importlib.util.find_spec("groq"):
        pytest.skip("the part is installed")
    with pytest.raises(ArenaError) as refused:
        adapter.from_settings(model("https://x.invalid", "groq:llama"), KEY)
    assert (refused.value.code, refused.value.status) == ("llm.missing", 2)


@needed
def test_an_address_that_is_none_leaves_the_providers_own() -> None:
    llm = adapter.from_settings(model("https://pydantic-ai.invalid"), KEY)
    assert isinstance(llm, adapter.PydanticAi)
    assert str(llm.model.base_url).startswith("https://api.openai.com/v1")


@needed
def test_it_is_a_plugin_like_any_other() -> None:
    assert plugins.load(plugins.LLMS, "pydantic_ai") is adapter.from_settings


# Bedrock, whose library asks again by itself if it is let


@contextmanager
def broken() -> Iterator[tuple[str, list[str]]]:
    """A server that fails every request; its address, and the paths that were asked for."""
    paths: list[str] = []

    class Broken(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            paths.append(self.path)
            self.send_response(500)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Broken) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", paths
        server.shutdown()
        thread.join()


@needed
@with_boto
def test_bedrock_is_asked_again_by_us_alone() -> None:
    with broken() as (base_url, paths):
        said = asked(model(base_url, NOVA, provider=SIGNING), key=None)
    assert (said.trouble, said.attempts[0].status) == (Trouble.SERVER, 500)
    assert len(paths) == len(said.attempts) == MOST
    assert paths[0] == "/model/amazon.nova-pro-v1%3A0/converse"


@needed
@with_boto
def test_what_a_library_below_it_raises_is_a_failure_in_words() -> None:
    with broken() as (base_url, paths):
        # a key is not sent without encryption
        said = asked(model(base_url, NOVA, provider=EUROPE))
    assert (said.trouble, len(said.attempts), paths) == (Trouble.UNREADABLE, 1, [])
    assert "requires an HTTPS endpoint" in said.detail


@needed
@with_boto
def test_credentials_that_nobody_has_are_called_so() -> None:
    lacking = importlib.import_module("botocore.exceptions").NoCredentialsError

    def speak(_messages: object, _info: object) -> object:
        raise lacking

    said = told(FunctionModel(speak))
    assert (said.trouble, len(said.attempts)) == (Trouble.CREDENTIALS, 1)
    assert said.detail == "NoCredentialsError Unable to locate credentials"
