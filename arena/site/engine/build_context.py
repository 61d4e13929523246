"""A build that has begun: what it is made from, and what the folder shows so far."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import arena
from arena.picture import can_draw
from arena.records.settings import Edition
from arena.render import Environment, environment, names_below, source_digest
from arena.sheets.parquet import has_parquet
from arena.site.engine.manifest import ManifestEntry, Shown, read_shown, tape_moment
from arena.site.engine.renderer import TEMPLATES, Press, program_digest
from arena.site.engine.site_folder import PATIENCE, Ground, ground, places_beside
from arena.site.heads import refuse_rollback
from arena.site.overview import Overview, read_overview
from arena.site.overview.kept import Patience, cached_overview, kept_overview
from arena.site.reading import Reading
from arena.store import Store
from arena.store.codec import canonical, read_moment
from arena.store.pages.cards import Changes
from arena.store.pages.showcase import Showcase

if TYPE_CHECKING:
    from arena.site.engine.page_writer import Maker


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
        overview = cached_overview(
            store,
            edition,
            self.ground.beside,
            self.now.templates,
            Patience(at, self.every),
        )
        return Reading(store, self.show, edition, at, overview)

    @property
    def templates(self) -> Environment:
        """The templates of pages, style sheets and scripts."""
        return environment(self.source.templates)

    def maker(self, stage: Path, entries: Mapping[str, ManifestEntry]) -> "Maker":
        """What makes pages in this process."""
        from arena.site.engine.page_writer import Maker  # noqa: PLC0415  brings every page

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


def known_overview(source: PageSource, out: Path) -> Overview:
    """The overview that the site in `out` was made with, if it still holds, or a new one.

    Nothing is written and no lock is taken.
    """
    store, cast, season = source.store, source.edition.cast, source.edition.season
    makers = digest_of_makers(source.templates)
    places = places_beside(out.resolve(), store.db.path)
    kept = (kept_overview(store, source.edition, folder, makers) for folder in places)
    overview = next((cached for cached in kept if cached is not None), None)
    return overview or read_overview(store, cast, season)


def digest_of_makers(templates: Path, extras: tuple[bool, bool] | None = None) -> str:
    """SHA-256 of templates, program and extras: where one changed, all pages may.

    `extras` says whether there are Pillow and DuckDB, None whether they are here.
    """
    digest = sha256(repr(extras or (can_draw(), has_parquet())).encode())
    env = environment(templates)
    for name in names_below(env, TEMPLATES, "html", "css", "js"):
        digest.update(f"{name}\0{source_digest(env, name)}".encode())
    digest.update(_program())
    return digest.hexdigest()


@cache
def _program() -> bytes:
    """Each file of this program by its path and its digest; those that run stay as they are."""
    program = Path(arena.__file__).parent
    return b"".join(
        file.relative_to(program).as_posix().encode()
        + b"\0"
        + sha256(file.read_bytes()).digest()
        for file in sorted(program.rglob("*.py"))
    )
