"""A process that hangs in the middle of its work, and those that come after it."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.store.lease import OVERDUE
from tests.cli.project import BASELINES, Project, moment
from tests.cli.shell import Done, ended, running
from tests.cli.test_killed import MODELS, Stubborn, is_half_played, of_models
from tests.hangs import wait_until
from tests.standins.model_server import ModelServer

LONG_AGO = 2 * OVERDUE.total_seconds()


@contextmanager
def hung(process: subprocess.Popen[str], lease: Path) -> Iterator[None]:
    """Stop a process, and let it seem to be stopped for long; it goes on afterwards."""
    process.send_signal(signal.SIGSTOP)
    try:
        then = lease.stat().st_mtime - LONG_AGO
        os.utime(lease, (then, then))
        yield
    finally:
        process.send_signal(signal.SIGCONT)


@dataclass(frozen=True, slots=True)
class Hung:
    """A tick that hung while models were asked, and what was said and done meanwhile."""

    made: Project
    before: Done
    status: str
    second: Done
    journal: str
    polls: list[tuple[object, ...]]
    first: Done


@pytest.fixture(scope="module")
def taken_over(tmp_path_factory: pytest.TempPathFactory) -> Hung:
    replies = Stubborn()
    with ModelServer(replies) as server:
        made = of_models(tmp_path_factory.mktemp("hung") / "arena", server)
        with running("tick", "--at", moment(), cwd=made.folder) as process:
            wait_until(lambda: is_half_played(made, server))
            process.send_signal(signal.SIGSTOP)
            before = made.run("status", "--at", moment())
            with hung(process, Path(f"{made.database}-tick")):
                status = made.run("status", "--at", moment()).out
                replies.silent.clear()
                second = made.tick()
            journal = made.journal
            polls = made.rows(EVERYTHING)
            first = ended(process, 600)
        return Hung(made, before, status, second, journal, polls, first)


EVERYTHING = "SELECT * FROM tape_polls UNION ALL SELECT seq, digest, at FROM journal_entries"


def test_a_process_that_gives_no_sign_is_alarmed_about(taken_over: Hung) -> None:
    assert "it ticks and gives no sign" not in taken_over.before.out
    assert "it ticks and gives no sign; the next `arena tick` takes over" in taken_over.status


def test_the_next_tick_says_so_and_takes_over(taken_over: Hung) -> None:
    assert (taken_over.second.code, "gave no sign for too long" in taken_over.second.err) == (
        0,
        True,
    )
    assert set(taken_over.made.answers()) == {*BASELINES, *MODELS}


def test_the_one_that_was_hung_writes_nothing_when_it_wakes(taken_over: Hung) -> None:
    assert (taken_over.first.code, taken_over.first.out) == (1, "")
    assert taken_over.first.err.startswith("error[lease.lost]: ")
    assert taken_over.made.rows(EVERYTHING) == taken_over.polls
    assert taken_over.made.journal == taken_over.journal
