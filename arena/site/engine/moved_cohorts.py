"""Links to cohorts whose pages are kept at another address."""

import json
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from html import escape
from pathlib import Path
from posixpath import dirname, normpath
from urllib.parse import urlsplit

from arena.records.settings import SiteSettings
from arena.site.engine.manifest import ManifestEntry
from arena.site.engine.site_folder import in_words
from arena.site.page import Document
from arena.site.sanitize import folder_name
from arena.store.codec import moment
from arena.store.pages.cards import CohortCard
from arena.store.pages.showcase import Showcase

_HREF = re.compile(r'(<a\b[^<>]*?\bhref=")([^"]*)(")')
FOLDERS = ("cohorts", "decisions", "data")  # in each of which a cohort has its own folder


@dataclass(frozen=True)
class Elsewhere:
    """The folders of cohorts that moved to `there`; the site itself stands at `here`.

    With no `there`, or nothing that moved, every link stays as it is.
    """

    there: str = ""
    here: str = ""
    moved: frozenset[str] = frozenset()

    @cached_property
    def digest(self) -> str:
        """A digest of where cohorts moved, for the cache keys of pages with links."""
        text = repr((self.there, self.here, sorted(self.moved)))
        return sha256(text.encode()).hexdigest() if self.there and self.moved else ""

    def relinked(self, path: str, html: str) -> str:
        """Rewrite the links of a page to the present addresses of moved cohorts.

        On a page that moved they lead back to `here`, where that is known.
        """
        if not self.digest:
            return html
        home = moving(path) in self.moved
        return _HREF.sub(
            lambda match: match[1] + self._href(path, match[2], home=home) + match[3], html
        )

    def _href(self, path: str, href: str, *, home: bool) -> str:
        if not href or href.startswith("#") or urlsplit(href).scheme:
            return href
        way, mark, name = href.partition("#")
        target = normpath(f"{dirname(path)}/{way}".lstrip("/"))
        moved = moving(target) in self.moved
        base = self.there if moved else self.here
        if moved == home or not base:
            return href
        return escape(f"{base.rstrip('/')}/{target}{mark}{name}", quote=True)


def moving(path: str) -> str:
    """The folder of the cohort that a page belongs to; empty for any other page.

    >>> moving("cohorts/rain/index.html"), moving("cohorts/index.html"), moving("index.html")
    ('rain', '', '')
    """
    top, _, rest = path.partition("/")
    folder, slash, _ = rest.partition("/")
    return folder if top in FOLDERS and slash else ""


FOLDER = "volumes"
INDEX = f"{FOLDER}/index.json"
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Volume:
    """The pages of one cohort, of its seats and of its decisions; `id` names its folders."""

    id: str
    cohort: str
    complete_at: datetime

    @property
    def paths(self) -> tuple[str, str]:
        """Where its digests and its description stand."""
        return f"{FOLDER}/{self.id}/SHA256SUMS", f"{FOLDER}/{self.id}/volume.json"


def due(show: Showcase, site: SiteSettings, as_of: datetime | None) -> tuple[Volume, ...]:
    """The cohorts that have been complete for long enough, by the time of the data."""
    if site.freeze_after is None or as_of is None:
        return ()
    return tuple(
        _volume(card, card.complete_at)
        for card in show.cohorts(1, show.cohort_count())
        if card.complete_at and as_of - card.complete_at > site.freeze_after
    )


def _volume(card: CohortCard, complete_at: datetime) -> Volume:
    return Volume(folder_name(card.id), card.id, complete_at)


def frozen_in(out: Path) -> frozenset[str]:
    """The ids of the volumes that a site has; none where that cannot be read."""
    try:
        index = json.loads((out / INDEX).read_text(encoding="utf-8"))
        return frozenset(str(volume["id"]) for volume in index["volumes"])
    except (OSError, ValueError, TypeError, KeyError):
        return frozenset()


def elsewhere(site: SiteSettings, ids: Iterable[str]) -> Elsewhere:
    """Where links to these volumes lead."""
    return Elsewhere(site.volume_base, site.base_url, frozenset(ids))


def documents(
    volumes: Sequence[Volume], entries: Iterable[ManifestEntry], base: str
) -> Iterator[Document]:
    """The digests of each volume, its description, and the index of all.

    `sha256sum -c SHA256SUMS` checks a volume from the folder that the file stands in.
    """
    inside: dict[str, list[ManifestEntry]] = {volume.id: [] for volume in volumes}
    for entry in entries:
        inside.get(moving(entry.path), []).append(entry)
    descriptions = []
    for volume in volumes:
        files = sorted(
            (path, file)
            for entry in inside[volume.id]
            for path, file in zip(entry.paths, entry.files, strict=True)
        )
        about = {
            "id": volume.id,
            "cohort": volume.cohort,
            "complete_at": moment(volume.complete_at),
            "base": base,
            "files": len(files),
            "bytes": sum(file.size for _, file in files),
        }
        sums, description = volume.paths
        yield Document(sums, "".join(f"{file.digest}  ../../{path}\n" for path, file in files))
        yield Document(description, _json(about))
        descriptions.append(about)
    yield Document(INDEX, _json({"volumes": descriptions}))


def thaw(out: Path, ids: Iterable[str]) -> Document:
    """Remove the volumes of cohorts that changed, because one of their markets was ruled anew.

    Returns:
        The index of those that are left.
    """
    gone = set(ids)
    index = json.loads((out / INDEX).read_text(encoding="utf-8"))
    for volume_id in gone:
        with in_words(out / FOLDER / volume_id):
            shutil.rmtree(out / FOLDER / volume_id)
    return Document(
        INDEX, _json({"volumes": [v for v in index["volumes"] if v["id"] not in gone]})
    )


def _json(fields: dict[str, object]) -> str:
    document = {"schema_version": SCHEMA_VERSION, **fields}
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"
