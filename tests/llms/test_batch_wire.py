"""What providers say about batches may be anything; nothing of it gets through unread."""

import json
from collections.abc import Sequence
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.http import HttpReply, HttpRequest
from arena.llms.batch import AnthropicBatches, OpenAiBatches
from arena.llms.batch_wire import (
    BatchError,
    BatchStatus,
    BatchWire,
    T,
    Talk,
    answers_in,
)
from arena.llms.client import WireClient
from arena.llms.wires.anthropic_messages import AnthropicMessages
from arena.records.answer import Trouble
from tests.llms import asking
from tests.llms.asking import replied
from tests.llms.hostile import STATUSES, json_with
from tests.sizes import size

HOME = "https://api.example.com/v1"
OPENAI = asking.client(asking.settings(HOME), asking.Waits())
ANTHROPIC = asking.client(asking.settings(HOME), asking.Waits(), wire=AnthropicMessages())
EITHER = pytest.mark.parametrize(
    ("client", "batches"), [(OPENAI, OpenAiBatches()), (ANTHROPIC, AnthropicBatches())]
)
OVER = {
    "status": "completed",
    "output_file_id": "file-1",
    "processing_status": "ended",
    "results_url": f"{HOME}/results",
}


def held(talk: Talk[T], replies: Sequence[HttpReply]) -> tuple[T, list[HttpRequest]]:
    """Hold a conversation with a server that says these things, the last one for ever."""
    asked: list[HttpRequest] = []
    waiting = list(replies)
    try:
        asked.append(next(talk))
        while True:
            asked.append(talk.send(waiting.pop(0) if len(waiting) > 1 else waiting[0]))
    except StopIteration as end:
        return end.value, asked


@EITHER
@pytest.mark.parametrize(
    ("answer", "trouble", "made"),
    [
        (replied({"error": {"type": "server_error"}}, 500), Trouble.SERVER, None),
        (replied({"error": {"type": "x"}}, 429), Trouble.RATE_LIMITED, False),
        (replied({"error": {"type": "x"}}, 400), Trouble.REQUEST, False),
        (replied({"id": "../evil"}), Trouble.UNREADABLE, None),
        (replied({}), Trouble.UNREADABLE, None),
    ],
)
def test_a_batch_is_made_where_the_provider_gives_its_name(
    client: WireClient,
    batches: BatchWire,
    answer: HttpReply,
    trouble: Trouble,
    *,
    made: bool | None,
) -> None:
    with pytest.raises(BatchError) as caught:
        held(batches.make(client, b"{}"), [answer])
    assert (caught.value.trouble, caught.value.made) == (trouble, made)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("validating", BatchStatus.RUNNING),
        ("finalizing", BatchStatus.RUNNING),
        ("cancelling", BatchStatus.RUNNING),
        ("something new", BatchStatus.RUNNING),
        ("completed", BatchStatus.ENDED),
        ("failed", BatchStatus.FAILED),
        ("expired", BatchStatus.EXPIRED),
        ("cancelled", BatchStatus.CANCELLED),
    ],
)
def test_openai_s_words_for_where_a_batch_is(said: str, status: BatchStatus) -> None:
    state, _ = held(OpenAiBatches().poll(OPENAI, "b"), [replied({"status": said})])
    assert (state.status, state.total) == (status, None)


@pytest.mark.parametrize(
    ("said", "over"), [("in_progress", False), ("canceling", False), ("ended", True)]
)
def test_anthropic_s_words_for_where_a_batch_is(said: str, *, over: bool) -> None:
    counts = {"processing": 1, "succeeded": 2, "errored": 3, "canceled": 4, "expired": 5}
    body = {"processing_status": said, "request_counts": counts}
    state, _ = held(AnthropicBatches().poll(ANTHROPIC, "b"), [replied(body)])
    assert (state.over, state.total, state.answered, state.failed) == (over, 15, 2, 12)


@pytest.mark.parametrize(
    "named",
    [
        "https://evil.example.com/v1/results",
        "http://api.example.com/v1/results",
        "https://api.example.com:8443/v1/results",
        "https://api.example.com@evil.example.com/results",
        "https://api.example.com\n.evil.example.com/",
        "//api.example.com/v1/results",
        "https://[",
        7,
        None,
    ],
)
def test_results_are_never_fetched_from_another_server(named: object) -> None:
    said = {"processing_status": "ended", "results_url": named}
    _, asked = held(AnthropicBatches().results(ANTHROPIC, "b"), [replied(said)])
    assert asked[-1].url == f"{HOME}/messages/batches/b/results"


def test_files_that_are_not_there_are_not_fetched() -> None:
    said = {"status": "completed", "output_file_id": None, "error_file_id": ""}
    results, asked = held(OpenAiBatches().results(OPENAI, "b"), [replied(said)])
    assert (results, len(asked)) == ({}, 1)


@EITHER
def test_a_file_that_cannot_be_had_is_an_error(client: WireClient, batches: BatchWire) -> None:
    gone = replied({"error": {"type": "x", "message": "no such file"}}, 404)
    with pytest.raises(BatchError, match="no such file"):
        held(batches.results(client, "b"), [replied(OVER), gone])


def test_the_first_answer_to_a_question_stays() -> None:
    def line(text: str) -> bytes:
        message = {"type": "message", "content": [{"type": "text", "text": text}]}
        result = {"type": "succeeded", "message": message}
        return json.dumps({"custom_id": "a", "result": result}).encode()

    body = b"\r\n".join([b"", b"not JSON", b"7", line("one"), b"[" * 90_000, line("two")])
    results, _ = held(
        AnthropicBatches().results(ANTHROPIC, "b"), [replied(OVER), HttpReply(200, (), body)]
    )
    assert {name: found.text for name, found in results.items()} == {"a": "one"}


def test_lines_that_are_no_objects_or_have_no_name_belong_to_nobody() -> None:
    named = {"custom_id": "a"}
    lines = b'{"custom_id": "a"}\n\n[]\n{"custom_id": 7}\n{"b"'
    assert answers_in(lines) == {"a": named}


NAMES = (
    "custom_id response error status_code body code message result type content text choices"
    " status processing_status request_counts succeeded total output_file_id error_file_id"
    " results_url errors data id"
)
WORDS = ("succeeded", "errored", "expired", "batch_expired", "completed", "ended", "error")
LINES = st.lists(json_with(NAMES.split(), WORDS), max_size=4)


@EITHER
@settings(deadline=None, max_examples=size(37, 150))
@given(said=json_with(NAMES.split(), WORDS), lines=LINES, status=STATUSES)
def test_nothing_that_is_said_of_a_batch_breaks_the_reader(
    client: WireClient, batches: BatchWire, said: object, lines: list[object], status: int
) -> None:
    body = "\n".join(json.dumps(line) for line in lines).encode()
    over = replied({**said, **OVER} if isinstance(said, dict) else OVER)
    answers = HttpReply(200, (), body)
    with suppress(BatchError):
        results, _ = held(batches.results(client, "b"), [over, answers])
        for found in results.values():
            assert found.trouble is not None or found.text
            assert found.tier == "batch"
    for talk in (batches.poll(client, "b"), batches.make(client, b"{}")):
        with suppress(BatchError):
            held(talk, [replied(said, status)])
