"""One line in front of each server: how many ask it at once, how often, and whether at all.

How many and how often hold for all that is asked there with one key. Whether at all is asked
for each model by itself: one that is down behind a proxy says nothing about its neighbours.
"""

import asyncio
import math
import re
import weakref
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from http import HTTPStatus

from arena.clock import SystemClock
from arena.http import HttpReply, host_and_port, wait_asked_for
from arena.http.limits import http_date
from arena.metrics.figures import span
from arena.ports import Clock
from arena.records.answer import Trouble
from arena.records.settings import ModelSettings

LONGEST_RESET = 86_400.0  # a number beyond it is a moment and not a duration

_COUNT = re.compile(r"[0-9]{1,15}")
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,20})?")
_DURATION = re.compile(
    r"(?=.)(?:([0-9]{1,6})d)?(?:([0-9]{1,6})h)?(?:([0-9]{1,6})m)?"
    r"(?:([0-9]{1,9}(?:\.[0-9]{1,20})?)s)?(?:([0-9]{1,9}(?:\.[0-9]{1,20})?)ms)?"
)
_UNITS = (86_400.0, 3_600.0, 60.0, 1.0, 0.001)


class LimitUnit(StrEnum):
    """What a limit counts."""

    REQUESTS = "requests"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class Headroom:
    """How much of a limit is left, and in how many seconds there is more.

    `limit` is how much there can be at most; None where the server does not say. `name` tells
    the limits of one server apart.
    """

    name: str
    unit: LimitUnit
    left: int
    seconds: float
    limit: int | None = None


_HEADERS = (
    (LimitUnit.REQUESTS, "x-ratelimit-{}-requests", "x-ratelimit-reset-requests"),
    (LimitUnit.TOKENS, "x-ratelimit-{}-tokens", "x-ratelimit-reset-tokens"),
    *(
        (unit, f"anthropic-ratelimit-{what}-{{}}", f"anthropic-ratelimit-{what}-reset")
        for unit, what in (
            (LimitUnit.REQUESTS, "requests"),
            (LimitUnit.TOKENS, "tokens"),
            (LimitUnit.TOKENS, "input-tokens"),
            (LimitUnit.TOKENS, "output-tokens"),
        )
    ),
    (LimitUnit.TOKENS, "x-ratelimitbysize-{}-minute", "ratelimitbysize-reset"),
    (LimitUnit.TOKENS, "x-ratelimitbysize-{}-minute", "x-ratelimitbysize-reset"),
)


def headroom_in(reply: HttpReply, clock: Clock) -> Iterator[Headroom]:
    """Read what is left of each limit that a reply tells of.

    A limit without a moment of reset says nothing, and so does one of -1, as some proxies
    send; what cannot be read is passed over. Source: the headers that OpenAI, Anthropic and
    Mistral document.

    Args:
        reply: Any reply; one of success tells of limits too.
        clock: What a reset that is a date is compared with, where the server tells no `Date`.
    """
    headers = dict(reversed(reply.headers))
    for unit, name, until in _HEADERS:
        left = _count(headers.get(name.format("remaining"), ""))
        reset = headers.get(until, "").strip()
        if left is None:
            continue
        seconds = _seconds(reset)
        if seconds is None:
            seconds = _seconds_until(reset, headers.get("date", ""), clock)
        if seconds is not None and 0 < seconds <= LONGEST_RESET:
            limit = _count(headers.get(name.format("limit"), "")) or None
            yield Headroom(name, unit, left, seconds, limit)


def _count(words: str) -> int | None:
    bare = words.strip()
    return int(bare) if _COUNT.fullmatch(bare) else None


def _seconds(words: str) -> float | None:
    """Read a duration: `6m0s`, `1.5s`, `20ms`, or a number of seconds."""
    if _SECONDS.fullmatch(words):
        return float(words)
    parts = _DURATION.fullmatch(words)
    if parts is None:
        return None
    numbers = zip(parts.groups("0"), _UNITS, strict=True)
    return sum(float(number) * unit for number, unit in numbers)


