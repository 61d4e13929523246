import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.errors import ArenaError, StopError
from arena.store import locked, open_store
from arena.store.lease import OVERDUE, HeldError, leased, overdue_holder
from tests.build import HERE, at


def let_time_pass(file: Path, *, ahead: bool = False) -> None:
    """Let the last sign of life be long ago, or ahead as after a clock that went wrong."""
    then = file.stat().st_mtime + (2 if ahead else -2) * OVERDUE.total_seconds()
    os.utime(file, (then, then))


def test_only_one_has_the_right_and_the_other_is_told_who(tmp_path: Path) -> None:
    file = tmp_path / "right"
    told = pytest.raises(HeldError, match=str(os.getpid()))
    with leased(file, wait=0), told, leased(file, wait=0):
        pass
    assert overdue_holder(file) is None


@pytest.mark.parametrize("ahead", [False, True])
def test_who_gives_no_sign_loses_the_right(tmp_path: Path, *, ahead: bool) -> None:
    file = tmp_path / "right"
    with leased(file, wait=0) as one:
        let_time_pass(file, ahead=ahead)
        assert str(os.getpid()) in (overdue_holder(file) or "")
        with leased(file, wait=0) as other:
            assert str(os.getpid()) in other.taken_from
            other.beat()
            with pytest.raises(StopError, match="another took over"):
                one.beat()
    with leased(file, wait=0) as third:
        assert third.taken_from == ""


def test_a_sign_of_life_keeps_the_right(tmp_path: Path) -> None:
    file = tmp_path / "right"
    with leased(file, wait=0) as one:
        let_time_pass(file)
        one.beat()
        assert overdue_holder(file) is None
        with pytest.raises(HeldError), leased(file, wait=0):
            pass


def test_whoever_has_lost_the_right_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    with locked(file) as lease, open_store(file, lease=lease) as store:
        store.tape.record_poll(HERE, at(0))
        let_time_pass(Path(f"{file}-tick"))
        with locked(file, wait=0) as other, open_store(file, lease=other) as newer:
            with pytest.raises(StopError):
                store.tape.record_poll(HERE, at(1))
            with pytest.raises(StopError), store.write():
                pass
            newer.tape.record_poll(HERE, at(2))
            assert newer.tape.last_moment() == at(2)


def test_nobody_takes_over_in_the_middle_of_a_write(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    with locked(file) as lease, open_store(file, lease=lease) as store, store.write():
        store.tape.record_poll(HERE, at(0))
        let_time_pass(Path(f"{file}-tick"))
        with pytest.raises(ArenaError) as caught, locked(file, wait=0):
            pass
        lease.beat()
    assert caught.value.code == "tick.hung"
    assert str(os.getpid()) in caught.value.message


def test_a_file_of_an_earlier_version_stands_in_nobodys_way(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "arena.db-tick")) as old:
        old.execute("CREATE TABLE t (x)")
    with locked(tmp_path / "arena.db", wait=0) as lease:
        assert lease.taken_from == ""


def test_work_ends_with_the_right_to_it(tmp_path: Path) -> None:
    async def work(of: int) -> int:
        await asyncio.sleep(0)
        return of

    async def broken() -> int:
        raise LookupError

    with leased(tmp_path / "right", wait=0) as lease:
        assert asyncio.run(lease.during(work(3))) == 3
        with pytest.raises(LookupError):
            asyncio.run(lease.during(broken()))
