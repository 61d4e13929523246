"""The jobs of a plan by every engine, beside a bare pool of processes, joblib and one process.

The plan is that of the examples with a cohort a day; `SWEEP_REPLICATES=50` makes 200 replays
of its eight. Processor time is of this process and of all that it started and waited for; Ray's
workers are none of these, and count by their jobs.
"""

import importlib.util
import os
import resource
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

from arena.bundle import bundled
from arena.cli.start.demo import Demo, play_demo
from arena.config.sweep import load_plan
from arena.records.settings import SweepJob
from arena.sweeps.jobs import FinishedJob, SweepFolder, planned_jobs
from arena.sweeps.run import JobOrder, engine_of, kept, run_sweep
from benchmarks.measure import say

CORES = min(2, os.cpu_count() or 1)
OVERHEAD = 1.05  # of the bare pool's processor time
SPEED_UP = 0.9  # of the number of cores
DEMO = Demo(days=56, contestants=0, seed=1)
REPLICATES = int(os.environ.get("SWEEP_REPLICATES", "2"))  # of each of four arms
ENGINES = ("local", "dask", "ray")

Play = Callable[[Sequence[SweepJob], Path], list[FinishedJob]]


@dataclass(frozen=True, slots=True)
class Taken:
    """What all jobs took, and the heads that they ended with."""

    seconds: float
    cpu: float
    of_jobs: float
    heads: Mapping[str, str]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        jobs = _jobs(Path(folder))
        alone = taken("one process", _one, jobs)
        bare = taken(f"a bare pool of {CORES}", _pool, jobs)
        if importlib.util.find_spec("joblib"):
            taken(f"joblib, {CORES}", _joblib, jobs)
        for name in ENGINES:
            if name != "local" and not importlib.util.find_spec(
                {"dask": "distributed"}.get(name, name)
            ):
                print(f"{name} is not installed")
                continue
            measured = taken(f"{name}:{CORES}", _engine(f"{name}:{CORES}"), jobs)
            if measured.heads != alone.heads:
                raise SystemExit(f"{name} played other journals")
            say(
                f"{name}: CPU of the jobs",
                measured.of_jobs / bare.of_jobs,
                OVERHEAD,
                "times bare",
            )
            if name != "ray":
                say(f"{name}: CPU in all", measured.cpu / bare.cpu, OVERHEAD, "times bare")
            say(f"{name}: cores that it lacks", CORES - alone.seconds / measured.seconds,
                CORES * (1 - SPEED_UP), "cores")  # fmt: skip


def _jobs(folder: Path) -> tuple[SweepJob, ...]:
    """The jobs of the example's plan, over a demo that is played for them."""
    play_demo(DEMO, folder / "demo", quiet=True)
    (folder / "plans").mkdir()
    text = bundled("examples/sweep.yaml").read_text(encoding="utf-8")
    plan = folder / "plans" / "sweep.yaml"
    plan.write_text(
        text.replace("../cohorts", str(bundled("cohorts")))
        .replace("weekly", "daily")
        .replace("[1, 2]", str(list(range(1, REPLICATES + 1))))
    )
    return planned_jobs(load_plan(plan), bundled("config.yaml"))


def taken(what: str, play: Play, jobs: Sequence[SweepJob]) -> Taken:
    """Play all jobs, and print what that took."""
    with tempfile.TemporaryDirectory() as folder:
        started, before = perf_counter(), _cpu()
        results = play(jobs, Path(folder))
        seconds, cpu = perf_counter() - started, _cpu() - before
    of_jobs = sum(result.cpu_seconds for result in results)
    measured = Taken(seconds, max(cpu, of_jobs), of_jobs, {r.job: r.head for r in results})
    print(
        f"{what}: {len(results)} replays in {seconds:.1f} s, {measured.cpu:.1f} s of CPU, "
        f"{of_jobs:.1f} s of them in the jobs",
        flush=True,
    )
    return measured


def _cpu() -> float:
    usages = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _finished(job: SweepJob, folder: Path) -> FinishedJob:
    """Play a job as an engine's worker does."""
    result = kept(JobOrder(job, SweepFolder(folder)))
    if not isinstance(result, FinishedJob):
        raise SystemExit(f"{job}: {result.message}")
    return result


def _one(jobs: Sequence[SweepJob], folder: Path) -> list[FinishedJob]:
    return [_finished(job, folder) for job in jobs]


def _pool(jobs: Sequence[SweepJob], folder: Path) -> list[FinishedJob]:
    with get_context("spawn").Pool(CORES) as pool:
        results = pool.starmap(_finished, [(job, folder) for job in jobs], chunksize=1)
        pool.close()
        pool.join()
    return results


def _joblib(jobs: Sequence[SweepJob], folder: Path) -> list[FinishedJob]:
    import joblib  # noqa: PLC0415  it may not be there
    from joblib.externals.loky import get_reusable_executor  # noqa: PLC0415

    each = (joblib.delayed(_finished)(job, folder) for job in jobs)
    results = list(joblib.Parallel(CORES, batch_size=1)(each))
    get_reusable_executor().shutdown(wait=True)  # its processes would count for who is next
    return results


def _engine(name: str) -> Play:
    def play(jobs: Sequence[SweepJob], folder: Path) -> list[FinishedJob]:
        results: list[FinishedJob] = []

        def tell(_: SweepJob, result: object) -> None:
            if not isinstance(result, FinishedJob):
                raise SystemExit(f"{name}: {result}")
            results.append(result)

        with engine_of(name) as engine:
            run_sweep(jobs, engine, SweepFolder(folder), tell)
        return results

    return play
