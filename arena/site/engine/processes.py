"""Many pages on several cores: each process reads the same state of the store."""

import atexit
import gc
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from multiprocessing import get_context
from pathlib import Path, PurePath
from threading import Thread
from typing import TYPE_CHECKING, TypeAlias

from arena.process import end_with_parent
from arena.records.settings import Edition
from arena.render import environment
from arena.site import PageTask
from arena.site.engine.manifest import Shown, read_known, read_shown, tape_moment
from arena.site.engine.renderer import Maker, Press, WrittenPages
from arena.site.overview.records import Overview
from arena.site.reading import Reading
from arena.store import open_store
from arena.store.pages.showcase import Showcase

if TYPE_CHECKING:
    from multiprocessing.queues import Queue

ENOUGH = 100  # pages from which other processes are worth their start
MOST = 4


@dataclass(frozen=True, slots=True)
class Bench:
    """What a process needs to make the same pages as every other.

    `database` is None for one in memory, which nobody else can read. `beside` holds the list
    of pages that need not be made again; None where all are. `shown` is the state of the
    store that everybody has to see.
    """

    database: PurePath | None
    templates: Path
    edition: Edition
    at: datetime
    overview: Overview
    shown: Shown
    out: Path
    stage: Path
    beside: Path | None
    program: str


def processes(jobs: int | None, pages: int, database: PurePath | None) -> int:
    """How many processes to use: as many as asked for, else what so many pages are worth.

    A database in memory is None: nobody else can read it.
    """
    if database is None:
        return 1
    if jobs is not None:
        return max(1, jobs)
    return min(MOST, os.cpu_count() or 1) if pages > ENOUGH else 1


@dataclass(frozen=True, slots=True)
class Crew:
    """Processes that make pages, and the pipe through which each is told its bench."""

    jobs: int
    pool: ProcessPoolExecutor
    benches: "Benches"


Benches: TypeAlias = "Queue[Bench]"


@contextmanager
def started(jobs: int) -> Iterator[Crew]:
    """Start processes, and end them; they import what they need while the caller goes on.

    They end with this process too, whatever ends it.
    """
    context = get_context("spawn")
    benches: Benches = context.Queue()
    benches.cancel_join_thread()  # what nobody has read is not waited for
    with ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_begin, initargs=(benches,)
    ) as pool:
        with suppress(BrokenProcessPool):  # who asks for pages is told
            for _ in range(jobs):
                pool.submit(_imported)
        try:
            yield Crew(jobs, pool, benches)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            benches.close()


def made_across(
    tasks: Sequence[PageTask], bench: Bench, crew: Crew
) -> Iterator[tuple[WrittenPages, ...] | None]:
    """Make tasks in several processes, and give what was made in the order of the tasks.

    None stands for a task that has to be made by the caller: the store has moved on since,
    or a process was killed.
    """
    done = 0
    for _ in range(crew.jobs):
        crew.benches.put(bench)
    try:
        for made in crew.pool.map(_make, tasks):
            yield made
            done += 1
    except BrokenProcessPool:
        yield from [None] * (len(tasks) - done)


_OPEN = ExitStack()  # what this process has open until it ends


_BENCHES: list[Benches] = []  # where this process is told its bench


def _begin(benches: Benches) -> None:
    """Be a process that makes pages: the caller is interrupted, and ends us."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=end_with_parent, daemon=True).start()
    _BENCHES.append(benches)


def _imported() -> None:
    """Do nothing; a process imports this module with its first task."""


@cache
def _maker() -> Maker | None:
    """What makes pages in this process; None where the store has moved on."""
    bench = _BENCHES[0].get()
    atexit.register(_OPEN.close)
    store = _OPEN.enter_context(open_store(bench.database))
    store.db.run("PRAGMA query_only = ON")
    show = Showcase(store.db)
    _OPEN.enter_context(show.still())
    if (*show.head(), tape_moment(store)) != bench.shown.state:
        return None
    entries = read_known(bench.beside, read_shown(bench.out)).entries if bench.beside else {}
    reading = Reading(store, show, bench.edition, bench.at, bench.overview)
    press = Press(environment(bench.templates), bench.program)
    gc.freeze()  # all of this is there to the end: nobody need look for garbage in it
    return Maker(reading, press, bench.out, bench.stage, entries)


def _make(task: PageTask) -> tuple[WrittenPages, ...] | None:
    maker = _maker()
    return maker.make(task) if maker else None
