"""What a bare client sees on the wire."""

import gzip
import http.client
import socket
import time
from urllib.parse import urlsplit

import pytest

from tests.hangs import HANG
from tests.standins.failures import (
    HUGE,
    HUGE_BODY,
    INVALID_UTF8,
    LONE_SURROGATE,
    NO_TYPE,
    ODD_BUT_WELL,
    ODD_WAITS,
    SAYS_NUL,
    TWO_TYPES,
    WRONG_TYPE,
)
from tests.standins.model_server import (
    DROPS,
    EMPTY_BODY,
    HANGS,
    HTML_PAGE,
    Delivery,
    Format,
    Framing,
    Misbehaviour,
    ModelServer,
    fails,
    in_turn,
)
from tests.testing.bare import ALL, heard, post, text_in

CHAT = Format.CHAT
ASKING = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"


def bytes_of(said: Misbehaviour, *, seconds: float = 5, most: int = 100_000) -> bytes:
    """What comes until the server closes, is silent for so long or has said so much."""
    with ModelServer(in_turn(said)) as server:
        where = urlsplit(server.base_url)
        with socket.create_connection((where.hostname, where.port), timeout=seconds) as line:
            line.sendall(ASKING)
            came = b""
            try:
                while len(came) < most and (piece := line.recv(65_536)):
                    came += piece
            except TimeoutError:
                pass
            return came


def test_blank_lines_come_before_the_body() -> None:
    said = Misbehaviour(content="well", delivery=Delivery(blank=20))
    body = heard(said, CHAT).body
    assert body.startswith(b"\n" * 20 + b"{")


def test_blank_lines_may_drip_and_the_body_then_comes_at_once() -> None:
    slow = Misbehaviour(content="well", drip=0.02, delivery=Delivery(blank=10))
    start = time.monotonic()
    reply = heard(slow, CHAT)
    assert time.monotonic() - start >= 0.2
    assert text_in(CHAT, reply.json) == "well"


def test_blank_lines_may_never_end() -> None:
    said = Misbehaviour(content="well", drip=0.001, delivery=Delivery(blank=10**9))
    body = bytes_of(said, most=200).partition(b"\r\n\r\n")[2]
    assert set(body) == {ord("\n")}


def test_after_the_head_there_may_be_a_long_silence() -> None:
    head, _, body = bytes_of(Misbehaviour(drip=600.0), seconds=0.1).partition(b"\r\n\r\n")
    assert (head.startswith(b"HTTP/1.1 200"), body) == (True, b"")


def test_a_body_may_drip() -> None:
    start = time.monotonic()
    reply = heard(Misbehaviour(content="w" * 400, drip=0.005), CHAT)
    assert time.monotonic() - start >= 0.2
    assert text_in(CHAT, reply.json) == "w" * 400


def test_a_server_may_hang() -> None:
    assert bytes_of(HANGS, seconds=0.1) == b""


def test_a_connection_may_drop_before_any_reply() -> None:
    with pytest.raises(ConnectionError):
        heard(DROPS, CHAT)


@pytest.mark.parametrize("framing", [Framing.LENGTH, Framing.CHUNKED])
@pytest.mark.parametrize("cut", [0, 20])
def test_a_connection_may_be_cut_in_the_middle(cut: int, framing: Framing) -> None:
    said = Misbehaviour(content="well", delivery=Delivery(cut=cut, framing=framing))
    with pytest.raises(http.client.IncompleteRead) as caught:
        heard(said, CHAT)
    assert len(caught.value.partial) == cut


def test_a_cut_may_come_without_a_sign() -> None:
    said = Misbehaviour(content="well", delivery=Delivery(cut=20, framing=Framing.CLOSE))
    assert len(heard(said, CHAT).body) == 20


