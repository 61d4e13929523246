"""Jobs on a Ray cluster: the door to `ray`."""

import logging
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Self, TypeVar

from arena.errors import ArenaError

RETRIES: Final = 2  # of a job whose process ended
STORE: Final = 80 * 2**20  # bytes for objects: Ray takes no less
QUIET: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
}
Job = TypeVar("Job")
Result = TypeVar("Result")


@contextmanager
def _environ(**variables: str) -> Iterator[None]:
    """Set variables for what is started in the block, and then as they were."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class RayEngine:
    """A Ray cluster: one that is there, by its address, or so many processes of this machine.

    Nothing is sent to Ray's makers, and no dashboard is opened.
    """

    def __init__(self, where: int | str | None = None) -> None:
        """Plan for an address, or for so many processes; without either, one for each core."""
        self._where = where or (os.cpu_count() or 1)
        self._opened = ExitStack()
        self._ray: Any = None
        self._remote: dict[Callable[..., object], Any] = {}

    def __enter__(self) -> Self:
        """Reach the cluster, or start one.

        Raises:
            ArenaError: `ray` is not installed, or the cluster cannot be reached.
        """
        os.environ.update(QUIET)
        try:
            import ray  # noqa: PLC0415  an extra
        except ImportError as error:
            raise ArenaError(
                "sweep.extra",
                "--on ray needs Ray",
                hint="pip install 'paper-arena[ray]'",
                status=2,
            ) from error
        with ExitStack() as opening:
            quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
            if isinstance(self._where, int):
                # A socket's path has room for about 100 letters.
                short = Path("/tmp")  # noqa: S108  it is given a folder of its own
                folder = opening.enter_context(
                    TemporaryDirectory("", "ray-", short, ignore_cleanup_errors=True)
                )
                opening.callback(ray.shutdown)
                opening.enter_context(_environ(TMPDIR=folder))  # a killed job leaves files
                ray.init(
                    num_cpus=self._where,
                    include_dashboard=False,
                    object_store_memory=STORE,
                    _temp_dir=folder,
                    **quiet,
                )
            else:
                opening.callback(ray.shutdown)
                try:
                    ray.init(address=self._where, **quiet)
                except (ConnectionError, ValueError, RuntimeError) as error:
                    raise ArenaError(
                        "sweep.cluster",
                        f"there is no Ray cluster at {self._where}",
                        hint="name the address of its head, such as ray:10.0.0.5:6379",
                    ) from error
            self._ray = ray
            self._opened = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the cluster, and end the processes that were started."""
        self._opened.close()

    def submit(self, function: Callable[[Job], Result], job: Job, /) -> Future[Result]:
        """Have a worker call a function, which it must be able to import."""
        if function not in self._remote:
            self._remote[function] = self._ray.remote(max_retries=RETRIES)(function)
        future: Future[Result] = self._remote[function].remote(job).future()
        return future
