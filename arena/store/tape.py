"""The tape: what the world said, word for word. It only grows."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import sha256

from arena.records.answer import (
    FREE,
    Answer,
    Call,
    Caller,
    Completion,
    Question,
    Trouble,
    Usage,
    taken_by,
)
from arena.records.cohort import CohortId, ContestantId
from arena.records.market import (
    Level,
    Market,
    MarketId,
    Outcome,
    Quote,
    State,
    Status,
    VenueId,
)
from arena.records.money import (
    micro,
    price_from_micro,
    shares_from_micro,
    usd_from_micro,
)
from arena.store.blobs import blob, keep, storable, words
from arena.store.calls import (
    SqliteCalls,
    attempts_of,
    counted,
    record_attempts,
    usage_of,
)
from arena.store.codec import canonical, from_plain, moment, read_moment
from arena.store.sqlite import Connection, Row

_LAST_POLL = """
SELECT at FROM tape_polls WHERE venue = ? AND error IS NULL ORDER BY at DESC LIMIT 1
"""

# The newest row of each named market that was on the tape at a moment.
_LATEST = """
SELECT said.* FROM json_each(?) AS named
JOIN {table} AS said ON said.market = named.value AND said.seen_at =
    (SELECT max(seen_at) FROM {table} WHERE market = named.value AND seen_at <= ?)
"""
_LATEST_QUOTES = _LATEST.format(table="tape_quotes")
_LATEST_TWO_SIDED = _LATEST_QUOTES.replace(
    "seen_at <= ?", "seen_at <= ? AND bid_micro IS NOT NULL AND ask_micro IS NOT NULL"
)
_LATEST_STATUSES = _LATEST.format(table="tape_statuses")
_UNSENT = frozenset({Trouble.BUDGET, Trouble.MISSED, Trouble.REQUEST})
_COUNTS = (
    "tokens_in",
    "tokens_cached",
    "tokens_written",
    "tokens_out",
    "tokens_reasoning",
    "cost_micro",
)
_LATEST_MARKETS = _LATEST.format(table="tape_markets")


@dataclass(frozen=True, slots=True)
class SqliteTape:
    """The tape in one SQLite file; what is already there word for word is not repeated."""

    db: Connection

    @property
    def calls(self) -> SqliteCalls:
        """The calls that turns were made of."""
        return SqliteCalls(self.db)

    def record_poll(self, venue: VenueId, at: datetime, error: str | None = None) -> None:
        """Keep that a venue was asked, and what went wrong if it did not answer."""
        self.db.run(
            "INSERT INTO tape_polls VALUES (?, ?, ?) "
            "ON CONFLICT DO UPDATE SET error = excluded.error WHERE error IS NOT NULL",
            venue,
            moment(at),
            error,
        )

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
        known = self.markets(seen, at)
        self.db.raw.executemany(
            "INSERT INTO tape_markets VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [
                (market.id, moment(at), canonical(market))
                for market in seen.values()
                if known.get(market.id) != market
            ],
        )

    def markets(self, ids: Iterable[MarketId], at: datetime) -> Mapping[MarketId, Market]:
        """Read the facts of markets as they were known at a moment."""
        return {
            MarketId(row["market"]): _market(row["facts"])
            for row in self._latest(_LATEST_MARKETS, ids, at)
        }

    def record_quotes(self, quotes: Iterable[Quote], at: datetime) -> None:
        """Keep quotes, each where it differs from the last of its market."""
        seen = {quote.market: quote for quote in quotes}
        known = self.quotes(seen, at)
        self.db.raw.executemany(
            "INSERT INTO tape_quotes VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [
                (
                    quote.market,
                    moment(at),
                    moment(quote.at),
                    None if quote.bid is None else micro(quote.bid),
                    None if quote.ask is None else micro(quote.ask),
                    None if quote.volume is None else micro(quote.volume),
                    _book(quote),
                )
                for quote in seen.values()
                if known.get(quote.market) != quote
            ],
        )

    def quotes(self, ids: Iterable[MarketId], at: datetime) -> Mapping[MarketId, Quote]:
        """Read the newest quotes known at a moment; a market without one is left out."""
        return {
            MarketId(row["market"]): _quote(row)
            for row in self._latest(_LATEST_QUOTES, ids, at)
        }

    def two_sided_quotes(
        self, ids: Iterable[MarketId], at: datetime
    ) -> Mapping[MarketId, Quote]:
        """Read the newest quotes that had both a bid and an ask, however old they are."""
        return {
            MarketId(row["market"]): _quote(row)
            for row in self._latest(_LATEST_TWO_SIDED, ids, at)
        }

    def record_statuses(self, statuses: Iterable[Status], at: datetime) -> None:
        """Keep what a venue says of markets' lives, where it says something new."""
        seen = {status.market: status for status in statuses}
        known = self.statuses(seen, at)
        for status in seen.values():
            last = known.get(status.market)
            if last and (last.state, last.outcome) == (status.state, status.outcome):
                continue
            pays = status.outcome.yes_pays if status.outcome else None
            self.db.run(
                "INSERT INTO tape_statuses VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                status.market,
                moment(at),
                moment(status.at),
                status.state,
                int(pays is None) if status.outcome else None,
                None if pays is None else micro(pays),
            )

    def statuses(self, ids: Iterable[MarketId], at: datetime) -> Mapping[MarketId, Status]:
        """Read venues' last words on markets that were known at a moment."""
        return {
            MarketId(row["market"]): read_status(row)
            for row in self._latest(_LATEST_STATUSES, ids, at)
        }

    def digest_of(self, ids: Sequence[MarketId], at: datetime) -> str:
        """SHA-256 of what was known of markets at a moment: facts and prices, in this order."""
        markets, quotes = self.markets(ids, at), self.quotes(ids, at)
        shown = [(markets.get(m), quotes.get(m)) for m in ids]
        return sha256(canonical(shown).encode()).hexdigest()

    def _latest(self, sql: str, ids: Iterable[MarketId], at: datetime) -> list[Row]:
        return self.db.rows(sql, json.dumps(list(ids)), moment(at))

    def record_answer(
        self, cohort: CohortId, number: int, contestant: ContestantId, answer: Answer
    ) -> None:
        """Keep a contestant's whole turn: question, reply, cost and every attempt.

        Where the turn has calls on the tape, its question and attempts are theirs, and so is
        what it cost.
        """
        said, asked = answer.completion, answer.question
        calls = self.calls.of_turn(cohort, number, contestant)
        asked = None if calls else asked
        usage = self._usage(answer, calls)
        if self.calls.unheard(cohort, number, contestant) and usage == FREE:
            usage = Usage()  # something was sent, and what became of it is unknown
        values = {
            "cohort": cohort,
            "round": number,
            "contestant": contestant,
            "system_digest": keep(self.db, asked.system if asked else None),
            "user_digest": keep(self.db, asked.user if asked else None),
            "text_digest": keep(self.db, said.text),
            "raw_digest": None if calls else keep(self.db, said.raw or None),
            "model": storable(said.model),
            "finish": storable(said.finish),
            "trouble": said.trouble,
            "detail": storable(said.detail),
            "latency_ms": said.latency_ms,
            **dict(zip(_COUNTS, counted(usage), strict=True)),
            "priced": usage.priced,
        }
        marks = ", ".join("?" * len(values))
        done = self.db.run(
            f"INSERT INTO tape_answers ({', '.join(values)}) VALUES ({marks}) "  # noqa: S608
            "ON CONFLICT DO NOTHING",
            *values.values(),
        )
        if done.rowcount and not calls:
            record_attempts(self.db, Caller(cohort, number, contestant, ""), said.attempts)

    def _usage(self, answer: Answer, calls: Sequence[Call]) -> Usage:
        """What a turn took. A failure for which nothing was sent, or billed, cost nothing."""
        said = answer.completion
        heard = [call.completion for call in calls] or [said]
        usage = taken_by(heard)
        attempts = [attempt for one in heard for attempt in one.attempts]
        unbilled = all(attempt.billed is False for attempt in attempts)
        unsent = not calls and said.trouble in _UNSENT
        if usage == Usage() and said.trouble and unbilled and (attempts or unsent):
            return FREE
        return usage

    def answered(self, cohort: CohortId, number: int) -> frozenset[ContestantId]:
        """Say whose answers of a round are on the tape."""
        rows = self.db.rows(
            "SELECT contestant FROM tape_answers WHERE cohort = ? AND round = ?",
            cohort,
            number,
        )
        return frozenset(ContestantId(row["contestant"]) for row in rows)

    def answer(self, cohort: CohortId, number: int, contestant: ContestantId) -> Answer | None:
        """Read a turn back, or None where nothing was answered."""
        key = (cohort, number, contestant)
        row = self.db.row(
            "SELECT * FROM tape_answers WHERE cohort = ? AND round = ? AND contestant = ?",
            *key,
        )
        return self._answer(row, key) if row else None

    def _answer(self, row: Row, key: tuple[CohortId, int, ContestantId]) -> Answer:
        calls = self.calls.of_turn(*key)
        system, user = words(self.db, row["system_digest"]), words(self.db, row["user_digest"])
        said = Completion(
            text=words(self.db, row["text_digest"]),
            raw=blob(self.db, row["raw_digest"]) or b"",
            model=row["model"],
            finish=row["finish"],
            usage=usage_of(row),
            latency_ms=row["latency_ms"],
            attempts=tuple(a for call in calls for a in call.completion.attempts)
            or attempts_of(self.db, Caller(*key, "")),
            trouble=Trouble(row["trouble"]) if row["trouble"] else None,
            detail=row["detail"],
        )
        asked = Question(system or "", user) if user is not None else None
        return Answer(said, calls[0].question if calls else asked, calls)


