"""What a tick says and how it exits."""

from pathlib import Path

import pytest

from arena.testing.model_server import ModelServer, fails
from tests.cli.project import Project, days, model, project

ONCE = "2026-01-05 00:00 UTC: 1 cohorts started, 1 rounds, 2 answers, 5 fills"
NOT_ALLOWED = fails(400, "this model is not for you")


@pytest.fixture(scope="module")
def twice(ticked: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that was ticked twice at one moment."""
    again = ticked.copy(tmp_path_factory.mktemp("twice") / "arena")
    done = again.tick()
    assert (done.code, done.out) == (0, "2026-01-05 00:00 UTC: nothing was due\n")
    return again


def test_a_tick_says_in_one_line_what_it_did(fresh: Project) -> None:
    done = fresh.tick()
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(ONCE)
    assert done.out.count("\n") == 1


def test_ticking_twice_at_one_moment_is_ticking_once(ticked: Project, twice: Project) -> None:
    assert twice.journal == ticked.journal


def test_ticking_twice_asks_for_nothing_twice(twice: Project) -> None:
    assert twice.answers() == {"market": 1, "always-no": 1}


def test_the_zone_of_a_moment_is_kept(ticked: Project, fresh: Project) -> None:
    assert fresh.run("tick", "--at", "2026-01-05T09:00+09:00").code == 0
    assert fresh.journal == ticked.journal


@pytest.mark.parametrize(
    "text",
    ["2026-01-05T09:00", "2026-01-05", "tomorrow", "", "0001-01-01T00:00+14:00", "9999-12-31Z"],
)
def test_what_is_no_moment_with_a_zone_is_refused(text: str, fresh: Project) -> None:
    done = fresh.run("tick", "--at", text)
    assert (done.code, done.out, fresh.database.exists()) == (2, "", False)
    assert done.err == (
        f"error[usage.time]: not a moment with a time zone: {text!r}\n"
        "  hint: write it like 2026-01-05T09:00Z\n"
    )


def test_a_moment_before_the_last_tick_is_refused(twice: Project) -> None:
    done = twice.tick(hours=-1)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(
        "error[tick.backwards]: this arena was last ticked at 2026-01-05 00:00:00 UTC, "
        "and cannot go back to 2026-01-04 23:00:00 UTC\n  hint: "
    )


def test_a_moment_before_the_first_start_is_a_quiet_one(fresh: Project) -> None:
    done = fresh.tick(hours=-days(30))
    assert (done.code, done.out) == (0, "2025-12-06 00:00 UTC: nothing was due\n")


def test_when_every_turn_failed_it_exits_with_1(tmp_path: Path) -> None:
    with ModelServer(lambda *_: NOT_ALLOWED) as server:
        made = project(tmp_path / "a", contestants=(), models={"m": model(server.base_url)})
        done = made.tick()
    assert (done.code, done.crashed) == (1, False)
    assert "failed: contestant m: request refused: 127.0.0.1" in done.err


def test_when_some_turns_failed_it_exits_with_6(tmp_path: Path) -> None:
    with ModelServer(lambda *_: NOT_ALLOWED) as server:
        made = project(tmp_path / "a", models={"m": model(server.base_url)})
        done = made.tick()
    assert done.code == 6
    assert "3 answers" in done.out
    assert "1 failed turns" in done.out


def test_in_json_what_failed_is_in_the_document_alone(tmp_path: Path) -> None:
    with ModelServer(lambda *_: NOT_ALLOWED) as server:
        made = project(tmp_path / "a", models={"m": model(server.base_url)})
        done = made.tick("--json")
    ((who, why),) = done.document["report"]["failed_turns"]
    assert (done.code, done.err, who) == (6, "", "m")
    assert "this model is not for you" in why


def test_a_failed_turn_is_not_tried_again(tmp_path: Path) -> None:
    with ModelServer(lambda *_: NOT_ALLOWED) as server:
        made = project(tmp_path / "a", models={"m": model(server.base_url)})
        first, second = made.tick(), made.tick(hours=1)
    assert (first.code, second.code, len(server.requests)) == (6, 0, 1)
