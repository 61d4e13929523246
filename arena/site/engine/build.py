"""From the books to a folder of pages: a page is made when its key changed."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from arena.records.settings import Edition
from arena.site.checks.links import check_links
from arena.site.engine.build_context import PageSource, Work, begun
from arena.site.engine.manifest import (
    MANIFEST,
    ManifestEntry,
    close_list,
    gone,
    open_list,
    read_known,
    write_known,
)
from arena.site.engine.page_map import tasks_of, tasks_of_site
from arena.site.engine.page_writer import Maker, WrittenPages, assets, is_intact
from arena.site.engine.processes import Bench, Crew, made_across, processes, started
from arena.site.engine.renderer import program_digest
from arena.site.engine.site_folder import Stage, staged
from arena.site.engine.stale_files import left_over, turned
from arena.site.heads import note_head
from arena.site.page import PageTask
from arena.store import Store

SOON = 2.0  # seconds: somebody waits for an answer
A_COHORT = 10  # pages of a cohort, or so

__all__ = [
    "MANIFEST",
    "BuildOptions",
    "BuildResult",
    "PageSource",
    "build",
    "check_links",
    "publish",
]


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How a whole site is built.

    `jobs` is how many processes make pages, None as many as are worth it. With `force` every
    page is made again, with `check` to be compared only: nothing is published. `on_progress`
    is called with how many tasks of how many are done.
    """

    jobs: int | None = 1
    force: bool = False
    check: bool = False
    on_progress: Callable[[int, int], None] = lambda done, of: None  # noqa: ARG005


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What a build did: the files that are new or changed and those that are gone.

    `entries` is every page that was looked at. `notes` say what went another way than usual,
    and why.
    """

    changed: tuple[str, ...]
    gone: tuple[str, ...]
    entries: tuple[ManifestEntry, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Plan:
    """The tasks, and the pages that are there: one of these with the same key is not made."""

    tasks: Sequence[PageTask]
    there: Mapping[str, ManifestEntry]
    options: BuildOptions
    notes: list[str] = field(default_factory=list)


def publish(
    store: Store,
    out: Path,
    templates: Path,
    edition: Edition,
    *,
    at: datetime,
) -> int:
    """Write what has changed since the folder was written, or all where a page is gone.

    Each file is written whole or not at all, and only if its bytes differ. After a kill at
    any point the same call completes the work. The bytes follow from the store, the
    templates and the edition, and from when the estimates were made, which are made again
    once in `estimate_every`.

    Args:
        store: An open store; it is only read.
        out: The site's folder; made if it is not there.
        templates: The folder of templates, `site/` below it.
        edition: Who plays, and how the site is published.
        at: The moment of the tick: nothing on the tape is later.

    Returns:
        How many files were written, changed or removed.

    Raises:
        ArenaError: A template is missing or broken, a file cannot be written (`site.write`),
            or another process builds the site (`site.busy`).
    """
    every = edition.site.estimate_every
    with begun(PageSource(store, templates, edition, at), out, every=every) as work:
        built = _build(work, BuildOptions(None), grows=work.goes_on)
    return len(built.changed) + len(built.gone)


def build(source: PageSource, out: Path, options: BuildOptions) -> BuildResult:
    """Build a whole site, estimates too; what is there already as it should be is left alone.

    The new folder takes the place of the old one when all is made.

    Raises:
        ArenaError: As `publish` does.
    """
    with begun(source, out, wait=SOON) as work:
        return _build(work, options, grows=False)


def _build(work: Work, options: BuildOptions, *, grows: bool) -> BuildResult:
    """Make every page; where the site only `grows`, those that may show something new."""
    inventory = read_known(work.ground.beside, work.before)
    entries = inventory.entries
    complete = inventory.sound and all(is_intact(work.ground.out, e) for e in entries.values())
    anew = options.force or options.check
    if complete and work.before == work.now and not anew:
        return BuildResult((), (), tuple(entries.values()))
    there = entries if inventory.sound and not anew else {}
    with staged(work.ground) as stage:
        if grows and (complete or not inventory.sound):
            return _build_changes(
                work, _Plan(_tasks_of_changes(work), there, options), stage, entries
            )
        return _build_all(
            work, _Plan(tasks_of_site(work.reading), there, options), stage, entries
        )


def _tasks_of_changes(work: Work) -> list[PageTask]:
    reading = work.reading
    moved = turned(work.ground.out, work.changes, reading)
    return [*moved.tasks(reading), *tasks_of(work.changes, reading)]


def _build_changes(
    work: Work, plan: _Plan, stage: Stage, before: Mapping[str, ManifestEntry]
) -> BuildResult:
    """Put the pages that changed into the folder one by one, the front page last."""
    own = work.ground
    made = list(_written_pages(work, plan, stage, None))
    changed = _changed_files(made)
    entries = {page.entry.path: page.entry for page in made}
    paths = {path for entry in entries.values() for path in entry.paths}
    drawn = {path for name in entries if name in before for path in before[name].paths}
    lost = turned(own.out, work.changes, work.reading).gone(own.out, work.reading)
    stale = (*(path for path in sorted(drawn - paths) if (own.out / path).is_file()), *lost)
    note_head(own.beside, work.now)
    open_list(own.beside)
    stage.put(changed, stale)
    new = [entry for entry in entries.values() if plan.there.get(entry.path) != entry]
    close_list(own.beside, [*new, *map(gone, lost)], work.now)
    own.write(MANIFEST, work.now.text().encode())
    return BuildResult(changed, stale, tuple(entries.values()))


def _build_all(
    work: Work, plan: _Plan, stage: Stage, before: Mapping[str, ManifestEntry]
) -> BuildResult:
    """Make everything beside the folder, which is then exchanged at once."""
    own = work.ground
    made = _pages_in_parallel(work, plan, stage)
    changed = _changed_files(made)
    entries = {page.entry.path: page.entry for page in made}
    stale = _stale_files(
        work, before, {path for entry in entries.values() for path in entry.paths}
    )
    every = tuple(entries.values())
    if plan.options.check:
        return BuildResult(changed, stale, every)
    note_head(own.beside, work.now)
    if changed or stale:
        stage.write(MANIFEST, work.now.text().encode())
        stage.publish([*changed, MANIFEST], stale)
    else:
        own.out.mkdir(parents=True, exist_ok=True)
        own.write(MANIFEST, work.now.text().encode())
    write_known(own.beside, every, work.now)
    if stage.in_place:
        plan.notes.append(f"the files were put in one by one: {stage.in_place}")
    return BuildResult(changed, stale, every, tuple(plan.notes))


def _changed_files(made: Iterable[WrittenPages]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for page in made for path in page.changed))


def _pages_in_parallel(work: Work, plan: _Plan, stage: Stage) -> list[WrittenPages]:
    """Make everything; other processes start while what is estimated is worked out."""
    count = work.show.market_count() + A_COHORT * work.show.cohort_count()
    jobs = processes(plan.options.jobs, count, work.source.store.db.path)
    if jobs == 1:
        return list(_written_pages(work, plan, stage, None))
    with started(jobs) as crew:
        return list(_written_pages(work, plan, stage, crew))


def _written_pages(
    work: Work, plan: _Plan, stage: Stage, crew: Crew | None
) -> Iterator[WrittenPages]:
    """What pages load, and the pages in the order of their tasks."""
    maker = work.maker(stage.folder, plan.there)
    yield from [maker.document(document) for document in assets(work.templates, work.now)]
    somebody = (
        _written_by_others(work, plan, maker, crew) if crew else map(maker.make, plan.tasks)
    )
    for n, made in enumerate(somebody, 1):
        yield from made
        plan.options.on_progress(n, len(plan.tasks))


def _written_by_others(
    work: Work, plan: _Plan, maker: Maker, crew: Crew
) -> Iterator[tuple[WrittenPages, ...]]:
    """Make tasks in other processes; what one of these cannot make is made here."""
    bench = Bench(
        work.source.store.db.path,
        work.source.templates,
        work.source.edition,
        work.reading.at,
        work.reading.overview,
        work.now,
        work.ground.out,
        maker.stage,
        work.ground.beside if plan.there else None,
        program_digest(),
    )
    alone = 0
    for task, made in zip(plan.tasks, made_across(plan.tasks, bench, crew), strict=True):
        alone += made is None
        yield maker.make(task) if made is None else made
    if alone:
        plan.notes.append(
            f"{alone} of {len(plan.tasks)} tasks were done by one process: others ended, "
            "or the arena was ticked meanwhile"
        )


def _stale_files(
    work: Work, before: Mapping[str, ManifestEntry], paths: set[str]
) -> tuple[str, ...]:
    """Files of ours that the site shall not have any more.

    Old style sheets and scripts stay: copies of pages that others keep load them.
    """
    out = work.ground.out
    listed = {path for entry in before.values() for path in entry.paths}
    stale = {path for path in listed - paths if not path.startswith("a/")}
    return tuple(
        sorted(path for path in stale | left_over(out, paths) if (out / path).is_file())
    )
