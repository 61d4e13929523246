import subprocess
import sys
import threading
from urllib.request import urlopen

import pytest

from tests.standins.model_server import (
    Format,
    ModelServer,
    in_turn,
)
from tests.testing.bare import (
    ALL,
    KEY,
    body_of,
    headers_of,
    post,
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


@pytest.mark.parametrize("kind", ALL)
def test_whoever_comes_without_the_key_is_turned_away(kind: Format) -> None:
    with ModelServer(in_turn("well"), key=KEY) as server:
        assert post(server, kind).status == 200
        assert post(server, kind, headers=headers_of(kind, "another")).status in {400, 401}
        assert post(server, kind, headers={}).status in {400, 401}


def test_no_thread_is_left_behind() -> None:
    before = threading.active_count()
    with ModelServer():
        pass
    assert threading.active_count() == before


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
