"""The stand-in for live venues: real sockets, one simulated world, and what can go wrong."""

import json
from asyncio import StreamReader, StreamWriter
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from urllib.parse import parse_qsl, urlsplit

from arena.ports import Clock
from tests.standins.asked import Recorded
from tests.standins.serving import LocalServer
from tests.standins.sockets import read_request, send_reply
from tests.standins.venues.dialect import Answer, Asked, Dialect, Quirks
from tests.standins.venues.faults import (
    IN_DIALECT,
    IN_FIELDS,
    IN_LISTS,
    INSTEAD,
    ON_THE_WAY,
    Fault,
    Faults,
)
from tests.standins.venues.spoil import Seed, bend_books, flicker, spoil_fields, spoil_list
from tests.standins.venues.wire import Reply, hindered, refused, sent
from tests.standins.venues.world import StandInWorld, WorldView

POLYMARKET, KALSHI, MANIFOLD = "polymarket", "kalshi", "manifold"
PREFIXES = {
    "/kalshi/trade-api/v2": (KALSHI, ""),
    "/manifold/v0": (MANIFOLD, ""),
    "/gamma": (POLYMARKET, "/gamma"),
    "/clob": (POLYMARKET, "/clob"),
    "/data": (POLYMARKET, "/data"),
}
"""What a path begins with, whose it is, and what of that the dialect sees."""

OPTIONS = {
    POLYMARKET: {"gamma": "/gamma", "clob": "/clob", "data": "/data"},
    KALSHI: {"base_url": "/kalshi/trade-api/v2", "fallback_url": ""},
    MANIFOLD: {"base_url": "/manifold/v0"},
}
LAG = timedelta(minutes=55)  # with what a cache adds, less than an hour
YOUNG = timedelta(minutes=90)  # longer than real ones: here markets open at whole hours
QUIRKS = {
    Fault.SAME_PAGE: Quirks(first_page=True),
    Fault.TEXT_SORTED: Quirks(as_text=True),
    Fault.HYDRATION: Quirks(hydration=YOUNG),
}


@dataclass(frozen=True, slots=True)
class Heard:
    """One request and what was sent back. `at` is in seconds of the server's own clock.

    `status` is 0 where the connection was cut. `fault` is what went wrong with the answer; a
    fault that changed nothing is none.
    """

    at: float
    method: str
    path: str
    query: tuple[tuple[str, str], ...]
    status: int
    fault: Fault | None = None
    body: bytes = field(default=b"", repr=False)

    def one(self, key: str) -> str | None:
        """Give the first value of a key of the query; None where it was not given."""
        return next((value for name, value in self.query if name == key), None)


@dataclass(frozen=True, slots=True)
class _Question:
    """What a dialect was asked and what it would say if nothing went wrong."""

    venue: str
    dialect: Dialect
    asked: Asked
    view: WorldView
    answer: Answer

    @property
    def is_get(self) -> bool:
        return self.asked.method == "GET"

    def again(self, view: WorldView | None = None, quirks: Quirks | None = None) -> Answer:
        """Ask the same of another view of the world, or with a quirk."""
        return self.dialect.answer(self.asked, view or self.view, quirks or Quirks())


