"""What the bundle of a site holds: its days, and the SHA-256 of each of its files."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Final

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
