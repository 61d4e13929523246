"""Batches of both interfaces, over real sockets."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from types import ModuleType
from typing import Any

import pytest

from arena.http import HttpDoor
from arena.llms.batch import BatchDesk, BatchItem, OpenAiBatches, desk_for, item_id
from arena.llms.batch_wire import (
    BatchError,
    BatchLimits,
    BatchState,
    BatchStatus,
)
from arena.llms.wires.anthropic_messages import AnthropicMessages
from arena.llms.wires.gemini import Gemini
from arena.llms.wires.openai_responses import OpenAiResponses
from arena.llms.wires.wire import Wire
from arena.records.answer import Caller, Completion, Question, Trouble
from arena.records.cohort import CohortId, ContestantId
from arena.testing import ScriptedLlm
from tests.llms.asking import CHAT, KEY, LIBRARIES, Waits, client, settings
from tests.present import present
from tests.standins.batch_server import BatchServer
from tests.standins.model_server import (
    DROPS,
    HANGS,
    Ill,
    Misbehaviour,
    Recorded,
    Served,
    Tokens,
    ails,
    cut_short,
    in_turn,
)

WIRES: Mapping[str, Wire] = {
    "openai_chat": CHAT,
    "openai_responses": OpenAiResponses(),
    "anthropic_messages": AnthropicMessages(),
}
BOTH = pytest.mark.parametrize("format_", ["openai_chat", "anthropic_messages"])
EVERY = pytest.mark.parametrize("format_", list(WIRES))
THOUSAND = Served(tokens=Tokens(read=1_000, said=1_000))


def desk(server: BatchServer, format_: str, **more: Any) -> BatchDesk:  # noqa: ANN401  whatever settings take
    return present(
        desk_for(client(settings(server.base_url, **more), Waits(), wire=WIRES[format_]))
    )


def items(*ids: str) -> list[BatchItem]:
    return [BatchItem(name, Question("the rules", f"the facts of {name}")) for name in ids]


async def fetched(
    at: BatchDesk, asked: Sequence[BatchItem]
) -> tuple[BatchState, Mapping[str, Completion]]:
    """Hand in, ask after until it is over, and fetch."""
    batch = await at.submit(asked)
    state = await at.poll(batch)
    while not state.over:
        state = await at.poll(batch)
    return state, await at.results(batch)


def through(
    server: BatchServer,
    format_: str,
    *ids: str,
    **more: Any,  # noqa: ANN401  whatever settings take
) -> tuple[BatchState, Mapping[str, Completion]]:
    with server:
        return asyncio.run(fetched(desk(server, format_, **more), items(*ids)))


@EVERY
def test_every_question_comes_back_with_its_own_answer(format_: str) -> None:
    server = BatchServer(lambda _, asked: f"heard {asked[-1]['content']}", key=KEY)
    state, results = through(server, format_, "a", "b", "c")
    assert (state.status, state.total, state.answered, state.failed) == ("ended", 3, 3, 0)
    assert {name: r.text for name, r in results.items()} == {
        name: f"heard the facts of {name}" for name in "abc"
    }


@EVERY
def test_a_question_is_put_as_it_is_directly(format_: str) -> None:
    with BatchServer(lambda _, __: "well") as server:
        at = desk(server, format_, options={"extra": {"service_tier": "auto"}})
        asyncio.run(at.client.complete(items("a")[0].question))
        asyncio.run(at.submit(items("a")))
        direct = server.requests[0].body
        ends = ("/files", "/batches")
        batched = next(r for r in server.requests if r.path.endswith(ends))
    if format_ == "anthropic_messages":
        assert batched.body == {"requests": [{"custom_id": "a", "params": direct}]}
    else:
        line = next(part for part in batched.raw.split(b"\r\n") if part.startswith(b"{"))
        path = {"openai_chat": "/v1/chat/completions", "openai_responses": "/v1/responses"}
        url = path[format_]
        assert json.loads(line) == {
            "custom_id": "a",
            "method": "POST",
            "url": url,
            "body": direct,
        }
        assert server.requests[-1].body == {
            "input_file_id": "file-1",
            "endpoint": url,
            "completion_window": "24h",
        }


@BOTH
def test_each_answer_s_own_status_counts(format_: str) -> None:
    server = BatchServer(
        in_turn("well", ails(Ill.CONTEXT), cut_short("hal"), ails(Ill.OVERLOADED), HANGS, DROPS)
    )
    state, results = through(server, format_, *"abcdef")
    assert [results[name].trouble for name in "abcdef"] == [
        None,
        Trouble.TOO_LONG,
        Trouble.TRUNCATED,
        Trouble.SERVER,
        Trouble.TIMEOUT,
        Trouble.TIMEOUT,
    ]
    assert (state.answered, state.failed) == (2, 4)


@BOTH
def test_what_was_never_answered_was_never_charged(format_: str) -> None:
    _, results = through(BatchServer(in_turn(HANGS, DROPS)), format_, "late", "stopped")
    late, stopped = results["late"], results["stopped"]
    assert late.detail == "the batch expired before this was answered"
    assert stopped.detail == "the batch was cancelled before this was answered"
    assert [a.billed for a in late.attempts] == [False]


@BOTH
def test_an_answer_is_billed_as_a_batch_s_and_priced(format_: str) -> None:
    server = BatchServer(lambda _, __: Misbehaviour(content="well", served=THOUSAND))
    _, results = through(server, format_, "a", prices=("1", "3"))
    completion = results["a"]
    assert (completion.tier, completion.usage.cost) == ("batch", Decimal("0.002"))
    assert (completion.model, len(completion.attempts)) == ("small-1", 1)


def test_a_provider_s_other_word_for_the_tier_does_not_change_the_price() -> None:
    served = replace(THOUSAND, tier="default")
    server = BatchServer(lambda _, __: Misbehaviour(content="well", served=served))
    _, results = through(server, "openai_chat", "a")
    assert results["a"].tier == "batch"


@BOTH
def test_results_are_the_same_every_time(format_: str) -> None:
    async def twice(at: BatchDesk) -> bool:
        batch = await at.submit(items("a"))
        await at.poll(batch)
        return await at.results(batch) == await at.results(batch)

    with BatchServer(lambda _, __: "well") as server:
        assert asyncio.run(twice(desk(server, format_)))


@BOTH
def test_results_that_are_not_there_yet_are_pending(format_: str) -> None:
    async def early(at: BatchDesk) -> None:
        await at.results(await at.submit(items("a")))

    with BatchServer(polls=9) as server, pytest.raises(BatchError) as caught:
        asyncio.run(early(desk(server, format_)))
    assert (caught.value.trouble, caught.value.again) == (Trouble.PENDING, True)


@BOTH
@pytest.mark.parametrize("name", ["batch_7", "../files", "", "a/b?c"])
def test_a_batch_that_nobody_knows_is_an_error(format_: str, name: str) -> None:
    with BatchServer() as server, pytest.raises(BatchError) as caught:
        asyncio.run(desk(server, format_).poll(name))
    assert caught.value.again is False


@BOTH
def test_a_wrong_key_makes_no_batch_and_is_not_repeated(format_: str) -> None:
    with BatchServer(key="another") as server, pytest.raises(BatchError) as caught:
        asyncio.run(desk(server, format_).submit(items("a")))
    assert (caught.value.trouble, caught.value.made) == (Trouble.CREDENTIALS, False)
    assert KEY not in str(caught.value)


def test_a_file_that_is_refused_is_a_batch_that_failed_and_says_why() -> None:
    state, results = through(BatchServer(), "openai_chat", "a b")
    assert (state.status, results) == (BatchStatus.FAILED, {})
    assert state.detail == "The file cannot be used.: invalid_custom_id"


@pytest.mark.parametrize("end", ["expired", "cancelled"])
def test_what_was_answered_before_the_end_is_had(end: str) -> None:
    state, results = through(
        BatchServer(in_turn("well", HANGS), end=end), "openai_chat", "a", "b"
    )
    assert (state.status, state.over) == (end, True)
    assert (results["a"].text, results["b"].text) == ("well", None)


def test_the_key_goes_to_no_server_that_a_reply_names() -> None:
    with BatchServer() as elsewhere:
        server = BatchServer(lambda _, __: "well", results_host=elsewhere.base_url, key=KEY)
        _, results = through(server, "anthropic_messages", "a")
        assert elsewhere.requests == []
    assert results["a"].text == "well"


def test_results_are_fetched_where_the_provider_says_on_its_own_server() -> None:
    server = BatchServer(lambda _, __: "well")
    with server:
        server.results_host = f"{server.base_url}/elsewhere"
        with pytest.raises(BatchError):
            asyncio.run(fetched(desk(server, "anthropic_messages"), items("a")))
    assert server.requests[-1].path == "/v1/elsewhere/messages/batches/batch_1/results"


def closed_before(server: BatchServer) -> BatchServer:
    with server:
        return server


@BOTH
def test_an_unreachable_server_has_made_nothing(format_: str) -> None:
    server = closed_before(BatchServer())
    with pytest.raises(BatchError) as caught:
        asyncio.run(desk(server, format_).submit(items("a")))
    error = caught.value
    assert (error.trouble, error.again, error.made) == (Trouble.UNREACHABLE, True, False)


class BreaksOff(BatchServer):
    """Makes a batch, and breaks the connection off before it says so."""

    async def _make(self, recorded: Recorded) -> tuple[Misbehaviour, bytes]:
        await super()._make(recorded)
        return DROPS, b""


def test_a_batch_that_may_have_been_made_is_told_from_one_that_was_not() -> None:
    with BreaksOff() as server, pytest.raises(BatchError) as caught:
        asyncio.run(desk(server, "anthropic_messages").submit(items("a")))
    assert (caught.value.trouble, caught.value.made) == (Trouble.UNREACHABLE, None)


def test_a_key_that_an_answer_repeats_is_hidden() -> None:
    _, results = through(BatchServer(lambda _, __: f"it is {KEY}"), "openai_chat", "a")
    assert results["a"].text == "it is [key]"
    assert KEY.encode() not in results["a"].raw


def test_questions_are_split_into_what_the_provider_takes() -> None:
    with BatchServer() as server:
        at = replace(desk(server, "openai_chat"), batches=OpenAiBatches(BatchLimits(3, 9_000)))
    asked = items(*(f"q{n}" for n in range(8)))
    assert [len(portion) for portion in at.portions(asked)] == [3, 3, 2]
    long = [replace(asked[0], id=str(n), question=Question("", "x" * 3_500)) for n in range(5)]
    assert [len(portion) for portion in at.portions(long)] == [2, 2, 1]
    assert [item for portion in at.portions(asked) for item in portion] == asked
    assert at.portions([]) == ()


@pytest.mark.parametrize("asked", [[], [*items("a"), *items("a")]])
def test_a_batch_has_questions_and_no_id_twice(asked: list[BatchItem]) -> None:
    with BatchServer() as server, pytest.raises(ValueError, match="id of its own"):
        asyncio.run(desk(server, "openai_chat").submit(asked))


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.__name__)
def test_a_large_batch_goes_through_whole(library: ModuleType) -> None:
    asked = [
        BatchItem(f"q{n}", Question("the rules", f"{n} " + "words " * 20_000))
        for n in range(60)
    ]
    with BatchServer(lambda _, __: "well " * 40_000) as server:
        at = desk(server, "anthropic_messages")
        at.client.door = HttpDoor(library)
        _, results = asyncio.run(fetched(at, asked))
    assert len(results) == 60
    assert {len(r.text or "") for r in results.values()} == {200_000}


def test_an_id_is_one_s_own_and_what_providers_take() -> None:
    def of(call: str, contestant: str = "ada") -> str:
        return item_id(Caller(CohortId("c"), 3, ContestantId(contestant), call))

    assert re.fullmatch("[A-Za-z0-9_-]{1,64}", of("decide"))
    assert of("decide") == of("decide")
    assert len({of("decide"), of("decide/2"), of("decide", "bob"), of("e", "adad")}) == 4


@pytest.mark.parametrize("name", ["gemini", "scripted"])
def test_a_model_without_a_batch_interface_has_no_desk(name: str) -> None:
    others: Mapping[str, Callable[[], Any]] = {
        "gemini": lambda: client(settings("http://127.0.0.1:9/v1"), Waits(), wire=Gemini()),
        "scripted": lambda: ScriptedLlm(["well"]),
    }
    assert desk_for(others[name]()) is None
