"""What a run says of tests that were skipped or left out, and when that fails it."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.shell import environment
from tests.conftest import DOES_NOT_APPLY, UPDATE
from tests.memory import PREFIX, folder_in_memory
from tests.present import present
from tests.sizes import SOAK

ROOT = Path(__file__).parents[1]
HOOKS = "from tests.conftest import *\n"
SKIPS = "import pytest\n\ndef test_x(): pytest.skip({!r})\n"
LACKS = "import pytest\n\npytest.importorskip('a_library_that_is_not_there')\n"
LONG = "import pytest\n\n@pytest.mark.soak\ndef test_x(): assert {}\n"
LEFT = "1 long tests were deselected"


def run(
    folder: Path, tests: Mapping[str, str], *words: str, **variables: str
) -> tuple[int, str]:
    """Run files with one test each under our hooks: the exit code, and what was printed."""
    (folder / "conftest.py").write_text(HOOKS)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = soak\n")
    for name, test in tests.items():
        (folder / f"test_{name}.py").write_text(test)
    done = subprocess.run(  # noqa: S603  our own words
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words, "."],
        cwd=folder,
        env=environment({"PYTHONPATH": str(ROOT)} | variables),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("words", [(), ("-n", "1")], ids=["one process", "pytest-xdist"])
def test_what_was_skipped_or_left_to_soak_is_counted_at_the_end(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    tests = {"skips": SKIPS.format("there is no browser"), "long": LONG.format("False")}
    code, said = run(tmp_path, tests, *words)
    assert (code, "not looked at, 1 times: there is no browser\n" in said) == (0, True)
    assert LEFT in said


def test_with_ci_an_absence_fails_and_what_does_not_apply_may_be_skipped(
    tmp_path: Path,
) -> None:
    tests = {
        "skips": SKIPS.format("there is no browser"),
        "lacks": LACKS,
        "spared": SKIPS.format(DOES_NOT_APPLY[0]),
    }
    code, said = run(tmp_path, tests, "--continue-on-collection-errors", CI="true")
    assert code != 0
    assert "CI is set, and a test was skipped: there is no browser" in said
    assert "CI is set, and a test was skipped: could not import 'a_library_that_is" in said
    assert "1 failed, 1 skipped, 1 error in " in said


def test_a_run_that_writes_golden_files_does_not_pass_and_soak_runs_long_tests(
    tmp_path: Path,
) -> None:
    tests = {"long": LONG.format("True")}
    code, said = run(tmp_path, tests, **{UPDATE: "1", SOAK: "1"})
    assert (code, f"run again without {UPDATE}" in said) == (1, True)
    assert ("1 passed" in said, LEFT in said) == (True, False)


def test_a_folder_of_a_run_that_was_killed_goes_and_that_of_one_that_goes_on_stays(
    tmp_path: Path,
) -> None:
    ended = subprocess.Popen(["true"])  # noqa: S607  it ends at once
    ended.wait()
    left, busy = tmp_path / f"{PREFIX}{ended.pid}-a", tmp_path / f"{PREFIX}{os.getpid()}-b"
    left.mkdir()
    busy.mkdir()
    folder = present(folder_in_memory(tmp_path, 0))
    assert set(tmp_path.iterdir()) == {busy, folder}
