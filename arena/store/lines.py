"""The market as the arena's rounds offered it, with everybody's forecasts and bets on it."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Final

import numpy as np

from arena.ledger.fees import taker_fee
from arena.ledger.price import trouble_with
from arena.metrics.offered import Offered, Paths, Placed, some
from arena.odds.columns import Flags, Floats
from arena.records.cohort import CohortId, FeeRule, FillRule, Rules
from arena.records.market import FeeModel, Market, MarketId, Quote
from arena.records.money import price_from_micro
from arena.scoring.book import Lines, Times
from arena.scoring.shadow import Own
from arena.scoring.table import Factor, Whole
from arena.store.caches import spec_of
from arena.store.codec import moment, read_moment
from arena.store.gating import gate_of
from arena.store.lots import Lots, Trades, fills, lots, trades
from arena.store.prices import (
    closes,
    factor,
    floats,
    last_facts,
    mid_sql,
    mids,
    moments,
    numbered,
)
from arena.store.quotes import again_sql, quoted_at
from arena.store.sqlite import Connection, Row

MANY: Final = Decimal(1_000_000)  # shares: the fee of one comes from the fee of so many

# A line is a market at a moment. The cohort that started first says by which rules it trades.
_OFFERED = f"""
WITH offered AS (
    SELECT named.value AS market, rounds.at AS at, cohort, min(started_at || cohort)
    FROM rounds JOIN cohorts USING (cohort), json_each(rounds.offered) AS named
    WHERE ?1 IS NULL OR cohort = ?1 GROUP BY 1, 2
)
SELECT offered.market, offered.at, offered.cohort, book.bid_micro, book.ask_micro,
    book.seen_at, book.quoted_at, book.volume_micro,
    {again_sql("offered.market", "offered.at")} AS again,
    {mid_sql("offered.market", "<= offered.at")} AS fair,
    ruled.at AS ruled_at, ruled.void, ruled.yes_pays_micro
FROM offered
LEFT JOIN tape_quotes AS book ON book.market = offered.market AND book.seen_at =
    (SELECT max(seen_at) FROM tape_quotes
     WHERE market = offered.market AND seen_at <= offered.at)
LEFT JOIN resolutions AS ruled ON ruled.market = offered.market AND ruled.void IS NOT NULL
ORDER BY offered.at, offered.market
"""  # noqa: S608  # our own words
_SAID = """
SELECT done.contestant, rounds.at, said.market, said.probability
FROM journal_entries AS done
JOIN cohorts ON cohorts.cohort = done.cohort
JOIN rounds ON rounds.cohort = done.cohort
    AND rounds.round = json_extract(done.event, '$.round')
