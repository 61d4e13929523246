"""A market's record, and its list's own price, from Gamma's payload of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
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
from arena.venues.polymarket.choices import choices
from arena.venues.polymarket.fees import stated_fee
from arena.venues.polymarket.prices import Doubt, offered
from arena.venues.polymarket.shape import condition, token
from arena.venues.reading import (
    count,
    dollars,
    json_list,
    mappings,
    market_id,
    moment,
    text,
    unit_price,
)
from arena.venues.rows import Origin

SITE = "https://polymarket.com/event"
SECTIONS = (
    *("ai", "business", "climate", "crypto", "culture", "earnings", "economy", "elections"),
    *("esports", "finance", "geopolitics", "mentions", "politics", "pop-culture", "science"),
    *("sports", "tech", "weather", "world"),
)


@dataclass(frozen=True, slots=True)
class Turnover:
    """Dollars traded to date and within a day, and dollars that stand in the book."""

    volume: Usd | None = None
    volume_24h: Usd | None = None
    liquidity: Usd | None = None


def around(row: Mapping[str, object]) -> Mapping[str, object]:
    """Give the event that a market is part of; empty where none is named."""
    return next(iter(mappings(row.get("events"))), {})


def market_record(row: Mapping[str, object], origin: Origin, yes: int) -> Market:
    """Put a market's facts together; what is not said is missing.

    Args:
        row: Gamma's payload, whose id, question and two outcomes can be read.
        origin: Whose it is.
        yes: Which of its outcomes is our YES, 0 or 1.
    """
    event, own = around(row), text(row.get("id"))
    names = [choice.name for choice in choices(row)]
    tick = unit_price(row.get("orderPriceMinTickSize"))
    usual = {name.casefold() for name in names} == {"yes", "no"}
    return Market(
        market_id(origin.venue, own),
        origin.venue,
        EventId(market_id(origin.venue, _event(row, event) or own)),
        text(row.get("question")),
        closes_at=end_date(row)[0],
        opens_at=moment(row.get("startDate")) or moment(row.get("acceptingOrdersTimestamp")),
        exclusive=row.get("negRisk") is True and _one_group(row, event),
        rules=text(row.get("description")),
        category=category(row, event),
        url=_address(text(event.get("slug")), text(row.get("slug"))),
        fee=stated_fee(row) or FeeModel(FeeKind.UNKNOWN),
        labels=() if usual else (text(names[yes]), text(names[1 - yes])),
        refs=_refs(row, yes),
        tick=tick or None,
        min_order=count(row.get("orderMinSize")) or None,
    )


def list_quote(
    row: Mapping[str, object], market: MarketId, at: datetime, yes: int
) -> Quote | None:
    """Read the best bid and ask that Gamma shows, which may be minutes old.

    They are those of the first outcome.
    """
    bid, ask = offered(row.get("bestBid")), offered(row.get("bestAsk"))
    if yes:
        bid, ask = complement(ask), complement(bid)
    if bid is None and ask is None:
        return None
    traded = turnover(row)
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
    return Turnover(
        _first(row, "volumeNum", "volume"),
        _first(row, "volume24hr"),
        _first(row, "liquidityNum", "liquidity"),
    )


def end_date(row: Mapping[str, object]) -> tuple[datetime | None, Doubt | None]:
    """Read when a market ends: its own date, else its event's, else none and a doubt.

    It may be past although the market is open.
    """
    found = moment(row.get("endDate")) or moment(around(row).get("endDate"))
    return found, None if found else Doubt.NO_END_DATE


def category(row: Mapping[str, object], event: Mapping[str, object]) -> str:
    """Read what a market is about: as it says itself, else a section's tag, else its first."""
    said = text(row.get("category")) or text(event.get("category"))
    tags = mappings(row.get("tags")) or mappings(event.get("tags"))
    labels = [text(tag.get("label")) for tag in tags]
    sections = (text(t.get("label")) for t in tags if text(t.get("slug")) in SECTIONS)
    return said or next(sections, "") or next((label for label in labels if label), "")


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
    return "/".join((SITE, *(quoted(slug, safe="") for slug in slugs))) if slugs else ""


def _refs(row: Mapping[str, object], yes: int) -> tuple[tuple[str, str], ...]:
    tokens = [token(one) for one in json_list(row.get("clobTokenIds"))] or ["", ""]
    refs = {
        "condition": condition(row.get("conditionId")),
        "yes_token": tokens[yes],
        "no_token": tokens[1 - yes],
        "version": text(row.get("version")),
        "neg_risk": text(row.get("negRiskMarketID")),
    }
    return tuple((name, ref) for name, ref in refs.items() if ref)


def _first(row: Mapping[str, object], *names: str) -> Usd | None:
    """Read an amount that stands under the first of these names, or else under another."""
    read = (dollars(row.get(name)) for name in names)
    return next((amount for amount in read if amount is not None), None)
