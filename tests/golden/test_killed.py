"""A tick killed at any of its writes, and run again, is a tick that was never killed."""

import asyncio
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path

import pytest

from arena.cli.start.demo import FIRST_DAY, Demo, demo_settings
from arena.clock import HandClock
from arena.ports import Agent
from arena.records.answer import Answer, Briefing
from arena.records.cohort import Universe
from arena.records.settings import Pages, Settings, SiteSettings
from arena.steps.play import tick_and_publish
from arena.store import Store, open_store
from arena.store.journal.packed import table_digest
from arena.store.migrations import CACHES
from arena.wiring import build_doors, well
from tests.site.folders import ladder
from tests.sizes import size

A_FEW = 29  # files of the site
EVERY = size(23, 1)  # write at which the tick is killed
KILLED = 9
DAYS_BEFORE = 4
MOMENT = FIRST_DAY + timedelta(days=DAYS_BEFORE)
PLAYING = ("coin-flip", "alder")  # no model: a call that was lost in a crash counts each time
WRITES = ("BEGIN", "COMMIT", "INSERT", "UPDATE", "DELETE")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


@dataclass(frozen=True, slots=True)
class Noted:
    """A contestant that notes in a file whenever it is asked."""

    agent: Agent
    log: Path

    async def answer(self, briefing: Briefing) -> Answer:
        with self.log.open("a") as file:
            file.write(f"{briefing.cohort}:{briefing.round}:{briefing.contestant}\n")
        return await self.agent.answer(briefing)


@dataclass(frozen=True, slots=True)
class Left:
    """What a tick leaves behind: the journal, the caches and the site."""

    journal: str
    caches: tuple[str, ...]
    site: tuple[tuple[str, str], ...]


def settings_in(folder: Path) -> Settings:
    settings = demo_settings(Demo(DAYS_BEFORE + 1, 2, 1), folder)
    (spec,) = settings.cohorts
    everybody = (*settings.contestants, *ladder(1))
    playing = tuple(one for one in everybody if one.id in PLAYING)
    small = replace(
        spec, universe=Universe(top=3), contestants=tuple(one.id for one in playing)
    )
    index = SiteSettings(pages=Pages.INDEX)
    return replace(settings, cohorts=(small,), contestants=playing, models=(), publishing=index)


def play_one(folder: Path, store: Store, at: timedelta) -> None:
    settings = settings_in(folder)
    doors = build_doors(settings, store, HandClock(FIRST_DAY + at))
    agents = {who: Noted(agent, folder / "asked") for who, agent in well(doors.agents).items()}
    asyncio.run(tick_and_publish(replace(doors, agents=agents), FIRST_DAY + at))


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An arena of four days, a moment before its next round."""
    folder = tmp_path_factory.mktemp("before")
    with open_store(folder / "arena.db") as store:
        for half in range(2 * DAYS_BEFORE):
            play_one(folder, store, timedelta(hours=12 * half))
    return folder


def what_is_left(folder: Path) -> Left:
    with open_store(folder / "arena.db") as store:
        caches = tuple(table_digest(store.db, table) for table in CACHES)
        journal = store.journal.head()
    pages = sorted(p for p in (folder / "site").rglob("*") if p.is_file())
    return Left(
        journal,
        caches,
        tuple((str(p.relative_to(folder)), sha256(p.read_bytes()).hexdigest()) for p in pages),
    )


def answers_on_the_tape(folder: Path) -> set[str]:
    with open_store(folder / "arena.db") as store:
        rows = store.db.rows("SELECT cohort, round, contestant FROM tape_answers")
    return {f"{r['cohort']}:{r['round']}:{r['contestant']}" for r in rows}


def asked(folder: Path) -> list[str]:
    return (folder / "asked").read_text().split()


class Countdown:
    """Calls `end` at the n-th write to the database, and then at every few to the site.

    Files of the site are written one like the other, and there are hundreds in a tick.
    """

    def __init__(self, number: int, folder: Path, end: Callable[[], None]) -> None:
        self.left, self.folder, self.end = number, str(folder / "site"), end
        self.files = 0

    def one(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.end()

    def statement(self, sql: str) -> None:
        if sql.lstrip().startswith(WRITES):
            self.one()

    def event(self, name: str, arguments: tuple[object, ...]) -> None:
        where = str(arguments[0]) if arguments else ""
        if self.folder in where and (
            name in {"os.rename", "os.mkdir", "os.remove"}
            or (name == "open" and str(arguments[1]).startswith(("w", "x", "a")))
        ):
            self.files += 1
            if self.files % A_FEW == 1:
                self.one()


def in_a_child(folder: Path, number: int) -> int:
    """Play the tick in a child that dies before write `number`; 0 means that it lived."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons mistrust fork
        child = os.fork()
    if child == 0:
        status = 1
        try:
            countdown = Countdown(number, folder, lambda: os._exit(KILLED))
            sys.addaudithook(countdown.event)
            with open_store(folder / "arena.db") as store:
                store.db.raw.set_trace_callback(countdown.statement)
                play_one(folder, store, MOMENT - FIRST_DAY)
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def copies(before: Path, tmp_path: Path) -> Iterator[tuple[int, Path]]:
    for number in count(1, EVERY):
        folder = tmp_path / str(number)
        shutil.copytree(before, folder)
        yield number, folder
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def undisturbed(before: Path, tmp_path_factory: pytest.TempPathFactory) -> Left:
    folder = tmp_path_factory.mktemp("undisturbed") / "arena"
    shutil.copytree(before, folder)
    with open_store(folder / "arena.db") as store:
        play_one(folder, store, MOMENT - FIRST_DAY)
    return what_is_left(folder)


def test_killed_at_a_write_and_run_again_it_is_as_if_undisturbed(
    before: Path, undisturbed: Left, tmp_path: Path
) -> None:
    points = 0
    for number, folder in copies(before, tmp_path):
        died = in_a_child(folder, number)
        kept, first = answers_on_the_tape(folder), len(asked(folder))
        with open_store(folder / "arena.db") as store:
            play_one(folder, store, MOMENT - FIRST_DAY)
        assert what_is_left(folder) == undisturbed, f"killed before write {number}"
        assert not kept & set(asked(folder)[first:]), f"asked again after write {number}"
        if died == 0:
            break
        assert died == KILLED
        points += 1
    assert points >= 80 / EVERY
