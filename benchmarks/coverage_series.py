"""Differences that depend on those before: tests of series, and events that share days."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.stats.bootstrap import generator
from arena.stats.diebold_mariano import (
    diebold_mariano,
    dm_bandwidth_as_horizon,
    dm_ewc,
    dm_newey_west,
    dm_textbook,
    naive_z,
)
from arena.stats.mean_intervals import interval
from benchmarks.tables import DEFAULT, NOMINAL, Share, as_rows, farthest, in_two, print_table

Floats = NDArray[np.float64]

LENGTHS: Final = (12, 20, 40, 72, 100, 200)
TRIALS: Final = 20_000  # of the default
OTHERS: Final = 2_000
LEVEL: Final = 0.05
WARM: Final = 100  # steps before a series begins
SHARED: Final = (12, 20, 40, 100)  # events that share days
ASKED: Final = 5  # days on which an event is asked
DAY_TRIALS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Law:
    """Each day is a multiple of the one before, something new, and a part of the last news.

    `beyond` says that the default is known to miss.
    """

    name: str
    before: float
    news: float = 0.0
    beyond: bool = False


LAWS: Final = (
    Law("Daily series, independent", 0.0),
    Law("Daily series, autoregression 0.3", 0.3),
    Law("Daily series, autoregression 0.6", 0.6),
    Law("Daily series, autoregression 0.8", 0.8, beyond=True),
    Law("Daily series, a slow wave under noise", 0.8, -0.5, beyond=True),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """Series of one law and one length."""

    law: Law
    length: int
    trials: int = TRIALS
    others: int = OTHERS


def main() -> tuple[dict[str, float], dict[str, float], list[tuple[object, ...]]]:
    """Print the tables; how far defaults are off from 40 on, in range and beyond; the rows."""
    found = in_two(cell, [Cell(law, n) for law in LAWS for n in LENGTHS])
    missed: dict[str, float] = {}
    beyond: dict[str, float] = {}
    rows: list[tuple[object, ...]] = []
    for law in LAWS:
        own = [share for share in found if share.family == law.name]
        print_table(f"{law.name}: rejected, per cent", own, 100 - NOMINAL)
        rows += as_rows(law.name, "rejected", own)
        gap = farthest([share for share in own if share.default], 100 - NOMINAL)
        (beyond if law.beyond else missed)[law.name] = gap
    days = in_two(shared_days, SHARED)
    name = days[0].family
    print_table(f"{name}: covered, per cent", days, NOMINAL)
    return missed, beyond, rows + as_rows(name, "covered", days)


def cell(job: Cell) -> list[Share]:
    """How often each test rejects equal losses."""
    name = job.law.name
    rng = generator("coverage", name, str(job.length))
    series = drawn(rng, job.trials, job.length, job.law)
    made = []
    for method, rejects in tests():
        trials = job.trials if method.endswith(DEFAULT) else job.others
        hits = sum(rejects(d) for d in series[:trials])
        made.append(Share(name, method, job.length, hits, trials))
    return made


def drawn(rng: np.random.Generator, trials: int, length: int, law: Law) -> Floats:
    """(trials, length) normal series, begun long before their first day."""
    news = rng.normal(size=(length + WARM, trials))
    steps = news.copy()
    steps[1:] += law.news * news[:-1]
    for t in range(1, len(steps)):
        steps[t] += law.before * steps[t - 1]
    return np.ascontiguousarray(steps[WARM:].T)


def tests() -> Iterator[tuple[str, Callable[[Floats], bool]]]:
    """Every test of a series, and whether it rejects at 5 %."""
    yield f"prewhitened periodogram, t{DEFAULT}", lambda d: _low(diebold_mariano(d).test.p)
    yield "equal-weighted cosines, t", lambda d: _low(dm_ewc(d).test.p)
    yield "bandwidth as horizon (source)", lambda d: _low(dm_bandwidth_as_horizon(d).test.p)
    yield "Newey-West, normal", lambda d: _low(dm_newey_west(d).test.p)
    yield "paired t (textbook, one step)", lambda d: _low(dm_textbook(d).test.p)
    yield "naive Z", lambda d: _low(naive_z(d).test.p)


def _low(p: float | None) -> bool:
    return p is not None and p <= LEVEL


def shared_days(events: int, trials: int = DAY_TRIALS) -> list[Share]:
    """Events of five days each, one begun a day: by event and by day."""
    rng = generator("coverage", "days", str(events))
    event = np.repeat(np.arange(events), ASKED)
    day = event + np.tile(np.arange(ASKED), events)
    hits = {"events, t": 0, "days, t": 0, "rows, t": 0}
    for _ in range(trials):
        news, moods = rng.normal(size=events), rng.normal(size=events + ASKED - 1)
        values = news[event] + moods[day] + rng.normal(size=event.size)
        found = (
            interval(values, event),
            interval(values, day),
            interval(values, np.arange(values.size)),
        )
        for method, one in zip(hits, found, strict=True):
            room = one.interval
            hits[method] += room is not None and room.low <= 0 <= room.high
    name = "Rows that share an event and a day"
    return [Share(name, m, events, h, trials) for m, h in hits.items()]
