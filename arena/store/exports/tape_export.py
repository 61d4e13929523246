"""The tape as Parquet files, by venue and month, and such files as a store again.

A replay asks of such a store what it asks of an arena's own file.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import quote as quoted
from urllib.parse import unquote

from arena.errors import ArenaError
from arena.records.market import Market, MarketId, Source, State, Status, VenueId
from arena.records.trade import Opened, RoundOpened
from arena.sheets.parquet import (
    AT_ONCE,
    ParquetType,
    parquet_columns,
    read_parquet,
    write_parquet,
)
from arena.store import Store, open_store
from arena.store.caches import Caches
from arena.store.codec import UNREADABLE, from_plain, moment, read_moment
from arena.store.journal.effects import apply
from arena.store.sqlite import Connection
from arena.store.tape.prune import venues_of_markets
from arena.store.tape.quotes import outcome_of, repeats, unfolded

Cells = tuple[object, ...]
ALL: Final = -1  # no limit, in SQL


QUOTES: Final = parquet_columns("""
    market text, seen_at moment, quoted_at moment, bid price, ask price, volume dollars,
    volume_24h dollars, liquidity dollars, source text, repeated flag, book text
""")
STATUSES: Final = parquet_columns("""
    market text, seen_at moment, said_at moment, state text, outcome text, yes_pays price,
    unconfirmed flag
""")
MARKETS: Final = parquet_columns("""
    market text, seen_at moment, event text, question text, category text, opens_at moment,
    closes_at moment, url text, facts text
""")
PAYLOADS: Final = parquet_columns("""
    answered_at moment, method text, url text, asked text, status count, size count,
    digest text, headers text
""")
POLLS: Final = parquet_columns("at moment, error text")
# What of the journal a replay needs: when ticks were, what rounds offered, and where it ended.
JOURNAL: Final = parquet_columns("""
    seq count, at moment, kind text, head text, event text, digest text
""")

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
_PAYLOADS = """
SELECT at AS answered_at, method, url, asked_digest AS asked, status, size, digest, headers
FROM tape_payloads WHERE venue = ? AND at >= ? AND at < ? ORDER BY at, number
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

    `arena.store.exports.tape_export` reads it: the journal's entries of rounds, marks and
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
        "quotes": (QUOTES, _quotes(db, markets, month)),
        "statuses": (STATUSES, _statuses(db, markets, month)),
        "markets": (MARKETS, _selected(db, _MARKETS, MARKETS, markets, month)),
        "payloads": (PAYLOADS, _selected(db, _PAYLOADS, PAYLOADS, [venue], month)),
        "polls": (POLLS, _selected(db, _POLLS, POLLS, [venue], month)),
        "journal": (JOURNAL, _selected(db, _JOURNAL, JOURNAL, [venue], month)),
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


def _quotes(db: Connection, markets: Sequence[MarketId], month: _Month) -> Iterator[Cells]:
    for market in markets:
        rows = db.rows(_QUOTES, market, moment(month.start), moment(month.end))
        again = [at for at in repeats(db, market, ALL) if month.start <= at < month.end]
        for row, repeat in unfolded(rows, again):
            seen = repeat or read_moment(row["seen_at"])
            if seen < month.start:
                continue
            amounts = ("bid", "ask", "volume", "volume_24h", "liquidity")
            yield (
                market,
                moment(seen),
                moment(repeat) if repeat else row["quoted_at"],
                *(row[f"{name}_micro"] for name in amounts),
                row["source"] or "book",
                repeat is not None,
                row["book"],
            )


def _statuses(db: Connection, markets: Sequence[MarketId], month: _Month) -> Iterator[Cells]:
    for market in markets:
        for row in db.rows(_STATUSES, market, moment(month.start), moment(month.end)):
            outcome = outcome_of(row["void"], row["yes_pays_micro"])
            said = (row["seen_at"], row["said_at"], row["state"])
            verdict = None if outcome is None else str(outcome.verdict)
            yield market, *said, verdict, row["yes_pays_micro"], bool(row["unconfirmed"])


def _selected(
    db: Connection,
    sql: str,
    columns: Sequence[tuple[str, ParquetType]],
    names: Sequence[str],
    month: _Month,
) -> Iterator[Cells]:
    """What a query says of each market or venue in a month."""
    for name in names:
        for row in db.rows(sql, name, moment(month.start), moment(month.end)):
            yield tuple(row[column] for column, _ in columns)


