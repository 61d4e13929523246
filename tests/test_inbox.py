"""Answers over HTTP, with real sockets and whole ticks in between."""

import asyncio
import http.client
import json
import socket
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.agents.reply import MAX_BYTES
from arena.clock import HandClock
from arena.errors import ArenaError
from arena.inbox import (
    AT_ONCE,
    InboxHandler,
    RefusedError,
    RequestHead,
    ServerTimeouts,
    listening,
    parse_head,
)
from arena.records.cohort import ContestantId
from arena.records.decision import Action
from arena.records.market import YES_WINS
from tests.build import ADA, BEN, RAIN, SNOW, at
from tests.hangs import HANG
from tests.outside import HOLD, Outside, alias, bets, outside

TOKEN = "a-token-of-ben-0123456789"  # noqa: S105  a test's own
TURNS = "/v1/turns/ben"
TURN = "/v1/turns/ben/c/1"
PATIENCE = ServerTimeouts(arrive=30.0, leave=10.0, stop=0.2, guess=0.0)
HASTE = ServerTimeouts(arrive=0.2, leave=10.0, stop=0.2)


@dataclass
class Answered:
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.text)
        assert found["schema_version"] == 1
        return found

    @property
    def code(self) -> str:
        return str(self.document["error"]["code"])


@dataclass
class Inbox:
    """A server on a port of its own, in a thread of its own."""

    port: int
    clock: HandClock
    told: list[tuple[str, str, int]] = field(default_factory=list)

    def ask(
        self,
        method: str,
        path: str,
        body: str | bytes | None = None,
        *,
        token: str | None = TOKEN,
        kind: str | None = "application/json",
        **more: str,
    ) -> Answered:
        headers = {name.replace("_", "-"): value for name, value in more.items()}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if kind is not None and body is not None:
            headers["Content-Type"] = kind
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANG)) as line:
            line.request(method, path, body, headers)
            said = line.getresponse()
            headers = {name.lower(): value for name, value in said.getheaders()}
            return Answered(said.status, headers, said.read().decode())

    def raw(self, sent: bytes, *, more: bytes = b"") -> bytes:
        """Send bytes, and read until the server hangs up."""
        with closing(self.dial()) as line:
            line.sendall(sent)
            if more:
                line.sendall(more)
            return heard(line)

    def dial(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=HANG)


class CountedTokens(dict[ContestantId, str]):
    """Tokens that count how often one was compared."""

    compared = 0

    def get(self, who: ContestantId, default: Any = None) -> Any:  # noqa: ANN401  as its own
        self.compared += 1
        return super().get(who, default)


@dataclass(slots=True)
class WaitingClock(HandClock):
    """A clock that says nothing until it may."""

    goes: threading.Event = field(default_factory=threading.Event)

    def now(self) -> datetime:
        self.goes.wait(60)
        return self.at


def heard(line: socket.socket) -> bytes:
    found = b""
    while piece := line.recv(65536):
        found += piece
    return found


@contextmanager
def serving(
    database: Path,
    *,
    patience: ServerTimeouts = PATIENCE,
    busy: float = 20.0,
    clock: HandClock | None = None,
    tokens: Mapping[ContestantId, str] | None = None,
) -> Iterator[Inbox]:
    """Serve an arena's turns as of an hour after its start."""
    clock = clock or HandClock(at(1))
    counter = InboxHandler(database, clock, tokens or {BEN: TOKEN}, busy=busy)
    told: list[tuple[str, str, int]] = []
    up = threading.Event()
    ports: list[int] = []
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        tell = lambda *seen: told.append(seen)  # noqa: E731
        async with listening(counter, "127.0.0.1", 0, on_reply=tell, patience=patience) as port:
            ports.append(port)
            up.set()
            await stop.wait()

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(serve())

    thread = threading.Thread(target=run)
    thread.start()
    assert up.wait(10)
    try:
        yield Inbox(ports[0], clock, told)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
    assert not thread.is_alive()


@pytest.fixture
def opened(tmp_path: Path) -> Outside:
    """An arena whose first round waits for Ben."""
    made = outside(tmp_path)
    made.tick(0)
    return made


@pytest.fixture
def inbox(opened: Outside) -> Iterator[Inbox]:
    with serving(opened.file) as found:
        yield found


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Inbox]:
    """A server of an arena in which nothing is changed by the test."""
    made = outside(tmp_path_factory.mktemp("quiet"))
    made.tick(0)
    with serving(made.file) as found:
        yield found


