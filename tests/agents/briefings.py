"""Short builders: a test of words states only what it is about."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from arena.ports import Venue
from arena.records.answer import Briefing, Holding, Offer
from arena.records.cohort import CohortId, ContestantId, Rules
from arena.records.market import EventId, Market, MarketId, Quote, VenueId
from arena.records.money import price, usd

T0 = datetime(2026, 1, 5, 9, tzinfo=UTC)


def market(name: str, question: str = "Will it rain?", *, rules: str = "") -> Market:
    event = EventId(f"event of {name}")
    return Market(MarketId(name), VenueId("v"), event, question, rules=rules)


def offer(
    alias: str,
    shown: Market | None = None,
    *,
    bid: str | None = "0.38",
    ask: str | None = "0.4",
) -> Offer:
    known = shown or market(f"id-of-{alias}")
    quote = Quote(
        known.id, None if bid is None else price(bid), None if ask is None else price(ask), T0
    )
    return Offer(alias, known, quote)


def briefing(  # noqa: PLR0913  each is one thing that a test is about
    offers: Sequence[Offer] = (),
    *,
    holdings: Sequence[Holding] = (),
    contestant: str = "ada",
    cash: str = "10000",
    rules: Rules | None = None,
    sell_only: Sequence[Offer] = (),
    hours: float = 0,
    seed: str = "seed",
) -> Briefing:
    """A briefing of so many hours after the cohort's start."""
    return Briefing(
        cohort=CohortId("c"),
        round=3,
        contestant=ContestantId(contestant),
        at=T0 + timedelta(hours=hours),
        offers=tuple(offers),
        cash=usd(cash),
        cap=usd("2500"),
        floor=usd("50"),
        holdings=tuple(holdings),
        rules=rules or Rules(),
        sell_only=tuple(sell_only),
        started_at=T0,
        seed=seed,
    )


def offering(*aliases: str) -> Briefing:
    return briefing([offer(alias) for alias in aliases])


async def offers_of(venue: Venue) -> tuple[Offer, ...]:
    """Everything that a venue lists, at what it asks for it."""
    markets = (await venue.catalogue()).markets
    quotes = await venue.quotes(market.id for market in markets)
    return tuple(Offer(f"M{n}", m, quotes[m.id]) for n, m in enumerate(markets, start=1))
