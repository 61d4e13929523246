"""From a plan to jobs, and one job played to its result.

The folder of a sweep holds Parquet files by a job's digest, each whole or not there.
"""

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from hashlib import sha256
from importlib.resources import files
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import arena
from arena.agents.prompt import prompt_digest, style_of
from arena.clock import HandClock
from arena.config import load_settings
from arena.config.sweep import SweepPlan
from arena.errors import ArenaError, ForeignError, foreign
from arena.metrics.registry import METRICS
from arena.records.estimate import Estimate
from arena.records.grade import Standing
from arena.records.money import Usd, usd
from arena.records.seal import Named
from arena.records.settings import (
    JobFailure,
    MetricValue,
    RecordingIdentity,
    Settings,
    SweepJob,
)
from arena.render import environment
from arena.replay import ReplayTask, ended_markets, leaks, recorded_cohort, replayed
from arena.scoring.table import Factor, Forecasts
from arena.sheets.parquet import parquet_columns, read_parquet_columns, write_parquet
from arena.site.overview.read import read_overview
from arena.steps.doors import Doors
from arena.steps.replay import play_through
from arena.steps.seal import digest_of_sources, libraries
from arena.store import Store, existing_store
from arena.store.codec import digest_of, moment
from arena.store.scores.evidence import SqliteEvidence, with_outcomes
from arena.store.tape.prices import factor
from arena.wiring import cast, secrets_of

# Every source that has a part in a result.
SOURCES: Final = (
    "agents",
    "ledger",
    "llms",
    "metrics",
    "odds",
    "records",
    "replay.py",
    "scoring",
    "site/overview",
    "stats",
    "steps",
    "store",
    "sweeps/jobs.py",
    "venues",
    "wiring.py",
)
TAPE: Final = ("tape_polls", "tape_markets", "tape_quotes", "tape_statuses")
REPEATS: Final = ("tape_names", "tape_repeats")


@dataclass(frozen=True, slots=True)
class JobResult:
    """What a replay came to. `cost` is None where a part of it is not known.

    `cpu_seconds` are of the process that played and scored it. `forecasts` are those of
    markets that resolved YES or NO.
    """

    digest: str
    head: str
    cpu_seconds: float
    seconds: float
    cost: Usd | None
    values: tuple[MetricValue, ...]
    forecasts: Forecasts


def planned_jobs(plan: SweepPlan, config: Path) -> tuple[SweepJob, ...]:
    """Resolve each replay of a plan, in its order.

    Args:
        plan: What was planned.
        config: The configuration where the plan names none.

    Raises:
        ArenaError: A cohort or a configuration is wrong with its changes, the recording
            cannot be read, or two replays are the same.
    """
    recording = RecordingIdentity(plan.recording.resolve(), recording_digest(plan.recording))
    settings_by_changes: dict[object, Settings] = {}
    jobs: dict[str, SweepJob] = {}
    for replay in plan.replays:
        key = tuple((place, repr(c.value)) for place, c in replay.of_config.items())
        if key not in settings_by_changes:
            file = plan.config or config
            settings_by_changes[key] = load_settings(file, changes=replay.of_config)
        spec, settings = recorded_cohort(
            settings_by_changes[key], plan.recording, plan.cohort, replay.of_cohort
        )
        job = SweepJob("", replay.arm, replay.seed, spec, settings, recording)
        job = replace(job, digest=job_digest(job))
        same = jobs.setdefault(job.digest, job)
        if same is not job:
            raise ArenaError(
                "sweep.same",
                f"{job} is the same replay as {same}",
                hint="a change that changes nothing is no arm, and no seed",
                status=2,
            )
    return tuple(jobs.values())


def may_remember(jobs: Sequence[SweepJob]) -> tuple[str, ...]:
    """Say in words which contestants may remember how the recording ended, each thing once."""
    ended = ended_markets(Path(jobs[0].recording.path)) if jobs else ()
    return tuple(dict.fromkeys(s for job in jobs for s in leaks(job.spec, job.settings, ended)))


def job_digest(job: SweepJob) -> str:
    """SHA-256 over all that determines a job's result, in hexadecimal.

    It is over the cohort, who plays it with which model and prompt, budgets, schedule and
    season, the recording's content, our code, and the versions of what it computes with.
    """
    spec, settings = job.spec, job.settings
    playing = [who for who in settings.contestants if who.id in spec.contestants]
    models = {who.model for who in playing if who.model}
    env = environment(settings.templates)
    determined = {
        "spec": spec,
        "contestants": playing,
        "models": [model for model in settings.models if model.name in models],
        "prompts": [prompt_digest(env, style_of(who).prompt) for who in playing if who.model],
        "schedule": settings.schedule,
        "budgets": settings.budgets,
        "season": settings.season,
        "recording": job.recording.digest,
        "code": _code(),
    }
    return digest_of(determined)


