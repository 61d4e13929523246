"""Months of polling, deciding and settling against stand-ins of all live venues at once.

Simulated time moves by hand. Waits between requests take no time, but by a clock of their own
they do: by it requests are held to their pace.
"""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePath

from arena.agents import baselines
from arena.clock import HandClock
from arena.http import (
    MAX_REPLY,
    HttpDoor,
    HttpError,
    HttpReply,
    HttpRequest,
    Manners,
    Pauses,
    PoliteReader,
    host_and_port,
)
from arena.ports import Agent, Backstage, Clock, Payloads, Venue
from arena.records.cohort import Cadence, CohortSpec, ContestantId, Rules, Start, Universe
from arena.records.market import VenueId
from arena.records.report import Failure
from arena.records.settings import ContestantSettings, Schedule, VenueSettings
from arena.steps.doors import Doors
from arena.steps.play import tick
from arena.store import Store, open_store
from arena.venues.kalshi import venue as kalshi_options
from arena.venues.kalshi.venue import KalshiVenue
from arena.venues.manifold import venue as manifold_options
from arena.venues.manifold.venue import ManifoldVenue
from arena.venues.polymarket import asking as polymarket_options
from arena.venues.polymarket.venue import PolymarketVenue
from tests.standins.venues import (
    DIALECTS,
    KALSHI,
    MANIFOLD,
    POLYMARKET,
    Fault,
    Faults,
    StandInWorld,
    VenueServer,
    options_at,
)

FIRST = datetime(2026, 7, 6, 9, tzinfo=UTC)
STEP = timedelta(hours=6)
EVENTS = 4  # a day
PACES = {POLYMARKET: 4.0, KALSHI: 5.0, MANIFOLD: 2.0}
TOPS = {POLYMARKET: 8, KALSHI: 8, MANIFOLD: 3}
NOWHERE = "http://127.0.0.1:9"
RARE = {
    Fault.FLICKER: 60,
    Fault.GHOST_BOOK: 5,
    Fault.HYDRATION: 10,
    Fault.SAME_PAGE: 10,
    Fault.TEXT_SORTED: 5,
}
PLAYERS = ("favourite", "longshot", "coin_flip")


@dataclass(slots=True)
class Counted:
    """Waits that only move a clock, and the moments of that clock at which requests left."""

    seconds: float = 0.0
    starts: list[float] = field(default_factory=list)
    pauses: Pauses = field(init=False)

    def __post_init__(self) -> None:
        self.pauses = Pauses(self.sleep, self.now)

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        await asyncio.sleep(0)

    def now(self) -> float:
        return self.seconds


class CountingDoor(HttpDoor):
    """Sends requests to the stand-in at `home`, and notes when.

    They are made to `NOWHERE`, and errors name that: in two runs the words are the same.
    """

    def __init__(self, counted: Counted, home: str) -> None:
        super().__init__()
        self._counted, self._home = counted, home

    async def send(
        self, request: HttpRequest, *, seconds: float, most: int = MAX_REPLY
    ) -> HttpReply:
        self._counted.starts.append(self._counted.seconds)
        here = replace(request, url=request.url.replace(NOWHERE, self._home, 1))
        try:
            return await super().send(here, seconds=seconds, most=most)
        except HttpError as error:
            message = error.message.replace(host_and_port(self._home), host_and_port(NOWHERE))
            raise HttpError(error.fault, message, sent=error.sent) from error


@dataclass(slots=True)
class Soak:
    """What a soak came to: its books are closed, `file` holds them."""

    file: Path
    world: StandInWorld
    servers: Mapping[str, VenueServer]
    ended_at: datetime
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faults: dict[str, int] = field(default_factory=dict)
    counted: dict[str, Counted] = field(default_factory=dict)
    memory: list[int] = field(default_factory=list)

    @contextmanager
    def open(self) -> Iterator[Store]:
        with open_store(self.file) as store:
            yield store


def adapter(name: str, home: str, clock: Clock, payloads: Payloads, counted: Counted) -> Venue:
    """Build the arena's own adapter of a venue, sent to its stand-in at `home`."""
    named = VenueId(name)
    said: dict[str, object] = {**options_at(NOWHERE, name)}
    if name == MANIFOLD:
        said["min_bettors"] = 0
    settings = VenueSettings(named, name, tuple(said.items()))
    manners = Manners(per_second=PACES[name], seconds=20, most=15_000_000)
    door = CountingDoor(counted, home)
    reader = PoliteReader(named, manners, clock, payloads, door=door, pauses=counted.pauses)
    if name == POLYMARKET:
        return PolymarketVenue(named, polymarket_options.options_of(settings), clock, reader)
    if name == KALSHI:
        return KalshiVenue(named, kalshi_options.options_of(settings), clock, reader)
    return ManifoldVenue(named, manifold_options.options_of(settings), clock, reader)


def cohort(name: str, days: int) -> CohortSpec:
    """A cohort on one venue that decides every day but the last twenty."""
    return CohortSpec(
        name=f"on-{name}",
        title=f"On {name}",
        venue=VenueId(name),
        start=Start(Cadence.ONCE, FIRST),
        decide_every=timedelta(days=1),
        decide_for=timedelta(days=days - 20),
        universe=Universe(top=TOPS[name], closes_within=timedelta(days=10)),
        contestants=tuple(ContestantId(player) for player in PLAYERS),
        rules=replace(Rules(), max_spread=Rules().max_spread * 2),
    )


def players() -> dict[ContestantId, Agent]:
    backstage = Backstage({}, {}, PurePath())
    return {
        ContestantId(name): getattr(baselines, name)(
            ContestantSettings(ContestantId(name), name), backstage
        )
        for name in PLAYERS
    }


def every_fault(often: float) -> Faults:
    """Let each fault there is befall this share of requests.

    Those that change little of what they befall come more often.
    """
    return Faults(tuple((fault, often * RARE.get(fault, 1)) for fault in Fault))


def soak(folder: Path, *, days: int, seed: int = 1, faults: Faults) -> Soak:
    """Play so many days."""
    world, clock = StandInWorld(seed, events_per_day=EVENTS), HandClock(FIRST)
    with ExitStack() as open_now:
        servers = {
            name: open_now.enter_context(VenueServer(world, clock, DIALECTS, faults, seed=seed))
            for name in DIALECTS
        }
        found = Soak(folder / "arena.db", world, servers, FIRST)
        found.counted = {name: Counted() for name in servers}
        for n in range(days * (timedelta(days=1) // STEP)):
            clock.at = found.ended_at = FIRST + n * STEP
            _tick(found, clock, days)
            _clear(found)
    return found


def _tick(found: Soak, clock: HandClock, days: int) -> None:
    """Tick as a process of its own would: a new store, new adapters, a new loop."""
    with found.open() as store:
        venues = {
            VenueId(name): adapter(
                name, server.home, clock, store.payloads, found.counted[name]
            )
            for name, server in found.servers.items()
        }
        specs = tuple(cohort(name, days) for name in found.servers)
        doors = Doors(store, venues, players(), specs, Schedule(poll_every=STEP))
        report = asyncio.run(tick(doors, clock.at))
    found.failures += report.failures
    found.notes += report.notes
    found.memory.append(resident())


def _clear(found: Soak) -> None:
    """Count what servers heard, and let them forget it: months of it are no use."""
    for server in found.servers.values():
        for heard in server.requests:
            if heard.fault is not None:
                found.faults[heard.fault] = found.faults.get(heard.fault, 0) + 1
        server.requests.clear()


def resident() -> int:
    """Bytes of memory in use by this process now; 0 where the system does not say."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return 0
    return int(pages) * 4096
