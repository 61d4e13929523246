"""Alarms that begin once and end once, sent to real servers on this machine."""

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from arena.http.door import HttpDoor
from arena.records.operations import (
    ChannelKind,
    ChannelSettings,
    Condition,
    LogSettings,
    Severity,
)
from arena.secrets import Secrets
from arena.watch.alarms import Watch
from arena.watch.logs import log_event, logged
from tests.cli.project import Project, configure
from tests.standins.alarm_server import AlarmServer

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
KEY = "planted-secret-0123456789"
FULL = Condition("tick.failed", Severity.ALARM, "a tick failed (store.full)")
CHANNELS = [
    {"kind": "webhook", "url_env": "HOOK"},
    {"kind": "slack", "url_env": "SLACK"},
    {"kind": "discord", "url_env": "DISCORD"},
    {"kind": "ntfy", "url_env": "NTFY", "token_env": "NTFY_TOKEN"},
]


@pytest.fixture
def server() -> Iterator[AlarmServer]:
    with AlarmServer() as running:
        yield running


@pytest.fixture
def arena(ticked: Project, tmp_path: Path) -> Project:
    """An arena that was ticked once, which tells four kinds of server and a switch."""
    copy = ticked.copy(tmp_path / "arena")
    log = {"file": "data/log.jsonl"}
    configure(copy, watch={"alarms": CHANNELS, "ping_env": "PING", "log": log})
    return copy


def variables(server: AlarmServer) -> dict[str, str]:
    names = ("HOOK", "SLACK", "DISCORD", "NTFY", "PING")
    return {name: f"{server.home}/{name.lower()}" for name in names} | {"NTFY_TOKEN": KEY}


def events(server: AlarmServer) -> list[tuple[str, str]]:
    """What the webhook was told: events and keys, in order."""
    said: list[Any] = server.bodies("/hook")
    return [(body["event"], body["key"]) for body in said]


def test_ticks_that_stopped_are_told_once_and_their_end_once(
    arena: Project, server: AlarmServer
) -> None:
    late = ("health", "--alarm", "--at", "2026-01-06T09:00Z")
    codes = [arena.run(*late, **variables(server)).code for _ in range(2)]
    arena.tick(hours=33, **variables(server))
    arena.tick(hours=34, **variables(server))
    assert codes == [3, 3]
    assert events(server) == [("began", "tick.late"), ("ended", "tick.late")]


def test_each_kind_of_server_gets_the_shape_that_it_knows(
    arena: Project, server: AlarmServer
) -> None:
    arena.run("health", "--alarm", "--at", "2026-01-06T09:00Z", **variables(server))
    ((slack,), (discord,), (ntfy,)) = map(server.bodies, ("/slack", "/discord", "/ntfy"))
    words = "[ALARM] Paper Arena: nothing was ticked since 2026-01-05 00:00 UTC"
    assert isinstance(slack, dict)
    assert isinstance(discord, dict)
    assert str(slack["text"]).startswith(words)
    assert str(discord["content"]).startswith(words)
    assert discord["allowed_mentions"] == {"parse": []}
    assert str(ntfy).startswith(words)
    (asked,) = (a for a in server.asked if a.path == "/ntfy")
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.headers["priority"] == "4"


def test_the_switch_is_asked_after_a_tick_and_told_of_one_that_failed(
    arena: Project, server: AlarmServer
) -> None:
    arena.tick(hours=1, **variables(server))
    arena.tick(hours=0, **variables(server))  # before the last one: refused
    paths = [a.path for a in server.asked]
    assert [path for path in paths if "ping" in path] == ["/ping", "/ping/fail"]
    assert ("began", "tick.failed") in events(server)


def test_what_a_server_refused_is_told_again(arena: Project, server: AlarmServer) -> None:
    late = ("health", "--alarm", "--at", "2026-01-06T09:00Z")
    server.status = HTTPStatus.SERVICE_UNAVAILABLE
    refused = arena.run(*late, **variables(server))
    server.status = HTTPStatus.OK
    arena.run(*late, **variables(server))
    assert "webhook HOOK was not told: its server answered 503" in refused.err
    assert events(server) == [("began", "tick.late")]


def test_a_channel_that_cannot_be_told_fails_a_part_of_the_tick_and_not_the_tick(
    arena: Project,
) -> None:
    gone = dict.fromkeys(("HOOK", "SLACK", "DISCORD", "NTFY", "PING"), "http://127.0.0.1:9")
    before = arena.rows("SELECT count(*) FROM journal_entries")
    done = arena.tick(hours=24, **gone, NTFY_TOKEN=KEY)
    assert done.code == 6
    assert "failed: the watch: " in done.err
    assert "127.0.0.1" not in done.err
    assert arena.rows("SELECT count(*) FROM journal_entries") > before


def test_a_variable_that_is_not_set_is_named(arena: Project, server: AlarmServer) -> None:
    only = {"HOOK": f"{server.home}/hook"}
    done = arena.run("health", "--test", **only)
    assert "SLACK is not set, which slack SLACK needs" in done.err
    assert ("began", "test") in events(server)
    assert ("ended", "test") in events(server)


def test_no_word_of_a_venue_and_no_key_is_in_an_alarm(
    ticked: Project, tmp_path: Path, server: AlarmServer
) -> None:
    arena = ticked.copy(tmp_path / "arena")
    configure(arena, watch={"alarms": CHANNELS})
    hostile = f"<script>{KEY}</script> \x1b[31m @everyone"
    arena.damage(
        f"INSERT INTO tape_polls VALUES ('sim', '2026-01-05T01:00:00+00:00', '{hostile}')"  # noqa: S608
    )
    arena.run("health", "--alarm", "--at", "2026-01-05T01:05Z", **variables(server))
    assert events(server) == [("began", "venue.sim")]
    sent = repr([(a.path, a.body, a.raw) for a in server.asked])
    assert not any(part in sent for part in ("script", "planted", "x1b", "everyone"))


