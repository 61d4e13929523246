import asyncio
import gc
import gzip
import importlib.util
import os
import socket
import subprocess
import sys
import zlib
from decimal import Decimal
from types import ModuleType
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.http import MAX_REPLY, Fault, HttpDoor, HttpError, HttpReply, HttpRequest
from arena.http.door import MOST_CONNECTING, UnpackedBody, unpack
from tests.hangs import HANG
from tests.present import some
from tests.standins.model_server import DROPS, HANGS, Misbehaviour, ModelServer, fails

LIBRARIES: list[ModuleType] = [httpx]
if importlib.util.find_spec("httpx2"):
    LIBRARIES.append(importlib.import_module("httpx2"))


@pytest.fixture(params=LIBRARIES, ids=lambda library: library.__name__)
def door(request: pytest.FixtureRequest) -> HttpDoor:
    return HttpDoor(request.param)


def post(server: ModelServer) -> HttpRequest:
    headers = (("Content-Type", "application/json"), ("Authorization", "Bearer key"))
    return HttpRequest("POST", f"{server.base_url}/chat/completions", headers, b"{}")


def sent(door: HttpDoor, server: ModelServer, seconds: float = 5) -> HttpReply:
    return asyncio.run(door.send(post(server), seconds=seconds))


def fault(door: HttpDoor, request: HttpRequest, seconds: float = 5) -> HttpError:
    with pytest.raises(HttpError) as caught:
        asyncio.run(door.send(request, seconds=seconds))
    return caught.value


def saying(misbehaviour: Misbehaviour) -> ModelServer:
    return ModelServer(reply=lambda _model, _messages: misbehaviour)


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def test_a_request_carries_its_headers_and_our_name(door: HttpDoor) -> None:
    with ModelServer() as server:
        assert sent(door, server).status == 200
    headers = server.requests[0].headers
    assert headers["authorization"] == "Bearer key"
    assert headers["user-agent"].startswith("paper-arena/")


def test_one_door_serves_one_loop_after_the_other(door: HttpDoor) -> None:
    with ModelServer() as server:
        assert [sent(door, server).status for _ in range(3)] == [200, 200, 200]


def test_connections_are_closed_with_their_loop(door: HttpDoor) -> None:
    with ModelServer() as server:
        sent(door, server)
        gc.collect()  # an open socket would warn here, and a warning is an error


def test_a_door_can_be_closed_early_and_used_again(door: HttpDoor) -> None:
    async def twice(server: ModelServer) -> list[int]:
        async with door:
            first = await door.send(post(server), seconds=5)
        second = await door.send(post(server), seconds=5)
        await door.aclose()
        return [first.status, second.status]

    with ModelServer() as server:
        assert asyncio.run(twice(server)) == [200, 200]


async def many(door: HttpDoor, server: ModelServer, times: int) -> set[int]:
    """Ask so many times at once: which statuses came back."""
    replies = await asyncio.gather(*(door.send(post(server), seconds=60) for _ in range(times)))
    return {reply.status for reply in replies}


def test_two_hundred_requests_wait_together(door: HttpDoor) -> None:
    with ModelServer(together=200) as server:
        assert asyncio.run(many(door, server, 200)) == {200}
    assert server.most_at_once == 200


class CountingLoop(asyncio.SelectorEventLoop):
    """Counts the connections that are being opened at one moment; each takes a while."""

    opening = most = 0

    async def create_connection(self, *args: Any, **more: Any) -> Any:  # noqa: ANN401
        self.opening += 1
        self.most = max(self.most, self.opening)
        try:
            await asyncio.sleep(0.02)
            return await super().create_connection(*args, **more)
        finally:
            self.opening -= 1


def test_so_many_connections_are_opened_at_once_and_no_more(door: HttpDoor) -> None:
    with ModelServer() as server, asyncio.Runner(loop_factory=CountingLoop) as runner:
        assert runner.run(many(door, server, MOST_CONNECTING + 20)) == {200}
        loop = runner.get_loop()
    assert isinstance(loop, CountingLoop)
    assert loop.most == MOST_CONNECTING


def test_a_second_wave_finds_the_connections_of_the_first(door: HttpDoor) -> None:
    async def waves(server: ModelServer) -> None:
        for _ in range(3):
            await many(door, server, 50)

    with ModelServer() as server:
        asyncio.run(waves(server))
    assert len({asked.headers["host"] for asked in server.requests}) == 1
    assert len(server.requests) == 150
    assert server.connections <= 50


