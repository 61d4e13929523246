"""What Gamma, Polymarket's catalogue, says: markets, one by one and in lists.

Source: https://docs.polymarket.com/api-reference (Gamma).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple
from urllib.parse import quote as quoted

from arena.records.market import (
    EventId,
    FeeKind,
    FeeModel,
    LeftOut,
    Market,
    MarketId,
    Quote,
    Source,
    State,
    Status,
)
from arena.records.money import ONE, ZERO_USD, Price, Usd
from arena.venues.polymarket.outcome import (
    DISPUTED,
    PROPOSED,
    SIDES,
    LastWord,
    condition,
    decide_outcome,
    last_word,
    own_number,
    token,
    wrong_shape,
    yes_index,
)
from arena.venues.reading import (
    Listed,
    Origin,
    Read,
    count,
    dollars,
    first_of_each,
    json_list,
    mappings,
    market_id,
    moment,
    number,
    text,
    unit_price,
    unreadable,
)

# Which markets are not for the arena.

UP_DOWN = ("updown", "up-or-down")

_MINUTES_OR_HOURS = re.compile(r"(\d+ ?(m|min|minutes?|h|hours?)|hourly)", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"other|(person|player|candidate|individual|nominee|winner|team|club|party|country|company"
    r"|artist|movie|film|song|model|name|option|outcome) [a-z]{1,2}",
    re.IGNORECASE,
)


def unfit(
    market: Mapping[str, object], around: Mapping[str, object], slugs: tuple[str, str]
) -> str:
    """Say why a market is not for the arena, whatever its state; "" where it is.

    Args:
        market: Gamma's payload of it.
        around: The event that it belongs to; empty where none is named.
        slugs: What both are called in addresses.
    """
    called = " ".join(slugs).lower()
    if UP_DOWN[0] in called or UP_DOWN[1] in called:
        return "it asks whether a price goes up or down"
    series = mappings(around.get("series")) + mappings(market.get("series"))
    if any(
        _MINUTES_OR_HOURS.fullmatch(text(series_row.get("recurrence"))) for series_row in series
    ):
        return "it recurs within hours"
    if _is_placeholder(market, around):
        return "it is a placeholder: what it asks changes when a name is given to it"
    return ""


def idle(market: Mapping[str, object]) -> str:
    """Say why a market takes no orders now; "" where it does.

    `active` stays true for ever, and token ids come minutes after a market's creation.
    """
    if market.get("closed") is not False:
        return "it is closed"
    if market.get("archived") is True:
        return "it is archived"
    if market.get("active") is False:
        return "it is not active yet"
    if market.get("enableOrderBook") is not True:
        return "it has no order book"
    if market.get("acceptingOrders") is not True:
        return "it takes no orders"
    return "" if json_list(market.get("clobTokenIds")) else "it has no token ids yet"


def _is_placeholder(market: Mapping[str, object], around: Mapping[str, object]) -> bool:
    if market.get("negRiskOther") is True:
        return True
    if around.get("negRiskAugmented") is not True:
        return False
    return _PLACEHOLDER.fullmatch(text(market.get("groupItemTitle"))) is not None


# A market's record, its fee, and its list's own price.

MOST_EXPONENT = 10

FREE = FeeModel()
UNKNOWN = FeeModel(FeeKind.UNKNOWN)


def stated_fee(market: Mapping[str, object]) -> FeeModel | None:
    """Read a Gamma market's fee; None where it says nothing about one.

    A fee that is charged without a schedule that can be read is UNKNOWN, never nothing.
    `makerBaseFee` and `takerBaseFee` are not what is charged.

    >>> stated_fee({"feesEnabled": True, "feeSchedule": {"rate": "0.05", "exponent": 1}})
    FeeModel(kind=<FeeKind.QUADRATIC: 'quadratic'>, rate=Decimal('0.05'), exponent=1, step=None)
    """
    enabled, schedule = market.get("feesEnabled"), market.get("feeSchedule")
    if enabled is False:
        return FREE
    if isinstance(schedule, dict):
        return _model(schedule.get("rate"), schedule.get("exponent"))
    return None if enabled is None and schedule is None else UNKNOWN


def abbreviated_fee(market: Mapping[str, object]) -> FeeModel | None:
    """Read the fee of a market of `/clob-markets`; None where it says nothing about one.

    The base fee of takers, `tbf`, is not what is charged, but where it is 0 nothing is.
    """
    fee_row = market.get("fd")
    if isinstance(fee_row, dict):
        return _model(fee_row.get("r"), fee_row.get("e"))
    if fee_row is None:
        return FREE if number(market.get("tbf")) == 0 else None
    return UNKNOWN


def _model(rate: object, exponent: object) -> FeeModel:
    """Read rate x shares x (price x (1 - price)) ^ exponent."""
    fee_rate, power = number(rate), number(exponent)
    if fee_rate == 0:
        return FREE
    if fee_rate is None or power is None or not 0 < fee_rate <= 1:
        return UNKNOWN
    if not 0 <= power <= MOST_EXPONENT or power != power.to_integral_value():
        return UNKNOWN
    return FeeModel(FeeKind.QUADRATIC, Decimal(fee_rate), int(power))


PAST_END = "the end date that the venue names has passed, and the market is open"
SITE = "https://polymarket.com/event"
SECTIONS = frozenset(
    {
        *("ai", "business", "climate", "crypto", "culture", "earnings", "economy", "elections"),
        *("esports", "finance", "geopolitics", "mentions", "politics", "pop-culture"),
        *("science", "sports", "tech", "weather", "world"),
    }
)
USUAL = {"yes", "no"}


@dataclass(frozen=True, slots=True)
class Turnover:
    """Dollars traded to date and within a day, and dollars that stand in the book."""

    volume: Usd | None = None
    volume_24h: Usd | None = None
    liquidity: Usd | None = None


class PolymarketFacts(NamedTuple):
    """Gamma's payload of a market, with what several of its facts follow from.

    `event` is what it is part of, empty where none is named; `slugs` are the event's and its
    own. `names` is how many outcomes it names, `yes` which of its choices is our YES; `tokens`
    are theirs, in their order. `bid` and `ask` are of the first choice. A text that cannot be
    read is empty. It lives for one row of thousands: a tuple costs a tenth of a frozen record.
    """

    row: Mapping[str, object]
    event: Mapping[str, object]
    word: LastWord
    own: str
    question: str
    slugs: tuple[str, str]
    condition: str
    names: int
    tokens: tuple[str, ...]
    yes: int
    bid: Price | None
    ask: Price | None


def told(row: Mapping[str, object]) -> PolymarketFacts:
    """Look once at what a payload says of several facts."""
    word, event = last_word(row), next(iter(mappings(row.get("events"))), {})
    return PolymarketFacts(
        row,
        event,
        word,
        own_number(row.get("id")),
        text(row.get("question")),
        (text(event.get("slug")), text(row.get("slug"))),
        condition(row.get("conditionId")),
        len(json_list(row.get("outcomes"))),
        tuple([token(choice.token) for choice in word.choices]),
        yes_index(word.choices) or 0,
        unit_price(row.get("bestBid")),
        unit_price(row.get("bestAsk")),
    )


def market_record(parsed: PolymarketFacts, origin: Origin, fee: FeeModel | None) -> Market:
    """Assemble the facts of a market; those that are not stated stay empty.

    It ends at its own date, else at its event's. Of an open market a date that is past is none:
    nobody knows when it ends.

    Args:
        parsed: A market whose id, question and two outcomes can be read.
        origin: Whose it is.
        fee: What it says that it charges; None where it says nothing.
    """
    row, event, own = parsed.row, parsed.event, parsed.own
    first, second = parsed.word.choices
    names = (first.name, second.name)
    tick = unit_price(row.get("orderPriceMinTickSize"))
    stated = (moment(row.get("endDate")), moment(event.get("endDate")))
    dates = [end for end in stated if end is not None]
    left = [end for end in dates if row.get("closed") is not False or end > origin.at]
    usual = {first.name.casefold(), second.name.casefold()} == USUAL
    return Market(
        market_id(origin.venue, own),
        origin.venue,
        EventId(market_id(origin.venue, _event(row, event) or own)),
        parsed.question,
        closes_at=left[0] if left else None,
        opens_at=moment(row.get("startDate")) or moment(row.get("acceptingOrdersTimestamp")),
        exclusive=row.get("negRisk") is True and _one_group(row, event),
        rules=text(row.get("description")),
        category=category(row, event),
        url=_address(*parsed.slugs),
        fee=fee or UNKNOWN,
        labels=() if usual else (text(names[parsed.yes]), text(names[1 - parsed.yes])),
        refs=_refs(parsed, PAST_END if dates and not left else ""),
        tick=tick or None,
        min_order=count(row.get("orderMinSize")) or None,
        starts_at=moment(row.get("eventStartTime")) or moment(row.get("gameStartTime")),
    )


def list_quote(
    parsed: PolymarketFacts, market: MarketId, at: datetime, traded: Turnover
) -> Quote | None:
    """Read the best bid and ask that Gamma shows, which may be minutes old.

    They are those of the first outcome.
    """
    bid, ask = inside(parsed.bid), inside(parsed.ask)
    if parsed.yes:
        bid, ask = complement(ask), complement(bid)
    if bid is None and ask is None:
        return None
    return Quote(
        market,
        bid,
        ask,
        at,
        volume=traded.volume,
        volume_24h=traded.volume_24h,
        liquidity=traded.liquidity,
        source=Source.LIST,
    )


def turnover(row: Mapping[str, object]) -> Turnover:
    """Read how much was traded, and how much stands in the book."""
    volume, liquidity = dollars(row.get("volumeNum")), dollars(row.get("liquidityNum"))
    return Turnover(
        dollars(row.get("volume")) if volume is None else volume,
        dollars(row.get("volume24hr")),
        dollars(row.get("liquidity")) if liquidity is None else liquidity,
    )


def category(row: Mapping[str, object], event: Mapping[str, object]) -> str:
    """Read what a market is about: as it says itself, else a section's tag, else its first."""
    own_category = text(row.get("category")) or text(event.get("category"))
    if own_category:
        return own_category
    tags = mappings(row.get("tags")) or mappings(event.get("tags"))
    sections = [tag for tag in tags if text(tag.get("slug")) in SECTIONS]
    section = text(sections[0].get("label")) if sections else ""
    return section or next(filter(None, (text(tag.get("label")) for tag in tags)), "")


