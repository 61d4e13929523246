"""What an author of a venue tests it with: claims that every adapter passes, ours too.

Subclass `VenueSuite` in a test file, and pytest finds its tests. Nothing here needs pytest:

    class TestMyVenue(VenueSuite):
        moments = (datetime(2026, 1, 5, tzinfo=UTC), datetime(2026, 1, 7, tzinfo=UTC))

        def make(self, clock: Clock) -> Venue:
            return my_venue(server=..., clock=clock)

A `ScriptedLlm` says what it was given to say.
"""

import asyncio
import unittest
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from typing import Protocol, TypeVar

from arena.clock import HandClock, SystemClock
from arena.errors import ArenaError
from arena.ports import Clock, Venue
from arena.records.answer import Completion, Question, Trouble
from arena.records.market import Catalogue, Level, Market, MarketId, Quote, State, Status

Script = Callable[[Question], "str | Completion"]


@dataclass(slots=True)
class ScriptedLlm:
    """Says its lines and remembers in `asked` what it was asked.

    `replies` are lines to say in order, or a function that finds the line for a question. A
    line may be a whole `Completion`, so that trouble can be scripted too. Once the lines are
    used up, every answer is empty.
    """

    replies: Iterable[str | Completion] | Script
    asked: list[Question] = field(default_factory=list)
    _script: Script = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if callable(self.replies):
            self._script = self.replies
            return
        lines = iter(self.replies)
        silence = Completion(
            text=None, trouble=Trouble.EMPTY, detail="the script has no more lines"
        )
        self._script = lambda _: next(lines, silence)

    async def complete(self, question: Question) -> Completion:
        """Say the next line."""
        self.asked.append(question)
        line = self._script(question)
        if isinstance(line, Completion):
            return line
        return Completion(text=line, raw=line.encode(), model="scripted", finish="stop")


_Make = Callable[[Clock], Venue]
_T = TypeVar("_T")

STRANGERS = tuple(
    MarketId(name)
    for name in ("never-heard-of", "elsewhere:1", "", ":", "a/../b?c=d&e#f", "\0", "é" * 300)
)


