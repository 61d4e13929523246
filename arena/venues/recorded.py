"""A venue that plays back recorded facts, for replay and backtests: it never looks ahead."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Generic, Protocol, TypeVar

from arena.ports import Clock
from arena.records.market import Catalogue, Market, MarketId, Quote, State, Status


@dataclass(frozen=True, slots=True)
class Listing:
    """A market as its venue showed it for trading, from `from_` on and until before `until`."""

    market: Market
    from_: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class Recording:
    """What a venue said over time, in any order; of two facts of one moment the later counts.

    A quote or a status is known from its own `at` on. `notes` say what a reader of any result
    has to know of the recording.
    """

    listings: tuple[Listing, ...] = ()
    quotes: tuple[Quote, ...] = ()
    statuses: tuple[Status, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def markets(self) -> tuple[Market, ...]:
        """Every market once, as it was last listed, in the order of first listing."""
        return tuple(_newest_listings(_by_start(self.listings)).values())


class RecordedVenue:
    """Answers from a recording, and only with what the clock has reached."""

    def __init__(self, recording: Recording, clock: Clock) -> None:
        self._clock = clock
        self._listings = _by_start(recording.listings)
        self._starts = [listing.from_ for listing in self._listings]
        self._quotes = _Tracks(recording.quotes)
        self._statuses = _Tracks(recording.statuses)
        self._moments = _moments(recording)
        self._recording = recording

    async def catalogue(self) -> Catalogue:
        """List the markets that can be traded now.

        A market that was listed although its venue had closed or settled it is left out.
        """
        now = self._clock.now()
        begun = self._listings[: bisect_right(self._starts, now)]
        shown = _newest_listings(listing for listing in begun if now < listing.until)
        return Catalogue(tuple(m for m in shown.values() if self._is_open(m.id, now)))

    async def details(self, markets: Sequence[Market]) -> Sequence[Market]:
        """Add nothing: the recording holds everything."""
        return markets

    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        """Give the newest quote so far of each market; one that has none is left out."""
        return self._quotes.newest(markets, self._clock.now())

    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        """Give the newest status so far of each market; one that has none is left out."""
        return self._statuses.newest(markets, self._clock.now())

    def moments(self) -> tuple[datetime, ...]:
        """Give every moment at which an answer may change, in order: the steps of a replay."""
        return self._moments

    def news(self) -> tuple[datetime, ...]:
        """Give every moment at which an outcome became known, and the last price of all."""
        moments = {s.at for s in self._recording.statuses if s.outcome is not None}
        last = max((q.at for q in self._recording.quotes), default=None)
        return tuple(sorted(moments if last is None else moments | {last}))

    def _is_open(self, market: MarketId, now: datetime) -> bool:
        status = self._statuses.newest([market], now).get(market)
        return status is None or status.state is State.OPEN


class _Dated(Protocol):
    @property
    def market(self) -> MarketId: ...

    @property
    def at(self) -> datetime: ...


_Fact = TypeVar("_Fact", bound=_Dated)


class _Tracks(Generic[_Fact]):
    """Facts by market and time, so that the newest before a moment is found by bisection."""

    def __init__(self, facts: Iterable[_Fact]) -> None:
        self._facts: dict[MarketId, list[_Fact]] = {}
        for fact in sorted(facts, key=attrgetter("at")):
            self._facts.setdefault(fact.market, []).append(fact)
        self._times = {
            market: [fact.at for fact in track] for market, track in self._facts.items()
        }

    def newest(self, markets: Iterable[MarketId], now: datetime) -> dict[MarketId, _Fact]:
        newest_facts: dict[MarketId, _Fact] = {}
        for market in markets:
            reached = bisect_right(self._times.get(market, []), now)
            if reached:
                newest_facts[market] = self._facts[market][reached - 1]
        return newest_facts


def _by_start(listings: Iterable[Listing]) -> list[Listing]:
    return sorted(listings, key=attrgetter("from_"))


def _newest_listings(listings: Iterable[Listing]) -> dict[MarketId, Market]:
    return {listing.market.id: listing.market for listing in listings}


def _moments(recording: Recording) -> tuple[datetime, ...]:
    listed = {moment for x in recording.listings for moment in (x.from_, x.until)}
    quoted = {quote.at for quote in recording.quotes}
    status_moments = {status.at for status in recording.statuses}
    return tuple(sorted(listed | quoted | status_moments))
