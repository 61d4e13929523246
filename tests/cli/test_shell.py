"""A command of a test ends with all that it started."""

import os
import sys
from pathlib import Path

import pytest

from tests.cli.shell import running
from tests.hangs import wait_until

# A child that holds the output for an hour, and a parent that does not end it.
FORKS = (
    "import subprocess, sys\n"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3600)'])\n"
    "print(child.pid, flush=True)\n"
    "{}"
)


@pytest.mark.parametrize("then", ["", "child.wait()"], ids=["ends", "waits"])
def test_a_child_that_is_left_behind_is_killed_and_nobody_waits_for_it(
    then: str, tmp_path: Path
) -> None:
    program = (sys.executable, "-c", FORKS.format(then))
    with running(cwd=tmp_path, program=program) as process:
        assert process.stdout
        child = int(process.stdout.readline())
    wait_until(lambda: not is_running(child))


def is_running(process: int) -> bool:
    """Whether a process is there and has not ended: one that nobody waited for has."""
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state != "Z"
