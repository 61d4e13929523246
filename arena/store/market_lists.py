"""Markets that are open, and those that have resolved, the newest first."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.store.cards import MarketCard, read_market
from arena.store.sqlite import Connection

_OPEN = """
SELECT rowid, market, venue FROM watched INDEXED BY watched_by_end
WHERE resolved_at IS NULL ORDER BY rowid DESC LIMIT ?
"""
_RESOLVED = """
SELECT rowid, market, venue FROM watched INDEXED BY watched_by_end
WHERE resolved_at IS NOT NULL ORDER BY resolved_at DESC, rowid DESC LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class SqliteMarketLists:
    """Lists of one SQLite file's markets, read only; each reads no more than it gives."""

    db: Connection

    def open(self, most: int) -> Sequence[MarketCard]:
        """Markets that are not resolved, the last offered first."""
        return [read_market(row) for row in self.db.rows(_OPEN, most)]

    def resolved(self, most: int) -> Sequence[MarketCard]:
        """Markets that are resolved, the last of them first."""
        return [read_market(row) for row in self.db.rows(_RESOLVED, most)]

    def open_count(self) -> int:
        """How many markets are not resolved."""
        sql = "SELECT count(*) FROM watched INDEXED BY watched_by_end WHERE resolved_at IS NULL"
        return int(self.db.value(sql))
