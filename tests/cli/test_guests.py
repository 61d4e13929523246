"""Anybody's agent at the table: a class, an address, and players over MCP.

Each way plays one cohort, is killed in the middle and goes on; nothing is lost or done twice.
"""

import asyncio
import os
import shutil
import signal
import socket
import sqlite3
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from arena.clock import SystemClock
from tests.cli.handing_in import HOLD, TOKEN, handed_in, waiting
from tests.cli.project import ROOT, Project, edit, project
from tests.cli.shell import Done, killed, running
from tests.hangs import HANG, wait_until
from tests.present import present
from tests.standins.guest_server import WELL, GuestServer, holds
from tests.standins.misbehaviour import Misbehaviour

pytest.importorskip("mcp", reason="mcp is not installed: it is in the dependency group verify")

import httpx2
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

YOURS = "c1d5-token-of-yours-44aa"
KEYS = {"ME_TOKEN": TOKEN, "YOU_TOKEN": YOURS, "WEB_KEY": "key-of-the-web-agent"}
OUTSIDE = ("me", "you", "ann")
EVERYBODY = ("market", "mine", "web", *OUTSIDE)
ROUNDS = 2
CONTESTANTS = (
    "contestants: {{market: {{agent: market}}, mine: {{agent: 'stubborn.py:Stubborn'}}, "
    "web: {{agent: http, options: {{url: '{url}', token_env: WEB_KEY}}}}, "
    "me: {{agent: submitted, options: {{token_env: ME_TOKEN}}}}, "
    "you: {{agent: submitted, options: {{token_env: YOU_TOKEN}}}}, ann: {{agent: submitted}}}}"
)
COHORT = """\
title: Test
venue: sim
start: {{cadence: once, first: "{first}"}}
decide: {{every: 1d, for: {rounds}d}}
universe: {{top: 3}}
contestants: [{who}]
rules: {{answer_within: 1d}}
"""


@asynccontextmanager
async def over_stdio(made: Project, who: str) -> AsyncIterator[tuple[Client, int]]:
    """A player's client, and the process of its server."""
    script = f"echo $$ > pid; exec {sys.executable} -m arena mcp --contestant {who}"
    known = {"PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT)), **KEYS}
    started = StdioServerParameters(
        command="sh", args=["-c", script], cwd=made.folder, env=known
    )
    async with Client(stdio_client(started)) as client:
        yield client, int((made.folder / "pid").read_text())


@contextmanager
def mcp_server(made: Project) -> Iterator[tuple[Any, str]]:
    with running("mcp", "--http", "127.0.0.1:0", cwd=made.folder, **KEYS) as process:
        assert process.stderr
        words = process.stderr.readline().split()
        assert words[:2] == ["listening", "on"]
        yield process, words[2].rstrip(";")


@asynccontextmanager
async def over_http(url: str, token: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=HANG) as door,
        Client(streamable_http_client(url, http_client=door)) as client,
    ):
        yield client