# A turn over HTTP


def test_a_turn_is_fetched_answered_and_traded(opened: Outside, inbox: Inbox) -> None:
    (turn,) = inbox.ask("GET", TURNS).document["turns"]
    assert (turn["cohort"], turn["round"], turn["deadline"]) == ("c", 1, at(12).isoformat())
    names = [m["market_id"] for m in turn["briefing"]["markets"]]
    leg = {"market_id": names[0], "side": "YES", "amount": 500}
    reply = {"reasoning": "so", "forecasts": [], "action": "BET", "bets": [leg]}
    said = inbox.ask("POST", turn["answer_to"], json.dumps(reply))
    assert (said.status, said.document["handed_in"], said.document["bets"]) == (
        200,
        True,
        [leg],
    )
    opened.moves("0.9", RAIN)
    assert opened.tick(2).fills == 1
    (held,) = opened.held().values()
    assert held.cost == 500


def test_words_around_the_answer_are_taken_as_text(opened: Outside, inbox: Inbox) -> None:
    said = inbox.ask("POST", TURN, f"I hold.\n{HOLD}", kind="text/plain; charset=UTF-8")
    assert (said.status, said.document["status"], said.document["action"]) == (
        200,
        "repaired",
        "HOLD",
    )
    opened.tick(2)
    assert opened.turn().action is Action.HOLD


def test_a_reject_is_told_and_may_be_mended(inbox: Inbox) -> None:
    said = inbox.ask("POST", TURN, HOLD[:-1])
    assert (said.status, said.document["status"], said.document["handed_in"]) == (
        422,
        "reject",
        False,
    )
    assert said.document["reasons"]
    assert inbox.ask("POST", TURN, HOLD).status == 200


def test_an_answer_is_taken_once(opened: Outside, inbox: Inbox) -> None:
    briefing = opened.due(1).briefing
    inbox.ask("POST", TURN, HOLD)
    again = inbox.ask("POST", TURN, bets(briefing, "500", RAIN))
    assert (again.status, again.code) == (409, "submission.again")
    assert inbox.ask("GET", TURNS).document["turns"] == []
    opened.tick(2)
    assert opened.turn().action is Action.HOLD


def test_of_many_at_once_one_is_taken(inbox: Inbox) -> None:
    with ThreadPoolExecutor(8) as many:
        said = list(many.map(lambda _: inbox.ask("POST", TURN, HOLD).status, range(8)))
    assert sorted(said) == [200, *[409] * 7]


def test_after_the_deadline_nothing_is_taken(opened: Outside, inbox: Inbox) -> None:
    inbox.clock.at = at(12.001)
    late = inbox.ask("POST", TURN, HOLD)
    assert (late.status, late.code) == (410, "submission.late")
    opened.tick(13)
    assert inbox.ask("POST", TURN, HOLD).status == 410


def test_a_market_that_has_closed_is_named(opened: Outside, inbox: Inbox) -> None:
    opened.says(RAIN, YES_WINS)
    opened.tick(0.5)
    (turn,) = inbox.ask("GET", TURNS).document["turns"]
    briefing = opened.due(1).briefing
    assert turn["closed"] == [alias(briefing, RAIN)]
    inbox.ask("POST", TURN, bets(briefing, "500", RAIN, SNOW))
    opened.tick(2)
    assert set(opened.held()) == {SNOW}


def test_a_server_that_is_started_anew_goes_on(opened: Outside) -> None:
    with serving(opened.file) as first:
        assert first.ask("POST", TURN, HOLD).status == 200
    with serving(opened.file) as second:
        assert second.ask("POST", TURN, HOLD).status == 409


def test_before_there_is_an_arena_no_turn_waits_and_none_is_made(tmp_path: Path) -> None:
    with serving(tmp_path / "arena.db") as inbox:
        assert inbox.ask("GET", TURNS).document["turns"] == []
        assert inbox.ask("POST", TURN, HOLD).status == 404
    assert list(tmp_path.iterdir()) == []


