"""What Kalshi's payloads say, read a second time and plainly.

Source: https://docs.kalshi.com/api-reference
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal

from arena.records.market import FeeKind, FeeModel, Level, Outcome, Quote, State, Status
from arena.records.money import Price, Shares
from arena.venues.kalshi.exchange import Cutoff, Exchange, Hours, Series
from arena.venues.kalshi.server import DEPTH, KalshiBook
from arena.venues.kalshi.venue import History, KalshiTrade
from arena.venues.reading import Listed, Read
from tests.venues.fuzz_plain import (
    Doubt,
    Json,
    amount,
    differ,
    entries,
    first,
    floored,
    inside,
    no_row,
    number,
    part,
    price,
    rows,
    when,
    word,
)
from tests.venues.fuzz_rows import kalshi_rows

Row = dict[str, Json]

SAYS: Mapping[str, tuple[str, ...]] = {
    "event_ticker": (
        *("market.event", "market.refs", "market.url", "market.question"),
        "market.labels",
    ),
    "market_type": (),
    "title": ("market.question",),
    "yes_sub_title": ("market.question", "market.labels"),
    "created_time": ("market.opens_at",),
    "open_time": ("market.opens_at",),
    "close_time": ("market.closes_at",),
    "expected_expiration_time": ("market.closes_at",),
    "expected_settlement_time": ("market.closes_at",),
    "occurrence_datetime": ("market.starts_at",),
    "status": ("status", "quote", "market.tick", "market.closes_at"),
    "result": ("status",),
    "settlement_value_dollars": ("status",),
    "yes_bid_dollars": ("quote", "market.tick"),
    "yes_ask_dollars": ("quote", "market.tick"),
    "yes_bid_size_fp": ("quote.bids",),
    "yes_ask_size_fp": ("quote.asks",),
    "volume_fp": ("quote.volume",),
    "volume_24h_fp": ("quote.volume_24h",),
    "price_ranges": ("market.tick",),
    "price_level_structure": ("market.tick",),
    "rules_primary": ("market.rules", "market.starts_at"),
    "rules_secondary": ("market.rules",),
    "fee_waiver_expiration_time": ("market.fee",),
    "notional_value_dollars": (),
    "strike_type": (),
    "settlement_bounds_type": (),
    "mve_collection_ticker": (),
    "is_provisional": (),
    "functional_strike": (),
}
"""What each field of a market's row may change in what is read; no other changes anything."""

EVENT_SAYS: Mapping[str, tuple[str, ...]] = {
    "title": ("market.question",),
    "category": ("market.category", "market.starts_at"),
    "settlement_sources": ("market.rules",),
    "series_ticker": ("market.refs", "market.url", "market.fee"),
    "mutually_exclusive": ("market.exclusive",),
    "fee_type_override": ("market.fee",),
    "fee_multiplier_override": ("market.fee",),
}
"""What each field of an event may change in the markets that it holds."""

RESULTS = frozenset({"yes", "no", "scalar"})
STATES = {
    "initialized": State.HALTED,
    "inactive": State.HALTED,
    "paused": State.HALTED,
    "active": State.OPEN,
    "disputed": State.DISPUTED,
    "closed": State.CLOSED_PENDING,
    "determined": State.CLOSED_PENDING,
    "amended": State.CLOSED_PENDING,
    "finalized": State.CLOSED_PENDING,
}


def doubts(kind: str, payload: Json, read: Read[object], at: datetime) -> Iterator[Doubt]:
    """Name what was read and is not said."""
    sent = list(kalshi_rows(kind, payload))
    for row in read.rows:
        found = [list(_CHECKS[type(row)](row, one, at)) for one in sent if _is_of(row, one)]
        yield from min(found, key=len, default=[no_row(row)])


def _is_of(read: object, sent: Row) -> bool:
    own = f"kalshi:{sent.get('ticker')}"
    match read:
        case Listed():
            return read.market.id == own
        case Quote() | Status():
            return read.market == own
        case KalshiBook():
            return not read.ticker or bool(read.ticker == sent.get("ticker"))
        case History():
            return read.market in (own, f"kalshi:{sent.get('market_ticker')}")
        case KalshiTrade():
            return bool(read.id == sent.get("trade_id"))
        case Series():
            return bool(read.ticker == sent.get("ticker"))
    return True


