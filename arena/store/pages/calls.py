"""Every call of every turn on the tape: asked before it was sent, told when it came back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from arena.records.answer import (
    PARSER_VERSION,
    TOKEN_COUNTS,
    Attempt,
    Call,
    Caller,
    Completion,
    Question,
    Trouble,
    Usage,
)
from arena.records.cohort import CohortId, ContestantId
from arena.records.money import Usd, micro
from arena.records.settings import ModelSettings
from arena.store.codec import moment, read_row
from arena.store.sqlite import Connection, Row
from arena.store.tape.payloads import blob, keep, storable, words

_CALL = """
SELECT * FROM tape_calls WHERE cohort = ? AND round = ? AND contestant = ? AND call = ?
"""
_CALLS = """
SELECT * FROM tape_calls WHERE cohort = ? AND round = ? AND contestant = ? ORDER BY rowid
"""
_UNHEARD = """
SELECT 1 FROM tape_asks LEFT JOIN tape_calls AS came USING (cohort, round, contestant, call)
WHERE cohort = ? AND round = ? AND contestant = ? AND came.llm IS NULL LIMIT 1
"""
_AGAIN = """
SELECT count(*) FROM tape_asked_again
WHERE cohort = ? AND round = ? AND contestant = ? AND call = ?
"""
_ATTEMPTS = """
SELECT * FROM tape_attempts WHERE cohort = ? AND round = ? AND contestant = ? AND call = ?
ORDER BY number
"""
_LIKE_IT = """
SELECT * FROM tape_calls WHERE request = ? AND contestant = ? AND call = ?
ORDER BY cohort = ? DESC, round = ? DESC, rowid LIMIT 1
"""
_IN_BATCHES = """
SELECT call, batch FROM tape_batched WHERE cohort = ? AND round = ? AND contestant = ?
ORDER BY rowid
"""


@dataclass(frozen=True, slots=True)
class SqliteCalls:
    """The calls in one SQLite file; what is there is never written again."""

    db: Connection

    def record_ask(self, caller: Caller, at: datetime, llm: str, reserved: Usd | None) -> None:
        """Keep that a call is about to be sent, and the most it may cost."""
        sql = "INSERT INTO tape_asks VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        most = None if reserved is None else micro(reserved)
        self.db.run(sql, *_key(caller), moment(at), llm, most)

    def record_asked_again(self, caller: Caller, at: datetime) -> None:
        """Keep that a call is about to be sent once more, because nothing came back."""
        sql = "INSERT INTO tape_asked_again VALUES (?, ?, ?, ?, ?, ?)"
        self.db.run(sql, *_key(caller), self.times_lost(caller), moment(at))

    def times_lost(self, caller: Caller) -> int:
        """Count how often a call was sent, or was about to be, without a recorded reply."""
        unanswered = self.was_asked(caller) and self.find(caller) is None
        return int(unanswered) + int(self.db.value(_AGAIN, *_key(caller))) if unanswered else 0

    def was_asked(self, caller: Caller) -> bool:
        """Say whether a call was sent, or was about to be."""
        sql = "SELECT 1 FROM tape_asks WHERE cohort = ? AND round = ? AND contestant = ?"
        return self.db.row(f"{sql} AND call = ?", *_key(caller)) is not None

    def record(
        self, caller: Caller, at: datetime, model: ModelSettings, request: str, call: Call
    ) -> None:
        """Keep a call with its question, its reply and every attempt.

        Args:
            caller: Whose call it is; its name is the call's.
            at: When it was asked.
            model: The configured model that was asked.
            request: The digest of what was sent (`steps.rounds.cached_llm.request_digest`).
            call: The question and what came back.
        """
        question, completion = call.question, call.completion
        shared = question.user[: question.shared]
        done = self.db.run(
            f"INSERT INTO tape_calls VALUES ({', '.join('?' * 30)}) ON CONFLICT DO NOTHING",  # noqa: S608  # only marks
            *_key(caller),
            moment(at),
            model.name,
            model.provider,
            request,
            keep(self.db, question.system),
            keep(self.db, shared),
            keep(self.db, question.user[question.shared :]),
            keep(self.db, question.schema or question.tools),  # one of them is empty
            keep(self.db, completion.text),
            keep(self.db, completion.raw or None),
            storable(completion.model),
            storable(completion.route),
            storable(completion.tier),
            storable(completion.finish),
            completion.trouble,
            storable(completion.detail),
            json.dumps(completion.adapted),
            *counted(completion.usage),
            completion.usage.priced,
            completion.latency_ms,
            completion.parser_version,
        )
        if done.rowcount:
            record_attempts(self.db, caller, completion.attempts)

    def find(self, caller: Caller) -> Completion | None:
        """Read what came back for a call; None where nothing did yet."""
        row = self.db.row(_CALL, *_key(caller))
        return self._completion(row) if row else None

    def like(self, request: str, caller: Caller) -> Completion | None:
        """Read the reply to the same request by the same contestant, in whatever cohort.

        Where it was put several times, that of the same cohort and the same round counts.
        """
        of_turn = (caller.cohort, caller.round)
        row = self.db.row(_LIKE_IT, request, caller.contestant, caller.call, *of_turn)
        return self._completion(row) if row else None

    def has_any(self, cohort: CohortId, number: int, contestant: ContestantId) -> bool:
        """Say whether any call of a turn came back."""
        return self.db.row(f"{_CALLS} LIMIT 1", cohort, number, contestant) is not None

    def unheard(self, cohort: CohortId, number: int, contestant: ContestantId) -> bool:
        """Say whether a call of a turn was sent, or was about to be, and never came back."""
        return self.db.row(_UNHEARD, cohort, number, contestant) is not None

    def of_turn(
        self, cohort: CohortId, number: int, contestant: ContestantId
    ) -> tuple[Call, ...]:
        """Read the calls of a turn, in the order in which they came back."""
        rows = self.db.rows(_CALLS, cohort, number, contestant)
        return tuple(
            Call(row["call"], self._question(row), self._completion(row)) for row in rows
        )

    def outcomes(
        self, cohort: CohortId, number: int, contestant: ContestantId
    ) -> tuple[Completion, ...]:
        """Read what the calls of a turn took and how they went, without a word of them."""
        return tuple(
            Completion(
                None,
                usage=read_row(Usage, row),
                attempts=attempts_of(self.db, read_row(Caller, row)),
            )
            for row in self.db.rows(_CALLS, cohort, number, contestant)
        )

    def record_batched(self, caller: Caller, at: datetime, llm: str, batch: str) -> None:
        """Keep that a call was handed in with a batch, or ("") that none was made of it.

        What was kept before at the same moment counts as said again, after all others.
        """
        sql = "INSERT OR REPLACE INTO tape_batched VALUES (?, ?, ?, ?, ?, ?, ?)"
        self.db.run(sql, *_key(caller), moment(at), llm, batch)

    def batches_of(
        self, cohort: CohortId, number: int, contestant: ContestantId
    ) -> Mapping[str, str]:
        """Name the batch that each call of a turn was last handed in with.

        It is "" where the provider made none, so that the call may be handed in again.
        """
        rows = self.db.rows(_IN_BATCHES, cohort, number, contestant)
        return {row["call"]: row["batch"] for row in rows}

    def record_submission(
        self, cohort: CohortId, number: int, contestant: ContestantId, at: datetime, text: str
    ) -> None:
        """Keep the words that were handed in for a turn, unless some are there already."""
        sql = "INSERT INTO tape_submissions VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        digest = keep(self.db, text)
        self.db.run(sql, cohort, number, contestant, moment(at), digest, PARSER_VERSION)

    def submission(
        self, cohort: CohortId, number: int, contestant: ContestantId
    ) -> Completion | None:
        """Read the words that were handed in for a turn; None where there are none."""
        sql = """SELECT text_digest, parser_version FROM tape_submissions
            WHERE cohort = ? AND round = ? AND contestant = ?"""
        row = self.db.row(sql, cohort, number, contestant)
        if row is None:
            return None
        text = words(self.db, row["text_digest"])
        return Completion(text, parser_version=row["parser_version"])

    def _question(self, row: Row) -> Question:
        system, shared, own, schema = (
            words(self.db, row[f"{part}_digest"]) or ""
            for part in ("system", "shared", "own", "schema")
        )
        question = Question(system, shared + own, len(shared), "", read_row(Caller, row))
        is_list = schema.startswith("[")  # of tools; the schema of an answer is an object
        return replace(question, tools=schema) if is_list else replace(question, schema=schema)

    def _completion(self, row: Row) -> Completion:
        return replace(
            read_completion(self.db, row, attempts_of(self.db, read_row(Caller, row))),
            route=row["route"],
            tier=row["tier"],
            adapted=tuple(json.loads(row["adapted"])),
        )


def read_completion(db: Connection, row: Row, attempts: tuple[Attempt, ...]) -> Completion:
    """Read what `tape_answers` and `tape_calls` have alike of what came back."""
    return Completion(
        text=words(db, row["text_digest"]),
        raw=blob(db, row["raw_digest"]) or b"",
        model=row["model"],
        finish=row["finish"],
        usage=read_row(Usage, row),
        latency_ms=row["latency_ms"],
        attempts=attempts,
        trouble=None if row["trouble"] is None else Trouble(row["trouble"]),
        detail=row["detail"],
        parser_version=row["parser_version"],
    )


def record_attempts(db: Connection, caller: Caller, attempts: Sequence[Attempt]) -> None:
    """Keep every attempt of a call; those of a turn without calls are of the call ''."""
    db.many(
        "INSERT INTO tape_attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        [
            (*_key(caller), n, a.latency_ms, a.status, a.trouble, storable(a.detail), a.billed)
            for n, a in enumerate(attempts, 1)
        ],
    )


def attempts_of(db: Connection, caller: Caller) -> tuple[Attempt, ...]:
    """Read the attempts of a call, in order."""
    return tuple(db.records(Attempt, _ATTEMPTS, *_key(caller)))


def counted(usage: Usage) -> tuple[int | None, ...]:
    """Give the columns of a usage: its counts of tokens, and millionths of a dollar."""
    cost = None if usage.cost is None else micro(usage.cost)
    return (*(getattr(usage, name) for name in TOKEN_COUNTS), cost)


def _key(caller: Caller) -> tuple[str, int, str, str]:
    return (caller.cohort, caller.round, caller.contestant, caller.call)