async def ask(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    """What a tool gives; of one that fails its words, under "error"."""
    result = await client.call_tool(tool, dict(arguments))
    if result.is_error:
        return {"error": " ".join(getattr(part, "text", "") for part in result.content)}
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def play(client: Client) -> dict[str, Any]:
    """Answer the one open turn as the tools say how to."""
    (turn,) = (await ask(client, "open_turns"))["turns"]
    which = {"cohort": turn["cohort"], "round": turn["round"]}
    shown = await ask(client, "briefing", **which)
    first = shown["briefing"]["markets"][0]["market_id"]
    words = HOLD.replace("[]", f'[{{"market_id":"{first}","p_yes":0.3}}]', 1)
    assert "How you answer" in shown["rules"]
    return await ask(client, "submit", **which, reply=words)


async def stdio_player_is_killed_and_plays(made: Project) -> None:
    async with over_stdio(made, "me") as (client, process):
        (turn,) = (await ask(client, "open_turns"))["turns"]
        assert turn["round"] == 1
        os.kill(process, signal.SIGKILL)
        with pytest.raises(MCPError, match="Connection closed"):
            await ask(client, "my_record")
    async with over_stdio(made, "me") as (client, _):
        assert (await play(client))["handed_in"] is True
    async with over_stdio(made, "me") as (client, _):
        assert (await ask(client, "open_turns"))["turns"] == []
        again = await ask(client, "submit", cohort="c", round=1, reply=HOLD)
        assert again["error"].endswith("me has answered round 1 of c already")


async def plays_over_stdio(made: Project) -> None:
    async with over_stdio(made, "me") as (client, _):
        assert (await play(client))["handed_in"] is True


async def plays_over_http(url: str) -> None:
    async with over_http(url, YOURS) as client:
        assert (await play(client))["handed_in"] is True


async def has_answered_over_http(url: str) -> None:
    async with over_http(url, YOURS) as client:
        record = await ask(client, "my_record")
        assert record["to_be_judged"] == [{"cohort": "c", "round": 1}]
        assert (await ask(client, "open_turns"))["turns"] == []


def http_player_is_killed_and_plays(made: Project) -> None:
    with mcp_server(made) as (process, _):
        killed(process)
    with mcp_server(made) as (process, url):
        asyncio.run(plays_over_http(url))
        killed(process)
    with mcp_server(made) as (_, url):
        asyncio.run(has_answered_over_http(url))


def person_is_killed_and_plays(made: Project) -> None:
    """Kill the command at once: whether or not it was kept by then, it is kept once."""
    words = ("forecast", "--agent", "ann", "--p", "M1=0.4", "--hold", "--yes")
    with running(*words, cwd=made.folder) as process:
        killed(process)
    done = made.run(*words)
    assert done.code == 0 or "ann has answered round 1 of c already" in done.err, done.err


@dataclass(frozen=True, slots=True)
class Table:
    """A cohort that all played, and what the agent behind HTTP was asked."""

    made: Project
    ticks: tuple[Done, ...]
    ids: tuple[str, ...]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    start = SystemClock().now().replace(microsecond=0)
    made = project(tmp_path_factory.mktemp("guests") / "arena")
    shutil.copy(ROOT / "examples" / "stubborn.py", made.folder)
    cohort = COHORT.format(first=start.isoformat(), rounds=ROUNDS, who=", ".join(EVERYBODY))
    (made.folder / "cohorts" / "c.yaml").write_text(cohort)

    def silent_once(number: int) -> tuple[Misbehaviour, bytes]:
        return (replace(WELL, drip=7200.0), b"x") if number == 1 else holds(number)

    def tick(at: datetime) -> Done:
        return made.run("tick", "--at", at.isoformat(), **KEYS)

    with GuestServer(silent_once) as web:
        edit(made, "contestants: ", CONTESTANTS.format(url=web.home))
        with running("tick", "--at", start.isoformat(), cwd=made.folder, **KEYS) as process:
            wait_until(lambda: web.asked and "mine" in made.answers())
            killed(process)
        ticks = [tick(start)]
        asyncio.run(stdio_player_is_killed_and_plays(made))
        http_player_is_killed_and_plays(made)
        person_is_killed_and_plays(made)
        ticks += [tick(start), tick(start + timedelta(days=1))]
        asyncio.run(plays_over_stdio(made))
        with mcp_server(made) as (_, url):
            asyncio.run(plays_over_http(url))
        made.run("forecast", "--agent", "ann", "--p", "M1=0.4", "--hold", "--yes")
        ticks.append(tick(start + timedelta(days=1)))
        ids = tuple(asked.headers["webhook-id"] for asked in web.asked)
    return Table(made, tuple(ticks), ids)


def test_every_guest_plays_every_round_once_although_each_was_killed(table: Table) -> None:
    assert [(done.code, done.err) for done in table.ticks] == [(0, "")] * 4
    assert table.made.answers() == dict.fromkeys(EVERYBODY, ROUNDS)
    assert len(handed_in(table.made)) == ROUNDS * len(OUTSIDE)
    assert table.made.is_sound


def test_no_turn_of_a_guest_failed(table: Table) -> None:
    lines = table.made.run("leaderboard", "--json").document["leaderboard"]["standings"]
    assert {line["contestant"]: line["turns_failed"] for line in lines} == dict.fromkeys(
        EVERYBODY, 0
    )
    assert {line["contestant"]: line["turns_ok"] for line in lines} == dict.fromkeys(
        EVERYBODY, ROUNDS
    )


def test_the_address_was_asked_again_under_the_same_id_after_the_kill_alone(
    table: Table,
) -> None:
    assert list(Counter(table.ids).values()) == [2, 1]


def test_the_file_of_the_class_is_named_with_its_answers_by_its_digest(table: Table) -> None:
    models = {
        model
        for (model,) in table.made.rows(
            "SELECT model FROM tape_answers WHERE contestant = 'mine'"
        )
    }
    (model,) = models
    assert model.startswith("stubborn.py:Stubborn ")


def test_no_key_of_a_guest_is_in_any_file(table: Table) -> None:
    files = [path for path in table.made.folder.rglob("*") if path.is_file()]
    assert table.made.database in files
    for key in KEYS.values():
        assert [path for path in files if key.encode() in path.read_bytes()] == []


def test_a_replay_takes_the_answers_of_an_address_from_the_tape(table: Table) -> None:
    words = ("replay", "data/arena.db", "--cohort", "cohorts/c.yaml", "--out", "again")
    done = table.made.run(*words, "--answers", "data/arena.db", **KEYS)
    who = "contestant = 'web' AND trouble IS NULL"
    sql = f"SELECT round, text_digest FROM tape_answers WHERE {who}"  # noqa: S608  our own
    with closing(sqlite3.connect(table.made.folder / "again" / "arena.db")) as db:
        replayed = db.execute(sql).fetchall()
    assert (done.code, len(replayed)) == (0, ROUNDS)
    assert replayed == table.made.rows(sql)


# Whoever means no good


async def tried(url: str, token: str, tool: str, **arguments: object) -> dict[str, Any]:
    async with over_http(url, token) as client:
        return await ask(client, tool, **arguments)


@pytest.fixture(scope="module")
def open_round(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, str]]:
    """A project whose round waits for `me`, and the address where it is served."""
    made = waiting(tmp_path_factory.mktemp("open") / "arena")
    with mcp_server(made) as (_, url):
        yield made, url


