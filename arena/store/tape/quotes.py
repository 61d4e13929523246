"""Prices and lives of markets on the tape: a row for each change.

A reading of a price that found no change is a few bytes: a row of `tape_repeats` says of the
newest row of `tape_quotes` before it that its market was read again at that second and still
stood like this. Whoever reads quotes sees through that: the newest knowledge is a quote whose
`at` is that of its last repeat.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

from arena.records.market import Level, MarketId, Outcome, Quote, Source, State, Status
from arena.records.money import (
    Price,
    Usd,
    micro,
    price_from_micro,
    shares_from_micro,
)
from arena.store.codec import moment, read_moment, read_row
from arena.store.sqlite import Connection, Row

_LATEST_STATUS = """
SELECT said.* FROM json_each(?) AS named
JOIN tape_statuses AS said ON said.market = named.value AND said.seen_at =
    (SELECT max(seen_at) FROM tape_statuses WHERE market = named.value AND seen_at <= ?)
"""


def _is_news(status: Status, last: Status | None) -> bool:
    return (
        last is None
        or last.state is not status.state
        or last.unconfirmed != status.unconfirmed
        or last.outcome != status.outcome
    )


def read_status(row: Row) -> Status:
    """Read a row of `tape_statuses`."""
    return _status(*row)


@lru_cache(maxsize=20_000)  # a tick reads the same last words as the one before
def _status(  # noqa: PLR0913, PLR0917  the columns of a row
    market: str,
    _seen_at: str,
    said_at: str,
    state: str,
    void: int | None,
    pays: int | None,
    unconfirmed: int,
) -> Status:
    outcome = outcome_of(void, pays)
    return Status(
        MarketId(market), State(state), read_moment(said_at), outcome, bool(unconfirmed)
    )


def outcome_of(void: int | None, yes_pays_micro: int | None) -> Outcome | None:
    """Read an outcome from its two columns; None where there is none."""
    if void is None:
        return None
    return Outcome(None if yes_pays_micro is None else price_from_micro(yes_pays_micro))


_LATEST = """
SELECT said.*, names.number, (
    SELECT max(seen_at) FROM tape_repeats WHERE number = names.number AND seen_at <= ?3
) AS again
FROM json_each(?1) AS named
JOIN tape_quotes AS said ON said.market = named.value AND said.seen_at =
    (SELECT max(seen_at) FROM tape_quotes WHERE market = named.value AND seen_at <= ?2)
LEFT JOIN tape_names AS names ON names.market = said.market
"""
# What was read again after the last whole book lost a side says nothing of it.
_LATEST_TWO_SIDED = """
SELECT said.*, (
    SELECT max(seen_at) FROM tape_repeats
    WHERE number = (SELECT number FROM tape_names WHERE market = said.market)
        AND seen_at <= ?3 AND seen_at < coalesce((
            SELECT unixepoch(min(seen_at)) FROM tape_quotes
            WHERE market = said.market AND seen_at > said.seen_at
        ), ?3 + 1)
) AS again
FROM json_each(?1) AS named
JOIN tape_quotes AS said ON said.market = named.value AND said.seen_at =
    (SELECT max(seen_at) FROM tape_quotes WHERE market = named.value AND seen_at <= ?2
        AND bid_micro IS NOT NULL AND ask_micro IS NOT NULL)
"""
_AGAIN = """
(SELECT max(seen_at) FROM tape_repeats
 WHERE number = (SELECT number FROM tape_names WHERE market = {market})
   AND seen_at <= unixepoch({until}))
