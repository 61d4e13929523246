"""What `arena score` takes for a million forecasts, against a program that only reads them.

Both are whole processes, and take turns, so that a busy machine slows both.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.measure import say

CONTESTANTS, MARKETS, PER_EVENT = 20, 50_000, 2
TURNS = 7
LIMIT = 2
READS = "import pandas, sys; pandas.read_csv(sys.argv[1])"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "forecasts.csv"
        rows = _write(file)
        size = file.stat().st_size / 1e6
        python = sys.executable
        read, score = _least(
            [python, "-c", READS, str(file)], [python, "-m", "arena", "score", str(file)]
        )
    print(f"{rows:,} forecasts of {CONTESTANTS} contestants, {size:.0f} MB")
    print(f"reading them with pandas: {read:.2f} s; `arena score`: {score:.2f} s")
    say("arena score", score / read, LIMIT, "times reading the file")


def _write(file: Path) -> int:
    """Every contestant forecasts every market, each through its own noise."""
    rng = np.random.default_rng(20260105)
    market = np.repeat(np.arange(MARKETS), CONTESTANTS)
    who = np.tile(np.arange(CONTESTANTS), MARKETS)
    event = market // PER_EVENT
    chance = rng.beta(0.8, 1.2, MARKETS)
    price = np.clip(chance + rng.normal(0, 0.05, MARKETS), 0.001, 0.999)
    said = chance[market] + rng.normal(0, 0.05 + 0.01 * who)
    days = np.datetime64("2026-01-01") + (event // 70).astype("timedelta64[D]")
    frame = pd.DataFrame(
        {
            "contestant": np.char.mod("model-%02d", who),
            "market": np.char.mod("market-%06d", market),
            "event": np.char.mod("event-%06d", event),
            "at": np.char.add(days.astype(str), "T00:00:00Z"),
            "p": np.clip(said, 0, 1).round(4),
            "market_p": price[market].round(3),
            "outcome": (rng.random(MARKETS) < chance).astype(int)[market],
        }
    )
    frame.to_csv(file, index=False)
    return len(frame)


def _least(*commands: list[str]) -> list[float]:
    """The shortest time of each command, in seconds."""
    found = [float("inf")] * len(commands)
    for _ in range(TURNS):
        for place, command in enumerate(commands):
            start = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
            found[place] = min(found[place], time.perf_counter() - start)
    return found
