"""A market's record, and its list's own price, from Gamma's payload of it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple
from urllib.parse import quote as quoted

from arena.records.market import (
    EventId,
    FeeKind,
    FeeModel,
    Market,
    MarketId,
    Quote,
    Source,
)
from arena.records.money import ONE, Price, Usd
from arena.venues.polymarket.fit import condition, own_number, token
from arena.venues.polymarket.outcome import LastWord, last_word, yes_index
from arena.venues.polymarket.prices import Doubt, inside
from arena.venues.reading import (
    Origin,
    count,
    dollars,
    json_list,
    mappings,
    market_id,
    moment,
    number,
    text,
    unit_price,
)

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


SITE = "https://polymarket.com/event"
SECTIONS = frozenset(
    {
        *("ai", "business", "climate", "crypto", "culture", "earnings", "economy", "elections"),
        *(
            "esports",
            "finance",
            "geopolitics",
            "mentions",
            "politics",
            "pop-culture",
            "science",
        ),
        *("sports", "tech", "weather", "world"),
    }
)
USUAL = {"yes", "no"}

_PLAIN = re.compile("[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Turnover:
    """Dollars traded to date and within a day, and dollars that stand in the book."""

    volume: Usd | None = None
    volume_24h: Usd | None = None
    liquidity: Usd | None = None


def around(row: Mapping[str, object]) -> Mapping[str, object]:
    """Give the event that a market is part of; empty where none is named."""
    return next(iter(mappings(row.get("events"))), {})


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
    word, event = last_word(row), around(row)
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

    Args:
        parsed: A market whose id, question and two outcomes can be read.
        origin: Whose it is.
        fee: What it says that it charges; None where it says nothing.
    """
    row, event, own = parsed.row, parsed.event, parsed.own
    first, second = parsed.word.choices
    names = (first.name, second.name)
    tick = unit_price(row.get("orderPriceMinTickSize"))
    closes_at, doubt = end_date(row, origin.at)
    usual = {first.name.casefold(), second.name.casefold()} == USUAL
    return Market(
        market_id(origin.venue, own),
        origin.venue,
        EventId(market_id(origin.venue, _event(row, event) or own)),
        parsed.question,
        closes_at=closes_at,
        opens_at=moment(row.get("startDate")) or moment(row.get("acceptingOrdersTimestamp")),
        exclusive=row.get("negRisk") is True and _one_group(row, event),
        rules=text(row.get("description")),
        category=category(row, event),
        url=_address(*parsed.slugs),
        fee=fee or UNKNOWN,
        labels=() if usual else (text(names[parsed.yes]), text(names[1 - parsed.yes])),
        refs=_refs(parsed, doubt),
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


def end_date(row: Mapping[str, object], at: datetime) -> tuple[datetime | None, Doubt | None]:
    """Read when a market ends: its own date, else its event's, else none and a doubt.

    Of an open market a date that is past by `at` is none: nobody knows when it ends.
    """
    stated = (moment(row.get("endDate")), moment(around(row).get("endDate")))
    dates = [end for end in stated if end is not None]
    left = [end for end in dates if row.get("closed") is not False or end > at]
    doubt = Doubt.PAST_END if dates else Doubt.NO_END_DATE
    return (left[0], None) if left else (None, doubt)


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
    return "/".join([SITE, *map(_quoted, slugs)]) if slugs else ""


def _quoted(slug: str) -> str:
    return slug if _PLAIN.fullmatch(slug) else quoted(slug, safe="")


def _refs(parsed: PolymarketFacts, doubt: Doubt | None) -> tuple[tuple[str, str], ...]:
    refs = (
        ("condition", parsed.condition),
        ("yes_token", parsed.tokens[parsed.yes]),
        ("no_token", parsed.tokens[1 - parsed.yes]),
        ("version", text(parsed.row.get("version"))),
        ("neg_risk", text(parsed.row.get("negRiskMarketID"))),
        ("end", doubt if doubt is Doubt.PAST_END else ""),
    )
    return tuple([ref for ref in refs if ref[1]])