_FACTS: Final = tuple(
    column for column in MARKETS if column[0] in {"market", "seen_at", "facts"}
)
_QUOTE = """
INSERT INTO tape_quotes (market, seen_at, quoted_at, bid_micro, ask_micro, volume_micro,
    volume_24h_micro, liquidity_micro, source, book) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_LINES: Final = tuple(column for column in JOURNAL if column[0] not in {"at", "kind"})
_LINE = "INSERT INTO journal_lines VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"


@contextmanager
def recorded_store(folder: Path) -> Iterator[Store]:
    """Open an export as a store with what its venues said, when, and what rounds offered.

    Of the journal it has what says when ticks were, and the last entry: the same `head`. It is
    gone after the block.

    Raises:
        ArenaError: The export is damaged, or from before polls were exported (`replay.export`).
    """
    with TemporaryDirectory() as scratch, open_store(Path(scratch) / "arena.db") as store:
        try:
            with store.write():
                _load(store, folder)
        except (sqlite3.IntegrityError, AttributeError, *UNREADABLE) as error:
            raise ArenaError(
                "replay.export",
                f"{folder}: what it holds cannot be read: {type(error).__name__}",
                hint="write it again: `arena tape export`",
            ) from error
        yield store


def _load(store: Store, folder: Path) -> None:
    numbers: dict[str, int] = {}
    for venue in sorted(path.name for path in folder.glob("markets/venue=*")):
        polls = list(_rows(folder, "polls", venue, POLLS))
        if not polls:
            raise ArenaError(
                "replay.export",
                f"{folder}: it does not say when {venue.partition('=')[2]} was polled",
                hint="an earlier version wrote it: write it again with `arena tape export`",
            )
        name = unquote(venue.partition("=")[2])
        store.db.many("INSERT INTO tape_polls VALUES (?, ?, ?)", ((name, *p) for p in polls))
        store.db.many(
            "INSERT INTO tape_markets VALUES (?, ?, ?)",
            map(_read_facts, _rows(folder, "markets", venue, _FACTS)),
        )
        store.db.many(
            "INSERT INTO tape_statuses VALUES (?, ?, ?, ?, ?, ?, ?)",
            map(_status, _rows(folder, "statuses", venue, STATUSES)),
        )
        _load_quotes(store, _rows(folder, "quotes", venue, QUOTES), numbers)
        store.db.many(_LINE, _rows(folder, "journal", venue, _LINES))
    caches = Caches(store.db)
    for seq, _, entry in store.journal.entries():
        if isinstance(entry.event, Opened | RoundOpened):
            apply(caches, seq, entry)
        else:
            caches.index(seq, entry)


def _rows(
    folder: Path, table: str, venue: str, columns: tuple[tuple[str, ParquetType], ...]
) -> Iterator[tuple[Any, ...]]:
    files = sorted((folder / table / venue).glob(f"month=*/{table}.parquet"))
    return read_parquet(files, columns)


def _read_facts(row: tuple[Any, ...]) -> tuple[Any, ...]:
    market, _, facts = row
    read: Market = from_plain(Market, json.loads(facts))
    if read.id != market:
        raise ValueError(f"facts of {read.id} under the name of {market}")
    return row


def _status(row: tuple[Any, ...]) -> tuple[Any, ...]:
    market, seen_at, said_at, state, verdict, pays, unconfirmed = row
    void = None if verdict is None else int(pays is None)
    Status(MarketId(market), State(state), read_moment(said_at), outcome_of(void, pays))
    return market, seen_at, said_at, state, void, pays, unconfirmed


def _load_quotes(
    store: Store, rows: Iterable[tuple[Any, ...]], numbers: dict[str, int]
) -> None:
    """Fold quotes as the tape has them: a reading that found no change is a few bytes.

    Markets get their numbers in `numbers`.
    """
    waiting = iter(rows)
    while batch := list(islice(waiting, AT_ONCE)):
        quotes, again, known = [], [], len(numbers)
        for row in batch:
            market, seen_at, *told, source, repeated, book = row
            if repeated and market in numbers:
                again.append((numbers[market], int(read_moment(seen_at).timestamp())))
                continue
            numbers.setdefault(market, len(numbers) + 1)
            origin = None if source == Source.BOOK else Source(source)
            quotes.append((market, seen_at, *told, origin, book))
        store.db.many(_QUOTE, quotes)
        names = ((number, market) for market, number in numbers.items() if number > known)
        store.db.many("INSERT INTO tape_names VALUES (?, ?)", names)
        store.db.many("INSERT INTO tape_repeats VALUES (?, ?)", again)
