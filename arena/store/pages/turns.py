"""Turns as they went: what was asked, what came back, what was judged, and what traded.

Added up, they say how contestants conducted their turns.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from arena.records.answer import Attempt, Trouble, Usage
from arena.records.cohort import CohortId, ContestantId
from arena.records.market import MarketId
from arena.records.money import Usd, usd_from_micro
from arena.records.trade import KIND_NAMES, Fill, PositionState, SoldFill, Turn
from arena.store.codec import from_plain, read_moment, read_row
from arena.store.pages.cards import FailedTurn, TurnId, by_contestant
from arena.store.sqlite import Connection, Row
from arena.store.tape.payloads import blob, words

EVERYWHERE = ""  # the row that adds up all cohorts

# CROSS: a row of conduct is looked up for each of the few contestants, never the other way.
_CONDUCT = """
SELECT conduct.*, turns_failed AS failed FROM {seats}
CROSS JOIN conduct USING (contestant) WHERE conduct.cohort = ? AND {same}
ORDER BY conduct.contestant
"""

FAILED = f"failure IS NOT NULL AND failure NOT LIKE '{Trouble.WITHDRAWN}:%'"
_FAILURES = f"""
SELECT *, failure AS reason FROM turns WHERE {FAILED} AND (?1 IS NULL OR cohort = ?1)
ORDER BY at DESC, cohort DESC, round DESC, contestant
"""  # noqa: S608  # our own words


@dataclass(frozen=True, slots=True)
class ConductTotals:
    """Counts of one contestant, in one cohort or in all of them.

    Of `turns`, `failed` came to no decision, or to only a part of one. Of the `calls` to a
    model `reasks` were made because a reply could not be read, and `repaired` replies needed
    their syntax mended. `dropped` orders were left out before the rules were asked, `against`
    bets were on the side that their own probability calls too dear. In `halved` turns
    what was refused or too long was asked in two halves. Of `baited` turns with a honeypot,
    `bait_taken` did what its text said.
    """

    contestant: ContestantId
    turns: int
    failed: int
    calls: int
    reasks: int
    repaired: int
    dropped: int
    against: int
    halved: int
    baited: int
    bait_taken: int


@dataclass(frozen=True, slots=True)
class SqliteConduct:
    """Conduct in one SQLite file, read only."""

    db: Connection

    def totals(self, cohort: CohortId | None = None) -> Sequence[ConductTotals]:
        """Everybody's counts by name, in one cohort or, with None, in all of them."""
        seats, same = "totals", "1"
        if cohort is not None:
            seats, same = "seats", "seats.cohort = conduct.cohort"
        sql = _CONDUCT.format(seats=seats, same=same)
        return self.db.records(ConductTotals, sql, cohort or EVERYWHERE)

    def failures(self, cohort: CohortId | None = None) -> Sequence[FailedTurn]:
        """Everybody's turns that failed, newest first, in one cohort or, with None, in all."""
        return self.db.records(FailedTurn, _FAILURES, cohort)

    def of(self, contestant: ContestantId) -> ConductTotals | None:
        """One contestant's counts over all cohorts; None before its first turn."""
        sql = _CONDUCT.format(seats="totals", same="conduct.contestant = ?")
        return self.db.record(ConductTotals, sql, EVERYWHERE, contestant)


