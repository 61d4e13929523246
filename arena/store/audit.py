"""Whether the laws of the ledger hold over the whole file, in SQL and in code."""

import json
import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from arena.errors import ArenaError
from arena.ledger.positions import all_positions, balances
from arena.records.market import MarketId
from arena.records.money import micro, usd, usd_from_micro
from arena.records.report import Audit, Finding
from arena.records.trade import Book, Entry, Position
from arena.scoring.leaderboard import brier_score, picos
from arena.store.caches import read_position
from arena.store.codec import UNREADABLE, read_moment
from arena.store.journal.entries import SqliteJournal, chain
from arena.store.journal.packed import rebuild
from arena.store.journal.pieces import GENESIS
from arena.store.migrations import CACHES, SUMS, TRUTHS
from arena.store.sqlite import Connection, Row
from arena.store.tape.payloads import blob, unpacked
from arena.store.tape.quotes import outcome_of
from arena.store.tape.sqlite_tape import SqliteTape
from arena.store.texts import NAMED_BY

Check = Callable[[Connection], Iterator[tuple[str, str]]]

FROM_OTHERS: Final = (
    "damaged: a cache; `arena rebuild --into FILE` makes it again from the journal and the tape"
)
FROM_A_BACKUP: Final = "damaged: nothing else holds what it did; restore it from a backup"
NAMED_TEXTS: Final = "every text that the tape names is there"
# Each law: what it says, how many things it speaks of, and a query for those that break it.
_NAMED = " UNION ".join(
    f"SELECT {column} AS digest FROM {table}"  # noqa: S608
    for table, columns in NAMED_BY.items()
    for column in columns
)
_SEAT_BOOKS = ", ".join(
    f"sum(CASE WHEN book = '{book}' THEN micro_usd ELSE 0 END) AS {book.value}" for book in Book
)
# In the journal's own order: any other would unpack a piece of it for nearly each entry.
_POSTINGS = "(SELECT * FROM journal_postings ORDER BY entry LIMIT -1)"
_ALL_POSTINGS = f"SELECT count(*) FROM {_POSTINGS}"  # noqa: S608
_LAWS = (
    (
        "each entry adds up to 0",
        "SELECT count(*) FROM journal_entries",
        f"""SELECT entry, sum(micro_usd) FROM {_POSTINGS} GROUP BY entry
        HAVING sum(micro_usd) <> 0""",  # noqa: S608
    ),
    (
        "all accounts together add up to 0",
        _ALL_POSTINGS,
        f"""SELECT 'all', total FROM (SELECT sum(micro_usd) AS total FROM {_POSTINGS})
        WHERE total <> 0""",  # noqa: S608
    ),
    (
        "cash and debts are never below 0",
        "SELECT count(*) FROM seats",
        """SELECT cohort || ' ' || contestant, cash_micro FROM seats
        WHERE cash_micro < 0 OR owed_micro < 0""",
    ),
    (
        "cash - owed + cost of what is open = capital + realised - fees",
        "SELECT count(*) FROM seats",
        """SELECT cohort || ' ' || contestant, cash_micro FROM seats
        WHERE cash_micro - owed_micro + open_cost_micro
            <> capital_micro + realised_micro - fees_micro""",
    ),
    (
        "every seat's sums are those of its postings",
        "SELECT count(*) FROM seats",
        f"""SELECT cohort || ' ' || contestant, cash_micro FROM seats JOIN
            (SELECT cohort, contestant, {_SEAT_BOOKS} FROM {_POSTINGS}
            JOIN journal_entries ON entry = seq GROUP BY cohort, contestant)
            USING (cohort, contestant) WHERE cash <> cash_micro OR owed <> -owed_micro
        OR position <> open_cost_micro OR fees <> fees_micro
        OR profit <> -realised_micro OR capital <> -capital_micro""",  # noqa: S608
    ),
    (
        "every position is what its postings add up to",
        "SELECT count(*) FROM positions",
        f"""SELECT cohort || ' ' || contestant || ' ' || market || ' ' || side, held FROM
            (SELECT cohort, contestant, market, side, sum(micro_shares) AS held,
            sum(micro_usd) AS paid FROM {_POSTINGS} JOIN journal_entries ON entry = seq
            WHERE book = 'position' GROUP BY cohort, contestant, market, side) LEFT JOIN
            (SELECT cohort, contestant, market, side, sum(shares_micro) AS shares,
            sum(cost_micro) AS cost FROM positions GROUP BY cohort, contestant, market, side)
            USING (cohort, contestant, market, side)
        WHERE held IS NOT shares OR paid IS NOT cost OR held < 0""",  # noqa: S608
    ),
    (
        "nothing is open on a market that is settled",
        "SELECT count(*) FROM resolutions",
        """SELECT market, contestant FROM positions JOIN resolutions USING (market)
        WHERE state = 'OPEN' AND void IS NOT NULL""",
    ),
    (
        "every fill and every sale of the journal is in its table",
        "SELECT (SELECT count(*) FROM fills) + (SELECT count(*) FROM sales)",
        """SELECT id, kind FROM journal_entries LEFT JOIN
            (SELECT entry FROM fills UNION ALL SELECT entry FROM sales) ON entry = seq
        WHERE kind IN ('fill', 'sale') AND entry IS NULL""",
    ),
    (
        "every judged turn has its answer on the tape",
        "SELECT count(*) FROM turns",
        """SELECT cohort || ' ' || round || ' ' || contestant, 'no answer' FROM turns
        LEFT JOIN tape_answers USING (cohort, round, contestant) WHERE model IS NULL""",
    ),
    (
        "every call that came back was asked first",
        "SELECT count(*) FROM tape_calls",
        """SELECT cohort || ' ' || round || ' ' || contestant || ' ' || call, 'not asked'
        FROM tape_calls LEFT JOIN tape_asks AS asked
            USING (cohort, round, contestant, call) WHERE asked.llm IS NULL""",
    ),
    (
        NAMED_TEXTS,
        "SELECT count(*) FROM tape_blobs",
        f"""SELECT digest, 'no text' FROM ({_NAMED}) LEFT JOIN tape_blobs USING (digest)
        WHERE digest IS NOT NULL AND body IS NULL""",  # noqa: S608
    ),
    (
        "every cohort, seat and round of the journal is in its table",
        """SELECT (SELECT count(*) FROM cohorts) + (SELECT count(*) FROM seats)
            + (SELECT count(*) FROM rounds)""",
        """SELECT id, 'no cohort' FROM journal_entries AS e WHERE kind = 'opened' AND
            NOT EXISTS (SELECT 1 FROM cohorts AS c WHERE c.cohort = e.cohort) UNION ALL
        SELECT id, 'no seat' FROM journal_entries AS e WHERE kind = 'funded' AND
            NOT EXISTS (SELECT 1 FROM seats AS s WHERE s.cohort = e.cohort
            AND s.contestant = e.contestant) UNION ALL
        SELECT id, 'no round' FROM journal_entries AS e WHERE kind = 'round' AND
            NOT EXISTS (SELECT 1 FROM rounds AS r WHERE r.cohort = e.cohort
            AND r.round = json_extract(e.event, '$.round'))""",
    ),
    (
        "the documents of every round are those on the tape",
        "SELECT count(*) FROM tape_contexts",
        """SELECT id, 'other documents' FROM (SELECT id, cohort,
            json_extract(event, '$.round') AS round, json_extract(event, '$.context') AS shown
            FROM journal_entries WHERE kind = 'round')
        LEFT JOIN tape_contexts USING (cohort, round)
        WHERE shown IS NOT NULL AND digest IS NOT shown""",
    ),
    (
        "no table knows of an entry after the journal's last",
        "SELECT count(*) FROM touched",
        """SELECT id, entry FROM touched
        WHERE entry > max((SELECT coalesce(max(seq), 0) FROM journal_lines),
            (SELECT coalesce(max(last), 0) FROM journal_pieces))""",
    ),
    (
        "totals are the sums of the seats",
        "SELECT count(*) FROM totals",
        f"""SELECT contestant, 'differs' FROM totals JOIN (SELECT contestant AS who,
            {", ".join(f"sum({name}) AS s_{name}" for name in SUMS)}
            FROM seats GROUP BY contestant) ON who = contestant
        WHERE {" OR ".join(f"s_{name} <> {name}" for name in SUMS)}""",  # noqa: S608
    ),
    (
        "every reference between tables is kept",
        _ALL_POSTINGS,
        'SELECT "table", rowid FROM pragma_foreign_key_check',
    ),
)


