"""Taking from the tape what nothing stands on any more: old raw answers, and old prices.

What is kept is what a question can still be asked about: rounds and marks as they were, the
prices that scores compare with, each day's last price, closing lines, what pages show, and the
answers of servers that a round was laid out on or an outcome was read from.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from arena.records.market import MarketId
from arena.store.codec import moment, read_moment
from arena.store.migrations import TRUTHS
from arena.store.scores.offered_markets import DAY, HALF_AN_HOUR
from arena.store.sqlite import Connection
from arena.store.tape.prices import closes
from arena.store.tape.quotes import repeats, unfolded

ALL = -1  # no limit, in SQL
ENDLESS = "~"  # sorts after every moment

# The polls in which a round was laid out, or an outcome was read, or taken back.
_EVIDENCE = """
WITH told AS (
    SELECT market, seen_at, state,
        lag(state) OVER (PARTITION BY market ORDER BY seen_at) AS before
    FROM tape_statuses
), moments AS (
    SELECT watched.venue, told.seen_at AS at FROM told JOIN watched USING (market)
        WHERE 'RESOLVED' IN (told.state, told.before)
    UNION SELECT watched.venue, done.at FROM journal_entries AS done
        JOIN watched ON watched.market = json_extract(done.event, '$.market')
        WHERE done.kind = 'resolved'
    UNION SELECT json_extract(cohorts.spec, '$.venue'), rounds.at
        FROM rounds JOIN cohorts USING (cohort)
)
SELECT venue, at AS since, (
    SELECT min(later.at) FROM tape_polls AS later
    WHERE later.venue = moments.venue AND later.at > moments.at
) AS until FROM moments ORDER BY venue, at
"""
_OFFERS = """
SELECT named.value AS market, rounds.at FROM rounds, json_each(rounds.offered) AS named
"""
_DELETE_REPEAT = """
DELETE FROM tape_repeats
WHERE number = (SELECT number FROM tape_names WHERE market = ?) AND seen_at = ?
"""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was taken from the tape, or would be; `freed` is in bytes, by whole pages."""

    answers: int
    quotes: int
    repeats: int
    freed: int


@dataclass(frozen=True, slots=True)
class _Reading:
    """One reading of a market's price: a row, or a repeat of the row at `of`."""

    at: datetime
    row: str
    of: int
    two_sided: bool
    is_repeat: bool


class _NothingDone(Exception):  # noqa: N818  # it undoes a dry run
    pass


def prune(db: Connection, before: datetime, *, shown: int, dry: bool = False) -> Pruned:
    """Delete from the tape what is older than a moment and what nothing stands on.

    Of raw answers the packed body goes; the index keeps when which address said what, by its
    digest. Prices go of markets alone that were settled before the moment: of one that is
    open, anything may yet be asked.

    Args:
        db: The file.
        before: What is not older stays.
        shown: How many of a market's newest readings stay, because pages show them.
        dry: Undo it at once, and say what it came to.
    """
    done = Pruned(0, 0, 0, 0)
    with suppress(_NothingDone), db.write():
        free = db.value("PRAGMA freelist_count")
        answers = _prune_answers(db, before)
        quotes, again = _prune_prices(db, before, shown)
        pages = db.value("PRAGMA freelist_count") - free
        done = Pruned(answers, quotes, again, pages * db.value("PRAGMA page_size"))
        if dry:
            raise _NothingDone
    return done


def vacuum(db: Connection) -> int:
    """Give the disk back what is free in the file, and say how many bytes that was.

    Raises:
        ArenaError: There is no room for the copy that this makes.
    """
    with db.in_words():
        pages = db.value("PRAGMA page_count")
        db.run("VACUUM")
        db.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        return int((pages - db.value("PRAGMA page_count")) * db.value("PRAGMA page_size"))


def _prune_answers(db: Connection, before: datetime) -> int:
    """Delete the bodies of answers that are neither new enough nor evidence of anything."""
    spans: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in db.rows(_EVIDENCE):
        spans[row["venue"]].append((row["since"], row["until"] or ENDLESS))
    kept: set[str] = set()
    for row in db.raw.execute("SELECT venue, at, digest, asked_digest FROM tape_payloads"):
        if row["at"] >= moment(before) or _is_within(row["at"], spans[row["venue"]]):
            kept |= {row["digest"], row["asked_digest"]}
    gone = [
        (row["digest"],)
        for row in db.raw.execute("SELECT digest FROM tape_bodies")
        if row["digest"] not in kept
    ]
    db.many("DELETE FROM tape_bodies WHERE digest = ?", gone)
    return len(gone)