# A turn's page names the turns before and after it and those of its round; it shows what the
# positions it traded have come to, and how the markets it spoke of ended.
_SINCE = """
WITH fresh AS MATERIALIZED (
    SELECT seq, kind, cohort, contestant, event FROM journal_entries WHERE seq > ?1
        AND kind IN ('turn', 'fill', 'sale', 'settled', 'reversed', 'resolved')
), judged AS MATERIALIZED (
    SELECT DISTINCT cohort, json_extract(event, '$.round') AS round FROM fresh
    WHERE kind = 'turn'
), ruled AS MATERIALIZED (
    SELECT DISTINCT json_extract(event, '$.market') AS market FROM fresh
    WHERE kind = 'resolved'
), moved AS MATERIALIZED (
    SELECT DISTINCT cohort, contestant, json_extract(event, '$.market') AS market FROM fresh
    WHERE kind IN ('fill', 'sale', 'settled', 'reversed')
)
SELECT turns.cohort, turns.round, turns.contestant FROM judged CROSS JOIN turns
    ON turns.cohort = judged.cohort
        AND turns.round BETWEEN judged.round - 1 AND judged.round + 1
UNION
SELECT done.cohort, json_extract(done.event, '$.round'), done.contestant FROM ruled
    CROSS JOIN forecast_entries AS stated ON stated.market = ruled.market
    CROSS JOIN journal_entries AS done ON done.seq = stated.entry
UNION
SELECT bought.cohort, bought.round, bought.contestant FROM ruled
    CROSS JOIN fills AS bought ON bought.market = ruled.market
UNION
SELECT sold.cohort, sold.round, sold.contestant FROM ruled
    CROSS JOIN sales AS sold INDEXED BY sales_by_market ON sold.market = ruled.market
UNION
SELECT bought.cohort, bought.round, bought.contestant FROM moved
    CROSS JOIN fills AS bought ON bought.market = moved.market
        AND +bought.cohort = moved.cohort AND +bought.contestant = moved.contestant
UNION
SELECT sold.cohort, sold.round, sold.contestant FROM moved
    CROSS JOIN sales AS sold INDEXED BY sales_by_market ON sold.market = moved.market
        AND sold.cohort = moved.cohort AND sold.contestant = moved.contestant
ORDER BY 1, 2, 3
"""
_JUDGED = """
SELECT turns.contestant, done.seq, done.digest, done.at, done.event
FROM turns CROSS JOIN journal_entries AS done ON done.seq = turns.entry
WHERE turns.cohort = ? AND turns.round = ? ORDER BY turns.contestant
"""
# The entries of fills and sales are those after their turn's.
_TRADED = """
SELECT turns.contestant, done.event FROM turns CROSS JOIN journal_entries AS done
    ON done.seq > turns.entry AND done.seq <= turns.entry + turns.accepted
WHERE turns.cohort = ? AND turns.round = ? AND done.kind = ? ORDER BY done.seq
"""
_HELD = """
SELECT held.contestant, held.market, held.side, held.state, held.realised_micro
FROM json_each(?2) AS named
CROSS JOIN positions AS held ON held.cohort = ?1
    AND held.contestant = json_extract(named.value, '$[0]')
    AND held.market = json_extract(named.value, '$[1]')
"""
_ANSWERS = """
SELECT *, system_digest AS system, user_digest AS user, text_digest AS said, raw_digest AS raw
FROM tape_answers WHERE cohort = ? AND round = ?
"""
_CALLS = """
SELECT *, call AS name, text_digest AS said, raw_digest AS raw
FROM tape_calls WHERE cohort = ? AND round = ? ORDER BY rowid
"""
_ATTEMPTS = """
SELECT * FROM tape_attempts WHERE cohort = ? AND round = ? ORDER BY contestant, call, number
"""

Event = TypeVar("Event", Turn, Fill, SoldFill)
Trade = TypeVar("Trade", Fill, SoldFill)


@dataclass(frozen=True, slots=True)
class AnswerCard:
    """A turn's answer as the tape has it. Digests are of what is kept under them, or None."""

    text: str | None
    model: str
    finish: str
    trouble: Trouble | None
    detail: str
    usage: Usage
    latency_ms: int
    system: str | None
    user: str | None
    said: str | None
    raw: str | None


@dataclass(frozen=True, slots=True)
class CallCard:
    """A call of a turn: its question and reply by their digests, and how it went."""

    name: str
    at: datetime
    llm: str
    provider: str
    request: str
    parts: tuple[tuple[str, str], ...]  # what a part of the question is, and its digest
    said: str | None
    raw: str | None
    model: str
    route: str
    tier: str
    finish: str
    trouble: Trouble | None
    detail: str
    adapted: tuple[str, ...]
    usage: Usage
    latency_ms: int


