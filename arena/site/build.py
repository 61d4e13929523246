"""From the books to a folder of pages."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import arena
from arena.errors import ArenaError
from arena.metrics import figures
from arena.records.entrant import Edition
from arena.render import Environment, environment, render
from arena.site import places
from arena.site.assemble import pages_for, tasks_of, tasks_of_site
from arena.site.links import check_links
from arena.site.overview import read_overview
from arena.site.page import Document, Page, Task
from arena.site.reading import Reading
from arena.site.twins import csv_of, figures_in, twin_of
from arena.store import Store
from arena.store.codec import canonical, read_moment
from arena.store.showcase import Showcase

__all__ = ["MANIFEST", "check_links", "publish"]

MANIFEST = ".arena-site.json"
FOLDER = "site"  # of the templates
MARK = b'<meta name="generator" content="Paper Arena">'
MARK_WITHIN = 2000  # bytes from the start of a page


@dataclass(frozen=True, slots=True)
class _Manifest:
    """What a folder shows: the journal up to `entry`, the tape up to `at`, and by what code."""

    entry: int
    head: str
    at: str
    templates: str
    asked: str


_NAMES = ("head", "at", "templates", "asked")


def publish(
    store: Store,
    out: Path,
    templates: Path,
    edition: Edition,
    *,
    at: datetime,
) -> int:
    """Write the site of a store, whole or what has changed since the folder was written.

    Each file is written whole or not at all, and only if its bytes differ. After a kill at
    any point the same call completes the work. The bytes follow from the store, the
    templates and the edition alone.

    Args:
        store: An open store; it is only read.
        out: The site's folder; made if it is not there.
        templates: The folder of templates, `site/` below it.
        edition: Who plays, and how the site is published.
        at: The moment of the tick: nothing on the tape is later.

    Returns:
        How many files were written or changed.

    Raises:
        ArenaError: A template is missing or broken, or a file cannot be written
            (`site.write`).
    """
    show, env = Showcase(store.db), environment(templates)
    with show.still():
        as_of = store.boards.as_of()
        overview = read_overview(store, edition.cast)
        reading = Reading(store, show, edition, max(at, as_of) if as_of else at, overview)
        entry, head = show.head()
        now = _Manifest(
            entry,
            head,
            figures.machine(as_of) if as_of else "",
            _digest_of_makers(templates),
            sha256(canonical(edition).encode()).hexdigest(),
        )
        before = _read_manifest(out)
        if before is None or not _continues(before, now, show):
            written = _write_whole(reading, env, out)
        else:
            since = read_moment(before.at) if before.at else None
            changes = show.since(before.entry, since)
            written = _write_pages(_made(tasks_of(changes, reading), reading), env, out)
        written += _write_assets(templates / FOLDER, out)
    _write(out / MANIFEST, (json.dumps(asdict(now), indent=1) + "\n").encode())
    return written


def _continues(before: _Manifest, now: _Manifest, show: Showcase) -> bool:
    """Say whether a folder shows an earlier state of this same journal, made the same way."""
    made_alike = (before.templates, before.asked) == (now.templates, now.asked)
    return made_alike and before.entry > 0 and show.digest_at(before.entry) == before.head


def _write_whole(reading: Reading, env: Environment, out: Path) -> int:
    paths: set[Path] = set()

    def noted() -> Iterator[Page | Document]:
        for page in _made(tasks_of_site(reading), reading):
            paths.add(out / page.path)
            yield page

    return _write_pages(noted(), env, out) + _prune(out, paths)


def _made(tasks: Iterable[Task], reading: Reading) -> Iterator[Page | Document]:
    for task in tasks:
        yield from pages_for(task, reading)


def _write_pages(pages: Iterable[Page | Document], env: Environment, out: Path) -> int:
    written = 0
    for page in pages:
        for path, text in _files(page, env):
            written += _write(out / path, text.encode("utf-8", "replace"))
    return written


def _files(page: Page | Document, env: Environment) -> Iterator[tuple[str, str]]:
    """The files of a page: what machines read first, then what people do."""
    if isinstance(page, Document):
        yield page.path, page.text
        return
    for figure in figures_in(page.view):
        yield places.figure(page.path, figure.key, "svg"), figure.alone
        yield places.figure(page.path, figure.key, "csv"), csv_of(figure.grid)
    yield places.twin(page.path), twin_of(page.view, page.template)
    yield page.path, render(env, f"{FOLDER}/{page.template}", page=page.view)


def _write_assets(folder: Path, out: Path) -> int:
    """Write what pages load: the style sheet, which is made from several, and the script."""
    sheets = sorted((folder / "css").glob("*.css"))
    scripts = sorted((folder / "js").glob("*.js"))
    written = _write(out / places.STYLE, b"".join(file.read_bytes() for file in sheets))
    return written + _write(out / places.SCRIPT, b"".join(f.read_bytes() for f in scripts))


def _prune(out: Path, kept: set[Path]) -> int:
    """Remove pages of ours that nothing leads to any more, and no file of anybody else."""
    with _in_words(out):
        stale = [
            file
            for folder in places.FOLDERS
            for file in sorted((out / folder).rglob("*.html"))
            if file not in kept and MARK in file.read_bytes()[:MARK_WITHIN]
        ]
        for file in stale:
            file.unlink()
    return len(stale)


def _write(path: Path, content: bytes) -> bool:
    """Write a file whole or not at all; say whether its bytes are new."""
    draft = path.with_name(f".{path.name}.tmp")
    with _in_words(path):
        if path.is_file() and path.read_bytes() == content:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(content)
        draft.replace(path)
    return True


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    """Turn a failure of the disk into one that a person can act on."""
    try:
        yield
    except OSError as error:
        raise ArenaError(
            "site.write",
            f"cannot write {error.filename or path}: {error.strerror}",
            hint="check the folder's rights and free space; `arena publish` completes the site",
        ) from error


def _read_manifest(out: Path) -> _Manifest | None:
    """What a folder says it shows; None where that cannot be read, so that all is made anew."""
    try:
        said = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
        return _Manifest(int(said["entry"]), *(str(said[name]) for name in _NAMES))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _digest_of_makers(templates: Path) -> str:
    """SHA-256 of the templates and of the program: where either changed, all pages may."""
    digest = sha256()
    program = Path(arena.__file__).parent
    for folder, pattern in ((templates / FOLDER, "*"), (program, "*.py")):
        for file in sorted(folder.rglob(pattern)):
            if file.is_file():
                digest.update(file.relative_to(folder).as_posix().encode() + b"\0")
                digest.update(sha256(file.read_bytes()).digest())
    return digest.hexdigest()
