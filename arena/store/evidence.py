"""Everything that was forecast and has come out, with the prices of its day, as columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.records.cohort import CohortId
from arena.records.market import Market, MarketId, Side
from arena.scoring.table import Factor, Flags, Floats, Forecasts, Whole
from arena.store.codec import read_moment
from arena.store.prices import closes, factor, first_due, floats, last_facts, mids, moments
from arena.store.sqlite import Connection, Row
from arena.store.statuses import outcome_of

UNKNOWN: Final = "(none)"
NO_TRUTH: Final = ("outcome_fractional", "outcome_missing", "outcome_void")
HORIZONS: Final = ((1, "under 1 day"), (7, "1 to 7 days"), (30, "7 to 30 days"))
FURTHER: Final = "over 30 days"
BANDS: Final = ("0 to 10 c", "10 to 30 c", "30 to 70 c", "70 to 90 c", "90 to 100 c")
EDGES: Final = (0.1, 0.3, 0.7, 0.9)  # prices at which the next of BANDS begins
STAGES: Final = ("first third", "second third", "last third")

_STATED = """
SELECT done.cohort, done.contestant, rounds.at, said.market, said.probability AS p,
    ruled.void, ruled.yes_pays_micro
FROM journal_entries AS done
JOIN rounds ON rounds.cohort = done.cohort
    AND rounds.round = json_extract(done.event, '$.round')
JOIN journal_forecasts AS said ON said.entry = done.seq
LEFT JOIN resolutions AS ruled ON ruled.market = said.market
WHERE done.kind = 'turn' AND (?1 IS NULL OR done.cohort = ?1) ORDER BY done.seq, said.number
"""
_FILLED = """
SELECT said.cohort, said.contestant, rounds.at, said.market, said.{column} AS p,
    said.linear, said.stated, said.side, ruled.void, ruled.yes_pays_micro
