"""Everything that was forecast and has come out, with the prices of its day, as columns.

Claims need more: when outcomes were known, and prices day by day.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from json import dumps
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.records.cohort import CohortId, ContestantId
from arena.records.market import MarketId, Side
from arena.records.settings import Entrant
from arena.scoring.table import (
    STAGES,
    STATES,
    DailyPrices,
    Factor,
    Flags,
    Floats,
    Forecasts,
    MemoryLedger,
    Times,
    Whole,
    outcomes_known,
)
from arena.store.codec import read_moment
from arena.store.journal.packed import Columns, PackedKind, packed
from arena.store.sqlite import Connection, Row
from arena.store.tape.prices import (
    closes,
    daily_prices,
    factor,
    first_due,
    floats,
    moments,
    numbered,
)
from arena.store.tape.quotes import outcome_of

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
OF_ENTRANTS: Final = ("agent", "family", "model", "prompt", "provider", "release")  # labels
MEMORY: Final = "memory"  # the label of what may be remembered


class Saying(StrEnum):
    """Which probability of a contestant is meant."""

    FORECAST = "forecast"  # every one it wrote down
    STATED = "stated"  # those it wrote down for markets it bet on, once a fill
    KELLY = "kelly"  # what its stakes imply
    LINEAR = "linear"


_FACTS = """
SELECT facts ->> '$.event', facts ->> '$.venue', facts ->> '$.category',
    coalesce(facts ->> '$.exclusive', 0), facts ->> '$.opens_at', facts ->> '$.closes_at'
FROM json_each(?) AS asked LEFT JOIN tape_markets AS told ON told.market = asked.value
    AND seen_at = (SELECT max(seen_at) FROM tape_markets WHERE market = told.market)
