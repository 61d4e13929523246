"""The whole simulated world: a pure function of a seed, made one day at a time.

An event is drawn from its seed, its day and its number alone, so any day of any year can be
asked for in any order, on any machine, and nothing has to be kept. Who sees how much of it,
and when, is decided in `venue`.

Fair prices: probabilities that move as martingales until the event is over.

Let B be a Brownian motion that starts at z and runs to time 1. The chance that it ends above
zero, seen at time u, is

    p(u) = P(B(1) > 0 | B up to u) = Phi(B(u) / sqrt(1 - u)),

a conditional probability of one fixed thing, and so a martingale: whatever was seen so far,
its expected change is nothing. Reading it at whole hours keeps that true. Time 1 lies past
the last hour at which a market can close (`BEYOND`), so the last price is inside (0, 1), and
the outcome is drawn with that last price as its chance: the price is calibrated at the end
and, by the martingale property, at every hour before it.

A market may close early. The hour is drawn without a look at the path, which makes it a
stopping time that is bounded, and a martingale stopped at such a time still is one.

Several outcomes of which one comes true share a stick of length 1: the first breaks off the
part q1, the second the part q2 of what is left, and so on, the last takes the rest. Each q is
a martingale and independent of the others, so the products are martingales too, and they add
up to 1 at every hour.

Source: a forecast as the price of a binary claim on Brownian motion, N. N. Taleb, "Election
predictions as martingales: an arbitrage approach", Quantitative Finance 18 (2018); optional
stopping, D. Williams, "Probability with Martingales" (1991), chapter 10; breaking a stick,
J. Sethuraman, "A constructive definition of Dirichlet priors", Statistica Sinica 4 (1994).

What a market's order book looks like around its fair price.
"""

import hashlib
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from arena.records.market import (
    EventId,
    FeeKind,
    FeeModel,
    Level,
    Market,
    MarketId,
    Outcome,
    Quote,
    State,
    VenueId,
)
from arena.records.money import price, price_from_micro, shares, usd

MICRO = 1_000_000  # prices are counted in whole millionths here
CENT, HALF_CENT = 10_000, 5_000  # the grids, in millionths of a dollar
LEVELS = 3

HALF_CENT_RATE = 0.3  # of markets
SPREAD_CENTS = (1, 6)
WIDE_RATE = 0.05  # of markets
WIDE_CENTS = (12, 20)
STALE_RATE = 0.08  # of markets whose book stops for hours, once
STALE_HOURS = (4, 24)
QUADRATIC_RATE, NOTIONAL_RATE = 0.35, 0.08  # of markets; the others charge nothing
QUADRATIC_CENTS = (2, 7)
NOTIONAL_FEE = Decimal("0.01")
VOLUME_MEDIAN, VOLUME_SPREAD = 20_000.0, 1.2  # dollars, sd of the logarithm
DEPTH = (400, 9_000)  # shares at one price


@dataclass(frozen=True, slots=True)
class SimulatedBook:
    """A market's habits: its grid (in millionths), spread (in ticks), depth, and pauses.

    `volume` is what it trades until the close hint, in dollars, and `hours` the time until
    then. In `pause`, from its first hour to past its last, nobody touches the book.
    """

    tick: int
    spread: int
    bid_depth: tuple[int, ...]
    ask_depth: tuple[int, ...]
    volume: int
    hours: int
    pause: tuple[int, int] | None = None

    def stopped(self, step: int) -> int | None:
        """Give the hour since which nobody has touched the book; None while it is alive."""
        if self.pause is not None and self.pause[0] <= step < self.pause[1]:
            return self.pause[0]
        return None


def draw_book(
    hours: int, close: int, halt: tuple[int, int] | None, rng: np.random.Generator
) -> SimulatedBook:
    """Draw a market's habits; a `halt` of trading is a pause of the book."""
    tick = HALF_CENT if rng.random() < HALF_CENT_RATE else CENT
    width = WIDE_CENTS if rng.random() < WIDE_RATE else SPREAD_CENTS
    cents = int(rng.integers(*width, endpoint=True))
    start = int(rng.integers(0, close))
    stale = (start, min(start + int(rng.integers(*STALE_HOURS, endpoint=True)), close))
    stops = rng.random() < STALE_RATE
    depth = [int(n) for n in rng.integers(*DEPTH, size=2 * LEVELS)]
    return SimulatedBook(
        tick=tick,
        spread=cents * CENT // tick,
        bid_depth=tuple(depth[:LEVELS]),
        ask_depth=tuple(depth[LEVELS:]),
        volume=int(VOLUME_MEDIAN * np.exp(VOLUME_SPREAD * rng.standard_normal())),
        hours=hours,
        pause=halt or (stale if stops else None),
    )