@pytest.mark.parametrize("name", sorted(ODD_BUT_WELL.keys() - {"gzipped"}))
@pytest.mark.parametrize("kind", ALL)
def test_a_good_answer_may_come_oddly(kind: Format, name: str) -> None:
    reply = heard(Misbehaviour(content="well", delivery=ODD_BUT_WELL[name]), kind)
    assert b'"well"' in reply.body


def test_a_body_may_come_in_chunks() -> None:
    reply = heard(Misbehaviour(content="well", delivery=ODD_BUT_WELL["in chunks"]), CHAT)
    assert reply.all("transfer-encoding") == ["chunked"]
    assert reply.all("content-length") == []


def test_a_body_may_come_gzipped() -> None:
    reply = heard(Misbehaviour(content="well", delivery=Delivery(gzipped=True)), CHAT)
    assert reply.all("content-encoding") == ["gzip"]
    assert b'"well"' in gzip.decompress(reply.body)


def test_a_body_may_be_huge() -> None:
    assert len(heard(HUGE_BODY, CHAT).body) > HUGE


def test_a_body_may_be_empty() -> None:
    assert heard(EMPTY_BODY, CHAT).body == b""


def test_a_body_may_be_a_page() -> None:
    reply = heard(HTML_PAGE, CHAT)
    assert (reply.body[:6], reply.all("content-type")) == (b"<html>", ["text/html"])


def test_a_content_type_may_be_wrong_missing_or_said_twice() -> None:
    assert heard(WRONG_TYPE, CHAT).all("content-type") == ["text/html"]
    assert heard(NO_TYPE, CHAT).all("content-type") == []
    assert heard(TWO_TYPES, CHAT).all("content-type") == ["application/json", "text/html"]


@pytest.mark.parametrize("kind", ALL)
def test_text_may_be_no_utf8(kind: Format) -> None:
    with pytest.raises(UnicodeDecodeError):
        heard(INVALID_UTF8, kind).body.decode()


@pytest.mark.parametrize("kind", ALL)
def test_text_may_hold_half_a_pair_and_nul(kind: Format) -> None:
    assert text_in(kind, heard(LONE_SURROGATE, kind).json) == LONE_SURROGATE.content
    assert text_in(kind, heard(SAYS_NUL, kind).json) == SAYS_NUL.content


@pytest.mark.parametrize("name", ODD_WAITS)
def test_headers_are_sent_as_they_stand(name: str) -> None:
    said = Misbehaviour(429, headers=ODD_WAITS[name], body=b"{}")
    came = [value for _, value in heard(said, CHAT).headers]
    assert all(value.strip() in came for _, value in ODD_WAITS[name])


def test_a_redirect_names_another_host() -> None:
    reply = heard(fails(307, headers={"Location": "http://127.0.0.1:9/x"}), CHAT)
    assert (reply.status, reply.all("location")) == (307, ["http://127.0.0.1:9/x"])


def test_what_comes_may_be_no_http() -> None:
    said = Misbehaviour(delivery=Delivery(raw=b"SSH-2.0-OpenSSH_9.9\r\n"))
    assert bytes_of(said) == b"SSH-2.0-OpenSSH_9.9\r\n"


def test_a_request_that_is_no_json_is_recorded_without_a_body() -> None:
    with ModelServer(in_turn("well")) as server:
        where = urlsplit(server.base_url)
        with socket.create_connection((where.hostname, where.port), timeout=HANG) as line:
            line.sendall(ASKING.replace(b"{}", b"[}"))
            assert line.recv(65_536).startswith(b"HTTP/1.1 200")
    assert server.requests[0].body == {}


def test_a_connection_is_used_again() -> None:
    with ModelServer(in_turn("well")) as server:
        door = http.client.HTTPConnection(urlsplit(server.base_url).netloc, timeout=HANG)
        for _ in range(3):
            door.request("POST", "/v1/chat/completions", b"{}")
            door.getresponse().read()
        door.close()
        post(server, CHAT)
    assert (server.connections, len(server.requests)) == (2, 4)
