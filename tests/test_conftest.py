"""What a run says of tests that were skipped, and when that fails it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.shell import environment
from tests.conftest import DOES_NOT_APPLY, UPDATE

ROOT = Path(__file__).parents[1]
HOOKS = "from tests.conftest import *\n"
SKIPS = "import pytest\n\ndef test_x(): pytest.skip({!r})\n"
LACKS = "import pytest\n\npytest.importorskip('a_library_that_is_not_there')\n"


def run(folder: Path, test: str, **variables: str) -> tuple[int, str]:
    """Run a file with one test under our hooks: the exit code, and what was printed."""
    (folder / "conftest.py").write_text(HOOKS)
    (folder / "test_x.py").write_text(test)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."],
        cwd=folder,
        env=environment({"PYTHONPATH": str(ROOT)} | variables),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout


def test_what_was_skipped_is_listed_at_the_end(tmp_path: Path) -> None:
    code, said = run(tmp_path, SKIPS.format("there is no browser"))
    assert (code, "not looked at, 1 times: there is no browser\n" in said) == (0, True)


@pytest.mark.parametrize("test", [SKIPS.format("there is no browser"), LACKS])
def test_with_ci_an_absence_fails(test: str, tmp_path: Path) -> None:
    code, said = run(tmp_path, test, CI="true")
    assert (code != 0, "CI is set, and a test was skipped: " in said) == (True, True)


def test_with_ci_what_does_not_apply_may_be_skipped(tmp_path: Path) -> None:
    assert run(tmp_path, SKIPS.format(DOES_NOT_APPLY[0]), CI="true")[0] == 0


def test_a_run_that_writes_golden_files_does_not_pass(tmp_path: Path) -> None:
    code, said = run(tmp_path, "def test_x(): pass\n", **{UPDATE: "1"})
    assert (code, f"run again without {UPDATE}" in said) == (1, True)
