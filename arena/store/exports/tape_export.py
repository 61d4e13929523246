"""The tape as Parquet files, by venue and month."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import quote as quoted

from arena.records.market import MarketId, VenueId
from arena.sheets.parquet import ParquetType, write_parquet
from arena.store.codec import moment, read_moment
from arena.store.sqlite import Connection, Row
from arena.store.tape.payloads import SqlitePayloads
from arena.store.tape.prune import venues_of_markets
from arena.store.tape.quotes import repeats, unfolded
from arena.store.tape.statuses import outcome_of

Cells = tuple[object, ...]
ALL: Final = -1  # no limit, in SQL

QUOTES: Final = (
    ("market", ParquetType.TEXT),
    ("seen_at", ParquetType.MOMENT),
    ("quoted_at", ParquetType.MOMENT),
    ("bid", ParquetType.PRICE),
    ("ask", ParquetType.PRICE),
    ("volume", ParquetType.DOLLARS),
    ("volume_24h", ParquetType.DOLLARS),
    ("liquidity", ParquetType.DOLLARS),
    ("source", ParquetType.TEXT),
    ("repeated", ParquetType.FLAG),
    ("book", ParquetType.TEXT),
)
STATUSES: Final = (
    ("market", ParquetType.TEXT),
    ("seen_at", ParquetType.MOMENT),
    ("said_at", ParquetType.MOMENT),
    ("state", ParquetType.TEXT),
    ("outcome", ParquetType.TEXT),
    ("yes_pays", ParquetType.PRICE),
    ("unconfirmed", ParquetType.FLAG),
)
MARKETS: Final = (
    ("market", ParquetType.TEXT),
    ("seen_at", ParquetType.MOMENT),
    ("event", ParquetType.TEXT),
    ("question", ParquetType.TEXT),
    ("category", ParquetType.TEXT),
    ("opens_at", ParquetType.MOMENT),
    ("closes_at", ParquetType.MOMENT),
    ("url", ParquetType.TEXT),
    ("facts", ParquetType.TEXT),
)
PAYLOADS: Final = (
    ("answered_at", ParquetType.MOMENT),
    ("method", ParquetType.TEXT),
    ("url", ParquetType.TEXT),
    ("asked", ParquetType.TEXT),
    ("status", ParquetType.COUNT),
    ("size", ParquetType.COUNT),
    ("digest", ParquetType.TEXT),
    ("headers", ParquetType.TEXT),
)
POLLS: Final = (("at", ParquetType.MOMENT), ("error", ParquetType.TEXT))
# What of the journal a replay needs: when ticks were, what rounds offered, and where it ended.
JOURNAL: Final = (
    ("seq", ParquetType.COUNT),
    ("at", ParquetType.MOMENT),
    ("kind", ParquetType.TEXT),
    ("head", ParquetType.TEXT),
    ("event", ParquetType.TEXT),
    ("digest", ParquetType.TEXT),
)

_SPAN = """
SELECT min(at) AS first, max(at) AS last FROM (
    SELECT at FROM tape_polls UNION ALL SELECT at FROM journal_entries
    UNION ALL SELECT seen_at FROM tape_statuses
    UNION ALL SELECT seen_at FROM tape_quotes UNION ALL SELECT at FROM tape_payloads
    UNION ALL SELECT strftime('%Y-%m-%dT%H:%M:%S+00:00', seen_at, 'unixepoch')
        FROM tape_repeats
)
"""
# The row in force when the month began, and those of the month.
_QUOTES = """
SELECT * FROM tape_quotes WHERE market = ?1 AND seen_at < ?3 AND seen_at >= coalesce(
    (SELECT max(seen_at) FROM tape_quotes WHERE market = ?1 AND seen_at < ?2), ?2
) ORDER BY seen_at
"""
_STATUSES = """
SELECT * FROM tape_statuses WHERE market = ? AND seen_at >= ? AND seen_at < ? ORDER BY seen_at
"""
_MARKETS = """
SELECT market, seen_at, facts, facts ->> 'event' AS event, facts ->> 'question' AS question,
    facts ->> 'category' AS category, facts ->> 'opens_at' AS opens_at,
    facts ->> 'closes_at' AS closes_at, facts ->> 'url' AS url
FROM tape_markets WHERE market = ? AND seen_at >= ? AND seen_at < ? ORDER BY seen_at
"""
_POLLS = "SELECT at, error FROM tape_polls WHERE venue = ? AND at >= ? AND at < ? ORDER BY at"
_JOURNAL = """
SELECT done.seq, done.at, done.kind, done.head, done.event, done.digest
FROM journal_entries AS done LEFT JOIN cohorts USING (cohort)
WHERE done.at >= ?2 AND done.at < ?3 AND (CASE
    WHEN done.kind = 'resolved' THEN
        (SELECT venue FROM watched WHERE market = done.event ->> 'market') = ?1
    WHEN done.kind = 'adapter set' THEN done.event ->> 'venue' = ?1
    WHEN done.kind IN ('opened', 'round', 'marked', 'completed', 'reopened') THEN
        cohorts.spec ->> 'venue' = ?1
    END OR done.seq = (SELECT max(seq) FROM entry_index))