def test_nobody_listening_is_a_fault_of_connecting(door: HttpDoor) -> None:
    port = closed_port()
    error = fault(door, HttpRequest("GET", f"http://127.0.0.1:{port}/"))
    assert (error.fault, error.sent) == (Fault.CONNECT, False)
    assert f"127.0.0.1:{port} cannot be reached" in error.message


@pytest.mark.parametrize(
    ("slow", "seconds"),
    [(HANGS, 0.1), (Misbehaviour(content="slow", drip=0.02), 0.15)],
    ids=["hangs", "drips"],
)
def test_a_slow_server_costs_no_more_than_the_time_given(
    door: HttpDoor, slow: Misbehaviour, seconds: float
) -> None:
    with saying(slow) as server:
        error = fault(door, post(server), seconds)
    assert (error.fault, error.sent) == (Fault.TIMEOUT, True)


def test_without_time_nothing_is_sent(door: HttpDoor) -> None:
    with ModelServer() as server:
        error = fault(door, post(server), seconds=0)
    assert (error.fault, error.sent) == (Fault.TIMEOUT, False)
    assert server.requests == []


def test_a_connection_that_breaks_off_may_have_delivered(door: HttpDoor) -> None:
    with saying(DROPS) as server:
        error = fault(door, post(server))
    assert (error.fault, error.sent) == (Fault.DROPPED, True)


def test_a_reply_may_be_kept_shorter(door: HttpDoor) -> None:
    async def short(server: ModelServer, most: int) -> int:
        return len((await door.send(post(server), seconds=5, most=most)).body)

    with saying(Misbehaviour(body=b"x" * 100)) as server:
        assert asyncio.run(short(server, 100)) == 100
        with pytest.raises(HttpError, match="answered more than 99 bytes") as caught:
            asyncio.run(short(server, 99))
    assert caught.value.fault is Fault.TOO_LARGE


@pytest.mark.parametrize(
    ("body", "coding", "said"), [(b"no gzip", "gzip", ""), (b"{}", "gzip, gzip", "gzip, gzip")]
)
def test_a_body_that_cannot_be_unpacked_is_no_broken_connection(
    door: HttpDoor, body: bytes, coding: str, said: str
) -> None:
    packed = Misbehaviour(body=body, headers=(("Content-Encoding", coding),))
    with saying(packed) as server:
        error = fault(door, post(server))
    assert (error.fault, error.sent, said in error.message) == (Fault.GARBLED, True, True)


def test_a_body_that_unfolds_to_too_much_is_refused(door: HttpDoor) -> None:
    bomb = gzip.compress(b" " * (MAX_REPLY + 1))
    packed = Misbehaviour(body=bomb, headers=(("Content-Encoding", "gzip"),))
    with saying(packed) as server:
        error = fault(door, post(server))
    assert error.fault is Fault.TOO_LARGE
    assert "answered more than" in error.message


def test_requests_that_were_given_up_leave_room_for_others(door: HttpDoor) -> None:
    async def given_up_and_asked_again(server: ModelServer) -> set[int]:
        for after in (0, 1, 2, 3):
            early = [
                asyncio.ensure_future(door.send(post(server), seconds=5)) for _ in range(20)
            ]
            for _ in range(after):
                await asyncio.sleep(0)
            for request in early:
                request.cancel()
            await asyncio.wait(early)
        return await many(door, server, 20)

    with ModelServer() as server:
        assert asyncio.run(given_up_and_asked_again(server)) == {200}


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such limit")
def test_more_connections_than_the_system_grants_at_first() -> None:
    program = (
        "import resource, sys, asyncio\n"
        "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (40, hard))\n"
        "from arena.http import HttpDoor, HttpRequest\n"
        "async def many():\n"
        "    async with HttpDoor() as door:\n"
        "        ask = HttpRequest('POST', sys.argv[1], (), b'{}')\n"
        "        await asyncio.gather(*(door.send(ask, seconds=600) for _ in range(100)))\n"
        "asyncio.run(many())\n"
    )
    with ModelServer(together=100) as server:
        url = f"{server.base_url}/chat/completions"
        subprocess.run([sys.executable, "-c", program, url], check=True, timeout=HANG)  # noqa: S603
    assert server.most_at_once == 100


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("ftp://127.0.0.1/", ""),
        ("http://[::1/", ""),
        *((f"http://127.0.0.1:{port}/", "") for port in ("port", "99999", "9/\ud800")),
        ("http://127.0.0.1:9/", "schlüssel"),
    ],
)
def test_what_cannot_be_sent_is_a_fault_of_the_request(
    door: HttpDoor, url: str, key: str
) -> None:
    error = fault(door, HttpRequest("GET", url, (("Authorization", key),)))
    assert (error.fault, error.sent) == (Fault.REQUEST, False)


