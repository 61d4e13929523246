"""What happened last, for a page of news: a bounded number of things, newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from arena.records.market import MarketId, Outcome
from arena.records.trade import AdapterSet, Entry, Resolved, Restored
from arena.store.codec import read_moment
from arena.store.journal.entries import SqliteJournal, read_entry
from arena.store.migrations import NOTED
from arena.store.sqlite import Connection
from arena.store.tape.statuses import outcome_of

_RULED = """
SELECT r.*, (SELECT count(*) FROM positions AS p WHERE p.market = r.market) AS positions
FROM watched INDEXED BY watched_by_end
CROSS JOIN resolutions AS r ON r.market = watched.market
WHERE watched.resolved_at IS NOT NULL ORDER BY watched.resolved_at DESC, r.market LIMIT ?
"""


_NOTED = f"""
SELECT head, event FROM journal_entries WHERE {NOTED} AND kind = ? ORDER BY seq DESC LIMIT ?
"""  # noqa: S608  # our own words


@dataclass(frozen=True, slots=True)
class Ruled:
    """A market's resolution as the books have it now.

    `before` is what the venue had said last before this revision; None for the first one.
    `positions` is how many were ever held.
    """

    market: MarketId
    at: datetime
    revision: int
    outcome: Outcome
    before: Outcome | None
    positions: int


@dataclass(frozen=True, slots=True)
class SqliteNews:
    """What happened last in one SQLite file, read only."""

    db: Connection

    def ruled(self, most: int) -> Sequence[Ruled]:
        """The newest resolutions that stand."""
        resolved = [
            (row, outcome)
            for row in self.db.rows(_RULED, most)
            if (outcome := outcome_of(row["void"], row["yes_pays_micro"]))
        ]
        return [
            Ruled(
                market=MarketId(row["market"]),
                at=read_moment(row["at"]),
                revision=row["revision"],
                outcome=outcome,
                before=self._before(row["market"], row["revision"]),
                positions=row["positions"],
            )
            for row, outcome in resolved
        ]

    def restored(self, most: int) -> Sequence[tuple[datetime, Restored]]:
        """When an older database was accepted, and what it took the place of."""
        entries = self._noted("restored", most)
        return [(e.at, e.event) for e in entries if isinstance(e.event, Restored)]

    def adapters(self, most: int) -> Sequence[tuple[datetime, AdapterSet]]:
        """When venues were read in another way than cohorts had begun with, and how."""
        entries = self._noted("adapter set", most)
        changes = [(e.at, e.event) for e in entries if isinstance(e.event, AdapterSet)]
        return [(at, event) for at, event in changes if event.cohorts]

    def _noted(self, kind: str, most: int) -> Sequence[Entry]:
        rows = self.db.rows(_NOTED, kind, most)
        return [read_entry(row["head"], row["event"]) for row in rows]

    def _before(self, market: str, revision: int) -> Outcome | None:
        """The last word before a revision; one that was taken back leaves the one before."""
        journal = SqliteJournal(self.db)
        for earlier in range(revision - 1, 0, -1):
            entry = journal.entry(f"resolve:{market}:{earlier}")
            if entry and isinstance(entry.event, Resolved) and entry.event.outcome:
                return entry.event.outcome
        return None
