"""From the books to a folder of pages."""

from datetime import datetime
from pathlib import Path

from arena.records.entrant import Edition
from arena.site.checks.links import check_links
from arena.site.engine import moved_cohorts
from arena.site.engine.build_context import PageSource, Work, begun
from arena.site.engine.decision_retention import turned
from arena.site.engine.full_build import Built, How, is_whole, make_whole
from arena.site.engine.manifest import (
    MANIFEST,
    ManifestEntry,
    close_list,
    gone,
    open_list,
    read_known,
)
from arena.site.engine.page_map import pages_for, tasks_of
from arena.site.engine.page_writer import assets
from arena.site.engine.stale_files import undrawn
from arena.site.heads import note_head
from arena.site.page import Document, Page
from arena.site.sanitize import folder_name
from arena.store import Store

SOON = 2.0  # seconds: somebody waits for an answer

__all__ = ["MANIFEST", "Built", "How", "PageSource", "build", "check_links", "publish"]


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
    once in `estimate_every`; only volumes are made by whole builds.

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
        inventory = read_known(work.ground.beside, work.before)
        if not work.goes_on or (inventory.sound and not is_whole(work, inventory)):
            built = make_whole(work, How(None))
            return len(built.changed) + len(built.gone)
        if work.before == work.now and inventory.sound:
            return 0
        return _go_on(work)


def build(source: PageSource, out: Path, how: How) -> Built:
    """Build a whole site, estimates too; what is there already as it should be is left alone.

    The new folder takes the place of the old one when all is made.

    Raises:
        ArenaError: As `publish` does.
    """
    with begun(source, out, wait=SOON) as work:
        return make_whole(work, how)


def _go_on(work: Work) -> int:
    """Write the pages that may show something new into the folder, the front page last."""
    own, site = work.ground, work.source.edition.site
    thawed = work.frozen & {folder_name(name) for name in work.changes.cohorts}
    frozen = work.frozen - thawed
    moved = moved_cohorts.elsewhere(site, frozen)
    press = work.maker(own.out, {}, moved).press
    entries: list[ManifestEntry] = []
    written = 0

    def put(page: Page | Document) -> int:
        printed = press.print(press.plate(page))
        entries.append(printed.entry)
        wrote = sum(own.write(path, content) for path, content in printed.files)
        return wrote + (
            own.clear(undrawn(own.out, printed.entry)) if printed.entry.nodes else 0
        )

    note_head(own.beside, work.now)
    open_list(own.beside)
    if thawed:
        written += put(moved_cohorts.thaw(own.out, thawed))
    for document in assets(work.templates, work.now):
        written += put(document)
    other = turned(own.out, work.changes, work.reading, frozen)
    for task in (*other.tasks(work.reading), *tasks_of(work.changes, work.reading)):
        for page in pages_for(task, work.reading):
            written += put(page)
    stale = other.gone(own.out, work.reading, texts=not frozen)
    written += own.clear(stale)
    entries += map(gone, stale)
    close_list(own.beside, entries, work.now)
    own.write(MANIFEST, work.now.text().encode())
    return written