FROM fills AS said
JOIN rounds ON rounds.cohort = said.cohort AND rounds.round = said.round
LEFT JOIN resolutions AS ruled ON ruled.market = said.market
WHERE said.{column} IS NOT NULL AND (?1 IS NULL OR said.cohort = ?1) ORDER BY said.entry
"""


class Saying(StrEnum):
    """Which probability of a contestant is meant."""

    FORECAST = "forecast"  # every one it wrote down
    STATED = "stated"  # those it wrote down for markets it bet on, once a fill
    KELLY = "kelly"  # what its stakes imply
    LINEAR = "linear"


@dataclass(frozen=True, slots=True)
class SqliteEvidence:
    """Forecasts of one SQLite file, read only. It reads all of history: for commands."""

    db: Connection

    def forecasts(
        self,
        saying: Saying = Saying.FORECAST,
        cohort: CohortId | None = None,
        who: Mapping[str, Mapping[str, str]] | None = None,
    ) -> Forecasts:
        """Every forecast of a market that resolved YES or NO, in the order of the journal.

        Args:
            saying: Which probability.
            cohort: Only this one; all of them if None.
            who: Labels by contestant, such as its provider.

        Returns:
            Rows whose `market_p` is the middle of the book the contestant was shown and whose
            `close_p` is the last one before the market closed. What is void, fractional or
            not resolved yet is counted as left out, and what is not resolved is `waiting`.
        """
        sql = _STATED if saying is Saying.FORECAST else _FILLED.format(column=saying.value)
        return self._forecasts(self._come_out(sql, cohort), who or {})

    def bets(self) -> tuple[Mapping[Saying, Forecasts], Flags]:
        """Every bet of a market that resolved YES or NO, read once for all that it says.

        Returns:
            What `forecasts` says by each mapping, and whether the bets' sides won: one flag
            for each row of KELLY, which every bet has.
        """
        told = self._come_out(_FILLED.format(column=Saying.KELLY.value), None)
        every = self._forecasts(told, {})
        kept = [row for row, truth in zip(told.rows, told.truths, strict=True) if truth >= 0]
        stated = floats([row["stated"] for row in kept])
        there = ~np.isnan(stated)
        found = {
            Saying.KELLY: every,
            Saying.LINEAR: replace(every, p=floats([row["linear"] for row in kept])),
            Saying.STATED: replace(every, p=stated).take(there),
        }
        on_yes = np.array([row["side"] == Side.YES for row in kept], dtype=np.bool_)
        return found, on_yes == (every.outcome == 1)

    def resolved_at(self) -> Mapping[str, datetime]:
        """When each market that has an outcome was resolved."""
        rows = self.db.rows("SELECT market, at FROM resolutions WHERE void IS NOT NULL")
        return {row["market"]: read_moment(row["at"]) for row in rows}

    def _come_out(self, sql: str, cohort: CohortId | None) -> "_Told":
        rows = self.db.rows(sql, cohort)
        words = _truths(rows)
        left_out: dict[str, int] = {why: words.count(why) for why in NO_TRUTH if why in words}
        known = [
            (row, truth if isinstance(truth, int) else -1)
            for row, truth in zip(rows, words, strict=True)
            if isinstance(truth, int) or truth == "outcome_missing"
        ]
        return _Told([row for row, _ in known], [truth for _, truth in known], left_out)

    def _forecasts(self, told: "_Told", who: Mapping[str, Mapping[str, str]]) -> Forecasts:
        every = self._columns(told, who)
        waiting = every.outcome < 0
        return replace(every.take(~waiting), waiting=every.take(waiting))

    def _columns(self, told: "_Told", who: Mapping[str, Mapping[str, str]]) -> Forecasts:
        rows = told.rows
        names = [row["contestant"] for row in rows]
        asked, place = _questions(rows)
        about = self._about(asked)
        labels: dict[str, Factor] = {"cohort": factor([row["cohort"] for row in rows])}
        labels |= {key: factor(said).take(place) for key, said in about.labels.items()}
        for key in sorted({key for told_of in who.values() for key in told_of}):
            labels[key] = factor([who.get(name, {}).get(key) or UNKNOWN for name in names])
        return Forecasts(
            contestant=factor(names),
            market=factor([row["market"] for row in rows]),
            event=factor(about.events).take(place),
            at=about.ats[place],
            p=floats([row["p"] for row in rows]),
            outcome=np.array(told.truths, dtype=np.intp),
            market_p=about.market_p[place],
            close_p=about.close_p[place],
            labels=labels,
            left_out=told.left_out,
            due=about.due[place],
        )

    def _about(self, asked: Sequence[tuple[str, str]]) -> "_About":
        """What is known of each market at each moment that it was asked about."""
        facts = last_facts(self.db, {MarketId(market) for market, _ in asked})
        ends, due = closes(self.db), first_due(self.db, facts)
        told = [facts.get(MarketId(market)) for market, _ in asked]
        ats = [read_moment(at) for _, at in asked]
        market_p = mids(self.db, asked)
        return _About(
            events=[_of(a, "event", m) for a, (m, _) in zip(told, asked, strict=True)],
            ats=moments(ats),
            market_p=market_p,
            close_p=floats([ends[m].mid if m in ends else None for m, _ in asked]),
            labels={
                "venue": [_of(market, "venue") for market in told],
                "category": [_of(market, "category") for market in told],
                "horizon": [_horizon(m, at) for m, at in zip(told, ats, strict=True)],
                "price_band": [_band(price) for price in market_p],
                "stage": [_stage(m, at) for m, at in zip(told, ats, strict=True)],
            },
            due=np.array(
                [
                    np.datetime64("NaT") if at is None else at.replace(tzinfo=None)
                    for at in (due.get(market) for market, _ in asked)
                ],
                dtype="datetime64[us]",
            ),
        )


@dataclass(frozen=True, slots=True)
class _Told:
    """Rows of what came out (0 or 1) or has not yet (-1), and how many others there are."""

    rows: Sequence[Row]
    truths: Sequence[int]
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class _About:
    """Columns of questions: each a market at a moment, however many forecast it."""

    events: Sequence[str]
    ats: NDArray[np.datetime64]
    market_p: Floats
    close_p: Floats
    labels: Mapping[str, Sequence[str]]
    due: NDArray[np.datetime64]


def _questions(rows: Sequence[Row]) -> tuple[Sequence[tuple[str, str]], Whole]:
    """The markets and moments that rows are about, in their order, and the row's place."""
    known: dict[tuple[str, str], int] = {}
    place = [known.setdefault((row["market"], row["at"]), len(known)) for row in rows]
    return list(known), np.array(place, dtype=np.intp)


def _truths(rows: Sequence[Row]) -> list[int | str]:
    """The truth of each row, or why it has none; alike for all rows of an outcome."""
    known: dict[tuple[int | None, int | None], int | str] = {}
    found: list[int | str] = []
    for row in rows:
        outcome = row["void"], row["yes_pays_micro"]
        if outcome not in known:
            known[outcome] = _truth(row)
        found.append(known[outcome])
    return found


def _truth(row: Row) -> int | str:
    outcome = outcome_of(row["void"], row["yes_pays_micro"])
    if outcome is None:
        return "outcome_missing"
    if outcome.yes_pays is None:
        return "outcome_void"
    return "outcome_fractional" if outcome.truth is None else outcome.truth


def _of(market: Market | None, field: str, otherwise: str = UNKNOWN) -> str:
    return (str(getattr(market, field)) if market else "") or otherwise


def _horizon(market: Market | None, at: datetime) -> str:
    if market is None or market.closes_at is None:
        return UNKNOWN
    left = market.closes_at - at
    return next((name for days, name in HORIZONS if left < timedelta(days=days)), FURTHER)


def _stage(market: Market | None, at: datetime) -> str:
    if market is None or market.closes_at is None or market.opens_at is None:
        return UNKNOWN
    life = market.closes_at - market.opens_at
    if life <= timedelta(0):
        return UNKNOWN
    return STAGES[min(2, max(0, int(3 * ((at - market.opens_at) / life))))]


def _band(price: float) -> str:
    """The price band of a market, so that long shots and favourites are seen apart."""
    if np.isnan(price):
        return UNKNOWN
    return BANDS[int(np.searchsorted(EDGES, price, side="right"))]
