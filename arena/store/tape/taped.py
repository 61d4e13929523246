"""What was polled and offered when, for whoever plays it again.

Also which markets of one event differ in a threshold or a deadline alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import zip_longest
from json import dumps
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from arena.records.market import MarketId, VenueId
from arena.records.trade import Completed, Marked, Opened, Reopened, RoundOpened, Sealed
from arena.scoring.ladders import ladders_of
from arena.scoring.table import Forecasts
from arena.store.codec import canonical, moment, read_moment
from arena.store.journal.entries import SqliteJournal
from arena.store.sqlite import Connection

_QUESTIONS: Final = """
SELECT facts ->> '$.event', facts ->> '$.question', facts ->> '$.closes_at'
FROM json_each(?) AS asked LEFT JOIN tape_markets AS told ON told.market = asked.value
    AND seen_at = (SELECT max(seen_at) FROM tape_markets WHERE market = told.market)
ORDER BY asked.key
"""


def with_ladders(db: Connection, forecasts: Forecasts) -> Forecasts:
    """Add the ladders among the markets that were forecast, by their newest questions.

    Args:
        db: An open file.
        forecasts: Those of that file.
    """
    return replace(forecasts, ladders=ladders_of(_questions(db, forecasts.market.names)))


def _questions(
    db: Connection, markets: Sequence[str]
) -> Iterator[tuple[str, str, date | None]]:
    """Each market's event, question and end; blank for a market that was never listed."""
    columns = db.columns(_QUESTIONS, dumps(list(markets)))
    for event, question, ends in zip(*columns, strict=True):
        yield event or "", question or "", read_moment(ends).date() if ends else None


EXPORTED: Final = (Opened, RoundOpened, Marked, Completed, Reopened)  # of a cohort's entries

# Ticks leave their moments in polls. One that polled nobody may have settled or valued.
_MOMENTS = """
SELECT at FROM tape_polls WHERE venue = ?1
UNION SELECT done.at FROM journal_entries AS done JOIN cohorts USING (cohort)
    WHERE cohorts.name = ?2 AND done.kind IN ('marked', 'completed', 'reopened')
UNION SELECT done.at FROM journal_entries AS done
    JOIN watched ON watched.market = json_extract(done.event, '$.market')
    WHERE done.kind = 'resolved' AND watched.venue = ?1
ORDER BY at
"""
_OFFERED = """
SELECT DISTINCT named.value AS market FROM rounds
JOIN cohorts USING (cohort), json_each(rounds.offered) AS named
WHERE cohorts.name = ? AND rounds.at = ?
"""
_KNOWN = """
SELECT DISTINCT market FROM tape_markets
WHERE facts ->> 'venue' = ? AND seen_at {when} ? ORDER BY market
"""


@dataclass(frozen=True, slots=True)
class SqliteRecording:
    """One SQLite file as a recording of the venues that it polled, read only."""

    db: Connection

    def venues(self) -> Sequence[VenueId]:
        """Every venue that was ever asked."""
        rows = self.db.rows("SELECT DISTINCT venue FROM tape_polls ORDER BY venue")
        return [VenueId(row["venue"]) for row in rows]

    def moments(self, venue: VenueId, name: str) -> Sequence[datetime]:
        """When somebody ticked: polls of a venue, and what was done for cohorts of a file."""
        return [read_moment(row["at"]) for row in self.db.rows(_MOMENTS, venue, name)]

    def error(self, venue: VenueId, at: datetime) -> str | None:
        """The error of the poll at a moment; None if it succeeded, or there was no poll."""
        sql = "SELECT error FROM tape_polls WHERE venue = ? AND at = ?"
        message: str | None = self.db.value(sql, venue, moment(at))
        return message

    def has_played(self, name: str) -> bool:
        """Whether a cohort of that file was ever started."""
        return bool(self.db.value("SELECT 1 FROM cohorts WHERE name = ? LIMIT 1", name))

    def offered(self, name: str, at: datetime) -> Sequence[MarketId]:
        """The markets that rounds of that moment offered to cohorts of a file."""
        return [MarketId(row["market"]) for row in self.db.rows(_OFFERED, name, moment(at))]

    def known(self, venue: VenueId, until: datetime) -> Sequence[MarketId]:
        """A venue's markets whose facts were on the tape by a moment."""
        rows = self.db.rows(_KNOWN.format(when="<="), venue, moment(until))
        return [MarketId(row["market"]) for row in rows]

    def news(self, venue: VenueId, at: datetime) -> Sequence[MarketId]:
        """A venue's markets whose facts were new at that very moment."""
        rows = self.db.rows(_KNOWN.format(when="="), venue, moment(at))
        return [MarketId(row["market"]) for row in rows]


def exported_venues(folder: Path) -> tuple[VenueId, ...]:
    """The venues of a folder that `arena tape export` wrote; none of any other folder."""
    files = folder.glob("markets/venue=*/month=*/markets.parquet")
    names = {unquote(file.parts[-3].partition("=")[2]) for file in files}
    return tuple(VenueId(name) for name in sorted(names))


def first_difference(
    first: Connection, other: Connection, name: str, kinds: tuple[type, ...] | None = None
) -> str | None:
    """Name the first entry of a cohort file's cohorts that differs between two databases.

    Seals are left out: they say how a cohort is graded, and not how it went. So is what is not
    of one of `kinds`, if they are given.
    """
    entries = (_cohort_entries(db, name, kinds or (object,)) for db in (first, other))
    for a, b in zip_longest(*entries):
        if a != b:
            return (a or b or ("", ""))[0]
    return None


def _cohort_entries(
    db: Connection, name: str, kinds: tuple[type, ...]
) -> Iterator[tuple[str, str]]:
    rows = db.rows("SELECT cohort FROM cohorts WHERE name = ?", name)
    cohorts = {row["cohort"] for row in rows}
    for _, _, entry in SqliteJournal(db).entries():
        event = entry.event
        if (
            entry.cohort in cohorts
            and isinstance(event, kinds)
            and not isinstance(event, Sealed)
        ):
            yield entry.id, canonical(entry)
