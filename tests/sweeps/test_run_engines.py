"""What every engine does, whoever's cluster it is."""

import multiprocessing
from contextlib import suppress
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.sweeps.dask_cluster import DaskEngine
from arena.sweeps.local import ATTEMPTS
from arena.sweeps.run import engine_of
from tests.hangs import Patience
from tests.sweeps.work import always_fatal, doubled, endless, killed_once

ENGINES = ("local:2", "dask:2", "ray:2")


def files(folder: Path) -> list[Path]:
    return [folder / name for name in ("a", "fatal", "b", "c", "d", "e")]


def begun(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("name", ENGINES)
def test_every_job_is_done_although_a_process_is_killed_amid_one(
    name: str, tmp_path: Path
) -> None:
    jobs = files(tmp_path)
    with engine_of(name) as engine:
        doubles = [engine.submit(doubled, number) for number in range(20)]
        names = [engine.submit(killed_once, job) for job in jobs]
        assert [future.result() for future in doubles] == [2 * n for n in range(20)]
        assert [future.result() for future in names] == [job.name for job in jobs]
    again = {job.name: begun(job) for job in jobs if begun(job) > 1}
    assert again["fatal"] == 2
    if name == "local:2":  # a cluster may lose what else its process had
        assert set(again) == {"fatal"}


def test_a_job_that_always_ends_its_process_fails_by_itself(tmp_path: Path) -> None:
    jobs = files(tmp_path)
    with engine_of("local:2") as engine:
        futures = {job.name: engine.submit(always_fatal, job) for job in jobs}
        error = futures.pop("fatal").exception()
        assert {future.result() for future in futures.values()} == set(futures)
    assert isinstance(error, ArenaError)
    assert (error.code, begun(tmp_path / "fatal")) == ("sweep.worker", ATTEMPTS)


def test_who_leaves_amid_a_job_leaves_no_process_behind(tmp_path: Path) -> None:
    before = set(multiprocessing.active_children())
    with suppress(KeyboardInterrupt), engine_of("local:2") as engine:
        for job in (tmp_path / "a", tmp_path / "b", tmp_path / "c"):
            engine.submit(endless, job)
        patience = Patience()
        while not (tmp_path / "a").exists():
            patience.wait()
        raise KeyboardInterrupt
    assert set(multiprocessing.active_children()) == before


def test_a_job_that_a_cluster_cancels_fails_by_itself(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    whose = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(**whose, local_directory=tmp_path) as cluster:
        address = cluster.scheduler_address
        with DaskEngine(address) as engine, distributed.Client(address) as somebody:
            future = engine.submit(endless, tmp_path / "a")
            patience = Patience()
            while not (tmp_path / "a").exists():
                patience.wait()
            somebody.restart()
            error = future.exception()
    assert isinstance(error, ArenaError)
    assert error.code == "sweep.worker"


@pytest.mark.parametrize("name", ["spark", "local:0", "local:x", "local:9999", ""])
def test_an_engine_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ArenaError, match="there is no engine") as refused:
        engine_of(name)
    assert (refused.value.code, refused.value.status) == ("sweep.engine", 2)
