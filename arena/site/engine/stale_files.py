"""Pages that the arena wrote and no list names; they are recognised by their mark."""

import re
from collections.abc import Collection
from pathlib import Path

from arena.site import places

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
