"""The default demo as a whole process: seconds and peak memory."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import say

LIMIT_SECONDS = 20
LIMIT_MEGABYTES = 280
KILOBYTE = 1024


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "arena", "demo", "--out", str(Path(folder) / "demo")]
        start = time.perf_counter()
        child = subprocess.Popen(  # noqa: S603
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, status, used = os.wait4(child.pid, 0)
        taken = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"the demo failed with {child.returncode}")
    say("the default demo", taken, LIMIT_SECONDS, "s")
    say("its peak memory", used.ru_maxrss / KILOBYTE, LIMIT_MEGABYTES, "MB")
