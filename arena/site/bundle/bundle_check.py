"""Whether a site is what its bundle says: its files, its books and the numbers of its pages."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from datetime import date, timedelta
from decimal import localcontext
from itertools import chain, product, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from arena.metrics import figures
from arena.records.report import Audit, Finding
from arena.records.settings import Edition
from arena.render import environment
from arena.sheets.parquet import has_parquet
from arena.site import Document, Kind, Page, PageTask, places
from arena.site.bundle.published_site import (
    EDITION,
    LISTS,
    MANIFEST,
    STAMPS,
    TEXTS_PART,
    BundleManifest,
    PublishedSite,
    day_of,
    digest,
    is_own,
    lines_of,
    part_of,
    read_list,
    read_manifest,
    refused,
    stamp_file,
)
from arena.site.bundle.time_stamps import StampChecker, UnfitStampError
from arena.site.datafiles import PARQUET, SUMS, is_same_table
from arena.site.engine.manifest import Shown, tape_moment
from arena.site.engine.page_map import pages_for
from arena.site.engine.renderer import BUILD, Press, assets, program_digest
from arena.site.heads import PUBLISHED, HeadLine, SiteHead, read_heads
from arena.site.overview.kept import digest_of_makers
from arena.site.overview.read import read_overview
from arena.site.overview.records import Overview
from arena.site.pages.project import data
from arena.site.reading import Reading
from arena.site.site_checks import changed_values, flat
from arena.store import Store, open_store
from arena.store.audit import audit
from arena.store.codec import UNREADABLE, from_plain, read_moment
from arena.store.exports.days import Until, fill, journal_days, keep_replies
from arena.store.pages.showcase import Showcase
from arena.store.tape.payloads import keep

HEADS: Final = "each published head follows from the one before"
FILES: Final = "every file is what the bundle says"
DAYS: Final = "the bundle's days end with the journal's own digests"
TEXTS: Final = "every reply has the digest that the bundle gives it"
NUMBERS: Final = "every number of the main pages is what the bundle comes to"
BYTES: Final = "every main page is, to the byte, what is made of the bundle"
TABLES: Final = "every table of data is what the bundle comes to"
STAMPED: Final = "each time stamp is the authority's, of a published head of its day"
OLDER: Final = "what an older copy shows is still there"
FRONTS: Final = ("contestants", "providers", "compare", "calibration", "leaderboard")
_OURS: Final = ("contestants/", "providers/", "windows/", "leaderboard/", "compare")
_SHOWN: Final = 200  # letters of a line that differs
DAY: Final = timedelta(days=1)
_DIGITS: Final = 60  # of an amount: what has more is no money, and takes hours to add up


@dataclass(frozen=True, slots=True)
class CheckedBundle:
    """What was checked of a site and what was found, and the digest of its journal.

    `notes` say what could not be compared.
    """

    report: Audit
    head: str
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Bundle:
    """The bundle of a site, its own files copied into a folder.

    `digests` has those of the site's other files by their paths. `findings` are about files.
    """

    site: PublishedSite
    folder: Path
    manifest: BundleManifest
    heads: list[HeadLine]
    digests: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def lines(self, part: str) -> Iterator[Mapping[str, Any]]:
        """The lines of all days of the journal, the tape or the texts, oldest first."""
        for path in sorted(self.manifest.files):
            if part_of(path) == part and (self.folder / path).is_file():
                yield from lines_of(path, (self.folder / path).read_bytes())

    def edition(self) -> Edition:
        """Who plays, and how the site is published."""
        if EDITION not in self.manifest.files:
            raise refused(f"there is no {EDITION}")
        return read_edition((self.folder / EDITION).read_bytes())

    @contextmanager
    def store(self, until: Until | None = None) -> Iterator[Store]:
        """A store that is made of the bundle, as far as some state; it is gone afterwards."""
        with open_store(self.folder / "arena.db") as store:
            fill(store, self.lines, until)
            yield store


def read_edition(content: bytes) -> Edition:
    """Read who plays, and how the site is published.

    Raises:
        ArenaError: It cannot be read (`verify.bundle`).
    """
    try:
        edition: Edition = from_plain(Edition, json.loads(content))
    except (RecursionError, AttributeError, *UNREADABLE) as error:
        raise refused(f"{EDITION} cannot be read") from error
    return edition


@contextmanager
def opened(site: PublishedSite) -> Iterator[Bundle]:
    """Read a site's bundle, and hold each of its own files against its digest.

    Raises:
        ArenaError: The site has no bundle, or one that cannot be read (`verify.bundle`).
    """
    contents = dict(site.read([PUBLISHED, MANIFEST]))
    heads, broken = read_heads(contents[PUBLISHED] or b"")
    findings = [Finding(HEADS, PUBLISHED, broken)] if broken else []
    content = contents[MANIFEST]
    if content is None:
        raise refused(f"there is no {MANIFEST}")
    manifest = read_manifest(content)
    if not broken and (manifest is None or not _is_told(heads[-1].head, manifest, content)):
        findings.append(Finding(FILES, MANIFEST, f"it is not what {PUBLISHED} says"))
        manifest = None
    with TemporaryDirectory() as folder, localcontext() as bounded:
        bounded.Emax, bounded.Emin = _DIGITS, -_DIGITS
        empty = BundleManifest("", "", 0, "", "", (), {})
        bundle = Bundle(site, Path(folder), manifest or empty, heads, findings=findings)
        for path in bundle.manifest.files:
            if not is_own(path):
                raise refused(f"it names a file that no bundle has: {path[:100]!r}")
        for path, own in _whole(site, bundle.manifest.files, bundle.findings):
            file = bundle.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(own)
            if path.startswith(f"{LISTS}/"):
                bundle.digests |= read_list(own.decode("utf-8", "replace"))
        yield bundle


def _is_told(head: SiteHead, manifest: BundleManifest, content: bytes) -> bool:
    told = (manifest.entry, manifest.head, manifest.at, digest(content))
    return told == (head.entry, head.head, head.at, head.manifest)


def _whole(
    site: PublishedSite, digests: Mapping[str, str], findings: list[Finding]
) -> Iterator[tuple[str, bytes]]:
    """Read files, give those that are what their digests say, and note the others."""
    for path, content in site.read(digests):
        if content is None:
            findings.append(Finding(FILES, path, "it is not there"))
        elif digest(content) != digests[path]:
            findings.append(Finding(FILES, path, "its bytes have another digest"))
        else:
            yield path, content


def changed_files(bundle: Bundle) -> tuple[Finding, ...]:
    """Hold every file of a site against its bundle, whose own were when it was opened.

    In a folder, files that a browser shows or runs and that nothing names are found too.
    """
    findings = list(bundle.findings)
    for _ in _whole(bundle.site, bundle.digests, findings):
        pass
    known = {*bundle.digests, *bundle.manifest.files, MANIFEST}
    findings += (
        Finding(FILES, path, "the bundle does not name it")
        for path in bundle.site.pages()
        if path not in known
    )
    return tuple(findings)


@dataclass(slots=True)
class _Stamps:
    """The time stamps of a bundle, held against an authority's certificates, if they are given.

    `late` is the longest time from a head's moment to that of its stamp.
    """

    bundle: Bundle
    checker: StampChecker | None
    count: int = 0
    late: timedelta | None = None

    def findings(self) -> Iterator[Finding]:
        """Which stamps do not fit; that of the newest head may not be in the manifest yet."""
        heads = {line.digest: line.head for line in self.bundle.heads}
        paths = {path for path in self.bundle.manifest.files if path.startswith(f"{STAMPS}/")}
        if self.checker and self.bundle.heads:
            paths.add(stamp_file(self.bundle.heads[-1].head.made_at))
        for path, token in self.bundle.site.read(sorted(paths)):
            if token is None:
                continue
            self.count += 1
            if self.checker is None:
                continue
            of_day = {told for told, h in heads.items() if stamp_file(h.made_at) == path}
            try:
                told, at = self.checker.moment(token, of_day)
            except UnfitStampError as error:
                yield Finding(STAMPED, path, str(error))
                continue
            late = at - read_moment(heads[told].made_at)
            self.late = late if self.late is None else max(late, self.late)

    @property
    def notes(self) -> tuple[str, ...]:
        """How many there are, and what they prove."""
        count = figures.many(self.count, "time stamp")
        if self.checker is None and self.count:
            return (f"{count} not checked: --tsa-cert FILE names the authority's certificate",)
        if self.late is None:
            return ()
        return (f"{count}, at most {figures.span(self.late)} after the moment of the head",)


def check_bundle(
    site: PublishedSite,
    templates: Path,
    older: PublishedSite | None = None,
    authority: bytes | None = None,
) -> CheckedBundle:
    """Work a site out again from its bundle, and compare.

    The files against their digests; the journal, the tape and the laws of the books in a store
    that is made of them; the pages of the leaderboard, contestants, providers, pairs and
    calibration, and the tables of data, against those that this program makes of that store.
    Where a file of the bundle itself has changed, files are all that is checked.

    Args:
        site: The site.
        templates: The folder of this program's templates.
        older: A copy of the site from before, of which nothing may have changed since.
        authority: The certificates, in PEM, that time stamps are held against.

    Raises:
        ArenaError: There is no bundle, or no arena wrote it (`verify.bundle`); the
            certificates are none (`verify.certificate`).
    """
    checker = None if authority is None else StampChecker(authority)
    with opened(site) as bundle:
        stamps = _Stamps(bundle, checker)
        findings = (*changed_files(bundle), *stamps.findings())
        files: tuple[tuple[str, int | None], ...] = (
            (HEADS, len(bundle.heads)),
            (FILES, len(bundle.digests) + 2),
            *([(STAMPED, stamps.count)] if checker else []),
        )
        if bundle.findings:
            return CheckedBundle(Audit(files, findings), bundle.manifest.head, stamps.notes)
        overview = _overview(bundle)
        with bundle.store() as store:
            days = (*_heads(bundle, store), *_days(bundle, store))
            texts, others = _texts(bundle)
            books = audit(store.db)
            reading, is_same_program = _reading(bundle, store, overview, templates)
            numbers = _Numbers(bundle, reading, templates, is_same_program)
            tables = _Tables(bundle, reading)
            differing = (*numbers.findings(), *tables.findings())
            past = tuple(_rewritten(bundle, store, older)) if older else ()
    report = Audit(
        (
            *files,
            (DAYS, len(bundle.manifest.days)),
            (TEXTS, texts),
            *books.checked,
            (NUMBERS, numbers.values),
            *([(BYTES, numbers.pages)] if numbers.is_same_program else []),
            (TABLES, tables.count),
            *([(OLDER, len(bundle.heads))] if older else []),
        ),
        (*findings, *days, *others, *books.findings, *differing, *past),
        books.left_out,
    )
    notes = (*numbers.notes, *tables.notes, *_ages(bundle), *stamps.notes)
    return CheckedBundle(report, bundle.manifest.head, notes)


def _ages(bundle: Bundle) -> Iterator[str]:
    """How old the estimates are, and how much later than the tape the pages were made."""
    head = bundle.heads[-1].head
    if not head.overview_entry:
        yield "the site has no estimates yet"
    elif head.overview_entry < head.entry:
        yield f"estimates are those of entry {head.overview_entry}, {head.overview_at}"
    if head.at and read_moment(head.made_at) - read_moment(head.at) > DAY:
        yield f"pages were made for {head.made_at}, the tape ends at {head.at}"


def _heads(bundle: Bundle, store: Store) -> Iterator[Finding]:
    """Published heads that the journal does not have, unless it tells of a restore."""
    rows = store.db.rows("SELECT event FROM journal_entries WHERE kind = 'restored'")
    lost = {json.loads(row["event"])["head"] for row in rows}
    given_up = max(
        (n for n, line in enumerate(bundle.heads, 1) if line.head.head in lost), default=0
    )
    show = Showcase(store.db)
    for number, line in enumerate(bundle.heads, 1):
        is_there = line.head.entry <= bundle.manifest.entry
        own = show.digest_at(line.head.entry) if line.head.entry and is_there else None
        if line.head.entry and number > given_up and own != line.head.head:
            what = f"line {number}: entry {line.head.entry} has another digest"
            yield Finding(HEADS, PUBLISHED, what)


def _texts(bundle: Bundle) -> tuple[int, Sequence[Finding]]:
    """How many replies there are, and those that are not what their digests say."""
    count, others = 0, list[Finding]()
    for line in bundle.lines(TEXTS_PART):
        count += 1
        text, told = line.get("text"), str(line.get("digest"))
        if not isinstance(text, str) or digest(text.encode("utf-8", "replace")) != told:
            others.append(Finding(TEXTS, told[:64], "the text has another digest"))
    return count, others


def _overview(bundle: Bundle) -> Overview:
    """The estimates as they were when the site made them, which may have been earlier."""
    head, edition = bundle.heads[-1].head, bundle.edition()
    if not head.overview_entry:
        return Overview()
    with bundle.store(Until(head.overview_entry, head.overview_at)) as store:
        return read_overview(store, edition.cast, edition.season)


def _days(bundle: Bundle, store: Store) -> Iterator[Finding]:
    show, manifest = Showcase(store.db), bundle.manifest
    if (*show.head(), tape_moment(store)) != (manifest.entry, manifest.head, manifest.at):
        yield Finding(DAYS, MANIFEST, "its entry, head or moment is not that of the days")
    last = date.fromisoformat(manifest.at[:10]) if manifest.at else None
    own = {day.day: (day.first, day.last, day.head) for day in journal_days(store.db, last)}
    told = {day.day: (day.first, day.last, day.head) for day in manifest.days}
    if len(told) != len(manifest.days):
        yield Finding(DAYS, MANIFEST, "it names a day twice")
    for day in sorted(own.keys() | told.keys()):
        if own.get(day) != told.get(day):
            yield Finding(DAYS, str(day), "its entries are not those of the journal")


def _reading(
    bundle: Bundle, store: Store, overview: Overview, templates: Path
) -> tuple[Reading, bool]:
    """What pages are made of, and whether this program and these templates made the site.

    The publisher may have Pillow or DuckDB where this machine has not, or the other way round.
    """
    made, every = bundle.manifest.templates, product((False, True), (False, True))
    extras = next((own for own in every if digest_of_makers(templates, own) == made), None)
    at, show = read_moment(bundle.heads[-1].head.made_at), Showcase(store.db)
    has_picture = extras is not None and extras[0]
    reading = Reading(store, show, bundle.edition(), at, overview, has_picture)
    return reading, extras is not None


@dataclass(slots=True)
class _Numbers:
    """The pages as this program makes them of the bundle, held against the published ones."""

    bundle: Bundle
    reading: Reading
    templates: Path
    is_same_program: bool
    values: int = 0
    pages: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        if self.is_same_program:
            return ()
        program = self.bundle.manifest.program
        return (
            f"Paper Arena {program} or other templates made the site: HTML is not compared",
        )

    def findings(self) -> Iterator[Finding]:
        """What differs, number by number."""
        made = dict(self._files())
        for path, content in self.bundle.site.read(made):
            if path not in self.bundle.digests:
                yield Finding(FILES, path, "no list of the bundle names it")
            if path.endswith(".json"):
                yield from self._values(path, content or b"", made[path])
            if self.is_same_program:
                self.pages += 1
                if content != made[path]:
                    yield Finding(BYTES, path, "its bytes are others")
        for path in self.bundle.digests:
            if path.startswith(_OURS) and path not in made:
                yield Finding(NUMBERS, path, "nothing in the bundle leads to it")

    def _files(self) -> Iterator[tuple[str, bytes]]:
        env = environment(self.templates)
        press = Press(env, program_digest())
        if self.is_same_program:
            for asset in assets(env, self._shown()):
                if not asset.path.startswith("."):
                    yield asset.path, asset.content
        for name in FRONTS:
            for page in pages_for(PageTask(Kind.FRONT, (name,)), self.reading):
                if isinstance(page, Page) or page.path.startswith(_OURS):
                    _, files = press.print(press.plate(page))
                    yield from files

    def _shown(self) -> Shown:
        """What the site says that it shows; of the settings it has a digest alone."""
        (_, content), *_ = self.bundle.site.read([BUILD])
        asked = re.search(rb'"edition": "([0-9a-f]{64})"', content or b"")
        manifest = self.bundle.manifest
        return Shown(
            manifest.entry,
            manifest.head,
            manifest.at,
            manifest.templates,
            asked[1].decode() if asked else "",
        )

    def _values(self, path: str, published: bytes, made: bytes) -> Iterator[Finding]:
        again = json.loads(made)
        self.values += sum(1 for _ in flat(again, ""))
        try:
            differing = changed_values(json.loads(published), again)
        except (ValueError, RecursionError):
            yield Finding(NUMBERS, path, "it cannot be read")
            return
        for value in differing:
            if not value.where.startswith("head."):
                what = f"{value.where} is {value.old!r}, the bundle comes to {value.new!r}"
                yield Finding(NUMBERS, path, what)


@dataclass(slots=True)
class _Tables:
    """The tables of data as this program makes them of the bundle, held against the digests."""

    bundle: Bundle
    reading: Reading
    count: int = 0
    unread: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """How many tables were not compared, for want of a library."""
        if not self.unread:
            return ()
        count = figures.many(self.unread, "Parquet file")
        return (f"{count} not compared: that needs `pip install 'paper-arena[duckdb]'`",)

    def findings(self) -> Iterator[Finding]:
        """Which tables differ, and what of them first."""
        show, made = self.reading.show, set[str]()
        cards = show.cohorts(1, show.cohort_count())
        of_cohorts = (data.files_of(card, self.reading) for card in cards)
        for document in chain(data.pages(self.reading), chain.from_iterable(of_cohorts)):
            if isinstance(document, Document):
                made.add(document.path)
                yield from self._differing(document)
        for path in self.bundle.digests:
            if path.startswith("data/") and path not in made:
                if path.endswith(PARQUET) and not has_parquet():
                    self.unread += 1
                else:
                    yield Finding(TABLES, path, "nothing in the bundle leads to it")

    def _differing(self, made: Document) -> Iterator[Finding]:
        told = self.bundle.digests.get(made.path)
        if told is None:
            if not made.path.endswith(PARQUET):  # the publisher may have no DuckDB
                yield Finding(FILES, made.path, "no list of the bundle names it")
            return
        self.count += 1
        again = self._sums(made.path) if made.path.endswith(f"/{SUMS}") else made.content
        if digest(again) == told:
            return
        ((_, content),) = self.bundle.site.read([made.path])
        if made.path.endswith(PARQUET):
            if not is_same_table(made.path, content or b"", again):
                yield Finding(TABLES, made.path, "its rows are others")
            return
        if content == again:
            return  # its digest alone is wrong, and the law of files names it
        texts = ((content or b"").splitlines(keepends=True), again.splitlines(keepends=True))
        pairs = enumerate(zip_longest(*texts, fillvalue=b""), 1)
        number, lines = next((n, pair) for n, pair in pairs if pair[0] != pair[1])
        old, new = (line.decode("utf-8", "replace")[:_SHOWN] for line in lines)
        what = f"line {number} is {old!r}, the bundle comes to {new!r}"
        yield Finding(TABLES, made.path, what)

    def _sums(self, path: str) -> bytes:
        """A cohort's list of digests, as those of its published files make it."""
        folder, digests = path.removesuffix(SUMS), self.bundle.digests
        names = [f"{name}.csv" for name in data.OF_COHORT]
        names += [f"{name}{PARQUET}" for name in data.AS_PARQUET]
        lines = (f"{digests[folder + n]}  {n}\n" for n in names if folder + n in digests)
        return "".join(lines).encode()


