"""What each contestant is shown, from the tape as it was when the round was laid out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

from arena.ledger.order_limits import DecisionDesk, Tradable
from arena.records.answer import Briefing, Holding, Offer, SourceDocument
from arena.records.cohort import Cohort, ContestantId
from arena.records.market import Market, MarketId, Quote, State
from arena.records.money import Usd
from arena.records.trade import Book, Position, Reversed, Settled
from arena.steps.rounds.universe import Honeypot, as_offer, honeypot
from arena.store import Store
from arena.store.journal.books import Round

DIGITS = 6  # of a digest, enough to tell a contestant's few holdings apart


@dataclass(frozen=True, slots=True)
class Scene:
    """What is the same for every contestant of a round.

    `closed` are markets that have stopped trading since the round was laid out: what is said
    of them now comes too late.
    """

    cohort: Cohort
    round: Round
    offers: tuple[Offer, ...]
    closed: frozenset[MarketId] = frozenset()
    documents: tuple[SourceDocument, ...] = ()
    honeypot: Honeypot | None = None

    @property
    def deadline(self) -> datetime:
        """Nobody is asked after it: later news must not buy at these prices."""
        return deadline_of(self.cohort, self.round)

    def is_late(self, at: datetime) -> bool:
        """Say whether an answer may have been given after the round's own moment."""
        return bool(self.cohort.spec.rules.answer_within) and at > self.round.at

    def is_open(self, at: datetime) -> bool:
        """Say whether somebody may still be asked."""
        return at <= self.deadline


def deadline_of(cohort: Cohort, played: Round) -> datetime:
    """Until when a round takes answers: as its rules say, else while its prices are fresh."""
    rules = cohort.spec.rules
    return played.at + (rules.answer_within or rules.max_quote_age)


def set_scene(store: Store, cohort: Cohort, played: Round, at: datetime) -> Scene:
    """Read a round's offers back from the tape, as they are to be shown at a moment."""
    markets = store.tape.markets(played.offered, played.at)
    quotes = store.tape.quotes(played.offered, played.at)
    bait = None
    if cohort.spec.honeypot:
        bait = honeypot(
            cohort.id, played.number, played.at, played.seed, like=_typical(markets)
        )
    shown = [*played.offered, *([bait.market.id] if bait else [])]
    offers = tuple(
        as_offer(bait, alias)
        if bait and market == bait.market.id
        else Offer(alias, markets[market], quotes[market])
        for alias, market in named(shown, played.seed)
    )
    taped = store.tape.context(cohort.id, played.number) if cohort.spec.context else None
    documents = taped.context.documents if taped else ()
    return Scene(cohort, played, offers, _closed_since(store, played, at), documents, bait)


