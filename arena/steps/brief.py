"""What each contestant is shown, from the tape as it was when the round was laid out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from arena.ledger.admit import Desk, Tradable
from arena.records.briefing import Briefing, Holding, Offer
from arena.records.cohort import Cohort, ContestantId
from arena.records.market import MarketId, Quote, State
from arena.records.trade import Position
from arena.store import Store
from arena.store.books import Round


@dataclass(frozen=True, slots=True)
class Scene:
    """What is the same for every contestant of a round."""

    cohort: Cohort
    round: Round
    offers: tuple[Offer, ...]

    def is_fresh(self, at: datetime) -> bool:
        """Say whether somebody may still be asked: later news must not buy at these prices."""
        return at - self.round.at <= self.cohort.spec.rules.max_quote_age


def set_scene(store: Store, cohort: Cohort, played: Round) -> Scene:
    """Read a round's offers back from the tape."""
    markets = store.tape.markets(played.offered, played.at)
    quotes = store.tape.quotes(played.offered, played.at)
    offers = (
        Offer(f"M{n}", markets[market], quotes[market])
        for n, market in enumerate(played.offered, 1)
    )
    return Scene(cohort, played, tuple(offers))


@dataclass(frozen=True, slots=True)
class Seated:
    """A contestant at its desk: what it is shown, and what its decision is judged by."""

    briefing: Briefing
    desk: Desk


def brief(store: Store, scene: Scene, contestant: ContestantId) -> Seated:
    """Add a contestant's own books to the scene.

    Markets it holds that the round does not offer can be sold, while they trade.
    """
    cohort, played = scene.cohort, scene.round
    rules = cohort.spec.rules
    positions = store.books.held_by(cohort.id, contestant)
    sell_only = _held_offers(store, scene, positions)
    desk = Desk(
        round=played.number,
        at=played.at,
        cash=store.books.purse(cohort.id, contestant).cash,
        markets=_tradable(store, scene, sell_only, positions),
        positions={(p.market, p.side): p for p in positions},
        rules=rules,
    )
    by_market = {o.market.id: o for o in scene.offers + sell_only}
    briefing = Briefing(
        cohort=cohort.id,
        round=played.number,
        contestant=contestant,
        at=played.at,
        offers=scene.offers,
        cash=desk.cash,
        cap=desk.cap,
        floor=desk.floor,
        holdings=tuple(_holding(p, by_market, desk.markets) for p in positions),
        rules=rules,
        sell_only=sell_only,
    )
    return Seated(briefing, desk)


def _held_offers(
    store: Store, scene: Scene, positions: Sequence[Position]
) -> tuple[Offer, ...]:
    offered = set(scene.round.offered)
    extra = sorted({p.market for p in positions} - offered)
    if not extra:
        return ()
    at = scene.round.at
    markets, quotes = store.tape.markets(extra, at), store.tape.quotes(extra, at)
    statuses = store.tape.statuses(extra, at)
    trading = [
        m
        for m in extra
        if m in quotes and (m not in statuses or statuses[m].state is State.OPEN)
    ]
    first = len(scene.offers) + 1
    return tuple(Offer(f"M{n}", markets[m], quotes[m]) for n, m in enumerate(trading, first))


def _tradable(
    store: Store, scene: Scene, sell_only: Sequence[Offer], positions: Sequence[Position]
) -> dict[MarketId, Tradable]:
    markets = {o.market.id: Tradable(o.market, o.quote) for o in scene.offers}
    for offer in sell_only:
        markets[offer.market.id] = Tradable(offer.market, offer.quote, offered=False)
    closed = sorted({p.market for p in positions} - markets.keys())
    for market, facts in store.tape.markets(closed, scene.round.at).items():
        markets[market] = Tradable(facts, None, is_open=False)
    return markets


def _holding(
    position: Position,
    offers: Mapping[MarketId, Offer],
    markets: Mapping[MarketId, Tradable],
) -> Holding:
    offer = offers.get(position.market)
    quote: Quote | None = offer.quote if offer else None
    return Holding(
        alias=offer.alias if offer else None,
        market=position.market,
        question=markets[position.market].market.question,
        side=position.side,
        shares=position.shares,
        cost=position.cost,
        worth=quote.sell(position.side) if quote else None,
    )