class VenueSuite:
    """Claims about a venue; each raises `AssertionError` where it does not hold.

    What the venue itself raises is not caught: a test that meets it fails with it.

    A subclass gives `make` and, if it likes, more of these facts:

    `moments` are those at which the venue is asked, in order; where there are none it is
    asked once, by the system's clock. `some_ids` are markets that it knows and may not list
    any more. `strangers` are no markets of it. A venue that cannot be wound back, such as
    a live one, sets `repeatable` to False. By the moment `ended_by` everything that is listed
    at the first moment has an outcome.
    """

    moments: Sequence[datetime] = ()
    some_ids: Sequence[MarketId] = ()
    strangers: Sequence[MarketId] = STRANGERS
    repeatable: bool = True
    ended_by: datetime | None = None

    def make(self, clock: Clock) -> Venue:
        """Build the venue, as if it had just been started; it is used in one event loop."""
        raise NotImplementedError("a suite says how its venue is made")

    def make_broken(self, clock: Clock) -> Iterable[Venue]:  # noqa: ARG002  for a subclass
        """Build it over servers that cannot be read: silent, refusing, sending nonsense.

        Each is used before the next one is asked for, so one server may break in turns.
        """
        return ()

    def test_something_is_listed(self) -> None:
        """At one moment at least there is something to trade: else nothing was tried."""
        _hold(
            any(seen.listed for seen in self._observations()), "nothing is listed at any moment"
        )

    def test_a_market_is_listed_once(self) -> None:
        """A catalogue names no market twice."""
        for seen in self._observations():
            twice = _repeated(market.id for market in seen.catalogue.markets)
            _hold(not twice, f"listed more than once: {twice}")

    def test_markets_of_an_event_can_be_told_apart(self) -> None:
        """No two markets of one event have the same question and the same labels."""
        for seen in self._observations():
            each = {m.id: m for m in seen.catalogue.markets}.values()
            twice = _repeated((m.event, m.question, m.labels) for m in each)
            _hold(not twice, f"nothing tells these apart: {twice}")

    def test_a_catalogues_quotes_are_of_its_markets(self) -> None:
        """A catalogue has at most one quote of a market, and only of those it lists."""
        for seen in self._observations():
            quoted = [quote.market for quote in seen.catalogue.quotes]
            twice = _repeated(quoted)
            _hold(not twice, f"quoted more than once in the catalogue: {twice}")
            others = sorted(set(quoted) - set(seen.listed))
            _hold(not others, f"quoted in the catalogue, but not listed: {others}")

    def test_an_answer_is_filed_under_its_own_market(self) -> None:
        """A quote or a status is of the market that it is given for, which was asked for."""
        for seen in self._observations():
            for key, fact in seen.facts():
                _hold(key == fact.market, f"under {key!r} is what is known of {fact.market!r}")
                _hold(key in seen.asked, f"nobody asked about {key!r}")

    def test_nothing_is_from_after_its_moment(self) -> None:
        """No quote and no status is from later than the clock; each time has a zone."""
        for seen in self._observations():
            for what, at in seen.times():
                _hold(at.tzinfo is not None, f"{what} has a time without a zone: {at}")
                _hold(at <= seen.now, f"{what} is from {at}, and it is {seen.now}")

    def test_a_price_is_a_probability(self) -> None:
        """Every price is a Decimal in [0, 1], and no amount is below zero."""
        for seen in self._observations():
            for quote in seen.all_quotes():
                for value in _prices(quote):
                    _hold(_within(value, 1), f"{quote.market!r} has the price {value!r}")
                for value in _amounts(quote):
                    _hold(_within(value), f"{quote.market!r} has the amount {value!r}")

    def test_a_book_begins_with_the_best(self) -> None:
        """Depth is best first, and where it is given its best level is the bid or the ask."""
        for seen in self._observations():
            for quote in seen.all_quotes():
                bids = [level.price for level in quote.bids]
                asks = [level.price for level in quote.asks]
                _hold(all(a > b for a, b in pairwise(bids)), f"bids {bids} of {quote.market!r}")
                _hold(all(a < b for a, b in pairwise(asks)), f"asks {asks} of {quote.market!r}")
                _is_best("bid", quote, quote.bid, bids)
                _is_best("ask", quote, quote.ask, asks)

    def test_what_is_listed_can_be_traded(self) -> None:
        """A listed market's status, where there is one, is OPEN at the same moment."""
        for seen in self._observations():
            states = {m: seen.statuses[m].state for m in seen.listed if m in seen.statuses}
            others = {m: state for m, state in states.items() if state is not State.OPEN}
            _hold(not others, f"listed, but not open: {others}")

    def test_what_is_listed_has_not_ended(self) -> None:
        """A listed market has no close hint that is past: then nobody knows when it closes."""
        for seen in self._observations():
            past = [
                m.id for m in seen.catalogue.markets if m.closes_at and m.closes_at <= seen.now
            ]
            _hold(not past, f"listed, and ended by {seen.now}: {past}")

    def test_an_outcome_belongs_to_what_is_resolved(self) -> None:
        """A status has an outcome if it is RESOLVED, and only then."""
        for seen in self._observations():
            for status in seen.statuses.values():
                has_outcome = status.outcome is not None
                _hold(has_outcome == (status.state is State.RESOLVED), f"{status} is at odds")

    def test_a_stranger_is_left_out(self) -> None:
        """What is no market of this venue has no quote and no status, and harms no other."""

        async def check(venue: Venue, clock: Clock) -> None:
            strangers = list(self.strangers)
            _hold(not await venue.quotes(strangers), "a stranger has a quote")
            _hold(not await venue.statuses(strangers), "a stranger has a status")
            listed = list((await _look(venue, clock, self.some_ids)).asked)[:3]
            mixed = [*strangers, *listed]
            without, with_them = await venue.quotes(listed), await venue.quotes(mixed)
            _hold(set(with_them) == set(without), "a stranger changes who has a quote")
            alone, among = await venue.statuses(listed), await venue.statuses(mixed)
            _hold(set(among) == set(alone), "a stranger changes who has a status")

        self._try(check)

    def test_nothing_asked_is_nothing_answered(self) -> None:
        """An empty question has an empty answer."""

        async def check(venue: Venue, _: Clock) -> None:
            _hold(not await venue.quotes([]), "quotes of nothing")
            _hold(not await venue.statuses([]), "statuses of nothing")
            _hold(not await venue.details([]), "details of nothing")

        self._try(check)

    def test_markets_may_be_named_by_any_iterable(self) -> None:
        """An iterator, and a name twice over, are answered as a list of names is."""

        async def check(venue: Venue, clock: Clock) -> None:
            seen = await _look(venue, clock, self.some_ids)
            twice = [*seen.asked, *seen.asked]
            quotes, statuses = (
                await venue.quotes(iter(twice)),
                await venue.statuses(iter(twice)),
            )
            _hold(set(quotes) == set(seen.quotes), "an iterator has other quotes than a list")
            _hold(set(statuses) == set(seen.statuses), "an iterator has other statuses")

        self._try(check)

    def test_details_keep_markets_and_their_order(self) -> None:
        """Details are of the markets that were given, in that order; some may be left out."""

        async def check(venue: Venue, _: Clock) -> None:
            markets = (await venue.catalogue()).markets[::-1]
            given = [market.id for market in markets]
            got = [market.id for market in await venue.details(markets)]
            left = iter(given)
            _hold(all(market in left for market in got), f"details of {given} are of {got}")

        self._try(check)

    def test_the_same_moment_gives_the_same_answer(self) -> None:
        """What was asked before, and in which order, changes nothing."""
        if not self.repeatable or not self.moments:
            raise unittest.SkipTest("this venue cannot be wound back")

        async def check(make: _Make) -> None:
            clock = HandClock(self.moments[0])
            used = make(clock)
            first = []
            for clock.at in self.moments:
                first.append(await _look(used, clock, self.some_ids))
            for clock.at, before in zip(self.moments, first, strict=True):
                fresh = await _look(make(HandClock(clock.at)), clock, self.some_ids)
                again = await _look(used, clock, self.some_ids)
                _hold(again == before, f"at {clock.at} the second answer is another")
                _hold(fresh == before, f"at {clock.at} a fresh venue answers differently")

        self._run(check)

    def test_what_is_listed_ends_in_an_outcome(self) -> None:
        """Everything that is listed at the first moment is settled at last."""
        ended_by = self.ended_by
        if ended_by is None:
            raise unittest.SkipTest("nobody said when its markets have ended")

        async def check(make: _Make) -> None:
            catalogue = await make(self._clocks()[0]).catalogue()
            listed = [market.id for market in catalogue.markets]
            ended = await make(HandClock(ended_by)).statuses(listed)
            left = [m for m in listed if m not in ended or ended[m].outcome is None]
            _hold(not left, f"without an outcome at {ended_by}: {left}")

        self._run(check)

    def test_a_failure_is_an_arena_error(self) -> None:
        """A venue that cannot be read says so, whatever it is asked."""
        markets: list[Market] = []

        async def prepare(make: _Make) -> None:
            markets.extend((await make(self._clocks()[0]).catalogue()).markets[:2])

        async def check(venue: Venue) -> None:
            await _refuses("catalogue()", venue.catalogue)
            await _refuses("details()", lambda: venue.details(markets), may_know=True)
            if ids:
                await _refuses("quotes()", lambda: venue.quotes(ids))
                await _refuses("statuses()", lambda: venue.statuses(ids))

        self._run(prepare)
        ids = [*self.some_ids, *(market.id for market in markets)]
        tried = 0
        for venue in self.make_broken(self._clocks()[0]):
            asyncio.run(check(venue))
            tried += 1
        if not tried:
            raise unittest.SkipTest("nobody said how this venue breaks")

    def _clocks(self) -> list[Clock]:
        return [HandClock(at) for at in self.moments] or [SystemClock()]

    def _observations(self) -> "list[_Seen]":
        """Ask a fresh venue at every moment for everything."""
        seen = []

        async def look(venue: Venue, clock: Clock) -> None:
            seen.append(await _look(venue, clock, self.some_ids))

        self._try(look)
        return seen

    def _try(self, check: Callable[[Venue, Clock], Coroutine[None, None, None]]) -> None:
        """Make a venue at each moment and check it."""

        async def checks(make: _Make) -> None:
            for clock in self._clocks():
                await check(make(clock), clock)

        self._run(checks)

    def _run(self, check: Callable[[_Make], Coroutine[None, None, None]]) -> None:
        """Run a check in one event loop; what it makes lives until that has ended."""
        made: list[Venue] = []

        def make(clock: Clock) -> Venue:
            made.append(self.make(clock))
            return made[-1]

        asyncio.run(check(make))