def _seconds_until(words: str, date: str, clock: Clock) -> float | None:
    """Read a moment as RFC 3339 writes it."""
    try:
        moment = datetime.fromisoformat(words)
    except ValueError:
        return None
    moment = moment.replace(tzinfo=moment.tzinfo or UTC)
    return (moment - (http_date(date) or clock.now())).total_seconds()


FAILURES = 20
PAUSES = (2.0, 4.0, 8.0, 16.0)
GIVEN_UP_FOR = 60.0
PROBE_SECONDS = 30.0


@dataclass(slots=True)
class Breaker:
    """Opens when a model failed 20 times in a row, to let one request through at a time.

    That one tries whether the model is well again. It goes after 2, 4, 8 and 16 seconds, half
    a minute in all: whoever has the time may wait with it. After that the model is given up,
    for a minute at a time.
    """

    failures: int = 0
    trouble: Trouble = Trouble.UNREACHABLE
    _opened: int = 0  # how often since it last was closed
    _until: float = -math.inf
    _probe: float | None = None  # when the request went out that is to try the model

    def ready_at(self, now: float) -> float:
        """Say from when on the next request may go: one that is past is now."""
        if not self._opened or now < self._until:
            return self._until if self._opened else -math.inf
        return -math.inf if self._probe is None else self._probe + PROBE_SECONDS

    def is_open(self) -> bool:
        """Say whether the last that was heard is that the model is down."""
        return self._opened > 0

    def is_given_up(self, now: float) -> bool:
        """Say whether waiting is of no use."""
        return self._opened > len(PAUSES) and now < self._until

    def seconds_left(self, now: float) -> float:
        """Say how long nobody is let through."""
        return max(0.0, self._until - now) if self._opened else 0.0

    def went(self, now: float) -> bool:
        """Note that a request goes out, and say whether it is the one that tries the model."""
        if self._opened:
            self._probe = now
        return self._opened > 0

    def came_back(self) -> None:
        """Note that the request which tried the model is over, whatever was heard."""
        self._probe = None

    def failed(self, now: float, trouble: Trouble) -> None:
        """Note a failure; one that comes late, in a pause, makes it no longer."""
        self.failures += 1
        self.trouble = trouble
        tried = self._opened > 0 and now >= self._until
        if tried or (not self._opened and self.failures >= FAILURES):
            pause = PAUSES[self._opened] if self._opened < len(PAUSES) else GIVEN_UP_FOR
            self._until = now + pause
            self._opened += 1

    def answered(self) -> None:
        """Note any other answer: the model is there."""
        self.failures = self._opened = 0
        self._probe = None


MINUTE = 60.0
LONGEST_PAUSE = 60.0  # what one reply can stop everybody for: limits are by the minute
LONGEST_ALONE = 86_400.0  # and what it can stop its own model for

_shared: dict[tuple[str, str, str], "Throttle"] = {}


class ThrottleError(Exception):
    """No turn to ask a server came, so nothing was sent."""

    def __init__(self, trouble: Trouble, message: str) -> None:
        super().__init__(message)
        self.trouble = trouble
        self.message = message


@dataclass(frozen=True, slots=True)
class RateLimits:
    """How much may be asked of a server; None is no limit."""

    at_once: int
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


def throttle_for(settings: ModelSettings, key: str | None) -> "Throttle":
    """Give the line that a model stands in: one for each server and key in this process.

    Models that share a server and a key share its limits: the strictest of them holds.
    """
    server = host_and_port(settings.base_url)
    limits = RateLimits(
        settings.at_once, settings.requests_per_minute, settings.tokens_per_minute
    )
    whose = sha256(key.encode()).hexdigest() if key else ""
    name = settings.base_url.partition(":")[0].lower(), server, whose
    throttle = _shared.setdefault(name, Throttle(limits, server))
    throttle.tighten(limits)
    return throttle