def complement(price: Price | None) -> Price | None:
    """Turn a price of one side into that of the other."""
    return None if price is None else Price(ONE - price)


def _event(row: Mapping[str, object], event: Mapping[str, object]) -> str:
    """Name what a market shares its news with; "" where it stands alone."""
    named, group = text(event.get("id")), text(row.get("negRiskMarketID"))
    return f"event:{named}" if named else group


def _one_group(row: Mapping[str, object], event: Mapping[str, object]) -> bool:
    """Say whether all exclusive markets of an event are of this market's own group."""
    own, shared = text(row.get("negRiskMarketID")), text(event.get("negRiskMarketID"))
    return not (own and shared) or own == shared


def _address(event: str, market: str) -> str:
    """Give a market's page: below its event's, unless that is about this market alone."""
    slugs = [slug for slug in dict.fromkeys((event or market, market)) if slug]
    return "/".join([SITE, *(quoted(slug, safe="") for slug in slugs)]) if slugs else ""


def _refs(parsed: PolymarketFacts, doubt: str) -> tuple[tuple[str, str], ...]:
    refs = (
        ("condition", parsed.condition),
        ("yes_token", parsed.tokens[parsed.yes]),
        ("no_token", parsed.tokens[1 - parsed.yes]),
        ("version", text(parsed.row.get("version"))),
        ("neg_risk", text(parsed.row.get("negRiskMarketID"))),
        ("end", doubt),
    )
    return tuple([ref for ref in refs if ref[1]])