def _is_within(at: str, spans: Sequence[tuple[str, str]]) -> bool:
    """Whether a moment is in one of these spans, each from a moment until before another.

    Each ends at the next poll, so that the last to begin is the last to end.
    """
    begun = bisect_right(spans, (at, ENDLESS))
    return begun > 0 and at < spans[begun - 1][1]


def _prune_prices(db: Connection, before: datetime, shown: int) -> tuple[int, int]:
    """Delete prices that nobody can ask for, and count rows and repeats."""
    questions = _Asked(db)
    sql = "SELECT market FROM resolutions WHERE void IS NOT NULL AND at < ? ORDER BY market"
    rows = again = 0
    for resolved in db.rows(sql, moment(before)):
        market = MarketId(resolved["market"])
        readings = list(_readings(db, market))
        if len(readings) <= shown:
            continue
        stays = _stays(readings, questions, market, before)
        stays.update(range(len(readings) - shown, len(readings)))
        stays.update([readings[n].of for n in stays])
        gone = [reading for n, reading in enumerate(readings) if n not in stays]
        repeated = [(market, int(r.at.timestamp())) for r in gone if r.is_repeat]
        changed = [(market, reading.row) for reading in gone if not reading.is_repeat]
        db.many(_DELETE_REPEAT, repeated)
        db.many("DELETE FROM tape_quotes WHERE market = ? AND seen_at = ?", changed)
        rows, again = rows + len(changed), again + len(repeated)
    return rows, again


def _readings(db: Connection, market: MarketId) -> Iterator[_Reading]:
    rows = db.rows("SELECT * FROM tape_quotes WHERE market = ? ORDER BY seen_at", market)
    of = -1
    for n, (row, again) in enumerate(unfolded(rows, repeats(db, market, ALL))):
        of = n if again is None else of
        two_sided = row["bid_micro"] is not None and row["ask_micro"] is not None
        at = again or read_moment(row["seen_at"])
        yield _Reading(at, row["seen_at"], of, two_sided, again is not None)


class _Asked:
    """The moments at which a market's price can be asked for, by what stands on it."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._rounds = [
            read_moment(row["at"]) for row in db.rows("SELECT DISTINCT at FROM rounds")
        ]
        self._offers: dict[str, list[datetime]] = defaultdict(list)
        for row in db.rows(_OFFERS):
            self._offers[row["market"]].append(read_moment(row["at"]))
        self._marks: dict[str, list[datetime]] = defaultdict(list)
        for row in db.rows("SELECT cohort, at FROM journal_entries WHERE kind = 'marked'"):
            self._marks[row["cohort"]].append(read_moment(row["at"]))
        self.ends = {name: close.at for name, close in closes(db).items()}

    def of(self, market: MarketId) -> set[datetime]:
        """Every round since a market was first offered, every mark of who bet on it.

        And the moments before its own rounds that the gate compares with.
        """
        offers = self._offers[market]
        moments = {at - ago for at in offers for ago in (HALF_AN_HOUR, DAY)}
        moments.update(at for at in self._rounds if offers and at >= min(offers))
        sql = "SELECT cohort, min(at) AS at FROM fills WHERE market = ? GROUP BY cohort"
        for row in self._db.rows(sql, market):
            first = read_moment(row["at"])
            moments.update(at for at in self._marks[row["cohort"]] if at >= first)
        return moments


def _stays(
    readings: Sequence[_Reading], questions: _Asked, market: MarketId, before: datetime
) -> set[int]:
    """Places of readings to keep: the first, the new, each day's, those at needed moments."""
    ats = [reading.at for reading in readings]
    two_sided = [n for n, reading in enumerate(readings) if reading.two_sided]
    whole_ats = [ats[n] for n in two_sided]
    stays = {0, *two_sided[-1:], *range(bisect_left(ats, before), len(readings))}
    stays.update(_daily(readings))
    for at in questions.of(market):
        stays.update(_last(range(len(ats)), bisect_right(ats, at)))
        stays.update(_last(two_sided, bisect_right(whole_ats, at)))
    end = questions.ends.get(market)
    if end is not None:  # its last price with both sides is from before then
        stays.update(_last(two_sided, bisect_left(whole_ats, end)))
    return stays


def _daily(readings: Sequence[_Reading]) -> Iterable[int]:
    """Of each UTC day the last new price with both sides, and that one was read again."""
    last = {
        (reading.at.date(), reading.is_repeat): n
        for n, reading in enumerate(readings)
        if reading.is_repeat or reading.two_sided
    }
    return last.values()


def _last(numbers: Sequence[int], count: int) -> Sequence[int]:
    """The last of the first so many; nothing where there is none."""
    return numbers[max(count - 1, 0) : count]


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
