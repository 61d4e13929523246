"""Files, folders and disks that fail: each is one clear line, and nothing is lost."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.ledger.journal import fund
from arena.records.money import usd
from arena.store import open_store
from tests.build import ADA, BEN, COHORT, T0
from tests.cli.project import Project, moment
from tests.cli.shell import Done, ended, running


@dataclass(frozen=True, slots=True)
class Waiting:
    """A tick that waits for a database which another process holds."""

    made: Project
    process: subprocess.Popen[str]
    holder: sqlite3.Connection


@pytest.fixture(scope="module", autouse=True)
def waiting(ticked: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Waiting]:
    """Start the wait of some seconds; the other tests run meanwhile."""
    made = ticked.copy(tmp_path_factory.mktemp("waiting") / "arena")
    with closing(sqlite3.connect(made.database)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with running("tick", "--at", moment(24), cwd=made.folder) as process:
            yield Waiting(made, process, holder)


@pytest.fixture(scope="module")
def shut_out(waiting: Waiting) -> Done:
    """What the tick said in the end; then the database is free again."""
    done = ended(waiting.process)
    waiting.holder.rollback()
    return done


def test_every_mistake_is_told_at_once(fresh: Project) -> None:
    (fresh.folder / "config.yaml").write_text("venuess: {}\nmodells: {}\n")
    done = fresh.tick()
    assert done.code == 2
    assert "config.yaml:1: venuess" in done.err
    assert "config.yaml:2: modells" in done.err
    assert "cohorts/c.yaml:2: venue" in done.err


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(fresh: Project) -> None:
    fresh.database.parent.mkdir()
    fresh.database.write_text("dear diary, " * 500)
    done = fresh.tick()
    assert done.fails_clearly(1)
    assert done.err == (
        f"error[store.foreign]: {fresh.database} is not an arena's database\n"
        "  hint: choose another file with paths.database in config.yaml\n"
    )
    assert fresh.database.read_text() == "dear diary, " * 500


@pytest.mark.parametrize("name", ["tick", "leaderboard"])
def test_another_programs_database_is_refused_and_left_as_it_is(
    name: str, fresh: Project
) -> None:
    fresh.database.parent.mkdir()
    fresh.damage("CREATE TABLE diary (day TEXT); INSERT INTO diary VALUES ('monday');")
    before = fresh.database.read_bytes()
    done = fresh.run(name)
    assert done.fails_clearly(1)
    assert "is not an arena's database" in done.err
    assert fresh.database.read_bytes() == before


def test_a_damaged_file_is_named(ticked: Project, tmp_path: Path) -> None:
    made = ticked.copy(tmp_path / "a")
    whole = made.database.read_bytes()
    made.database.write_bytes(whole[:8192] + bytes(len(whole) - 8192))
    done = made.run("audit")
    assert (done.code in {1, 3}, done.crashed) == (True, False)
    assert "is damaged" in done.err + done.out or "BROKEN" in done.out


def test_a_folder_that_is_a_file_is_named(fresh: Project) -> None:
    (fresh.folder / "data").write_text("")
    done = fresh.tick()
    assert done.fails_clearly(1)
    assert f"error[store.folder]: cannot make the folder of {fresh.database}" in done.err


def test_a_folder_that_may_not_be_written_to_is_named(fresh: Project) -> None:
    with read_only(fresh.folder):
        done = without_privileges(fresh, "tick", "--at", "2026-01-05T00:00Z")
    assert done.fails_clearly(1)
    assert "error[store." in done.err
    assert str(fresh.folder) in done.err
    assert "  hint: " in done.err


def test_a_database_that_may_not_be_written_to_is_named(
    ticked: Project, tmp_path: Path
) -> None:
    made = ticked.copy(tmp_path / "a")
    with read_only(made.folder / "data"):
        done = without_privileges(made, "tick", "--at", "2026-01-06T00:00Z")
    assert done.fails_clearly(1)
    assert str(made.database) in done.err
    assert made.tick(hours=24).code == 0


def test_a_demo_in_a_folder_that_may_not_be_written_to_is_named(tmp_path: Path) -> None:
    made = Project(tmp_path)
    with read_only(tmp_path):
        done = without_privileges(made, "demo", "--days", "1")
    assert done.fails_clearly(1)
    assert done.err == (
        "error[store.folder]: cannot make the folder of demo/arena.db-tick: Permission denied\n"
        "  hint: choose another place, or give this user the right to write there\n"
    )


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    before = folder.stat().st_mode
    folder.chmod(0o555)
    try:
        yield
    finally:
        folder.chmod(before)


# The superuser may write everywhere; this gives that up before it becomes the command.
_PLAIN_USER = """
import ctypes, os, sys
if os.geteuid() == 0:
    for capability in (1, 2):
        if ctypes.CDLL(None, use_errno=True).prctl(24, capability, 0, 0, 0):
            sys.exit(77)
os.execv(sys.executable, [sys.executable, "-m", "arena", *sys.argv[1:]])
"""
CANNOT = 77


def without_privileges(made: Project, *words: str) -> Done:
    if sys.platform != "linux" and os.geteuid() == 0:
        pytest.skip("the superuser may write everywhere")
    done = subprocess.run(  # noqa: S603  our own code
        [sys.executable, "-c", _PLAIN_USER, *words],
        cwd=made.folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode == CANNOT:
        pytest.skip("this user cannot give up its privileges")
    return Done(done.returncode, done.stdout, done.stderr)


# The database, at work


def test_a_database_that_another_process_holds_is_named(shut_out: Done) -> None:
    assert shut_out.fails_clearly(1)
    assert shut_out.err.endswith(
        "/data/arena.db is locked by another process\n"
        "  hint: wait for it to finish, or stop it; nothing was written\n"
    )


@pytest.mark.usefixtures("shut_out")
def test_when_the_database_is_free_again_the_next_tick_does_the_work(waiting: Waiting) -> None:
    assert waiting.made.tick(hours=24).code == 0
    assert waiting.made.is_sound


def test_readers_are_not_held_up_by_a_writer(ticked: Project) -> None:
    with closing(sqlite3.connect(ticked.database)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert ticked.run("leaderboard").code == 0


def on_a_full_disk(folder: Path, work: Callable[[Path], None]) -> ArenaError:
    """Do something to a database that cannot grow any more."""
    file = folder / "arena.db"
    with open_store(file) as store:
        store.journal.append([fund(COHORT, ADA, usd(1), T0)])
    with pytest.raises(ArenaError) as caught:
        work(file)
    return caught.value


def fill_up(file: Path) -> None:
    with open_store(file) as store:
        store.db.run(f"PRAGMA max_page_count = {store.db.value('PRAGMA page_count')}")
        store.journal.append(
            fund(COHORT, type(BEN)(f"{BEN}-{n}"), usd(1), T0) for n in range(1000)
        )


def test_a_full_disk_is_said_in_words(tmp_path: Path) -> None:
    error = on_a_full_disk(tmp_path, fill_up)
    assert (error.code, error.hint) == (
        "store.full",
        "free some space and run the same command again; nothing was lost",
    )
    assert error.message == f"{tmp_path / 'arena.db'} cannot grow: the disk is full"


def test_what_a_full_disk_cut_short_leaves_nothing_behind(tmp_path: Path) -> None:
    on_a_full_disk(tmp_path, fill_up)
    with open_store(tmp_path / "arena.db") as store:
        assert [entry.contestant for _, _, entry in store.journal.entries()] == [ADA]