JOIN journal_forecasts AS said ON said.entry = done.seq
WHERE done.kind = 'turn' AND (?1 IS NULL OR done.cohort = ?1)
ORDER BY cohorts.started_at, done.cohort, done.seq, said.number
"""
_SEATS = """
SELECT contestant, sum(capital_micro) AS capital FROM seats
WHERE ?1 IS NULL OR cohort = ?1 GROUP BY contestant ORDER BY contestant
"""


@dataclass(frozen=True, slots=True)
class SqliteLines:
    """Lines of one SQLite file, read only. It reads all of history: for commands."""

    db: Connection

    def offered(self, cohort: CohortId | None = None, until: datetime | None = None) -> Offered:
        """Everything that was offered, said and bet, in all cohorts or in one.

        Prices after the last round are looked at up to `until`; without it, up to now.

        A line can be traded where its rules would have let it be: what is stale, one-sided,
        crossed or too wide has no bid and no ask. Where fills are at the middle both are the
        middle; where they walk down the book, the best prices stand for all of it. What a
        share costs on top is what the ledger would charge.
        """
        return _Reader(self.db, cohort, until).offered()


class _Reader:
    """One reading of a file: what several columns are made from is read once."""

    def __init__(self, db: Connection, cohort: CohortId | None, until: datetime | None) -> None:
        self._db, self._cohort, self._until = db, cohort, until
        self._rows = db.rows(_OFFERED, cohort)
        self._ats = [read_moment(row["at"]) for row in self._rows]
        self._market = factor([row["market"] for row in self._rows])
        self._ends = closes(db, until)
        self._facts = last_facts(db, {MarketId(name) for name in self._market.names})
        self._place = {(r["market"], r["at"]): n for n, r in enumerate(self._rows)}

    def offered(self) -> Offered:
        """Put it all together."""
        forecasts, repeated = self._said()
        seats = self._db.rows(_SEATS, self._cohort)
        capital = {row["contestant"]: row["capital"] / 1e6 for row in seats}
        return Offered(
            lines=self._lines,
            markets=self._market.names,
            events=self._events[0],
            exclusive=self._events[2],
            close_bid=self._of_close("bid"),
            close_ask=self._of_close("ask"),
            gate=gate_of(self._db, self._rows, self._facts),
            paths=self._paths(),
            forecasts=forecasts,
            repeated=repeated,
            placed=self._placed(capital),
            capital=capital,
        )

    @cached_property
    def _events(self) -> tuple[tuple[str, ...], Whole, Flags]:
        """Names of events, the event of each market, and which events are exclusive."""
        about = [self._facts.get(MarketId(name)) for name in self._market.names]
        names = [m.event if m else n for m, n in zip(about, self._market.names, strict=True)]
        of_market = factor(names)
        exclusive = np.zeros(len(of_market.names), np.bool_)
        for market, code in zip(about, of_market.codes.tolist(), strict=True):
            exclusive[code] |= bool(market and market.exclusive)
        return of_market.names, of_market.codes, exclusive

    @cached_property
    def _lines(self) -> Lines:
        rows = self._rows
        rules = {c: spec_of(self._db, CohortId(c)).rules for c in {r["cohort"] for r in rows}}
        traded = [
            _traded(row, at, rules[row["cohort"]], self._facts.get(MarketId(row["market"])))
            for row, at in zip(rows, self._ats, strict=True)
        ]
        bid, ask, fee_yes, fee_no = np.array(traded, np.float64).reshape(-1, 4).T
        return Lines(
            market=self._market.codes,
            event=self._events[1][self._market.codes],
            at=moments(self._ats),
            bid=bid,
            ask=ask,
            fair=floats([row["fair"] for row in rows]),
            close=self._of_close("mid"),
            payout=floats([row["yes_pays_micro"] for row in rows]) / 1e6,
            settled=_times([_settled(*both) for both in zip(rows, self._ats, strict=True)]),
            fee_yes=fee_yes,
            fee_no=fee_no,
            gated=np.zeros(len(rows), np.bool_),
        )

    def _of_close(self, field: str) -> Floats:
        of_market = floats(
            [
                getattr(self._ends[name], field) if name in self._ends else None
                for name in self._market.names
            ]
        )
        return of_market[self._market.codes]

    def _paths(self) -> Paths:
        """Middle prices of every market at every round from its first, and at the end."""
        until = moment(self._until) if self._until else None
        last = self._db.value(
            "SELECT max(at) FROM tape_polls WHERE at <= ifnull(?1, at)", until
        )
        texts = sorted({row["at"] for row in self._rows} | ({last} if last else set()))
        whens = [read_moment(text) for text in texts]
        names = self._market.names
        found = np.full((len(names), len(texts)), np.nan)
        ended = np.full(len(names), len(texts), np.intp)
        asked: list[tuple[int, int]] = []
        place = {text: n for n, text in enumerate(texts)}
        first = {row["market"]: place[row["at"]] for row in reversed(self._rows)}
        for code, name in enumerate(names):
            end = self._ends.get(name)
            if end is not None:
                ended[code] = bisect_left(whens, end.at)
                found[code, ended[code] :] = end.mid
            asked += ((code, t) for t in range(first[name], int(ended[code])))
        values = mids(self._db, [(names[code], texts[t]) for code, t in asked])
        for (code, t), value in zip(asked, values.tolist(), strict=True):
            found[code, t] = value
        return Paths(moments(whens), found, ended)

    def _said(self) -> tuple[Mapping[str, Floats], Mapping[str, int]]:
        who, ats, markets, p = self._db.columns(_SAID, self._cohort)
        line = self._lines_of(factor(markets), factor(ats))
        offered = np.flatnonzero(line >= 0)
        line, said = line[offered], floats(p)[offered]
        names = factor([who[row] for row in offered.tolist()])
        key = names.codes * len(self._rows) + line
        first = np.unique(key, return_index=True)[1]
        every = np.full((len(names.names), len(self._rows)), np.nan)
        every[names.codes[first], line[first]] = said[first]
        width = len(names.names)
        again = np.bincount(names.codes, minlength=width) - np.bincount(
            names.codes[first], minlength=width
        )
        counted = zip(names.names, again.tolist(), strict=True)
        found = dict(zip(names.names, every, strict=True))
        return found, {name: n for name, n in counted if n}

    def _lines_of(self, market: Factor, at: Factor) -> Whole:
        """The line of each market and moment; -1 where nobody was offered that."""
        first, place = numbered(market.codes * len(at.names) + at.codes)
        both = zip(market.codes[first].tolist(), at.codes[first].tolist(), strict=True)
        lines = [self._place.get((market.names[m], at.names[t]), -1) for m, t in both]
        return np.array(lines, dtype=np.intp)[place]

    def _placed(self, capital: Mapping[str, float]) -> Mapping[str, Placed]:
        told = trades(self._db, self._cohort)
        line = self._lines_of(told.market, told.offered_at)
        whole, parts = fills(told), lots(told)
        # What is held may be sold in a round that does not offer it any more.
        if (line[whole.fill] < 0).any():
            raise AssertionError("a bet is on a line that was offered")
        found: dict[str, Placed] = {}
        for code, name in enumerate(told.contestant.names):
            own = told.contestant.codes == code
            bought, ended = whole.take(own[whole.fill]), parts.take(own[parts.fill])
            of_fills, of_fill = self._own(told, bought, line)
            of_lots, of_lot = self._own(told, ended, line)
            found[name] = Placed(
                of_fills,
                of_fill,
                of_lots,
                of_lot,
                line[bought.fill],
                ~np.isnan(ended.price),
                capital[name],
            )
        return found

    def _own(self, told: Trades, bought: Lots, line: Whole) -> tuple[Lines, Own]:
        """Lines at the prices of these lots, which are exact to what the ledger paid."""
        yes, base = told.yes[bought.fill], some(self._lines, line[bought.fill])
        price, fee = bought.cost / bought.shares, bought.fee / bought.shares
        paid = np.where(yes, bought.price, 1 - bought.price)
        lines = replace(
            base,
            bid=np.where(yes, np.nan, 1 - price),
            ask=np.where(yes, price, np.nan),
            fee_yes=fee,
            fee_no=fee,
            payout=np.where(np.isnan(paid), base.payout, paid),
            settled=np.where(np.isnat(bought.at), base.settled, bought.at),
        )
        return lines, Own(yes, bought.cost)


def _traded(
    row: Row, at: datetime, rules: Rules, market: Market | None
) -> tuple[float, float, float, float]:
    """Bid, ask, and what a share of YES and of NO costs on top; NaN where none can be had."""
    quote = _quote(row)
    if trouble_with(quote, rules, at) or quote is None or quote.mid is None:
        return np.nan, np.nan, 0.0, 0.0
    sides = (quote.mid, quote.mid) if rules.fill is FillRule.MID else (quote.bid, quote.ask)
    bid, ask = (Decimal(price or 0) for price in sides)
    model = market.fee if market and rules.fees is FeeRule.VENUE else FeeModel()
    on_yes, on_no = (float(taker_fee(model, MANY, price) / MANY) for price in (ask, 1 - bid))
    return float(bid), float(ask), on_yes, on_no


def _quote(row: Row) -> Quote | None:
    if row["quoted_at"] is None:
        return None
    bid, ask = (
        None if micro is None else price_from_micro(micro)
        for micro in (row["bid_micro"], row["ask_micro"])
    )
    return Quote(MarketId(row["market"]), bid, ask, quoted_at(row))


def _settled(row: Row, at: datetime) -> datetime | None:
    """When a line is paid: no earlier than it was offered, whatever its venue says."""
    return max(read_moment(row["ruled_at"]), at) if row["ruled_at"] else None


def _times(whens: Sequence[datetime | None]) -> Times:
    naive = [None if when is None else when.replace(tzinfo=None) for when in whens]
    return np.array(naive, dtype="datetime64[us]")