def _typical(markets: Mapping[MarketId, Market]) -> Market | None:
    """A market like most of a round's; None where it has none."""
    order = sorted(markets.values(), key=lambda market: (market.category, market.id))
    return order[len(order) // 2] if order else None


def named(markets: Iterable[MarketId], seed: str) -> list[tuple[str, MarketId]]:
    """Put markets in the order of a seed, under the aliases M1, M2 and so on.

    So a place in the list says nothing of a market's volume, and no market's text can know
    its own name. Without a seed the order stays as it is.
    """
    order = list(markets)
    if seed:
        order.sort(key=lambda market: sha256(f"{seed}/{market}".encode()).digest())
    return [(f"M{n}", market) for n, market in enumerate(order, 1)]


def _closed_since(store: Store, played: Round, at: datetime) -> frozenset[MarketId]:
    if at <= played.at:
        return frozenset()
    return _closed_by(store, played.offered, at)


def _closed_by(store: Store, markets: Iterable[MarketId], at: datetime) -> frozenset[MarketId]:
    statuses = store.tape.statuses(markets, at)
    return frozenset(m for m, status in statuses.items() if status.state is not State.OPEN)


@dataclass(frozen=True, slots=True)
class Seated:
    """A contestant at its desk: what it is shown, and what its decision is judged by."""

    briefing: Briefing
    desk: DecisionDesk


def brief(store: Store, scene: Scene, contestant: ContestantId, at: datetime) -> Seated:
    """Add a contestant's own books to the scene.

    Markets it held when the round was laid out, and that the round does not offer, can be
    sold while they trade. Their names stay when they trade no more, or an answer that was
    given before could not be read any more.
    """
    cohort, played = scene.cohort, scene.round
    rules = cohort.spec.rules
    positions = store.books.held_by(cohort.id, contestant)
    cash = store.books.purse(cohort.id, contestant).cash
    then = _undone(store, scene, contestant, positions, cash) if at > played.at else None
    shown, stated_cash = then or (positions, cash)
    sell_only = _held_offers(store, scene, {p.market for p in (*positions, *shown)})
    desk = DecisionDesk(
        round=played.number,
        at=played.at,
        cash=min(cash, stated_cash),
        markets=_tradable(store, scene, sell_only, positions, at),
        positions={(p.market, p.side): p for p in positions},
        rules=rules,
    )
    by_market = {o.market.id: o for o in scene.offers + sell_only}
    limits = replace(desk, cash=stated_cash)
    facts = store.tape.markets({p.market for p in shown}, played.at)
    tradables = {m: Tradable(f, None, is_open=m in by_market) for m, f in facts.items()}
    briefing = Briefing(
        cohort=cohort.id,
        round=played.number,
        contestant=contestant,
        at=played.at,
        offers=scene.offers,
        cash=stated_cash,
        cap=limits.cap,
        floor=limits.floor,
        holdings=tuple(_holding(p, by_market, tradables) for p in shown),
        rules=rules,
        sell_only=sell_only,
        started_at=cohort.started_at,
        seed=played.seed,
        documents=scene.documents,
    )
    return Seated(briefing, desk)


def _undone(
    store: Store,
    scene: Scene,
    contestant: ContestantId,
    positions: Sequence[Position],
    cash: Usd,
) -> tuple[Sequence[Position], Usd]:
    """A contestant's books as they were when the round was laid out.

    Until its turn is judged nothing but settlements can have moved them. What has come out
    since then is shown to nobody.
    """
    cohort = scene.cohort.id
    held = {(p.market, p.side): p for p in positions}
    since = f"round:{cohort}:{scene.round.number}"
    for entry in store.journal.after(since, cohort, contestant):
        event = entry.event
        if isinstance(event, Settled):
            held[event.market, event.side] = Position(
                cohort, contestant, event.market, event.side, event.shares, event.cost
            )
        elif isinstance(event, Reversed):
            held.pop((event.market, event.side), None)
        cash = Usd(cash - sum(p.amount for p in entry.postings if p.account.book is Book.CASH))
    return [held[key] for key in sorted(held)], cash


def _held_offers(store: Store, scene: Scene, held: set[MarketId]) -> tuple[Offer, ...]:
    extra = sorted(held - set(scene.round.offered))
    if not extra:
        return ()
    at, seed = scene.round.at, scene.round.seed
    markets, quotes = store.tape.markets(extra, at), store.tape.quotes(extra, at)
    closed = _closed_by(store, extra, at)
    trading = [m for m in extra if m in quotes and m not in closed]
    names = _names_held(trading, seed, after=len(scene.offers))
    return tuple(Offer(names[m], markets[m], quotes[m]) for m in trading)


def _names_held(
    trading: Sequence[MarketId], seed: str, *, after: int
) -> Mapping[MarketId, str]:
    """Name what is held so that a name stays when another holding goes.

    An answer may be read long after it was asked for: its names must not have moved by then.
    """
    if not seed:
        return {m: f"M{n}" for n, m in enumerate(trading, after + 1)}
    digests = {m: sha256(f"{seed}/{m}".encode()).hexdigest() for m in trading}
    digits = DIGITS
    while len({d[:digits] for d in digests.values()}) < len(digests):
        digits += 1
    return {m: f"H{digest[:digits]}" for m, digest in digests.items()}


def _tradable(
    store: Store,
    scene: Scene,
    sell_only: Sequence[Offer],
    positions: Sequence[Position],
    now: datetime,
) -> dict[MarketId, Tradable]:
    bait = scene.honeypot.market.id if scene.honeypot else None
    markets = {
        o.market.id: Tradable(o.market, None, is_open=False)
        if o.market.id in scene.closed
        else Tradable(o.market, o.quote)
        for o in scene.offers
        if o.market.id != bait
    }
    gone = _closed_by(store, (o.market.id for o in sell_only), max(scene.round.at, now))
    for offer in sell_only:
        is_open = offer.market.id not in gone
        quote = offer.quote if is_open else None
        markets[offer.market.id] = Tradable(offer.market, quote, is_open, offered=False)
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
        is_closed=not markets[position.market].is_open,
    )