class _Fact(Protocol):
    @property
    def market(self) -> MarketId: ...

    @property
    def at(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class _Seen:
    """All that a venue says at one moment; `now` is when it had said it."""

    now: datetime
    asked: tuple[MarketId, ...]
    catalogue: Catalogue
    quotes: Mapping[MarketId, Quote]
    statuses: Mapping[MarketId, Status]

    @property
    def listed(self) -> tuple[MarketId, ...]:
        return tuple(market.id for market in self.catalogue.markets)

    def facts(self) -> list[tuple[MarketId, _Fact]]:
        return [*self.quotes.items(), *self.statuses.items()]

    def all_quotes(self) -> list[Quote]:
        return [*self.catalogue.quotes, *self.quotes.values()]

    def times(self) -> list[tuple[str, datetime]]:
        facts: list[_Fact] = [*self.all_quotes(), *self.statuses.values()]
        return [(f"a {type(fact).__name__} of {fact.market!r}", fact.at) for fact in facts]


async def _look(venue: Venue, clock: Clock, more: Sequence[MarketId]) -> _Seen:
    catalogue = await venue.catalogue()
    ids = tuple(dict.fromkeys([*(market.id for market in catalogue.markets), *more]))
    quotes, statuses = await venue.quotes(ids), await venue.statuses(ids)
    return _Seen(clock.now(), ids, catalogue, dict(quotes), dict(statuses))


async def _refuses(
    what: str, ask: Callable[[], Coroutine[None, None, object]], *, may_know: bool = False
) -> None:
    """Hold a broken venue to an `ArenaError`, or to an answer where it may know one."""
    try:
        answer = await ask()
    except ArenaError:
        return
    _hold(may_know, f"{what} of a venue that cannot be read gave {answer!r}")


def _is_best(side: str, quote: Quote, best: Decimal | None, levels: Sequence[Decimal]) -> None:
    _hold(
        not levels or levels[0] == best,
        f"the {side} of {quote.market!r} is {best}, and its book begins with {levels[:1]}",
    )


def _prices(quote: Quote) -> Iterable[object]:
    levels: tuple[Level, ...] = (*quote.bids, *quote.asks)
    best = (price for price in (quote.bid, quote.ask) if price is not None)
    return [*best, *(level.price for level in levels)]


def _amounts(quote: Quote) -> Iterable[object]:
    amounts = (quote.volume, quote.volume_24h, quote.liquidity)
    levels = (level.shares for level in (*quote.bids, *quote.asks))
    return [*(amount for amount in amounts if amount is not None), *levels]


def _within(value: object, most: int | None = None) -> bool:
    if not isinstance(value, Decimal) or not value.is_finite() or value < 0:
        return False
    return most is None or value <= most


def _repeated(values: Iterable[_T]) -> list[_T]:
    return [value for value, times in Counter(values).items() if times > 1]


def _hold(holds: bool, otherwise: str) -> None:  # noqa: FBT001  a claim is true or false
    if not holds:
        raise AssertionError(otherwise)


__all__ = ["VenueSuite"]
