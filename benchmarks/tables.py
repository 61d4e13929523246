"""What simulations print and keep: shares of trials, and other tables, as plain data."""

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import numpy as np

from arena.sweeps.local import LocalEngine

Job = TypeVar("Job")
Found = TypeVar("Found")

NOMINAL: Final = 95.0
ENOUGH: Final = 40  # events, from which on a default is held to its level
DEFAULT: Final = " (default)"
WORKERS: Final = 2
RESULTS: Final = Path(__file__).parent / "results"
SHARES: Final = ("data", "counted", "method", "default", "events", "percent", "trials")


@dataclass(frozen=True, slots=True)
class Share:
    """In how many of the trials of one method, family and size something happened."""

    family: str
    method: str
    events: int
    hits: int
    trials: int

    @property
    def percent(self) -> float:
        """The share in per cent."""
        return 100 * self.hits / self.trials

    @property
    def default(self) -> bool:
        """Whether the method is what the arena takes if nobody asks for another."""
        return self.method.endswith(DEFAULT)


def in_two(work: Callable[[Job], list[Found]], jobs: Sequence[Job]) -> list[Found]:
    """Do jobs in two processes; each draws its own numbers, so that their order is nothing."""
    with LocalEngine(WORKERS) as engine:
        futures = [engine.submit(work, job) for job in jobs]
        return [one for future in futures for one in future.result()]


def print_table(title: str, shares: Sequence[Share], expected: float) -> None:
    """A row a method and a column a size, with the error of simulating in the last."""
    sizes = sorted({share.events for share in shares})
    cells = {(share.method, share.events): share for share in shares}
    print(f"\n{title}\n")
    print("| | " + " | ".join(map(str, sizes)) + " | ± |")
    print("|---|" + "---|" * (len(sizes) + 1))
    for method in dict.fromkeys(share.method for share in shares):
        row = [cells.get((method, n)) for n in sizes]
        told = ["" if share is None else f"{share.percent:.1f}" for share in row]
        print(f"| {method} | {' | '.join(told)} | {_error(row, expected):.1f} |")


def as_rows(data: str, counted: str, shares: Iterable[Share]) -> list[tuple[object, ...]]:
    """Shares as rows under the names of `SHARES`."""
    return [
        (
            data,
            counted,
            share.method.removesuffix(DEFAULT),
            "yes" if share.default else "no",
            share.events,
            f"{share.percent:.1f}",
            share.trials,
        )
        for share in shares
    ]


def write(name: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Keep a table as `results/NAME.tsv`, which documents quote and their tests read."""
    with (RESULTS / f"{name}.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, "excel-tab", lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def read(name: str) -> list[dict[str, str]]:
    """The rows of a table that was kept, each by the names of its columns."""
    with (RESULTS / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, dialect="excel-tab"))


def farthest(shares: Sequence[Share], expected: float) -> float:
    """By how many points a share of 40 events or more misses at most."""
    large = [share for share in shares if share.events >= ENOUGH]
    return max(abs(share.percent - expected) for share in large)


def _error(row: Sequence[Share | None], expected: float) -> float:
    trials = min(share.trials for share in row if share is not None)
    return float(np.sqrt(expected * (100 - expected) / trials))