@cache
def _code() -> tuple[str, tuple[Named, ...]]:
    """The digest of the sources, and the versions of what they compute with."""
    return digest_of_sources(files(arena), SOURCES), libraries()


def recording_digest(data: Path) -> str:
    """SHA-256 of what a recording says: of a folder's files, or of an arena's journal and tape.

    Raises:
        ArenaError: There is nothing that can be read.
    """
    digest = sha256()
    if data.is_dir():
        for file in sorted((*data.rglob("*.json"), *data.rglob("*.parquet"))):
            content = sha256(file.read_bytes()).hexdigest()
            digest.update(f"{file.relative_to(data).as_posix()} {content}\n".encode())
        return digest.hexdigest()
    with existing_store(data) as store:
        digest.update(store.journal.head().encode())
        for table in (*TAPE, *REPEATS):
            for row in store.db.rows(f"SELECT * FROM {table} ORDER BY 1, 2"):  # noqa: S608  ours
                digest.update(repr(tuple(row)).encode())
    return digest.hexdigest()


def attempted(job: SweepJob) -> JobResult | JobFailure:
    """Play a job; whatever goes wrong is its own failure, in words and without keys."""
    try:
        with foreign():
            return played(job)
    except ArenaError as error:
        failure = JobFailure(job.digest, str(job), error.code, error.message)
    except ForeignError as error:
        failure = JobFailure(job.digest, str(job), "internal", str(error))
    clean: JobFailure = secrets_of(job.settings).record(failure)
    return clean


def played(job: SweepJob) -> JobResult:
    """Play a job in a temporary folder, without pages.

    Raises:
        ArenaError: As `arena.replay.replayed`.
    """
    started, cpu = perf_counter(), process_time()

    def play(doors: Doors, clock: HandClock, moments: Sequence[datetime]) -> None:
        asyncio.run(play_through(doors, clock, moments, lambda _: None))

    with TemporaryDirectory(prefix="arena-sweep-") as folder:
        task = ReplayTask(
            job.spec,
            job.settings,
            Path(job.recording.path),
            Path(folder),
            pages=False,
            data_digest=job.recording.digest,
        )
        with replayed(task, play) as replay:
            store = replay.store
            costs = [line.cost for line in store.boards.overall().standings]
            values = tuple(_values(store, job.settings))
            forecasts = with_outcomes(store.db, SqliteEvidence(store.db).forecasts())
            return JobResult(
                job.digest,
                store.journal.head(),
                process_time() - cpu,
                perf_counter() - started,
                _total(costs),
                values,
                forecasts,
            )


def _total(costs: Sequence[Usd | None]) -> Usd | None:
    """The sum of what contestants cost; None where one of them is not known."""
    known = [cost for cost in costs if cost is not None]
    return usd(sum(known)) if len(known) == len(costs) else None


def _values(store: Store, settings: Settings) -> Iterator[MetricValue]:
    """Every metric of every contestant: those of the books, and what is estimated."""
    names = {field.name for field in fields(Standing)}
    for line in store.boards.overall().standings:
        for key in METRICS:
            value = getattr(line, key) if key in names else None
            if isinstance(value, Decimal | float | int):
                book = Estimate(float(value), 0, 0)
                yield MetricValue(line.contestant, key, book, None)
    overview = read_overview(store, cast(settings), settings.season)
    for contestant, profile in overview.profiles.items():
        for key, estimate in profile.scores.items():
            yield MetricValue(contestant, key, estimate, estimate.n)


ARMS: Final = parquet_columns("job text, arm text, seed count, changes text")
JOBS: Final = parquet_columns("""
    job text, head text, cpu_seconds number, seconds number, cost dollars, forecasts count
""")
RESULTS: Final = parquet_columns("""
    job text, contestant text, metric text, value number, n count, events count, low number,
    high number, level number, method text, state text
""")
FORECASTS: Final = parquet_columns("""
    job text, contestant text, market text, event text, category text, asked_at moment,
    p number, outcome count, market_p number, close_p number, due moment, ended moment,
    exclusive flag
""")
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
