"""The journal and the tape as lines of JSON by day, and a store that is made of them again."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Final

from arena.errors import ArenaError
from arena.store import Store
from arena.store.codec import UNREADABLE, read_moment
from arena.store.journal.packed import rebuild
from arena.store.journal.pieces import Line
from arena.store.sqlite import PUBLIC_COPY, Connection, Row
from arena.store.tape.payloads import keep, words
from arena.store.tape.quotes import record_repeats

SETTLED: Final = timedelta(days=30)  # so long after an outcome a market's rows are published
TURN: Final = ("cohort", "round", "contestant")

# A market has its rows of a day; those from before its first offer are of the day of that.
_MARKETS = """
WITH shown AS (
    SELECT market, ?1 AS since FROM watched INDEXED BY watched_by_end
        WHERE resolved_at IS NULL AND rowid <= ?4
    UNION ALL SELECT market, ?1 FROM watched INDEXED BY watched_by_end
        WHERE resolved_at >= ?3 AND rowid <= ?4
    UNION ALL SELECT market, '' FROM watched WHERE rowid > ?4 AND rowid <= ?5
)
"""
_OF_MARKETS = """
SELECT said.* FROM shown CROSS JOIN {table} AS said ON said.market = shown.market
    AND said.seen_at >= shown.since AND said.seen_at < ?2 ORDER BY said.market, said.seen_at
"""
_REPEATS = """
SELECT shown.market, said.seen_at FROM shown
CROSS JOIN tape_names AS named ON named.market = shown.market
CROSS JOIN tape_repeats AS said ON said.number = named.number
    AND said.seen_at >= coalesce(unixepoch(nullif(shown.since, '')), 0)
    AND said.seen_at < unixepoch(?2) ORDER BY shown.market, said.seen_at
