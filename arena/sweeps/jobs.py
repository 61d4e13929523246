"""From a plan to jobs, and one job played to its result."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from decimal import Decimal
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Final

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
from arena.records.settings import Settings
from arena.records.sweep import JobFailure, MetricValue, RecordingIdentity, SweepJob
from arena.render import environment
from arena.replay import ReplayTask, ended_markets, leaks, recorded_cohort, replayed
from arena.scoring.table import Forecasts
from arena.site.overview import read_overview
from arena.steps.doors import Doors
from arena.steps.grading_fingerprint import digest_of_sources, libraries
from arena.steps.replay import play_through
from arena.store import Store, existing_store
from arena.store.codec import digest_of
from arena.store.scores.evidence import SqliteEvidence
from arena.store.tape.daily_prices import with_outcomes
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
