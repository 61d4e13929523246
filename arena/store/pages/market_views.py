"""What was said and done about one market, by contestants and by its venue."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from arena.records.cohort import CohortId, ContestantId
from arena.records.market import MarketId, Outcome, Side, State
from arena.records.money import Usd
from arena.records.trade import Resolved
from arena.store.codec import read_row
from arena.store.journal.books import Ruling
from arena.store.journal.entries import SqliteJournal
from arena.store.pages.cards import by_contestant
from arena.store.sqlite import Connection
from arena.store.tape.prices import mid_sql
from arena.store.tape.quotes import outcome_of

_NEWEST = """
SELECT latest.entry, said.probability FROM (
    SELECT entry FROM forecast_entries WHERE market = ?1 ORDER BY entry DESC LIMIT ?2
) AS latest CROSS JOIN journal_forecasts AS said
    ON said.entry = latest.entry AND said.market = ?1
"""
_STATED = f"""
SELECT done.contestant, done.cohort, played.round, played.at, newest.probability,
    {mid_sql("?1", "<= played.at")} AS mid
FROM ({_NEWEST}) AS newest CROSS JOIN journal_entries AS done ON done.seq = newest.entry
CROSS JOIN rounds AS played ON played.cohort = done.cohort
    AND played.round = json_extract(done.event, '$.round')
ORDER BY newest.entry DESC
"""  # noqa: S608  # our own words
_HELD = """
SELECT contestant, sum(realised_micro) AS realised_micro, count(*) AS held,
    sum(state = 'OPEN') AS open
FROM (SELECT contestant, state, realised_micro FROM positions WHERE market = ? LIMIT ?)
GROUP BY contestant
"""
_LAST_STATED = f"""
SELECT done.contestant, newest.probability FROM ({_NEWEST}) AS newest
CROSS JOIN journal_entries AS done ON done.seq = newest.entry ORDER BY newest.entry
"""  # noqa: S608  # our own words
_BOUGHT = """
SELECT DISTINCT contestant, side FROM (
    SELECT contestant, side FROM fills
    WHERE market = ? ORDER BY entry DESC LIMIT ?
)
"""
# Rounds that somebody bet or spoke in, the newest first.
_LAST_ROUND = """
SELECT played.offered FROM (
    SELECT cohort, round FROM (
        SELECT cohort, round, entry FROM fills
        WHERE market = ?1 ORDER BY entry DESC LIMIT 1
    ) UNION ALL SELECT done.cohort, json_extract(done.event, '$.round') FROM (
        SELECT entry FROM forecast_entries WHERE market = ?1 ORDER BY entry DESC LIMIT 1
    ) AS newest CROSS JOIN journal_entries AS done ON done.seq = newest.entry
) AS latest CROSS JOIN rounds AS played
    ON played.cohort = latest.cohort AND played.round = latest.round
"""
_WORDS = """
SELECT seen_at AS seen, said_at AS said, state, void, yes_pays_micro, unconfirmed
FROM tape_statuses WHERE market = ? ORDER BY seen_at DESC LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class Opinion:
    """A stated forecast, and the middle of the book that was shown with it."""

    contestant: ContestantId
    cohort: CohortId
    round: int
    at: datetime
    probability: float
    mid: float | None


@dataclass(frozen=True, slots=True)
class Brought:
    """What positions in a market brought, without fees, and how many of them are open."""

    realised: Usd
    held: int
    open: int


@dataclass(frozen=True, slots=True)
class Word:
    """What a venue said of a market, read at `seen` for the first time."""

    seen: datetime
    said: datetime
    state: State
    outcome: Outcome | None
    unconfirmed: bool


@dataclass(frozen=True, slots=True)
class SqliteOpinions:
    """What one SQLite file holds about a market, read only; each question is bounded."""

    db: Connection

    def stated(self, market: MarketId, most: int) -> Sequence[Opinion]:
        """The newest forecasts of a market, newest first."""
        return self.db.records(Opinion, _STATED, market, most)

    def last_stated(self, market: MarketId, most: int) -> Mapping[ContestantId, float]:
        """The last probability that each contestant gave, of the newest so many forecasts."""
        rows = self.db.rows(_LAST_STATED, market, most)
        return {ContestantId(row["contestant"]): row["probability"] for row in rows}

    def bought(self, market: MarketId, most: int) -> Mapping[ContestantId, Collection[Side]]:
        """The sides that each contestant bought shares of, of the newest so many bets."""
        return by_contestant(self.db.rows(_BOUGHT, market, most), lambda row: Side(row["side"]))

    def brought(self, market: MarketId, most: int) -> Mapping[ContestantId, Brought]:
        """What each contestant's positions brought, of at most so many positions."""
        rows = self.db.rows(_HELD, market, most)
        return {ContestantId(row["contestant"]): read_row(Brought, row) for row in rows}

    def beside(self, market: MarketId) -> Sequence[MarketId]:
        """The markets that the last rounds offered in which somebody spoke of this one."""
        rows = self.db.rows(_LAST_ROUND, market)
        named = {name: None for row in rows for name in json.loads(row["offered"])}
        return [MarketId(name) for name in named if name != market]

    def words(self, market: MarketId, most: int) -> Sequence[Word]:
        """What the venue said last of a market, the newest word first."""
        return [
            read_row(Word, row, outcome=outcome_of(row["void"], row["yes_pays_micro"]))
            for row in self.db.rows(_WORDS, market, most)
        ]

    def booked(self, market: MarketId, last: int, most: int) -> Iterator[Ruling]:
        """The books' own rulings up to a revision, the newest first."""
        for revision in range(last, max(0, last - most), -1):
            entry = SqliteJournal(self.db).entry(f"resolve:{market}:{revision}")
            if entry and isinstance(entry.event, Resolved):
                yield Ruling(revision, entry.event.outcome, entry.at)
