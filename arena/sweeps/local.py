"""Jobs on the processes of this machine."""

import multiprocessing
import os
import signal
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from arena.errors import ArenaError
from arena.process import end_with_parent

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

ATTEMPTS: Final = 3  # of a job whose process ended: then it is the job that ends them
Job = TypeVar("Job")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _Worker:
    """A process, and the line to it: it ends when the other end of that closes."""

    process: BaseProcess
    line: "Connection[Any, Any]"


class LocalEngine:
    """So many processes of this machine; each plays one job at a time.

    A thread for each process hands it jobs. A process that ends costs the job that it had,
    which another process then gets. When this process ends, however it does, so do they.
    """

    def __init__(self, workers: int | None = None) -> None:
        """Plan for so many processes; without a number one for each core."""
        self.workers = workers or (os.cpu_count() or 1)
        self._threads = ThreadPoolExecutor(self.workers)
        self._own = threading.local()
        self._started: list[_Worker] = []
        self._scratch = TemporaryDirectory(prefix="arena-sweep-")
        self._starting = threading.Lock()
        self._closed = False

    def __enter__(self) -> Self:
        """Start nothing yet: a process starts with its first job."""
        return self

    def __exit__(self, *_: object) -> None:
        """End every process, also amid a job."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._starting:
            self._closed = True
            for worker in self._started:
                worker.process.kill()
        self._threads.shutdown(wait=True)
        for worker in self._started:
            worker.process.join()
            worker.line.close()
        self._scratch.cleanup()

    def submit(self, function: Callable[[Job], Result], job: Job, /) -> Future[Result]:
        """Have a process call a function, which it must be able to import."""
        return self._threads.submit(self._attempt, function, job)

    def _attempt(self, function: Callable[[Job], Result], job: Job) -> Result:
        for _ in range(ATTEMPTS):
            worker = self._worker()
            try:
                worker.line.send((function, job))
                result: Result = worker.line.recv()
            except (EOFError, ConnectionError):
                worker.process.join()
                self._own.worker = None
            else:
                return result
        raise ArenaError(
            "sweep.worker",
            f"the process that played it ended {ATTEMPTS} times",
            hint="is there enough memory? fewer processes need less: --on local:1",
        )

    def _worker(self) -> _Worker:
        """The process of this thread; a new one where it has none."""
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is not None:
            return worker
        with self._starting:
            if self._closed:
                raise ArenaError("sweep.worker", "the sweep is being stopped")
            spawn = multiprocessing.get_context("spawn")
            here, there = spawn.Pipe()
            arguments = (there, self._scratch.name)
            process = spawn.Process(target=_serve, args=arguments, daemon=True)
            process.start()
            there.close()
            worker = self._own.worker = _Worker(process, here)
            self._started.append(worker)
        return worker


def _serve(line: "Connection[Any, Any]", scratch: str) -> None:
    """Do jobs until the line closes, with temporary files where the other end deletes them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()
    tempfile.tempdir = scratch
    while True:
        try:
            function, job = line.recv()
        except EOFError:
            return
        line.send(function(job))