def draw_fee(rng: np.random.Generator) -> FeeModel:
    """Draw a market's own taker fee."""
    u, cents = rng.random(), int(rng.integers(*QUADRATIC_CENTS, endpoint=True))
    if u < QUADRATIC_RATE:
        return FeeModel(FeeKind.QUADRATIC, Decimal(cents) / 100)
    if u < QUADRATIC_RATE + NOTIONAL_RATE:
        return FeeModel(FeeKind.NOTIONAL, NOTIONAL_FEE)
    return FeeModel()


def quote(
    market: MarketId, book: SimulatedBook, value: float, step: int, at: datetime
) -> Quote:
    """Quote a market around its fair price.

    The fair price lies between bid and ask, on no side of them in particular. Below one tick
    nobody bids, and above one minus a tick nobody asks.

    Args:
        market: Whose quote it is.
        book: Its habits.
        value: The fair price of YES, in [0, 1].
        step: The hour of its life that the book is from.
        at: The moment that the book is from.
    """
    bids, asks = _bids(book, value), _asks(book, value)
    traded = book.volume * (step + 1) // (book.hours + 1)
    return Quote(
        market,
        bid=bids[0].price if bids else None,
        ask=asks[0].price if asks else None,
        at=at,
        volume=usd(traded),
        bids=bids,
        asks=asks,
    )


def _bids(book: SimulatedBook, value: float) -> tuple[Level, ...]:
    ticks, last = value * MICRO / book.tick, MICRO // book.tick - 1
    best = min(max(math.floor(ticks - (book.spread - 1) / 2), 1), last)
    if best > ticks:
        return ()
    prices = range(best, max(best - LEVELS, 0), -1)
    return _levels(book, prices, book.bid_depth)


def _asks(book: SimulatedBook, value: float) -> tuple[Level, ...]:
    ticks, last = value * MICRO / book.tick, MICRO // book.tick - 1
    best = max(min(math.ceil(ticks + (book.spread - 1) / 2), last), 1)
    if best < ticks:
        return ()
    prices = range(best, min(best + LEVELS, last + 1))
    return _levels(book, prices, book.ask_depth)


def _levels(book: SimulatedBook, prices: range, depth: tuple[int, ...]) -> tuple[Level, ...]:
    pairs = zip(prices, depth, strict=False)
    return tuple(Level(price_from_micro(n * book.tick), shares(many)) for n, many in pairs)


Floats = npt.NDArray[np.float64]

BEYOND = 0.35  # of the longest life: how far past it the Brownian motion would end
SINGLE_SPREAD = 0.8  # sd of the starting point of a yes/no event
STICK_SPREAD = 0.5  # sd of the starting points around equal shares of a stick

_erfc = np.frompyfunc(math.erfc, 1, 1)


def normal_cdf(x: Floats) -> Floats:
    """Give the chance that a standard normal variable is at most `x`, element by element."""
    return np.asarray(0.5 * _erfc(-x / math.sqrt(2)), dtype=np.float64)


def binary_paths(starts: Floats, steps: int, longest: int, rng: np.random.Generator) -> Floats:
    """Draw independent martingales in (0, 1), one for each starting point.

    Args:
        starts: Where each Brownian motion starts; its first price is Phi of it.
        steps: How many hours to draw.
        longest: The most hours that could have been drawn, at least `steps`.
        rng: Where chance comes from.

    Returns:
        Prices at the hours 0 to `steps`, an array of shape (len(starts), steps + 1).

    Source: the module's docstring.
    """
    horizon = longest * (1 + BEYOND)
    moves = rng.standard_normal((len(starts), steps)) / math.sqrt(horizon)
    walk = np.concatenate([starts[:, None], moves], axis=1).cumsum(axis=1)
    left = 1 - np.arange(steps + 1) / horizon
    return normal_cdf(walk / np.sqrt(left))


