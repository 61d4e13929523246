"""What `arena health` finds, and what answers probes of a running arena."""

import json
import re
from pathlib import Path
from typing import Any

import click
import httpx
import pytest

from arena.cli.options import host_and_port
from arena.errors import ArenaError
from arena.records.operations import Condition, Growth, Health, Severity
from arena.watch.healthz import serving_health
from tests.build import at
from tests.cli.project import Project, configure
from tests.cli.shell import running


def keys(arena: Project, when: str, *more: str) -> list[str]:
    done = arena.run("health", "--at", when, "--json", *more)
    return [condition["key"] for condition in done.document["health"]["conditions"]]


def test_an_arena_that_ticks_is_well(ticked: Project) -> None:
    done = ticked.run("health", "--at", "2026-01-05T00:05Z")
    assert done.code == 0
    assert done.out.startswith("well: 0 alarms")


def test_an_arena_without_a_database_says_so(fresh: Project) -> None:
    assert keys(fresh, "2026-01-05T00:05Z") == ["tick.never"]


def test_ticks_that_stopped_are_an_alarm(ticked: Project) -> None:
    done = ticked.run("health", "--at", "2026-01-05T09:00Z")
    assert done.code == 3
    assert "alarm: nothing was ticked since 2026-01-05 00:00 UTC" in done.out


def test_a_clock_that_was_ahead_is_an_alarm(ticked: Project) -> None:
    assert keys(ticked, "2026-01-04T09:00Z") == ["tick.ahead"]


def test_a_venue_that_does_not_answer_is_an_alarm(ticked: Project, tmp_path: Path) -> None:
    arena = ticked.copy(tmp_path / "arena")
    arena.damage("INSERT INTO tape_polls VALUES ('sim', '2026-01-05T00:04:00+00:00', 'no')")
    assert keys(arena, "2026-01-05T00:05Z") == ["venue.sim"]


@pytest.mark.parametrize(
    ("failure", "found"), [("server error: 500", ["contestant.market"]), ("round missed", [])]
)
def test_a_contestant_whose_turns_fail_is_an_alarm_and_one_that_is_late_none(
    ticked: Project, tmp_path: Path, failure: str, found: list[str]
) -> None:
    arena = ticked.copy(tmp_path / "arena")
    arena.damage("DELETE FROM turns WHERE contestant = 'market'")
    for number in range(1, 4):
        arena.damage(
            f"INSERT INTO turns VALUES ('c-2026-01-05', {number}, 'market', "  # noqa: S608
            f"'2026-01-05T00:00:00+00:00', NULL, 0, 0, '{failure}', 0)"
        )
    assert keys(arena, "2026-01-05T00:05Z") == found


def test_a_damaged_file_is_an_alarm_and_no_error(ticked: Project, tmp_path: Path) -> None:
    arena = ticked.copy(tmp_path / "arena")
    arena.database.write_bytes(b"no database" * 1000)
    done = arena.run("health", "--json")
    assert (done.code, done.document["health"]["conditions"][0]["key"]) == (3, "database")


def test_backups_that_are_not_made_are_an_alarm(ticked: Project, tmp_path: Path) -> None:
    arena = ticked.copy(tmp_path / "arena")
    configure(arena, backup={"to": "backups"})
    assert keys(arena, "2026-01-05T00:05Z") == ["backup.old"]
    arena.tick(hours=1)
    assert keys(arena, "2026-01-05T01:05Z") == []


def test_a_site_that_outgrows_its_host_is_foretold(ticked: Project, tmp_path: Path) -> None:
    arena = ticked.copy(tmp_path / "arena")
    configure(arena, watch={"site_limit": 1})
    arena.tick(hours=96)
    done = arena.run("health", "--at", "2026-01-09T00:05Z", "--json").document["health"]
    assert "site.large" in [condition["key"] for condition in done["conditions"]]
    assert done["growth"]["site_full_on"] < "2026-02"


def test_the_size_of_a_site_is_that_of_its_files(ticked: Project) -> None:
    files = [file for file in (ticked.folder / "site").rglob("*") if file.is_file()]
    unlisted = {".arena-site.json", "heads.jsonl"}
    size = sum(file.stat().st_size for file in files if file.name not in unlisted)
    done = ticked.run("health", "--at", "2026-01-05T00:05Z", "--json").document["health"]
    assert done["growth"]["site"] == size


def well(*conditions: Condition) -> Health:
    growth = Growth(1, 1, None, 10**12, None, 10**9, None)
    ok = not conditions
    return Health(at(0), ok, at(0), at(1), 0, 0, None, None, None, growth, conditions)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (well(), 200),
        (well(Condition("disk.low", Severity.ALARM, "1 MB is free")), 503),
        (ArenaError("store.locked", "it is locked"), 503),
    ],
)
def test_a_probe_gets_200_while_the_arena_is_well(
    answer: Health | ArenaError, status: int
) -> None:
    def ask() -> Health:
        if isinstance(answer, ArenaError):
            raise answer
        return answer

    with serving_health("127.0.0.1", 0, ask) as port:
        reply = httpx.get(f"http://127.0.0.1:{port}/healthz")
    said: dict[str, Any] = reply.json()
    assert (reply.status_code, said["ok"]) == (status, status == 200)


def test_probes_in_a_row_look_at_the_arena_once() -> None:
    looks: list[int] = []

    def ask() -> Health:
        looks.append(1)
        return well()

    with serving_health("127.0.0.1", 0, ask) as port:
        for _ in range(5):
            httpx.get(f"http://127.0.0.1:{port}/healthz")
    assert len(looks) == 1


def test_another_path_is_not_found() -> None:
    with serving_health("127.0.0.1", 0, well) as port:
        assert httpx.get(f"http://127.0.0.1:{port}/secret").status_code == 404


@pytest.mark.parametrize("address", ["127.0.0.1:80", "[127.0.0.1]:80", "[::1]:80"])
def test_an_address_is_a_host_and_a_port_with_ipv6_in_brackets(address: str) -> None:
    assert host_and_port(address, "--listen") == (address[:-3].strip("[]"), 80)


@pytest.mark.parametrize("address", ["80", ":80", "localhost:", "localhost:65536", "[::1]"])
def test_what_is_no_address_is_refused_with_an_example(address: str) -> None:
    with pytest.raises(click.UsageError, match="--listen takes HOST:PORT, such as"):
        host_and_port(address, "--listen")


def test_a_running_arena_answers_probes(ticked: Project, tmp_path: Path) -> None:
    arena = ticked.copy(tmp_path / "arena")
    with running("run", "--listen", "127.0.0.1:0", cwd=arena.folder) as process:
        assert process.stderr
        address = next(
            found[0] for line in process.stderr if (found := re.search(r"http://\S+", line))
        )
        reply = httpx.get(address, timeout=30)
    assert reply.status_code in {200, 503}
    assert "conditions" in json.loads(reply.content)