"""
MOST: Final = 2**63 - 1  # of an integer in SQLite
_STANDING = ("bid_micro", "ask_micro", "book", "source")
_AMOUNTS = ("volume_micro", "volume_24h_micro", "liquidity_micro")


@dataclass(frozen=True, slots=True)
class SqliteQuotes:
    """Prices and lives of markets in one SQLite file: each is recorded where it is news."""

    db: Connection

    def record_statuses(self, statuses: Iterable[Status], at: datetime) -> None:
        """Record each status that differs from the last one of its market."""
        seen = {status.market: status for status in statuses}
        latest = self.statuses(seen, at)
        changed = [s for s in seen.values() if _is_news(s, latest.get(s.market))]
        self.db.many(
            "INSERT INTO tape_statuses VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [
                (
                    status.market,
                    moment(at),
                    moment(status.at),
                    status.state,
                    int(pays is None) if status.outcome else None,
                    None if pays is None else micro(pays),
                    status.unconfirmed,
                )
                for status in changed
                for pays in (status.outcome.yes_pays if status.outcome else None,)
            ],
        )

    def statuses(self, ids: Iterable[MarketId], at: datetime) -> Mapping[MarketId, Status]:
        """Read venues' last words on markets that were known at a moment."""
        rows = self.db.rows(_LATEST_STATUS, json.dumps(list(ids)), moment(at))
        return {MarketId(row["market"]): read_status(row) for row in rows}

    def record_quotes(self, quotes: Iterable[Quote], at: datetime) -> None:
        """Record each quote that differs from the last one on the tape; all were read at `at`.

        A volume that is missing is no difference. A recorded quote is never replaced. One that
        is as it was, read whole at `at`, is kept as a repeat: a few bytes.
        """
        seen = {quote.market: quote for quote in quotes}
        latest = {row["market"]: row for row in _latest(self.db, _LATEST, seen, at)}
        changed: list[dict[str, Any]] = []
        repeated: list[tuple[object, ...]] = []
        now = moment(at)
        for quote in seen.values():
            columns, last = _columns(quote, now), latest.get(quote.market)
            if last is None:
                changed.append(columns)
            elif read_at(last) >= at or (
                _stands(last, columns) and quoted_at(last) == quote.at
            ):
                continue
            elif _stands(last, columns) and quote.at == at and not at.microsecond:
                repeated.append((quote.market, int(at.timestamp())))
            else:
                changed.append(columns)
        if changed:
            names, marks = ", ".join(changed[0]), ", ".join("?" * len(changed[0]))
            self.db.many(
                f"INSERT INTO tape_quotes ({names}) VALUES ({marks}) ON CONFLICT DO NOTHING",  # noqa: S608  # our own names
                [tuple(columns.values()) for columns in changed],
            )
        record_repeats(self.db, repeated)

    def quotes(self, ids: Iterable[MarketId], at: datetime) -> Mapping[MarketId, Quote]:
        """Read the newest quotes known at a moment; a market without one is left out."""
        return _quotes(_latest(self.db, _LATEST, ids, at))

    def two_sided_quotes(
        self, ids: Iterable[MarketId], at: datetime
    ) -> Mapping[MarketId, Quote]:
        """Read the newest quotes that had both a bid and an ask, however old they are."""
        return _quotes(_latest(self.db, _LATEST_TWO_SIDED, ids, at))


def record_repeats(db: Connection, repeats: Sequence[tuple[object, ...]]) -> None:
    """Record of (market, second) pairs that the market was read then and found unchanged."""
    names = "INSERT INTO tape_names (market) VALUES (?) ON CONFLICT DO NOTHING"
    db.many(names, ((market,) for market, _ in repeats))
    sql = """INSERT INTO tape_repeats SELECT number, ?2 FROM tape_names WHERE market = ?1
        ON CONFLICT DO NOTHING"""
    db.many(sql, repeats)


def _latest(db: Connection, sql: str, ids: Iterable[MarketId], at: datetime) -> list[Row]:
    return db.rows(sql, json.dumps(list(ids)), moment(at), int(at.timestamp()))


def _quotes(rows: Iterable[Row]) -> Mapping[MarketId, Quote]:
    return {MarketId(row["market"]): read_quote(row, quoted_at(row)) for row in rows}


def again_sql(market: str, until: str) -> str:
    """A subquery for the second at which a market was last found unchanged.

    Args:
        market: The column that names the market.
        until: The column with the moment from which on nothing is known.
    """
    return _AGAIN.format(market=market, until=until)


