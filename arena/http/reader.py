"""Reads a venue's server politely: paced, patient, and everything it says is kept first."""

import asyncio
import json
import math
import os
import re
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from http import HTTPStatus
from urllib.parse import quote, urlencode, urljoin

from arena.errors import ArenaError
from arena.http.door import HttpDoor, HttpError, HttpReply, HttpRequest, host_and_port
from arena.http.limits import Manners, Pauses, backoff, spread
from arena.http.retries import AttemptFailure, Judge, changed, payload_of
from arena.ports import Clock, Payloads
from arena.records.answer import Payload
from arena.records.market import VenueId
from arena.secrets import Redactor

_SAFE = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, slots=True)
class VenueKey:
    """A key that is sent as a header, or as a part of the query.

    `env` names the environment variable that holds it, which is read when a request is sent.
    `prefix` stands before it in the header, such as "Bearer ". What is kept and told of a
    request is what it was without the key.

    >>> VenueKey("EXCHANGE_KEY", query="apiKey")
    VenueKey(env='EXCHANGE_KEY', header='', query='apiKey', prefix='')
    """

    env: str
    header: str = ""
    query: str = ""
    prefix: str = ""
    variables: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    def __post_init__(self) -> None:
        if bool(self.header) == bool(self.query):
            raise ValueError("a key is sent as a header or in the query: name one of them")

    def added_to(self, request: HttpRequest) -> HttpRequest:
        """Give the request with the key.

        Raises:
            ArenaError: `credentials.missing`: the variable is not set, or holds no key.
        """
        value = self._value()
        if not _SAFE.fullmatch(value):
            what = "holds characters that no key has" if value else "is not set"
            raise ArenaError(
                "credentials.missing",
                f"no key in the environment: {self.env} {what}",
                hint=f"export {self.env}=... where the arena is run",
                status=4,
            )
        if self.header:
            added = (self.header, self.prefix + value)
            return replace(request, headers=(*request.headers, added))
        sign = "&" if "?" in request.url else "?"
        return replace(
            request, url=f"{request.url}{sign}{quote(self.query)}={quote(value, safe='')}"
        )

    def taken_out(self, reply: HttpReply | HttpError) -> HttpReply | HttpError:
        """Give what came back without the key, which a server may repeat."""
        redact = Redactor(self._value())
        if isinstance(reply, HttpError):
            return HttpError(reply.fault, redact.text(reply.message), sent=reply.sent)
        body = redact.data(reply.body)
        packed = reply.packed if body == reply.body else b""
        headers = tuple((name, redact.text(value)) for name, value in reply.headers)
        return replace(reply, headers=headers, body=body, packed=packed)

    def _value(self) -> str:
        return self.variables.get(self.env, "").strip()


MANY = 1_000_000

_shared: dict[tuple[str, Pauses], "Pace"] = {}


def pace_of(host: str, pauses: Pauses) -> "Pace":
    """Give the pace of a host: the same one to all who ask it with equal pauses."""
    return _shared.setdefault((host, pauses), Pace(pauses))