def audit(db: Connection) -> Audit:
    """Check every law over the whole file, also where a part of it is damaged; reads only."""
    checked: list[tuple[str, int | None]] = []
    findings: list[Finding] = []
    left_out = {NAMED_TEXTS} if db.is_public_copy else set[str]()
    for law, size, check in _checks():
        if law not in left_out:
            checked.append((law, _number(db, size)))
            findings += [Finding(law, *finding) for finding in _found(db, check(db))]
    return Audit(tuple(checked), tuple(findings), tuple(sorted(left_out)))


def _checks() -> Iterator[tuple[str, str, Check]]:
    """Each law: what it says, how many things it speaks of, and what looks for faults."""
    for law, size, query in _LAWS:
        yield law, size, partial(_asked, query)
    entries = "SELECT count(*) FROM journal_entries"
    blobs = "SELECT (SELECT count(*) FROM tape_blobs) + (SELECT count(*) FROM tape_bodies)"
    scored = "SELECT coalesce(sum(fills_resolved + forecasts_resolved), 0) FROM seats"
    yield "the file itself is sound", "SELECT 1", _file
    books: list[tuple[str, str]] = []
    yield "the journal's chain of digests is unbroken", entries, partial(_chain, books)
    yield "texts are what their digests say", blobs, _blobs
    yield "the journal folded in code gives the same books", entries, lambda _: iter(books)
    yield "Brier scores computed again are those of the books", scored, _scores
    rounds = "every round showed the markets and prices that are on the tape"
    yield rounds, "SELECT count(*) FROM rounds", _rounds
    caches = "every cache is what the journal and the tape make of it"
    yield caches, f"SELECT {len(CACHES)}", _caches


