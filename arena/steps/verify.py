"""Whether a turn is what its words come to: everything about it, worked out again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from hashlib import sha256
from typing import Final

from arena.errors import ArenaError
from arena.ledger.positions import all_positions, balances
from arena.records.answer import Answer
from arena.records.cohort import CohortId, ContestantId
from arena.records.money import ZERO_USD, Usd
from arena.records.trade import Book, Entry, Position, PositionState, Turn
from arena.steps.rounds.brief import Scene, set_scene
from arena.steps.rounds.trade import judged_turn, turn_id
from arena.store import Store
from arena.store.codec import read_moment
from arena.store.journal.books import SeatPurse, SqliteBooks
from arena.store.journal.entries import SqliteJournal, chain, read_entry
from arena.store.journal.pieces import GENESIS
from arena.store.tape.payloads import blob


@dataclass(frozen=True, slots=True)
class BooksBefore(SqliteBooks):
    """The books of a file, those of one seat folded from its own early entries."""

    past: tuple[Entry, ...] = ()

    def purse(self, cohort: CohortId, contestant: ContestantId) -> SeatPurse:
        """The seat's cash and debts as they were."""
        past_balances, seat = balances(self.past), (cohort, contestant)
        owed = -past_balances.get((seat, Book.OWED), ZERO_USD)
        return SeatPurse(Usd(past_balances.get((seat, Book.CASH), ZERO_USD)), Usd(owed))

    def held_by(self, cohort: CohortId, contestant: ContestantId) -> Sequence[Position]:
        """The seat's open positions as they were, by market and side."""
        mine = [
            p
            for p in all_positions(self.past)
            if (p.cohort, p.contestant, p.state) == (cohort, contestant, PositionState.OPEN)
        ]
        return sorted(mine, key=lambda p: (p.market, p.side))


@dataclass(frozen=True, slots=True)
class JournalBefore(SqliteJournal):
    """The journal of a file up to before an entry."""

    past: tuple[Entry, ...] = ()

    def after(
        self, entry_id: str, cohort: CohortId, contestant: ContestantId
    ) -> Sequence[Entry]:
        """Read what was written about the seat after an entry, newest first."""
        later = {entry.id for entry in SqliteJournal.after(self, entry_id, cohort, contestant)}
        return [entry for entry in reversed(self.past) if entry.id in later]


def before(store: Store, seq: int, cohort: CohortId, contestant: ContestantId) -> Store:
    """Give a store in which a seat is as it was before entry `seq`; all else is as it is.

    What it reads of the tape must be asked for a moment of then.
    """
    past = tuple(
        read_entry(row["head"], row["event"])
        for row in store.db.rows(
            "SELECT head, event FROM journal_entries WHERE cohort = ? AND contestant = ? "
            "AND seq < ? ORDER BY seq",
            cohort,
            contestant,
            seq,
        )
    )
    return replace(
        store,
        books=BooksBefore(store.db, past),
        journal=JournalBefore(store.db, past),
    )