@lru_cache(maxsize=4096)
def _market(facts: str) -> Market:
    market: Market = from_plain(Market, json.loads(facts))
    return market


def _book(quote: Quote) -> str | None:
    if not quote.bids and not quote.asks:
        return None
    sides = ([[micro(x.price), micro(x.shares)] for x in s] for s in (quote.bids, quote.asks))
    return json.dumps(list(sides), separators=(",", ":"))


def _levels(plain: list[list[int]]) -> tuple[Level, ...]:
    return tuple(Level(price_from_micro(p), shares_from_micro(n)) for p, n in plain)


def _quote(row: Row) -> Quote:
    bid, ask, volume = row["bid_micro"], row["ask_micro"], row["volume_micro"]
    bids, asks = json.loads(row["book"]) if row["book"] else ([], [])
    return Quote(
        MarketId(row["market"]),
        None if bid is None else price_from_micro(bid),
        None if ask is None else price_from_micro(ask),
        read_moment(row["quoted_at"]),
        None if volume is None else usd_from_micro(volume),
        _levels(bids),
        _levels(asks),
    )


def read_status(row: Row) -> Status:
    """Read a row of `tape_statuses`."""
    return Status(
        MarketId(row["market"]),
        State(row["state"]),
        read_moment(row["said_at"]),
        outcome_of(row["void"], row["yes_pays_micro"]),
    )


def outcome_of(void: int | None, yes_pays_micro: int | None) -> Outcome | None:
    """Read an outcome from its two columns; None where there is none."""
    if void is None:
        return None
    return Outcome(None if yes_pays_micro is None else price_from_micro(yes_pays_micro))
