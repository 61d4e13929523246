"""What the books say now: the questions that a tick asks of the caches."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from arena.records.cohort import Cohort, CohortId, ContestantId
from arena.records.market import MarketId, Outcome, Status, VenueId
from arena.records.money import MICRO, Usd
from arena.records.trade import Position
from arena.store.caches import read_position, read_spec
from arena.store.codec import moment, read_moment, read_row
from arena.store.sqlite import Connection, Row
from arena.store.tape.quotes import outcome_of, read_status

FOLLOWED = 2  # times as long is a new word followed that was read in time

# Each statement names its index and its order of joins: none may come to scan what has ended.
_WATCHED = """
SELECT market, venue FROM watched INDEXED BY watched_by_end WHERE resolved_at IS NULL
UNION ALL
SELECT market, venue FROM watched INDEXED BY watched_by_end WHERE resolved_at >= ?1
"""
_FOLLOWED = f"""{_WATCHED}
UNION ALL
SELECT market, venue FROM watched INDEXED BY watched_by_end
WHERE resolved_at >= ?2 AND resolved_at < ?1 AND (
    SELECT unconfirmed FROM tape_statuses WHERE market = watched.market
    ORDER BY seen_at DESC LIMIT 1
)
"""  # noqa: S608  # our own words
_UNSETTLED = f"""
SELECT said.* FROM ({_WATCHED}) AS open
CROSS JOIN tape_statuses AS said ON said.market = open.market AND said.seen_at =
    (SELECT max(seen_at) FROM tape_statuses WHERE market = open.market AND seen_at <= ?2)
LEFT JOIN resolutions AS booked ON booked.market = open.market
WHERE CASE said.state
    WHEN 'RESOLVED' THEN NOT said.unconfirmed AND (booked.market IS NULL
        OR booked.void IS NOT said.void OR booked.yes_pays_micro IS NOT said.yes_pays_micro)
    WHEN 'UNKNOWN' THEN 0
    ELSE NOT said.unconfirmed AND booked.void IS NOT NULL
END ORDER BY said.market
"""  # noqa: S608  # our own words
_PLAYING = """
SELECT cohort FROM fills WHERE market = ?1
UNION
SELECT done.cohort FROM forecast_entries AS stated
CROSS JOIN journal_entries AS done ON done.seq = stated.entry WHERE stated.market = ?1
"""
_ROUND = "SELECT *, round AS number FROM rounds"
_OPEN_ROUNDS = f"""
{_ROUND} INDEXED BY rounds_open WHERE NOT closed ORDER BY at, cohort, round
"""
TURNS = 400  # so that a day costs the same however long a contestant has played

_PAST = """
SELECT said.market, said.probability, ruled.yes_pays_micro, min(turn.seq) AS first
FROM (
    SELECT seq FROM entry_index INDEXED BY journal_turns_by_contestant
    WHERE kind = 'turn' AND contestant = (SELECT number FROM names WHERE name = ?)
    ORDER BY seq DESC LIMIT ?
) AS turn
CROSS JOIN journal_forecasts AS said ON said.entry = turn.seq
CROSS JOIN resolutions AS ruled ON ruled.market = said.market
WHERE ruled.at <= ? AND ruled.void = 0 GROUP BY said.market ORDER BY first, said.market
"""


# The newest markets alone are looked at, so that a question costs no more as history grows.
_BASE_RATE = """
SELECT count(*) AS markets, coalesce(sum(yes_pays_micro), 0) AS paid FROM (
    SELECT watched.venue, void, yes_pays_micro, lower((
        SELECT facts ->> 'category' FROM tape_markets AS told
        WHERE told.market = watched.market ORDER BY seen_at DESC LIMIT 1)) AS category
    FROM watched INDEXED BY watched_by_end CROSS JOIN resolutions AS ruled USING (market)
    WHERE resolved_at <= ?1 AND ruled.at <= ?1 ORDER BY resolved_at DESC LIMIT 2000
) WHERE void = 0 AND (?2 = '' OR venue = ?2) AND (?3 = '' OR category = lower(?3))
"""


@dataclass(frozen=True, slots=True)
class SeatPurse:
    """Dollars a contestant is free to bet in a cohort, and dollars it owes."""

    cash: Usd
    owed: Usd


@dataclass(frozen=True, slots=True)
class Round:
    """A round as it was laid out: when, which markets in which order, and its seed."""

    cohort: CohortId
    number: int
    at: datetime
    offered: tuple[MarketId, ...]
    closed: bool
    seed: str = ""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The resolution that the books stand on; `outcome` is None if it was taken back."""

    revision: int
    outcome: Outcome | None
    at: datetime


