"""The market as the arena's rounds offered it, with everybody's forecasts and bets on it.

Fills are taken apart into what was sold and what was held, at average cost like the ledger.
The gate of source C says of each line what it would have said at its moment.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cached_property
from json import dumps
from math import isnan
from typing import Final

import numpy as np

from arena.ledger.fees import taker_fee
from arena.ledger.price import trouble_with
from arena.metrics.shadow import Gate, OfferedMarket, Paths, PlacedBets, some
from arena.odds import Flags, Floats
from arena.odds.edge import Snapshot, abstentions, gate
from arena.records.cohort import CohortId, FeeRule, FillRule, Rules
from arena.records.market import FeeModel, Market, MarketId, Quote, Side
from arena.records.money import price_from_micro
from arena.scoring.bets.book import MarketLines
from arena.scoring.bets.shadow import OwnBets
from arena.scoring.table import Factor, Times, Whole
from arena.store.caches import spec_of
from arena.store.codec import moment, read_moment
from arena.store.journal.packed import PackedKind, packed
from arena.store.scores.evidence import market_facts
from arena.store.sqlite import Connection, Row
from arena.store.tape.prices import (
    Close,
    closes,
    factor,
    floats,
    last_facts,
    mid_sql,
    mids,
    moments,
    numbered,
)
from arena.store.tape.quotes import again_sql, quoted_at

HALF_AN_HOUR: Final = timedelta(minutes=30)
DAY: Final = timedelta(days=1)
POLYMARKET: Final = "polymarket"  # whose daily volume the gate asks for

_POLLS = "SELECT venue, at FROM tape_polls WHERE error IS NULL ORDER BY at"
_VOLUMES = """
SELECT (SELECT volume_micro FROM tape_quotes
        WHERE market = asked.value ->> 0 AND seen_at <= asked.value ->> 1
        ORDER BY seen_at DESC LIMIT 1) AS micro
