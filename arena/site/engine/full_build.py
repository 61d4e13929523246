"""A full build: missing pages are made, then everything is published at once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from arena.site.engine import moved_cohorts
from arena.site.engine.build_context import Work
from arena.site.engine.manifest import MANIFEST, Known, ManifestEntry, read_known, write_known
from arena.site.engine.moved_cohorts import Elsewhere, Volume, moving
from arena.site.engine.page_map import tasks_of_site
from arena.site.engine.page_writer import Maker, WrittenPages, assets, is_intact
from arena.site.engine.processes import Bench, Crew, made_across, processes, started
from arena.site.engine.renderer import program_digest
from arena.site.engine.site_folder import Stage, staged
from arena.site.engine.stale_files import left_over
from arena.site.heads import note_head
from arena.site.page import Kind, PageTask
from arena.site.sanitize import folder_name

SOME = 10  # pages of a cohort, or so


@dataclass(frozen=True, slots=True)
class How:
    """How a whole site is built.

    `jobs` is how many processes make pages, None as many as are worth it. With `force` every
    page is made again, also those of cohorts that are left alone. With `check` every page is
    made to be compared, and nothing is published. `told` hears how many tasks of how many are
    done.
    """

    jobs: int | None = 1
    force: bool = False
    check: bool = False
    told: Callable[[int, int], None] = lambda done, of: None  # noqa: ARG005


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did: the files that are new or changed and those that are gone.

    `entries` is every page there is now, `frozen` counts the cohorts that were left alone.
    `notes` say what went another way than usual, and why.
    """

    changed: tuple[str, ...]
    gone: tuple[str, ...]
    entries: tuple[ManifestEntry, ...]
    frozen: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be made: everything but the cohorts that are left `alone`."""

    due: tuple[Volume, ...]
    alone: frozenset[str]
    moved: Elsewhere
    known: Known
    notes: list[str] = field(default_factory=list)

    @property
    def kept(self) -> Iterator[WrittenPages]:
        """The pages that are left alone, and the texts that they may lead to."""
        for entry in self.known.entries.values() if self.alone else ():
            if moving(entry.path) in self.alone or entry.path.startswith("blobs/"):
                yield WrittenPages(entry, ())


def make_whole(work: Work, how: How) -> Built:
    """Build a whole site into a folder that is ours."""
    inventory = read_known(work.ground.beside, work.before)
    if not (how.force or how.check) and _is_done(work, inventory):
        every = tuple(inventory.entries.values())
        return Built((), (), every, frozen=len(work.frozen))
    plan = _plan(work, inventory, how)
    with staged(work.ground) as stage:
        made = _made(work, how, plan, stage)
        return _published(work, plan, stage, made, check=how.check)


def _is_done(work: Work, inventory: Known) -> bool:
    """Whether the folder is a complete site of this state of the store and this program."""
    return work.before == work.now and inventory.sound and is_whole(work, inventory)


def is_whole(work: Work, inventory: Known) -> bool:
    """Whether every listed page is there; pages in volumes elsewhere do not count."""
    away = work.frozen if work.source.edition.site.volume_base else frozenset()
    return all(
        is_intact(work.ground.out, entry)
        for entry in inventory.entries.values()
        if moving(entry.path) not in away
    )


def _plan(work: Work, inventory: Known, how: How) -> _Plan:
    site = work.source.edition.site
    due = moved_cohorts.due(work.show, site, work.source.store.boards.as_of())
    ids = frozenset(volume.id for volume in due)
    alone: frozenset[str] = frozenset()
    if inventory.sound and not how.force and work.is_earlier and work.frozen:
        alone = (ids & work.frozen) - {folder_name(name) for name in work.changes.cohorts}
        if not site.volume_base:
            alone -= _damaged(work, inventory, alone)
    usable = inventory.sound and not (how.force or how.check)
    moved = moved_cohorts.elsewhere(site, ids)
    return _Plan(due, alone, moved, replace(inventory, sound=usable))


def _damaged(work: Work, inventory: Known, alone: frozenset[str]) -> frozenset[str]:
    return frozenset(
        folder
        for entry in inventory.entries.values()
        if (folder := moving(entry.path)) in alone and not is_intact(work.ground.out, entry)
    )


def _made(work: Work, how: How, plan: _Plan, stage: Stage) -> list[WrittenPages]:
    """Make everything; other processes start while what is estimated is worked out."""
    count = work.show.market_count() + SOME * (work.show.cohort_count() - len(plan.alone))
    jobs = processes(how.jobs, count, work.source.store.db.path)
    if jobs == 1:
        return _all_made(work, how, plan, (stage, None))
    with started(jobs) as crew:
        return _all_made(work, how, plan, (stage, crew))


def _all_made(
    work: Work, how: How, plan: _Plan, place: tuple[Stage, Crew | None]
) -> list[WrittenPages]:
    """What pages load, what is listed in volumes, and the pages in order."""
    stage, crew = place
    entries = plan.known.entries if plan.known.sound else {}
    maker = work.maker(stage.folder, entries, plan.moved)
    loaded = [maker.document(document) for document in assets(work.templates, work.now)]
    tasks = [
        task
        for task in tasks_of_site(work.reading)
        if task.kind not in {Kind.COHORT, Kind.TURNS}
        or folder_name(task.keys[0]) not in plan.alone
    ]
    pages = [*plan.kept]
    somebody = _by_others(work, plan, (maker, tasks), crew) if crew else map(maker.make, tasks)
    for n, made in enumerate(somebody, 1):
        pages += made
        how.told(n, len(tasks))
    site = work.source.edition.site
    listed = (
        moved_cohorts.documents(plan.due, [page.entry for page in pages], site.volume_base)
        if plan.due
        else ()
    )
    return [*loaded, *map(maker.document, listed), *pages]


def _by_others(
    work: Work, plan: _Plan, ours: tuple[Maker, Sequence[PageTask]], crew: Crew
) -> Iterator[tuple[WrittenPages, ...]]:
    """Make tasks in other processes; what one of these cannot make is made here."""
    maker, tasks = ours
    bench = Bench(
        work.source.store.db.path,
        work.source.templates,
        work.source.edition,
        work.reading.at,
        work.reading.overview,
        work.now,
        work.ground.out,
        maker.stage,
        work.ground.beside if plan.known.sound else None,
        plan.moved,
        program_digest(),
    )
    alone = 0
    for task, made in zip(tasks, made_across(tasks, bench, crew), strict=True):
        alone += made is None
        yield maker.make(task) if made is None else made
    if alone:
        plan.notes.append(
            f"{alone} of {len(tasks)} tasks were done by one process: others ended, "
            "or the arena was ticked meanwhile"
        )


def _published(
    work: Work, plan: _Plan, stage: Stage, made: list[WrittenPages], *, check: bool
) -> Built:
    out = work.ground.out
    entries = {page.entry.path: page.entry for page in made}
    paths = {path for entry in entries.values() for path in entry.paths}
    changed = list(dict.fromkeys(path for page in made for path in page.changed))
    gone = _gone(work, plan.known.entries, paths)
    every = tuple(entries.values())
    if check:
        return Built(tuple(changed), tuple(gone), every, frozen=len(plan.alone))
    note_head(work.ground.beside, work.now)
    if changed or gone:
        stage.write(MANIFEST, work.now.text().encode())
        stage.publish([*changed, MANIFEST], gone)
    else:
        out.mkdir(parents=True, exist_ok=True)
        work.ground.write(MANIFEST, work.now.text().encode())
    write_known(work.ground.beside, every, work.now)
    if stage.in_place:
        plan.notes.append(f"the files were put in one by one: {stage.in_place}")
    return Built(tuple(changed), tuple(gone), every, len(plan.alone), tuple(plan.notes))


def _gone(work: Work, before: Mapping[str, ManifestEntry], paths: set[str]) -> list[str]:
    """Files of ours that the site shall not have any more.

    Old style sheets and scripts stay: pages that are kept elsewhere load them.
    """
    out = work.ground.out
    listed = {path for entry in before.values() for path in entry.paths}
    stale = {path for path in listed - paths if not path.startswith("a/")}
    return sorted(path for path in stale | left_over(out, paths) if (out / path).is_file())