ORDER BY asked.key
"""

Spans = NDArray[np.timedelta64]
_PLACES: Final = {Saying.KELLY: 1, Saying.LINEAR: 2, Saying.STATED: 3}  # among the numbers


@dataclass(frozen=True, slots=True)
class SqliteEvidence:
    """Forecasts of one SQLite file, read only. It reads all of history: for commands."""

    db: Connection

    def forecasts(
        self,
        saying: Saying = Saying.FORECAST,
        cohort: CohortId | None = None,
        who: Mapping[ContestantId, Entrant] | None = None,
    ) -> Forecasts:
        """Every forecast of a market that resolved YES or NO, in the order of the journal.

        Args:
            saying: Which probability.
            cohort: Only this one; all of them if None.
            who: Contestants, whose providers and the like become labels.

        Returns:
            Rows whose `market_p` is the middle of the book the contestant was shown and whose
            `close_p` is the last one before the market closed. What is void, fractional or
            not resolved yet is counted as left out, and what is not resolved is `waiting`.
        """
        if saying is Saying.FORECAST:
            columns = packed(self.db, PackedKind.SAID).of(cohort)
            return self._forecasts(self._resolved(columns, *columns.numbers)[0], who or {})
        columns = _fills(packed(self.db, PackedKind.TRADED).of(cohort))
        p = columns.numbers[_PLACES[saying]]
        has_p = ~np.isnan(p)
        columns, p = columns.take(has_p), p[has_p]
        return self._forecasts(self._resolved(columns, p, columns.numbers[0])[0], who or {})

    def bets(self) -> tuple[Mapping[Saying, Forecasts], Flags]:
        """Every bet on a market that resolved YES or NO, read once for all mappings.

        Returns:
            What `forecasts` says by each mapping, and whether the bets' sides won: one flag
            for each row of KELLY, which every bet has.
        """
        buys = _fills(packed(self.db, PackedKind.TRADED))
        with_truth, kept = self._resolved(
            buys, buys.numbers[_PLACES[Saying.KELLY]], buys.numbers[0]
        )
        every, resolved = self._forecasts(with_truth, {}), with_truth.truth >= 0
        rows = np.flatnonzero(kept)[resolved]
        linear, stated = (
            buys.numbers[_PLACES[which]][rows] for which in (Saying.LINEAR, Saying.STATED)
        )
        on_yes = buys.words[5].codes[rows] == buys.words[5].code(Side.YES)
        bets_by_saying = {
            Saying.KELLY: every,
            Saying.LINEAR: replace(every, p=linear),
            Saying.STATED: replace(every, p=stated).take(~np.isnan(stated)),
        }
        return bets_by_saying, on_yes == (every.outcome == 1)

    def resolved_at(self) -> Mapping[str, datetime]:
        """When each market that has an outcome was resolved."""
        rows = self.db.rows("SELECT market, at FROM resolutions WHERE void IS NOT NULL")
        return {row["market"]: read_moment(row["at"]) for row in rows}

    def _resolved(self, columns: Columns, p: Floats, price: Floats) -> tuple["_Told", Flags]:
        """Rows of markets that have an outcome or wait for one, and which rows these are."""
        cohort, contestant, at, market = columns.words[:4]
        truth = self._truths(market.names)[market.codes]
        left_out = {why: int(np.count_nonzero(truth == n)) for n, why in _WHY.items()}
        counted = {why: n for why, n in left_out.items() if n}
        with_truth = _Told(cohort, contestant, at, market, p, price, truth, counted)
        kept = truth >= _WAITING
        return with_truth.take(kept), kept

    def _truths(self, markets: Sequence[str]) -> Whole:
        """The truth of each market, or a number for why it has none."""
        rows = self.db.rows("SELECT market, void, yes_pays_micro FROM resolutions")
        truth_by_market = {row["market"]: _truth(row) for row in rows}
        return np.array(
            [truth_by_market.get(market, _WAITING) for market in markets], dtype=np.intp
        )

    def _forecasts(self, with_truth: "_Told", who: Mapping[ContestantId, Entrant]) -> Forecasts:
        every = self._columns(with_truth, who)
        waiting = every.outcome < 0
        return replace(every.take(~waiting), waiting=every.take(waiting))

    def _columns(self, with_truth: "_Told", who: Mapping[ContestantId, Entrant]) -> Forecasts:
        market, names = with_truth.market, with_truth.contestant.names
        facts, ends = market_facts(self.db, market.names), closes(self.db)
        first = first_due(self.db, map(MarketId, market.names))
        close = floats([ends[m].mid if m in ends else None for m in market.names])
        at = moments(map(read_moment, with_truth.at.names))[with_truth.at.codes]
        labels = {
            "cohort": with_truth.cohort,
            "venue": facts.venue.take(market.codes),
            "category": facts.category.take(market.codes),
            "horizon": _horizons(facts.closes[market.codes] - at),
            "price_band": _bands(with_truth.price),
            "stage": _stages(facts.opens[market.codes], facts.closes[market.codes], at),
        }
        entrants = [who.get(ContestantId(name)) for name in names]
        for key in OF_ENTRANTS if who else ():
            values = [getattr(entrant, key, "") or UNKNOWN for entrant in entrants]
            labels[key] = factor(values).take(with_truth.contestant.codes)
        ledger = self._ledger(with_truth, facts, at, entrants)
        labels[MEMORY] = Factor(STATES, ledger.states())
        return Forecasts(
            contestant=with_truth.contestant,
            market=market,
            event=facts.event.take(market.codes),
            at=at,
            p=with_truth.p,
            outcome=with_truth.truth,
            market_p=with_truth.price,
            close_p=close[market.codes],
            labels=labels,
            left_out=with_truth.left_out,
            due=moments(map(first.get, market.names))[market.codes],
            ledger=ledger,
        )

    def _ledger(
        self, told: "_Told", facts: "MarketFacts", at: Times, entrants: Sequence[Entrant | None]
    ) -> MemoryLedger:
        """What each contestant may remember: see `arena.scoring.table`."""
        ended = self.resolved_at()
        market, contestant = told.market, told.contestant.codes
        came_true = np.zeros(len(market.names), np.bool_)
        came_true[market.codes[told.truth == 1]] = True
        known = outcomes_known(
            facts.closes,
            moments(map(ended.get, market.names)),
            came_true,
            facts.event.codes,
            facts.exclusive,
        )
        cutoff = _days(e.knowledge_until if e else None for e in entrants)
        released = _days(e.released if e else None for e in entrants)
        modelled = np.array([not (e and e.reference) for e in entrants], np.bool_)
        return MemoryLedger(
            cutoff=cutoff[contestant] + _TO_ITS_END,
            released=released[contestant],
            opened=facts.opens[market.codes],
            asked=at,
            closes=facts.closes[market.codes],
            known=known[market.codes],
            modelled=modelled[contestant],
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """Columns of what came out (0 or 1) or has not yet (-1), and how many others there are."""

    cohort: Factor
    contestant: Factor
    at: Factor
    market: Factor
    p: Floats
    price: Floats
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
            price=self.price[rows],
            truth=self.truth[rows],
            left_out=self.left_out,
        )


@dataclass(frozen=True, slots=True, eq=False)
class MarketFacts:
    """What is known of markets by now, a row each; UNKNOWN and NaT where nothing is."""

    event: Factor
    venue: Factor
    category: Factor
    exclusive: Flags
    opens: Times
    closes: Times


def market_facts(db: Connection, markets: Sequence[str]) -> MarketFacts:
    """Read what every score needs to know of markets; one never listed is its own event."""
    event, venue, category, exclusive, opens, ends = db.columns(_FACTS, dumps(list(markets)))
    return MarketFacts(
        event=factor(
            [event_name or name for event_name, name in zip(event, markets, strict=True)]
        ),
        venue=factor([name or UNKNOWN for name in venue]),
        category=factor([name or UNKNOWN for name in category]),
        exclusive=np.array(exclusive, np.bool_),
        opens=moments([at and read_moment(at) for at in opens]),
        closes=moments([at and read_moment(at) for at in ends]),
    )


_TO_ITS_END: Final = np.timedelta64(timedelta(days=1) - timedelta(microseconds=1))


def _days(days: Iterable[date | None]) -> Times:
    return moments(datetime.combine(day, time()) if day else None for day in days)


def _fills(trades: Columns) -> Columns:
    """Trades without sales."""
    return trades.take(np.isnan(trades.numbers[-1]))


def _as_they_come(column: Factor) -> Factor:
    first, codes = numbered(column.codes)
    return Factor(tuple(column.names[code] for code in column.codes[first].tolist()), codes)


def _truth(row: Row) -> int:
    outcome = outcome_of(row["void"], row["yes_pays_micro"])
    if outcome is None:
        return _WAITING
    if outcome.yes_pays is None:
        return _VOID
    return _FRACTIONAL if outcome.truth is None else outcome.truth


def _horizons(left: Spans) -> Factor:
    """How long each market had to go."""
    days = [np.timedelta64(n, "D") for n, _ in HORIZONS]
    places = np.searchsorted(np.array(days).astype(left.dtype), left, side="right")
    names = (*(name for _, name in HORIZONS), FURTHER, UNKNOWN)
    return _as_they_come(Factor(names, np.where(np.isnat(left), len(names) - 1, places)))


def _stages(opens: Times, ends: Times, at: Times) -> Factor:
    """In which third of its market's life each forecast was made."""
    life, gone = ends - opens, at - opens
    has_life = ~np.isnat(life)
    has_life[has_life] = life[has_life] > np.timedelta64(0, "us")
    third = np.full(len(at), len(STAGES), np.intp)
    third[has_life] = np.clip(3 * (gone[has_life] / life[has_life]), 0, len(STAGES) - 1).astype(
        np.intp
    )
    return _as_they_come(Factor((*STAGES, UNKNOWN), third))


