"""The simulated world as a venue's server sees it: every market at one moment, and its fate.

Everything happens at whole hours and follows from the seed, so a view is the same on every
machine. Nothing here is in any venue's words; the dialects put it into those.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from functools import lru_cache

from arena.records.market import FeeModel, Level, MarketId, Outcome, State, VenueId
from arena.records.money import Price, Usd, price, price_from_micro, usd
from arena.venues.simulated.world import (
    DAYS_KEPT,
    HOUR,
    HOURS_A_DAY,
    MICRO,
    LifeTurn,
    SimulatedEvent,
    SimulatedMarket,
    World,
    quote,
)

DAYS_SHOWN = 60  # how far back a view goes; what is older can still be asked for
HOURS_KEPT = 32
MOST_EVENTS = 9_999  # a day
LAST_DAY = date(9_000, 1, 1).toordinal()

_WORLD = VenueId("world")


@dataclass(frozen=True, slots=True)
class WorldMarket:
    """One market as it is at a view's moment.

    `number` is stable and above 0; `event_number` names the event that `siblings` markets
    share, this one included. `label` tells it from them, and is empty where it has none.
    `closes_at` is the hint. After `closed_at` bids, asks and `last` stand still, as venues
    leave them. `resolved_at` is when the outcome that now holds was given.
    """

    number: int
    event_number: int
    event_title: str
    question: str
    label: str
    rules: str
    category: str
    exclusive: bool
    siblings: int
    opens_at: datetime
    closes_at: datetime
    state: State
    outcome: Outcome | None
    closed_at: datetime | None
    resolved_at: datetime | None
    bids: tuple[Level, ...]
    asks: tuple[Level, ...]
    last: Price | None
    tick: Price
    volume: Usd
    volume_24h: Usd
    liquidity: Usd
    fee: FeeModel

    @property
    def bid(self) -> Price | None:
        """The best bid; None where nobody bids."""
        return self.bids[0].price if self.bids else None

    @property
    def ask(self) -> Price | None:
        """The best ask; None where nobody asks."""
        return self.asks[0].price if self.asks else None

    @property
    def mid(self) -> Price | None:
        """The middle of the spread; None where a side is empty."""
        if self.bid is None or self.ask is None:
            return None
        return price((self.bid + self.ask) / 2)


@dataclass(frozen=True, slots=True)
class Stage:
    """From `at` on a market is in this state."""

    at: datetime
    state: State
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class WorldView:
    """The markets at one moment: those that opened in the last days, by number.

    `find` also gives older ones.
    """

    at: datetime
    markets: tuple[WorldMarket, ...]
    _world: "StandInWorld" = field(repr=False, compare=False)
    _by_number: Mapping[int, WorldMarket] = field(repr=False, compare=False)

    def find(self, number: int) -> WorldMarket | None:
        """Give the market of that number, if it has opened."""
        found = self._by_number.get(number)
        return self._world.market(number, self.at) if found is None else found

    def event(self, event_number: int) -> tuple[WorldMarket, ...]:
        """Give the markets of an event, in their order; empty where there is none."""
        numbers = self._world.numbers(event_number)
        found = (self.find(number) for number in numbers)
        return tuple(market for market in found if market is not None)

    def history(
        self, number: int, since: datetime, until: datetime
    ) -> tuple[tuple[datetime, Price], ...]:
        """Give the fair price at every whole hour of a market's life until the view's moment.

        Both ends count; after the close there is nothing.
        """
        return self._world.history(number, since, min(until, self.at))

    def course(self, number: int) -> tuple[Stage, ...]:
        """Tell the states of a market's whole life, those to come too.

        Raises:
            KeyError: There is no such market.
        """
        return self._world.course(number)

    def earlier(self, ago: timedelta) -> "WorldView":
        """Show the world as it was; changes that were made to this view last for its hour."""
        then = self.at - ago
        same = _hour_of(then) == _hour_of(self.at)
        return replace(self, at=then) if same else self._world.view(then)

    def changed(self, changes: Iterable[WorldMarket]) -> "WorldView":
        """Give a view in which some markets are not as they are."""
        news = {market.number: market for market in changes}
        return replace(
            self,
            markets=tuple(news.get(market.number, market) for market in self.markets),
            _by_number={**self._by_number, **news},
        )


class StandInWorld:
    """All markets of all days, named by numbers.

    Args:
        seed: Names the world.
        events_per_day: How many events open on a day; each has 1 or 3 to 5 markets.
    """

    def __init__(self, seed: int = 1, events_per_day: int = 20) -> None:
        if not 1 <= events_per_day <= MOST_EVENTS:
            raise ValueError(f"a day has 1 to {MOST_EVENTS} events, not {events_per_day}")
        self._world = World(_WORLD, seed, events_per_day)
        self._events = events_per_day
        self._hour = lru_cache(maxsize=HOURS_KEPT)(self._make_hour)
        self._settled = lru_cache(maxsize=DAYS_KEPT)(_nothing_settled)

    def view(self, at: datetime) -> WorldView:
        """Show the world at a moment; within an hour nothing changes."""
        at = at.astimezone(UTC)
        markets, by_number = self._hour(_hour_of(at))
        return WorldView(at, markets, self, by_number)

    def market(self, number: int, at: datetime) -> WorldMarket | None:
        """Show one market at a moment, however old it is; None before it opens."""
        found = self._find(number)
        if found is None or at < found[0].opens_at:
            return None
        return _show(*found, number % 10 - 1, at.astimezone(UTC))

    def truth(self, number: int) -> Outcome:
        """Tell a market's final outcome, whatever the time.

        Raises:
            KeyError: There is no such market.
        """
        outcome = self.course(number)[-1].outcome
        if outcome is None:
            raise KeyError(number)
        return outcome

    def course(self, number: int) -> tuple[Stage, ...]:
        """Tell the states of a market's whole life, in the order of time.

        Raises:
            KeyError: There is no such market.
        """
        found = self._find(number)
        if found is None:
            raise KeyError(number)
        market = found[0].markets[number % 10 - 1]
        return tuple(
            Stage(market.opens_at + turn.step * HOUR, turn.state, turn.outcome)
            for turn in market.turns
        )

    def numbers(self, event_number: int) -> tuple[int, ...]:
        """Name the markets of an event; empty where there is no such event."""
        found = self._find(event_number * 10 + 1)
        many = 0 if found is None else len(found[0].markets)
        return tuple(event_number * 10 + n for n in range(1, many + 1))

    def history(
        self, number: int, since: datetime, until: datetime
    ) -> tuple[tuple[datetime, Price], ...]:
        """Give the fair price at every whole hour of a market's life between two moments."""
        found = self._find(number)
        if found is None:
            return ()
        market = found[0].markets[number % 10 - 1]
        first = max(-(-(since - market.opens_at) // HOUR), 0)
        last = min((until - market.opens_at) // HOUR, found[0].life.close)
        steps = range(first, last + 1)
        return tuple((market.opens_at + n * HOUR, _traded(market, n)) for n in steps)

    def _find(self, number: int) -> tuple[SimulatedEvent, int] | None:
        event_number, outcome = divmod(number, 10)
        day, place = divmod(event_number, MOST_EVENTS + 1)
        if not 1 <= day <= LAST_DAY:
            return None
        if not 1 <= place <= self._events:
            return None
        event = self._world.day(day)[place - 1]
        return (event, event_number) if 1 <= outcome <= len(event.markets) else None

    def _make_hour(
        self, hour: datetime
    ) -> tuple[tuple[WorldMarket, ...], Mapping[int, WorldMarket]]:
        today = hour.date().toordinal()
        markets: list[WorldMarket] = []
        for day in range(max(today - DAYS_SHOWN, 1), today + 1):
            markets += self._day(day, hour)
        return tuple(markets), {market.number: market for market in markets}

    def _day(self, day: int, hour: datetime) -> list[WorldMarket]:
        settled = self._settled(day)
        markets: list[WorldMarket] = []
        for place, event in enumerate(self._world.day(day), start=1):
            if event.opens_at > hour:
                continue
            event_number = day * (MOST_EVENTS + 1) + place
            is_over = _is_over(event, hour)
            known = settled.get(event_number) if is_over else None
            if known is None:
                known = tuple(
                    _show(event, event_number, n, hour) for n in range(len(event.markets))
                )
                if is_over:
                    settled[event_number] = known
            markets += known
        return markets


def _hour_of(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)


def _nothing_settled(day: int) -> dict[int, tuple[WorldMarket, ...]]:  # noqa: ARG001
    return {}


def _is_over(event: SimulatedEvent, hour: datetime) -> bool:
    """Say whether nothing will ever change about it again, its volume of a day included."""
    step = (hour - event.opens_at) // HOUR
    last = max(market.turns[-1].step for market in event.markets)
    return step >= max(last, event.life.close + HOURS_A_DAY)


def _show(event: SimulatedEvent, event_number: int, n: int, at: datetime) -> WorldMarket:
    market = event.markets[n]
    step = market.step(at)
    turn = market.turn(step)
    closed = step >= event.life.close
    frozen = min(step, event.life.close)
    seen = market.book.stopped(frozen)
    seen = frozen if seen is None else seen
    shown = quote(MarketId(""), market.book, market.value(seen), seen, at)
    title, label = _titles(event, n)
    return WorldMarket(
        number=event_number * 10 + n + 1,
        event_number=event_number,
        event_title=title,
        question=market.market.question,
        label=label,
        rules=market.market.rules,
        category=market.market.category,
        exclusive=market.market.exclusive,
        siblings=len(event.markets),
        opens_at=market.opens_at,
        closes_at=market.market.closes_at or market.opens_at,
        state=turn.state,
        outcome=turn.outcome,
        closed_at=market.opens_at + event.life.close * HOUR if closed else None,
        resolved_at=_resolved_at(market, turn),
        bids=shown.bids,
        asks=shown.asks,
        last=_traded(market, seen) if seen else None,
        tick=price_from_micro(market.book.tick),
        volume=_volume(market, frozen),
        volume_24h=usd(_volume(market, frozen) - _volume(market, step - HOURS_A_DAY)),
        liquidity=usd(0) if closed else _liquidity(shown.bids, shown.asks),
        fee=market.market.fee,
    )


def _titles(event: SimulatedEvent, n: int) -> tuple[str, str]:
    """Title an event by what its questions share, and label a market by what they do not."""
    said = [market.market.question.split() for market in event.markets]
    if len(said) == 1:
        return event.markets[0].market.question, ""
    front = _shared(said)
    back = _shared([words[::-1] for words in said])
    start, end = said[0][:front], said[0][len(said[0]) - back :]
    start = start[:-1] if start[-1] == "the" else start
    label = said[n][front : len(said[n]) - back]
    return " ".join((*start, "which", *end)), " ".join(label)


def _shared(said: list[list[str]]) -> int:
    """Count the words that all begin with."""
    pairs = zip(*said, strict=False)
    return next((i for i, words in enumerate(pairs) if len(set(words)) > 1), 0)


def _resolved_at(market: SimulatedMarket, turn: LifeTurn) -> datetime | None:
    return market.opens_at + turn.step * HOUR if turn.state is State.RESOLVED else None


def _traded(market: SimulatedMarket, step: int) -> Price:
    """Round a fair price to the market's grid, off its ends: what a trade would be at."""
    tick = Decimal(market.book.tick) / MICRO
    ticks = (Decimal(market.value(step)) / tick).to_integral_value(ROUND_HALF_EVEN)
    return price(min(max(ticks, Decimal(1)), 1 / tick - 1) * tick)


def _volume(market: SimulatedMarket, step: int) -> Usd:
    close = len(market.values) - 1
    return usd(market.book.volume * min(max(step, 0), close) // (market.book.hours + 1))


def _liquidity(bids: tuple[Level, ...], asks: tuple[Level, ...]) -> Usd:
    buying = sum((level.price * level.shares for level in bids), Decimal(0))
    return usd(sum(((1 - level.price) * level.shares for level in asks), buying))