class Throttle:
    """Lets requests through in the order they came, as fast as limits allow.

    Those for a model that is left alone for a while stand aside, and keep their place. In no
    minute do more go out than the limits say. One whose tokens alone are more than the limit
    goes when nothing else went for a minute. It may be used in several event loops, one after
    the other: a new loop has a new line, while what was sent and heard still counts.

    Args:
        limits: How much may be asked.
        server: What it is called in messages.
        clock: Reads the moment of a reset that a server gives as a date.
    """

    def __init__(
        self, limits: RateLimits, server: str = "the server", *, clock: Clock | None = None
    ) -> None:
        self._server = server
        self._clock = clock or SystemClock()
        self._at_once = limits.at_once
        self._requests = _Minute(limits.requests_per_minute)
        self._tokens = _Minute(limits.tokens_per_minute)
        self._limits: dict[str, _ServerLimits] = {}
        self._quiet_until = -math.inf
        self._left_alone: defaultdict[str, float] = defaultdict(lambda: -math.inf)
        self._breakers: defaultdict[str, Breaker] = defaultdict(Breaker)
        self._line = _Line()
        self._loop: weakref.ref[asyncio.AbstractEventLoop] | None = None
        self._seen = -math.inf

    def tighten(self, limits: RateLimits) -> None:
        """Keep to these limits too."""
        self._at_once = min(self._at_once, limits.at_once)
        self._requests.limit = _stricter(self._requests.limit, limits.requests_per_minute)
        self._tokens.limit = _stricter(self._tokens.limit, limits.tokens_per_minute)

    @asynccontextmanager
    async def turn(self, tokens: int, seconds: float, model: str) -> AsyncIterator[None]:
        """Wait for a turn to send one request, and hold a place until it is over.

        What came back is to be told to `heard` at once, before anything else is awaited.

        Args:
            tokens: How many the request may use, question and longest answer together.
            seconds: How long to wait at most.
            model: Which model is asked: its own name here, so that one with other options is
                another.

        Raises:
            ThrottleError: There is no turn in that time (`RATE_LIMITED`), or the model
                failed so often that it is not asked now (`SERVER`, `UNREACHABLE`).
        """
        self._now()
        loop, line, breaker = asyncio.get_running_loop(), self._line, self._breakers[model]
        await self._stand_in(line, tokens, seconds, model)
        probes = self._go(line, tokens, breaker, loop.time())
        try:
            yield
        finally:
            line.busy -= 1
            line.tokens -= tokens
            if probes:
                breaker.came_back()
            self._wake(line, model, loop.time())

    def heard(self, reply: HttpReply | None, model: str) -> None:
        """Learn from what came back: None is no connection, or one that broke off.

        Failures count against the model that was asked, any other answer for it. What the
        server says is left of its limits, and how long it asks to be left alone, holds for
        everybody where that is a minute at most; a longer pause is for that model alone, since
        one reply must not stop a server.
        """
        now, breaker = self._now(), self._breakers[model]
        if reply is None:
            breaker.failed(now, Trouble.UNREACHABLE)
        elif reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            breaker.failed(now, Trouble.SERVER)
        else:
            breaker.answered()
        if reply is not None:
            self._learn(reply, model, now)
        self._wake(self._line, model, now)

    def leave_alone(self, seconds: float, model: str) -> None:
        """Let nobody go for so long; over a minute, nobody who asks this model."""
        now = self._now()
        if seconds <= LONGEST_PAUSE:
            self._quiet_until = max(self._quiet_until, now + seconds)
        else:
            until = now + min(seconds, LONGEST_ALONE)
            self._left_alone[model] = max(self._left_alone[model], until)

    def _closed_until(self, model: str, now: float) -> float:
        """Say until when a model is not asked, whatever its server's limits; past is now."""
        return max(self._breakers[model].ready_at(now), self._left_alone[model])

    def _learn(self, reply: HttpReply, model: str, now: float) -> None:
        others = max(0, self._line.busy - 1)
        share = others / max(1, self._line.busy)
        for headroom in headroom_in(reply, self._clock):
            # the others are under way, and may not be in this count yet
            ahead = others if headroom.unit is LimitUnit.REQUESTS else share * self._line.tokens
            limit = self._limits.setdefault(headroom.name, _ServerLimits(headroom.unit))
            limit.hear(headroom, headroom.left - ahead, now)
        failed = reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        if failed or reply.status == HTTPStatus.TOO_MANY_REQUESTS:
            self.leave_alone(wait_asked_for(reply, self._clock) or 0.0, model)

    def _now(self) -> float:
        """Read the running loop's time; another loop than before gets a line of its own."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        if self._loop is None or self._loop() is not loop:
            self._loop = weakref.ref(loop)
            self._line = _Line()
            for breaker in self._breakers.values():
                breaker.came_back()
            if now < self._seen:  # another clock: moments of the last one mean nothing
                self._limits, self._quiet_until = {}, -math.inf
                self._breakers.clear()
                self._left_alone.clear()
                self._requests, self._tokens = (
                    _Minute(self._requests.limit),
                    _Minute(self._tokens.limit),
                )
        self._seen = now
        return now

    async def _stand_in(self, line: "_Line", tokens: int, seconds: float, model: str) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        me = line.join(model)
        try:
            while True:
                now = loop.time()
                ready = self._turn_at(line, me, tokens, now)
                if ready <= now:
                    return
                given_up = self._breakers[model].is_given_up(now)
                if given_up or end <= now or end < ready < math.inf:
                    raise self._refusal(model, now, seconds)
                await me.sleep(loop, min(ready, end))
        finally:
            line.leave(me)
            self._wake(line, model, loop.time())

    def _turn_at(self, line: "_Line", me: "_Waiter", tokens: int, now: float) -> float:
        """Say from when on one in line may go; infinite is: once something happens."""
        closed_until = self._closed_until(me.model, now)
        if closed_until > now:
            return closed_until
        return self._ready_at(tokens, now) if self._next(line, now) is me else math.inf

    def _next(self, line: "_Line", now: float) -> "_Waiter | None":
        """Find who came first of those whose model may be asked."""
        firsts = (
            queue[0]
            for model, queue in line.waiting.items()
            if self._closed_until(model, now) <= now
        )
        return min(firsts, key=lambda waiter: waiter.number, default=None)

    def _wake(self, line: "_Line", model: str, now: float) -> None:
        """Let those look again for whom something may have changed with this model."""
        if model in line.waiting:
            line.waiting[model][0].wake()
        following = self._next(line, now)
        if following is not None:
            following.wake()

    def _ready_at(self, tokens: int, now: float) -> float:
        """Say from when on the limits let the next one go, whatever its model."""
        if self._line.busy >= self._at_once:
            return math.inf
        return max(
            self._quiet_until,
            self._requests.ready_at(1, now),
            self._tokens.ready_at(tokens, now),
            *(limit.ready_at(tokens, now) for limit in self._limits.values()),
        )

    def _go(self, line: "_Line", tokens: int, breaker: Breaker, now: float) -> bool:
        line.busy += 1
        line.tokens += tokens
        self._requests.spend(1, now)
        self._tokens.spend(tokens, now)
        for limit in self._limits.values():
            limit.spend(tokens)
        return breaker.went(now)

    def _refusal(self, model: str, now: float, seconds: float) -> ThrottleError:
        breaker, who = self._breakers[model], f"{model} at {self._server}"
        alone = self._left_alone[model] - now
        if alone > 0:
            message = f"{who} is to be left alone for {span(timedelta(seconds=alone))}"
            return ThrottleError(Trouble.RATE_LIMITED, message)
        if not breaker.is_open():
            message = f"no turn to ask {self._server} came within {seconds:.3g} s"
            return ThrottleError(Trouble.RATE_LIMITED, message)
        left = breaker.seconds_left(now)
        again = f"not asked again for {left:.3g} s" if left else "another request is trying it"
        message = f"{who} failed {breaker.failures} times in a row; {again}"
        return ThrottleError(breaker.trouble, message)


@dataclass(slots=True, eq=False)
class _Waiter:
    """One who waits. Only the first in line of a model is ever woken before its time."""

    model: str
    number: int
    woken: asyncio.Future[None] | None = None

    async def sleep(self, loop: asyncio.AbstractEventLoop, until: float) -> None:
        self.woken = loop.create_future()
        timer = loop.call_at(until, self.wake)
        try:
            await self.woken
        finally:
            timer.cancel()

    def wake(self) -> None:
        if self.woken is not None and not self.woken.done():
            self.woken.set_result(None)


@dataclass(slots=True)
class _Line:
    """Who waits in one event loop, for which model, and what is under way."""

    waiting: dict[str, deque[_Waiter]] = field(default_factory=dict)
    busy: int = 0
    tokens: int = 0
    joined: int = 0

    def join(self, model: str) -> _Waiter:
        self.joined += 1
        waiter = _Waiter(model, self.joined)
        self.waiting.setdefault(model, deque()).append(waiter)
        return waiter

    def leave(self, waiter: _Waiter) -> None:
        queue = self.waiting[waiter.model]
        queue.remove(waiter)
        if not queue:
            del self.waiting[waiter.model]


class _Minute:
    """How much went out in the last minute, against a limit of our own."""

    def __init__(self, limit: int | None) -> None:
        self.limit = limit
        self._spent: deque[tuple[float, int]] = deque()
        self._total = 0

    def ready_at(self, amount: int, now: float) -> float:
        """Say from when on this much may go. More than the limit may, after an idle minute."""
        self._forget(now)
        if self.limit is None or not self._spent:
            return -math.inf
        over = self._total + amount - self.limit
        if over <= 0:
            return -math.inf
        for moment, spent in self._spent:
            over -= spent
            if over <= 0:
                return moment + MINUTE
        return self._spent[-1][0] + MINUTE

    def spend(self, amount: int, now: float) -> None:
        self._spent.append((now, amount))
        self._total += amount

    def _forget(self, now: float) -> None:
        while self._spent and self._spent[0][0] + MINUTE <= now:
            self._total -= self._spent.popleft()[1]


class _ServerLimits:
    """What is left of a limit of the server's, by its own account.

    Once the moment of its reset is past, all of the limit is there again, for a minute or
    until there is news; where the server never named the limit, there is none.
    """

    def __init__(self, unit: LimitUnit) -> None:
        self._unit = unit
        self._limit = self._left = math.inf
        self._until = -math.inf

    def hear(self, headroom: Headroom, left: float, now: float) -> None:
        """Take in a reported headroom. Replies overtake each other, so the lowest one holds."""
        until = now + min(headroom.seconds, LONGEST_PAUSE)
        fresh = self._until <= now
        self._left = left if fresh else min(left, self._left)
        self._until = until if fresh else max(until, self._until)
        self._limit = math.inf if headroom.limit is None else headroom.limit

    def ready_at(self, tokens: int, now: float) -> float:
        """Say from when on a request may go. More than the limit may, when all is there."""
        if self._until <= now:
            self._left, self._until = self._limit, now + MINUTE
        needed = min(self._amount(tokens), self._limit)
        return -math.inf if self._left >= needed else self._until

    def spend(self, tokens: int) -> None:
        self._left -= self._amount(tokens)

    def _amount(self, tokens: int) -> int:
        return 1 if self._unit is LimitUnit.REQUESTS else tokens


def _stricter(*limits: int | None) -> int | None:
    known_limits: Iterable[int] = [limit for limit in limits if limit is not None]
    return min(known_limits, default=None)
