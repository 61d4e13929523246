"""A copy of an arena's file, to try something on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory

from arena.store import Store, open_store
from arena.store.sqlite import read_only


@contextmanager
def copied(path: PurePath) -> Iterator[Store]:
    """Open a copy of an arena's file, which is gone afterwards; an empty one if there is none.

    The copy is as large as the file and stands in TMPDIR; the file itself is only read.

    Raises:
        ArenaError: The file cannot be read, or is not an arena's.
    """
    with TemporaryDirectory() as folder, open_store(Path(folder) / "copy.db") as copy:
        if Path(path).is_file():
            with read_only(path) as raw:
                raw.backup(copy.db.raw)
            copy.db.migrate()
        yield copy
