"""How one venue is read for a tick: its list, its prices, and what became of its markets."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from arena.errors import ArenaError
from arena.ports import Venue
from arena.records.cohort import FeeRule, Universe
from arena.records.market import Catalogue, LeftOut, Market, MarketId, Quote, Status
from arena.steps.rounds.universe import Chosen, choose, pick

SPARE = 10  # more than a universe's top is asked for: a fresh price may rule a market out
MOST_LOOKS = 4  # times that others are looked at in the place of what was ruled out

_UNNAMEABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a round chooses its markets by, and whose fees it charges.

    Where it is `explained`, what the list's own prices leave out is told with its reasons.
    """

    universe: Universe
    fees: FeeRule = FeeRule.VENUE
    explained: bool = False


@dataclass(frozen=True, slots=True)
class VenueView:
    """What one venue said in one poll.

    `markets` are those of which everything is known that a round needs, `listed` all that its
    list held, `first` what each universe chose of them by the list's own prices, `held` those
    whose price was wanted whatever was chosen.
    """

    markets: tuple[Market, ...] = ()
    quotes: Mapping[MarketId, Quote] = field(default_factory=dict)
    statuses: Mapping[MarketId, Status] = field(default_factory=dict)
    listed: tuple[Market, ...] = ()
    first: tuple[Chosen, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    held: frozenset[MarketId] = frozenset()


async def look(
    venue: Venue,
    wanted: Sequence[Wanted],
    *,
    held: Collection[MarketId] = (),
    watched: Collection[MarketId] = (),
    at: datetime,
) -> VenueView:
    """Read a venue: its list only where there is a round to choose from it.

    A venue whose list has prices is asked for fresh ones of what may be offered, and of what
    is held; another one for those of its whole list. Where these rule out so much that a
    round is short of markets, the next ones of the list are asked about.

    Args:
        venue: Whom to ask.
        wanted: What the rounds that are due choose by.
        held: Markets whose price is wanted whatever is chosen.
        watched: Markets whose state is wanted.
        at: The moment of the poll.

    Raises:
        ArenaError: The venue cannot be read, or quotes from after `at` (`venue.future`).
    """
    catalogue = await venue.catalogue() if wanted else Catalogue(())
    listed = tuple(m for m in {m.id: m for m in catalogue.markets}.values() if is_sound(m))
    list_quotes = {quote.market: quote for quote in catalogue.quotes}
    closer = _Closer(venue, listed, list_quotes, at)
    first: tuple[Chosen, ...] = ()
    if list_quotes:
        first = await closer.choose(wanted, held)
    else:
        await closer.ask(_ids(listed) | set(held))
    return VenueView(
        markets=tuple(closer.markets[m.id] for m in listed if m.id in closer.markets),
        quotes=closer.quotes,
        statuses=await venue.statuses(sorted(watched)),
        listed=listed,
        first=first,
        left_out=catalogue.left_out,
        held=frozenset(held),
    )


class _Closer:
    """Looks at some of a list's markets more closely: their fresh prices and whole facts."""

    def __init__(
        self,
        venue: Venue,
        listed: Sequence[Market],
        list_quotes: Mapping[MarketId, Quote],
        at: datetime,
    ) -> None:
        self.markets: dict[MarketId, Market] = {}
        self.quotes: dict[MarketId, Quote] = {}
        self._venue, self._listed, self._list_quotes, self._at = venue, listed, list_quotes, at
        self._requested: set[MarketId] = set()

    async def choose(
        self, wanted: Sequence[Wanted], held: Collection[MarketId]
    ) -> tuple[Chosen, ...]:
        """Look at each round's short list, and at others while it is short of markets.

        Returns:
            What each round chose by the list, without what was ruled out since.
        """
        lost = [set[MarketId]() for _ in wanted]
        new = set(held)
        for _ in range(MOST_LOOKS):
            first = tuple(map(self._shortlist, wanted, lost))
            new |= set().union(*(_ids(chosen.markets) for chosen in first)) - self._requested
            if not new:
                break
            await self.ask(new)
            new, lost_before = set(), lost
            lost = [
                gone | self._ruled_out(want, chosen)
                for want, chosen, gone in zip(wanted, first, lost, strict=True)
            ]
            if lost == lost_before:
                break
        return first

    async def ask(self, markets: Collection[MarketId]) -> None:
        """Ask for the prices of markets, and for the facts of those that are listed.

        Raises:
            ArenaError: As for `look`.
        """
        self._requested |= set(markets)
        quotes = await self._venue.quotes(sorted(markets))
        late = [quote.market for quote in quotes.values() if quote.at > self._at]
        if late:
            raise ArenaError("venue.future", f"{late[0]} is quoted from after {self._at}")
        self.quotes |= {
            m: _completed(quote, self._list_quotes.get(m)) for m, quote in quotes.items()
        }
        named = set(markets)
        details = await self._venue.details([m for m in self._listed if m.id in named])
        self.markets |= {market.id: market for market in details}

    def _shortlist(self, want: Wanted, lost: Collection[MarketId]) -> Chosen:
        top = want.universe.top
        more = replace(want.universe, top=top + max(SPARE, top // 2))
        listed = [market for market in self._listed if market.id not in lost]
        if want.explained:
            return choose(more, listed, self._list_quotes, self._at)
        return Chosen(pick(more, listed, self._list_quotes, self._at), ())

    def _ruled_out(self, want: Wanted, first: Chosen) -> set[MarketId]:
        """The markets of a short list that others have to replace: none if it has enough."""
        read_markets = list(self.markets.values())
        chosen = pick(want.universe, read_markets, self.quotes, self._at, fees=want.fees)
        if len(chosen) >= want.universe.top:
            return set()
        return _ids(first.markets) - _ids(chosen)


def is_sound(market: Market) -> bool:
    """Whether the database can hold a market's id: no NUL, no half of a character."""
    return bool(market.id) and not _UNNAMEABLE.search(market.id)


def _completed(quote: Quote, list_quote: Quote | None) -> Quote:
    """Add the volumes and the liquidity, which only the list has."""
    if list_quote is None:
        return quote
    return replace(
        quote,
        volume=list_quote.volume if quote.volume is None else quote.volume,
        volume_24h=list_quote.volume_24h if quote.volume_24h is None else quote.volume_24h,
        liquidity=list_quote.liquidity if quote.liquidity is None else quote.liquidity,
    )


def _ids(markets: Iterable[Market]) -> set[MarketId]:
    return {market.id for market in markets}