def read_at(row: Row) -> datetime:
    """Say when a row of `tape_quotes` was last read, where `again` is its last repeat.

    A repeat from before the row is of the row before it, and not counted.
    """
    seen = read_moment(row["seen_at"])
    if row["again"] is None:
        return seen
    return max(seen, _from_second(row["again"]))


def quoted_at(row: Row) -> datetime:
    """Say for which moment a row's price is known to have stood, as `read_at` does."""
    if row["again"] is not None and (last := read_at(row)) > read_moment(row["seen_at"]):
        return last
    return read_moment(row["quoted_at"])


def repeats(db: Connection, market: MarketId, most: int) -> Sequence[datetime]:
    """The newest moments at which a market was found unchanged, oldest of them first."""
    sql = """SELECT seen_at FROM tape_repeats
        WHERE number = (SELECT number FROM tape_names WHERE market = ?)
        ORDER BY seen_at DESC LIMIT ?"""
    rows = db.rows(sql, market, most)
    return [_from_second(row["seen_at"]) for row in reversed(rows)]


def unfolded(
    rows: Iterable[Row], again: Sequence[datetime]
) -> Iterator[tuple[Row, datetime | None]]:
    """Put a market's rows and repeats in one order: each repeat comes with its row.

    Args:
        rows: Rows of `tape_quotes` of one market, oldest first.
        again: Its repeats, oldest first; those from before the first row are left out.
    """
    waiting, n = list(again), 0
    last: Row | None = None
    for row in rows:
        seen = read_moment(row["seen_at"])
        while n < len(waiting) and waiting[n] < seen:
            if last is not None:
                yield last, waiting[n]
            n += 1
        yield row, None
        last = row
    if last is not None:
        seen = read_moment(last["seen_at"])
        yield from ((last, at) for at in waiting[n:] if at > seen)


def _stands(last: Row, now: Mapping[str, Any]) -> bool:
    """Whether a row says already what a quote tells, but for the moment."""
    return all(last[name] == now[name] for name in _STANDING) and all(
        now[name] is None or last[name] == now[name] for name in _AMOUNTS
    )


def _columns(quote: Quote, seen_at: str) -> dict[str, Any]:
    return {
        "market": quote.market,
        "seen_at": seen_at,
        "quoted_at": moment(quote.at),
        "bid_micro": _micro(quote.bid),
        "ask_micro": _micro(quote.ask),
        "volume_micro": _micro(quote.volume),
        "book": _book(quote),
        "volume_24h_micro": _micro(quote.volume_24h),
        "liquidity_micro": _micro(quote.liquidity),
        "source": None if quote.source is Source.BOOK else str(quote.source),
    }


def _micro(amount: Price | Usd | None) -> int | None:
    """Count in millionths; None for more than the file can hold, which is no amount."""
    count = None if amount is None else micro(amount)
    return None if count is None or abs(count) > MOST else count


def _book(quote: Quote) -> str | None:
    if not quote.bids and not quote.asks:
        return None
    sides = ([[micro(x.price), micro(x.shares)] for x in s] for s in (quote.bids, quote.asks))
    return json.dumps(list(sides), separators=(",", ":"))


def _levels(plain: Iterable[tuple[int, int]]) -> tuple[Level, ...]:
    return tuple(Level(price_from_micro(p), shares_from_micro(n)) for p, n in plain)


def read_quote(row: Row, at: datetime, *, depth: bool = True) -> Quote:
    """Read a row of `tape_quotes`, whose price is known to have stood at `at`."""
    book = json.loads(row["book"]) if depth and row["book"] else ((), ())
    bids, asks = map(_levels, book)
    source = Source(row["source"] or Source.BOOK)
    return read_row(Quote, row, at=at, bids=bids, asks=asks, source=source)


def _from_second(second: int) -> datetime:
    return datetime.fromtimestamp(second, UTC)