def _listed(read: Listed, row: Row, at: datetime) -> Iterator[Doubt]:
    event, market = row.get("@event", {}), read.market
    names = ("expected_expiration_time", "expected_settlement_time", "close_time")
    ends = [when(row.get(name)) for name in names]
    if read.status.state is State.OPEN:
        ends = [end for end in ends if end is not None and end > at]
    closes = first(*ends)
    opens = first(when(row.get("open_time")), when(row.get("created_time")))
    exclusive = event.get("mutually_exclusive") is True
    told = [
        ("closes_at", market.closes_at, closes),
        ("opens_at", market.opens_at, opens),
        ("exclusive", market.exclusive, exclusive),
    ]
    yield from differ(told)
    if market.tick is not None and market.tick not in _steps(row):
        yield Doubt(outcome=False, why=f"tick is {market.tick}, and {_steps(row)} were said")
    waived = when(row.get("fee_waiver_expiration_time"))
    terms = event.get("fee_type_override"), event.get("fee_multiplier_override")
    yield from _fee(market.fee, *terms, waived=waived is not None and waived > at)
    yield from _status(read.status, row, at)
    if read.status.state is State.OPEN:
        yield from _top(read.quote, row, at)
    elif read.quote is not None:
        yield Doubt(outcome=False, why="what is not open has a price")


def _steps(row: Row) -> set[Decimal | None]:
    ranges = rows(row.get("price_ranges"))
    if ranges:
        return {_dollars(one.get("step")) for one in ranges}
    known = {"linear_cent": Decimal("0.01"), "deci_cent": Decimal("0.001")}
    return {known.get(word(row.get("price_level_structure")))}


def _fee(fee: FeeModel, kind: Json, multiplier: Json, *, waived: bool) -> Iterator[Doubt]:
    """Hold a fee to what is said above a market; without its series that may not be all."""
    times = number(multiplier) if word(kind).startswith("quadratic") else None
    if fee.kind is FeeKind.NONE and not waived and times != 0:
        yield Doubt(outcome=False, why="no fee, which nobody said")
    if fee.kind is FeeKind.QUADRATIC:
        rate = None if times is None else Decimal("0.07") * times
        yield from differ([("rate", fee.rate, rate)])
    elif fee.rate or fee.kind not in {FeeKind.NONE, FeeKind.UNKNOWN}:
        yield Doubt(outcome=False, why=f"{fee} means nothing")


def _top(quote: Quote | None, row: Row, at: datetime) -> Iterator[Doubt]:
    """Hold a quote to the best prices, which are texts and nothing else."""
    bid, ask = (_offered(row.get(f"yes_{side}_dollars")) for side in ("bid", "ask"))
    if quote is None:
        if bid is not None or ask is not None:
            yield Doubt(outcome=False, why="a price was lost")
        return
    bids, asks = row.get("yes_bid_size_fp"), row.get("yes_ask_size_fp")
    told = [
        ("bid", quote.bid, bid),
        ("ask", quote.ask, ask),
        ("bids", quote.bids, _level(bid, floored(bids))),
        ("asks", quote.asks, _level(ask, floored(asks))),
        ("volume", quote.volume, amount(row.get("volume_fp"))),
        ("volume_24h", quote.volume_24h, amount(row.get("volume_24h_fp"))),
        ("at", quote.at, at),
    ]
    yield from differ(told)


def _dollars(value: Json) -> Price | None:
    """Give a price that is text, as all of Kalshi's are."""
    return price(value) if isinstance(value, str) else None


def _offered(value: Json) -> Price | None:
    return inside(value) if isinstance(value, str) else None


def _level(at: Price | None, size: Shares | None) -> tuple[Level, ...]:
    return (Level(at, size),) if at is not None and size else ()


def _quote(read: Quote, row: Row, at: datetime) -> Iterator[Doubt]:
    if word(row.get("status")) != "active":
        yield Doubt(outcome=False, why="what is not open has a price")
    yield from _top(read, row, at)


def _status(read: Status, row: Row, at: datetime) -> Iterator[Doubt]:
    said, outcome = word(row.get("status")), _paid(row)
    if read.outcome != outcome:
        yield Doubt(outcome=True, why=f"{read.outcome}, and {outcome} was said")
    state = STATES.get(said, State.UNKNOWN)
    if said in {"determined", "amended"} and word(row.get("result")) in RESULTS:
        state = State.PROPOSED
    state = State.RESOLVED if outcome is not None else state
    if (read.state, read.at, read.unconfirmed) != (state, at, True):
        yield Doubt(outcome=True, why=f"{read}, and {state} was said")