def _rewritten(bundle: Bundle, store: Store, older: PublishedSite) -> Iterator[Finding]:
    """What an older copy shows that is not there any more, the first day first."""
    contents = dict(older.read([PUBLISHED, MANIFEST]))
    show, found = Showcase(store.db), list[tuple[str, str]]()
    past, _ = read_heads(contents[PUBLISHED] or b"")
    if not past:
        yield Finding(OLDER, PUBLISHED, "the older copy has no head that can be read")
    for number, line in enumerate(past):
        if bundle.heads[number : number + 1] != [line]:
            found.append(
                (line.head.at[:10], f"line {number + 1} of {PUBLISHED} is another one")
            )
        if line.head.entry and show.digest_at(line.head.entry) != line.head.head:
            found.append((line.head.at[:10], f"entry {line.head.entry} has another digest"))
    manifest = read_manifest(contents[MANIFEST] or b"")
    if manifest:
        found += _changed_days(bundle, manifest, older)
        found += _changed_cast(bundle, manifest, older)
    yield from (Finding(OLDER, day, what) for day, what in sorted(found, key=lambda it: it[0]))


def _changed_days(
    bundle: Bundle, past: BundleManifest, older: PublishedSite
) -> Iterator[tuple[str, str]]:
    """Days of which lines of the older copy are gone, or which had ended and have new ones."""
    own = bundle.manifest.files
    ended = str(past.days[-1].day) if past.days else ""
    new = {p: "" for p in own if part_of(p) and p not in past.files and day_of(p) < ended}
    named = {p: d for p, d in past.files.items() if part_of(p)} | new
    changed = [path for path, told in named.items() if own.get(path) != told]
    for path, content in older.read(changed):
        part = part_of(path)
        kept = {json.dumps(line) for line in lines_of(path, content)} if content else set[str]()
        gone = len(kept - {json.dumps(line) for line in bundle.lines(part)}) if kept else 0
        if gone:
            yield day_of(path), f"{gone} lines of the {part} are others, or gone"
        elif (content or path in new) and day_of(path) < ended and part != TEXTS_PART:
            here = bundle.folder / path
            lines = lines_of(path, here.read_bytes()) if here.is_file() else ()
            added = sum(json.dumps(line) not in kept for line in lines)
            if added:
                yield day_of(path), f"{added} lines of the {part} are new"
    for path in past.files:
        if path.startswith(f"{STAMPS}/") and path not in own:
            yield path[-14:-4], "its time stamp is gone"


def _changed_cast(
    bundle: Bundle, past: BundleManifest, older: PublishedSite
) -> Iterator[tuple[str, str]]:
    """What the older copy says otherwise of who plays, and of the season."""
    ((_, content),) = older.read([EDITION])
    if content is None:
        return
    before, now = read_edition(content), bundle.edition()
    day = past.at[:10]
    for who, then in before.cast.items():
        is_now = now.cast.get(who)
        if is_now is None:
            yield day, f"{who} is not said to play any more"
            continue
        for name in (f.name for f in fields(then)):
            was, has = getattr(then, name), getattr(is_now, name)
            if was != has:
                yield day, f"{who}: {name} is {has!r}, and was {was!r}"
    if before.season != now.season:
        yield day, "the season is another one"


def keep_texts(bundle: Bundle, store: Store, digests: list[str]) -> None:
    """Put texts on the tape of a bundle's store: replies, and those that the site shows."""
    keep_replies(store, bundle.lines("texts"))
    listed = {places.blob(name): name for name in digests}
    for path, content in bundle.site.read(sorted(listed.keys() & bundle.digests.keys())):
        if content is not None and digest(content) != listed[path]:
            raise refused(f"{path} is not the text of its name")
        keep(store.db, content)
