"""Engines by their names: `local`, `local:4`, `dask:tcp://10.0.0.5:8786`."""

from typing import Final

from arena.errors import ArenaError, did_you_mean, printable
from arena.ports import Engine
from arena.sweeps.dask_cluster import DaskEngine
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