def _paid(row: Row) -> Outcome | None:
    """Say what a final market pays: what it says, unless the result says otherwise."""
    result, value = row.get("result"), _dollars(row.get("settlement_value_dollars"))
    if word(row.get("status")) != "finalized" or value is None:
        return None
    if result not in list(RESULTS):
        return None
    sure = {"yes": value > 0, "no": value < 1, "scalar": True}
    return Outcome(value) if sure[result] else None


def _book(read: KalshiBook, row: Row, _: datetime) -> Iterator[Doubt]:
    said = next(iter(rows([row.get("orderbook_fp"), row.get("orderbook")])), {})
    for name, levels in (("yes_dollars", read.bids), ("no_dollars", read.asks)):
        pairs = [one for one in entries(said.get(name)) if len(entries(one)) > 1]
        told = [(_offered(one[0]), floored(one[1])) for one in pairs]
        side = [(paid, size) for paid, size in told if paid is not None and size]
        side.sort(key=lambda level: -level[0])
        paid_here = [
            (level.price if name == "yes_dollars" else 1 - level.price) for level in levels
        ]
        same = sorted(zip(paid_here, (level.shares for level in levels), strict=True))
        if paid_here != [paid for paid, _ in side[:DEPTH]] or not set(same) <= set(side):
            yield Doubt(outcome=False, why=f"{name} are {levels!r:.80}, and {side!r:.80}")


def _history(read: History, row: Row, _: datetime) -> Iterator[Doubt]:
    told = [
        (when(number(one.get("end_period_ts"))), _candle(one))
        for one in rows(row.get("candlesticks"))
    ]
    for point in read.points:
        if (point.at, point.price) not in told:
            yield Doubt(outcome=False, why=f"{point}, and {told!r:.200} was said")


def _candle(row: Row) -> Price | None:
    bid, ask, last = (
        first(*(_dollars(part(row, key, name)) for name in ("close_dollars", "close")))
        for key in ("yes_bid", "yes_ask", "price")
    )
    if bid is None or ask is None or not (0 < bid < 1 and 0 < ask < 1):
        return last
    return price((bid + ask) / 2) if 0 < ask - bid <= Decimal("0.5") else last


def _trade(read: KalshiTrade, row: Row, _: datetime) -> Iterator[Doubt]:
    told = [
        ("price", read.price, _dollars(row.get("yes_price_dollars"))),
        ("shares", read.shares, floored(row.get("count_fp", row.get("count")))),
        ("at", read.at, when(row.get("created_time"))),
    ]
    yield from differ(told)


def _series(read: Series, row: Row, _: datetime) -> Iterator[Doubt]:
    kind, times = row.get("fee_type"), number(row.get("fee_multiplier"))
    told = [
        ("fee_type", read.terms.kind, word(kind) or None),
        ("times", read.terms.multiplier, times),
    ]
    yield from differ(told)
    yield from _fee(read.terms.model, kind, times, waived=False)


def _exchange(read: Exchange, row: Row, _: datetime) -> Iterator[Doubt]:
    trading = row.get("exchange_active") is True and row.get("trading_active") is True
    resumes = when(row.get("exchange_estimated_resume_time"))
    told = [("trading", read.trading, trading), ("resumes", read.resumes_at, resumes)]
    yield from differ(told)


def _hours(read: Hours, row: Row, _: datetime) -> Iterator[Doubt]:
    told = (row["@day"], word(row.get("open_time")), word(row.get("close_time")))
    yield from differ([("hours", (read.day, read.opens, read.closes), told)])


def _cutoff(read: Cutoff, row: Row, _: datetime) -> Iterator[Doubt]:
    told = [
        ("settled", read.markets_settled, when(row.get("market_settled_ts"))),
        ("traded", read.trades_made, when(row.get("trades_created_ts"))),
    ]
    yield from differ(told)


_CHECKS: Mapping[type, Callable[..., Iterator[Doubt]]] = {
    Listed: _listed,
    Quote: _quote,
    Status: _status,
    KalshiBook: _book,
    History: _history,
    KalshiTrade: _trade,
    Series: _series,
    Exchange: _exchange,
    Hours: _hours,
    Cutoff: _cutoff,
}