ORDER BY done.seq
"""


@dataclass(frozen=True, slots=True)
class Written:
    """One file that was written; `month` is such as 2026-01."""

    table: str
    venue: str
    month: str
    rows: int
    file: str


@dataclass(frozen=True, slots=True)
class _Month:
    start: datetime
    end: datetime

    @property
    def name(self) -> str:
        return f"{self.start:%Y-%m}"


def export(
    db: Connection,
    out: Path,
    *,
    venue: VenueId | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Iterator[Written]:
    """Write what a venue said and when it was polled, a file a table, venue and month.

    `arena.store.exports.tape_reading` reads it: the journal's entries of rounds, marks and
    outcomes, and its last one, are there for that. Of raw answers the index is written.

    Quotes are unfolded: a reading that found no change is a row too, with `repeated`. Months
    are whole: each that the span touches is written, so that no file is ever cut short.

    Args:
        db: The file.
        out: The folder; below it `quotes/venue=V/month=2026-01/quotes.parquet` and so on.
        venue: Only this one; all of them if None.
        since: The first moment that is wanted; from the beginning if None.
        until: The first moment that is not wanted any more; to the end if None.

    Raises:
        ArenaError: DuckDB is not installed, or a file is not what was written.
    """
    markets: dict[str, list[MarketId]] = defaultdict(list)
    for name, market_venue in sorted(venues_of_markets(db).items()):
        markets[market_venue].append(name)
    sql = "SELECT venue FROM tape_polls UNION SELECT venue FROM tape_payloads"
    venues = {row["venue"] for row in db.rows(sql)}
    for venue_name in sorted({*markets, *venues}):
        if venue is None or venue_name == venue:
            for month in _months(db, since, until):
                yield from _write(db, out, VenueId(venue_name), markets[venue_name], month)


def _write(
    db: Connection, out: Path, venue: VenueId, markets: Sequence[MarketId], month: _Month
) -> Iterator[Written]:
    tables: Mapping[str, tuple[Sequence[tuple[str, ParquetType]], Iterator[Cells]]] = {
        "quotes": (QUOTES, _each(db, markets, month, _quotes)),
        "statuses": (STATUSES, _each(db, markets, month, _statuses)),
        "markets": (MARKETS, _each(db, markets, month, _facts)),
        "payloads": (PAYLOADS, _payloads(db, venue, month)),
        "polls": (POLLS, _of_venue(db, _POLLS, POLLS, venue, month)),
        "journal": (JOURNAL, _of_venue(db, _JOURNAL, JOURNAL, venue, month)),
    }
    for table, (columns, rows) in tables.items():
        folder = out / table / f"venue={quoted(venue, safe='')}" / f"month={month.name}"
        file = folder / f"{table}.parquet"
        count = write_parquet(file, columns, rows)
        if count:
            yield Written(table, venue, month.name, count, str(file))


def _months(db: Connection, since: datetime | None, until: datetime | None) -> Iterator[_Month]:
    span = db.row(_SPAN)
    if span is None or span["first"] is None:
        return
    first, last = read_moment(span["first"]), read_moment(span["last"])
    start = max(first, since or first)
    start = datetime(start.year, start.month, 1, tzinfo=UTC)
    while start <= last and (until is None or start < until):
        year, month = divmod(start.year * 12 + start.month, 12)
        end = datetime(year, month + 1, 1, tzinfo=UTC)
        yield _Month(start, end)
        start = end


def _each(
    db: Connection,
    markets: Sequence[MarketId],
    month: _Month,
    rows_of: Callable[[Connection, MarketId, _Month], Iterator[Cells]],
) -> Iterator[Cells]:
    for market in markets:
        yield from rows_of(db, market, month)


def _quotes(db: Connection, market: MarketId, month: _Month) -> Iterator[Cells]:
    rows = db.rows(_QUOTES, market, moment(month.start), moment(month.end))
    again = [at for at in repeats(db, market, ALL) if month.start <= at < month.end]
    for row, repeat in unfolded(rows, again):
        seen = repeat or read_moment(row["seen_at"])
        if seen < month.start:
            continue
        yield (
            market,
            moment(seen),
            moment(repeat) if repeat else row["quoted_at"],
            *(row[name] for name in ("bid_micro", "ask_micro", "volume_micro")),
            *(row[name] for name in ("volume_24h_micro", "liquidity_micro")),
            row["source"] or "book",
            repeat is not None,
            row["book"],
        )


def _statuses(db: Connection, market: MarketId, month: _Month) -> Iterator[Cells]:
    for row in db.rows(_STATUSES, market, moment(month.start), moment(month.end)):
        outcome = outcome_of(row["void"], row["yes_pays_micro"])
        yield (
            market,
            row["seen_at"],
            row["said_at"],
            row["state"],
            None if outcome is None else str(outcome.verdict),
            row["yes_pays_micro"],
            bool(row["unconfirmed"]),
        )


def _facts(db: Connection, market: MarketId, month: _Month) -> Iterator[Cells]:
    for row in db.rows(_MARKETS, market, moment(month.start), moment(month.end)):
        yield _cells(row, MARKETS)


def _payloads(db: Connection, venue: VenueId, month: _Month) -> Iterator[Cells]:
    for kept in SqlitePayloads(db).payloads(venue, month.start, month.end):
        yield (
            moment(kept.at),
            kept.method,
            kept.url,
            kept.asked,
            kept.status,
            kept.size,
            kept.digest,
            kept.headers,
        )


def _of_venue(
    db: Connection,
    sql: str,
    columns: Sequence[tuple[str, ParquetType]],
    venue: VenueId,
    month: _Month,
) -> Iterator[Cells]:
    for row in db.rows(sql, venue, moment(month.start), moment(month.end)):
        yield _cells(row, columns)


def _cells(row: Row, columns: Sequence[tuple[str, ParquetType]]) -> Cells:
    return tuple(row[name] for name, _ in columns)