MOST: Final = 500  # moments at which a late turn may have been judged
_TEXTS = """
SELECT 'system prompt' AS what, system_digest AS digest FROM tape_answers WHERE {key}
UNION ALL SELECT 'prompt', user_digest FROM tape_answers WHERE {key}
UNION ALL SELECT 'reply', text_digest FROM tape_answers WHERE {key}
UNION ALL SELECT 'raw reply', raw_digest FROM tape_answers WHERE {key}
UNION ALL SELECT 'call ' || call || ': system prompt', system_digest FROM tape_calls WHERE {key}
UNION ALL SELECT 'call ' || call || ': shared prompt', shared_digest FROM tape_calls WHERE {key}
UNION ALL SELECT 'call ' || call || ': own prompt', own_digest FROM tape_calls WHERE {key}
UNION ALL SELECT 'call ' || call || ': schema', schema_digest FROM tape_calls WHERE {key}
UNION ALL SELECT 'call ' || call || ': reply', text_digest FROM tape_calls WHERE {key}
UNION ALL SELECT 'call ' || call || ': raw reply', raw_digest FROM tape_calls WHERE {key}
"""
_KEY = "cohort = ?1 AND round = ?2 AND contestant = ?3"
_NEAR = """
SELECT seq, digest FROM journal_entries WHERE seq BETWEEN ?1 - 1 AND ?1
"""
_OF_TURN = """
SELECT head, event FROM journal_entries WHERE seq > ?1 AND cohort = ?2 AND contestant = ?3
    AND kind IN ('fill', 'sale') AND event ->> '$.round' = ?4 ORDER BY seq
"""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; `detail` says what it is, or how it differs."""

    what: str
    ok: bool
    detail: str


def verify_decision(
    store: Store, cohort: CohortId, number: int, contestant: ContestantId
) -> tuple[Check, ...]:
    """Work a turn out again from what is on the tape, and compare it with the journal.

    Its texts against their digests, its entry against the chain, its round against the
    markets and prices on the tape, and its words against what was booked for them.

    Raises:
        ArenaError: There is no such turn.
    """
    entry = store.journal.entry(turn_id(cohort, number, contestant))
    answer = store.tape.answer(cohort, number, contestant)
    playing, played = store.books.cohort(cohort), store.books.round(cohort, number)
    if entry is None or answer is None or playing is None or played is None:
        raise ArenaError(
            "verify.unknown",
            f"{contestant} has no judged turn in round {number} of {cohort}",
            hint="its page names the three words: COHORT ROUND CONTESTANT",
            status=2,
        )
    said = store.db.value(
        "SELECT text_digest FROM tape_answers WHERE cohort = ? AND round = ? "
        "AND contestant = ?",
        cohort,
        number,
        contestant,
    )
    if said and answer.completion.text is None and store.db.is_public_copy:
        raise ArenaError(
            "verify.left_out",
            f"what {contestant} said in round {number} of {cohort} is not in this copy",
            hint="check it with the arena's own database",
            status=2,
        )
    scene = set_scene(store, playing, played, played.at)
    return (
        *_texts(store, cohort, number, contestant),
        _chained(store, entry),
        _offer_check(store, scene),
        *_judged(store, scene, entry, answer),
    )


def texts_of_turn(
    store: Store, cohort: CohortId, number: int, contestant: ContestantId
) -> list[str]:
    """Digests of what a turn was asked and what it said."""
    rows = store.db.rows(_TEXTS.format(key=_KEY), cohort, number, contestant)
    return [row["digest"] for row in rows if row["digest"]]


def _texts(
    store: Store, cohort: CohortId, number: int, contestant: ContestantId
) -> Iterator[Check]:
    rows = store.db.rows(_TEXTS.format(key=_KEY), cohort, number, contestant)
    for row in rows:
        if row["digest"] is None:
            continue
        body = blob(store.db, row["digest"])
        if body is None and store.db.is_public_copy:
            continue
        if body is None:
            yield Check(row["what"], ok=False, detail=f"{row['digest']}: its text is gone")
            continue
        actual = sha256(body).hexdigest()
        what = f"{row['digest']}" if actual == row["digest"] else f"{row['digest']} is {actual}"
        yield Check(row["what"], actual == row["digest"], what)


def _chained(store: Store, entry: Entry) -> Check:
    number = store.journal.number(entry.id)
    if number is None:
        raise AssertionError("an entry was just read")
    digests = {row["seq"]: row["digest"] for row in store.db.rows(_NEAR, number)}
    wanted = chain(digests.get(number - 1, GENESIS), entry)
    ok = wanted == digests[number]
    detail = f"entry {number}, {digests[number]}"
    return Check("journal", ok, detail if ok else f"{detail} should be {wanted}")


def _offer_check(store: Store, scene: Scene) -> Check:
    played = scene.round
    digest = store.tape.digest_of(played.offered, played.at)
    wanted = store.db.value(
        "SELECT digest FROM rounds WHERE cohort = ? AND round = ?", played.cohort, played.number
    )
    ok = digest == wanted
    detail = f"{len(played.offered)} markets with their prices, {wanted}"
    return Check("markets shown", ok, detail if ok else f"{detail}, on the tape now {digest}")


def _judged(store: Store, scene: Scene, entry: Entry, answer: Answer) -> Iterator[Check]:
    """The turn by its words, at the first moment of judging that makes it what it is.

    Late answers are judged when they are there, and the journal does not say when that was.
    """
    seq = store.journal.number(entry.id) or 0
    who, cohort = entry.contestant or ContestantId(""), scene.cohort.id
    past = before(store, seq, cohort, who)
    rows = store.db.rows(_OF_TURN, seq, cohort, who, scene.round.number)
    booked = [entry, *(read_entry(row["head"], row["event"]) for row in rows)]
    first: tuple[Check, ...] = ()
    for at in _moments(store, scene):
        then = set_scene(store, scene.cohort, scene.round, at)
        checks = _compared(booked, judged_turn(past, then, who, answer, at).entries)
        first = first or checks
        if all(check.ok for check in checks):
            yield from checks
            return
    yield from first


def _moments(store: Store, scene: Scene) -> Iterator[datetime]:
    yield scene.round.at
    rows = store.db.rows(
        "SELECT DISTINCT at FROM tape_polls WHERE at > ? ORDER BY at LIMIT ?",
        scene.round.at.isoformat(),
        MOST,
    )
    yield from (read_moment(row["at"]) for row in rows)


def _compared(booked: Sequence[Entry], again: Sequence[Entry]) -> tuple[Check, ...]:
    booked_turn, reread_turn = booked[0].event, again[0].event
    checks = [
        Check(
            f.name,
            getattr(booked_turn, f.name) == getattr(reread_turn, f.name),
            _difference(getattr(booked_turn, f.name), getattr(reread_turn, f.name)),
        )
        for f in fields(Turn)
        if f.name != "round"
    ]
    trades, anew = {e.id: e for e in booked[1:]}, {e.id: e for e in again[1:]}
    differ = [name for name in sorted({*trades, *anew}) if trades.get(name) != anew.get(name)]
    detail = f"{len(trades)} as booked" if not differ else f"differ: {', '.join(differ[:5])}"
    return (*checks, Check("fills and sales", not differ, detail))


def _difference(booked: object, reread: object) -> str:
    many = f"{len(booked)} of them" if isinstance(booked, tuple) else str(booked)
    return many if booked == reread else f"{booked} is booked, its words come to {reread}"
