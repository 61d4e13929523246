"""Everything that was forecast and has come out, with the prices of its day, as columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

import numpy as np

from arena.records.cohort import CohortId
from arena.records.market import Market, MarketId
from arena.scoring.table import Forecasts
from arena.store.codec import read_moment
from arena.store.prices import closes, factor, first_due, floats, last_facts, mid_sql, moments
from arena.store.sqlite import Connection, Row
from arena.store.statuses import outcome_of

UNKNOWN: Final = "(none)"
NO_TRUTH: Final = ("outcome_fractional", "outcome_missing", "outcome_void")
HORIZONS: Final = ((1, "under 1 day"), (7, "1 to 7 days"), (30, "7 to 30 days"))
FURTHER: Final = "over 30 days"
BANDS: Final = ("0 to 10 c", "10 to 30 c", "30 to 70 c", "70 to 90 c", "90 to 100 c")
STAGES: Final = ("first third", "second third", "last third")

_SHOWN = mid_sql("said.market", "<= rounds.at")
_STATED = f"""
SELECT done.cohort, done.contestant, rounds.at, said.market, said.probability AS p,
    {_SHOWN} AS market_p, ruled.void, ruled.yes_pays_micro
FROM journal_entries AS done
JOIN rounds ON rounds.cohort = done.cohort
    AND rounds.round = json_extract(done.event, '$.round')
JOIN journal_forecasts AS said ON said.entry = done.seq
LEFT JOIN resolutions AS ruled ON ruled.market = said.market
WHERE done.kind = 'turn' AND (?1 IS NULL OR done.cohort = ?1) ORDER BY done.seq, said.number
"""  # noqa: S608  # our own words
_FILLED = f"""
SELECT said.cohort, said.contestant, rounds.at, said.market, said.{{column}} AS p,
    {_SHOWN} AS market_p, ruled.void, ruled.yes_pays_micro
FROM fills AS said
JOIN rounds ON rounds.cohort = said.cohort AND rounds.round = said.round
LEFT JOIN resolutions AS ruled ON ruled.market = said.market
WHERE said.{{column}} IS NOT NULL AND (?1 IS NULL OR said.cohort = ?1) ORDER BY said.entry
"""  # noqa: S608  # our own words


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
        rows = self.db.rows(sql, cohort)
        truths = [_truth(row) for row in rows]
        left_out: dict[str, int] = {
            reason: truths.count(reason) for reason in NO_TRUTH if reason in truths
        }
        known = [
            (row, truth if isinstance(truth, int) else -1)
            for row, truth in zip(rows, truths, strict=True)
            if isinstance(truth, int) or truth == "outcome_missing"
        ]
        every = self._columns(
            [row for row, _ in known], [t for _, t in known], left_out, who or {}
        )
        waiting = every.outcome < 0
        return replace(every.take(~waiting), waiting=every.take(waiting))

    def _columns(
        self,
        rows: Sequence[Row],
        truths: Sequence[int],
        left_out: Mapping[str, int],
        who: Mapping[str, Mapping[str, str]],
    ) -> Forecasts:
        facts = last_facts(self.db, {MarketId(row["market"]) for row in rows})
        ends, due = closes(self.db), first_due(self.db, facts)
        ats = [read_moment(row["at"]) for row in rows]
        about = [facts.get(MarketId(row["market"])) for row in rows]
        market_p = floats([row["market_p"] for row in rows])
        names = [row["contestant"] for row in rows]
        told: dict[str, Sequence[str]] = {
            "cohort": [row["cohort"] for row in rows],
            "venue": [_of(market, "venue") for market in about],
            "category": [_of(market, "category") for market in about],
            "horizon": [_horizon(market, at) for market, at in zip(about, ats, strict=True)],
            "price_band": [_band(price) for price in market_p],
            "stage": [_stage(market, at) for market, at in zip(about, ats, strict=True)],
        }
        for key in sorted({key for labels in who.values() for key in labels}):
            told[key] = [who.get(name, {}).get(key) or UNKNOWN for name in names]
        return Forecasts(
            contestant=factor(names),
            market=factor([row["market"] for row in rows]),
            event=factor(
                [_of(a, "event", r["market"]) for a, r in zip(about, rows, strict=True)]
            ),
            at=moments(ats),
            p=floats([row["p"] for row in rows]),
            outcome=np.array(truths, dtype=np.intp),
            market_p=market_p,
            close_p=floats(
                [end.mid if (end := ends.get(row["market"])) else None for row in rows]
            ),
            labels={key: factor(said) for key, said in told.items()},
            left_out=left_out,
            due=np.array(
                [
                    np.datetime64("NaT") if at is None else at.replace(tzinfo=None)
                    for at in (due.get(row["market"]) for row in rows)
                ],
                dtype="datetime64[us]",
            ),
        )


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
    return BANDS[int(np.searchsorted((0.1, 0.3, 0.7, 0.9), price, side="right"))]
