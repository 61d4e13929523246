"""`arena replies`: how contestants answer."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from arena.cli.say import MISSING
from arena.records.cohort import CohortId, ContestantId
from arena.records.decision import Action, Drop, Dropped
from arena.records.trade import Conduct, Entry, Turn
from arena.steps.play import opening
from arena.store import open_store
from tests.build import ADA, BEN, RAIN, T0, spec
from tests.cli.inside import Capsys, here, strict

CALLED = Conduct(
    calls=3,
    reasks=1,
    repaired=2,
    dropped=(Dropped(0, Drop.BAD_SIDE), Dropped(1, Drop.BAD_AMOUNT)),
    against=(RAIN,),
    halved=True,
    bait=True,
)
PASSED = Conduct(calls=1, bait=False)
TURNS = (
    ("a", ADA, CALLED, None),
    ("a", BEN, Conduct(), "timeout: no answer"),
    ("b", ADA, PASSED, None),
)
GONE = (
    ("a", ADA, Conduct(), "withdrawn: it is not configured any more"),
    ("b", BEN, Conduct(), "server error: \x1b[2Jbusy"),
)


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two cohorts: Ada in both, once with a honeypot that it obeyed; Ben failed in one."""
    file = tmp_path_factory.mktemp("replies") / "arena.db"
    with open_store(file) as store:
        for name in ("a", "b"):
            store.journal.append(opening(spec(name, (ADA, BEN)), T0))
        for number, (cohort, who, conduct, failure) in enumerate(TURNS):
            turn = Turn(1, Action.HOLD, (), (), 0, failure, conduct)
            entry = Entry(f"turn:{number}", T0, turn, CohortId(cohort), ContestantId(who))
            store.journal.append([entry])
    return file


def told(capsys: Capsys, arena: Path, *more: str) -> dict[str, list[str]]:
    """The lines of the table by contestant, without their names."""
    done = here(capsys, "replies", "--database", arena, *more)
    assert (done.code, done.err) == (0, "")
    rows = [line.split() for line in done.out.splitlines()]
    return {row[0]: row[1:] for row in rows if row and row[0] in {ADA, BEN}}


def test_everybody_has_a_line_of_counts(capsys: Capsys, arena: Path) -> None:
    assert told(capsys, arena) == {
        ADA: ["2", "0", "4", "1", "2", "2", "1", "1", "2", "1"],
        BEN: ["1", "1", "0", "0", "0", "0", "0", "0", MISSING, MISSING],
    }


def test_the_columns_are_named_and_explained(capsys: Capsys, arena: Path) -> None:
    out = here(capsys, "replies", "--database", arena).out
    for word in ("re-asked", "repaired", "against itself", "halved", "obeyed"):
        assert out.count(word) >= 2


def test_one_cohort_is_told_by_itself(capsys: Capsys, arena: Path) -> None:
    assert told(capsys, arena, "--cohort", "b") == {
        ADA: ["1", "0", "1", "0", "0", "0", "0", "0", "1", "0"]
    }


def test_in_json_every_count_has_its_name(capsys: Capsys, arena: Path) -> None:
    found = strict(here(capsys, "replies", "--database", arena, "--json"))["replies"]
    assert found[0] == {
        "contestant": "ada",
        "turns": 2,
        "failed": 0,
        "calls": 4,
        "reasks": 1,
        "repaired": 2,
        "dropped": 2,
        "against": 1,
        "halved": 1,
        "baited": 2,
        "bait_taken": 1,
    }
    assert [one["contestant"] for one in found] == ["ada", "ben"]


def test_before_any_turn_it_says_so(capsys: Capsys, tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    with open_store(file):
        pass
    done = here(capsys, "replies", "--database", file)
    assert (done.code, done.out) == (
        0,
        "Nobody has answered yet: `arena tick` asks whoever's turn it is.\n",
    )
    assert strict(here(capsys, "replies", "--database", file, "--json"))["replies"] == []


def test_where_there_is_no_arena_it_makes_none(capsys: Capsys, tmp_path: Path) -> None:
    done = here(capsys, "replies", "--database", tmp_path / "none.db")
    assert done.fails_clearly(2)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def failing(arena: Path, tmp_path: Path) -> Path:
    """The same, a day later: Ben failed in the other cohort, and Ada was withdrawn."""
    file = Path(shutil.copy(arena, tmp_path / "arena.db"))
    with open_store(file) as store:
        for number, (cohort, who, conduct, failure) in enumerate(GONE, len(TURNS)):
            turn = Turn(2, None, (), (), 0, failure, conduct)
            at = T0 + timedelta(days=1)
            entry = Entry(f"turn:{number}", at, turn, CohortId(cohort), ContestantId(who))
            store.journal.append([entry])
    return file


def test_each_failure_is_listed_with_contestant_round_and_reason(
    capsys: Capsys, failing: Path
) -> None:
    done = here(capsys, "replies", "--failures", "--database", failing)
    assert [" ".join(line.split()) for line in done.out.splitlines()] == [
        "turn reason",
        "ben in round 2 of b, 2026-01-06 00:00 UTC server error: [2Jbusy",
        "ben in round 1 of a, 2026-01-05 00:00 UTC timeout: no answer",
    ]


def test_failures_of_one_cohort_are_told_by_themselves_and_in_json_by_name(
    capsys: Capsys, failing: Path
) -> None:
    words = ("replies", "--failures", "--cohort", "a", "--json", "--database", failing)
    assert strict(here(capsys, *words))["failures"] == [
        {
            "contestant": "ben",
            "cohort": "a",
            "round": 1,
            "at": "2026-01-05T00:00:00+00:00",
            "reason": "timeout: no answer",
        }
    ]


def test_where_no_turn_failed_it_says_so(capsys: Capsys, arena: Path) -> None:
    done = here(capsys, "replies", "--failures", "--cohort", "b", "--database", arena)
    assert (done.code, done.out) == (0, "No turn has failed.\n")
