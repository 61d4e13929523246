"""An export of the tape as a store again: what a replay asks of an arena's own file."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import unquote

from arena.errors import ArenaError
from arena.records.market import Market, MarketId, Source, State, Status
from arena.records.trade import Opened, RoundOpened
from arena.sheets.parquet import AT_ONCE, ParquetType, read_parquet
from arena.store import Store, open_store
from arena.store.caches import Caches
from arena.store.codec import UNREADABLE, from_plain, read_moment
from arena.store.exports.tape_export import JOURNAL, MARKETS, POLLS, QUOTES, STATUSES
from arena.store.journal.effects import apply
from arena.store.tape.statuses import outcome_of

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
            map(_facts, _rows(folder, "markets", venue, _FACTS)),
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


def _facts(row: tuple[Any, ...]) -> tuple[Any, ...]:
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
