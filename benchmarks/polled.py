"""What one poll of a venue takes, and what its bytes take alone, in a process of its own.

`python -m benchmarks.polled poll kalshi FILE URL` polls the venue at an address into an
arena's file, as a tick does; `... floor kalshi FILE URL` downloads what such a poll left in
the file and parses it with `json.loads`, one answer after the other.
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from arena.cli.start.demo import Demo, demo_settings
from arena.clock import HandClock
from arena.http import HttpDoor, HttpReply, HttpRequest, Manners, PoliteReader
from arena.http.door import MAX_REPLY, httpx  # type: ignore[attr-defined]  # the one it found
from arena.ports import Clock, Payloads, Venue
from arena.records.answer import Payload
from arena.records.cohort import Cadence, Quota, Start, Universe
from arena.records.market import Catalogue, Market, MarketId, Quote, Status, VenueId
from arena.records.money import usd
from arena.records.settings import Settings, VenueSettings
from arena.steps.markets.observe import observe
from arena.steps.play import enrol
from arena.store import Store, open_store
from arena.venues.kalshi.venue import LONGEST_ANSWER, KalshiVenue
from arena.venues.kalshi.venue import options_of as kalshi_options
from arena.venues.manifold.venue import ManifoldVenue
from arena.venues.manifold.venue import options_of as manifold_options
from arena.venues.polymarket.asking import options_of as polymarket_options
from arena.venues.polymarket.venue import PolymarketVenue
from arena.wiring import build_doors
from benchmarks.bare import peak_memory
from tests.standins.venues.server import OPTIONS

_T = TypeVar("_T")

FIRST = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
SECOND = FIRST + timedelta(days=1)
UNHURRIED = 1e6  # requests a second: no pace at all
PAGES = {"polymarket": 50, "kalshi": 100, "manifold": 2}
ADAPTERS = {
    "polymarket": (PolymarketVenue, polymarket_options),
    "kalshi": (KalshiVenue, kalshi_options),
    "manifold": (ManifoldVenue, manifold_options),
}
EVERY_RULE = Universe(
    top=50,
    min_volume=usd(100),
    min_volume_24h=usd(1),
    closes_within=timedelta(days=60),
    closes_after=timedelta(hours=1),
    min_age=timedelta(hours=1),
    max_age=timedelta(days=365),
    quotas=(Quota("Sports", 20), Quota("Weather", 20)),
    include=("simulated", "will * 2026"),
    exclude=("up or down", "bitcoin*"),
    per_event=2,
    distinct=True,
    price_from=Decimal("0.03"),
    price_to=Decimal("0.97"),
)


@dataclass(slots=True)
class Taken:
    """Seconds of a poll by the wall, and by the processor; bytes unpacked and on disk; MB.

    Its stages are by the wall too.
    """

    whole: float = 0.0
    cpu: float = 0.0
    download: float = 0.0
    archive: float = 0.0
    parse: float = 0.0
    choose: float = 0.0
    tape: float = 0.0
    requests: int = 0
    bytes: int = 0
    packed: int = 0
    listed: int = 0
    memory: float = 0.0


def main() -> None:
    kind, venue, file, url = sys.argv[1:]
    with open_store(Path(file)) as store:
        run = poll if kind == "poll" else floor
        print(json.dumps(asdict(asyncio.run(run(VenueId(venue), store, Path(file), url)))))


def settings_of(venue: VenueId, file: Path, url: str) -> Settings:
    """A daily cohort of the baselines on one venue, which speaks at an address."""
    settings = demo_settings(Demo(1, 0, 1), file.parent)
    (spec,) = settings.cohorts
    spec = replace(
        spec, venue=venue, start=Start(Cadence.DAILY, FIRST), universe=EVERY_RULE, title="Poll"
    )
    options: dict[str, object] = {
        name: path and url + path for name, path in OPTIONS[venue].items()
    }
    options |= {"pages": PAGES[venue], "per_second": UNHURRIED}
    if venue == "manifold":
        options["min_bettors"] = 0
    placed = VenueSettings(venue, venue, tuple(options.items()))
    return replace(settings, database=file, venues=(placed,), cohorts=(spec,))


async def poll(venue: VenueId, store: Store, file: Path, url: str) -> Taken:
    """Poll as a tick does, with a watch on every stage."""
    taken = Taken()
    settings, clock = settings_of(venue, file, url), HandClock(SECOND)
    timed = _timed(settings.venues[0], clock, store, taken)
    doors = replace(build_doors(settings, store, clock), venues={venue: timed})
    enrol(doors, SECOND)
    await timed.door.send(HttpRequest("GET", url), seconds=10)  # the first one is slow
    taken.download = 0.0
    start, used = time.perf_counter(), time.process_time()
    observed = await observe(doors, SECOND)
    end, taken.cpu = time.perf_counter(), time.process_time() - used
    if observed.failures or not observed.rounds:
        raise SystemExit(f"{venue}: {observed.failures or 'there was no round'}")
    return _measured(taken, timed, (start, end), store)


def _measured(
    taken: Taken, timed: "_TimedVenue", span: tuple[float, float], store: Store
) -> Taken:
    start, end = span
    taken.whole = end - start
    (_, listed), (looked, _), (_, told) = timed.moments[0], timed.moments[1], timed.moments[-1]
    taken.choose = looked - listed
    taken.tape = end - told + timed.moments[0][0] - start
    taken.parse = taken.whole - taken.download - taken.archive - taken.choose - taken.tape
    taken.listed, taken.memory = timed.listed, peak_memory()
    bodies = "SELECT count(*), sum(size), sum((SELECT length(packed) FROM tape_bodies"
    row = store.db.row(
        f"{bodies} WHERE digest = p.digest)) FROM tape_payloads AS p WHERE at = ?",
        SECOND.isoformat(),
    )
    if row is not None:
        taken.requests, taken.bytes, taken.packed = row
    return taken


async def floor(venue: VenueId, store: Store, _: Path, url: str) -> Taken:
    """Download and parse the same bytes."""
    taken = Taken()
    told, end = reversed(store.payloads.newest(venue, 10**6)), SECOND + timedelta(seconds=1)
    asked = [one for one in told if SECOND <= one.at < end]
    bodies = {k.asked: store.payloads.body(k.asked) if k.asked else None for k in asked}
    requests = [(k.method, _moved(k.url, url), bodies[k.asked]) for k in asked]
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    async with httpx.AsyncClient(trust_env=False, headers=headers) as client:
        await client.get(url)
        start, used = time.perf_counter(), time.process_time()
        for method, target, body in requests:
            begun = time.perf_counter()
            reply = await client.request(method, target, content=body)
            taken.download += time.perf_counter() - begun
            json.loads(reply.content)
            taken.bytes += len(reply.content)
        taken.whole, taken.cpu = time.perf_counter() - start, time.process_time() - used
    taken.parse = taken.whole - taken.download
    taken.requests, taken.memory = len(requests), peak_memory()
    return taken


def _moved(said: str, url: str) -> str:
    parts, home = urlsplit(said), urlsplit(url)
    return parts._replace(netloc=home.netloc).geturl()


class _TimedDoor(HttpDoor):
    def __init__(self, taken: Taken) -> None:
        super().__init__()
        self._taken = taken

    async def send(
        self, request: HttpRequest, *, seconds: float, most: int = MAX_REPLY
    ) -> HttpReply:
        start = time.perf_counter()
        try:
            return await super().send(request, seconds=seconds, most=most)
        finally:
            self._taken.download += time.perf_counter() - start


class _TimedPayloads:
    def __init__(self, payloads: Payloads, taken: Taken) -> None:
        self._payloads = payloads
        self._taken = taken

    def keep(self, payload: Payload) -> None:
        start = time.perf_counter()
        self._payloads.keep(payload)
        self._taken.archive += time.perf_counter() - start


class _TimedVenue:
    """Notes when each question begins and ends."""

    only_now = True

    def __init__(self, venue: Venue, door: HttpDoor) -> None:
        self.door = door
        self.moments: list[tuple[float, float]] = []
        self.listed = 0
        self._venue = venue

    async def _noted(self, asked: Awaitable[_T]) -> _T:
        start = time.perf_counter()
        answer = await asked
        self.moments.append((start, time.perf_counter()))
        return answer

    async def catalogue(self) -> Catalogue:
        found = await self._noted(self._venue.catalogue())
        self.listed = len(found.markets)
        return found

    async def details(self, markets: Sequence[Market]) -> Sequence[Market]:
        return await self._noted(self._venue.details(markets))

    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        return await self._noted(self._venue.quotes(markets))

    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        return await self._noted(self._venue.statuses(markets))


def _timed(settings: VenueSettings, clock: Clock, store: Store, taken: Taken) -> _TimedVenue:
    door, payloads = _TimedDoor(taken), _TimedPayloads(store.payloads, taken)
    manners = Manners(per_second=UNHURRIED, most=LONGEST_ANSWER)
    reader = PoliteReader(settings.id, manners, clock, payloads, door=door)
    made, options_of = ADAPTERS[settings.id]
    return _TimedVenue(made(settings.id, options_of(settings), clock, reader), door)


if __name__ == "__main__":
    main()