def break_stick(parts: Floats) -> Floats:
    """Share a stick of length 1: row i takes `parts[i]` of what the rows before it left.

    Args:
        parts: Fractions in [0, 1], shape (k, hours).

    Returns:
        Shares that add up to 1 in every column, shape (k + 1, hours).

    Source: the module's docstring.
    """
    ones = np.ones((1, parts.shape[1]))
    left = np.concatenate([ones, np.cumprod(1 - parts, axis=0)])
    shares: Floats = left * np.concatenate([parts, ones])
    return shares


def event_paths(outcomes: int, steps: int, longest: int, rng: np.random.Generator) -> Floats:
    """Draw the prices of all outcomes of one event.

    Args:
        outcomes: 1 for a yes/no event, whose second row is NO; else how many exclude each
            other.
        steps: Hours until the event closes.
        longest: Hours until it closes at the latest.
        rng: Where chance comes from.

    Returns:
        Prices that add up to 1 at every hour, shape (max(outcomes, 2), steps + 1).
    """
    cuts = max(outcomes - 1, 1)
    spread = SINGLE_SPREAD if outcomes == 1 else STICK_SPREAD
    shares = [1 / (cuts + 1 - i) for i in range(cuts)]
    centres = np.array([NormalDist().inv_cdf(share) for share in shares])
    starts = centres + spread * rng.standard_normal(cuts)
    return break_stick(binary_paths(starts, steps, longest, rng))


MARK = "Simulated: "  # how every question starts
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
PLACES = (
    "Vela", "Tessaly", "Orrin", "Calder Bay", "Mirren", "Lunde", "Asterholm", "Pell",
    "Quillan", "Norvik", "Sable Coast", "Istra Vale", "Hartsel", "Bramley Isle",
)  # fmt: skip
TEAMS = (
    "Vela Rovers", "Tessaly United", "Orrin Larks", "Calder Herons", "Mirren Foxes",
    "Lunde Rowers", "Pell Wanderers", "Norvik Swifts",
)  # fmt: skip
PEOPLE = (
    "A. Hollin", "B. Marrick", "C. Tove", "D. Ansel", "E. Quill", "F. Rowan", "G. Lisle",
    "H. Varga",
)  # fmt: skip
LABS = (
    "the Vela Observatory", "the Pell Institute", "the Lunde Station",
    "the Norvik Laboratory", "the Mirren Survey", "the Orrin Archive",
)  # fmt: skip
SINGLES = {
    "economy": (
        "will the {place} index close above {number} by {date}?",
        "will the {place} central bank change its rate by {date}?",
        "will {place} report more than {number} new firms by {date}?",
    ),
    "weather": (
        "will {place} measure more than {few} mm of rain by {date}?",
        "will a named storm reach {place} by {date}?",
        "will {place} see a night below freezing by {date}?",
    ),
    "sport": (
        "will {team} win the next match by {date}?",
        "will the {place} marathon record fall by {date}?",
        "will {team} score more than {few} points by {date}?",
    ),
    "science": (
        "will {lab} publish its catalogue by {date}?",
        "will {lab} count more than {number} sightings by {date}?",
        "will the {place} probe send a picture by {date}?",
    ),
    "politics": (
        "will the {place} council pass its harbour bill by {date}?",
        "will turnout in {place} exceed {few} percent on {date}?",
        "will {place} and its neighbour sign the water treaty by {date}?",
    ),
    "technology": (
        "will {lab} open its new computer to the public by {date}?",
        "will the {place} network carry more than {number} calls by {date}?",
        "will {place} license a driverless ferry by {date}?",
    ),
    "health": (
        "will {place} report more than {few} cases of lake fever by {date}?",
        "will the {place} clinic open its new wing by {date}?",
        "will {lab} begin its vaccine trial by {date}?",
    ),
    "culture": (
        "will the {place} museum sell more than {number} tickets by {date}?",
        "will a film from {place} win the lantern prize by {date}?",
        "will the {place} festival be held on {date}?",
    ),
    "energy": (
        "will the {place} reservoir be more than {few} percent full on {date}?",
        "will the {place} wind farm go on line by {date}?",
        "will the price of lamp oil in {place} rise by {date}?",
    ),
    "travel": (
        "will more than {number} ships call at {place} by {date}?",
        "will the {place} bridge reopen by {date}?",
        "will the night train to {place} run again by {date}?",
    ),
}
SEVERAL_QUESTIONS = {
    "economy": (PLACES, "will {name} export the most timber in the report of {date}?"),
    "weather": (PLACES, "will {name} be the warmest town on {date}?"),
    "sport": (TEAMS, "will {name} win the {place} cup on {date}?"),
    "science": (LABS, "will {name} be first to map the {place} ridge by {date}?"),
    "politics": (PEOPLE, "will {name} be elected mayor of {place} on {date}?"),
    "technology": (LABS, "will {name} win the {place} robot race on {date}?"),
    "health": (PLACES, "will {name} have the longest-lived people in the report of {date}?"),
    "culture": (PEOPLE, "will {name} win the {place} poetry prize on {date}?"),
    "energy": (PLACES, "will {name} burn the most peat in the report of {date}?"),
    "travel": (PLACES, "will {name} have the most visitors in the report of {date}?"),
}


