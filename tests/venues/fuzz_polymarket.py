"""What Polymarket's payloads say, read a second time and plainly.

Source: https://docs.polymarket.com/api-reference
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal

from arena.records.market import (
    NO_WINS,
    YES_WINS,
    FeeKind,
    FeeModel,
    Outcome,
    PricePoint,
    Quote,
    State,
    Status,
)
from arena.records.money import Price
from arena.venues.polymarket.clob import ClobMarket, PolymarketBook, PolymarketFeeTerms
from arena.venues.polymarket.gamma import GammaMarket
from arena.venues.polymarket.outcome import Resolution
from arena.venues.polymarket.prices import Midpoint
from arena.venues.reading import Read
from tests.venues.fuzz_plain import (
    Doubt,
    Json,
    amount,
    differ,
    entries,
    first,
    flat,
    floored,
    inside,
    listed,
    no_row,
    number,
    part,
    price,
    rows,
    turned,
    when,
    word,
)
from tests.venues.fuzz_rows import polymarket_rows
from tests.venues.fuzz_sound import SETTLED

MILLION = Decimal(1_000_000)  # millionths of a dollar, in which payouts are told

Row = dict[str, Json]

SAYS: Mapping[str, tuple[str, ...]] = {
    "question": ("market.question",),
    "conditionId": ("market.refs", "condition"),
    "slug": ("market.url", "unfit"),
    "description": ("market.rules",),
    "outcomes": ("market.labels", "market.refs", "quote", "status", "word", "yes_token"),
    "outcomePrices": ("word.choices", "status"),
    "clobTokenIds": ("market.refs", "yes_token", "idle", "status.state", "word.choices"),
    "startDate": ("market.opens_at",),
    "acceptingOrdersTimestamp": ("market.opens_at",),
    "endDate": ("market.closes_at", "market.refs"),
    "gameStartTime": ("market.starts_at",),
    "eventStartTime": ("market.starts_at",),
    "active": ("idle", "status.state"),
    "archived": ("idle", "status.state"),
    "enableOrderBook": ("idle", "status.state"),
    "acceptingOrders": ("idle", "status.state"),
    "closed": (
        *("idle", "status", "quote", "word.closed"),
        *("market.closes_at", "market.refs"),
    ),
    "negRisk": ("market.exclusive",),
    "negRiskMarketID": ("market.exclusive", "market.refs", "market.event"),
    "negRiskOther": ("unfit",),
    "groupItemTitle": ("unfit",),
    "orderPriceMinTickSize": ("market.tick",),
    "orderMinSize": ("market.min_order",),
    "bestBid": ("quote",),
    "bestAsk": ("quote",),
    "volume": ("turnover.volume", "quote.volume"),
    "volumeNum": ("turnover.volume", "quote.volume"),
    "volume24hr": ("turnover.volume_24h", "quote.volume_24h"),
    "liquidity": ("turnover.liquidity", "quote.liquidity"),
    "liquidityNum": ("turnover.liquidity", "quote.liquidity"),
    "umaResolutionStatus": ("word", "status"),
    "umaResolutionStatuses": ("word", "status"),
    "feesEnabled": ("market.fee", "fee"),
    "feeSchedule": ("market.fee", "fee"),
    "version": ("market.refs",),
    "category": ("market.category",),
    "tags": ("market.category",),
    "series": ("unfit",),
    "events": (
        *("market.event", "market.url", "market.closes_at", "market.category"),
        *("market.exclusive", "market.refs", "unfit"),
    ),
}
"""What each field of a market's row may change in what is read; no other changes anything."""

EVENT_SAYS: Mapping[str, tuple[str, ...]] = dict.fromkeys(
    (
        "id",
        "slug",
        "endDate",
        "category",
        "tags",
        "negRiskMarketID",
        "negRiskAugmented",
        "series",
    ),
    SAYS["events"],
)
"""What each field of an event may change in the markets that it holds."""


def doubts(kind: str, payload: Json, read: Read[object], at: datetime) -> Iterator[Doubt]:
    """Name what was read and is not said."""
    if kind == SETTLED:
        for row in read.rows:
            yield from _settled(row, payload)
        return
    sent = polymarket_rows(kind, payload) or []
    for row in read.rows:
        mine = (one for one in sent if _is_of(row, one, kind))
        found = [list(_CHECKS[type(row)](row, one, at)) for one in mine]
        yield from min(found, key=len, default=[no_row(row)])
        if kind == "markets" and flat(row)["status.state"] is not State.OPEN:
            yield Doubt(outcome=False, why=f"{row!r:.80} is offered and not open")


