"""Jobs on a Dask cluster: the door to `distributed`."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack
from tempfile import TemporaryDirectory
from typing import Any, Final, Self, TypeVar

from arena.errors import ArenaError

# Workers do not watch themselves while they play.
QUIET: Final = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "60s",
    "distributed.scheduler.work-stealing": False,
}
Job = TypeVar("Job")
Result = TypeVar("Result")


class DaskEngine:
    """A Dask cluster: one that is there, by its address, or so many processes of this machine.

    A job whose process ends is given to another, by Dask's own rule at most three times.
    """

    def __init__(self, where: int | str | None = None) -> None:
        """Plan for an address, or for so many processes; without either, one for each core."""
        self._where = where or (os.cpu_count() or 1)
        self._opened = ExitStack()
        self._client: Any = None
        self._tasks: set[Any] = set()  # what is not done

    def __enter__(self) -> Self:
        """Reach the cluster, or start one.

        Raises:
            ArenaError: `distributed` is not installed, or the cluster cannot be reached.
        """
        try:
            import dask  # noqa: PLC0415  an extra
            from distributed import Client, LocalCluster  # noqa: PLC0415
        except ImportError as error:
            raise ArenaError(
                "sweep.extra",
                "--on dask needs Dask",
                hint="pip install 'paper-arena[dask]'",
                status=2,
            ) from error
        cluster: object = self._where
        with ExitStack() as opening:
            if isinstance(cluster, int):
                folder = opening.enter_context(TemporaryDirectory(prefix="arena-dask-"))
                opening.enter_context(dask.config.set(QUIET))
                cluster = opening.enter_context(
                    LocalCluster(
                        n_workers=cluster,
                        threads_per_worker=1,
                        dashboard_address="127.0.0.1:0",  # any free port, and no dashboard
                        scheduler_kwargs={"dashboard": False},
                        local_directory=folder,
                        memory_limit=0,
                        env={"TMPDIR": folder},  # a killed job leaves files behind
                        silence_logs=50,
                    )
                )
            try:
                client = opening.enter_context(Client(cluster, set_as_default=False))
            except OSError as error:
                raise ArenaError(
                    "sweep.cluster",
                    f"there is no Dask cluster at {cluster}",
                    hint="name the address of its scheduler, such as dask:tcp://10.0.0.5:8786",
                ) from error
            self._client = client
            self._opened = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Cancel what has not been done, and end the processes that were started."""
        self._client.cancel(list(self._tasks))
        self._opened.close()

    def submit(self, function: Callable[[Job], Result], job: Job, /) -> Future[Result]:
        """Have a worker call a function, which it must be able to import."""
        task = self._client.submit(function, job, pure=False)
        self._tasks.add(task)
        loop = self._client.loop.asyncio_loop
        return asyncio.run_coroutine_threadsafe(self._result(task), loop)

    async def _result(self, task: Any) -> Any:  # noqa: ANN401  of Dask's own kinds
        """Wait for a task, also while it moves from a worker that ended to another.

        `Client.get_executor` gives futures too, but takes a result for an error where another
        was lost in the same moment. What is done is let go of: a result that nobody holds is
        not computed again when its worker ends.

        Raises:
            ArenaError: The cluster cancelled it.
        """
        try:
            return await self._client.gather(task, asynchronous=True)
        except CancelledError as error:
            raise ArenaError(
                "sweep.worker",
                f"the cluster cancelled it: {error}",
                hint="the same command plays what is left",
            ) from error
        finally:
            self._tasks.discard(task)