@dataclass(frozen=True, slots=True)
class Wording:
    """What an event is about: its category and one question for each of its markets."""

    category: str
    questions: tuple[str, ...]


def draw_wording(outcomes: int, closes_at: datetime, rng: np.random.Generator) -> Wording:
    """Draw the questions of an event that is expected to close at `closes_at`, in UTC."""
    category = _pick(tuple(SINGLES), rng)
    facts = {
        "date": f"{closes_at.day} {MONTHS[closes_at.month - 1]} {closes_at.year}",
        "place": _pick(PLACES, rng),
        "team": _pick(TEAMS, rng),
        "lab": _pick(LABS, rng),
        "number": str(int(rng.integers(120, 980))),
        "few": str(int(rng.integers(12, 88))),
    }
    if outcomes == 1:
        questions: tuple[str, ...] = (_pick(SINGLES[category], rng).format(**facts),)
    else:
        names, question = SEVERAL_QUESTIONS[category]
        chosen = [names[i] for i in rng.permutation(len(names))[:outcomes]]
        questions = tuple(question.format(name=name, **facts) for name in chosen)
    return Wording(category, tuple(MARK + question for question in questions))


def rules_text(outcomes: int) -> str:
    """Say how a market is decided, in the place of a venue's own rules."""
    one_of = "exactly one market of the event resolves YES" if outcomes > 1 else "YES or NO"
    return (
        "This market is invented. It resolves by the simulation's own chance, with its last "
        f"fair price as the chance of YES: {one_of}, unless it is void or split. Nothing in "
        "the real world is measured."
    )


def _pick(words: tuple[str, ...], rng: np.random.Generator) -> str:
    return words[int(rng.integers(len(words)))]


# What befalls an event: when it closes, whether it stops on the way, and how it ends.
#
# Every rate is the share of events, or of markets where it says so, that meet with it. When
# and how an event ends is drawn without a look at its prices, so it tells nothing about the
# outcome; the outcome itself is drawn from the last price.

SHORTEST, USUAL, LONGEST = 24, 8 * 24, 14 * 24  # hours from opening to the close hint
LONG_RATE = 0.08  # lives between USUAL and LONGEST
EARLY_RATE = 0.10  # closes before the hint
HALT_RATE = 0.03  # trading stops for some hours
VOID_RATE = 0.02
FRACTION_RATE = 0.02
PROPOSED_RATE = 0.5  # its outcome is proposed before it is final
DISPUTE_RATE = 0.04
CHANGE_RATE = 0.01  # resolved, and days later resolved the other way

LONGEST_WAIT = 24  # hours from the close to the venue's word
DISPUTE_HOURS = (24, 48)
CHANGE_HOURS = (24, 72)
HALT_HOURS = (2, 12)
FRACTIONS = (Decimal("0.25"), Decimal("0.4"), Decimal("0.5"), Decimal("0.6"), Decimal("0.75"))


class Ending(StrEnum):
    """How an event comes to its final word."""

    PLAIN = "plain"
    DISPUTED = "disputed"
    CHANGED = "changed"
    VOID = "void"
    FRACTION = "fraction"


RATES = {
    Ending.DISPUTED: DISPUTE_RATE,
    Ending.CHANGED: CHANGE_RATE,
    Ending.VOID: VOID_RATE,
    Ending.FRACTION: FRACTION_RATE,
}