def _bands(price: Floats) -> Factor:
    """The price band of each forecast, so that long shots and favourites are seen apart."""
    places = np.searchsorted(EDGES, price, side="right")
    codes = np.where(np.isnan(price), len(BANDS), places)
    return _as_they_come(Factor((*BANDS, UNKNOWN), codes))


# A price that was read again and had not moved is a few bytes of another table.
_AGAIN: Final = """
SELECT asked.key AS market, seen_at / 86400 AS day
FROM json_each(?1) AS asked
JOIN tape_names ON tape_names.market = asked.value
JOIN tape_repeats ON tape_repeats.number = tape_names.number
WHERE ?2 IS NULL OR seen_at <= ?2
GROUP BY asked.key, seen_at / 86400
"""


def with_prices(db: Connection, forecasts: Forecasts) -> Forecasts:
    """Add when each outcome was known, which events are exclusive, and markets' daily prices.

    Args:
        db: An open file.
        forecasts: Those of that file.
    """
    prices = prices_of(db, forecasts.market.names)
    return replace(with_outcomes(db, forecasts), prices=prices)


def with_outcomes(db: Connection, forecasts: Forecasts) -> Forecasts:
    """Add when each outcome was known, and which events are exclusive.

    Args:
        db: An open file.
        forecasts: Those of that file.
    """
    names = forecasts.market.names
    resolved_at = SqliteEvidence(db).resolved_at()
    ended, exclusive = moments(map(resolved_at.get, names)), market_facts(db, names).exclusive

    def completed(part: Forecasts) -> Forecasts:
        codes = part.market.codes
        return replace(part, ended=ended[codes], exclusive=exclusive[codes])

    waiting = forecasts.waiting and completed(forecasts.waiting)
    return replace(completed(forecasts), waiting=waiting)


def prices_of(
    db: Connection, names: tuple[str, ...], until: datetime | None = None
) -> DailyPrices:
    """What markets were worth day by day, by their places among the names, up to a moment."""
    market, day, price = daily_prices(db, names, until=until)
    again = db.columns(_AGAIN, dumps(names), None if until is None else until.timestamp())
    rows = [np.array(column, np.intp) for column in again] if again else [market[:0], day[:0]]
    every: tuple[Whole, ...] = tuple(
        np.concatenate(both) for both in ((market, rows[0]), (day, rows[1]))
    )
    prices = np.concatenate([price, np.full(len(rows[0]), np.nan)])
    order = np.lexsort((np.isnan(prices), every[1], every[0]))
    return DailyPrices(every[0][order], every[1][order], prices[order])