def test_a_proxy_that_is_none_is_a_fault_of_the_request_and_its_password_is_not_told(
    door: HttpDoor,
) -> None:
    os.environ["ALL_PROXY"] = "http://ada:s3#cret@127.0.0.1:9"
    try:
        error = fault(door, HttpRequest("GET", "http://arena.invalid/"))
    finally:
        del os.environ["ALL_PROXY"]
    assert (error.fault, error.sent, "s3" in error.message) == (Fault.REQUEST, False, False)


def test_a_redirect_is_not_followed(door: HttpDoor) -> None:
    with (
        ModelServer() as other,
        saying(fails(307, headers={"Location": f"{other.base_url}/x"})) as one,
    ):
        assert sent(door, one).status == 307
    assert other.requests == []


def test_no_cookie_is_kept(door: HttpDoor) -> None:
    async def twice(server: ModelServer) -> None:
        for _ in range(2):
            await door.send(post(server), seconds=5)

    with saying(fails(200, headers={"Set-Cookie": "who=ada; Path=/"})) as server:
        asyncio.run(twice(server))
    assert all("cookie" not in asked.headers for asked in some(server.requests))


def reply(body: bytes, content_type: str | None = "application/json") -> HttpReply:
    headers = () if content_type is None else (("content-type", content_type),)
    return HttpReply(200, headers, body)


@pytest.mark.parametrize(
    "kind", ["application/json; charset=utf-8", "application/problem+json"]
)
def test_blank_lines_before_json_are_fine(kind: str) -> None:
    assert reply(b'\n\n \r\n{"a": 0.1}', kind).json() == {"a": Decimal("0.1")}


@pytest.mark.parametrize("kind", ["text/html", "text/plain", None, "application/jsonp"])
def test_what_does_not_call_itself_json_is_not_parsed(kind: str | None) -> None:
    with pytest.raises(HttpError, match="expected JSON"):
        reply(b"{}", kind).json()


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff\xfe\xff", b"[" * 100_000, b"9" * 5_000, b"1e" + b"9" * 30]
)
def test_a_body_that_is_no_json_is_a_fault_and_not_a_crash(body: bytes) -> None:
    with pytest.raises(HttpError, match="not JSON"):
        reply(body).json()


def test_a_number_that_is_none_is_missing() -> None:
    assert reply(b"[NaN, -Infinity]").json() == [None, None]


def test_neither_headers_nor_bodies_are_shown() -> None:
    secret = HttpRequest("POST", "http://x/", (("Authorization", "Bearer s3cret"),), b"s3cret")
    assert "s3cret" not in repr(secret)


MOST = 1_000
TEXT = b'{"markets": []}' * 20


def bare(body: bytes) -> bytes:
    """Pack without the two bytes that begin a zlib stream, as some servers mean deflate."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


PACKINGS = [
    ("gzip", gzip.compress),
    ("x-gzip", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", bare),
]


@pytest.mark.parametrize(("coding", "pack"), PACKINGS)
@given(body=st.binary(max_size=MOST))
def test_what_was_packed_is_unpacked(coding: str, pack: type[bytes], body: bytes) -> None:
    assert unpack(pack(body), coding, MOST) == UnpackedBody(body, is_all=True)


@pytest.mark.parametrize(("coding", "pack"), PACKINGS)
def test_what_ends_too_soon_is_refused(coding: str, pack: type[bytes]) -> None:
    with pytest.raises(zlib.error):
        unpack(pack(TEXT)[:-1], coding, MOST)


@given(junk=st.binary(max_size=40))
def test_junk_is_refused_or_read_and_nothing_else(junk: bytes) -> None:
    for coding in ("gzip", "deflate"):
        try:
            found = unpack(junk, coding, MOST)
        except zlib.error:
            continue
        assert len(found.body) <= MOST + 1


def test_no_more_is_unpacked_than_shows_that_it_is_too_much() -> None:
    bomb = gzip.compress(bytes(10_000_000))
    assert unpack(bomb, "gzip", MOST) == UnpackedBody(bytes(MOST + 1), is_all=False)


def test_what_comes_behind_the_first_stream_is_not_read() -> None:
    packed = gzip.compress(TEXT) + gzip.compress(b"more")
    assert unpack(packed, "gzip", MOST) == UnpackedBody(TEXT, is_all=False)
