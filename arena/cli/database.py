"""Which database a command reads."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import ArenaError
from arena.store import Store, open_store


@contextmanager
def existing(config: Path, database: Path | None) -> Iterator[Store]:
    """Open a database that is there already: the one named, or the configured one.

    Raises:
        ArenaError: There is none yet.
    """
    file = database or configured(config)
    if not file.is_file():
        raise ArenaError(
            "store.none",
            f"there is no database at {file}",
            hint="`arena tick` makes it, `arena demo` makes one to look at",
            status=2,
        )
    with open_store(file) as store:
        yield store


def configured(config: Path) -> Path:
    """The database that the configuration names."""
    from arena.config import load_settings  # noqa: PLC0415  not needed with --database

    return Path(load_settings(config).database)