def test_the_log_has_a_line_a_tick_and_no_key(arena: Project, server: AlarmServer) -> None:
    arena.tick(hours=24, **variables(server))
    lines = (arena.folder / "data" / "log.jsonl").read_text("utf-8").splitlines()
    logged = [json.loads(line) for line in lines]
    assert [line["tick"] for line in logged if line["event"] == "tick"] == [
        "2026-01-06T00:00:00Z"
    ]
    assert KEY not in "".join(lines)


def test_a_log_is_turned_over_and_the_oldest_deleted(tmp_path: Path) -> None:
    file = tmp_path / "log" / "arena.jsonl"
    for number in range(5):
        with logged(LogSettings(str(file), megabytes=1, keep=2), Secrets(), str(number)):
            for _ in range(7):
                log_event("filler", text="x" * 100_000)
    kept = sorted(path.name for path in file.parent.iterdir())
    assert kept == ["arena.jsonl", "arena.jsonl.1", "arena.jsonl.2"]
    assert all(path.stat().st_size <= 1_000_000 for path in file.parent.iterdir())


@contextmanager
def mail_server(taken: list[Any]) -> Iterator[int]:
    """A mail server that keeps what it takes; gives its port."""
    smtp = pytest.importorskip("aiosmtpd.smtp", reason="the verify group is not installed")

    class Handler:
        async def handle_DATA(self, _: object, __: object, envelope: object) -> str:  # noqa: N802
            taken.append(envelope)
            return "250 OK"

    loop = asyncio.new_event_loop()
    made = loop.create_server(lambda: smtp.SMTP(Handler(), loop=loop), "127.0.0.1", 0)
    server = loop.run_until_complete(made)
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield server.sockets[0].getsockname()[1]
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    server.close()
    loop.close()


def test_mail_is_sent_to_a_real_mail_server(ticked: Project, tmp_path: Path) -> None:
    taken: list[Any] = []
    arena = ticked.copy(tmp_path / "arena")
    with mail_server(taken) as port:
        mail: dict[str, object] = {"kind": "email", "host": "127.0.0.1", "port": port}
        mail |= {"sender": "arena@localhost", "to": "me@localhost"}
        configure(arena, watch={"alarms": [mail]})
        arena.run("health", "--alarm", "--at", "2026-01-06T09:00Z")
    (envelope,) = taken
    assert envelope.rcpt_tos == ["me@localhost"]
    assert b"Subject: [ALARM] Paper Arena: nothing was ticked since" in envelope.content


def watching(server: AlarmServer, file: Path) -> Watch:
    """A watch that tells a webhook, and notes in a file what it told."""
    os.environ["ALARM_TEST_HOOK"] = f"{server.home}/hook"
    channel = ChannelSettings(ChannelKind.WEBHOOK, url_env="ALARM_TEST_HOOK")
    return Watch("Test", [channel], file)


def announced(kept: Watch, *conditions: Condition) -> list[str]:
    """Tell of conditions; what went wrong."""

    async def announce() -> list[str]:
        async with HttpDoor() as door:
            return [e.message for e in await kept.announce(conditions, AT, door)]

    return asyncio.run(announce())


def test_killed_between_a_message_and_its_note_a_channel_is_told_once_more_at_most(
    tmp_path: Path, server: AlarmServer
) -> None:
    """The note of before the message is put back, as a kill leaves it."""
    kept = watching(server, tmp_path / "alarms.json")
    condition = Condition("disk.low", Severity.ALARM, "1 MB is free")
    assert announced(kept) == []
    before = kept.file.read_bytes()
    assert announced(kept, condition) == []
    kept.file.write_bytes(before)
    assert [announced(kept, *now) for now in ([condition], [condition], [])] == [[], [], []]
    assert events(server) == [
        ("began", "disk.low"),
        ("began", "disk.low"),
        ("ended", "disk.low"),
    ]


def test_a_channel_that_is_wrongly_set_up_is_not_told_and_stops_nobody(
    tmp_path: Path, server: AlarmServer
) -> None:
    kept = watching(server, tmp_path / "alarms.json")
    os.environ[name := "ALARM_TEST_KEY"] = "schlüssel"
    mail = ChannelSettings(ChannelKind.EMAIL, host="a..b", sender="a@localhost", to="me")
    keyed = replace(kept.channels[0], token_env=name)
    wrong = [mail, replace(mail, host="localhost", sender="a\nb"), keyed]
    told = announced(replace(kept, channels=[*wrong, *kept.channels]), FULL)
    whys = (
        "its mail server: UnicodeError",
        "its mail server: ValueError",
        "its server could not be sent",
    )
    assert [message.partition(" was not told: ")[2] for message in told] == [*whys]
    assert events(server) == [("began", "tick.failed")]


def test_where_nothing_can_be_written_channels_are_told_all_the_same(
    tmp_path: Path, server: AlarmServer
) -> None:
    unwritable = watching(server, tmp_path / "no-folder" / "alarms.json")
    (why,) = announced(unwritable, FULL)
    assert why.startswith("who was told of alarms cannot be written down: ")
    assert events(server) == [("began", "tick.failed")]