class Pace:
    """Lets requests through in the order they came, evenly spaced, a few under way at once.

    It may be used in several event loops, one after the other: what was sent and heard in
    one still counts in the next.

    Args:
        pauses: What waiting is made of.
    """

    def __init__(self, pauses: Pauses) -> None:
        self._pauses = pauses
        self._gap = 0.0
        self._at_once = MANY
        self._places = asyncio.Semaphore(MANY)
        self._loop: weakref.ref[asyncio.AbstractEventLoop] | None = None
        self._next = self._quiet_until = self._closed_until = self._seen = -math.inf
        self._why: ArenaError | None = None

    def tighten(self, per_second: float, at_once: int) -> None:
        """Keep to these limits too."""
        self._gap = max(self._gap, 1 / per_second)
        if at_once < self._at_once:
            self._at_once, self._loop = at_once, None

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[float]:
        """Wait for a turn to send one request, and hold a place until it is over.

        What it gives is for how many seconds it slept.

        Raises:
            ArenaError: The host was closed.
        """
        self._now()
        async with self._places:
            yield await self._stand_in()

    def leave_alone(self, seconds: float) -> None:
        """Let nobody go for so long."""
        self._quiet_until = max(self._quiet_until, self._now() + seconds)

    def close(self, seconds: float, why: ArenaError) -> None:
        """Turn everybody away for so long, with the error that a server gave the reason for."""
        until = self._now() + seconds
        if until > self._closed_until:
            self._closed_until, self._why = until, why

    async def _stand_in(self) -> float:
        slept = 0.0
        while True:
            now = self._now()
            self._hold(now)
            start = max(now, self._next, self._quiet_until)
            self._next = start + self._gap
            if start > now:
                await self._pauses.sleep(start - now)
                slept += start - now
                self._hold(self._now())
            if self._quiet_until <= start:  # nobody was told to wait longer meanwhile
                return slept

    def _hold(self, now: float) -> None:
        why, left = self._why, self._closed_until - now
        if why is not None and left > 0:
            message = f"{why.message}; it is not asked again for {left:.3g} s"
            raise ArenaError(why.code, message, hint=why.hint, status=why.status)

    def _now(self) -> float:
        """Read the clock; another loop than before gets places of its own."""
        loop = asyncio.get_running_loop()
        if self._loop is None or self._loop() is not loop:
            self._loop = weakref.ref(loop)
            self._places = asyncio.Semaphore(self._at_once)
        now = loop.time() if self._pauses.now is None else self._pauses.now()
        if now < self._seen:  # another clock: moments of the last one mean nothing
            self._next = self._quiet_until = self._closed_until = -math.inf
        self._seen = now
        return now


LONGEST_URL = 8_000
LONGEST_HEADER = 500
OLDEST = timedelta(hours=1)

_KEPT = frozenset({"date", "age", "cache-control", "content-type", "retry-after", "cf-ray"})
_KEPT_FAMILIES = ("poly-ratelimit-", "x-ratelimit-")
_AGE = re.compile(r"\s*(\d{1,9})\s*", re.ASCII)
_GET = (("Accept", "application/json"),)
_FEED = (("Accept", "application/atom+xml, application/rss+xml, application/xml;q=0.9"),)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_POST = (*_GET, ("Content-Type", "application/json"))


@dataclass(frozen=True, slots=True)
class JsonReply:
    """One answer that was read.

    `payload` is what its JSON says, with decimals as `Decimal` and NaN as None; a name that
    comes twice in an object with values that differ is left out. `at` is when the answer was
    complete, and `age` for how long a cache on its way says it held it: 1 h at most, and 0
    where nothing is said.
    """

    url: str
    status: int
    payload: object
    at: datetime
    age: timedelta


