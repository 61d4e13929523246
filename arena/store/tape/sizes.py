"""How much the tape holds and weighs, by table and venue."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.records.market import MarketId
from arena.store.migrations import TRUTHS
from arena.store.sqlite import Connection

PRICES = ("tape_quotes", "tape_repeats", "tape_names")

_VENUES = """
SELECT market, facts ->> 'venue' AS venue FROM tape_markets GROUP BY market
UNION SELECT market, venue FROM watched
"""
# By what the rows of a table belong to a venue.
_KEYS = {
    "tape_polls": "venue",
    "tape_markets": "market",
    "tape_quotes": "market",
    "tape_statuses": "market",
    "tape_names": "market",
    "tape_repeats": "(SELECT market FROM tape_names AS named "
    "WHERE named.number = tape_repeats.number)",
    "tape_payloads": "venue",
    "tape_bodies": "digest",
}
_ON_DISK = """
SELECT tbl_name, sum(pgsize) AS bytes FROM dbstat
JOIN sqlite_schema USING (name) WHERE aggregate = TRUE GROUP BY tbl_name
"""


@dataclass(frozen=True, slots=True)
class Size:
    """Rows and bytes of a table, of one venue where its rows are of venues.

    Bytes are whole pages, indexes among them. Those of a table that several venues share are
    divided as what their rows hold.
    """

    table: str
    venue: str
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Sizes:
    """The tape's tables; `answers` is the bytes of raw answers before they were packed.

    `quote` is the bytes that one reading of a price takes; None where there is none.
    """

    tables: Sequence[Size]
    file: int
    answers: int
    readings: int
    quote: float | None


def sizes(db: Connection) -> Sizes:
    """Measure every table of the tape. It reads all of it: for a command."""
    on_disk = _bytes_of_tables(db)
    venues = _venues_of_keys(db)
    tables = [
        size
        for table in TRUTHS
        if table.startswith("tape_")
        for size in _sizes_of(db, table, on_disk[table], venues)
    ]
    readings = sum(s.rows for s in tables if s.table in PRICES[:2])
    weight = sum(s.bytes for s in tables if s.table in PRICES)
    return Sizes(
        tables=tables,
        file=db.value("PRAGMA page_count") * db.value("PRAGMA page_size"),
        answers=db.value("SELECT coalesce(sum(size), 0) FROM tape_payloads"),
        readings=readings,
        quote=weight / readings if readings else None,
    )


def venues_of_markets(db: Connection) -> Mapping[MarketId, str]:
    """Name the venue of every market on the tape."""
    return {MarketId(row["market"]): row["venue"] for row in db.rows(_VENUES)}


def _bytes_of_tables(db: Connection) -> Counter[str]:
    """Bytes on disk of each table; what its rows hold where SQLite cannot tell its pages."""
    if db.value("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'"):
        return Counter({row["tbl_name"]: row["bytes"] for row in db.rows(_ON_DISK)})
    return Counter({t: db.value(f"SELECT {_weight(db, t)} FROM {t}") or 0 for t in TRUTHS})  # noqa: S608


def _venues_of_keys(db: Connection) -> Mapping[str, str]:
    """Map each venue, market and digest of a body to its venue."""
    venue_by_key: dict[str, str] = {}
    for row in db.raw.execute("SELECT digest, asked_digest, venue FROM tape_payloads"):
        for digest in (row["digest"], row["asked_digest"]):
            venue_by_key.setdefault(digest, row["venue"])
    polled = (row["venue"] for row in db.rows("SELECT DISTINCT venue FROM tape_polls"))
    with_payloads = set(venue_by_key.values())
    return {
        **venue_by_key,
        **venues_of_markets(db),
        **{venue: venue for venue in (*polled, *with_payloads)},
    }


def _sizes_of(
    db: Connection, table: str, on_disk: int, venues: Mapping[str, str]
) -> Sequence[Size]:
    key = _KEYS.get(table)
    if key is None:
        rows = db.value(f"SELECT count(*) FROM {table}")  # noqa: S608  # our own names
        return [Size(table, "", rows, on_disk)]
    rows_of, held_by = Counter[str](), Counter[str]()
    sql = f"SELECT {key} AS key, count(*) AS n, {_weight(db, table)} AS held FROM {table} GROUP BY 1"  # noqa: S608, E501
    for row in db.raw.execute(sql):
        venue = venues.get(row["key"], "")
        rows_of[venue] += row["n"]
        held_by[venue] += row["held"]
    total_held = held_by.total() or 1
    return [
        Size(table, venue, rows_of[venue], on_disk * held_by[venue] // total_held)
        for venue in sorted(rows_of)
    ] or [Size(table, "", 0, on_disk)]


def _weight(db: Connection, table: str) -> str:
    """What to add up for the bytes that the rows of a table hold, about."""
    columns = db.rows(f"PRAGMA table_info({table})")
    parts = [
        f"4 * ({row['name']} IS NOT NULL)"
        if row["type"] in {"INTEGER", "REAL"}
        else f"coalesce(length(CAST({row['name']} AS BLOB)), 0)"
        for row in columns
    ]
    return f"sum({' + '.join(parts)})"