def test_while_another_process_writes_it_is_asked_to_come_again(opened: Outside) -> None:
    with (
        serving(opened.file, busy=0.2) as inbox,
        closing(sqlite3.connect(opened.file, isolation_level=None)) as holder,
    ):
        holder.execute("BEGIN IMMEDIATE")
        said = inbox.ask("POST", TURN, HOLD)
        assert inbox.ask("GET", TURNS).status == 200
        holder.rollback()
        assert inbox.ask("POST", TURN, HOLD).status == 200
    assert (said.status, said.code, said.headers["retry-after"]) == (503, "inbox.busy", "5")


def test_nothing_of_the_arenas_troubles_is_told(opened: Outside, inbox: Inbox) -> None:
    opened.file.write_bytes(b"no database" * 1000)
    said = inbox.ask("GET", TURNS)
    assert (said.status, said.code) == (500, "inbox.failed")
    assert str(opened.file.parent) not in said.text


class BrokenClock(HandClock):
    def now(self) -> NoReturn:
        raise ZeroDivisionError("a secret of the house")


def test_a_mistake_of_ours_is_answered_too_and_told_to_the_log_alone(
    opened: Outside, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(opened.file, clock=BrokenClock(at(1))) as inbox:
        said = inbox.ask("GET", TURNS)
        assert inbox.ask("GET", "/").status == 404
    assert (said.status, said.code) == (500, "inbox.failed")
    assert "secret" not in said.text
    assert "a secret of the house" in caplog.text


# Who may ask


@pytest.mark.parametrize(
    "said", [None, "", "Bearer", "Bearer ", "Bearer x", f"Basic {TOKEN}", f"Bearer {TOKEN}x"]
)
def test_without_the_token_nothing_is_told(said: str | None, quiet: Inbox) -> None:
    more = {} if said is None else {"Authorization": said}
    for method, path, body in (("GET", TURNS, None), ("POST", TURN, HOLD)):
        refused = quiet.ask(method, path, body, token=None, **more)
        assert (refused.status, refused.code) == (401, "request.token")
        assert refused.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("who", [ADA, "eve", "", "ben%00", "%F0", "..", "BEN"])
def test_who_is_not_served_cannot_be_told_from_who_is(who: str, quiet: Inbox) -> None:
    said = quiet.ask("GET", f"/v1/turns/{who}")
    assert said.status == (401 if who else 404)
    assert quiet.ask("GET", f"/v1/turns/{who}", token="").status == said.status


def test_the_word_bearer_is_read_in_letters_of_any_size(quiet: Inbox) -> None:
    assert quiet.ask("GET", TURNS, token=None, Authorization=f"bearer {TOKEN}").status == 200


def test_the_token_is_nowhere_shown(quiet: Inbox) -> None:
    shown = repr(InboxHandler(Path(), quiet.clock, {BEN: TOKEN}))
    assert TOKEN not in shown
    assert TOKEN not in quiet.ask("GET", TURNS).text


# What is no request


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 404),
        ("/v1/turns", 404),
        ("/v1/turns/ben/", 404),
        ("/v1/turns/ben/c", 404),
        ("/v1/turns/ben/c/1/x", 404),
        ("/v2/turns/ben", 404),
        ("/v1/turns/../ben", 404),
        ("/etc/passwd", 404),
        ("/v1/turns/ben?x=1", 200),
        ("/v1/turns/b%65n", 200),
    ],
)
def test_there_are_two_pages(path: str, status: int, quiet: Inbox) -> None:
    assert quiet.ask("GET", path).status == status


@pytest.mark.parametrize(
    "turn",
    ["c/2", "c/0", "d/1", "c/x", "c/-1", "c/1e1", "c/%D9%A1", "c/9999999999", "%C3%A4/1"],
)
def test_a_turn_that_is_not_there_is_not_found(turn: str, quiet: Inbox) -> None:
    assert quiet.ask("POST", f"{TURNS}/{turn}", HOLD).status == 404


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", TURNS, "GET"),
        ("GET", TURN, "POST"),
        ("PUT", TURN, "POST"),
        ("HEAD", TURNS, "GET"),
    ],
)
def test_another_method_is_refused(method: str, path: str, allowed: str, quiet: Inbox) -> None:
    said = quiet.ask(method, path, HOLD if method in {"POST", "PUT"} else None)
    assert (said.status, said.headers["allow"]) == (405, allowed)
    assert (said.text == "") == (method == "HEAD")


@pytest.mark.parametrize(
    "kind", [None, "text/html", "multipart/form-data", "application/json; charset=latin-1", "?"]
)
def test_another_type_is_refused(kind: str | None, quiet: Inbox) -> None:
    assert quiet.ask("POST", TURN, HOLD, kind=kind).status == 415