class VenueServer(LocalServer):
    """Speaks as several venues at one address while its `with` block lasts.

    `requests` records what was asked, in the order of the answers. `faults` may be changed
    at any time.

    Args:
        world: What all venues trade.
        clock: Says what time it is there.
        dialects: How each venue speaks, by the venue's name.
        faults: What goes wrong.
        seed: Decides when.
        port: 0 takes any free one.
    """

    def __init__(  # noqa: PLR0913  a world, its time, its speakers and what befalls them
        self,
        world: StandInWorld,
        clock: Clock,
        dialects: Mapping[str, Dialect],
        faults: Faults | None = None,
        *,
        seed: int = 1,
        port: int = 0,
    ) -> None:
        super().__init__("venue-server", port)
        self.requests: list[Heard] = []
        self.faults = faults or Faults()
        self._world = world
        self._clock = clock
        self._dialects = dialects
        self._seed = seed
        self._times: Counter[tuple[object, ...]] = Counter()

    @property
    def base_url(self) -> str:
        """Where it is asked, before a venue's own prefix and without a slash at the end."""
        return self.home

    def options(self, venue: str) -> dict[str, str]:
        """Give the options by which the arena's own adapter of a venue is sent here."""
        return options_at(self.base_url, venue)

    def begin(self, seed: int) -> None:
        """Forget what was asked, and draw faults anew: from the same seed the same ones."""
        self._seed = seed
        self._times.clear()
        self.requests.clear()

    async def _exchange(self, reader: StreamReader, writer: StreamWriter) -> bool:
        recorded = await read_request(reader)
        url = urlsplit(recorded.path)
        query = tuple(parse_qsl(url.query, keep_blank_values=True))
        raw = recorded.raw or (json.dumps(recorded.body).encode() if recorded.body else b"")
        asked = Asked(recorded.method, url.path, query, raw)
        async with self._counted():
            reply = self._reply(asked)
            self._note(recorded, asked, reply)
            return await send_reply(writer, reply.said, reply.body)

    def _note(self, recorded: Recorded, asked: Asked, reply: Reply) -> None:
        status = 0 if reply.said.drops else int(reply.said.status)
        at = recorded.asked_at
        heard = Heard(
            at, asked.method, asked.path, asked.query, status, reply.fault, asked.body
        )
        self.requests.append(heard)

    def _reply(self, asked: Asked) -> Reply:
        prefix = next((p for p in PREFIXES if f"{asked.path}/".startswith(f"{p}/")), "")
        venue, kept = PREFIXES.get(prefix, ("", ""))
        dialect = self._dialects.get(venue)
        if dialect is None:
            return sent(Answer(404, {"error": f"there is nothing at {asked.path}"}))
        own = replace(asked, path=kept + asked.path.removeprefix(prefix))
        question = (venue, asked.method, asked.path, asked.query, asked.body)
        times = self._times[question]
        self._times[question] += 1
        fault = self.faults.pick(venue, asked.path, times, self._seed, question)
        if fault in INSTEAD:
            return refused(fault, self._clock.now(), self.faults.wait)
        view = self._world.view(self._clock.now())
        answer = dialect.answer(own, view, Quirks())
        if fault is None:
            return sent(answer)
        if fault in ON_THE_WAY:
            return hindered(answer, fault)
        seed = (self._seed, fault, times, question)
        spoiled = self._spoiled(_Question(venue, dialect, own, view, answer), fault, seed)
        return sent(spoiled, fault if spoiled != answer else None)

    def _spoiled(self, asked: _Question, fault: Fault, seed: Seed) -> Answer:
        """Give the answer with a fault in what it says."""
        answer, view = asked.answer, asked.view
        if fault in IN_FIELDS:
            told = spoil_fields(answer.payload, fault, seed, self.faults.field)
            return replace(answer, payload=told)
        if fault in IN_LISTS:
            return replace(answer, payload=spoil_list(answer.payload, fault))
        if fault in IN_DIALECT:
            return asked.again(quirks=QUIRKS[fault])
        if fault is Fault.FLICKER:
            return asked.again(flicker(view, self._seed))
        if fault is Fault.LAGGING:
            return _aged(asked.again(view.earlier(LAG))) if asked.is_get else answer
        return asked.again(bend_books(view, fault)) if _shows_books(asked, fault) else answer


def options_at(home: str, venue: str) -> dict[str, str]:
    """Give the options by which the arena's own adapter of a venue asks a server."""
    return {name: f"{home}{path}" if path else path for name, path in OPTIONS[venue].items()}


def _aged(answer: Answer) -> Answer:
    """Say how old an answer of an hour ago is."""
    ages = [int(value) for name, value in answer.headers if name.lower() == "age"]
    kept = tuple((n, value) for n, value in answer.headers if n.lower() != "age")
    age = sum(ages) + LAG // timedelta(seconds=1)
    return replace(answer, headers=(*kept, ("Age", str(age))))


def _shows_books(asked: _Question, fault: Fault) -> bool:
    """Say whether a fault in a book can show.

    Manifold has none but its market maker's pool, and only Polymarket's are known to be
    ghosts, where the book itself is asked for.
    """
    if fault is Fault.GHOST_BOOK:
        return asked.venue == POLYMARKET and "book" in asked.asked.path
    return asked.venue != MANIFOLD