def _is_of(read: object, sent: Json, kind: str) -> bool:
    if kind == "midpoints":
        return isinstance(read, Midpoint) and sent[0] == read.token
    if not isinstance(sent, dict):
        return False
    match read:
        case GammaMarket():
            return bool(sent.get("id") == read.own)
        case PolymarketBook():
            return read.token in [sent.get("asset_id"), sent.get("token_id")]
        case Resolution() | ClobMarket():
            return word(sent.get("condition_id")).lower() == read.condition
        case PolymarketFeeTerms():
            return word(sent.get("c")).lower() == read.condition
    return True


def yes_of(row: Row) -> int:
    """Say which outcome is YES: the one of that name, or else the first."""
    names = [word(name).casefold() for name in listed(row.get("outcomes"))]
    return names.index("yes") if "yes" in names else 0


def oracle_of(row: Row, *, history: bool = True) -> str:
    """Say where the oracle is."""
    past = listed(row.get("umaResolutionStatuses")) if history else []
    last = word(past[-1]).lower() if past else ""
    said = word(row.get("umaResolutionStatus")).lower()
    return said or (last if last in {"proposed", "disputed"} else "")


def vector(row: Row) -> Outcome | None:
    """Read Gamma's prices as a payout, whether they are one yet or not."""
    told = [price(one) for one in listed(row.get("outcomePrices"))]
    paid = [one for one in told if one is not None]
    if len(paid) != 2 or len(told) != 2:
        return None
    yes, no = paid[::-1] if yes_of(row) else paid
    least, half = Decimal("0.999"), Price(Decimal("0.5"))
    if yes >= least and no <= 1 - least:
        return YES_WINS
    if no >= least and yes <= 1 - least:
        return NO_WINS
    apart = max(abs(yes - half), abs(no - half))
    return Outcome(half) if apart < 1 - least else None


def _gamma(read: GammaMarket, row: Row, at: datetime) -> Iterator[Doubt]:
    event = next(iter(rows(listed(row.get("events")))), {})
    market, traded = read.market, read.turnover
    tokens = [one if isinstance(one, str) else "" for one in listed(row.get("clobTokenIds"))]
    volume = first(amount(row.get("volumeNum")), amount(row.get("volume")))
    liquidity = first(amount(row.get("liquidityNum")), amount(row.get("liquidity")))
    day = amount(row.get("volume24hr"))
    told_ends = (when(row.get("endDate")), when(event.get("endDate")))
    is_closed = row.get("closed") is not False
    ends = first(*(end for end in told_ends if end is not None and (is_closed or end > at)))
    opens = {when(row.get(name)) for name in ("startDate", "acceptingOrdersTimestamp")}
    told = [
        ("closes_at", market.closes_at, ends),
        ("tick", market.tick, price(row.get("orderPriceMinTickSize")) or None),
        ("min_order", market.min_order, floored(row.get("orderMinSize")) or None),
        ("volume", traded.volume, volume),
        ("volume_24h", traded.volume_24h, day),
        ("liquidity", traded.liquidity, liquidity),
        ("token", read.yes_token, tokens[yes_of(row)] if len(tokens) == 2 else ""),
        ("at", read.status.at, at),
        ("unconfirmed", read.status.unconfirmed, True),
    ]
    yield from differ(told)
    if market.opens_at not in opens | {None}:
        yield Doubt(outcome=False, why=f"opens_at is {market.opens_at}, and not one of {opens}")
    if market.exclusive and row.get("negRisk") is not True:
        yield Doubt(outcome=False, why="exclusive was not said")
    yield from _listed_quote(read.quote, row, (volume, day, liquidity), at)
    schedule = part(row, "feeSchedule")
    terms = (number(part(schedule, name)) for name in ("rate", "exponent"))
    yield from _fee(market.fee, *terms, free=row.get("feesEnabled") is False)
    yield from _life(read.status, row)


