import json
import signal
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.tick_timer import next_ring
from tests.cli.agreed import misfits, promised
from tests.cli.project import Project, configure, daily, edit, model, project
from tests.cli.shell import ended, interrupted, running
from tests.cli.test_killed import asked_in_vain
from tests.hangs import wait_until
from tests.standins.model_server import ModelServer

SUNDAY = datetime(2026, 1, 4, tzinfo=UTC)
KEPT = "ended as asked: what was done is kept\n"


def rings(crontab: str, after: datetime, count: int) -> list[str]:
    """The next rings of a crontab line: their weekdays and times."""
    found = []
    for _ in range(count):
        following = next_ring(crontab, after)
        assert following
        after = following
        found.append(f"{after:%a %H:%M}")
    return found


def test_it_ticks_at_once_and_stops_when_interrupted(fresh: Project) -> None:
    daily(fresh)
    with running("run", cwd=fresh.folder) as process:
        assert process.stdout
        first = process.stdout.readline()
        done = interrupted(process)
    assert " UTC: 1 cohort started, 1 venue polled, 1 round, 2 answers, " in first
    assert done.code == 130
    assert done.err == (
        "ticking at */10 * * * * (UTC); stop with Ctrl-C\n\n"
        "interrupted: what was done is kept; run the same command again\n"
    )


def test_it_stops_in_the_middle_of_a_tick_too(tmp_path: Path) -> None:
    with asked_in_vain(tmp_path / "a", "run") as (made, process):
        done = interrupted(process)
    assert (done.code, done.crashed) == (130, False)
    assert made.is_sound


def test_asked_to_end_it_finishes_its_tick_first(tmp_path: Path) -> None:
    with ModelServer(latency=2.0) as server:
        made = project(tmp_path / "a", models={"m": model(server.base_url, deadline="5m")})
        daily(made)
        with running("run", cwd=made.folder) as process:
            wait_until(lambda: server.requests)
            process.send_signal(signal.SIGTERM)
            done = ended(process)
    assert (done.code, ": 1 cohort started" in done.out) == (0, True)
    assert "asked to end: the tick under way is finished first" in done.err
    assert KEPT in done.err
    assert set(made.answers()) == {"market", "always-no", "m"}


def test_asked_to_end_twice_it_stops_at_once(tmp_path: Path) -> None:
    with asked_in_vain(tmp_path / "a", "run") as (made, process):
        process.send_signal(signal.SIGTERM)
        assert process.stderr
        while "asked to end" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGTERM)
        done = ended(process)
    assert (done.code, done.crashed, made.is_sound) == (130, False, True)


def test_asked_to_end_between_two_ticks_it_ends(fresh: Project) -> None:
    daily(fresh)
    with running("run", cwd=fresh.folder) as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        done = ended(process)
    assert (done.code, KEPT in done.err) == (0, True)


def test_a_tick_that_fails_is_said_and_the_next_one_comes(fresh: Project) -> None:
    edit(fresh, "paths", 'paths: {templates: "nowhere"}')
    with running("run", cwd=fresh.folder) as process:
        assert process.stderr
        said = [process.stderr.readline() for _ in range(3)]
        assert process.poll() is None
        done = interrupted(process)
    assert said[1].startswith("error[template.missing]: ")
    assert said[2].startswith("  hint: ")
    assert (done.code, done.crashed) == (130, False)


def test_with_jsonl_each_tick_is_a_document_in_a_line(fresh: Project) -> None:
    daily(fresh)
    with running("run", "--jsonl", cwd=fresh.folder) as process:
        assert process.stdout
        said = json.loads(process.stdout.readline())
        done = interrupted(process)
    assert list(misfits(said, promised("tick"))) == []
    assert len(said["report"]["enrolled"]) == 1
    assert (done.code, done.out) == (130, "")


def test_with_jsonl_a_tick_that_fails_is_a_line_too(fresh: Project) -> None:
    edit(fresh, "paths", 'paths: {templates: "nowhere"}')
    with running("run", "--jsonl", cwd=fresh.folder) as process:
        assert process.stderr
        said = [process.stderr.readline() for _ in range(2)]
        done = interrupted(process)
    assert json.loads(said[1])["error"]["code"] == "template.missing"
    assert (done.code, done.out) == (130, "")


def test_with_a_broken_configuration_it_does_not_start(fresh: Project) -> None:
    edit(fresh, "venues: ", "venuess: {}")
    done = fresh.run("run")
    assert (done.code, "venuess" in done.err) == (2, True)


def test_a_schedule_that_never_rings_is_refused(fresh: Project) -> None:
    configure(fresh, schedule={"ring": "0 0 30 2 *"})
    done = fresh.run("run")
    assert (done.code, "error[schedule.never]" in done.err) == (2, True)


def test_every_ten_minutes_is_every_ten_minutes() -> None:
    after = datetime(2026, 1, 4, 23, 40, 59, tzinfo=UTC)
    assert rings("*/10 * * * *", after, 3) == ["Sun 23:50", "Mon 00:00", "Mon 00:10"]


def test_the_next_ring_is_never_the_moment_itself() -> None:
    assert rings("0 0 * * *", SUNDAY, 1) == ["Mon 00:00"]


@pytest.mark.parametrize("sunday", ["0", "7", "sun"])
def test_zero_and_seven_are_sunday(sunday: str) -> None:
    assert rings(f"30 6 * * {sunday}", SUNDAY, 1) == ["Sun 06:30"]
    assert rings(f"30 6 * * {sunday}", SUNDAY.replace(hour=7), 1) == ["Sun 06:30"]


def test_one_to_five_is_monday_to_friday() -> None:
    week = ["Mon 09:00", "Tue 09:00", "Wed 09:00", "Thu 09:00", "Fri 09:00", "Mon 09:00"]
    assert rings("0 9 * * 1-5", SUNDAY, 6) == week


@pytest.mark.parametrize(
    ("days", "week"),
    [
        ("0,3,6", "Sun Wed Sat"),
        ("0-6", "Sun Mon Tue Wed Thu Fri Sat"),
        ("0-2", "Sun Mon Tue"),
        ("1-5/2", "Mon Wed Fri"),
        ("*/2", "Sun Tue Thu Sat"),
        ("mon-FRI", "Mon Tue Wed Thu Fri"),
        ("5-7", "Sun Fri Sat"),
        ("fri-sun", "Sun Fri Sat"),
    ],
)
def test_days_can_be_listed_ranged_and_stepped(days: str, week: str) -> None:
    count = len(week.split())
    assert rings(f"0 9 * * {days}", SUNDAY, count) == [f"{day} 09:00" for day in week.split()]
