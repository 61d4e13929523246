"""From the books to a folder of pages: a page is made when its key changed."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from arena.records.settings import Edition, Pages
from arena.render import Environment, environment
from arena.site import Kind, PageTask, places
from arena.site.bundle.bundle_files import BundleWork
from arena.site.bundle.published_site import MANIFEST as MANIFEST_OF_BUNDLE
from arena.site.engine.manifest import (
    MANIFEST,
    ManifestEntry,
    Shown,
    close_list,
    gone,
    open_list,
    read_known,
    read_shown,
    tape_moment,
    write_known,
)
from arena.site.engine.page_map import tasks_of, tasks_of_site
from arena.site.engine.processes import Bench, Crew, made_across, processes, started
from arena.site.engine.renderer import (
    Maker,
    Press,
    WrittenPages,
    assets,
    is_intact,
    program_digest,
)
from arena.site.engine.site_folder import PATIENCE, Ground, Stage, ground, staged
from arena.site.heads import PUBLISHED, SiteHead, note_head, refuse_rollback, with_head
from arena.site.overview.kept import Patience, cached_overview, digest_of_makers
from arena.site.pages.decisions.decision import NEWEST_COHORTS, kept, texts_of
from arena.site.reading import Reading
from arena.site.sanitize import folder_name
from arena.store import Store
from arena.store.codec import canonical, moment, read_moment
from arena.store.pages.cards import Changes, CohortCard
from arena.store.pages.showcase import Showcase


@dataclass(frozen=True, slots=True)
class PageSource:
    """What a site is made from: nothing on the tape of `store` is later than `at`."""

    store: Store
    templates: Path
    edition: Edition
    at: datetime


@dataclass(frozen=True)
class Work:
    """A build that has begun: what the folder shows before it, and what it shall show.

    `every` is how old estimates may be.
    """

    source: PageSource
    ground: Ground
    show: Showcase
    before: Shown | None
    now: Shown
    every: timedelta = timedelta(0)

    @property
    def goes_on(self) -> bool:
        """Whether the folder shows an earlier state of this journal, made the same way."""
        before, now = self.before, self.now
        if before is None or (before.templates, before.asked) != (now.templates, now.asked):
            return False
        return bool(before.entry) and self.show.digest_at(before.entry) == before.head

    @cached_property
    def changes(self) -> Changes:
        """What has changed since the folder was written."""
        before = self.before
        since = read_moment(before.at) if before and before.at else None
        return self.show.since(before.entry if before else 0, since)

    @cached_property
    def reading(self) -> Reading:
        """The store as pages see it; what is estimated is worked out once."""
        store, edition = self.source.store, self.source.edition
        as_of = store.boards.as_of()
        at = max(self.source.at, as_of) if as_of else self.source.at
        patience = Patience(at, self.every)
        overview = cached_overview(
            store, edition, self.ground.beside, self.now.templates, patience
        )
        return Reading(store, self.show, edition, at, overview)

    @property
    def templates(self) -> Environment:
        """The templates of pages, style sheets and scripts."""
        return environment(self.source.templates)

    def maker(self, stage: Path, entries: Mapping[str, ManifestEntry]) -> Maker:
        """What makes pages in this process."""
        press = Press(self.templates, program_digest())
        return Maker(self.reading, press, self.ground.out, stage, entries)


@contextmanager
def begun(
    source: PageSource, out: Path, *, wait: float = PATIENCE, every: timedelta = timedelta(0)
) -> Iterator[Work]:
    """See one state of the store, and be the only one who builds, after so many seconds.

    Estimates that are younger than `every` are shown as they are.

    Raises:
        ArenaError: Another process builds the site (`site.busy`), or it shows what is not in
            the journal (`site.ahead`, `site.another`).
    """
    show = Showcase(source.store.db)
    with ground(out, wait=wait, database=source.store.db.path) as own, show.still():
        refuse_rollback(source.store, out)
        source.store.db.make_last()
        now = Shown(
            *show.head(),
            tape_moment(source.store),
            digest_of_makers(source.templates),
            sha256(canonical(source.edition).encode()).hexdigest(),
        )
        yield Work(source, own, show, read_shown(own.out), now, every)


MARK = b'<meta name="generator" content="Paper Arena">'
MARK_WITHIN = 2000  # bytes from the start of a page

_BLOB = re.compile(r"[0-9a-f]{64}\.txt")
_BESIDE = (".json", ".md", ".svg", ".csv")


def left_over(out: Path, kept: set[str]) -> set[str]:
    """Find pages, with the files that belong to them, that are to be removed from the site.

    Only a page that bears the arena's mark is one of ours, and what stands beside it under
    its name; and a text that is named by its digest among the blobs.
    """
    existing: set[str] = set()
    for folder in places.FOLDERS:
        existing |= ours_in(out, folder, kept)
    return existing - kept


def ours_in(out: Path, folder: str, kept: Collection[str] = ()) -> set[str]:
    """The pages of ours in a folder, with the files that belong to them, and texts of ours."""
    files = [path for path in (out / folder).rglob("*") if path.is_file()]
    pages = {path.with_suffix("") for path in files if _is_page(path, out, kept)}
    return {
        path.relative_to(out).as_posix()
        for path in files
        if _base(path) in pages or (folder == "blobs" and _BLOB.fullmatch(path.name))
    }


def _base(path: Path) -> Path:
    """The page that a file is named after, without its ending."""
    if path.suffix == ".html":
        return path.with_suffix("")
    return path.with_name(path.name.partition(".")[0]) if path.suffix in _BESIDE else path


def _is_page(path: Path, out: Path, kept: Collection[str]) -> bool:
    if path.suffix != ".html":
        return False
    if path.relative_to(out).as_posix() in kept:
        return True
    with path.open("rb") as file:
        return MARK in file.read(MARK_WITHIN)


@dataclass(frozen=True, slots=True)
class Turned:
    """Cohorts whose decisions get pages again, or are left without them."""

    cohorts: tuple[CohortCard, ...] = ()
    lost: tuple[CohortCard, ...] = ()

    def tasks(self, reading: Reading) -> Iterator[PageTask]:
        """The pages that lead to these decisions, and those that decisions have."""
        for card in self.cohorts:
            yield PageTask(Kind.COHORT, (card.id,))
            rounds = reading.show.rounds(card.id)
            offered = sorted({market for round_card in rounds for market in round_card.offered})
            if offered:
                yield PageTask(Kind.MARKET, tuple(offered))
            yield PageTask(Kind.TURNS, (card.id,))

    def gone(self, out: Path, reading: Reading) -> tuple[str, ...]:
        """Files to remove from the site, the pages of decisions last.

        Texts that another decision shows stay.
        """
        if not self.lost:
            return ()
        shown = _texts(self.lost, reading) - _texts(_keeping(reading), reading)
        blobs = [path for path in map(places.blob, sorted(shown)) if (out / path).is_file()]
        pages = [ours_in(out, _folder(card)) for card in self.lost]
        return (*blobs, *(path for files in pages for path in sorted(files)))


def turned(out: Path, changes: Changes, reading: Reading) -> Turned:
    """Find whose decisions get pages, or lose them, by what has changed in the books.

    With recent pages only, a cohort loses them when it is complete and 30 newer ones have
    started; it has them again when a market of it is ruled on anew and it goes on.
    """
    if reading.edition.site.pages is not Pages.RECENT or not changes.cohorts:
        return Turned()
    last = reading.show.cohort_count() - NEWEST_COHORTS
    cards = {card.id: card for card in map(reading.show.cohort, changes.cohorts) if card}
    left = reading.show.cohorts(max(1, last - len(changes.cohorts) + 1), last)
    cards |= {card.id: card for card in left}
    affected = tuple(
        card
        for card in cards.values()
        if card.number <= last and kept(card, reading) != _has_pages(out, card)
    )
    return Turned(affected, tuple(card for card in affected if not kept(card, reading)))


def _keeping(reading: Reading) -> Iterator[CohortCard]:
    count = reading.show.cohort_count()
    newest = reading.show.cohorts(max(1, count - NEWEST_COHORTS + 1), count)
    older = {cohort.id for cohort in reading.store.books.running()} - {
        card.id for card in newest
    }
    yield from newest
    yield from (card for card in map(reading.show.cohort, older) if card)


def _texts(cards: Iterable[CohortCard], reading: Reading) -> set[str]:
    return {digest for card in cards for digest in texts_of(card, reading)}


def _has_pages(out: Path, card: CohortCard) -> bool:
    return next((out / _folder(card)).rglob("*.html"), None) is not None


def _folder(card: CohortCard) -> str:
    return f"decisions/{folder_name(card.id)}"


SOON = 2.0  # seconds: somebody waits for an answer
A_COHORT = 10  # pages of a cohort, or so


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
    has_past = (work.ground.out / PUBLISHED).is_file() and MANIFEST_OF_BUNDLE in entries
    complete = inventory.sound and all(is_intact(work.ground.out, e) for e in entries.values())
    complete = complete and has_past
    anew = options.force or options.check
    if complete and work.before == work.now and not anew:
        return BuildResult((), (), tuple(entries.values()))
    there = entries if inventory.sound and not anew else {}
    with staged(work.ground) as stage:
        if grows and has_past and (complete or not inventory.sound):
            moved = turned(work.ground.out, work.changes, work.reading)
            tasks = [*moved.tasks(work.reading), *tasks_of(work.changes, work.reading)]
            return _build_changes(work, _Plan(tasks, there, options), stage, entries)
        tasks = tasks_of_site(work.reading)
        return _build_all(work, _Plan(tasks, there, options), stage, entries)


def _build_changes(
    work: Work, plan: _Plan, stage: Stage, before: Mapping[str, ManifestEntry]
) -> BuildResult:
    """Put the pages that changed into the folder one by one, the front page last."""
    own = work.ground
    made = list(_written_pages(work, plan, stage, None))
    entries = {page.entry.path: page.entry for page in made}
    paths = {path for entry in entries.values() for path in entry.paths}
    ended = {name for name in before if places.comes_and_goes(name)} - entries.keys()
    redrawn = ended | (entries.keys() & before.keys())
    drawn = {path for name in redrawn for path in before[name].paths}
    lost = turned(own.out, work.changes, work.reading).gone(own.out, work.reading)
    stale = (*(path for path in sorted(drawn - paths) if (own.out / path).is_file()), *lost)
    bundle = BundleWork(
        work, work.maker(stage.folder, {}), tuple(made), before, stale, grows=True
    )
    made += bundle.written()
    changed = _changed_files(made)
    entries = {page.entry.path: page.entry for page in made}
    note_head(own.beside, work.now)
    open_list(own.beside)
    stage.put(changed, stale)
    new = [entry for entry in entries.values() if plan.there.get(entry.path) != entry]
    ends = map(gone, (*sorted(ended), *lost))
    close_list(own.beside, before, [*new, *ends], work.now)
    own.write(PUBLISHED, _heads(work, entries))
    own.write(MANIFEST, work.now.text().encode())
    return BuildResult(changed, stale, tuple(entries.values()))


def _build_all(
    work: Work, plan: _Plan, stage: Stage, before: Mapping[str, ManifestEntry]
) -> BuildResult:
    """Make everything beside the folder, which is then exchanged at once."""
    own = work.ground
    made = _pages_in_parallel(work, plan, stage)
    made += BundleWork(work, work.maker(stage.folder, {}), tuple(made), before).written()
    changed = _changed_files(made)
    entries = {page.entry.path: page.entry for page in made}
    paths = {path for entry in entries.values() for path in entry.paths}
    stale = _stale_files(work, before, paths)
    every = tuple(entries.values())
    if plan.options.check:
        return BuildResult(changed, stale, every)
    note_head(own.beside, work.now)
    if changed or stale:
        stage.write(PUBLISHED, _heads(work, entries))
        stage.write(MANIFEST, work.now.text().encode())
        stage.publish([*changed, PUBLISHED, MANIFEST], stale)
    else:
        own.out.mkdir(parents=True, exist_ok=True)
        own.write(PUBLISHED, _heads(work, entries))
        own.write(MANIFEST, work.now.text().encode())
    write_known(own.beside, every, work.now)
    if stage.in_place:
        plan.notes.append(f"the files were put in one by one: {stage.in_place}")
    return BuildResult(changed, stale, every, tuple(plan.notes))


def _heads(work: Work, entries: Mapping[str, ManifestEntry]) -> bytes:
    """The published heads, with a line of what the folder shows now."""
    overview = work.reading.overview
    head = SiteHead(
        work.now.entry,
        work.now.head,
        work.now.at,
        moment(work.reading.at),
        overview.entry,
        overview.seen_at,
        entries[MANIFEST_OF_BUNDLE].files[0].digest,
    )
    return with_head(work.ground.out / PUBLISHED, head)


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