class PoliteReader:
    """The only way a venue asks its server, and only to read.

    Asked again are no connection, one that broke off, silence, and the statuses 408, 425, 429,
    500, 502, 503, 504 and 520 to 524; a 403 that is no JSON, a page instead of JSON, and a
    passing redirect, as a guard before the server sends them, once more after a long wait. Any
    other answer is final. All readers of a host in this process share its pace, and the wait
    after a 429; a host that turned this machine away twice, or that asks to be left alone for
    too long, is not asked by any of them for a while. `requests` counts what was sent, and
    `waited` the seconds slept, for the pace as well as before another try. A reader may be used
    in several event loops, one after the other.

    Args:
        venue: Whose server it is.
        manners: How it is asked.
        clock: Tells when an answer was complete.
        payloads: Is given every whole answer before anything is read from it, errors too.
        door: Sends the requests; None opens one.
        pauses: What waiting is made of; None really waits.
        key: What the server wants for an answer; None sends none.
    """

    def __init__(  # noqa: PLR0913
        self,
        venue: VenueId,
        manners: Manners,
        clock: Clock,
        payloads: Payloads,
        *,
        door: HttpDoor | None = None,
        pauses: Pauses | None = None,
        key: VenueKey | None = None,
    ) -> None:
        self._venue = venue
        self._manners = manners
        self._clock = clock
        self._payloads = payloads
        self._door = door or HttpDoor()
        self._pauses = pauses or Pauses()
        self._key = key
        self._jitter = self._pauses.jitter or spread(venue)
        self._judge = Judge(venue, manners, clock)
        self.requests = 0
        self.waited = 0.0

    async def get(
        self, url: str, query: Sequence[tuple[str, str]] = (), *, may_miss: bool = False
    ) -> JsonReply:
        """Ask for what is at an address.

        Args:
            url: The address, its path quoted.
            query: Names and values, in order; a name may come several times.
            may_miss: Give a 404 as a page, with the error's body or None, instead of raising.

        Raises:
            ArenaError: `venue.silent`: there was no answer, or nothing but excuses.
                `venue.blocked`: this machine is turned away. `venue.refused`: this request is
                not answered. `venue.format`: the answer is no JSON, or too long.
                `venue.option`: this is no address of a server.
            ValueError: The whole address is longer than 8,000 characters.
        """
        if query:
            url = f"{url}{'&' if '?' in url else '?'}{urlencode(query)}"
        return await self._ask(HttpRequest("GET", url, _GET), may_miss=may_miss)

    async def feed(self, url: str) -> JsonReply:
        """Ask for what is no JSON: the payload is the body's bytes, of a redirect None.

        Raises:
            ArenaError: As for `get`.
            ValueError: The address is longer than 8,000 characters.
        """
        return await self._ask(HttpRequest("GET", url, _FEED), may_miss=False)

    async def post(self, url: str, body: object, *, may_miss: bool = False) -> JsonReply:
        """Ask by a body of JSON, where a server takes a question so.

        Raises:
            ArenaError: As for `get`.
            ValueError: The address is longer than 8,000 characters.
        """
        payload = json.dumps(body, separators=(",", ":")).encode()
        return await self._ask(HttpRequest("POST", url, _POST, payload), may_miss=may_miss)

    async def _ask(self, request: HttpRequest, *, may_miss: bool) -> JsonReply:
        if len(request.url) > LONGEST_URL:
            raise ValueError(f"an address of {len(request.url)} characters is too long to ask")
        scheme = request.url.partition(":")[0].lower()
        pace = pace_of(f"{scheme}://{host_and_port(request.url)}", self._pauses)
        pace.tighten(self._manners.per_second, self._manners.at_once)
        failures: list[AttemptFailure] = []
        while True:
            reply, at = await self._once(request, pace)
            read = self._read(request, reply, at, may_miss=may_miss)
            if isinstance(read, JsonReply):
                return read
            failures.append(read)
            wait = self._wait_after(failures)
            if wait is None:
                raise self._final_error(failures, pace)
            if read.shared:
                pace.leave_alone(wait)  # this request waits there too
            else:
                self.waited += wait
                await self._pauses.sleep(wait)

    async def _once(
        self, request: HttpRequest, pace: Pace
    ) -> tuple[HttpReply | HttpError, datetime]:
        """Send a request once, and keep what came back."""
        async with pace.turn() as slept:
            self.waited += slept
            sent = self._key.added_to(request) if self._key else request
            self.requests += 1
            reply: HttpReply | HttpError
            try:
                reply = await self._door.send(
                    sent, seconds=self._manners.seconds, most=self._manners.most
                )
            except HttpError as error:
                reply = error
        at = self._clock.now()
        reply = self._key.taken_out(reply) if self._key else reply
        if isinstance(reply, HttpError):
            return reply, at
        self._payloads.keep(
            Payload(
                venue=self._venue,
                at=at,
                method=request.method,
                url=request.url,
                status=reply.status,
                body=reply.body,
                headers=_stored_headers(reply),
                asked=request.body or b"",
                packed=reply.packed,
            )
        )
        return reply, at

    def _read(
        self,
        request: HttpRequest,
        reply: HttpReply | HttpError,
        at: datetime,
        *,
        may_miss: bool,
    ) -> JsonReply | AttemptFailure:
        if isinstance(reply, HttpError):
            return self._judge.fault(request, reply)
        if may_miss and reply.status == HTTPStatus.NOT_FOUND:
            return JsonReply(request.url, reply.status, payload_of(reply), at, _age(reply))
        if request.headers == _FEED and (reply.is_success or reply.status in _REDIRECTS):
            where = urljoin(request.url, reply.header("location") or "")
            body = reply.body if reply.is_success else None
            return JsonReply(where, reply.status, body, at, _age(reply))
        if not reply.is_success or reply.is_page:
            return self._judge.reply(request, reply)
        try:
            payload = reply.json(_without_contradictions)
        except HttpError as error:
            return self._judge.fault(request, error)
        return JsonReply(request.url, reply.status, payload, at, _age(reply))

    def _wait_after(self, failures: Sequence[AttemptFailure]) -> float | None:
        """Say how many seconds to wait before another try; None is: make none."""
        last = failures[-1]
        if not last.again or len(failures) >= self._manners.tries:
            return None
        if last.blocked:
            blocks = sum(failure.blocked for failure in failures)
            return max(self._manners.after_block, last.asked) if blocks == 1 else None
        wait = backoff(len(failures) - 1, 0.5 + self._jitter())
        return max(min(wait, self._manners.longest_wait), last.asked)

    def _final_error(self, failures: Sequence[AttemptFailure], pace: Pace) -> ArenaError:
        last = failures[-1]
        error = last.error(len(failures))
        if last.closes:
            pace.close(last.closes, error)
        return error


