"""What a whole site costs: pages a second, a second build, memory, and checking it.

The floor is writing the same bytes into as many files, in the same run. Numbers for 10,000
markets and 100,000 decisions are reckoned from the rate of those kinds of pages here.
"""

import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from arena.cli.start.demo import Demo, demo_settings, play_demo
from arena.records.settings import Edition
from arena.site import Kind
from arena.site.engine.build import BuildOptions, PageSource, begun, build
from arena.site.engine.manifest import File, ManifestEntry, Shown, read_known, write_known
from arena.site.engine.page_map import tasks_of_site
from arena.site.site_checks import check_site
from arena.store import Store, open_store
from arena.wiring import cast
from benchmarks.measure import say

DAYS, CONTESTANTS = 30, 6
JOBS, TURNS = 2, 5
ENTRIES = 100_000
MARKETS, DECISIONS = 10_000, 100_000


@dataclass(slots=True)
class Took:
    seconds: float = 0.0


@contextmanager
def timed() -> Iterator[Took]:
    took, started = Took(), time.perf_counter()
    yield took
    took.seconds = time.perf_counter() - started


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        wanted = Demo(DAYS, CONTESTANTS, 1)
        play_demo(wanted, here / "demo", quiet=True)
        settings = demo_settings(wanted, here / "demo")
        edition = Edition(cast(settings), settings.publishing)
        with open_store(settings.database) as store:
            source = PageSource(store, Path(settings.templates), edition, _at(store))
            _build(source, here)
        _list(here)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    others = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    say("peak memory of the largest process", max(own, others) / 1000, 500, "MB")


def _at(store: Store) -> datetime:
    at = store.boards.as_of()
    if at is None:
        raise SystemExit("nothing was played")
    return at


def _build(source: PageSource, here: Path) -> None:
    out = here / "site"
    with timed() as alone:
        built = build(source, here / "alone", BuildOptions(1))
    with timed() as whole:
        build(source, out, BuildOptions(JOBS))
    size = sum(file.size for entry in built.entries for file in entry.files)
    count = sum(len(entry.files) for entry in built.entries)
    print(
        f"{len(built.entries)} pages and documents, {count} files, {size / 1e6:.0f} MB: "
        f"{len(built.entries) / alone.seconds:.0f} a second in one process, "
        f"{len(built.entries) / whole.seconds:.0f} in {JOBS}"
    )
    floor = _floor(built.entries, out, here / "floor")
    say("whole build against writing the same bytes", whole.seconds / floor, 40, "times")
    with timed() as again:
        build(source, out, BuildOptions(JOBS))
    say(f"no change, {count} files", again.seconds, 10, "s")
    with timed() as forced:
        build(source, out, BuildOptions(JOBS, force=True))
    print(f"every page made again and found alike: {forced.seconds:.1f} s")
    _reckon(source, here)
    with timed() as checked:
        check_site(out)
    print(f"checked at {size / checked.seconds / 1e6:.1f} MB a second")


def _floor(entries: tuple[ManifestEntry, ...], out: Path, to: Path) -> float:
    contents = [(path, (out / path).read_bytes()) for e in entries for path in e.paths]
    with timed() as took:
        for path, content in contents:
            file = to / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    return took.seconds


def _reckon(source: PageSource, here: Path) -> None:
    """Say what many pages of a kind would take, from the rate of a few of them.

    One task of a kind is made first: what a process does once, before the first of its many
    pages, is no part of their rate. That is reading and compiling templates above all. The
    quickest of a few turns counts, each into an empty folder: disks have other things to do.
    """
    with begun(source, here / "some") as work:
        tasks = tasks_of_site(work.reading)
        for kind, folder, many, limit in (
            (Kind.MARKET, "markets/", MARKETS, 120),
            (Kind.TURNS, "decisions/", DECISIONS, 60),
        ):
            first, *others = [task for task in tasks if task.kind is kind]
            least, pages = float("inf"), 0
            for n in range(TURNS):
                maker = work.maker(here / f"stage-{kind}-{n}", {})
                maker.make(first)
                with timed() as took:
                    made = [one for task in others for one in maker.make(task)]
                pages = sum(one.entry.path.startswith(folder) for one in made)
                least = min(least, took.seconds)
            seconds = many * least / max(pages, 1) / JOBS
            say(f"{many} pages of {folder} on {JOBS} cores, from {pages}", seconds, limit, "s")


def _list(here: Path) -> None:
    shown = Shown(1, "a", "b", "c", "d")
    entries = [
        ManifestEntry(
            f"decisions/{n // 500}/{n}.html", "k" * 32, 9, (File(f"{n}.html", 1, "d" * 64),)
        )
        for n in range(ENTRIES)
    ]
    write_known(here, entries, shown)
    with timed() as took:
        read_known(here, shown)
    say(f"reading a list of {ENTRIES} pages", took.seconds, 1, "s")


if __name__ == "__main__":
    main()
