"""What a tick says, how it exits, and that doing it twice is doing it once."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from arena.cli.play.tick import complain, exit_code
from arena.records.cohort import ContestantId
from arena.records.report import Failure, TickReport
from tests.build import at
from tests.cli.inside import Capsys
from tests.cli.project import Project, model, project
from tests.cli.shell import Done
from tests.standins.model_server import ModelServer, fails

NOT_ALLOWED = fails(400, "this model is not for you")


@dataclass(frozen=True, slots=True)
class Ticks:
    """What several ticks of one project said, and how often its models were asked."""

    made: Project
    done: tuple[Done, ...]
    asked: int = 0


@pytest.fixture(scope="module")
def twice(ticked: Project, tmp_path_factory: pytest.TempPathFactory) -> Ticks:
    """Two ticks at one moment."""
    again = ticked.copy(tmp_path_factory.mktemp("twice") / "arena")
    return Ticks(again, (again.tick(),))


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Ticks:
    """Two ticks, an hour apart, of baselines and a model that is not allowed to answer."""
    with ModelServer(lambda *_: NOT_ALLOWED) as server:
        folder = tmp_path_factory.mktemp("failing") / "arena"
        made = project(folder, models={"m": model(server.base_url)})
        done = (made.tick("--json"), made.tick(hours=1))
    return Ticks(made, done, len(server.requests))


def test_a_tick_says_in_one_line_what_it_did(ticked: Project) -> None:
    assert ticked.done
    assert (ticked.done.code, ticked.done.err) == (0, "")
    said = "1 cohort started, 1 venue polled, 1 round, 2 answers, 5 fills, "
    assert ticked.done.out.startswith(f"2026-01-05 00:00 UTC: {said}")
    assert ticked.done.out.count("\n") == 1


def test_a_tick_with_nothing_due_says_so(twice: Ticks) -> None:
    assert (twice.done[0].code, twice.done[0].out) == (
        0,
        "2026-01-05 00:00 UTC: nothing was due\n",
    )


def test_ticking_twice_at_one_moment_is_ticking_once(journal: str, twice: Ticks) -> None:
    assert twice.made.journal == journal


@pytest.mark.parametrize("text", ["2026-01-05T09:00", "2026-01-05", "now", ""])
def test_what_is_no_moment_with_a_zone_is_refused(text: str, fresh: Project) -> None:
    done = fresh.run("tick", "--at", text)
    assert (done.code, done.out, fresh.database.exists()) == (2, "", False)
    assert done.err == (
        f"error[usage.time]: not a moment with a time zone: {text!r}\n"
        "  hint: write it like 2026-01-05T09:00Z\n"
    )


@pytest.mark.parametrize("text", ["0001-01-01T00:00+14:00", "9999-12-31T23:59Z"])
def test_a_moment_at_the_end_of_time_is_refused(text: str, fresh: Project) -> None:
    done = fresh.run("tick", "--at", text)
    assert (done.code, done.crashed) == (2, False)


def test_a_moment_before_the_last_tick_is_refused(twice: Ticks) -> None:
    done = twice.made.tick(hours=-1)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(
        "error[tick.backwards]: this arena was last ticked at 2026-01-05 00:00:00 UTC, "
        "and cannot go back to 2026-01-04 23:00:00 UTC\n  hint: "
    )


def test_when_every_turn_failed_it_exits_with_1(tmp_path: Path) -> None:
    with ModelServer(lambda *_: NOT_ALLOWED) as server:
        made = project(tmp_path / "a", contestants=(), models={"m": model(server.base_url)})
        done = made.tick()
    assert (done.code, done.crashed) == (1, False)
    assert done.err.startswith("failed: contestant m: request refused: 127.0.0.1:")


def test_when_some_turns_failed_it_exits_with_6(failing: Ticks) -> None:
    report = failing.done[0].document["report"]
    assert (failing.done[0].code, report["answers"], report["turns"]) == (6, 3, 3)


def test_in_json_what_failed_is_in_the_document_alone(failing: Ticks) -> None:
    ((who, why),) = failing.done[0].document["report"]["failed_turns"]
    assert (failing.done[0].err, who, "this model is not for you" in why) == ("", "m", True)


def test_a_failed_turn_is_not_tried_again(failing: Ticks) -> None:
    assert (failing.done[1].code, failing.asked) == (0, 1)


# How a tick exits, by what came of its turns.

FINE = TickReport(at=at(), turns=3)
BUDGET = "budget exhausted: the budget of $1.00 for a day has $0.00 left"
MISSED = "round missed: no answer came before the round's deadline"
BROKEN = "server error: busy"
POORER = f"no stakes: {BUDGET}"
DOWN = Failure("it is down", "venue sim")


def ended(*why: str, turns: int = 3, failures: tuple[Failure, ...] = ()) -> TickReport:
    failed = tuple((ContestantId(f"c{n}"), one) for n, one in enumerate(why))
    return replace(FINE, turns=turns, failed_turns=failed, failures=failures)


@pytest.mark.parametrize(
    ("report", "code"),
    [
        (FINE, 0),
        (TickReport(at=at()), 0),
        (replace(FINE, pending=3), 0),
        (ended(BROKEN), 6),
        (ended(BROKEN, BROKEN, BROKEN), 1),
        (ended(BUDGET), 5),
        (ended(BUDGET, BUDGET, BUDGET), 5),
        (ended(POORER, BUDGET), 5),
        (ended(BUDGET, BROKEN), 6),
        (ended(BUDGET, BUDGET, BROKEN), 1),
        (ended(BUDGET, failures=(DOWN,)), 6),
        (ended(MISSED), 6),
        (ended(MISSED, MISSED, MISSED), 6),
        (ended(MISSED, MISSED, BROKEN), 1),
        (ended(MISSED, BUDGET), 6),
        (ended(f"agent crashed: ValueError: {BUDGET}"), 6),
        (ended(turns=0, failures=(DOWN,)), 6),
    ],
)
def test_a_tick_exits_by_what_went_wrong(report: TickReport, code: int) -> None:
    assert exit_code(report) == code


def test_a_venue_that_failed_is_named_once(capsys: Capsys) -> None:
    complain(ended(failures=(DOWN, replace(DOWN, what="sim: it is gone"))))
    told = capsys.readouterr().err.splitlines()
    assert told == ["failed: venue sim: it is down", "failed: venue sim: it is gone"]


@pytest.mark.parametrize("why", [BUDGET, POORER])
def test_a_spent_budget_is_told_with_what_to_do(why: str, capsys: Capsys) -> None:
    complain(ended(why))
    said = capsys.readouterr().err.splitlines()
    assert said[0] == f"failed: contestant c0: {why}"
    assert said[1].startswith("  hint: caps are under budgets in config.yaml")


@pytest.mark.parametrize(
    ("why", "hint"),
    [
        ("question too long: no", "offer fewer markets (universe.top"),
        ("country not served: no", "its provider does not serve the country"),
    ],
)
def test_a_turn_that_no_key_mends_is_told_with_what_does(
    why: str, hint: str, capsys: Capsys
) -> None:
    complain(ended(why))
    assert f"\n  hint: {hint}" in capsys.readouterr().err
