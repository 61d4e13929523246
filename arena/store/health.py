"""How the arena is doing: what ran, what waits, and how old what it knows is."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from arena.records.cohort import CohortId
from arena.records.market import MarketId, VenueId
from arena.store.codec import moment, read_moment
from arena.store.sqlite import Connection


@dataclass(frozen=True, slots=True)
class VenueHealth:
    """When a venue last answered, and what it failed with since; None is never."""

    venue: VenueId
    last_poll: datetime | None
    last_error: str | None
    oldest_price: datetime | None
    held_markets: int
    unquoted_markets: int


@dataclass(frozen=True, slots=True)
class Late:
    """A market that is held and past its close, without an outcome."""

    market: MarketId
    closes_at: datetime
    state: str


@dataclass(frozen=True, slots=True)
class SqliteHealth:
    """The questions of `arena status`, read only."""

    db: Connection

    def venues(self, at: datetime) -> Sequence[VenueHealth]:
        """Every venue that was ever asked."""
        names = [row["venue"] for row in self.db.rows(_VENUES)]
        return [self._venue(VenueId(name), at) for name in names]

    def _venue(self, venue: VenueId, at: datetime) -> VenueHealth:
        good = self.db.value(
            "SELECT max(at) FROM tape_polls WHERE venue = ? AND error IS NULL", venue
        )
        error = self.db.value(
            "SELECT error FROM tape_polls WHERE venue = ? AND error IS NOT NULL AND at > ? "
            "ORDER BY at DESC LIMIT 1",
            venue,
            good or "",
        )
        held = self.db.row(_HELD, moment(at), venue)
        if held is None:
            raise LookupError("an aggregate has a row")
        oldest = held["oldest"]
        return VenueHealth(
            venue,
            read_moment(good) if good else None,
            error,
            read_moment(oldest) if oldest else None,
            held["markets"],
            held["unquoted"],
        )

    def late(self, before: datetime) -> Sequence[Late]:
        """Markets that are held, were to close before a moment, and have no outcome."""
        return [
            Late(MarketId(row["market"]), read_moment(row["closes_at"]), row["state"] or "OPEN")
            for row in self.db.rows(_LATE, before.isoformat())
        ]

    def waiting(self, cohort: CohortId, number: int) -> int:
        """How many answers to a round are on the tape."""
        sql = "SELECT count(*) FROM tape_answers WHERE cohort = ? AND round = ?"
        return int(self.db.value(sql, cohort, number))


_VENUES = "SELECT DISTINCT venue FROM tape_polls ORDER BY venue"
_HELD = """
SELECT count(*) AS markets, min(quoted_at) AS oldest,
    coalesce(sum(quoted_at IS NULL), 0) AS unquoted FROM
    (SELECT held.market, (SELECT quoted_at FROM tape_quotes WHERE market = held.market
        AND seen_at <= ? ORDER BY seen_at DESC LIMIT 1) AS quoted_at FROM
        (SELECT DISTINCT market FROM positions JOIN watched USING (market)
        WHERE state = 'OPEN' AND venue = ?) AS held)
"""
_LATE = """
SELECT market, closes_at, (SELECT state FROM tape_statuses WHERE market = held.market
    ORDER BY seen_at DESC LIMIT 1) AS state FROM
    (SELECT market, (SELECT json_extract(facts, '$.closes_at') FROM tape_markets
        WHERE market = held.market ORDER BY seen_at DESC LIMIT 1) AS closes_at FROM
        (SELECT DISTINCT market FROM positions WHERE state = 'OPEN') AS held) AS held
WHERE closes_at < ? ORDER BY closes_at
"""