def _listed_quote(
    quote: Quote | None, row: Row, traded: Sequence[Decimal | None], at: datetime
) -> Iterator[Doubt]:
    bid, ask = inside(row.get("bestBid")), inside(row.get("bestAsk"))
    if yes_of(row):
        bid, ask = turned(ask), turned(bid)
    if quote is None:
        if row.get("closed") is False and (bid or ask):
            yield Doubt(outcome=False, why="a price was lost")
        return
    if row.get("closed") is not False:
        yield Doubt(outcome=False, why="what is closed has a price")
    told = (quote.bid, quote.ask, quote.volume, quote.volume_24h, quote.liquidity, quote.at)
    names = ("bid", "ask", "volume", "volume_24h", "liquidity", "at")
    yield from differ(zip(names, told, (bid, ask, *traded, at), strict=True))


def _fee(
    fee: FeeModel, rate: Decimal | None, exponent: Decimal | None, *, free: bool
) -> Iterator[Doubt]:
    if fee.kind is FeeKind.NONE and not free and rate != 0:
        yield Doubt(outcome=False, why=f"no fee, and {rate} was said")
    if fee.kind is FeeKind.QUADRATIC:
        power = Decimal(fee.exponent)
        yield from differ([("rate", fee.rate, rate), ("power", power, exponent)])
    elif fee.rate or fee.kind not in {FeeKind.NONE, FeeKind.UNKNOWN}:
        yield Doubt(outcome=False, why=f"{fee} means nothing")


def _life(read: Status, row: Row) -> Iterator[Doubt]:
    said, closed = oracle_of(row), row.get("closed")
    final = closed is True and said in {"resolved", "settled"}
    outcome = vector(row) if final else None
    if read.outcome != outcome:
        yield Doubt(outcome=True, why=f"{read.outcome}, and {outcome} was said")
    if outcome is not None:
        return
    trading = (
        row.get("active") is not False
        and row.get("archived") is not True
        and row.get("enableOrderBook") is True
        and row.get("acceptingOrders") is True
        and bool(listed(row.get("clobTokenIds")))
    )
    silent = State.OPEN if trading else State.HALTED
    silent = State.CLOSED_PENDING if closed is True else silent
    state = {"disputed": State.DISPUTED, "proposed": State.PROPOSED}.get(said, silent)
    if read.state is not state:
        yield Doubt(outcome=True, why=f"it is {read.state}, and {state} was said")


def _settled(read: object, payload: Json) -> Iterator[Doubt]:
    """Doubt an outcome that a service contradicts, or that none of them says."""
    assert isinstance(read, Status)
    if read.outcome is None:
        return
    row, clob = part(payload, "gamma") or {}, part(payload, "clob") or {}
    told = _resolution_of(row, payload)
    if row.get("closed") is not True or oracle_of(row, history=told is None) == "disputed":
        yield Doubt(outcome=True, why=f"{read.outcome}, and it is not over, or disputed")
    if told is not None:
        if word(told.get("status")).lower() != "resolved" or read.outcome not in _paid(
            told, row
        ):
            yield Doubt(outcome=True, why=f"{read.outcome}, and {told!r:.300} was said")
    elif read.outcome != vector(row) or not _is_final(read.outcome, row, clob):
        yield Doubt(outcome=True, why=f"{read.outcome}, and nobody had the last word")


def _resolution_of(row: Row, payload: Json) -> Row | None:
    """Find what the Data API says of a market's end; None where that is nothing."""
    own = word(row.get("conditionId")).lower()
    for told in rows(polymarket_rows("resolutions", part(payload, "resolutions"))):
        if word(told.get("condition_id")).lower() == own:
            names_none = told.get("payouts") is None and number(told.get("price")) in {None, 69}
            over = word(told.get("status")).lower() == "resolved"
            return None if over and names_none else told
    return None


def is_winner(token: Row) -> bool:
    return token.get("winner") is True


def _is_final(outcome: Outcome, row: Row, clob: Row) -> bool:
    """Whether the oracle has spoken, or the CLOB names the winner."""
    if oracle_of(row) in {"resolved", "settled"}:
        return True
    names = [word(name) for name in listed(row.get("outcomes"))]
    winner = yes_of(row) if outcome == YES_WINS else 1 - yes_of(row)
    won = [
        word(one.get("outcome")) for one in rows(listed(clob.get("tokens"))) if is_winner(one)
    ]
    return clob.get("closed") is True and outcome.truth is not None and won == [names[winner]]


