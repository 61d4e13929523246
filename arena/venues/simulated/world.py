"""The whole simulated world: a pure function of a seed, made one day at a time.

An event is drawn from its seed, its day and its number alone, so any day of any year can be
asked for in any order, on any machine, and nothing has to be kept. Who sees how much of it,
and when, is decided in `venue`.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache

import numpy as np

from arena.records.market import EventId, Market, MarketId, State, VenueId
from arena.venues.simulated.book import SimulatedBook, draw_book, draw_fee
from arena.venues.simulated.life import (
    LONGEST,
    Life,
    LifeTurn,
    draw_life,
    draw_turns,
    draw_words,
    with_outcomes,
)
from arena.venues.simulated.paths import event_paths
from arena.venues.simulated.words import Wording, draw_wording, rules_text

HOUR = timedelta(hours=1)
HOURS_A_DAY = 24
LOOK_BACK = LONGEST // HOURS_A_DAY + 1  # days before today whose events may still be open
DAYS_KEPT = 64
SEVERAL_RATE = 0.35  # of events: 3 to 5 outcomes that exclude each other
SEVERAL = (3, 5)

_NUMBERS = re.compile(r"-([1-9][0-9]{0,6})-([1-9][0-9]{0,3})-([1-9])")


@dataclass(frozen=True, slots=True)
class SimulatedMarket:
    """A market with its whole future: `values[h]` is the fair price of YES at hour h.

    The last value is that of the close. `turns` are in the order of time.
    """

    market: Market
    opens_at: datetime
    values: tuple[float, ...]
    turns: tuple[LifeTurn, ...]
    book: SimulatedBook

    def step(self, at: datetime) -> int:
        """Count the whole hours from the opening to `at`; below 0 before the opening."""
        return (at - self.opens_at) // HOUR

    def value(self, step: int) -> float:
        """Give the fair price at an hour of 0 or more; it stands still after the close."""
        return self.values[min(step, len(self.values) - 1)]

    def turn(self, step: int) -> LifeTurn:
        """Give the state that holds at an hour of 0 or more."""
        return next(turn for turn in reversed(self.turns) if turn.step <= step)


@dataclass(frozen=True, slots=True)
class SimulatedEvent:
    """Markets that are decided together, and what befalls them."""

    id: EventId
    opens_at: datetime
    life: Life
    markets: tuple[SimulatedMarket, ...]


class World:
    """All events of all days; a bounded number of days is kept at hand."""

    def __init__(self, venue: VenueId, seed: int, events_per_day: int) -> None:
        self._venue = venue
        self._seed = seed
        self._events = events_per_day
        self._kept = lru_cache(maxsize=DAYS_KEPT)(self._make_day)
        self._worded = lru_cache(maxsize=DAYS_KEPT)(self._word_day)

    def day(self, day: int) -> tuple[SimulatedEvent, ...]:
        """Give the events that open on a day, named by its proleptic Gregorian ordinal."""
        return self._kept(day)

    def find(self, market: MarketId, now: datetime) -> SimulatedMarket | None:
        """Give the market of that id, if it has opened by `now`."""
        if not market.startswith(self._venue):
            return None
        numbers = _NUMBERS.fullmatch(market, len(self._venue))
        if numbers is None:
            return None
        day, number, outcome = (int(n) for n in numbers.groups())
        if day > _today(now) or number > self._events:
            return None
        event = self.day(day)[number - 1]
        if outcome > len(event.markets) or event.opens_at > now:
            return None
        return event.markets[outcome - 1]

    def worded(
        self, question: str, closes_at: datetime, now: datetime
    ) -> SimulatedMarket | None:
        """Give the market that asks this, if it has opened by `now`: a reader knows no ids.

        Where two ask the same until the same hour, it is the one that opened last.
        """
        today = _today(now)
        for day in range(today, max(today - LOOK_BACK, 1) - 1, -1):
            simulated = self._worded(day).get((question, closes_at))
            if simulated is not None and simulated.opens_at <= now:
                return simulated
        return None

    def open_at(self, now: datetime) -> Iterator[SimulatedMarket]:
        """Give the markets that can be traded at `now`, day by day."""
        today = _today(now)
        for day in range(max(today - LOOK_BACK, 1), today + 1):
            for event in self.day(day):
                step = (now - event.opens_at) // HOUR
                if 0 <= step < event.life.close:
                    yield from (m for m in event.markets if m.turn(step).state is State.OPEN)

    def _make_day(self, day: int) -> tuple[SimulatedEvent, ...]:
        return tuple(self._make_event(day, n) for n in range(1, self._events + 1))

    def _word_day(self, day: int) -> dict[tuple[str, datetime | None], SimulatedMarket]:
        markets = (simulated for event in self.day(day) for simulated in event.markets)
        return {
            (simulated.market.question, simulated.market.closes_at): simulated
            for simulated in markets
        }

    def _make_event(self, day: int, number: int) -> SimulatedEvent:
        digest = hashlib.sha256(f"{self._seed}/{day}/{number}".encode()).digest()
        rng = np.random.default_rng(int.from_bytes(digest))
        midnight = datetime.combine(date.fromordinal(day), time(), UTC)
        opens_at = midnight + int(rng.integers(HOURS_A_DAY)) * HOUR
        event = EventId(f"{self._venue}-{day}-{number}")
        return _draw_event(self._venue, event, opens_at, rng)


def _draw_event(
    venue: VenueId, event: EventId, opens_at: datetime, rng: np.random.Generator
) -> SimulatedEvent:
    several = int(rng.integers(*SEVERAL, endpoint=True))
    outcomes = several if rng.random() < SEVERAL_RATE else 1
    life = draw_life(rng)
    paths = event_paths(outcomes, life.close, life.hint, rng)
    first, last = draw_words(life.ending, paths[:, -1], outcomes, rng)
    turns = draw_turns(life, rng)
    hint = opens_at + life.hint * HOUR
    draft = Market(
        MarketId(event),
        venue,
        event,
        question="",
        closes_at=hint,
        opens_at=opens_at,
        exclusive=outcomes > 1,
        rules=rules_text(outcomes),
        fee=draw_fee(rng),
    )
    markets = tuple(
        SimulatedMarket(
            market=market,
            opens_at=opens_at,
            values=tuple(paths[i].tolist()),
            turns=with_outcomes(turns, first[i], last[i]),
            book=draw_book(life.hint, life.close, life.halt, rng),
        )
        for i, market in enumerate(_worded(draft, draw_wording(outcomes, hint, rng)))
    )
    return SimulatedEvent(event, opens_at, life, markets)


def _worded(draft: Market, wording: Wording) -> tuple[Market, ...]:
    return tuple(
        replace(
            draft,
            id=MarketId(f"{draft.event}-{n}"),
            question=question,
            category=wording.category,
        )
        for n, question in enumerate(wording.questions, start=1)
    )


def _today(now: datetime) -> int:
    return now.astimezone(UTC).date().toordinal()
