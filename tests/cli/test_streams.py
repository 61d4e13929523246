from datetime import timedelta

import pytest

from arena.cli.say import progress
from arena.clock import HandClock
from tests.build import T0
from tests.cli.conftest import Played
from tests.cli.inside import Capsys
from tests.cli.project import Project
from tests.cli.shell import arena


def test_the_json_of_a_tick_is_its_report(fresh: Project) -> None:
    done = fresh.tick("--json")
    report = done.document["report"]
    assert (done.err, done.document["schema_version"]) == ("", 1)
    assert (report["at"], report["enrolled"], report["turns"]) == (
        "2026-01-05T00:00:00+00:00",
        ["c"],
        2,
    )


def test_progress_is_on_standard_error(demo: Played) -> None:
    lines = demo.done.err.splitlines()
    numbers = [line.partition("]")[0].removeprefix("[").split("/") for line in lines]
    told = [int(number) for number, _ in numbers]
    assert (told[0], told[-1]) == (1, int(numbers[0][1]))
    assert told == sorted(set(told))


def test_without_a_terminal_there_is_a_line_of_progress_a_second_and_the_last_step(
    capsys: Capsys,
) -> None:
    clock = HandClock(T0)
    with progress("playing", 12, done=1, clock=clock) as told:
        for n in range(2, 13):
            told(f"step {n}")
            clock.at += timedelta(milliseconds=400)
    said = [
        "going on after 1 of 12 steps",
        *(f"[{n:2}/12] step {n}" for n in (2, 5, 8, 11, 12)),
    ]
    assert capsys.readouterr().err.splitlines() == said


def test_the_result_of_a_demo_is_on_standard_output(demo: Played) -> None:
    assert "\nrank  contestant " in demo.done.out
    assert not set(demo.done.err.splitlines()) & set(demo.done.out.splitlines())


def test_an_error_is_on_standard_error(fresh: Project) -> None:
    done = fresh.run("status")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"error[store.none]: there is no database at {fresh.database}\n"
        "  hint: `arena tick` makes it, `arena init` a new arena, `arena demo` one to look at\n"
    )


def test_an_error_in_json_is_one_document_on_standard_error(fresh: Project) -> None:
    done = fresh.run("status", "--json")
    assert (done.code, done.out) == (2, "")
    assert done.error == {
        "code": "store.none",
        "message": f"there is no database at {fresh.database}",
        "hint": "`arena tick` makes it, `arena init` a new arena, `arena demo` one to look at",
        "details": {},
    }


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("tikc --json", "usage.command", "No such command 'tikc'. Did you mean 'tick'?"),
        ("tick --json --att x", "usage.option", "No such option '--att'. Did you mean '--at'?"),
        ("tick --json --at", "usage.option", "Option '--at' requires an argument."),
        ("replay --json", "usage.missing", "Missing argument 'DATA'."),
        ("replay --json /none --cohort x", "usage.value", "does not exist"),
        ("demo --json --days 0", "usage.value", "0 is not in the range 1<=x<=3650"),
        ("tick --json now", "usage.invalid", "Got unexpected extra argument (now)"),
    ],
)
def test_wrong_usage_in_json_is_one_document_too(
    words: str, code: str, message: str, fresh: Project
) -> None:
    done = fresh.run(*words.split())
    assert (done.code, done.out, done.error["code"]) == (2, "", code)
    assert message in done.error["message"]


@pytest.mark.parametrize("words", [("tick",), ("status",), ("config", "check")])
def test_without_a_configuration_its_place_is_asked_for(
    words: tuple[str, ...], fresh: Project
) -> None:
    done = arena(*words, cwd=fresh.folder.parent)
    said = done.err + done.out
    assert (done.code, done.crashed) == (2, False)
    assert "config.yaml" in said
    assert "No such file or directory" in said


def test_the_configuration_can_be_named_by_the_environment(ticked: Project) -> None:
    file = str(ticked.folder / "config.yaml")
    done = arena("status", cwd=ticked.folder.parent, ARENA_CONFIG=file)
    assert done.code == 0


def test_a_file_that_is_wrong_is_told_in_json_too(fresh: Project) -> None:
    (fresh.folder / "config.yaml").write_text("x: [")
    done = fresh.tick("--json")
    assert (done.code, done.out, done.error["code"]) == (2, "", "config.invalid")