@dataclass(frozen=True, slots=True)
class SqliteBooks:
    """The caches of one SQLite file, read only."""

    db: Connection

    def running(self) -> Sequence[Cohort]:
        """Cohorts that are not complete, in the order they started."""
        sql = "SELECT * FROM cohorts WHERE complete_at IS NULL ORDER BY started_at, cohort"
        return [_cohort(row) for row in self.db.rows(sql)]

    def cohort(self, cohort: CohortId) -> Cohort | None:
        """One cohort, running or complete."""
        row = self.db.row("SELECT * FROM cohorts WHERE cohort = ?", cohort)
        return _cohort(row) if row else None

    def every(self) -> Sequence[CohortId]:
        """Every cohort there ever was, in the order they started. It reads all of history."""
        rows = self.db.rows("SELECT cohort FROM cohorts ORDER BY started_at, cohort")
        return [CohortId(row["cohort"]) for row in rows]

    def last_start(self, name: str) -> datetime | None:
        """When the newest cohort of a spec started."""
        at = self.db.value("SELECT max(started_at) FROM cohorts WHERE name = ?", name)
        return read_moment(at) if at else None

    def last_round(self, cohort: CohortId) -> Round | None:
        """The newest round of a cohort."""
        sql = f"{_ROUND} WHERE cohort = ? ORDER BY round DESC LIMIT 1"
        return self.db.record(Round, sql, cohort)

    def rounds_played(self, cohort: CohortId) -> int:
        """How many rounds of a cohort were laid out."""
        return int(self.db.value("SELECT count(*) FROM rounds WHERE cohort = ?", cohort))

    def round(self, cohort: CohortId, number: int) -> Round | None:
        """One round of a cohort, open or closed."""
        return self.db.record(Round, f"{_ROUND} WHERE cohort = ? AND round = ?", cohort, number)

    def open_rounds(self) -> Sequence[Round]:
        """Rounds in which not every turn has been judged, oldest first."""
        return self.db.records(Round, _OPEN_ROUNDS)

    def judged(self, cohort: CohortId, number: int) -> frozenset[ContestantId]:
        """Whose turns of a round have been judged."""
        sql = "SELECT contestant FROM turns WHERE cohort = ? AND round = ?"
        rows = self.db.rows(sql, cohort, number)
        return frozenset(ContestantId(row["contestant"]) for row in rows)

    def purse(self, cohort: CohortId, contestant: ContestantId) -> SeatPurse:
        """A contestant's cash in a cohort, and what it owes.

        Raises:
            KeyError: It has no seat there.
        """
        sql = "SELECT cash_micro, owed_micro FROM seats WHERE cohort = ? AND contestant = ?"
        purse = self.db.record(SeatPurse, sql, cohort, contestant)
        if purse is None:
            raise KeyError(f"{contestant} has no seat in {cohort}")
        return purse

    def held_by(self, cohort: CohortId, contestant: ContestantId) -> Sequence[Position]:
        """A contestant's open positions in a cohort, by market and side."""
        sql = """SELECT * FROM positions WHERE cohort = ? AND contestant = ?
            AND state = 'OPEN' ORDER BY market, side"""
        return [read_position(row) for row in self.db.rows(sql, cohort, contestant)]

    def held_in(self, market: MarketId) -> Sequence[Position]:
        """Everybody's open positions in a market, by cohort, contestant and side."""
        return self._positions(market, "state = 'OPEN'")

    def settled_in(self, market: MarketId) -> Sequence[Position]:
        """Everybody's settled positions in a market, by cohort, contestant and side."""
        return self._positions(market, "state IN ('WON', 'LOST', 'PAID', 'CANCELLED')")

    def _positions(self, market: MarketId, where: str) -> Sequence[Position]:
        sql = f"""SELECT * FROM positions WHERE market = ? AND {where}
            ORDER BY cohort, contestant, side, number"""  # noqa: S608  # one of two constants
        return [read_position(row) for row in self.db.rows(sql, market)]

    def playing_on(self, market: MarketId) -> frozenset[CohortId]:
        """Cohorts in which anybody bet on a market or stated a probability for it."""
        return frozenset(CohortId(row["cohort"]) for row in self.db.rows(_PLAYING, market))

    def held_markets(self, venue: VenueId) -> Sequence[MarketId]:
        """Markets of a venue in which anybody has an open position."""
        sql = """SELECT DISTINCT market FROM positions JOIN watched USING (market)
            WHERE state = 'OPEN' AND venue = ? ORDER BY market"""
        return [MarketId(row["market"]) for row in self.db.rows(sql, venue)]

    def watched(
        self, venue: VenueId, at: datetime, recheck_for: timedelta
    ) -> Sequence[MarketId]:
        """A venue's offered markets that may still resolve, or resolved too lately to trust.

        One of which a new word was read in that time is watched for as long again, until the
        word is confirmed or taken back.
        """
        sql = f"SELECT market FROM ({_FOLLOWED}) WHERE venue = ?3 ORDER BY market"  # noqa: S608
        since, followed = moment(at - recheck_for), moment(at - FOLLOWED * recheck_for)
        return [MarketId(row["market"]) for row in self.db.rows(sql, since, followed, venue)]

    def unsettled(self, at: datetime, recheck_for: timedelta) -> Sequence[Status]:
        """Venues' last words that differ from what the books stand on, by market.

        UNKNOWN is no word: a venue that could not be read takes nothing back. An unconfirmed
        word waits until it was read again.
        """
        since = moment(at - FOLLOWED * recheck_for)
        rows = self.db.rows(_UNSETTLED, since, moment(at))
        return [read_status(row) for row in rows]

    def ruling(self, market: MarketId) -> Ruling | None:
        """The resolution of a market that the books stand on."""
        row = self.db.row("SELECT * FROM resolutions WHERE market = ?", market)
        return read_ruling(row) if row else None

    def open_count(self, cohort: CohortId) -> int:
        """How many open positions a cohort has."""
        sql = "SELECT coalesce(sum(open_positions), 0) FROM seats WHERE cohort = ?"
        return int(self.db.value(sql, cohort))

    def succeeded(self, cohort: CohortId) -> bool:
        """Say whether any decision of a cohort could be read."""
        sql = "SELECT coalesce(sum(turns_ok), 0) FROM seats WHERE cohort = ?"
        return bool(self.db.value(sql, cohort))

    def last_mark(self, cohort: CohortId) -> datetime | None:
        """When a cohort was last valued."""
        at = self.db.value("SELECT marked_at FROM cohorts WHERE cohort = ?", cohort)
        return read_moment(at) if at else None

    def moved_since_mark(self, cohort: CohortId) -> bool:
        """Say whether any money of a cohort has moved since it was last valued."""
        sql = "SELECT moved_entry > marked_entry FROM cohorts WHERE cohort = ?"
        return bool(self.db.value(sql, cohort))

    def graded(
        self, contestant: ContestantId, before: datetime
    ) -> tuple[tuple[float, float], ...]:
        """Give P(YES) and what YES paid for each market that was resolved by a moment.

        One pair for a market: its first forecast among the contestant's last 400 turns.
        Voided markets are left out. Oldest first; empty where nothing has come out.
        """
        rows = self.db.rows(_PAST, contestant, TURNS, moment(before))
        return tuple((row["probability"], row["yes_pays_micro"] * float(MICRO)) for row in rows)

    def base_rate(self, before: datetime, venue: str, category: str) -> tuple[int, float]:
        """Count markets that had resolved by a moment, and add up what their YES paid.

        Args:
            before: The moment.
            venue: Where they were; empty is anywhere.
            category: Its name, capitals or not; empty is any.
        """
        row = self.db.row(_BASE_RATE, moment(before), venue, category)
        return (row["markets"], row["paid"] * float(MICRO)) if row else (0, 0.0)


def read_ruling(row: Row) -> Ruling:
    """Read a row of `resolutions`."""
    outcome = outcome_of(row["void"], row["yes_pays_micro"])
    return read_row(Ruling, row, outcome=outcome)


def _cohort(row: Row) -> Cohort:
    started_at = read_moment(row["started_at"])
    return Cohort(CohortId(row["cohort"]), read_spec(row["spec"]), started_at)