def test_a_body_that_is_too_long_is_refused_unread(quiet: Inbox) -> None:
    said = quiet.ask("POST", TURN, b" " * (MAX_BYTES + 1))
    assert (said.status, said.code) == (413, "request.size")


def test_the_longest_body_is_read(quiet: Inbox) -> None:
    assert quiet.ask("POST", TURN, b"x" * MAX_BYTES).status == 422


def test_a_body_that_is_no_text_is_refused(quiet: Inbox) -> None:
    said = quiet.ask("POST", TURN, b"\xff{}")
    assert (said.status, said.code) == (400, "request.encoding")


HEADS = f"Authorization: Bearer {TOKEN}\r\nContent-Type: text/plain\r\n"


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ("", 411),
        ("Transfer-Encoding: chunked\r\n", 411),
        ("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", 411),
        ("Content-Length: -1\r\n", 400),
        ("Content-Length: +4\r\n", 400),
        ("Content-Length: 4, 4\r\n", 400),
        ("Content-Length: 4\r\nContent-Length: 4\r\n", 400),
        (f"Content-Length: {'9' * 5000}\r\n", 413),
        ("Content-Length: 0\r\n", 422),
        ("Authorization: Bearer x\r\nContent-Length: 4\r\n", 400),
        ("Content-Length : 4\r\n", 400),
        (" folded: 4\r\n", 400),
        ("no colon\r\n", 400),
        ("X: a\nContent-Length: 4\r\n", 400),
        ("X: \x00\r\n", 400),
        (f"X: {'x' * 20_000}\r\n", 431),
    ],
)
def test_a_request_of_two_meanings_is_refused(more: str, status: int, quiet: Inbox) -> None:
    said = quiet.raw(f"POST {TURN} HTTP/1.1\r\n{HEADS}{more}\r\n".encode("latin-1"))
    assert said.startswith(f"HTTP/1.1 {status} ".encode())


@pytest.mark.parametrize(
    "line",
    [
        "GET",
        "GET /",
        "get / HTTP/1.1",
        "GET / HTTP/2",
        "GET http://x/ HTTP/1.1",
        "\x16\x03\x01",
        "GET  / HTTP/1.1",
    ],
)
def test_what_is_no_request_is_refused(line: str, quiet: Inbox) -> None:
    said = quiet.raw(f"{line}\r\n\r\n".encode("latin-1"))
    assert said.startswith(b"HTTP/1.1 400 ")


def test_who_asks_before_sending_is_told_to_go_on(quiet: Inbox) -> None:
    head = f"POST {TURN} HTTP/1.1\r\n{HEADS}Content-Length: 4\r\nExpect: 100-continue\r\n\r\n"
    with closing(quiet.dial()) as line:
        line.sendall(head.encode())
        assert line.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        line.sendall(b"what")
        assert heard(line).startswith(b"HTTP/1.1 422 ")


def test_no_reply_is_kept_or_sniffed(quiet: Inbox) -> None:
    headers = quiet.ask("GET", TURNS).headers
    assert (headers["cache-control"], headers["x-content-type-options"]) == (
        "no-store",
        "nosniff",
    )
    assert "server" not in headers
    assert headers["content-type"] == "application/json; charset=utf-8"


@given(st.binary(max_size=300))
def test_whatever_bytes_come_they_are_a_request_or_refused(raw: bytes) -> None:
    statuses = []
    try:
        assert parse_head(raw + b"\r\n\r\n").path.startswith("/")
    except RefusedError as refused:
        statuses.append(refused.reply.status)
    assert statuses in ([], [400])


@given(
    st.lists(st.sampled_from(["v1", "turns", "ben", "c", "1", "", "%00", "%ff", "..", "x"])),
    st.sampled_from(["GET", "POST", "HEAD"]),
    st.dictionaries(
        st.sampled_from(["authorization", "content-type", "content-length", "expect"]),
        st.sampled_from([f"Bearer {TOKEN}", "text/plain", "4", "\xff", ";;", "=", ""]),
    ),
)
def test_whatever_is_asked_it_is_admitted_or_refused(
    steps: list[str], method: str, headers: dict[str, str]
) -> None:
    counter = InboxHandler(Path(), HandClock(at(1)), {BEN: TOKEN})
    statuses = []
    try:
        wish = counter.admit(RequestHead(method, "/" + "/".join(steps), headers))
        assert (wish.contestant, headers["authorization"]) == (BEN, f"Bearer {TOKEN}")
    except RefusedError as refused:
        statuses.append(refused.reply.status)
    assert all(400 <= status < 500 for status in statuses)


