"""The folder of a sweep: Parquet files by a job's digest, each whole or not there."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from math import isnan
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.errors import ArenaError
from arena.records.sweep import SweepJob
from arena.scoring.table import Factor, Forecasts
from arena.sheets.parquet import ParquetType, read_parquet_columns, write_parquet
from arena.store.codec import moment
from arena.store.tape.prices import factor
from arena.sweeps.jobs import JobResult

ARMS: Final = (
    ("job", ParquetType.TEXT),
    ("arm", ParquetType.TEXT),
    ("seed", ParquetType.COUNT),
    ("changes", ParquetType.TEXT),
)
JOBS: Final = (
    ("job", ParquetType.TEXT),
    ("head", ParquetType.TEXT),
    ("cpu_seconds", ParquetType.NUMBER),
    ("seconds", ParquetType.NUMBER),
    ("cost", ParquetType.DOLLARS),
    ("forecasts", ParquetType.COUNT),
)
RESULTS: Final = (
    ("job", ParquetType.TEXT),
    ("contestant", ParquetType.TEXT),
    ("metric", ParquetType.TEXT),
    ("value", ParquetType.NUMBER),
    ("n", ParquetType.COUNT),
    ("events", ParquetType.COUNT),
    ("low", ParquetType.NUMBER),
    ("high", ParquetType.NUMBER),
    ("level", ParquetType.NUMBER),
    ("method", ParquetType.TEXT),
    ("state", ParquetType.TEXT),
)
FORECASTS: Final = (
    ("job", ParquetType.TEXT),
    ("contestant", ParquetType.TEXT),
    ("market", ParquetType.TEXT),
    ("event", ParquetType.TEXT),
    ("category", ParquetType.TEXT),
    ("asked_at", ParquetType.MOMENT),
    ("p", ParquetType.NUMBER),
    ("outcome", ParquetType.COUNT),
    ("market_p", ParquetType.NUMBER),
    ("close_p", ParquetType.NUMBER),
    ("due", ParquetType.MOMENT),
    ("ended", ParquetType.MOMENT),
    ("exclusive", ParquetType.FLAG),
)
MICRO: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class PlannedJob:
    """A job as the folder has it: its arm, and its seed if it has one."""

    job: str
    arm: str
    seed: int | None


@dataclass(frozen=True, slots=True)
class FinishedJob:
    """What a replay took, and the head of its journal; `cost` is None where it is not known."""

    job: str
    head: str
    cpu_seconds: float
    seconds: float
    cost: float | None
    forecasts: int


@dataclass(frozen=True, slots=True)
class SweepFolder:
    """Where results are: `arms.parquet`, and a file a job in jobs, results and forecasts.

    A job is done when its file in `jobs` is there, which is written last.
    """

    path: Path

    def plan(self, jobs: Sequence[SweepJob]) -> None:
        """Write down which jobs the plan has; results of other plans stay where they are."""
        rows = [(j.digest, j.arm.name, j.seed, json.dumps(dict(j.arm.changes))) for j in jobs]
        write_parquet(self.path / "arms.parquet", ARMS, rows)

    def planned(self) -> tuple[PlannedJob, ...]:
        """The jobs of the plan, in its order.

        Raises:
            ArenaError: No sweep was ever written there.
        """
        file = self.path / "arms.parquet"
        if not file.is_file():
            raise ArenaError(
                "sweep.none",
                f"there is no sweep in {self.path}",
                hint="`arena sweep PLAN.yaml --out FOLDER` plays one",
                status=2,
            )
        columns = read_parquet_columns([file], ("job", "arm", "seed"))
        seeds = [None if np.isnan(seed) else int(seed) for seed in columns["seed"].tolist()]
        rows = zip(columns["job"].tolist(), columns["arm"].tolist(), seeds, strict=True)
        return tuple(PlannedJob(*row) for row in rows)

    def done(self, jobs: Iterable[str]) -> frozenset[str]:
        """Those of some jobs that have a result."""
        return frozenset(job for job in jobs if self._file("jobs", job).is_file())

    def finished(self, jobs: Iterable[str]) -> tuple[FinishedJob, ...]:
        """What is known of those of some jobs that have a result, in their order."""
        done = [job for job in jobs if self._file("jobs", job).is_file()]
        columns = self.columns("jobs", done, [name for name, _ in JOBS])
        rows = zip(*(columns[name].tolist() for name, _ in JOBS), strict=True)
        return tuple(
            FinishedJob(job, head, cpu, seconds, None if isnan(cost) else cost, int(n))
            for job, head, cpu, seconds, cost, n in rows
        )

    def add(self, result: JobResult) -> FinishedJob:
        """Write a job's result, and give what `finished` will say of it."""
        job = result.digest
        write_parquet(self._file("results", job), RESULTS, _value_rows(result))
        write_parquet(self._file("forecasts", job), FORECASTS, _forecast_rows(result))
        cost = None if result.cost is None else int(result.cost * MICRO)
        row = (job, result.head, result.cpu_seconds, result.seconds)
        count = len(result.forecasts)
        write_parquet(self._file("jobs", job), JOBS, [(*row, cost, count)])
        return FinishedJob(*row, None if cost is None else cost / MICRO, count)

    def columns(
        self, table: str, jobs: Iterable[str], names: Sequence[str]
    ) -> Mapping[str, NDArray[Any]]:
        """Columns of one of the tables, of some jobs; missing numbers are NaN, moments NaT."""
        files = [file for job in jobs if (file := self._file(table, job)).is_file()]
        return read_parquet_columns(files, names)

    def forecasts(self, jobs: Sequence[str]) -> tuple[Forecasts, Factor]:
        """The forecasts of some jobs, in their order, and the job of each."""
        columns = self.columns("forecasts", jobs, [name for name, _ in FORECASTS])
        moments = {
            name: columns[name].astype("datetime64[us]")
            for name in ("asked_at", "due", "ended")
        }
        names = {
            name: factor(columns[name].tolist())
            for name in ("job", "contestant", "market", "event", "category")
        }
        rows = Forecasts(
            contestant=names["contestant"],
            market=names["market"],
            event=names["event"],
            at=moments["asked_at"],
            p=columns["p"].astype(np.float64),
            outcome=columns["outcome"].astype(np.intp),
            market_p=columns["market_p"].astype(np.float64),
            close_p=columns["close_p"].astype(np.float64),
            labels={"category": names["category"]},
            due=moments["due"],
            ended=moments["ended"],
            exclusive=columns["exclusive"].astype(np.bool_),
        )
        return rows, names["job"]

    def _file(self, table: str, job: str) -> Path:
        return self.path / table / f"{job}.parquet"


