"""What a round's own venue tells beside its prices of now: how they came about, whole rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter
from typing import cast

from arena.agents.briefing_data import LONGEST_RULES
from arena.errors import ArenaError
from arena.ports import ContextBackstage, ContextSource, Historian, PriceTape, Venue
from arena.records.answer import DocumentBatch, SourceDocument
from arena.records.market import Market, MarketId, PricePoint, VenueId
from arena.records.settings import ContextSettings
from arena.venues.options import read_options

LONGEST_PAST = timedelta(days=90)
PAST = (("a week before", timedelta(days=7)), ("a day before", timedelta(days=1)))
LONGEST_GAP = timedelta(days=1)  # of a price that stands for a moment after it


def from_settings(settings: ContextSettings, backstage: ContextBackstage) -> ContextSource:
    """Build a round's venue as a source.

    Raises:
        ArenaError: `context.option`: an option is given.
    """
    read_options(settings, dict, {}, "it has none")
    return VenueSource(backstage.prices, backstage.venues)


@dataclass(frozen=True, slots=True)
class VenueSource:
    """Tells how prices moved, by the venue's own history or else by the tape."""

    prices: PriceTape
    venues: Mapping[VenueId, Venue]

    async def documents(self, markets: Sequence[Market], as_of: datetime) -> DocumentBatch:
        """Give one document a market with its past prices, and rules that a prompt cuts."""
        taped = self._taped(markets, as_of)
        documents: list[SourceDocument] = []
        failures: dict[str, None] = {}
        for market in markets:
            points: Sequence[PricePoint] = taped.get(market.id, ())
            try:
                points = await self._history(market, as_of) or points
            except ArenaError as error:
                failures[str(error)] = None
            if points:
                documents.append(_prices(market, points, as_of))
            if len(market.rules) > LONGEST_RULES:
                documents.append(_document(market, as_of, "The rules in full", market.rules))
        return DocumentBatch(tuple(documents), failures=tuple(failures))

    async def _history(self, market: Market, as_of: datetime) -> Sequence[PricePoint]:
        venue = self.venues.get(market.venue)
        if not hasattr(venue, "history"):
            return ()
        since = max(market.opens_at or as_of - LONGEST_PAST, as_of - LONGEST_PAST)
        points = await cast("Historian", venue).history(market.id, since, as_of)
        return [point for point in points if point.at <= as_of]

    def _taped(
        self, markets: Sequence[Market], as_of: datetime
    ) -> Mapping[MarketId, list[PricePoint]]:
        ids = [market.id for market in markets]
        opened = [m.opens_at + LONGEST_GAP for m in markets if m.opens_at is not None]
        moments = {*opened, *(as_of - span for _, span in PAST), as_of}
        points: dict[MarketId, set[PricePoint]] = {}
        for moment in sorted(moment for moment in moments if moment <= as_of):
            for market, quote in self.prices.quotes(ids, moment).items():
                if quote.mid is not None:
                    points.setdefault(market, set()).add(PricePoint(quote.at, quote.mid))
        return {m: sorted(of, key=attrgetter("at")) for m, of in points.items()}


def _prices(market: Market, points: Sequence[PricePoint], as_of: datetime) -> SourceDocument:
    first, newest = points[0], points[-1]
    said = {first: f"{_number(first)} on {first.at:%Y-%m-%d}, the first on record"}
    for name, span in PAST:
        before = [point for point in points if point.at <= as_of - span]
        if before and as_of - span - before[-1].at <= LONGEST_GAP:
            said.setdefault(before[-1], f"{_number(before[-1])} {name}")
    said.setdefault(newest, f"{_number(newest)} at {newest.at:%Y-%m-%d %H:%M} UTC, the newest")
    text = f"The price of YES was {'; '.join(said.values())}."
    return _document(market, newest.at, "Past prices", text, has_prices=True)


def _number(point: PricePoint) -> str:
    return f"{point.price.normalize():f}"


def _document(
    market: Market, at: datetime, title: str, text: str, *, has_prices: bool = False
) -> SourceDocument:
    return SourceDocument("", title, text, "", at, (market.id,), has_prices)
