"""Plays the jobs of a sweep that have no result yet, on an engine.

Engines go by their names: `local`, `local:4`, `dask:tcp://10.0.0.5:8786`.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import replace
from typing import Final, NamedTuple

from arena.errors import ArenaError, did_you_mean, printable
from arena.ports import Engine
from arena.records.settings import JobFailure, SweepJob
from arena.sweeps.dask_cluster import DaskEngine
from arena.sweeps.jobs import FinishedJob, SweepFolder, attempted
from arena.sweeps.local import LocalEngine
from arena.sweeps.ray_cluster import RayEngine

ENGINES: Final = ("local", "dask", "ray")
MOST: Final = 1024  # processes of one machine


def engine_of(text: str) -> Engine:
    """Choose an engine by a name, or a name and a number of processes or an address.

    Raises:
        ArenaError: There is no such engine, or no such number of processes.
    """
    name, _, where = text.partition(":")
    workers = int(where) if where.isascii() and where.isdigit() else None
    if name == "local" and (workers or not where) and (workers is None or workers <= MOST):
        return LocalEngine(workers)
    if name == "dask":
        return DaskEngine(workers or where or None)
    if name == "ray":
        return RayEngine(workers or where or None)
    raise ArenaError(
        "sweep.engine",
        f"there is no engine {printable(text)}",
        hint=f"name one such as local:4, dask or ray:ADDRESS; {did_you_mean(name, ENGINES)}",
        status=2,
    )


WRITE: Final = "sweep.write"
Tell = Callable[[SweepJob, FinishedJob | JobFailure], object]


class JobOrder(NamedTuple):
    """A job, and where its worker writes what it came to."""

    job: SweepJob
    folder: SweepFolder


def run_sweep(
    jobs: Sequence[SweepJob], engine: Engine, folder: SweepFolder, tell: Tell
) -> tuple[JobFailure, ...]:
    """Play what has no result yet; each worker writes the results of its own jobs.

    Args:
        jobs: All jobs of the plan.
        engine: An engine that has been entered.
        folder: Where results are, and go: all workers see it by this path.
        tell: Is told of every job that ends.

    Returns:
        Why jobs have no result, in the order in which they failed.

    Raises:
        ArenaError: A result cannot be written: those of other jobs would not be either.
    """
    done = folder.done(job.digest for job in jobs)
    waiting = [job for job in jobs if job.digest not in done]
    there = replace(folder, path=folder.path.absolute())
    futures = {engine.submit(kept, JobOrder(job, there)): job for job in waiting}
    failures: list[JobFailure] = []
    for future in as_completed(futures):
        job = futures.pop(future)
        result = _result(future, job)
        if isinstance(result, JobFailure):
            if result.code == WRITE:
                raise ArenaError(
                    WRITE,
                    f"the result of {job} cannot be written: {result.message}",
                    hint="give it room; the same command then goes on",
                )
            failures.append(result)
        tell(job, result)
    return tuple(failures)


def kept(order: JobOrder) -> FinishedJob | JobFailure:
    """Play a job, and write its result; `sweep.write` is the failure of one that cannot be."""
    result = attempted(order.job)
    if isinstance(result, JobFailure):
        return result
    try:
        return order.folder.add(result)
    except OSError as error:
        return JobFailure(order.job.digest, str(order.job), WRITE, str(error))


def _result(
    future: Future[FinishedJob | JobFailure], job: SweepJob
) -> FinishedJob | JobFailure:
    """What a job came to; where its processes ended, its failure."""
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, ArenaError):
        return JobFailure(job.digest, str(job), error.code, error.message)
    line = (str(error).splitlines() or [""])[0]
    message = f"its process ended: {type(error).__name__}: {line}"
    return JobFailure(job.digest, str(job), "sweep.worker", message)
