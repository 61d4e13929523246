"""A published site as a stranger has it: a folder, or an address. Nothing in it is trusted.

Its bundle says what it holds: its days, and the SHA-256 of each of its files.
"""

import asyncio
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import quote, urlsplit

from arena.errors import ArenaError
from arena.http.door import HttpDoor, HttpError, HttpRequest, unpack
from arena.store.codec import UNREADABLE, from_plain, read_moment, to_plain
from arena.store.exports.days import JournalDay

BUNDLE: Final = "bundle"
MANIFEST: Final = f"{BUNDLE}/manifest.json"
EDITION: Final = f"{BUNDLE}/edition.json"
LISTS: Final = f"{BUNDLE}/files"
STAMPS: Final = f"{BUNDLE}/stamps"
FORMAT: Final = 1
TEXTS_PART: Final = "texts"
PARTS: Final = ("journal", "tape", TEXTS_PART)
_DAY: Final = r"\d{4}-\d\d-\d\d"
_OWN: Final = re.compile(
    rf"{EDITION}|{LISTS}/[A-Za-z0-9_][A-Za-z0-9._-]*\.sums|{STAMPS}/{_DAY}\.tsr"
    rf"|{BUNDLE}/\d{{4}}/(?P<part>{'|'.join(PARTS)})-(?P<day>{_DAY})\.jsonl\.gz",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class BundleManifest:
    """The journal up to `entry`, the tape up to `at`, and by what the pages were made.

    `files` has the SHA-256 of each other file of the bundle by its path in the site. Those
    below `bundle/files` are lists of digests of the site's other files.
    """

    program: str
    templates: str
    entry: int
    head: str
    at: str
    days: tuple[JournalDay, ...]
    files: Mapping[str, str]
    format: int = FORMAT

    @property
    def text(self) -> str:
        """As a file of the site."""
        return json.dumps(to_plain(self), indent=0, sort_keys=True) + "\n"


def read_manifest(content: bytes) -> BundleManifest | None:
    """Read a manifest; None where it is none, or of another format."""
    try:
        manifest: BundleManifest = from_plain(BundleManifest, json.loads(content))
    except (RecursionError, AttributeError, *UNREADABLE):
        return None
    return manifest if manifest.format == FORMAT else None


def is_own(path: str) -> bool:
    """Whether a bundle has such a file."""
    return _OWN.fullmatch(path) is not None


def part_of(path: str) -> str:
    """Which part of a day's lines a file of the bundle has; empty where it has none."""
    named = _OWN.fullmatch(path)
    return (named["part"] or "") if named else ""


def day_of(path: str) -> str:
    """Of which day a file of the bundle has lines; empty where it has none."""
    named = _OWN.fullmatch(path)
    return (named["day"] or "") if named else ""


def day_file(day: date, part: str) -> str:
    """Where a day's lines stand: its entries, its rows of the tape, or its replies.

    >>> day_file(date(2026, 1, 5), "journal")
    'bundle/2026/journal-2026-01-05.jsonl.gz'
    """
    return f"{BUNDLE}/{day:%Y}/{part}-{day}.jsonl.gz"


def stamp_file(made_at: str) -> str:
    """Where the time stamp of a published head stands, by the moment of the head.

    >>> stamp_file("2026-01-05T12:00:00+00:00")
    'bundle/stamps/2026-01-05.tsr'
    """
    return f"{STAMPS}/{read_moment(made_at):%Y-%m-%d}.tsr"


def list_file(group: str) -> str:
    """Where the digests of a group of files stand, as `sha256sum --check` reads them."""
    return f"{LISTS}/{group}.sums"


def list_text(files: Mapping[str, str]) -> str:
    """Write digests by path."""
    return "".join(f"{digest}  {path}\n" for path, digest in sorted(files.items()))


def read_list(text: str) -> dict[str, str]:
    """Read digests by path; lines that are none are left out."""
    lines = (line.partition("  ") for line in text.splitlines())
    return {path: digest for digest, gap, path in lines if gap}


def digest(content: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return sha256(content).hexdigest()


LARGEST: Final = 100_000_000  # bytes of a file
UNPACKED: Final = 400_000_000
WHOLE: Final = 20_000_000_000  # of all files together
AT_ONCE: Final = 16  # requests
SHOWN: Final = frozenset({".html", ".htm", ".js", ".css", ".svg", ".json", ".csv", ".xml"})
SECONDS: Final = 120.0
MOVED: Final = frozenset({301, 302, 303, 307, 308})
GZIP: Final = b"\x1f\x8b"
_NAME: Final = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}"
_PATH: Final = re.compile(rf"(?:{_NAME}/){{0,9}}{_NAME}")


class PublishedSite(Protocol):
    """Where the files of a site are read."""

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Give files in the order of their paths; None for one that is not there.

        Raises:
            ArenaError: A path leads out of the site, a file is too large, or all together
                are (`verify.bundle`); the server does not answer (`verify.silent`).
        """
        ...

    def pages(self) -> Iterator[str]:
        """Give the files that a browser shows or runs; none of a site that cannot be listed."""
        ...


def published_site(place: str) -> PublishedSite:
    """A site by its folder, or by its address if it begins with http:// or https://.

    Raises:
        ArenaError: There is no such folder, or it is no address (`site.none`).
    """
    if place.lower().startswith(("https://", "http://")) and _has_host(place):
        return _Web(place.rstrip("/").removesuffix("/index.html") + "/")
    folder = Path(place)
    if not folder.is_dir():
        raise ArenaError(
            "site.none",
            f"there is no site at {folder}",
            hint="name its folder, or its address with https://",
            status=2,
        )
    return _Folder(folder.resolve())


def _has_host(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


@dataclass(slots=True)
class _Budget:
    left: int = WHOLE

    def take(self, path: str, size: int) -> None:
        self.left -= size
        if size > LARGEST or self.left < 0:
            raise refused(f"{path} is too large to be one of an arena's files")


def refused(what: str) -> ArenaError:
    """The error of a bundle that no arena wrote."""
    return ArenaError("verify.bundle", what, hint="it is damaged, or no arena wrote it")


def checked_path(path: str) -> str:
    """Give a path back if it stays below the site's folder.

    Raises:
        ArenaError: It does not (`verify.bundle`).
    """
    if not _PATH.fullmatch(path):
        raise refused(f"it names a file that no site has: {path[:100]!r}")
    return path


@dataclass(frozen=True, slots=True)
class _Folder:
    folder: Path
    budget: _Budget = field(default_factory=_Budget)

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        for path in paths:
            file = (self.folder / checked_path(path)).resolve()
            if not file.is_relative_to(self.folder):
                raise refused(f"{path} is a link that leads out of the folder")
            if not file.is_file():
                yield path, None
                continue
            self.budget.take(path, file.stat().st_size)
            yield path, file.read_bytes()

    def pages(self) -> Iterator[str]:
        for file in self.folder.rglob("*"):
            path = file.relative_to(self.folder).as_posix()
            if file.suffix.lower() in SHOWN and not path.startswith("."):
                yield path


@dataclass(frozen=True, slots=True)
class _Web:
    address: str
    budget: _Budget = field(default_factory=_Budget)

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        waiting = map(checked_path, paths)
        with asyncio.Runner() as runner:
            door = HttpDoor()
            try:
                while some := tuple(islice(waiting, 32 * AT_ONCE)):
                    for path, content in runner.run(self._fetched(door, some)):
                        self.budget.take(path, len(content or b""))
                        yield path, content
            finally:
                runner.run(door.aclose())

    def pages(self) -> Iterator[str]:
        return iter(())

    async def _fetched(
        self, door: HttpDoor, paths: tuple[str, ...]
    ) -> list[tuple[str, bytes | None]]:
        turn, together = asyncio.Semaphore(AT_ONCE), _Budget(4 * LARGEST)

        async def one(path: str) -> tuple[str, bytes | None]:
            async with turn:
                got = await self._one(door, path)
            together.take(path, len(got[1] or b""))
            return got

        try:
            return list(await asyncio.gather(*map(one, paths)))
        except HttpError as error:
            raise ArenaError(
                "verify.silent",
                f"{self.address}: {error.message}",
                hint="try again, or check a copy of the folder",
            ) from error

    async def _one(self, door: HttpDoor, path: str) -> tuple[str, bytes | None]:
        request = HttpRequest("GET", self.address + quote(path))
        reply = await door.send(request, seconds=SECONDS, most=LARGEST)
        if reply.status in MOVED:
            raise ArenaError(
                "verify.silent",
                f"{self.address}{path} leads elsewhere (HTTP {reply.status})",
                hint="name the address that it leads to",
            )
        # a server may say of a packed file that it has packed it
        is_opened = path.endswith(".gz") and not reply.body.startswith(GZIP)
        body = reply.packed if is_opened and reply.packed else reply.body
        return path, body if reply.is_success else None


def lines_of(path: str, packed: bytes) -> Iterator[dict[str, Any]]:
    """Read the objects of a packed file of lines.

    Raises:
        ArenaError: It is none, or much larger unpacked than a day is (`verify.bundle`).
    """
    try:
        unpacked = unpack(packed, "gzip", UNPACKED)
    except zlib.error as error:
        raise refused(f"{path} cannot be unpacked") from error
    if not unpacked.is_all or len(unpacked.body) > UNPACKED:
        raise refused(f"{path} holds more than a day")
    for line in BytesIO(unpacked.body):
        try:
            read = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise refused(f"{path} has a line that is not JSON") from error
        if not isinstance(read, dict):
            raise refused(f"{path} has a line that is no object")
        yield read
