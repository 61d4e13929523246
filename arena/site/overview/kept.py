"""The last overview, cached in a folder until the evidence behind it changes."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

import arena
from arena.picture import can_draw
from arena.records.settings import Edition
from arena.render import environment, names_below, source_digest
from arena.sheets.parquet import has_parquet
from arena.site import TEMPLATES
from arena.site.engine.site_folder import in_words, places_beside, write_whole
from arena.site.overview.read import overview_key, read_overview
from arena.site.overview.records import LEVEL, Overview
from arena.store import Store
from arena.store.codec import UNREADABLE, canonical, from_plain, read_moment, to_plain

FILE: Final = "overview.json"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an overview is shown although the journal has gone on: `every`, at `at`."""

    at: datetime
    every: timedelta


def cached_overview(
    store: Store,
    edition: Edition,
    folder: Path,
    makers: str = "",
    patience: Patience | None = None,
) -> Overview:
    """The overview of a store: the cached one if it is still valid, else a new one.

    Args:
        store: An open store; it is only read.
        edition: Who plays, and the season of the board.
        folder: Where the last overview is kept, in one file. A file that is damaged is written
            anew.
        makers: A digest of the program: what another program made does not hold.
        patience: How long one holds that the journal has gone beyond; without it, not at all.

    Raises:
        ArenaError: The file cannot be written (`site.write`).
    """
    kept = kept_overview(store, edition, folder, makers, patience)
    if kept is not None:
        return kept
    overview = read_overview(store, edition.cast, edition.season)
    body = json.dumps(to_plain(overview))
    key = f"{_makers(store, edition, makers)}:{overview_key(store)}"
    with in_words(folder / FILE):
        write_whole(folder / FILE, f"{key}\n{_digest(body)}\n{body}\n".encode())
    return overview


def kept_overview(
    store: Store,
    edition: Edition,
    folder: Path,
    makers: str = "",
    patience: Patience | None = None,
) -> Overview | None:
    """The overview that is cached in a folder; None if there is no valid one.

    Nothing is written, so it may be asked while another process builds the site.
    """
    by, of, body = _read(folder / FILE)
    is_newest = of == overview_key(store)
    if by != _makers(store, edition, makers) or not (
        is_newest or _is_fresh(store, of, patience)
    ):
        return None
    try:
        overview: Overview = from_plain(Overview, json.loads(body))
    except (AttributeError, *UNREADABLE):
        return None
    return overview if is_newest or overview.headline else None


def known_overview(store: Store, edition: Edition, templates: Path, out: Path) -> Overview:
    """The overview that the site in `out` was made with, if it still holds, or a new one.

    Nothing is written and no lock is taken.
    """
    makers = digest_of_makers(templates)
    places = places_beside(out.resolve(), store.db.path)
    kept = (kept_overview(store, edition, folder, makers) for folder in places)
    overview = next((cached for cached in kept if cached is not None), None)
    return overview or read_overview(store, edition.cast, edition.season)


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


def _is_fresh(store: Store, of: str, patience: Patience | None) -> bool:
    """Whether the journal contains the entry that an overview stands as of, not long ago."""
    seq, _, digest = of.partition(":")
    if patience is None or not digest:
        return False
    row = store.db.row("SELECT digest, at FROM journal_entries WHERE seq = ?", seq)
    if row is None or row["digest"] != digest:
        return False
    return patience.at - read_moment(row["at"]) < patience.every


def _makers(store: Store, edition: Edition, makers: str) -> str:
    """A digest of everything that an overview depends on except the journal's length."""
    names = [row[0] for row in store.db.rows("SELECT contestant FROM totals ORDER BY 1")]
    parts = (canonical(dict(edition.cast)), str(LEVEL), makers, canonical(edition.season))
    return _digest("\n".join((*parts, *names)))


def _read(file: Path) -> tuple[str, str, str]:
    """By what, of what, and what is kept; blank where that is not whole: it is made anew."""
    try:
        key, digest, body = file.read_text(encoding="utf-8").splitlines()
    except (OSError, *UNREADABLE):
        return "", "", ""
    by, _, of = key.partition(":")
    return (by, of, body) if digest == _digest(body) else ("", "", "")


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