# Slow and many clients


def test_a_slow_client_keeps_nobody_waiting(quiet: Inbox) -> None:
    with closing(quiet.dial()) as slow:
        slow.sendall(b"GET /v1")
        assert quiet.ask("GET", TURNS).status == 200
        slow.sendall(b" HTTP/1.1\r\n\r\n")
        assert heard(slow).startswith(b"HTTP/1.1 404 ")


@pytest.mark.parametrize("sent", ["", "Content-Length: 4\r\n\r\nwha"])
def test_a_request_that_does_not_come_to_its_end_is_given_up(
    sent: str, opened: Outside
) -> None:
    with serving(opened.file, patience=HASTE) as inbox:
        said = inbox.raw(f"POST {TURN} HTTP/1.1\r\n{HEADS}{sent}".encode())
    assert said.startswith(b"HTTP/1.1 408 ")


def test_who_hangs_up_is_no_trouble(quiet: Inbox) -> None:
    for sent in (
        b"",
        b"GET /",
        f"POST {TURN} HTTP/1.1\r\n{HEADS}Content-Length: 9\r\n\r\n".encode(),
    ):
        with closing(quiet.dial()) as line:
            line.sendall(sent)
    assert quiet.ask("GET", TURNS).status == 200


def test_connections_that_say_nothing_give_way_to_who_asks(quiet: Inbox) -> None:
    with ExitStack() as opened:
        for _ in range(3 * AT_ONCE):
            opened.enter_context(closing(quiet.dial())).sendall(b"GET / HT")
        assert quiet.ask("GET", TURNS).status == 200


def test_more_requests_than_there_is_room_for_are_sent_away(tmp_path: Path) -> None:
    clock, tokens = WaitingClock(at(1)), CountedTokens({BEN: TOKEN})
    asks = f"GET {TURNS} HTTP/1.1\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode()
    with (
        serving(tmp_path / "none.db", clock=clock, tokens=tokens) as inbox,
        ExitStack() as opened,
    ):
        lines = [opened.enter_context(closing(inbox.dial())) for _ in range(AT_ONCE)]
        for arrived, line in enumerate(lines, start=1):
            line.sendall(asks)
            while tokens.compared < arrived:
                sleep(0.001)
        assert inbox.raw(asks).startswith(b"HTTP/1.1 503 ")
        clock.goes.set()
        assert all(heard(line).startswith(b"HTTP/1.1 200 ") for line in lines)


def test_wrong_tokens_are_answered_one_after_another(tmp_path: Path) -> None:
    patience = replace(PATIENCE, guess=0.1)
    with serving(tmp_path / "none.db", patience=patience) as inbox:
        began = monotonic()
        with ThreadPoolExecutor(8) as pool:
            tokens = [f"wrong-{n}" for n in range(8)]
            found = list(pool.map(lambda one: inbox.ask("GET", TURNS, token=one), tokens))
        assert monotonic() - began >= 0.8
    assert {one.status for one in found} == {401}


def test_requests_are_told_without_what_is_after_the_path(opened: Outside) -> None:
    with serving(opened.file) as inbox:
        inbox.ask("GET", f"{TURNS}?x=1")
        inbox.ask("GET", "/nowhere")
    assert sorted(inbox.told) == [("GET", "/nowhere", 404), ("GET", TURNS, 200)]


def test_where_somebody_listens_already_nobody_else_can(quiet: Inbox) -> None:
    async def serve() -> None:
        counter = InboxHandler(Path(), quiet.clock, {})
        async with listening(counter, "127.0.0.1", quiet.port, on_reply=lambda *_: None):
            raise AssertionError("it listens")

    with pytest.raises(ArenaError, match="cannot listen on port") as refused:
        asyncio.run(serve())
    assert refused.value.code == "inbox.address"


def test_it_stops_though_a_client_hangs_on(
    opened: Outside, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(opened.file, patience=replace(PATIENCE, arrive=10 * HANG)) as inbox:
        line = inbox.dial()
        line.sendall(b"GET /")
        assert inbox.ask("GET", TURNS).status == 200
    assert caplog.records == []
    line.close()