def inside(price: Price | None) -> Price | None:
    """Give a price at which somebody may stand; 0 and 1 are how an empty side is written."""
    return price if price is not None and ZERO_USD < price < ONE else None


# Markets in lists.

KNOWN_VERSIONS = ("", "v1")
NO_PRICE = (None, "")
NO_TOKENS: tuple[object, ...] = (None, "", [], "[]")
SPOKEN = {DISPUTED: State.DISPUTED, PROPOSED: State.PROPOSED}
MOST_RISES = 0.05


@dataclass(frozen=True, slots=True)
class GammaMarket(Listed):
    """A market of Gamma's: besides what every list shows, what only Polymarket says.

    `own` is its id there. `status` is by Gamma's word alone. `idle` says why it takes no
    orders now, and `unfit` why it is not for the arena at all; each is empty where there is
    no reason. `fee` is None where nothing is said of one.
    """

    own: str
    word: LastWord
    condition: str
    yes_token: str
    turnover: Turnover
    fee: FeeModel | None
    idle: str
    unfit: str


def markets(payload: object, origin: Origin) -> Read[GammaMarket]:
    """Read a page of `/markets/keyset`, or a bare list of markets.

    Every market of two outcomes is in it, closed ones and those that are unfit as well.
    """
    rows = payload.get("markets") if isinstance(payload, dict) else payload
    if not isinstance(rows, list):
        return Read((), (wrong_shape(payload, "list of markets"),))
    return _read(rows, origin)


def market(payload: object, origin: Origin) -> Read[GammaMarket]:
    """Read the answer to `/markets/{id}`: a market without any wrapping."""
    if not isinstance(payload, dict) or "id" not in payload:
        return Read((), (wrong_shape(payload, "market"),))
    return _read([payload], origin)


