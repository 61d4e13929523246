"""What the pages ask of the store. Each question reads a bounded part of it, never all.

So does the page of news: a bounded number of things, newest first.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from arena.records.cohort import CohortId, ContestantId
from arena.records.market import MarketId, Outcome
from arena.records.trade import AdapterSet, Entry, Resolved, Restored
from arena.store.caches import read_position
from arena.store.codec import moment, read_moment, read_row
from arena.store.journal.books import Ruling, read_ruling
from arena.store.journal.entries import SqliteJournal, read_entry
from arena.store.migrations import NOTED
from arena.store.pages.cards import (
    Changes,
    CohortCard,
    Deal,
    FailedTurn,
    MarketCard,
    OpenPosition,
    RoundCard,
    Seen,
    read_cohort,
    read_seen,
)
from arena.store.pages.turns import FAILED, SqliteTurns
from arena.store.sqlite import Connection
from arena.store.tape.quotes import outcome_of, repeats, unfolded

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


# Where a plan would grow with history, the statement names its index and its order of joins.
# Rows of `cohorts` and `watched` are only ever added, and by replaying the journal in its
# order: their rowids count 1, 2, 3, ... in the order things began, for ever.
_COHORT = """cohorts.rowid AS number, cohorts.cohort AS id, cohorts.window_ends_at AS ends_at,
    cohorts.*"""
_COHORTS = f"SELECT {_COHORT} FROM cohorts"  # noqa: S608  # our own words
_MARKETS = "SELECT rowid AS number, market AS id, venue FROM watched"
_BY_END = f"{_MARKETS} INDEXED BY watched_by_end"

_COHORTS_SINCE = """
WITH ruled AS MATERIALIZED (
    SELECT DISTINCT json_extract(event, '$.market') AS market
    FROM journal_entries WHERE seq > ?1 AND kind = 'resolved'
), known AS MATERIALIZED (
    SELECT min((SELECT min(seen_at) FROM tape_markets AS said
                WHERE said.market = ruled.market)) AS at FROM ruled
)
SELECT cohort FROM journal_entries WHERE seq > ?1 AND cohort IS NOT NULL
UNION
SELECT cohort FROM known CROSS JOIN rounds ON rounds.at >= known.at, json_each(offered) AS o
    WHERE o.value IN (SELECT market FROM ruled)
"""

_MARKETS_SINCE = """
SELECT id AS market FROM touched INDEXED BY touched_since
    WHERE entry > ?1 AND kind = 'market'
UNION
SELECT market FROM journal_forecasts WHERE entry > ?1
UNION
SELECT market FROM watched WHERE resolved_at IS NULL AND (
    EXISTS (SELECT 1 FROM tape_quotes AS q WHERE q.market = watched.market AND seen_at >= ?2)
    OR EXISTS (SELECT 1 FROM tape_repeats WHERE seen_at >= unixepoch(?2)
        AND number = (SELECT number FROM tape_names AS n WHERE n.market = watched.market))
    OR EXISTS (SELECT 1 FROM tape_statuses AS s
               WHERE s.market = watched.market AND seen_at >= ?2)
    OR EXISTS (SELECT 1 FROM tape_markets AS m
               WHERE m.market = watched.market AND seen_at >= ?2)
)
"""

_TURNS = "SELECT count(*) FROM turns WHERE cohort = played.cohort AND round = played.round"
_ROUNDS = f"""
SELECT played.*, round AS number, ({_TURNS} AND failure IS NULL) AS ok,
    ({_TURNS} AND {FAILED}) AS failed
FROM rounds AS played WHERE cohort = ? ORDER BY round
"""  # noqa: S608  # our own words
_FAILURES = f"""
SELECT *, failure AS reason FROM turns WHERE contestant = ? AND {FAILED}
ORDER BY at DESC, cohort DESC, round DESC LIMIT ?
"""  # noqa: S608  # our own words

_REFUSALS = """
SELECT turns.cohort, turns.contestant, json_extract(r.value, '$.reason') AS reason,
    count(*) AS times
FROM json_each(?) AS named
CROSS JOIN turns ON turns.cohort = named.value AND turns.refused > 0
CROSS JOIN journal_entries AS e ON e.seq = turns.entry
JOIN json_each(e.event, '$.refused') AS r
GROUP BY turns.cohort, turns.contestant, reason
"""

_FILLS = "cost_micro AS dollars_micro, 0 AS sold FROM fills"
_SALES = """proceeds_micro AS dollars_micro, 1 AS sold, NULL AS confidence, NULL AS linear,
    NULL AS kelly, NULL AS stated FROM sales"""

_OPEN = """
SELECT cohorts.cohort, seats.contestant, named.name AS market, held.side, held.number,
    held.shares_micro, held.cost_micro, held.state, held.proceeds_micro, held.realised_micro,
    seats.marked_at
