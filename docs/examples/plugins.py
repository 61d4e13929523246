"""The plugins of docs/architecture.md: a venue, a model, an agent and a source."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from arena.agents.reply import write_reply
from arena.ports import Backstage, Clock, ContextBackstage, Payloads
from arena.records.answer import (
    Answer,
    Briefing,
    Completion,
    DocumentBatch,
    Question,
    SourceDocument,
    Usage,
)
from arena.records.decision import Action
from arena.records.market import (
    Catalogue,
    EventId,
    Market,
    MarketId,
    Quote,
    Side,
    State,
    Status,
)
from arena.records.money import price, usd
from arena.records.settings import (
    ContestantSettings,
    ContextSettings,
    ModelSettings,
    VenueSettings,
)


class OneCoin:
    """A venue with one market that never ends. It asks nobody."""

    def __init__(self, settings: VenueSettings, clock: Clock, payloads: Payloads) -> None:
        self.id, self.clock, self.payloads = settings.id, clock, payloads

    async def catalogue(self) -> Catalogue:
        """List the markets that are open now."""
        name = f"{self.id}-coin"
        coin = Market(MarketId(name), self.id, EventId(name), "Will the coin show heads?")
        return Catalogue((coin,))

    async def details(self, markets: Sequence[Market]) -> Sequence[Market]:
        """Say all that is known of some markets."""
        return markets

    async def quotes(self, markets: Iterable[MarketId]) -> dict[MarketId, Quote]:
        """Quote some markets as of now."""
        now = self.clock.now()
        return {m: Quote(m, price("0.49"), price("0.51"), now) for m in markets}

    async def statuses(self, markets: Iterable[MarketId]) -> dict[MarketId, Status]:
        """Say what has become of some markets."""
        return {m: Status(m, State.OPEN, self.clock.now()) for m in markets}


class Modest:
    """A model that always holds, for nothing.

    What goes wrong with the world a model puts in `trouble` of its completion, and does not
    raise.
    """

    def __init__(self, settings: ModelSettings, key: str | None) -> None:
        self.name, self.key = settings.model, key

    async def complete(self, question: Question) -> Completion:
        """Answer a question, which is the same for every contestant of a round."""
        words = '{"action": "HOLD", "bets": []}'
        usage = Usage(len(question.user), 0, usd(0))
        return Completion(words, words.encode(), self.name, usage=usage)


class Stubborn:
    """Bets the smallest stake on NO of the first market, every time."""

    def __init__(self, settings: ContestantSettings, backstage: Backstage) -> None:
        self.id, self.backstage = settings.id, backstage

    async def answer(self, briefing: Briefing) -> Answer:
        """Answer a briefing, in the words that a model would use."""
        first = briefing.offers[0].alias
        bets = [(first, Side.NO, briefing.floor)]
        words = write_reply(Action.BET, forecasts={first: 0.25}, bets=bets)
        return Answer(Completion(words, model="stubborn"))


class Almanac:
    """A source with one document about every market. It asks nobody."""

    def __init__(self, settings: ContextSettings, backstage: ContextBackstage) -> None:
        self.name, self.backstage = settings.name, backstage

    async def documents(self, markets: Sequence[Market], as_of: datetime) -> DocumentBatch:
        """Give what was published by a moment."""
        ids = tuple(market.id for market in markets)
        coins = SourceDocument(self.name, "Coins", "Half show heads.", "", as_of, ids)
        return DocumentBatch((coins,))
