"""Plays the jobs of a sweep that have no result yet."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, as_completed

from arena.errors import ArenaError
from arena.ports import Engine
from arena.records.sweep import JobFailure, SweepJob
from arena.sweeps.jobs import JobResult, attempted
from arena.sweeps.results import SweepFolder

Tell = Callable[[SweepJob, JobResult | JobFailure], object]


def run_sweep(
    jobs: Sequence[SweepJob], engine: Engine, folder: SweepFolder, tell: Tell
) -> tuple[JobFailure, ...]:
    """Play what has no result yet, and write each result as it comes.

    Args:
        jobs: All jobs of the plan.
        engine: An engine that has been entered.
        folder: Where results are, and go.
        tell: Is told of every job that ends.

    Returns:
        Why jobs have no result, in the order in which they failed.
    """
    done = folder.done(job.digest for job in jobs)
    waiting = [job for job in jobs if job.digest not in done]
    futures = {engine.submit(attempted, job): job for job in waiting}
    failures: list[JobFailure] = []
    for future in as_completed(futures):
        job = futures.pop(future)
        result = _result(future, job)
        if isinstance(result, JobFailure):
            failures.append(result)
        else:
            folder.add(result)
        tell(job, result)
    return tuple(failures)


def _result(future: Future[JobResult | JobFailure], job: SweepJob) -> JobResult | JobFailure:
    """What a job came to; where its processes ended, its failure."""
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, ArenaError):
        return JobFailure(job.digest, str(job), error.code, error.message)
    line = (str(error).splitlines() or [""])[0]
    message = f"its process ended: {type(error).__name__}: {line}"
    return JobFailure(job.digest, str(job), "sweep.worker", message)