@dataclass(frozen=True, slots=True)
class TurnCard:
    """A turn that was judged. `attempts` name the call they belong to."""

    id: TurnId
    entry: int
    digest: str
    at: datetime
    turn: Turn
    bought: tuple[Fill, ...] = ()
    sold: tuple[SoldFill, ...] = ()
    answer: AnswerCard | None = None
    calls: tuple[CallCard, ...] = ()
    attempts: tuple[tuple[str, Attempt], ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """What a position has come to: where it stands, and what it brought so far."""

    state: PositionState
    realised: Usd


@dataclass(frozen=True, slots=True)
class SqliteTurns:
    """The turns of one SQLite file, read only."""

    db: Connection

    def since(self, entry: int) -> tuple[TurnId, ...]:
        """Turns that may be told differently after an entry of the journal, in their order.

        Those that are new and their neighbours, and those that spoke of a market that was
        ruled on or hold a position that moved.
        """
        return tuple(self.db.records(TurnId, _SINCE, entry))

    def rounds(self, cohort: CohortId) -> Mapping[int, Sequence[ContestantId]]:
        """Whose turns of each round of a cohort were judged, by name."""
        contestants_by_round: dict[int, list[ContestantId]] = defaultdict(list)
        sql = "SELECT round, contestant FROM turns WHERE cohort = ? ORDER BY round, contestant"
        for row in self.db.rows(sql, cohort):
            contestants_by_round[row["round"]].append(ContestantId(row["contestant"]))
        return contestants_by_round

    def of_round(self, cohort: CohortId, number: int) -> Sequence[TurnCard]:
        """Every turn of a round that was judged, by contestant."""
        rows = self.db.rows(_JUDGED, cohort, number)
        judged = _read(Turn, rows)
        bought = self._traded(Fill, cohort, number)
        sold = self._traded(SoldFill, cohort, number)
        answers = {r["contestant"]: r for r in self.db.rows(_ANSWERS, cohort, number)}
        calls = by_contestant(self.db.rows(_CALLS, cohort, number), _call)
        tried = self.db.rows(_ATTEMPTS, cohort, number)
        attempts = by_contestant(tried, lambda row: (row["call"], read_row(Attempt, row)))
        return [
            TurnCard(
                TurnId(cohort, number, who),
                row["seq"],
                row["digest"],
                read_moment(row["at"]),
                turn,
                tuple(bought.get(who, ())),
                tuple(sold.get(who, ())),
                _answer(self.db, answers[who]) if who in answers else None,
                calls.get(who, ()),
                attempts.get(who, ()),
            )
            for row, turn in zip(rows, judged, strict=True)
            for who in (ContestantId(row["contestant"]),)
        ]

    def positions(
        self, cohort: CohortId, held: Iterable[tuple[ContestantId, MarketId]]
    ) -> Mapping[tuple[str, str, str], Sequence[Held]]:
        """States and realised profits of positions, by contestant, market and side."""
        held_by_side: dict[tuple[str, str, str], list[Held]] = defaultdict(list)
        rows = self.db.rows(_HELD, cohort, json.dumps(sorted(set(held))))
        for who, market, side, state, realised in rows:
            position = Held(PositionState(state), usd_from_micro(realised))
            held_by_side[who, market, side].append(position)
        return held_by_side

    def sizes(self, digests: Iterable[str]) -> Mapping[str, int]:
        """How many bytes the tape keeps under each digest that is there."""
        texts = ((digest, blob(self.db, digest)) for digest in sorted(set(digests)))
        return {digest: len(text) for digest, text in texts if text is not None}

    def text(self, digest: str) -> str | None:
        """Read a text of the tape; None where there is none of that digest."""
        return words(self.db, digest)

    def _traded(
        self, kind: type[Trade], cohort: CohortId, number: int
    ) -> Mapping[str, Sequence[Trade]]:
        rows = self.db.rows(_TRADED, cohort, number, KIND_NAMES[kind])
        trades_by_contestant: dict[str, list[Trade]] = defaultdict(list)
        for row, trade in zip(rows, _read(kind, rows), strict=True):
            trades_by_contestant[row["contestant"]].append(trade)
        return trades_by_contestant


def _read(kind: type[Event], rows: Iterable[Row]) -> list[Event]:
    """Read the events of entries: one text for all takes half as long as one for each."""
    events = json.loads(f"[{','.join([row['event'] for row in rows])}]")
    return [from_plain(kind, event) for event in events]


def _answer(db: Connection, row: Row) -> AnswerCard:
    text = words(db, row["text_digest"])
    return read_row(AnswerCard, row, text=text, usage=read_row(Usage, row))


def _call(row: Row) -> CallCard:
    names = ("system", "shared", "own", "schema")
    return read_row(
        CallCard,
        row,
        parts=tuple((part, row[f"{part}_digest"]) for part in names),
        usage=read_row(Usage, row),
    )


def turns_of(ids: Iterable[TurnId]) -> Iterator[tuple[CohortId, int, frozenset[ContestantId]]]:
    """Turns by cohort and round, in their order."""
    contestants_by_round: dict[tuple[CohortId, int], set[ContestantId]] = defaultdict(set)
    for turn in ids:
        contestants_by_round[turn.cohort, turn.round].add(turn.contestant)
    for (cohort, number), who in sorted(contestants_by_round.items()):
        yield cohort, number, frozenset(who)
