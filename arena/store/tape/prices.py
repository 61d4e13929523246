"""What a market's price was: one definition each for scores and for books of bets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from json import dumps

import numpy as np

from arena.records.market import Market, MarketId
from arena.scoring.table import Factor, Floats, Times, Whole
from arena.stats.columns import compact
from arena.store.codec import moment, read_moment
from arena.store.sqlite import Connection, Row
from arena.store.tape.sqlite_tape import SqliteTape

# A market's middle price is that of the last book with both sides up to a moment.
_MID = """
(SELECT (bid_micro + ask_micro) / 2000000.0 FROM tape_quotes
 WHERE market = {market} AND seen_at {until}
   AND bid_micro IS NOT NULL AND ask_micro IS NOT NULL ORDER BY seen_at DESC LIMIT 1)
"""
# It closes when its venue first says that it has, or at the hour it announced once that has
# come; a halt may end. Its close is the last book with both sides before: a market that nobody
# holds is quoted only in rounds, so that its close may be older than its closing.
_CLOSES = """
WITH ends AS (
    SELECT market, seen_at AS at FROM tape_statuses
        WHERE {which} state IN ('CLOSED_PENDING', 'PROPOSED', 'DISPUTED', 'RESOLVED')
        AND seen_at <= coalesce(?1, seen_at)
    UNION ALL SELECT market, at FROM resolutions WHERE {which} void IS NOT NULL
    UNION ALL SELECT market, json_extract(facts, '$.closes_at') FROM tape_markets AS told
    JOIN watched USING (market)
    WHERE {which} seen_at = (SELECT max(seen_at) FROM tape_markets WHERE market = told.market)
        AND json_extract(facts, '$.closes_at') <=
            (SELECT max(at) FROM tape_polls WHERE at <= coalesce(?1, at))
), closed AS (SELECT market, min(at) AS at FROM ends GROUP BY market)
SELECT closed.market, closed.at, book.bid_micro, book.ask_micro FROM closed
LEFT JOIN tape_quotes AS book ON book.market = closed.market AND book.seen_at =
    (SELECT max(seen_at) FROM tape_quotes WHERE market = closed.market
        AND seen_at < closed.at AND bid_micro IS NOT NULL AND ask_micro IS NOT NULL)
"""
_FIRST_DUE = """
SELECT market, json_extract(facts, '$.closes_at') AS due FROM tape_markets AS told
WHERE market IN (SELECT value FROM json_each(?))
    AND seen_at = (SELECT min(seen_at) FROM tape_markets WHERE market = told.market)
"""
_MIDS = f"""
SELECT {_MID.format(market="asked.value ->> 0", until="<= asked.value ->> 1")} AS mid
FROM json_each(?) AS asked ORDER BY asked.key
"""  # noqa: S608  # our own words

# With max(seen_at) the other columns of a group are those of its last row.
_DAILY = """
SELECT asked.key AS market, unixepoch(substr(seen_at, 1, 10)) / 86400 AS day,
    (bid_micro + ask_micro) / 2000000.0 AS mid, max(seen_at)
FROM json_each(?1) AS asked CROSS JOIN tape_quotes ON tape_quotes.market = asked.value
WHERE bid_micro IS NOT NULL AND ask_micro IS NOT NULL
    AND (?2 IS NULL OR seen_at <= ?2)
GROUP BY asked.key, substr(seen_at, 1, 10)
"""


@dataclass(frozen=True, slots=True)
class Close:
    """When a market closed, and its last prices with both sides; NaN if it never had them."""

    at: datetime
    bid: float
    ask: float
    mid: float


def mid_sql(market: str, until: str) -> str:
    """A subquery for the middle price of a market: `until` ends in a moment, as `<= at`."""
    return _MID.format(market=market, until=until)


def closes(
    db: Connection, until: datetime | None = None, *, markets: Sequence[str] | None = None
) -> Mapping[str, Close]:
    """The close of every market, or of some, that has closed by now, or by a moment."""
    which = "" if markets is None else "market IN (SELECT value FROM json_each(?2)) AND"
    asked = () if markets is None else (dumps(list(markets)),)
    rows = db.rows(_CLOSES.format(which=which), moment(until) if until else None, *asked)
    return {row["market"]: _close(row) for row in rows}


def _close(row: Row) -> Close:
    bid, ask = row["bid_micro"], row["ask_micro"]
    mid = None if bid is None else (bid + ask) / 2
    return Close(read_moment(row["at"]), *(floats([bid, ask, mid]) / 1_000_000).tolist())


def mids(db: Connection, moments_of_markets: Sequence[tuple[str, str]]) -> Floats:
    """Middle prices of (market, moment as text) pairs, in their order; NaN where unknown."""
    return floats([row["mid"] for row in db.rows(_MIDS, dumps(list(moments_of_markets)))])


def daily_prices(
    db: Connection, markets: Sequence[str], until: datetime | None = None
) -> tuple[Whole, Whole, Floats]:
    """The last middle price of markets on each UTC day with a new book of both sides.

    A day on which a price stayed as it was has no row: the row before it still holds.

    Args:
        db: An open file.
        markets: Ids of markets; each of them once.
        until: The last moment; all there are if None.

    Returns:
        Three columns, by market and then by day: the place of the market in `markets`, the
        days since 1970-01-01, and the price.
    """
    columns = db.columns(_DAILY, dumps(list(markets)), until and moment(until))
    place, day, mid = columns[:3]
    return np.array(place, np.intp), np.array(day, np.intp), floats(mid)


def last_facts(db: Connection, ids: Iterable[MarketId]) -> Mapping[MarketId, Market]:
    """What is known of markets by now."""
    last = db.value("SELECT max(seen_at) FROM tape_markets")
    return SqliteTape(db).markets(sorted(ids), read_moment(last)) if last else {}


def first_due(db: Connection, ids: Iterable[MarketId]) -> Mapping[str, datetime]:
    """When markets were to close, as first told: what is told later may follow the outcome."""
    rows = db.rows(_FIRST_DUE, dumps(sorted(ids)))
    return {row["market"]: read_moment(row["due"]) for row in rows if row["due"]}


def factor(values: Sequence[str]) -> Factor:
    """A column of names, numbered as they first come."""
    names = tuple(dict.fromkeys(values))
    code = {name: n for n, name in enumerate(names)}
    return Factor(names, np.fromiter(map(code.__getitem__, values), np.intp, len(values)))


def numbered(codes: Whole) -> tuple[Whole, Whole]:
    """Codes numbered anew, as they first come: each new one's row, and each row's new one."""
    there, code = compact(codes)
    first = np.zeros(len(there), dtype=np.intp)
    first[code[::-1]] = np.arange(len(code))[::-1]
    order = np.argsort(first)
    place = np.zeros(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    return first[order], place[code]


def floats(values: Sequence[float | None]) -> Floats:
    """A column of numbers, NaN for None."""
    return np.array(values, dtype=np.float64)


def moments(ats: Iterable[datetime | None]) -> Times:
    """A column of moments in UTC, NaT for None."""
    naive = [None if at is None else at.replace(tzinfo=None) for at in ats]
    return np.array(naive, dtype="datetime64[us]")