@pytest.mark.parametrize("tool", ["open_turns", "my_record"])
def test_without_its_token_nobody_plays(tool: str, open_round: tuple[Project, str]) -> None:
    async def all_tried() -> list[dict[str, Any]]:
        tokens = ("", YOURS, TOKEN[:-1], f"{TOKEN} {TOKEN}")
        return await asyncio.gather(*(tried(open_round[1], token, tool) for token in tokens))

    for done in asyncio.run(all_tried()):
        assert "needs a contestant's token" in done["error"]


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("explain", {"contestant": "--file=config.yaml", "metric": "brier"}, "no resolved"),
        ("explain", {"contestant": "me", "metric": "zzz"}, "there is no metric zzz"),
        ("markets", {"cohort": "../c"}, "there is no cohort file"),
        ("decision", {"cohort": "c", "round": 2**70, "contestant": "me"}, "no judged turn"),
        ("leaderboard", {"cohort": "\x1b[2J"}, "there is no cohort"),
    ],
)
def test_a_reader_needs_no_token_and_is_told_what_is_wrong_and_no_place(
    tool: str, arguments: Mapping[str, object], words: str, open_round: tuple[Project, str]
) -> None:
    made, url = open_round
    error = asyncio.run(tried(url, "", tool, **arguments))["error"]
    assert words in error
    assert error.isprintable()
    assert str(made.folder) not in error


def test_readers_get_the_documents_of_the_commands_without_this_machines_places(
    open_round: tuple[Project, str],
) -> None:
    made, url = open_round
    board = asyncio.run(tried(url, "", "leaderboard"))
    assert board == made.run("leaderboard", "--json").document
    explained = asyncio.run(tried(url, "", "explain", contestant="me", metric="total", rows=0))
    assert (explained["where"], explained["explained"]["rows"]) == ("arena.db", [])
    turn = {"cohort": "c", "round": 1, "contestant": "market"}
    assert asyncio.run(tried(url, "", "decision", **turn))["ok"] is True
    offered = asyncio.run(tried(url, "", "markets"))["offered"]
    assert len(offered) == 3
    assert str(made.folder) not in str([board, explained, offered])


async def browsed(url: str) -> tuple[set[str], str, str]:
    """The tools that are offered, the rules of the cohort, and the one prompt."""
    async with over_http(url, "") as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        (rules,) = (await client.read_resource("arena://rules/c")).contents
        (prompt,) = (await client.list_prompts()).prompts
        (words,) = (await client.get_prompt(prompt.name)).messages
        with pytest.raises(MCPError, match="there is no cohort zzz"):
            await client.read_resource("arena://rules/zzz")
    return tools, getattr(rules, "text", ""), getattr(words.content, "text", "")


