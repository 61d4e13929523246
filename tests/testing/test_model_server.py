import asyncio
import subprocess
import sys
import threading
from collections.abc import Sequence
from urllib.request import urlopen

import pytest

from arena.http import HttpDoor, HttpRequest
from tests.standins.model_server import (
    HANGS,
    Format,
    Message,
    Misbehaviour,
    ModelServer,
    in_turn,
)
from tests.testing.bare import (
    ALL,
    KEY,
    body_of,
    headers_of,
    heard,
    post,
    send,
    text_in,
)

CHAT, RESPONSES, ANTHROPIC, GEMINI = ALL


def test_one_address_is_good_for_every_format() -> None:
    with ModelServer(in_turn("well")) as server:
        told = [text_in(kind, post(server, kind).json) for kind in ALL]
    assert told == ["well"] * 4
    assert [asked.format for asked in server.requests] == list(ALL)


def test_what_it_was_asked_is_recorded() -> None:
    with ModelServer(in_turn("well")) as server:
        post(server, CHAT)
    (asked,) = server.requests
    assert (asked.method, asked.path) == ("POST", "/v1/chat/completions")
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body == body_of(CHAT)
    assert KEY not in repr(asked)


def test_the_moment_of_each_request_is_recorded() -> None:
    with ModelServer(in_turn("well"), latency=0.05) as server:
        post(server, CHAT)
        post(server, GEMINI)
    first, second = (asked.asked_at for asked in server.requests)
    assert second - first >= 0.05


def test_a_path_that_is_no_model_s_is_not_found() -> None:
    with ModelServer(in_turn("well")) as server:
        reply = send(server, "/v1/models?x", b"")
    assert (reply.status, reply.json["error"]["message"]) == (
        404,
        "there is nothing at /v1/models?x",
    )


@pytest.mark.parametrize("kind", ALL)
def test_whoever_comes_without_the_key_is_turned_away(kind: Format) -> None:
    with ModelServer(in_turn("well"), key=KEY) as server:
        assert post(server, kind).status == 200
        assert post(server, kind, headers=headers_of(kind, "another")).status in {400, 401}
        assert post(server, kind, headers={}).status in {400, 401}


@pytest.mark.parametrize("kind", ALL)
def test_four_characters_count_as_one_token(kind: Format) -> None:
    said = Misbehaviour(content="w" * 80, thinking="t" * 40)
    told = heard(said, kind, body_of(kind, "u" * 300, system="s" * 100)).json
    usage = str(told.get("usage") or told.get("usageMetadata"))
    assert ": 100," in usage
    assert ": 30," in usage or ": 20," in usage


def test_hundreds_may_wait_together() -> None:
    together = threading.Event()

    def wait(model: str, messages: Sequence[Message]) -> Misbehaviour:  # noqa: ARG001  a Reply
        if server.most_at_once == 300:
            together.set()
        return HANGS

    async def many() -> bool:
        request = HttpRequest("POST", f"{server.base_url}/chat/completions", (), b"{}")
        async with HttpDoor() as door:
            waiting = [asyncio.create_task(door.send(request, seconds=90)) for _ in range(300)]
            found = await asyncio.to_thread(together.wait, 60)
            for one in waiting:
                one.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
        return found

    with ModelServer(wait) as server:
        assert asyncio.run(many())
    assert len(server.requests) == 300


def test_two_servers_stand_side_by_side() -> None:
    def name(model: str, messages: Sequence[Message]) -> str:  # noqa: ARG001  says who it is
        return model

    with ModelServer(reply=name) as one, ModelServer(reply=name) as two:
        assert one.base_url != two.base_url


def test_no_thread_is_left_behind() -> None:
    before = threading.active_count()
    with ModelServer():
        pass
    assert threading.active_count() == before


def test_a_port_that_is_taken_is_an_error() -> None:
    with ModelServer() as one:
        port = int(one.base_url.rpartition(":")[2].partition("/")[0])
        with pytest.raises(OSError, match="in use"), ModelServer(port=port):
            pass


def test_it_can_be_started_from_a_shell() -> None:
    command = [sys.executable, "-m", "tests.standins.model_server", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603  our own
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        adapters = process.stdout.readline()
        try:
            assert all(kind in adapters for kind in ALL)
            assert url.startswith("http://127.0.0.1:")
            with pytest.raises(OSError, match="404"), urlopen(url):  # noqa: S310  this machine
                pass
        finally:
            process.terminate()