def falls(payload: object, key: str) -> bool | None:
    """Say whether a page of markets is in falling order of a field, as it was asked for.

    A value here or there may have changed since it was sorted; numbers that were sorted as
    text are out of order all over. None where no row has the field.
    """
    rows = mappings(payload.get("markets") if isinstance(payload, dict) else payload)
    numbers = [read for row in rows if (read := number(row.get(key))) is not None]
    rises = sum(after > before for before, after in pairwise(numbers))
    return rises <= max(1, MOST_RISES * len(numbers)) if numbers else None


def for_us(read: Read[GammaMarket]) -> Read[GammaMarket]:
    """Leave out, as sound, what is not open or not for the arena."""
    kept = tuple(row for row in read.rows if not why_not(row))
    left = (LeftOut(row.own, why) for row in read.rows if (why := why_not(row)))
    return Read(kept, read.left_out + tuple(left))


def why_not(row: GammaMarket) -> str:
    """Say why a market is not offered; "" where it can be."""
    state = row.status.state
    return row.unfit or row.idle or ("" if state is State.OPEN else f"it is {state}")


def _read(rows: Iterable[object], origin: Origin) -> Read[GammaMarket]:
    read = (_row(row, origin) for row in rows)
    return first_of_each(read, attrgetter("own"), "id comes a second time")


def _row(row: object, origin: Origin) -> GammaMarket | LeftOut:
    if not isinstance(row, dict):
        return unreadable("a market", "it is no object")
    parsed = told(row)
    return _complaint(parsed) or _gamma_market(parsed, origin)


def _complaint(parsed: PolymarketFacts) -> LeftOut | None:
    """Say why a row cannot be read, or is no market with two sides."""
    row, own = parsed.row, parsed.own
    if not own:
        return unreadable(text(row.get("id"))[:80] or "a market", "id is no number in text")
    version = row.get("version")
    if version is not None and version not in KNOWN_VERSIONS:
        return LeftOut(own, f"it is of protocol version {text(version)[:20] or '?'}")
    if parsed.names and parsed.names != SIDES:
        return LeftOut(own, f"it has {parsed.names} outcomes, not {SIDES}")
    if row.get("conditionId") == "" and row.get("active") is False:
        return LeftOut(own, "it is a placeholder that is not on the chain yet")
    bad = _unread(parsed)
    return unreadable(own, f"{bad} is missing or cannot be read") if bad else None


def _unread(parsed: PolymarketFacts) -> str:
    """Name the first field that is needed and cannot be read; "" where all can."""
    if not parsed.question:
        return "question"
    if not parsed.condition:
        return "conditionId"
    if parsed.word.closed is None:
        return "closed"
    if not _has_two_names(parsed):
        return "outcomes"
    if not _has_two_tokens_or_none(parsed):
        return "clobTokenIds"
    if parsed.bid is None and parsed.row.get("bestBid") not in NO_PRICE:
        return "bestBid"
    return "bestAsk" if parsed.ask is None and parsed.row.get("bestAsk") not in NO_PRICE else ""


def _has_two_names(parsed: PolymarketFacts) -> bool:
    listed = parsed.word.choices
    if not len(listed) == parsed.names == SIDES:
        return False
    return listed[0].name.casefold() != listed[1].name.casefold()


def _has_two_tokens_or_none(parsed: PolymarketFacts) -> bool:
    """Token ids are missing for minutes after a market's creation; a single one is odd."""
    ids = parsed.row.get("clobTokenIds")
    if ids in NO_TOKENS:
        return True
    return len(json_list(ids)) == len({*parsed.tokens} - {""}) == SIDES


def _gamma_market(parsed: PolymarketFacts, origin: Origin) -> GammaMarket:
    row, word = parsed.row, parsed.word
    fee, traded, why_idle = stated_fee(row), turnover(row), idle(row)
    market = market_record(parsed, origin, fee)
    return GammaMarket(
        market,
        None if word.closed else list_quote(parsed, market.id, origin.at, traded),
        _status(market.id, origin, word, is_idle=bool(why_idle)),
        parsed.own,
        word,
        parsed.condition,
        parsed.tokens[parsed.yes],
        traded,
        fee,
        why_idle,
        unfit(row, parsed.event, parsed.slugs),
    )


def _status(market: MarketId, origin: Origin, word: LastWord, *, is_idle: bool) -> Status:
    outcome = decide_outcome(word)
    if outcome is not None:
        return Status(market, State.RESOLVED, origin.at, outcome, unconfirmed=True)
    spoken = SPOKEN.get(word.oracle)
    silent = State.CLOSED_PENDING if word.closed else State.HALTED if is_idle else State.OPEN
    return Status(market, spoken or silent, origin.at, unconfirmed=True)
