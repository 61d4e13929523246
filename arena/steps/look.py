"""How one venue is read for a tick: its list, its prices, and what became of its markets."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from arena.errors import ArenaError
from arena.ports import Venue
from arena.records.cohort import Universe
from arena.records.market import (
    Catalogue,
    FeeKind,
    LeftOut,
    Market,
    MarketId,
    Quote,
    Status,
)
from arena.steps.universe import Chosen, choose

SPARE = 10  # more than a universe's top is asked for: a fresh price may rule a market out

_UNNAMEABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class View:
    """What one venue said in one poll.

    `markets` are those of which everything is known that a round needs, `listed` all that its
    list held, `first` what each universe chose of them by the list's own prices.
    """

    markets: tuple[Market, ...] = ()
    quotes: Mapping[MarketId, Quote] = field(default_factory=dict)
    statuses: Mapping[MarketId, Status] = field(default_factory=dict)
    listed: tuple[Market, ...] = ()
    first: tuple[Chosen, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


async def look(
    venue: Venue,
    universes: Sequence[Universe],
    *,
    held: Collection[MarketId] = (),
    watched: Collection[MarketId] = (),
    at: datetime,
) -> View:
    """Read a venue: its list only where there is a universe to choose from it.

    A venue whose list has prices is asked for fresh ones of what may be offered, and of what
    is held; another one for those of its whole list.

    Args:
        venue: Whom to ask.
        universes: What the rounds that are due choose by.
        held: Markets whose price is wanted whatever is chosen.
        watched: Markets whose state is wanted.
        at: The moment of the poll.

    Raises:
        ArenaError: The venue cannot be read, or quotes from after `at` (`venue.future`).
    """
    found = await venue.catalogue() if universes else Catalogue(())
    listed = tuple(m for m in {m.id: m for m in found.markets}.values() if is_sound(m))
    told = {quote.market: quote for quote in found.quotes}
    first = tuple(_shortlist(u, listed, told, at) for u in universes) if told else ()
    short = {m.id for chosen in first for m in chosen.markets} if told else _ids(listed)
    quotes = await venue.quotes(sorted(short | set(held)))
    late = [q.market for q in quotes.values() if q.at > at]
    if late:
        raise ArenaError("venue.future", f"{late[0]} is quoted from after {at}")
    statuses = await venue.statuses(sorted(watched))
    wanted = short | set(held)
    markets = await venue.details([m for m in listed if m.id in wanted])
    charged = [m for m in markets if m.fee.kind is not FeeKind.UNKNOWN]
    unknown = _ids(markets) - _ids(charged)
    return View(
        markets=tuple(charged),
        quotes={m: _completed(quote, told.get(m)) for m, quote in quotes.items()},
        statuses=statuses,
        listed=listed,
        first=first,
        left_out=(*found.left_out, *(LeftOut(m, "its fee is not known") for m in unknown)),
    )


def is_sound(market: Market) -> bool:
    """Whether the database can hold a market's id: no NUL, no half of a character."""
    return bool(market.id) and not _UNNAMEABLE.search(market.id)


def _shortlist(
    universe: Universe, listed: Sequence[Market], told: Mapping[MarketId, Quote], at: datetime
) -> Chosen:
    more = universe.top + max(SPARE, universe.top // 2)
    return choose(replace(universe, top=more), listed, told, at)


def _completed(quote: Quote, told: Quote | None) -> Quote:
    """Add what only the list says: how much was traded."""
    if told is None:
        return quote
    return replace(
        quote,
        volume=told.volume if quote.volume is None else quote.volume,
        volume_24h=told.volume_24h if quote.volume_24h is None else quote.volume_24h,
        liquidity=told.liquidity if quote.liquidity is None else quote.liquidity,
    )


def _ids(markets: Iterable[Market]) -> set[MarketId]:
    return {market.id for market in markets}
