"""Variables that stand in a file beside the configuration."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.project import Project, model, project
from tests.cli.shell import Done

KEY = "sk-lab-0123456789abcdef"


@pytest.fixture
def made(tmp_path: Path) -> Project:
    asked = model("http://127.0.0.1:9", key_env="LAB_KEY")
    return project(tmp_path / "arena", models={"ada": asked})


def key(done: Done) -> dict[str, Any]:
    return next(f for f in done.document["findings"] if f["what"].startswith("key of "))


@pytest.mark.parametrize(
    "line", [f"LAB_KEY={KEY}", f'export LAB_KEY = "{KEY}"', f"# x\n\nLAB_KEY='{KEY}'"]
)
def test_a_key_is_taken_from_the_file(line: str, made: Project) -> None:
    before = made.run("doctor", "--json")
    (made.folder / ".env").write_text(f"{line}\n", encoding="utf-8")
    after = made.run("doctor", "--json")
    assert [key(done)["state"] for done in (before, after)] == ["fail", "ok"]
    assert KEY not in after.out + after.err


def test_global_options_are_taken_from_it_and_a_flag_goes_before(made: Project) -> None:
    (made.folder / ".env").write_text("ARENA_COLOR=always\nARENA_VERBOSE=1\n", encoding="utf-8")
    shown = made.run("--color", "never", "config", "show", "--origin").out
    assert '--verbose = true # variable ARENA_VERBOSE\n--color = "never" # flag\n' in shown


def test_a_variable_that_is_set_stands(made: Project) -> None:
    (made.folder / ".env").write_text("LAB_KEY=\nARENA_DOCTOR_JSON=1\n", encoding="utf-8")
    assert key(made.run("doctor", LAB_KEY=KEY))["state"] == "ok"


@pytest.mark.parametrize("value", ["1 # for scripts", "'1'\t# for scripts", "1 "])
def test_a_remark_behind_a_value_is_no_part_of_it(value: str, made: Project) -> None:
    text = f"ARENA_DOCTOR_JSON={value}\nLAB_KEY= # not bought yet\n"
    (made.folder / ".env").write_text(text, encoding="utf-8")
    assert key(made.run("doctor"))["state"] == "fail"


def test_a_line_that_sets_nothing_is_refused_and_not_shown(made: Project) -> None:
    (made.folder / ".env").write_text(f"A=1\n{KEY}\n", encoding="utf-8")
    done = made.run("doctor")
    assert done.fails_clearly(2)
    assert ".env, line 2: expected NAME=VALUE" in done.err
    assert KEY not in done.err


def test_it_is_in_no_file_of_the_site(made: Project) -> None:
    (made.folder / ".env").write_text(f"LAB_KEY={KEY}\n", encoding="utf-8")
    assert made.tick().code in {0, 6}
    pages = [file.read_bytes() for file in (made.folder / "site").rglob("*") if file.is_file()]
    assert pages
    assert not any(KEY.encode() in page for page in pages)