def _value_rows(result: JobResult) -> Iterator[tuple[object, ...]]:
    for value in result.values:
        estimate, interval = value.estimate, value.estimate.interval
        events = None if value.n is None else estimate.events
        between: tuple[object, ...] = (None,) * 4
        if interval is not None:
            between = (interval.low, interval.high, interval.level, interval.method)
        named = (result.digest, value.contestant, value.metric)
        yield (*named, estimate.value, value.n, events, *between, estimate.state.value)


def _forecast_rows(result: JobResult) -> Iterator[tuple[object, ...]]:
    rows = result.forecasts
    names = (rows.contestant, rows.market, rows.event, rows.labels["category"])
    texts = [[column.names[code] for code in column.codes.tolist()] for column in names]
    numbers = [
        [None if np.isnan(value) else value for value in column.tolist()]
        for column in (rows.market_p, rows.close_p)
    ]
    nothing = np.full(len(rows), np.datetime64("NaT", "us"))
    at, due, ended = (
        [None if m is None else moment(m.replace(tzinfo=UTC)) for m in column.tolist()]
        for column in (
            (nothing if c is None else c).astype("datetime64[us]")
            for c in (rows.at, rows.due, rows.ended)
        )
    )
    exclusive = [False] * len(rows) if rows.exclusive is None else rows.exclusive.tolist()
    columns = (
        *texts,
        at,
        rows.p.tolist(),
        rows.outcome.tolist(),
        *numbers,
        due,
        ended,
        exclusive,
    )
    yield from ((result.digest, *row) for row in zip(*columns, strict=True))
