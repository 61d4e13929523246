"""The last overview, kept in a folder until what it stands on changes."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from arena.errors import ArenaError
from arena.records.claim import Season
from arena.records.cohort import ContestantId
from arena.records.entrant import Entrant
from arena.site.overview.newest import overview_key
from arena.site.overview.read import read_overview
from arena.site.overview.records import LEVEL, Overview
from arena.store import Store
from arena.store.codec import UNREADABLE, canonical, from_plain, to_plain

FILE: Final = "overview.json"


def cached_overview(
    store: Store,
    cast: Mapping[ContestantId, Entrant],
    folder: Path | None,
    makers: str = "",
    season: Season | None = None,
) -> Overview:
    """The overview of a store: the one that is kept if it still holds, or a new one.

    Args:
        store: An open store; it is only read.
        cast: Who plays.
        folder: Where the last overview is kept, in one file; None keeps none. A file that is
            damaged is written anew.
        makers: A digest of the program: what another program made does not hold.
        season: The first season of the board; None for one without an end.

    Raises:
        ArenaError: The file cannot be written (`site.write`).
    """
    if folder is None:
        return read_overview(store, cast, season)
    kept = kept_overview(store, cast, folder, makers, season)
    if kept is not None:
        return kept
    found = read_overview(store, cast, season)
    body = json.dumps(to_plain(found))
    _write(folder / FILE, f"{_key(store, cast, makers, season)}\n{_digest(body)}\n{body}\n")
    return found


def kept_overview(
    store: Store,
    cast: Mapping[ContestantId, Entrant],
    folder: Path,
    makers: str = "",
    season: Season | None = None,
) -> Overview | None:
    """The overview that is kept in a folder; None where there is none that still holds.

    Nothing is written, so it may be asked while another process builds the site.
    """
    return _read(folder / FILE, _key(store, cast, makers, season))


def _key(
    store: Store, cast: Mapping[ContestantId, Entrant], makers: str, season: Season | None
) -> str:
    said = (overview_key(store), canonical(dict(cast)), str(LEVEL), makers, canonical(season))
    return _digest("\n".join(said))


def _read(file: Path, key: str) -> Overview | None:
    """What is kept under a key; None where that is not whole, so that it is made anew."""
    try:
        of, digest, body = file.read_text(encoding="utf-8").splitlines()
        if (of, digest) != (key, _digest(body)):
            return None
        found: Overview = from_plain(Overview, json.loads(body))
    except (OSError, AttributeError, *UNREADABLE):
        return None
    return found


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _write(file: Path, text: str) -> None:
    """Write a file whole or not at all."""
    draft = file.with_name(f".{file.name}.tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text, encoding="utf-8")
        draft.replace(file)
    except OSError as error:
        raise ArenaError(
            "site.write",
            f"cannot write {error.filename or file}: {error.strerror}",
            hint="check the folder's rights and free space",
        ) from error