@dataclass(frozen=True, slots=True)
class Life:
    """An event's course in hours since it opened. `halt` is from its first to past its last."""

    hint: int
    close: int
    ending: Ending
    halt: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class LifeTurn:
    """From hour `step` on a market is in this state."""

    step: int
    state: State
    outcome: Outcome | None = None


def draw_life(rng: np.random.Generator) -> Life:
    """Draw when an event is expected to close, when it does, and how it will end."""
    lengths = (USUAL, LONGEST) if rng.random() < LONG_RATE else (SHORTEST, USUAL)
    hint = int(rng.integers(*lengths, endpoint=True))
    share = rng.uniform(0.3, 0.9)
    close = int(hint * share) if rng.random() < EARLY_RATE else hint
    return Life(hint, close, _ending(rng.random()), _halt(close, rng))


def draw_words(
    ending: Ending, chances: Floats, listed: int, rng: np.random.Generator
) -> tuple[tuple[Outcome, ...], tuple[Outcome, ...]]:
    """Draw what the venue says first and last; they differ only for `Ending.CHANGED`.

    Args:
        ending: How the event comes to its final word.
        chances: The last price of every outcome, adding up to 1; for a yes/no event those
            of YES and NO.
        listed: How many of the outcomes are markets: 1 for a yes/no event.
        rng: Where chance comes from.

    Returns:
        The first and the last outcome of each market.
    """
    true = min(int(np.searchsorted(chances.cumsum(), rng.random())), len(chances) - 1)
    other = (true + int(rng.integers(1, len(chances)))) % len(chances)
    fraction = FRACTIONS[int(rng.integers(len(FRACTIONS)))]
    right, wrong = _one_hot(true, listed), _one_hot(other, listed)
    if ending is Ending.VOID:
        right = (Outcome(None),) * listed
    elif ending is Ending.FRACTION and listed == 1:
        right = (Outcome(price(fraction)),)
    elif ending is Ending.FRACTION:
        tie = Outcome(price("0.5"))
        right = tuple(tie if i in {true, other} else word for i, word in enumerate(right))
    return (wrong if ending is Ending.CHANGED else right), right


def draw_turns(life: Life, rng: np.random.Generator) -> tuple[LifeTurn, ...]:
    """Draw the states of an event's life, with no outcome in them yet.

    The last turn is RESOLVED; for `Ending.CHANGED` so is the last but one.
    """
    turns = [LifeTurn(0, State.OPEN)]
    if life.halt is not None:
        start, end = life.halt
        turns += [LifeTurn(start, State.HALTED), LifeTurn(end, State.OPEN)]
    waiting = State.PROPOSED if rng.random() < PROPOSED_RATE else State.CLOSED_PENDING
    turns.append(LifeTurn(life.close, waiting))
    word = life.close + int(rng.integers(1, LONGEST_WAIT, endpoint=True))
    if life.ending is Ending.DISPUTED:
        turns.append(LifeTurn(word, State.DISPUTED))
        word += int(rng.integers(*DISPUTE_HOURS, endpoint=True))
    elif life.ending is Ending.CHANGED:
        turns.append(LifeTurn(word, State.RESOLVED))
        word += int(rng.integers(*CHANGE_HOURS, endpoint=True))
    return (*turns, LifeTurn(word, State.RESOLVED))


def with_outcomes(
    turns: tuple[LifeTurn, ...], first: Outcome, last: Outcome
) -> tuple[LifeTurn, ...]:
    """Say one market's outcomes at the turns that have one."""
    final = len(turns) - 1
    return tuple(
        replace(turn, outcome=last if n == final else first)
        if turn.state is State.RESOLVED
        else turn
        for n, turn in enumerate(turns)
    )


def _ending(u: float) -> Ending:
    for ending, rate in RATES.items():
        if u < rate:
            return ending
        u -= rate
    return Ending.PLAIN


def _halt(close: int, rng: np.random.Generator) -> tuple[int, int] | None:
    start = int(rng.integers(1, close - 1))
    hours = int(rng.integers(*HALT_HOURS, endpoint=True))
    halted = rng.random() < HALT_RATE
    return (start, min(start + hours, close - 1)) if halted else None


def _one_hot(winner: int, listed: int) -> tuple[Outcome, ...]:
    return tuple(Outcome(price(1 if i == winner else 0)) for i in range(listed))


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
