"""How the arena is doing: what ran, what waits, and how old what it knows is."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from arena.records.cohort import ContestantId
from arena.records.market import MarketId, VenueId
from arena.records.report import VenueStatus
from arena.store.codec import moment, read_moment, read_row
from arena.store.journal.books import SqliteBooks
from arena.store.sqlite import Connection
from arena.store.tape.quotes import SqliteQuotes


@dataclass(frozen=True, slots=True)
class Late:
    """A market that was offered and is past its close, without an outcome.

    `closes_at` is when it was to close, `closed_since` since when its venue calls it closed;
    None where nobody said so.
    """

    market: MarketId
    closes_at: datetime | None
    closed_since: datetime | None
    state: str


@dataclass(frozen=True, slots=True)
class ReadingRecord:
    """How often a venue was read since a moment, and how often it could not be.

    `failed_days` are the days, `2026-01-05`, on which some reading failed.
    """

    venue: VenueId
    read: int
    failed: int
    failed_days: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """How many turns a contestant had since a moment, and how many failed.

    A turn that was missed or withdrawn is no failure. `last_failed` is None where none failed.
    """

    contestant: ContestantId
    turns: int
    failed: int
    last_failed: datetime | None


@dataclass(frozen=True, slots=True)
class SqliteHealth:
    """The questions of `arena status`, read only."""

    db: Connection

    def venues(self, at: datetime) -> Sequence[VenueStatus]:
        """Every venue that was ever asked."""
        return [self.venue(VenueId(row["venue"]), at) for row in self.db.rows(_VENUES)]

    def venue(self, venue: VenueId, at: datetime) -> VenueStatus:
        """One venue, with the prices that were known at a moment."""
        sql = "SELECT max(at) FROM tape_polls WHERE venue = ? AND error IS NULL"
        good = self.db.value(sql, venue)
        error = self.db.value(_LAST_ERROR, venue, good or "")
        held = SqliteBooks(self.db).held_markets(venue)
        quotes = SqliteQuotes(self.db).quotes(held, at)
        return VenueStatus(
            venue,
            read_moment(good) if good else None,
            error,
            max((at - quote.at for quote in quotes.values()), default=None),
            len(held),
            len(held) - len(quotes),
        )

    def late(self, before: datetime) -> Sequence[Late]:
        """Markets that are held and were to close before a moment, and have no outcome.

        Those too that were offered and that their venue has called closed since before then.
        """
        return self.db.records(Late, _LATE, moment(before))

    def readings(self, since: datetime) -> Sequence[ReadingRecord]:
        """Every venue that was asked since a moment."""
        return [
            read_row(
                ReadingRecord,
                row,
                failed_days=tuple(sorted(set((row["days"] or "").split(",")) - {""})),
            )
            for row in self.db.rows(_READINGS, moment(since))
        ]

    def turn_records(self, since: datetime) -> Sequence[TurnRecord]:
        """Every contestant that had a turn in a round since a moment."""
        return self.db.records(TurnRecord, _TURNS, moment(since))


_VENUES = "SELECT DISTINCT venue FROM tape_polls ORDER BY venue"
_LAST_ERROR = """
SELECT error FROM tape_polls WHERE venue = ? AND error IS NOT NULL AND at > ?
ORDER BY at DESC LIMIT 1
"""
_READINGS = """
SELECT venue, count(*) - count(error) AS read, count(error) AS failed,
    group_concat(CASE WHEN error IS NOT NULL THEN date(at) END) AS days
FROM tape_polls INDEXED BY tape_polls_by_moment WHERE at >= ? GROUP BY venue ORDER BY venue
"""
_TURNS = """
SELECT contestant, count(*) AS turns, sum(is_failed) AS failed,
    max(CASE WHEN is_failed THEN at END) AS last_failed
FROM (
    SELECT turns.contestant, turns.at, turns.failure IS NOT NULL
        AND turns.failure NOT LIKE 'round missed%'
        AND turns.failure NOT LIKE 'withdrawn%' AS is_failed
    FROM rounds INDEXED BY rounds_by_moment CROSS JOIN turns USING (cohort, round)
    WHERE rounds.at >= ?
)
GROUP BY contestant ORDER BY contestant
"""
_LATE = """
WITH waiting AS (
    SELECT market,
        EXISTS (SELECT 1 FROM positions WHERE positions.market = watched.market
            AND state = 'OPEN') AS held,
        (SELECT json_extract(facts, '$.closes_at') FROM tape_markets
            WHERE market = watched.market ORDER BY seen_at DESC LIMIT 1) AS closes_at,
        (SELECT state FROM tape_statuses WHERE market = watched.market
            ORDER BY seen_at DESC LIMIT 1) AS state,
        (SELECT min(seen_at) FROM tape_statuses WHERE market = watched.market
            AND seen_at > coalesce((SELECT max(seen_at) FROM tape_statuses
                WHERE market = watched.market AND state IN ('OPEN', 'HALTED')), '')
        ) AS closed_since
    FROM watched INDEXED BY watched_by_end WHERE resolved_at IS NULL
)
SELECT market, closes_at, closed_since, coalesce(state, 'OPEN') AS state FROM waiting
WHERE (held AND closes_at < ?1) OR closed_since < ?1
ORDER BY coalesce(closed_since, closes_at), market
"""