FROM json_each(?) AS asked ORDER BY asked.key
"""

Facts = Mapping[MarketId, Market]


def gate_of(db: Connection, rows: Sequence[Row], facts: Facts) -> Gate:
    """Ask the gate about rows of market, at, fair, volume_micro and when they were quoted.

    The price of half an hour ago is known where the venue was asked within the half hour
    before that; a day's volume is known of Polymarket alone, where it was asked then. There
    is no news, no second book and no margin on the tape: those rules abstain.
    """
    looked = _Looked(db, facts)
    ats = [read_moment(row["at"]) for row in rows]
    names = [row["market"] for row in rows]
    earlier = mids(db, _then(names, ats, HALF_AN_HOUR)).tolist()
    before = [None if isnan(mid) else mid for mid in earlier]
    day_ago = dumps(_then(names, ats, DAY))
    volumes = [row["micro"] for row in db.rows(_VOLUMES, day_ago)]
    verdicts = [
        gate(
            Snapshot(
                at,
                q=row["fair"],
                q_before=mid if looked.at(name, at - HALF_AN_HOUR) else None,
                volume=looked.traded(name, at, row["volume_micro"], volume),
                quoted_at=None if row["quoted_at"] is None else quoted_at(row),
            )
        )
        for row, name, at, mid, volume in zip(rows, names, ats, before, volumes, strict=True)
    ]
    fired = Counter(v.fired for v in verdicts if v.fired is not None)
    held = np.array([v.fired is not None for v in verdicts], np.bool_)
    return Gate(held, fired, {r: n for r, n in abstentions(verdicts).items() if n})


def _then(
    names: Sequence[str], ats: Sequence[datetime], ago: timedelta
) -> list[tuple[str, str]]:
    return [(name, moment(at - ago)) for name, at in zip(names, ats, strict=True)]


class _Looked:
    """When each venue was asked and answered."""

    def __init__(self, db: Connection, facts: Facts) -> None:
        self._facts = facts
        self._polls: dict[str, list[datetime]] = defaultdict(list)
        for row in db.rows(_POLLS):
            self._polls[row["venue"]].append(read_moment(row["at"]))

    def at(self, name: str, then: datetime) -> bool:
        """Whether somebody looked at a market within half an hour up to a moment."""
        market = self._facts.get(MarketId(name))
        polls = self._polls[market.venue] if market else []
        before = bisect_right(polls, then)
        return before > 0 and then - polls[before - 1] < HALF_AN_HOUR

    def traded(
        self, name: str, at: datetime, now: int | None, before: int | None
    ) -> float | None:
        """Dollars traded in the day before; None where that is not known."""
        market = self._facts.get(MarketId(name))
        if market is None or market.venue != POLYMARKET or now is None or before is None:
            return None
        return max(now - before, 0) / 1e6 if self.at(name, at - DAY) else None


MICRO: Final = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Trades:
    """Fills and sales, one row each, in the order of the journal.

    `position` numbers what a seat holds of one side of a market, and `offered_at` is the
    moment of a trade's round; `at`, its own, is as the file writes it too. `fair` is the
    middle price at that of the round. Dollars are floats, `micro_shares` whole millionths;
    `proceeds` is NaN for a fill, `cost` 0 for a sale.
    """

    contestant: Factor
    market: Factor
    offered_at: Factor
    position: Whole
    at: Factor
    yes: Flags
    fair: Floats
    micro_shares: Whole
    cost: Floats
    fee: Floats
    proceeds: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Lots:
    """Parts of fills with one end each; `price` and `at` are those of its sale.

    `fill` is the row of its fill among the trades. What is held has NaN and NaT.
    """

    fill: Whole
    shares: Floats
    cost: Floats
    fee: Floats
    price: Floats
    at: Times

    def take(self, rows: Whole | Flags) -> "Lots":
        """Only some of them."""
        return Lots(*(getattr(self, column.name)[rows] for column in fields(self)))


@dataclass(frozen=True, slots=True)
class _Lot:
    fill: int
    shares: float
    cost: float
    fee: float
    price: float | None = None
    sale: int | None = None


def trades(db: Connection, cohort: str | None = None) -> Trades:
    """Every fill and sale, in the order of the journal."""
    columns = packed(db, PackedKind.TRADED).of(cohort)
    seats, who, offered_at, market, at, side = columns.words
    fair, *_, shares, cost, fee, proceeds = columns.numbers
    yes = side.codes == side.code(Side.YES)
    position = who.codes
    for more, width in ((seats.codes, len(seats.names)), (market.codes, len(market.names))):
        position = position * width + more
    return Trades(
        contestant=who,
        market=market,
        offered_at=offered_at,
        position=numbered(2 * position + yes)[1],
        at=at,
        yes=yes,
        fair=fair,
        micro_shares=shares.astype(np.intp),
        cost=cost / MICRO,
        fee=fee / MICRO,
        proceeds=proceeds / MICRO,
    )


def fills(traded: Trades) -> Lots:
    """Every fill whole, as if nothing had been sold."""
    return _whole(traded, np.flatnonzero(np.isnan(traded.proceeds)))


def lots(rows: Trades) -> Lots:
    """Split fills where they were sold in part; a sale takes its share of every fill held.

    What a sale brought a share, less its fee, is paid for every share in it alike. The lots
    of a position add up to its fills, and to its realised P/L. What was sold comes first, in
    the order of sales, then what is held, position by position.
    """
    traded = np.isin(rows.position, rows.position[~np.isnan(rows.proceeds)])
    sold, kept = _split(rows, np.flatnonzero(traded))
    held = _joined(_whole(rows, np.flatnonzero(~traded)), _columns(rows, kept))
    order = np.argsort(rows.position[held.fill], kind="stable")
    return _joined(_columns(rows, sold), held.take(order))


def _whole(traded: Trades, rows: Whole) -> Lots:
    return Lots(
        rows,
        traded.micro_shares[rows] / MICRO,
        traded.cost[rows],
        traded.fee[rows],
        np.full(len(rows), np.nan),
        np.full(len(rows), "NaT", dtype="datetime64[us]"),
    )


def _columns(traded: Trades, parts: Sequence[_Lot]) -> Lots:
    names, codes = traded.at.names, traded.at.codes
    ends = [None if p.sale is None else read_moment(names[codes[p.sale]]) for p in parts]
    return Lots(
        np.array([part.fill for part in parts], dtype=np.intp),
        floats([part.shares for part in parts]),
        floats([part.cost for part in parts]),
        floats([part.fee for part in parts]),
        floats([part.price for part in parts]),
        moments(ends),
    )


def _joined(first: Lots, second: Lots) -> Lots:
    pairs = ((getattr(first, c.name), getattr(second, c.name)) for c in fields(Lots))
    return Lots(*map(np.concatenate, pairs))


def _split(traded: Trades, rows: Whole) -> tuple[Sequence[_Lot], Sequence[_Lot]]:
    """Split positions of which something was sold into sold lots and held lots."""
    held: dict[int, list[_Lot]] = defaultdict(list)
    count: dict[int, int] = defaultdict(int)
    sold: list[_Lot] = []
    columns = (traded.position, traded.micro_shares, traded.cost, traded.fee, traded.proceeds)
    each = zip(rows.tolist(), *(column[rows].tolist() for column in columns), strict=True)
    for row, key, shares, cost, fee, proceeds in each:
        if isnan(proceeds):
            held[key].append(_Lot(row, shares / MICRO, cost, fee))
            count[key] += shares
            continue
        part = shares / count[key]
        count[key] -= shares
        sale = _Lot(row, shares / MICRO, 0.0, fee, proceeds / (shares / MICRO))
        sold += [_sold(lot, sale, part) for lot in held[key]]
        held[key] = [_part(lot, 1 - part) for lot in held[key]] if count[key] else []
    return sold, [lot for kept in held.values() for lot in kept]


def _sold(lot: _Lot, sale: _Lot, part: float) -> _Lot:
    gone = _part(lot, part)
    fee = gone.fee + sale.fee * gone.shares / sale.shares
    return replace(gone, fee=fee, price=sale.price, sale=sale.fill)


def _part(lot: _Lot, part: float) -> _Lot:
    return replace(lot, shares=lot.shares * part, cost=lot.cost * part, fee=lot.fee * part)


MANY: Final = Decimal(1_000_000)  # shares: the fee of one comes from the fee of so many

# A line is a market at a moment. The cohort that started first says by which rules it trades.
_OFFERED = f"""
WITH offered AS (
    SELECT named.value AS market, rounds.at AS at, cohort, min(started_at || cohort)
    FROM rounds JOIN cohorts USING (cohort), json_each(rounds.offered) AS named
    WHERE (?1 IS NULL OR cohort = ?1) AND (?2 IS NULL OR rounds.at >= ?2) GROUP BY 1, 2
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
_RULED = "SELECT market, at, yes_pays_micro FROM resolutions WHERE void IS NOT NULL"
_STARTED = "SELECT cohort FROM cohorts ORDER BY started_at, cohort"
_ROUNDS = "SELECT DISTINCT at FROM rounds"
_SEATS = """
SELECT contestant, sum(capital_micro) AS capital FROM seats
WHERE ?1 IS NULL OR cohort = ?1 GROUP BY contestant ORDER BY contestant
"""


@dataclass(frozen=True, slots=True)
class SqliteLines:
    """Lines of one SQLite file, read only. It reads all of history: for commands."""

    db: Connection

    def offered(
        self,
        cohort: CohortId | None = None,
        until: datetime | None = None,
        since: datetime | None = None,
    ) -> OfferedMarket:
        """Everything that was offered, said and bet, in all cohorts or in one.

        Prices after the last round are looked at up to `until`; without it, up to now. With
        `since` earlier rounds are left out, and so are all own bets: their lines may be there.

        A line can be traded where its rules would have let it be: what is stale, one-sided,
        crossed or too wide has no bid and no ask. Where fills are at the middle both are the
        middle; where they walk down the book, the best prices stand for all of it. What a
        share costs on top is what the ledger would charge.
        """
        return _LineReader(self.db, cohort, until, since).offered()

    def placed(self, until: datetime) -> OfferedMarket:
        """All bets of all cohorts; the lines are those that were bet on.

        Books, forecasts and the gate's verdicts are left empty. Prices count up to `until`.
        """
        traded = trades(self.db)
        market, at, rows = traded.market, traded.offered_at, self.db.rows
        line_keys, line = numbered(market.codes * len(at.names) + at.codes)
        code, ats = market.codes[line_keys], moments(map(read_moment, at.names))
        facts, ends = market_facts(self.db, market.names), closes(self.db, until)
        ruled = {row["market"]: row for row in rows(_RULED)}
        settled = [ruled.get(name) for name in market.names]
        unknown, nothing = np.full(len(line_keys), np.nan), np.zeros(len(line_keys))
        lines = MarketLines(
            market=code,
            event=facts.event.codes[code],
            at=ats[at.codes[line_keys]],
            bid=unknown,
            ask=unknown,
            fair=traded.fair[line_keys],
            close=_of_close(ends, market.names, "mid")[code],
            payout=floats([row["yes_pays_micro"] if row else None for row in settled])[code]
            / 1e6,
            settled=np.maximum(
                moments([read_moment(row["at"]) if row else None for row in settled])[code],
                ats[at.codes[line_keys]],
            ),
            fee_yes=nothing,
            fee_no=nothing,
            gated=nothing > 0,
        )
        capital = _capital(self.db, None)
        first = dict(zip(code[::-1].tolist(), at.codes[line_keys][::-1].tolist(), strict=True))
        begun = {name: at.names[first[n]] for n, name in enumerate(market.names)}
        return OfferedMarket(
            lines=lines,
            markets=market.names,
            events=facts.event.names,
            exclusive=np.bincount(facts.event.codes, facts.exclusive, len(facts.event.names))
            > 0,
            close_bid=_of_close(ends, market.names, "bid")[code],
            close_ask=_of_close(ends, market.names, "ask")[code],
            gate=Gate(lines.gated),
            paths=_paths(self.db, {row["at"] for row in rows(_ROUNDS)}, begun, ends, until),
            forecasts={},
            repeated={},
            placed=_placed(traded, line, lines, capital),
            capital=capital,
        )


class _LineReader:
    """One reading of a file: what several columns are made from is read once."""

    def __init__(
        self,
        db: Connection,
        cohort: CohortId | None,
        until: datetime | None,
        since: datetime | None,
    ) -> None:
        self._db, self._cohort, self._until, self._since = db, cohort, until, since
        self._rows = db.rows(_OFFERED, cohort, since and moment(since))
        self._ats = [read_moment(row["at"]) for row in self._rows]
        self._market = factor([row["market"] for row in self._rows])
        self._ends = closes(db, until)
        self._facts = last_facts(db, {MarketId(name) for name in self._market.names})
        self._place = {(r["market"], r["at"]): n for n, r in enumerate(self._rows)}

    def offered(self) -> OfferedMarket:
        """Put it all together."""
        forecasts, repeated = self._said()
        capital = _capital(self._db, self._cohort)
        rounds = {row["at"] for row in self._rows}
        first = {row["market"]: row["at"] for row in reversed(self._rows)}
        begun = {name: first[name] for name in self._market.names}
        return OfferedMarket(
            lines=self._lines,
            markets=self._market.names,
            events=self._events[0],
            exclusive=self._events[2],
            close_bid=self._of_close("bid"),
            close_ask=self._of_close("ask"),
            gate=gate_of(self._db, self._rows, self._facts),
            paths=_paths(self._db, rounds, begun, self._ends, self._until),
            forecasts=forecasts,
            repeated=repeated,
            placed=self._placed(capital) if self._since is None else {},
            capital=capital,
        )

    def _placed(self, capital: Mapping[str, float]) -> Mapping[str, PlacedBets]:
        traded = trades(self._db, self._cohort)
        line = self._lines_of(traded.market, traded.offered_at)
        return _placed(traded, line, self._lines, capital)

    @cached_property
    def _events(self) -> tuple[tuple[str, ...], Whole, Flags]:
        """Names of events, the event of each market, and which events are exclusive."""
        about = [self._facts.get(MarketId(name)) for name in self._market.names]
        names = [(m and m.event) or n for m, n in zip(about, self._market.names, strict=True)]
        of_market = factor(names)
        says = [bool(market and market.exclusive) for market in about]
        exclusive = np.bincount(of_market.codes, says, len(of_market.names)) > 0
        return of_market.names, of_market.codes, exclusive

    @cached_property
    def _lines(self) -> MarketLines:
        rows = self._rows
        rules = {c: spec_of(self._db, CohortId(c)).rules for c in {r["cohort"] for r in rows}}
        traded = [
            _traded(row, at, rules[row["cohort"]], self._facts.get(MarketId(row["market"])))
            for row, at in zip(rows, self._ats, strict=True)
        ]
        bid, ask, fee_yes, fee_no = np.array(traded, np.float64).reshape(-1, 4).T
        return MarketLines(
            market=self._market.codes,
            event=self._events[1][self._market.codes],
            at=moments(self._ats),
            bid=bid,
            ask=ask,
            fair=floats([row["fair"] for row in rows]),
            close=self._of_close("mid"),
            payout=floats([row["yes_pays_micro"] for row in rows]) / 1e6,
            settled=moments([_settled(*both) for both in zip(rows, self._ats, strict=True)]),
            fee_yes=fee_yes,
            fee_no=fee_no,
            gated=np.zeros(len(rows), np.bool_),
        )

    def _of_close(self, field: str) -> Floats:
        return _of_close(self._ends, self._market.names, field)[self._market.codes]

    def _said(self) -> tuple[Mapping[str, Floats], Mapping[str, int]]:
        """Each contestant's first forecast of each line, in order of the cohorts' starts."""
        forecasts = packed(self._db, PackedKind.SAID).of(self._cohort)
        starts = {row["cohort"]: n for n, row in enumerate(self._db.rows(_STARTED))}
        place = np.array([starts[name] for name in forecasts.words[0].names], np.intp)
        forecasts = forecasts.take(np.argsort(place[forecasts.words[0].codes], kind="stable"))
        _, who, ats, markets = forecasts.words
        line = self._lines_of(markets, ats)
        offered = np.flatnonzero(line >= 0)
        line, p, names = line[offered], forecasts.numbers[0][offered], who.take(offered)
        key = names.codes * len(self._rows) + line
        first = np.unique(key, return_index=True)[1]
        every = np.full((len(names.names), len(self._rows)), np.nan)
        every[names.codes[first], line[first]] = p[first]
        width = len(names.names)
        again = np.bincount(names.codes, minlength=width) - np.bincount(
            names.codes[first], minlength=width
        )
        counted = zip(names.names, again.tolist(), strict=True)
        p_by_contestant = dict(zip(names.names, every, strict=True))
        return p_by_contestant, {name: n for name, n in counted if n}

    def _lines_of(self, market: Factor, at: Factor) -> Whole:
        """The line of each market and moment; -1 where nobody was offered that."""
        first, place = numbered(market.codes * len(at.names) + at.codes)
        both = zip(market.codes[first].tolist(), at.codes[first].tolist(), strict=True)
        lines = [self._place.get((market.names[m], at.names[t]), -1) for m, t in both]
        return np.array(lines, dtype=np.intp)[place]


def _capital(db: Connection, cohort: CohortId | None) -> Mapping[str, float]:
    """The opening cash of everybody who took part."""
    return {row["contestant"]: row["capital"] / 1e6 for row in db.rows(_SEATS, cohort)}


def _of_close(ends: Mapping[str, Close], markets: Sequence[str], field: str) -> Floats:
    """One price of each market's close."""
    return floats([getattr(ends[name], field) if name in ends else None for name in markets])


def _paths(
    db: Connection,
    rounds: Collection[str],
    begun: Mapping[str, str],
    ends: Mapping[str, Close],
    until: datetime | None,
) -> Paths:
    """Middle prices of every market at every round from its first, and at the end.

    Args:
        db: An open file.
        rounds: The moments of rounds.
        begun: The first that counts of each market, in the order of their codes.
        ends: Each market's close.
        until: The last moment that counts; None for now.
    """
    last = db.value(
        "SELECT max(at) FROM tape_polls WHERE at <= ifnull(?1, at)", until and moment(until)
    )
    texts = sorted({*rounds, *([last] if last else [])})
    whens = [read_moment(text) for text in texts]
    path_mids = np.full((len(begun), len(texts)), np.nan)
    ended = np.full(len(begun), len(texts), np.intp)
    cells: list[tuple[int, int]] = []
    names, place = list(begun), {text: n for n, text in enumerate(texts)}
    for code, name in enumerate(names):
        end = ends.get(name)
        if end is not None:
            ended[code] = bisect_left(whens, end.at)
            path_mids[code, ended[code] :] = end.mid
        cells += ((code, t) for t in range(place[begun[name]], int(ended[code])))
    values = mids(db, [(names[code], texts[t]) for code, t in cells])
    for (code, t), value in zip(cells, values.tolist(), strict=True):
        path_mids[code, t] = value
    return Paths(moments(whens), path_mids, ended)


def _placed(
    traded: Trades, line: Whole, lines: MarketLines, capital: Mapping[str, float]
) -> Mapping[str, PlacedBets]:
    """Each contestant's own bets; `line` is the index of each trade's line."""
    whole_fills, parts = fills(traded), lots(traded)
    # A position may be sold in a round that does not offer its market any more.
    if (line[whole_fills.fill] < 0).any():
        raise AssertionError("a bet is on a line that was offered")
    placed_by_contestant: dict[str, PlacedBets] = {}
    for code, name in enumerate(traded.contestant.names):
        own = traded.contestant.codes == code
        bought, ended = whole_fills.take(own[whole_fills.fill]), parts.take(own[parts.fill])
        if not len(bought.fill):
            continue
        of_fills, of_fill = _own(traded, bought, lines, line)
        of_lots, of_lot = _own(traded, ended, lines, line)
        placed_by_contestant[name] = PlacedBets(
            of_fills,
            of_fill,
            of_lots,
            of_lot,
            line[bought.fill],
            ~np.isnan(ended.price),
            capital[name],
        )
    return placed_by_contestant


def _own(
    traded: Trades, bought: Lots, offered: MarketLines, line: Whole
) -> tuple[MarketLines, OwnBets]:
    """Lines at the prices of these lots, which are exact to what the ledger paid."""
    yes, base = traded.yes[bought.fill], some(offered, line[bought.fill])
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
    return lines, OwnBets(yes, bought.cost)


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
