"""The files of the bundle, made beside the pages of a site: a past day's are made once."""

import gzip
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Final

import arena
from arena.records.settings import Pages
from arena.site import Document
from arena.site.bundle.published_site import (
    EDITION,
    LISTS,
    MANIFEST,
    PARTS,
    STAMPS,
    BundleManifest,
    day_file,
    digest,
    list_file,
    list_text,
    read_list,
    read_manifest,
)
from arena.site.engine.manifest import File, ManifestEntry
from arena.site.engine.renderer import Maker, WrittenPages
from arena.store.codec import canonical
from arena.store.exports.days import DayLines, JournalDay, days_since

if TYPE_CHECKING:
    from arena.site.engine.build import Work

REST: Final = "front"  # the list of all that is of no cohort and no market


@dataclass(frozen=True, slots=True)
class BundleWork:
    """What the bundle is made from: the pages, and what the folder has of it already.

    `stale` are files that the site loses. Where it only `grows`, lists of digests that no page
    touched stay as they are.
    """

    work: "Work"
    maker: Maker
    pages: Sequence[WrittenPages]
    there: Mapping[str, ManifestEntry]
    stale: Collection[str] = ()
    grows: bool = False

    def written(self) -> Iterator[WrittenPages]:
        """Make the bundle, its manifest last."""
        now, old = self.work.now, self._published()
        kept = self._kept(old) if old else {}
        past = old.days[:-1] if old and kept else ()
        days = list(past)
        files = {path: entry.files[0].digest for path, entry in kept.items()}
        if old and self.grows:
            files |= {p: d for p, d in old.files.items() if p.startswith(f"{LISTS}/")}
        for document in self._documents(past[-1] if past else None, days):
            made = self.maker.document(document)
            files[document.path] = made.entry.files[0].digest
            yield made
        for made in self._stamps():
            files[made.entry.path] = made.entry.files[0].digest
            yield made
        yield from (WrittenPages(entry, ()) for entry in kept.values())
        manifest = BundleManifest(
            arena.__version__, now.templates, now.entry, now.head, now.at, tuple(days), files
        )
        yield self.maker.document(Document(MANIFEST, manifest.text))

    def _stamps(self) -> Iterator[WrittenPages]:
        """The time stamps that the folder has got so far."""
        for file in sorted((self.work.ground.out / STAMPS).glob("????-??-??.tsr")):
            path = f"{STAMPS}/{file.name}"
            if self.grows and path in self.there:
                yield WrittenPages(self.there[path], ())
            else:
                yield self.maker.document(Document(path, "", file.read_bytes()))

    def _published(self) -> BundleManifest | None:
        """The manifest that the folder has, if the journal goes on from it."""
        try:
            content = (self.work.ground.out / MANIFEST).read_bytes()
        except OSError:
            return None
        old = read_manifest(content)
        is_before = old and old.entry and self.work.show.digest_at(old.entry) == old.head
        return old if is_before else None

    def _kept(self, old: BundleManifest) -> dict[str, ManifestEntry]:
        """The files of days that are over; none where one of them is not as it was."""
        parts = PARTS[:-1] if self._is_bare else PARTS
        days = [day_file(day.day, part) for day in old.days[:-1] for part in parts]
        names = [path for path in days if path in old.files]
        known = {path: self.there.get(path) or self._found(path) for path in names}
        entries = {path: entry for path, entry in known.items() if entry}
        whole = len(entries) == len(names) and all(
            entry.files[0].digest == old.files[path] and self._is_whole(entry)
            for path, entry in entries.items()
        )
        return entries if whole else {}

    def _found(self, path: str) -> ManifestEntry | None:
        """A file that was put into the folder: a machine that begins anew brings the bundle."""
        file = self.work.ground.out / path
        if not file.is_file():
            return None
        content = file.read_bytes()
        return ManifestEntry(path, "", 0, (File(file.name, len(content), digest(content)),))

    def _is_whole(self, entry: ManifestEntry) -> bool:
        file = self.work.ground.out / entry.path
        return self.grows or (
            file.is_file() and digest(file.read_bytes()) == entry.files[0].digest
        )

    @property
    def _is_bare(self) -> bool:
        return self.work.source.edition.site.pages is Pages.INDEX

    def _documents(self, past: JournalDay | None, days: list[JournalDay]) -> Iterator[Document]:
        """The new days, which are added to `days`, then the edition and the lists."""
        store, edition = self.work.source.store, self.work.source.edition
        last = date.fromisoformat(self.work.now.at[:10]) if self.work.now.at else None
        for day in days_since(store.db, past, last, texts=not self._is_bare):
            days.append(day.about)
            yield from _day(day)
        shown = replace(edition, site=replace(edition.site, probes="", stamps=""))
        yield Document(EDITION, canonical(shown) + "\n")
        yield from self._lists()

    def _lists(self) -> Iterator[Document]:
        groups: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for page in self.pages:
            digests = (file.digest for file in page.entry.files)
            groups[page.group or REST].update(zip(page.entry.paths, digests, strict=True))
        for group, files in groups.items():
            listed = {**self._listed(group), **files}
            for path in (*self.stale, *(p for p in listed if p.rpartition("/")[2][:1] == ".")):
                listed.pop(path, None)
            if not any(path.startswith("decisions/") for path in listed):
                listed = {p: d for p, d in listed.items() if not p.startswith("blobs/")}
            yield Document(list_file(group), list_text(listed))

    def _listed(self, group: str) -> Mapping[str, str]:
        file = self.work.ground.out / list_file(group)
        if not self.grows or not file.is_file():
            return {}
        return read_list(file.read_text(encoding="utf-8"))


def _day(day: DayLines) -> Iterator[Document]:
    for part in PARTS:
        lines: Sequence[str] = getattr(day, part)
        if lines:
            text = "\n".join(lines) + "\n"
            packed = gzip.compress(text.encode(), 9, mtime=0)
            yield Document(day_file(day.about.day, part), "", packed)