FROM cohorts INDEXED BY cohorts_running
CROSS JOIN seats ON seats.cohort = cohorts.cohort AND seats.contestant = ?1
CROSS JOIN position_rows AS held INDEXED BY positions_open_by_seat
    ON held.cohort = (SELECT number FROM names WHERE name = cohorts.cohort)
    AND held.contestant = (SELECT number FROM names WHERE name = ?1) AND held.state = 'OPEN'
CROSS JOIN names AS named ON named.number = held.market
WHERE cohorts.complete_at IS NULL
ORDER BY cohorts.rowid DESC, named.name, held.side LIMIT ?2
"""


@dataclass(frozen=True, slots=True)
class Showcase:
    """Questions of the pages to one SQLite file, read only."""

    db: Connection

    @contextmanager
    def still(self) -> Iterator[None]:
        """See one and the same state of the file throughout, whoever writes meanwhile."""
        if self.db.raw.in_transaction:
            yield
            return
        with self.db.in_words():
            self.db.run("BEGIN")
        try:
            yield
        finally:
            self.db.run("ROLLBACK")

    def head(self) -> tuple[int, str]:
        """Number and digest of the journal's last entry; 0 and nothing for an empty one."""
        row = self.db.row("SELECT seq, digest FROM journal_entries ORDER BY seq DESC LIMIT 1")
        return (row["seq"], row["digest"]) if row else (0, "")

    def digest_at(self, entry: int) -> str:
        """The digest of one entry, or nothing where there is no such entry."""
        digest = self.db.value("SELECT digest FROM journal_entries WHERE seq = ?", entry)
        return str(digest or "")

    def since(self, entry: int, at: datetime | None) -> Changes:
        """What has changed after an entry of the journal and from a moment of the tape on.

        Without a moment the whole tape is new.

        A cohort changes by its own entries, and when a market it offered is ruled on: its
        forecasts are scored then. A market that is not resolved changes with the tape, too.
        A turn changes when it is new or its neighbours are, and with what it was about.
        """
        cohorts = self.db.rows(_COHORTS_SINCE, entry)
        markets = self.db.rows(_MARKETS_SINCE, entry, moment(at) if at else "")
        return Changes(
            tuple(CohortId(name) for name in sorted(row["cohort"] for row in cohorts)),
            tuple(MarketId(name) for name in sorted(row["market"] for row in markets)),
            SqliteTurns(self.db).since(entry),
        )

    def contestants(self) -> Sequence[ContestantId]:
        """Everybody who ever had a seat, by name."""
        rows = self.db.rows("SELECT contestant FROM totals ORDER BY contestant")
        return [ContestantId(row["contestant"]) for row in rows]

    def is_running(self) -> bool:
        """Whether any cohort is not complete."""
        sql = "SELECT EXISTS (SELECT 1 FROM cohorts WHERE complete_at IS NULL)"
        return bool(self.db.value(sql))

    def cohort_count(self) -> int:
        """How many cohorts have started."""
        return int(self.db.value("SELECT coalesce(max(rowid), 0) FROM cohorts"))

    def cohorts(self, first: int, last: int) -> Sequence[CohortCard]:
        """Cohorts by number, newest first."""
        sql = f"{_COHORTS} WHERE rowid BETWEEN ? AND ? ORDER BY rowid DESC"
        return [read_cohort(row) for row in self.db.rows(sql, first, last)]

    def cohort(self, cohort: CohortId) -> CohortCard | None:
        """One cohort."""
        row = self.db.row(f"{_COHORTS} WHERE cohort = ?", cohort)
        return read_cohort(row) if row else None

    def cohorts_of(self, contestant: ContestantId, most: int) -> Sequence[CohortCard]:
        """A contestant's newest cohorts, newest first."""
        sql = f"""{_COHORTS} CROSS JOIN seats
            ON seats.cohort = cohorts.cohort AND seats.contestant = ?
            ORDER BY cohorts.rowid DESC LIMIT ?"""
        return [read_cohort(row) for row in self.db.rows(sql, contestant, most)]

    def marked_at(self, cohort: CohortId) -> datetime | None:
        """When a cohort was last valued."""
        at = self.db.value("SELECT max(marked_at) FROM seats WHERE cohort = ?", cohort)
        return read_moment(at) if at else None

    def rounds(self, cohort: CohortId) -> Sequence[RoundCard]:
        """A cohort's rounds, oldest first."""
        return self.db.records(RoundCard, _ROUNDS, cohort)

    def market_count(self) -> int:
        """How many markets have been offered."""
        return int(self.db.value("SELECT coalesce(max(rowid), 0) FROM watched"))

    def markets(self, first: int, last: int) -> Sequence[MarketCard]:
        """Markets by number, the last offered first."""
        sql = f"{_MARKETS} WHERE rowid BETWEEN ? AND ? ORDER BY rowid DESC"
        return self.db.records(MarketCard, sql, first, last)

    def market(self, market: MarketId) -> MarketCard | None:
        """One market."""
        return self.db.record(MarketCard, f"{_MARKETS} WHERE market = ?", market)

    def newest_markets(self, most: int) -> Sequence[MarketCard]:
        """Markets by what happened to them last, newest first."""
        sql = """SELECT watched.rowid AS number, id, venue FROM touched INDEXED BY touched_since
            CROSS JOIN watched ON market = id WHERE kind = 'market'
            ORDER BY entry DESC, kind DESC, id DESC LIMIT ?"""
        return self.db.records(MarketCard, sql, most)

    def open_markets(self, most: int) -> Sequence[MarketCard]:
        """Markets that are not resolved, the last offered first."""
        sql = f"{_BY_END} WHERE resolved_at IS NULL ORDER BY rowid DESC LIMIT ?"
        return self.db.records(MarketCard, sql, most)

    def resolved_markets(self, most: int) -> Sequence[MarketCard]:
        """Markets that are resolved, the last of them first."""
        sql = f"{_BY_END} WHERE resolved_at IS NOT NULL ORDER BY resolved_at DESC, rowid DESC"
        return self.db.records(MarketCard, f"{sql} LIMIT ?", most)

    def open_market_count(self) -> int:
        """How many markets are not resolved."""
        sql = "SELECT count(*) FROM watched INDEXED BY watched_by_end WHERE resolved_at IS NULL"
        return int(self.db.value(sql))

    def rulings(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Ruling]:
        """The resolutions that the books stand on, of those that have one."""
        sql = """SELECT r.* FROM json_each(?) AS named
            JOIN resolutions AS r ON r.market = named.value"""
        rows = self.db.rows(sql, json.dumps(list(markets)))
        return {MarketId(row["market"]): read_ruling(row) for row in rows}

    def deals_of(self, contestant: ContestantId, most: int) -> Sequence[Deal]:
        """A contestant's newest fills and sales, newest first."""
        return self._deals("contestant = ?", contestant, most)

    def deals_in(self, market: MarketId, most: int) -> Sequence[Deal]:
        """A market's newest fills and sales, newest first."""
        return self._deals("market = ?", market, most)

    def _deals(self, where: str, value: str, most: int) -> Sequence[Deal]:
        newest = f"WHERE {where} ORDER BY entry DESC LIMIT ?"
        queries = (f"SELECT *, {columns} {newest}" for columns in (_FILLS, _SALES))
        deals = [d for sql in queries for d in self.db.records(Deal, sql, value, most)]
        return sorted(deals, key=lambda deal: -deal.entry)[:most]

    def open_positions(self, contestant: ContestantId, most: int) -> Sequence[OpenPosition]:
        """A contestant's open positions, those of the newest cohort first."""
        return [
            OpenPosition(read_position(row), row["marked_at"] and read_moment(row["marked_at"]))
            for row in self.db.rows(_OPEN, contestant, most)
        ]

    def failures_of(self, contestant: ContestantId, most: int) -> Sequence[FailedTurn]:
        """A contestant's newest turns that could not be read, newest first."""
        return self.db.records(FailedTurn, _FAILURES, contestant, most)

    def refusals(
        self, cohorts: Iterable[CohortId]
    ) -> Mapping[tuple[CohortId, ContestantId], Mapping[str, int]]:
        """Refused orders of some cohorts, counted by reason."""
        counts: dict[tuple[CohortId, ContestantId], dict[str, int]] = {}
        for row in self.db.rows(_REFUSALS, json.dumps(list(cohorts))):
            seat = (CohortId(row["cohort"]), ContestantId(row["contestant"]))
            counts.setdefault(seat, {})[row["reason"]] = row["times"]
        return counts

    def books_of(self, market: MarketId, most: int) -> Sequence[Seen]:
        """A market's newest books as they were read, oldest of them first."""
        sql = "SELECT * FROM tape_quotes WHERE market = ? ORDER BY seen_at DESC LIMIT ?"
        rows = self.db.rows(sql, market, most)
        every = unfolded(reversed(rows), repeats(self.db, market, most))
        return [read_seen(row, again) for row, again in every][-most:]

    def first_book(self, market: MarketId) -> Seen | None:
        """A market's first book."""
        sql = "SELECT * FROM tape_quotes WHERE market = ? ORDER BY seen_at LIMIT 1"
        row = self.db.row(sql, market)
        return read_seen(row) if row else None

    def ruled(self, most: int) -> Sequence[Ruled]:
        """The newest resolutions that stand."""
        return [
            read_row(
                Ruled,
                row,
                outcome=outcome,
                before=self._before(row["market"], row["revision"]),
            )
            for row in self.db.rows(_RULED, most)
            if (outcome := outcome_of(row["void"], row["yes_pays_micro"]))
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
        return [read_entry(*row) for row in self.db.rows(_NOTED, kind, most)]

    def _before(self, market: str, revision: int) -> Outcome | None:
        """The last word before a revision; one that was taken back leaves the one before."""
        journal = SqliteJournal(self.db)
        for earlier in range(revision - 1, 0, -1):
            entry = journal.entry(f"resolve:{market}:{earlier}")
            if entry and isinstance(entry.event, Resolved) and entry.event.outcome:
                return entry.event.outcome
        return None