def test_tools_rules_and_the_prompt_are_offered_to_whoever_looks(
    open_round: tuple[Project, str],
) -> None:
    tools, rules, prompt = asyncio.run(browsed(open_round[1]))
    players, readers = "open_turns briefing submit my_record", "leaderboard explain markets"
    assert tools == {*players.split(), *readers.split(), "decision"}
    assert "How you answer" in rules
    assert prompt.startswith("Play your open turns")


@pytest.mark.parametrize("reply", ["x" * 300_000, HOLD[:-1], "\ud800", "<b>\x1b[2J"])
def test_a_reply_that_cannot_be_read_is_not_kept(
    reply: str, open_round: tuple[Project, str]
) -> None:
    made, url = open_round
    reply = reply.encode("utf-8", "replace").decode()
    said = asyncio.run(tried(url, TOKEN, "submit", cohort="c", round=1, reply=reply))
    assert said.get("handed_in") is False or "at most" in said["error"]
    assert handed_in(made) == []


def test_connections_that_ask_nothing_keep_nobody_out(
    open_round: tuple[Project, str],
) -> None:
    where = urlsplit(open_round[1])
    silent = [
        socket.create_connection((present(where.hostname), present(where.port)))
        for _ in range(120)
    ]
    try:
        said = asyncio.run(tried(open_round[1], TOKEN, "open_turns"))
    finally:
        for connection in silent:
            connection.close()
    assert len(said["turns"]) == 1


def test_help_does_not_import_the_library_and_without_it_the_command_says_what_to_do(
    tmp_path: Path, open_round: tuple[Project, str]
) -> None:
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "__init__.py").write_text("raise ImportError('it is gone')\n")
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', ROOT)}"
    made = open_round[0]
    assert made.run("mcp", "--help", PYTHONPATH=path).code == 0
    done = made.run("mcp", "--contestant", "me", PYTHONPATH=path, ME_TOKEN=TOKEN)
    assert done.fails_clearly(2)
    assert "pip install 'paper-arena[mcp]'" in done.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--contestant", "market"), 2),
        (("--http", "nowhere"), 2),
        (("--http", "127.0.0.1:0", "--contestant", "me"), 2),
        (("--contestant", "me"), 4),
    ],
)
def test_a_server_that_cannot_start_says_why(
    words: tuple[str, ...], code: int, open_round: tuple[Project, str]
) -> None:
    assert open_round[0].run("mcp", *words).fails_clearly(code)


WILD = """\
import threading
class Mine:
    def __init__(self, deed):
        self.deed = deed
    def answer(self, briefing):
        if self.deed == "raise":
            raise ValueError("\\x1b[2J<script>alert(1)</script>")
        return "x" * 10_000_000
"""


def test_a_wild_class_fails_its_own_turns_and_its_words_stay_text(tmp_path: Path) -> None:
    made = project(tmp_path / "arena", contestants=["market", "loud", "long"])
    (made.folder / "wild.py").write_text(WILD)
    seats = "contestants: {market: {agent: market}" + "".join(
        f", {name}: {{agent: 'wild.py:Mine', options: {{deed: {deed}}}}}"
        for name, deed in (("loud", "raise"), ("long", "talk"))
    )
    edit(made, "contestants: ", f"{seats}}}")
    done = made.tick()
    sql = "SELECT contestant, trouble, detail FROM tape_answers WHERE trouble IS NOT NULL"
    assert (done.code, sorted(made.rows(sql))) == (
        6,
        [
            ("long", "unreadable reply", "the reply is longer than 200000 bytes"),
            ("loud", "agent crashed", "ValueError: [2J<script>alert(1)</script>"),
        ],
    )
    pages = [page.read_text() for page in (made.folder / "site").rglob("*.html")]
    assert any("&lt;script&gt;alert(1)" in page for page in pages)
    assert not [page for page in pages if "<script>alert(1)" in page]
    assert made.is_sound


def test_a_class_that_cannot_be_made_is_found_by_the_check(tmp_path: Path) -> None:
    made = project(tmp_path / "arena", contestants=["market", "mine"])
    (made.folder / "wild.py").write_text(WILD)
    edit(
        made,
        "contestants: ",
        "contestants: {market: {agent: market}, mine: {agent: 'wild.py:Mine'}}",
    )
    done = made.run("config", "check")
    assert (done.code, done.crashed) == (2, False)
    assert "missing a required argument: 'deed'; it is made as Mine(deed)" in done.out
