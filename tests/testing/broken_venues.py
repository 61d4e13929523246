"""A venue that keeps to the port, and one for each way of breaking it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from arena.errors import ArenaError
from arena.ports import Clock
from arena.records.market import (
    YES_WINS,
    Catalogue,
    EventId,
    Level,
    Market,
    MarketId,
    Outcome,
    Quote,
    State,
    Status,
    VenueId,
)
from arena.records.money import price, shares, usd
from arena.testing import STRANGERS

T0 = datetime(2026, 1, 5, tzinfo=UTC)
HOUR = timedelta(hours=1)
END = T0 + timedelta(days=9)
ONE, TWO = MarketId("toy:1"), MarketId("toy:2")
MARKETS = tuple(Market(m, VenueId("toy"), EventId(m), f"{m}?") for m in (ONE, TWO))
STRANGER = STRANGERS[0]


@dataclass(slots=True)
class Toy:
    """Two markets that trade until `END` and are YES then."""

    clock: Clock

    async def catalogue(self) -> Catalogue:
        if self.clock.now() >= END:
            return Catalogue(())
        return Catalogue(MARKETS, tuple((await self.quotes([ONE])).values()))

    async def details(self, markets: Sequence[Market]) -> Sequence[Market]:
        return markets

    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        return {m: self.quote(m) for m in markets if m in {ONE, TWO}}

    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        return {m: self.status(m) for m in markets if m in {ONE, TWO}}

    def quote(self, market: MarketId) -> Quote:
        return Quote(
            market,
            price("0.4"),
            price("0.5"),
            self.clock.now(),
            volume=usd(5),
            bids=(Level(price("0.4"), shares(3)), Level(price("0.3"), shares(9))),
            asks=(Level(price("0.5"), shares(3)), Level(price("0.6"), shares(9))),
        )

    def status(self, market: MarketId) -> Status:
        over = self.clock.now() >= END
        return Status(
            market,
            State.RESOLVED if over else State.OPEN,
            self.clock.now(),
            YES_WINS if over else None,
        )


def quoting(change: Callable[[Quote], Quote]) -> type[Toy]:
    """A venue that changes its quotes so."""

    class Quoting(Toy):
        def quote(self, market: MarketId) -> Quote:
            return change(Toy.quote(self, market))

    return Quoting


class ListsNothing(Toy):
    async def catalogue(self) -> Catalogue:
        return Catalogue(())


class AsksTheSame(Toy):
    async def catalogue(self) -> Catalogue:
        one, two = MARKETS
        return Catalogue((one, replace(two, event=one.event, question=one.question)))


class ListsWhatHasEnded(Toy):
    async def catalogue(self) -> Catalogue:
        return Catalogue(tuple(replace(m, closes_at=T0 - HOUR) for m in MARKETS))


class ListsTwice(Toy):
    async def catalogue(self) -> Catalogue:
        return Catalogue((*MARKETS, MARKETS[0]))


class QuotesWhatItDoesNotList(Toy):
    async def catalogue(self) -> Catalogue:
        return Catalogue(MARKETS[:1], (self.quote(TWO),))


class QuotesTwice(Toy):
    async def catalogue(self) -> Catalogue:
        return Catalogue(MARKETS, (self.quote(TWO), self.quote(TWO)))


class MixesMarketsUp(Toy):
    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        other = {ONE: TWO, TWO: ONE}
        return {m: self.quote(other[m]) for m in markets if m in other}


class AnswersMoreThanAsked(Toy):
    """Knows a third market, and tells about it whenever anything is asked."""

    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        said = dict(await Toy.statuses(self, markets))
        third = MarketId("toy:3")
        return {**said, third: self.status(third)} if said else {}


class QuotesTheFuture(Toy):
    def quote(self, market: MarketId) -> Quote:
        return replace(Toy.quote(self, market), at=self.clock.now() + HOUR)


class SaysTheFuture(Toy):
    def status(self, market: MarketId) -> Status:
        return replace(Toy.status(self, market), at=self.clock.now() + HOUR)


class BidsWorstFirst(Toy):
    def quote(self, market: MarketId) -> Quote:
        said = Toy.quote(self, market)
        return replace(said, bids=said.bids[::-1], bid=said.bids[-1].price)


class AsksWorstFirst(Toy):
    def quote(self, market: MarketId) -> Quote:
        said = Toy.quote(self, market)
        return replace(said, asks=said.asks[::-1], ask=said.asks[-1].price)


class ListsWhatIsHalted(Toy):
    def status(self, market: MarketId) -> Status:
        said = Toy.status(self, market)
        return replace(said, state=State.HALTED) if said.outcome is None else said


class Odd(Status):
    """A status that does not look after itself."""

    def __post_init__(self) -> None: ...


class OpenWithAnOutcome(Toy):
    def status(self, market: MarketId) -> Status:
        return Odd(market, State.OPEN, self.clock.now(), Outcome(price(1)))


class KnowsAStranger(Toy):
    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        return {m: self.quote(m) for m in markets if m in {ONE, TWO, STRANGER}}


class KnowsAStrangersState(Toy):
    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        return {m: self.status(m) for m in markets if m in {ONE, TWO, STRANGER}}


class StrangersHarmOthers(Toy):
    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        asked = list(markets)
        return {} if STRANGER in asked else await Toy.quotes(self, asked)


class AnswersWhatNobodyAsked(Toy):
    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        return await Toy.quotes(self, list(markets) or [ONE])


class ReadsTwice(Toy):
    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        many = sum(1 for _ in markets)
        return await Toy.quotes(self, markets) if many else {}


class TurnsDetailsRound(Toy):
    async def details(self, markets: Sequence[Market]) -> Sequence[Market]:
        return markets[::-1]


class GivesOtherDetails(Toy):
    async def details(self, markets: Sequence[Market]) -> Sequence[Market]:
        return [replace(market, id=MarketId("toy:9")) for market in markets]


class NeverEnds(Toy):
    def status(self, market: MarketId) -> Status:
        return Status(market, State.OPEN, self.clock.now())


class Remembers(Toy):
    """Gives the first price it ever saw."""

    __slots__ = ("first",)

    def quote(self, market: MarketId) -> Quote:
        if not hasattr(self, "first"):
            self.first = self.clock.now()
        return replace(Toy.quote(self, market), at=self.first)


class Silent(Toy):
    """Cannot be read."""

    async def catalogue(self) -> Catalogue:
        raise ArenaError("venue.silent", "nobody answers")

    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        raise ArenaError("venue.silent", f"nobody answers about {markets}")

    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        raise ArenaError("venue.silent", f"nobody answers about {markets}")


class Guesses(Silent):
    """Cannot be read, and answers nevertheless."""

    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        return await Toy.quotes(self, markets)


class Trips(Silent):
    """Cannot be read, and does not say so in the arena's words."""

    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        raise KeyError(*markets)
