import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.project import Project, days, moment
from tests.cli.shell import Done


@pytest.fixture(scope="module")
def told(ticked: Project) -> dict[str, Any]:
    """The state of an arena at the moment of its first tick."""
    found: dict[str, Any] = asked(ticked, "--json").document["status"]
    return found


@pytest.fixture(scope="module")
def late(ticked: Project) -> dict[str, Any]:
    """Its state ten days later, when nobody has ticked."""
    found: dict[str, Any] = asked(ticked, "--json", hours=days(10)).document["status"]
    return found


def asked(made: Project, *more: str, hours: float = 0) -> Done:
    return made.run("status", "--at", moment(hours), *more)


def test_before_any_tick_there_is_nothing_to_tell(fresh: Project) -> None:
    done = asked(fresh)
    assert (done.code, fresh.database.exists()) == (2, False)
    assert "`arena tick` makes it" in done.err


def test_of_an_empty_arena_it_tells_what_is_due(fresh: Project) -> None:
    fresh.database.parent.mkdir()
    fresh.database.touch()
    done = asked(fresh)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[:4] == ["last poll: never", "due:", "  cohort c starts", "stuck: nothing"]
    assert lines[4].startswith("database 0.4 MB, site 0.0 MB, free ")
    assert lines[5:] == ["no cohort is running"]


def test_after_a_tick_nothing_is_due_or_stuck(ticked: Project) -> None:
    done = asked(ticked)
    assert done.out.startswith(
        "last poll: 2026-01-05 00:00 UTC\ndue: nothing\nstuck: nothing\n"
        "venue sim: last answered 2026-01-05 00:00 UTC, oldest price in use 0:00:00 old, "
    )


def test_a_cohort_is_a_line_of_a_table(ticked: Project) -> None:
    head, line = asked(ticked).out.splitlines()[-2:]
    assert head.split("  ")[0] == "cohort"
    assert line.split() == [
        *("c", "2026-01-05", "00:00", "1/2", "2026-01-06", "00:00"),
        str(ticked.rows("SELECT count(*) FROM positions WHERE state = 'OPEN'")[0][0]),
    ]


def test_in_json_the_moment_and_the_last_tick_are_told(told: dict[str, Any]) -> None:
    assert (told["at"], told["last_tick"]) == (
        "2026-01-05T00:00:00+00:00",
        "2026-01-05T00:00:00+00:00",
    )


def test_a_round_that_has_come_is_due(ticked: Project) -> None:
    due = asked(ticked, "--json", hours=24).document["status"]["due"]
    assert due == ["cohort c decides round 2", "venue sim is polled"]


def test_a_round_that_nobody_ticked_for_is_missed(late: dict[str, Any]) -> None:
    (cohort,) = late["cohorts"]
    assert (cohort["rounds_played"], cohort["rounds_missed"], cohort["next_round"]) == (
        1,
        1,
        None,
    )


def test_the_age_of_prices_grows_with_time(told: dict[str, Any], late: dict[str, Any]) -> None:
    ages = [state["venues"][0]["oldest_price_age"] for state in (told, late)]
    assert ages == [0.0, days(10) * 3600]


def test_an_arena_that_nobody_ticks_is_stuck_as_a_whole(
    late: dict[str, Any], told: dict[str, Any]
) -> None:
    assert told["stuck"] == []
    assert late["stuck"] == ["nothing was ticked since 2026-01-05 00:00 UTC"]


def test_a_venue_that_failed_is_stuck_with_its_reason(ticked: Project, tmp_path: Path) -> None:
    made = ticked.copy(tmp_path / "a")
    made.damage(
        "INSERT INTO tape_polls VALUES ('sim', '2026-01-05T01:00:00+00:00', "
        "'sim: down' || char(27) || '[2J' || char(10) || 'error: forged')"
    )
    done = asked(made, hours=1)
    assert "\n  venue sim cannot be read: down[2J error: forged\n" in done.out


def test_status_changes_nothing(ticked: Project) -> None:
    with closing(sqlite3.connect(ticked.database)) as db:
        before = list(db.iterdump())
    asked(ticked, hours=days(10))
    with closing(sqlite3.connect(ticked.database)) as db:
        assert list(db.iterdump()) == before
