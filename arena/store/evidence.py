"""Everything that was forecast and has come out, with the prices of its day, as columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import compress
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.records.cohort import CohortId
from arena.records.market import Market, MarketId, Side
from arena.scoring.table import Factor, Flags, Floats, Forecasts, Whole
from arena.store.codec import read_moment
from arena.store.prices import (
    closes,
    factor,
    first_due,
    floats,
    last_facts,
    mids,
    moments,
    numbered,
)
from arena.store.sqlite import Connection, Row
from arena.store.statuses import outcome_of

UNKNOWN: Final = "(none)"
_WAITING, _VOID, _FRACTIONAL = -1, -2, -3  # beside the truths 0 and 1
_WHY: Final = {
    _FRACTIONAL: "outcome_fractional",
    _WAITING: "outcome_missing",
    _VOID: "outcome_void",
}
HORIZONS: Final = ((1, "under 1 day"), (7, "1 to 7 days"), (30, "7 to 30 days"))
FURTHER: Final = "over 30 days"
BANDS: Final = ("0 to 10 c", "10 to 30 c", "30 to 70 c", "70 to 90 c", "90 to 100 c")
EDGES: Final = (0.1, 0.3, 0.7, 0.9)  # prices at which the next of BANDS begins
STAGES: Final = ("first third", "second third", "last third")

_STATED = """
SELECT done.cohort, done.contestant, rounds.at, said.market, said.probability
FROM journal_entries AS done
JOIN rounds ON rounds.cohort = done.cohort
    AND rounds.round = json_extract(done.event, '$.round')
JOIN journal_forecasts AS said ON said.entry = done.seq
WHERE done.kind = 'turn' AND (?1 IS NULL OR done.cohort = ?1) ORDER BY done.seq, said.number
"""
_FILLED = """
SELECT said.cohort, said.contestant, rounds.at, said.market, said.{column},
    said.linear, said.stated, said.side
FROM fills AS said
JOIN rounds ON rounds.cohort = said.cohort AND rounds.round = said.round
WHERE said.{column} IS NOT NULL AND (?1 IS NULL OR said.cohort = ?1) ORDER BY said.entry
"""

Column = Sequence[Any]


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
        return self._forecasts(self._come_out(sql, cohort)[0], who or {})

    def bets(self) -> tuple[Mapping[Saying, Forecasts], Flags]:
        """Every bet of a market that resolved YES or NO, read once for all that it says.

        Returns:
            What `forecasts` says by each mapping, and whether the bets' sides won: one flag
            for each row of KELLY, which every bet has.
        """
        told, rest = self._come_out(_FILLED.format(column=Saying.KELLY.value), None)
        every, came_out = self._forecasts(told, {}), told.truth >= 0
        linear, stated = (floats(column)[came_out] for column in rest[:2])
        on_yes = np.array([side == Side.YES for side in rest[2]], dtype=np.bool_)[came_out]
        found = {
            Saying.KELLY: every,
            Saying.LINEAR: replace(every, p=linear),
            Saying.STATED: replace(every, p=stated).take(~np.isnan(stated)),
        }
        return found, on_yes == (every.outcome == 1)

    def resolved_at(self) -> Mapping[str, datetime]:
        """When each market that has an outcome was resolved."""
        rows = self.db.rows("SELECT market, at FROM resolutions WHERE void IS NOT NULL")
        return {row["market"]: read_moment(row["at"]) for row in rows}

    def _come_out(self, sql: str, cohort: CohortId | None) -> tuple["_Told", Sequence[Column]]:
        """What was said of markets that have an outcome or wait for one, and the rest of it."""
        cohorts, names, ats, markets, p, *rest = self.db.columns(sql, cohort)
        market = factor(markets)
        truth = self._truths(market.names)[market.codes]
        left_out = {why: int(np.count_nonzero(truth == n)) for n, why in _WHY.items()}
        told = _Told(
            factor(cohorts),
            factor(names),
            factor(ats),
            market,
            floats(p),
            truth,
            {why: n for why, n in left_out.items() if n},
        )
        kept = truth >= _WAITING
        if kept.all():
            return told, rest
        return told.take(kept), [list(compress(column, kept.tolist())) for column in rest]

    def _truths(self, markets: Sequence[str]) -> Whole:
        """The truth of each market, or a number for why it has none."""
        rows = self.db.rows("SELECT market, void, yes_pays_micro FROM resolutions")
        known = {row["market"]: _truth(row) for row in rows}
        return np.array([known.get(market, _WAITING) for market in markets], dtype=np.intp)

    def _forecasts(self, told: "_Told", who: Mapping[str, Mapping[str, str]]) -> Forecasts:
        every = self._columns(told, who)
        waiting = every.outcome < 0
        return replace(every.take(~waiting), waiting=every.take(waiting))

    def _columns(self, told: "_Told", who: Mapping[str, Mapping[str, str]]) -> Forecasts:
        asked, place = _questions(told.market, told.at)
        about, names = self._about(asked), told.contestant.names
        labels: dict[str, Factor] = {"cohort": told.cohort}
        labels |= {key: factor(said).take(place) for key, said in about.labels.items()}
        for key in sorted({key for told_of in who.values() for key in told_of}):
            said = factor([who.get(name, {}).get(key) or UNKNOWN for name in names])
            labels[key] = said.take(told.contestant.codes)
        return Forecasts(
            contestant=told.contestant,
            market=told.market,
            event=factor(about.events).take(place),
            at=about.ats[place],
            p=told.p,
            outcome=told.truth,
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


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """Columns of what came out (0 or 1) or has not yet (-1), and how many others there are."""

    cohort: Factor
    contestant: Factor
    at: Factor
    market: Factor
    p: Floats
    truth: Whole
    left_out: Mapping[str, int]

    def take(self, rows: Flags) -> "_Told":
        """Only some rows, and only the names that they have."""
        return _Told(
            cohort=_as_they_come(self.cohort.take(rows)),
            contestant=_as_they_come(self.contestant.take(rows)),
            at=_as_they_come(self.at.take(rows)),
            market=_as_they_come(self.market.take(rows)),
            p=self.p[rows],
            truth=self.truth[rows],
            left_out=self.left_out,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _About:
    """Columns of questions: each a market at a moment, however many forecast it."""

    events: Sequence[str]
    ats: NDArray[np.datetime64]
    market_p: Floats
    close_p: Floats
    labels: Mapping[str, Sequence[str]]
    due: NDArray[np.datetime64]


def _as_they_come(column: Factor) -> Factor:
    first, codes = numbered(column.codes)
    return Factor(tuple(column.names[code] for code in column.codes[first].tolist()), codes)


def _questions(market: Factor, at: Factor) -> tuple[Sequence[tuple[str, str]], Whole]:
    """The markets and moments that rows are about, in their order, and the row's place."""
    first, place = numbered(market.codes * len(at.names) + at.codes)
    both = zip(market.codes[first].tolist(), at.codes[first].tolist(), strict=True)
    return [(market.names[m], at.names[t]) for m, t in both], place


def _truth(row: Row) -> int:
    outcome = outcome_of(row["void"], row["yes_pays_micro"])
    if outcome is None:
        return _WAITING
    if outcome.yes_pays is None:
        return _VOID
    return _FRACTIONAL if outcome.truth is None else outcome.truth


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
