"""A key of the evidence behind an overview: it changes when that evidence does."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from arena.store import Store
from arena.store.codec import read_moment

# Entries that move no estimate: prices that were read again, and what is done with.
STILL: Final = (
    "marked", "round closed", "completed", "reopened", "sealed", "restored", "adapter set",
)  # fmt: skip

_NEWEST = f"""
SELECT seq, digest, at FROM journal_entries WHERE kind NOT IN ({", ".join("?" * len(STILL))})
ORDER BY seq DESC LIMIT 1
"""  # noqa: S608  # our own words


@dataclass(frozen=True, slots=True)
class Newest:
    """The journal's last entry that moved an estimate; its digest stands for all before it."""

    seq: int
    digest: str
    at: datetime


def newest_change(store: Store) -> Newest | None:
    """Find the last entry that moved an estimate; None where there is none.

    It reads the journal from its end, and no further than the marks since that entry.
    """
    row = store.db.row(_NEWEST, *STILL)
    return Newest(row["seq"], row["digest"], read_moment(row["at"])) if row else None


def overview_key(store: Store) -> str:
    """A key that changes whenever an overview of the store might change.

    It changes with turns, trades, settlements, resolutions, what is taken back, and starts of
    rounds and cohorts; not with a poll or a mark. An overview stands as of that change.
    """
    change = newest_change(store)
    return f"{change.seq}:{change.digest}" if change else ""