def _without_contradictions(members: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(members)
    if len(values) < len(members):
        contradicted = {name for name, value in members if value != values[name]}
        values = {name: value for name, value in values.items() if name not in contradicted}
    return values


def _stored_headers(reply: HttpReply) -> tuple[tuple[str, str], ...]:
    """Give the headers that tell how old an answer is, and how much may be asked."""
    return tuple(
        (name, value[:LONGEST_HEADER])
        for name, value in reply.headers
        if name in _KEPT or name.startswith(_KEPT_FAMILIES)
    )


def _age(reply: HttpReply) -> timedelta:
    seconds = _AGE.fullmatch(reply.header("age") or "")
    return min(timedelta(seconds=int(seconds[1])), OLDEST) if seconds else timedelta()


LONGEST_CURSOR = 2_000  # quoted it may be three times as long, and an address has 8,000
STUCK = "paging is stuck: it sends the same page again"
ENDS = frozenset({"", "LTE="})  # the second is -1 in base64, as Polymarket's CLOB says it


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of a list: the ids of its rows in order, and what to ask the next one by.

    What else it says is for who fetched it to keep: a whole list of payloads is a lot.
    """

    ids: Sequence[str]
    cursor: str | None


async def walk(
    fetch: Callable[[str | None], Awaitable[ListPage]], *, most: int, what: str
) -> list[ListPage]:
    """Read a list page by page until it ends.

    It ends with a page without ids, which is left out, or one whose cursor is None, empty or
    "LTE=".

    Args:
        fetch: Asks for the page of a cursor; None is the first page.
        most: How many pages are read at most, 1 or more.
        what: What is listed, for messages: "polymarket: markets".

    Returns:
        The pages in order.

    Raises:
        ArenaError: `venue.format`: a cursor comes again, no row of a page is new, or a
            cursor is too odd to send back.
    """
    leaves: list[ListPage] = []
    seen: set[str] = set()
    cursors: set[str] = set()
    cursor: str | None = None
    while len(leaves) < most:
        leaf = await fetch(cursor)
        if not leaf.ids:
            break
        if seen.issuperset(leaf.ids):
            raise changed(what, STUCK)
        seen.update(leaf.ids)
        leaves.append(leaf)
        cursor = leaf.cursor
        if cursor is None or cursor in ENDS:
            break
        if cursor in cursors:
            raise changed(what, STUCK)
        if len(cursor) > LONGEST_CURSOR or not (cursor.isascii() and cursor.isprintable()):
            raise changed(what, f"the cursor of page {len(leaves)} cannot be sent back")
        cursors.add(cursor)
    return leaves
