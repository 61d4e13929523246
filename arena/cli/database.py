"""Which database a command reads."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path

from arena.errors import ArenaError, did_you_mean
from arena.records.cohort import CohortId
from arena.store import MAKERS, Store, existing_store


def existing(
    config: Path, database: Path | None, *, hint: str = MAKERS
) -> AbstractContextManager[Store]:
    """Open a database that is there already: the one named, or the configured one.

    Args:
        config: The configuration.
        database: Another file than the configured one.
        hint: What to do where there is none.

    Raises:
        ArenaError: There is none yet, or it cannot be read: also inside of the block.
    """
    return existing_store(database or configured(config), hint=hint)


def configured(config: Path) -> Path:
    """The database that the configuration names."""
    from arena.config import load_settings

    return Path(load_settings(config).database)


def known(store: Store, cohort: str | None) -> CohortId | None:
    """The cohort of that name; None where none is named.

    Raises:
        ArenaError: There is none of that name.
    """
    if not cohort:
        return None
    if not (cohort.isascii() and store.books.cohort(CohortId(cohort))):
        raise no_cohort(store, cohort)
    return CohortId(cohort)


def no_cohort(store: Store, name: str, files: Iterable[str] = ()) -> ArenaError:
    """What is said of a cohort that is not there; `files` are names that would do as well."""
    there = [row["cohort"] for row in store.db.rows("SELECT cohort FROM cohorts")]
    return ArenaError(
        "cohort.unknown",
        f"there is no cohort {name}",
        hint=did_you_mean(name, [*there, *files]),
        status=2,
    )