"""
_OF_KEYS = """
SELECT said.* FROM json_each(?1) AS named CROSS JOIN {table} AS said ON {same}
ORDER BY named.key, said.rowid
"""
_POLLS = "SELECT * FROM tape_polls WHERE at >= ?1 AND at < ?2 ORDER BY at, venue"
_ENTRIES = "SELECT seq, head, event, digest FROM journal_entries WHERE seq >= ? ORDER BY seq"
_OF_MARKET: Final = ("tape_markets", "tape_quotes", "tape_statuses")
_OF_TURN: Final = (
    "tape_asks", "tape_asked_again", "tape_calls", "tape_batched", "tape_attempts",
    "tape_submissions", "tape_answers",
)  # fmt: skip
_REPEAT: Final = "tape_repeats"
_OF_ROUND: Final = "tape_contexts"
TABLES: Final = ("tape_polls", *_OF_MARKET, _REPEAT, *_OF_TURN, _OF_ROUND)
_UNORDERED: Final = frozenset({"tape_asked_again"})  # it has no rowid


@dataclass(frozen=True, slots=True)
class JournalDay:
    """The entries of a UTC day, from `first` to `last`; `head` is the last one's digest.

    An entry belongs to its own day, or to that of an earlier entry where that is later.
    `markets` counts those that had been offered by the day's end. A day without an entry has
    a `last` that is before its `first`.
    """

    day: date
    first: int
    last: int
    head: str
    markets: int


@dataclass(slots=True)
class DayLines:
    """A day as it is published: its entries, and the rows of the tape that belong to it."""

    about: JournalDay
    journal: list[str] = field(default_factory=list)
    tape: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


def days_since(
    db: Connection, before: JournalDay | None, last: date | None, *, texts: bool
) -> Iterator[DayLines]:
    """Every day after one that is published already, oldest first; all of them for None.

    Args:
        db: The file.
        before: The newest day that needs no reading.
        last: The last day of the tape.
        texts: Whether replies are given too.
    """
    offered = before.markets if before else 0
    for about, entries in _journal_days(db, before, last):
        turns, rounds = _keys(entries)
        tape = [
            _line({"table": table, **dict(row)})
            for table, row in _tape_rows(db, about.day, (offered, about.markets), turns, rounds)
        ]
        replies = list(_replies(db, turns)) if texts else []
        journal = [
            _line({"seq": seq, "digest": e.digest, "head": e.head, "event": e.event})
            for seq, e in entries
        ]
        yield DayLines(about, journal, tape, replies)
        offered = about.markets


def journal_days(db: Connection, last: date | None) -> Iterator[JournalDay]:
    """Which entries each day has, to the last day of the tape."""
    return (about for about, _ in _journal_days(db, None, last))


_line = json.JSONEncoder(separators=(",", ":")).encode
Entries = Sequence[tuple[int, Line]]


def _journal_days(
    db: Connection, before: JournalDay | None, last: date | None
) -> Iterator[tuple[JournalDay, Entries]]:
    first = before.last + 1 if before else 1
    day = before.day + timedelta(days=1) if before else None
    head, offered = (before.head, before.markets) if before else ("", 0)
    by_day: defaultdict[date, list[tuple[int, Line]]] = defaultdict(list)
    for row in db.raw.execute(_ENTRIES, (first,)):
        own = date.fromisoformat(json.loads(row["head"])[1][:10])
        day = max(day or own, own)
        by_day[day].append((row["seq"], Line(row["head"], row["event"], row["digest"])))
    polled = db.value(
        "SELECT min(at) FROM tape_polls WHERE at >= ?",
        (before.day + timedelta(days=1)).isoformat() if before else "",
    )
    ends = [*by_day, *([date.fromisoformat(polled[:10]), last] if polled and last else [])]
    for number in range((max(ends) - min(ends)).days + 1) if ends else ():
        now = min(ends) + timedelta(days=number)
        entries = by_day.get(now, [])
        offered = _offered(db, entries, offered)
        end = entries[-1][0] if entries else first - 1
        head = entries[-1][1].digest if entries else head
        yield JournalDay(now, first, end, head, offered), entries
        first = end + 1


def _offered(db: Connection, entries: Entries, before: int) -> int:
    """How many markets had been offered after some entries: they are numbered in that order."""
    rounds = [
        json.loads(e.event)["offered"] for _, e in entries if json.loads(e.head)[2] == "round"
    ]
    names = json.dumps(sorted({market for markets in rounds for market in markets}))
    newest = db.value(
        "SELECT max(watched.rowid) FROM json_each(?) AS named "
        "CROSS JOIN watched ON watched.market = named.value",
        names,
    )
    return max(before, newest or 0)


def _keys(entries: Entries) -> tuple[str, str]:
    """The keys of the turns and those of the rounds of some entries, as JSON lists."""
    keys: dict[str, list[object]] = {"turn": [], "round": []}
    for _, line in entries:
        _, _, kind, cohort, contestant, _ = json.loads(line.head)
        if kind in keys:
            keys[kind].append([cohort, json.loads(line.event)["round"], contestant])
    return json.dumps(keys["turn"]), json.dumps(keys["round"])


def _tape_rows(
    db: Connection, day: date, offered: tuple[int, int], turns: str, rounds: str
) -> Iterator[tuple[str, Row]]:
    start, end = day.isoformat(), (day + timedelta(days=1)).isoformat()
    yield from (("tape_polls", row) for row in db.rows(_POLLS, start, end))
    of_day = (start, end, (day - SETTLED).isoformat(), *offered)
    for table in _OF_MARKET:
        sql = _MARKETS + _OF_MARKETS.format(table=table)
        yield from ((table, row) for row in db.rows(sql, *of_day))
    yield from ((_REPEAT, row) for row in db.rows(_MARKETS + _REPEATS, *of_day))
    for table in (*_OF_TURN, _OF_ROUND):
        is_round = table == _OF_ROUND
        names = TURN[:2] if is_round else TURN
        same = " AND ".join(
            f"said.{name} = named.value ->> {n}" for n, name in enumerate(names)
        )
        sql = _OF_KEYS.format(table=table, same=same)
        if table in _UNORDERED:
            sql = sql.replace("said.rowid", "said.call, said.number")
        elif is_round:
            sql = sql.replace(", said.rowid", "")
        yield from ((table, row) for row in db.rows(sql, rounds if is_round else turns))


_SAID = f"""
SELECT DISTINCT digest FROM (
    {
    " UNION ALL ".join(
        f"SELECT text_digest AS digest FROM json_each(?1) AS named CROSS JOIN {table} AS said "
        "ON said.cohort = named.value ->> 0 AND said.round = named.value ->> 1 "
        "AND said.contestant = named.value ->> 2"
        for table in ("tape_answers", "tape_calls")
    )
}
) WHERE digest IS NOT NULL ORDER BY digest
"""  # noqa: S608  # our own words


def _replies(db: Connection, turns: str) -> Iterator[str]:
    for row in db.rows(_SAID, turns):
        try:
            text = words(db, row["digest"])
        except ArenaError:  # it is in a month's file that was put away
            continue
        if text is not None:
            yield _line({"digest": row["digest"], "text": text})


@dataclass(frozen=True, slots=True)
class Until:
    """How far a store is filled: to an entry of the journal and a moment of the tape."""

    entry: int
    at: str


Lines = Callable[[str], Iterable[Mapping[str, Any]]]


def fill(store: Store, lines: Lines, until: Until | None = None) -> None:
    """Fill a store with lines of published days, and make its caches anew.

    What is there already stays. The file says of itself that it is a copy without texts.

    Args:
        store: A store of its own.
        lines: Gives the lines of "journal" and of "tape", oldest first, each time it is asked.
        until: What is later is left out; nothing is for None.

    Raises:
        ArenaError: A line is not what a day's file holds (`verify.bundle`), or the journal
            cannot be replayed (`store.damaged`).
    """
    try:
        with store.write():
            turns = _fill_journal(store.db, lines("journal"), until)
            _fill_tape(store.db, lines("tape"), until, turns)
        store.db.run(f"PRAGMA application_id = {PUBLIC_COPY}")
        rebuild(store.db)
    except (sqlite3.DatabaseError, RecursionError, AttributeError, *UNREADABLE) as error:
        raise ArenaError(
            "verify.bundle",
            f"the bundle cannot be read: {type(error).__name__}: {error}",
            hint="it is damaged, or no arena wrote it",
        ) from error


def _fill_journal(
    db: Connection, lines: Iterable[Mapping[str, Any]], until: Until | None
) -> frozenset[Sequence[object]]:
    """Fill the journal, and give the keys of its turns and rounds."""
    keys = set[Sequence[object]]()
    rows = []
    for number, line in enumerate(lines, 1):
        seq, head, event, digest = (line[name] for name in ("seq", "head", "event", "digest"))
        if seq != number:
            raise ValueError(f"entry {number} is not the next one")
        if until and seq > until.entry:
            break
        _, _, kind, cohort, contestant, _ = json.loads(head)
        if kind in {"turn", "round"}:
            key = (cohort, json.loads(event)["round"], contestant)
            keys.add(key if kind == "turn" else key[:2])
        rows.append((seq, head, event, digest))
    db.many("INSERT OR IGNORE INTO journal_lines VALUES (?, ?, ?, ?)", rows)
    return frozenset(keys)


def _fill_tape(
    db: Connection,
    lines: Iterable[Mapping[str, Any]],
    until: Until | None,
    keys: frozenset[Sequence[object]],
) -> None:
    rows: defaultdict[tuple[str, ...], list[tuple[object, ...]]] = defaultdict(list)
    for line in lines:
        table, *names = line
        if table != "table" or line[table] not in TABLES:
            raise ValueError("a line of the tape names no table of it")
        if until is None or _is_before(line, until, keys):
            rows[line[table], *names].append(tuple(line[name] for name in names))
    for (table, *names), values in rows.items():
        if table == _REPEAT:
            record_repeats(db, values)
            continue
        known = {row["name"] for row in db.rows(f"PRAGMA table_info({table})")}
        if not known.issuperset(names):
            raise ValueError(f"{table} has no column {min({*names} - known)!r}")
        listed, marks = ", ".join(names), ", ".join("?" * len(names))
        db.many(f"INSERT OR IGNORE INTO {table} ({listed}) VALUES ({marks})", values)  # noqa: S608


def _is_before(
    line: Mapping[str, Any], until: Until, keys: frozenset[Sequence[object]]
) -> bool:
    table = line["table"]
    if table in _OF_TURN:
        return tuple(line[name] for name in TURN) in keys
    if table == _OF_ROUND:
        return tuple(line[name] for name in TURN[:2]) in keys
    at = line["at" if table == "tape_polls" else "seen_at"]
    if table == _REPEAT:
        return bool(until.at) and at <= read_moment(until.at).timestamp()
    return bool(at <= until.at)


def keep_replies(store: Store, lines: Iterable[Mapping[str, Any]]) -> None:
    """Put replies on the tape of a store, each under the digest that it really has."""
    with store.write():
        for line in lines:
            keep(store.db, str(line["text"]))