def _asked(query: str, db: Connection) -> Iterator[tuple[str, str]]:
    for row in db.raw.execute(query):
        yield str(row[0]), str(row[1])


def _number(db: Connection, size: str) -> int | None:
    """How many things a law speaks of; None where they cannot be read, as its check tells."""
    try:
        return int(db.raw.execute(size).fetchone()[0])
    except sqlite3.DatabaseError:
        return None


def _found(db: Connection, check: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """What a check finds; what cannot be read ends it, as its last finding."""
    try:
        with db.in_words():
            yield from check
    except (*UNREADABLE, ArenaError) as error:
        yield "what cannot be read", f"{type(error).__name__}: {error}"


def _file(db: Connection) -> Iterator[tuple[str, str]]:
    """Yield each problem of the file by SQLite, then each damaged table with its remedy."""
    try:
        problems = [
            row[0] for row in db.raw.execute("PRAGMA integrity_check") if row[0] != "ok"
        ]
    except sqlite3.DatabaseError as error:
        problems = [str(error)]
    for problem in problems:
        yield "file", problem
    for table in (*TRUTHS, *CACHES) if problems else ():
        if not _is_whole(db, table):
            yield table, FROM_OTHERS if table in CACHES else FROM_A_BACKUP


def _is_whole(db: Connection, table: str) -> bool:
    """Whether every row of a table, and of its indexes, can be read."""
    try:
        problems = db.raw.execute(f"PRAGMA quick_check('{table}')").fetchall()
    except sqlite3.DatabaseError:
        return False
    return [row[0] for row in problems] == ["ok"]


def broken_links(db: Connection, last: int) -> Iterator[tuple[str, str]]:
    """Where the chain of digests breaks among the last entries: an entry and what is wrong."""
    newest = int(db.value("SELECT coalesce(max(seq), 0) FROM journal_entries"))
    before, journal = "", SqliteJournal(db)
    for row in db.rows(
        "SELECT seq, id, digest FROM journal_entries WHERE seq >= ? ORDER BY seq", newest - last
    ):
        entry = journal.entry(row["id"])
        if before and entry and row["digest"] != chain(before, entry):
            yield row["id"], "its digest does not follow from it and the entry before"
        before = row["digest"]


def _chain(books: list[tuple[str, str]], db: Connection) -> Iterator[tuple[str, str]]:
    """Where the chain breaks; the journal is read once, so `books` gets where they differ."""
    books.append(("the journal", "it cannot be read to its end"))
    broken: list[tuple[str, str]] = []
    books[:] = list(_fold(db, _linked(db, broken)))
    yield from broken


def _linked(db: Connection, broken: list[tuple[str, str]]) -> Iterator[Entry]:
    """Every entry of the journal; what is wrong with the chain is noted on the way."""
    before, expected = GENESIS, 1
    for seq, digest, entry in SqliteJournal(db).entries():
        if seq != expected:
            broken.append((entry.id, f"entry {expected} is missing"))
        if digest != chain(before, entry):
            broken.append((entry.id, "its digest does not follow from it and the entry before"))
        before, expected = digest, seq + 1
        yield entry


def _blobs(db: Connection) -> Iterator[tuple[str, str]]:
    order = "ORDER BY iif(length(body) < 20, body, 0)"  # those of a month's file together
    for row in db.raw.execute(f"SELECT digest FROM tape_blobs {order}"):  # noqa: S608  ours
        if sha256(blob(db, row["digest"]) or b"").hexdigest() != row["digest"]:
            yield row["digest"], "its text has changed"
    for row in db.raw.execute("SELECT digest, packed FROM tape_bodies"):
        try:
            is_sound = sha256(unpacked(row["packed"])).hexdigest() == row["digest"]
        except zlib.error:
            is_sound = False
        if not is_sound:
            yield row["digest"], "a server's raw answer has changed"


def _fold(db: Connection, entries: Iterable[Entry]) -> Iterator[tuple[str, str]]:
    cash: dict[tuple[str, str], Decimal] = defaultdict(Decimal)

    def counted() -> Iterator[Entry]:
        for entry in entries:
            for (seat, book), amount in balances([entry]).items():
                cash[seat] += amount if book is Book.CASH else 0
            yield entry

    def by_key(positions: Iterable[Position]) -> dict[tuple[str, str, str, str, int], Position]:
        return {(p.cohort, p.contestant, p.market, p.side, p.number): p for p in positions}

    folded = by_key(all_positions(counted()))
    kept = by_key(map(read_position, db.raw.execute("SELECT * FROM positions")))
    for key in sorted(folded.keys() | kept.keys()):
        if folded.get(key) != kept.get(key):
            yield " ".join(map(str, key)), f"{kept.get(key)} instead of {folded.get(key)}"
    for row in db.raw.execute("SELECT cohort, contestant, cash_micro FROM seats"):
        seat = (row["cohort"], row["contestant"])
        if micro(usd(cash[seat])) != row["cash_micro"]:
            kept_cash = usd_from_micro(row["cash_micro"])
            yield " ".join(seat), f"cash {kept_cash} instead of {cash[seat]}"


def _scores(db: Connection) -> Iterator[tuple[str, str]]:
    truths = {}
    for row in db.raw.execute("SELECT * FROM resolutions"):
        outcome = outcome_of(row["void"], row["yes_pays_micro"])
        truths[row["market"]] = outcome.truth if outcome else None
    sums: dict[tuple[str, str], list[int]] = {}

    def add(row: Row, market: str, column: int, p: float | None) -> None:
        truth = truths.get(market)
        if truth is not None and p is not None:
            seat = sums.setdefault((row["cohort"], row["contestant"]), [0, 0, 0, 0])
            seat[column] += picos(brier_score(p, truth))

    for row in db.raw.execute("SELECT * FROM fills"):
        for column, name in enumerate(("linear", "kelly", "stated")):
            add(row, row["market"], column, row[name])
    for row in db.raw.execute(
        "SELECT cohort, contestant, market, probability FROM journal_forecasts "
        "JOIN journal_entries ON entry = seq"
    ):
        add(row, row["market"], 3, row["probability"])
    for row in db.raw.execute("SELECT * FROM seats"):
        again = sums.get((row["cohort"], row["contestant"]), [0, 0, 0, 0])
        names = ("linear_pico", "kelly_pico", "stated_pico", "forecast_pico")
        for name, total in zip(names, again, strict=True):
            if row[name] != total:
                yield f"{row['cohort']} {row['contestant']}", f"{name} {row[name]}, not {total}"


def _rounds(db: Connection) -> Iterator[tuple[str, str]]:
    tape = SqliteTape(db)
    for row in db.rows("SELECT * FROM rounds"):
        offered = [MarketId(name) for name in json.loads(row["offered"])]
        if tape.digest_of(offered, read_moment(row["at"])) != row["digest"]:
            yield f"{row['cohort']} {row['round']}", "its markets or prices have changed since"


def _caches(db: Connection) -> Iterator[tuple[str, str]]:
    """Make every cache anew in a copy of the file, and compare."""
    with TemporaryDirectory() as folder:
        copy = Connection(Path(folder) / "copy.db")
        try:
            db.raw.backup(copy.raw)
            for table in rebuild(copy).changed:
                yield table, "it differs from what `arena rebuild` makes"
        finally:
            copy.close()
