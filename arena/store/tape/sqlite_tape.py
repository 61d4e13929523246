"""The tape: what the world said, word for word. It only grows."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import sha256

from arena.records.answer import (
    FREE,
    TOKEN_COUNTS,
    Answer,
    Caller,
    Completion,
    Question,
    RoundContext,
    Trouble,
    Usage,
    taken_by,
)
from arena.records.cohort import CohortId, ContestantId
from arena.records.market import Market, MarketId, VenueId
from arena.records.money import ZERO_USD, Usd, micro
from arena.store.codec import canonical, from_plain, moment, read_moment
from arena.store.pages.calls import (
    SqliteCalls,
    attempts_of,
    counted,
    read_completion,
    record_attempts,
)
from arena.store.sqlite import Row
from arena.store.tape.payloads import keep, storable, words
from arena.store.tape.quotes import SqliteQuotes

_LAST_POLL = """
SELECT at FROM tape_polls WHERE venue = ? AND error IS NULL ORDER BY at DESC LIMIT 1
"""

_LATEST_MARKETS = """
SELECT said.* FROM json_each(?) AS named
JOIN tape_markets AS said ON said.market = named.value AND said.seen_at =
    (SELECT max(seen_at) FROM tape_markets WHERE market = named.value AND seen_at <= ?)
