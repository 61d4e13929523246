"""How long `arena --help` takes, against an empty Python program."""

import statistics
import subprocess
import sys
import time

from benchmarks.measure import say

RUNS = 7
LIMIT_SECONDS = 0.12


def main() -> None:
    bare = _median([sys.executable, "-c", "pass"])
    own = _median([sys.executable, "-m", "arena", "--help"])
    print(f"an empty program takes {bare:.3f} s, arena --help {own / bare:.1f} times that")
    say("arena --help", own, LIMIT_SECONDS, "s")


def _median(command: list[str]) -> float:
    taken = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)