def _paid(told: Row, row: Row) -> list[Outcome]:
    """Give what a resolution lets a market pay."""
    answer, yes = number(told.get("price")), yes_of(row)
    known = answer if answer in {Decimal(0), Decimal(1), Decimal("0.5")} else None
    by_answer = turned(known) if yes else known
    if told.get("payouts") is None:
        found = vector(row)
        return [found] if found is not None and found.yes_pays == by_answer else []
    paid = [number(one) for one in listed(told["payouts"])]
    sound = [one for one in paid if one is not None and 0 <= one <= MILLION]
    if len(sound) != 2 or len(paid) != 2 or sum(sound) != MILLION:
        return []
    pays = Price(sound[yes] / MILLION)
    return [Outcome(pays)] if by_answer in {None, pays} else []


def _book(read: PolymarketBook, row: Row, at: datetime) -> Iterator[Doubt]:
    for name, levels in (("bids", read.bids), ("asks", read.asks)):
        side: dict[Decimal, Decimal] = {}
        for level in entries(row.get(name)):
            paid, size = price(part(level, "price")), floored(part(level, "size"))
            if paid is None or size is None:
                yield Doubt(outcome=False, why=f"{name} were read in spite of {level!r:.60}")
            elif size and 0 < paid < 1:
                side[paid] = side.get(paid, Decimal(0)) + size
        best_first = sorted(side.items(), reverse=name == "bids")
        if [(level.price, level.shares) for level in levels] != best_first:
            yield Doubt(outcome=False, why=f"{name} are {levels!r:.80}, and {best_first!r:.80}")
    changed = when(row.get("timestamp"))
    yield from differ([("changed_at", read.changed_at, changed), ("at", read.at, at)])


def _midpoint(read: Midpoint, sent: Json, _: datetime) -> Iterator[Doubt]:
    said = sent.get("mid") if isinstance(sent, dict) else sent[1]
    yield from differ([("mid", read.price, price(said))])


def _point(read: PricePoint, row: Row, _: datetime) -> Iterator[Doubt]:
    said = row.get("t", row.get("timestamp")), row.get("p", row.get("price"))
    yield from differ([("at", read.at, when(said[0])), ("price", read.price, price(said[1]))])


def _resolution(read: Resolution, row: Row, _: datetime) -> Iterator[Doubt]:
    answer, told = number(row.get("price")), row.get("payouts")
    said = (
        word(row.get("status")).lower(),
        None if answer == 69 else answer,
        None if told is None else tuple(map(number, listed(told))),
    )
    if (read.status, read.price, read.payouts) != said:
        yield Doubt(outcome=True, why=f"{read!r:.300}, and {said} was said")


def _clob_market(read: ClobMarket, row: Row, _: datetime) -> Iterator[Doubt]:
    told = rows(listed(row.get("tokens")))
    won = tuple(word(one.get("outcome")) for one in told if is_winner(one))
    if read.word.winners != won or read.word.closed is not row.get("closed"):
        yield Doubt(outcome=True, why=f"{read.word!r:.80}, and {won} won")
    if read.word.payouts != tuple(price(one.get("price")) for one in told):
        yield Doubt(outcome=True, why=f"{read.word.payouts} is paid")


def _terms(read: PolymarketFeeTerms, row: Row, _: datetime) -> Iterator[Doubt]:
    tokens = tuple((one.get("t"), word(one.get("o"))) for one in rows(listed(row.get("t"))))
    accepting = row.get("ao") if isinstance(row.get("ao"), bool) else None
    told = [
        ("tick", read.tick, price(row.get("mts")) or None),
        ("min_order", read.min_order, floored(row.get("mos")) or None),
        ("tokens", read.tokens, tokens),
        ("accepting", read.accepting, accepting),
    ]
    yield from differ(told)
    if read.fee is not None:
        free = row.get("fd") is None and number(row.get("tbf")) == 0
        said = (number(part(row, "fd", name)) for name in ("r", "e"))
        yield from _fee(read.fee, *said, free=free)


_CHECKS: Mapping[type, Callable[..., Iterator[Doubt]]] = {
    GammaMarket: _gamma,
    PolymarketBook: _book,
    Midpoint: _midpoint,
    PricePoint: _point,
    Resolution: _resolution,
    ClobMarket: _clob_market,
    PolymarketFeeTerms: _terms,
}
