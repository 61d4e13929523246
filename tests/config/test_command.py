import json
from dataclasses import asdict
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.cli import Globals
from arena.cli.start.config import config
from arena.config import check, load_settings
from tests.config.build import COHORT, CONFIG, ROOT, project
from tests.present import some


def run(file: Path, *words: str) -> Result:
    return CliRunner().invoke(config, words, obj=Globals(file))


def test_a_good_file_is_counted(tmp_path: Path) -> None:
    file = project(tmp_path, CONFIG, daily=COHORT)
    done = run(file, "check")
    assert (done.exit_code, done.stdout) == (0, f"{file}: ok, 1 cohort, 2 contestants\n")


def test_a_bad_file_is_told_line_by_line(tmp_path: Path) -> None:
    done = run(project(tmp_path, "a: 1\nb: 1\n"), "check")
    assert done.exit_code == 2
    lines = [line.split(" ")[0] for line in done.stdout.splitlines()]
    assert [line.rpartition("config.yaml")[2] for line in lines] == [":1:", ":2:"]
    assert done.stderr == "2 problems\n"


def test_a_plugin_that_is_not_installed_is_told(tmp_path: Path) -> None:
    done = run(project(tmp_path, "venues: {a: {adapter: simulatd}}\n"), "check")
    assert "did you mean simulated?" in done.stdout


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    done = run(tmp_path / "config.yaml", "check")
    assert (done.exit_code, "No such file" in done.stdout) == (2, True)


def test_json_says_ok(tmp_path: Path) -> None:
    done = run(project(tmp_path), "check", "--json")
    said = json.loads(done.stdout)
    assert (said["ok"], said["problems"], said["refused"]) == (True, [], [])


def test_json_lists_the_problems(tmp_path: Path) -> None:
    file = project(tmp_path, "shedule: {}\n")
    done = run(file, "check", "--json")
    said = json.loads(done.stdout)
    assert (done.exit_code, said["ok"], done.stderr) == (2, False, "")
    assert said["problems"] == [asdict(problem) for problem in some(check(file))]


@pytest.mark.parametrize(("kind", "key"), [("config", "venues"), ("cohort", "decide")])
def test_the_schema_of_each_kind_is_printed(tmp_path: Path, kind: str, key: str) -> None:
    done = run(tmp_path, "schema", "--kind", kind)
    assert (done.exit_code, key in json.loads(done.stdout)["properties"]) == (0, True)


def test_the_shipped_files_are_in_order() -> None:
    done = run(ROOT / "config.yaml", "check")
    everybody = load_settings(ROOT / "config.yaml").contestants
    assert done.stdout.endswith(f"config.yaml: ok, 1 cohort, {len(everybody)} contestants\n")