"""
_UNSENT = frozenset({
    Trouble.BUDGET, Trouble.MISSED, Trouble.NOT_SET_UP, Trouble.REQUEST, Trouble.WITHDRAWN,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class ContextSpending:
    """Requests to the sources of a round, and their dollars; None where these are unknown."""

    requests: int = 0
    cost: Usd | None = ZERO_USD


@dataclass(frozen=True, slots=True)
class TapedContext:
    """The documents of a round as the tape has them, under the SHA-256 of their text."""

    digest: str
    context: RoundContext


@dataclass(frozen=True, slots=True)
class SqliteTape(SqliteQuotes):
    """The tape in one SQLite file; what is already there word for word is not repeated."""

    @property
    def calls(self) -> SqliteCalls:
        """The calls that turns were made of."""
        return SqliteCalls(self.db)

    def record_poll(self, venue: VenueId, at: datetime, error: str | None = None) -> None:
        """Keep that a venue was asked, and what went wrong if it did not answer."""
        sql = """INSERT INTO tape_polls VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET error = excluded.error WHERE error IS NOT NULL"""
        self.db.run(sql, venue, moment(at), error)

    def last_poll(self, venue: VenueId) -> datetime | None:
        """Say when a venue last answered."""
        at = self.db.value(_LAST_POLL, venue)
        return read_moment(at) if at else None

    def last_moment(self) -> datetime | None:
        """The newest moment at which any venue was asked."""
        at = self.db.value("SELECT max(at) FROM tape_polls")
        return read_moment(at) if at else None

    def record_markets(self, markets: Iterable[Market], at: datetime) -> None:
        """Keep the facts of markets, where they are new or have changed."""
        seen = {market.id: market for market in markets}
        recorded = self.markets(seen, at)
        self.db.many(
            "INSERT INTO tape_markets VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [
                (market.id, moment(at), canonical(market))
                for market in seen.values()
                if recorded.get(market.id) != market
            ],
        )

    def markets(self, ids: Iterable[MarketId], at: datetime) -> Mapping[MarketId, Market]:
        """Read the facts of markets as they were known at a moment."""
        rows = self.db.rows(_LATEST_MARKETS, json.dumps(list(ids)), moment(at))
        return {MarketId(row["market"]): _market(row["facts"]) for row in rows}

    def digest_of(self, ids: Sequence[MarketId], at: datetime) -> str:
        """SHA-256 of what was known of markets at a moment: facts and prices, in this order."""
        markets, quotes = self.markets(ids, at), self.quotes(ids, at)
        shown = [(markets.get(m), quotes.get(m)) for m in ids]
        return sha256(canonical(shown).encode()).hexdigest()

    def record_context(
        self,
        key: tuple[CohortId, int],
        context: RoundContext,
        at: datetime,
        spent: ContextSpending,
    ) -> str:
        """Keep the documents of a round, and give their digest; what is kept already stays.

        Args:
            key: The cohort and the round's number.
            context: What its contestants are shown.
            at: When its sources were asked.
            spent: What the sources took.
        """
        digest = keep(self.db, canonical(context)) or ""
        sql = "INSERT INTO tape_contexts VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        cost = None if spent.cost is None else micro(spent.cost)
        self.db.run(sql, *key, moment(at), digest, spent.requests, cost)
        return digest

    def context(self, cohort: CohortId, number: int) -> TapedContext | None:
        """Read the documents of a round with their digest; None where none were asked for.

        They are empty where their text is gone, as in a copy for the public.
        """
        sql = "SELECT digest FROM tape_contexts WHERE cohort = ? AND round = ?"
        digest = self.db.value(sql, cohort, number)
        if digest is None:
            return None
        text = words(self.db, digest)
        context = RoundContext() if text is None else from_plain(RoundContext, json.loads(text))
        return TapedContext(digest, context)

    def record_answer(
        self, cohort: CohortId, number: int, contestant: ContestantId, answer: Answer
    ) -> None:
        """Keep a contestant's whole turn: question, reply, cost and every attempt.

        Where the turn has calls on the tape, its question and attempts are theirs, and so is
        what it cost.
        """
        completion, question = answer.completion, answer.question
        calls = self.calls.outcomes(cohort, number, contestant)
        question = None if calls else question
        usage = self._usage(answer, calls)
        if self.calls.unheard(cohort, number, contestant) and usage == FREE:
            usage = Usage()  # something was sent, and what became of it is unknown
        values = {
            "cohort": cohort,
            "round": number,
            "contestant": contestant,
            "system_digest": keep(self.db, question.system if question else None),
            "user_digest": keep(self.db, question.user if question else None),
            "text_digest": keep(self.db, completion.text),
            "raw_digest": None if calls else keep(self.db, completion.raw or None),
            "model": storable(completion.model),
            "finish": storable(completion.finish),
            "trouble": completion.trouble,
            "detail": storable(completion.detail),
            "latency_ms": completion.latency_ms,
            **dict(zip((*TOKEN_COUNTS, "cost_micro"), counted(usage), strict=True)),
            "priced": usage.priced,
            "parser_version": completion.parser_version,
        }
        marks = ", ".join("?" * len(values))
        done = self.db.run(
            f"INSERT INTO tape_answers ({', '.join(values)}) VALUES ({marks}) "  # noqa: S608
            "ON CONFLICT DO NOTHING",
            *values.values(),
        )
        if done.rowcount and not calls:
            caller = Caller(cohort, number, contestant, "")
            record_attempts(self.db, caller, completion.attempts)

    def _usage(self, answer: Answer, calls: Sequence[Completion]) -> Usage:
        """What a turn took. A failure for which nothing was sent, or billed, cost nothing."""
        turn_completion = answer.completion
        completions = calls or [turn_completion]
        usage = taken_by(completions)
        attempts = [attempt for reply in completions for attempt in reply.attempts]
        unbilled = all(attempt.billed is False for attempt in attempts)
        unsent = not calls and turn_completion.trouble in _UNSENT
        if usage == Usage() and turn_completion.trouble and unbilled and (attempts or unsent):
            return FREE
        return usage

    def answered(self, cohort: CohortId, number: int) -> frozenset[ContestantId]:
        """Say whose answers of a round are on the tape."""
        sql = "SELECT contestant FROM tape_answers WHERE cohort = ? AND round = ?"
        rows = self.db.rows(sql, cohort, number)
        return frozenset(ContestantId(row["contestant"]) for row in rows)

    def answer(self, cohort: CohortId, number: int, contestant: ContestantId) -> Answer | None:
        """Read a turn back, or None where nothing was answered."""
        key = (cohort, number, contestant)
        sql = "SELECT * FROM tape_answers WHERE cohort = ? AND round = ? AND contestant = ?"
        row = self.db.row(sql, *key)
        return self._answer(row, key) if row else None

    def _answer(self, row: Row, key: tuple[CohortId, int, ContestantId]) -> Answer:
        calls = self.calls.of_turn(*key)
        system, user = words(self.db, row["system_digest"]), words(self.db, row["user_digest"])
        attempts = tuple(a for call in calls for a in call.completion.attempts)
        tried = attempts or attempts_of(self.db, Caller(*key, ""))
        completion = read_completion(self.db, row, tried)
        question = Question(system or "", user) if user is not None else None
        return Answer(completion, calls[0].question if calls else question, calls)


@lru_cache(maxsize=4096)
def _market(facts: str) -> Market:
    market: Market = from_plain(Market, json.loads(facts))
    return market
