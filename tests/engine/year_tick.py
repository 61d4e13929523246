"""One tick as a process of its own, which may be killed anywhere."""

import asyncio
import os
import resource
import selectors
import signal
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from multiprocessing.connection import Connection
from pathlib import Path

from arena.cli.play.tick import tick_once
from arena.clock import HandClock
from arena.errors import ArenaError
from arena.llms.client import WireClient
from arena.ports import Clock, Llm, Venue
from arena.records.market import YES_WINS, State, Status, VenueId
from arena.records.settings import ModelSettings, Settings
from arena.steps.doors import Doors
from arena.steps.rounds.cached_llm import ModelExchange
from arena.store import Store
from arena.wiring import build_doors, build_model
from tests.build import HERE, MARKETS, at, at_price, market
from tests.engine.soak import Counted, CountingDoor, adapter
from tests.stage import ScriptedVenue
from tests.standins.venues import DIALECTS

KILLED = (-signal.SIGKILL, -signal.SIGPROF)
OLD_VENUE_ENDS = at(72)
PATIENCE = 20.0  # seconds, after which no server will answer any more


@dataclass(frozen=True, slots=True)
class TickOrder:
    """A tick to be made: where, when, and whose servers are asked.

    It kills itself before its `statement`-th statement of SQL, or after `cpu` seconds of its
    processor's time, wherever it is then.
    """

    folder: Path
    at: datetime
    venues: str
    models: str
    variables: Mapping[str, str] = field(repr=False)
    statement: int = 0
    cpu: float = 0.0


@dataclass(frozen=True, slots=True)
class TickOutcome:
    """What a tick that was not killed came to.

    `error` is the code of what stopped it, empty where nothing did. `failures` are the parts
    that failed. `cpu` is in seconds, `peak` the most memory in bytes, `starts` the moments of
    requests to each venue on a clock that only waits move.
    """

    error: str
    failures: tuple[str, ...]
    failed_turns: tuple[str, ...]
    turns: int
    resolved: int
    statements: int
    cpu: float
    peak: int
    starts: Mapping[str, tuple[float, ...]]


class PatientSelector(selectors.DefaultSelector):
    """Waits for servers of this machine as long as they take, and for nothing else."""

    skipped = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        events = super().select(timeout and PATIENCE)
        if timeout and not events:
            self.skipped += timeout
        return events


class StillLoop(asyncio.SelectorEventLoop):
    """An event loop in which nothing takes any time, so that latencies are those of all runs.

    Where only timers are left to wait for, time goes on to the next one.
    """

    def __init__(self) -> None:
        self._waits = PatientSelector()
        super().__init__(self._waits)

    def time(self) -> float:
        return self._waits.skipped


class StillTime(asyncio.DefaultEventLoopPolicy):
    """Makes such loops."""

    _loop_factory = StillLoop


def tick_process(order: TickOrder, results: Connection) -> None:
    """Tick once and send what became of it."""
    os.environ.update(order.variables)
    asyncio.set_event_loop_policy(StillTime())
    counted = {name: Counted() for name in DIALECTS}
    statements: Counter[str] = Counter()
    if order.cpu:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, order.cpu)
    error, report = "", None
    try:
        report = tick_once(
            order.folder / "config.yaml",
            order.at,
            doors_of=StandInDoors(order, counted, statements),
        )
    except ArenaError as failure:
        error = failure.code
    except OSError as failure:
        error = f"disk.{failure.errno}"
    results.send(
        TickOutcome(
            error,
            tuple(f"{f.where}: {f.what}" for f in report.failures) if report else (),
            tuple(who for who, _ in report.failed_turns) if report else (),
            report.turns if report else 0,
            len(report.resolved) if report else 0,
            statements.total(),
            time.process_time(),
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            {name: tuple(waits.starts) for name, waits in counted.items()},
        )
    )


@dataclass(frozen=True, slots=True)
class StandInDoors:
    """Builds the configured doors, but that stand-ins are asked and waits take no time."""

    order: TickOrder
    counted: Mapping[str, Counted]
    statements: Counter[str]

    def __call__(self, settings: Settings, store: Store, clock: Clock) -> Doors:
        store.db.raw.set_trace_callback(self._before_statement)
        doors = build_doors(settings, store, clock, self._line)
        venues: dict[VenueId, Venue] = {
            VenueId(name): adapter(name, self.order.venues, clock, store.payloads, waits)
            for name, waits in self.counted.items()
        }
        return replace(doors, venues=venues | {HERE: old_venue(clock)})

    def _before_statement(self, _: str) -> None:
        self.statements["all"] += 1
        if self.statements.total() == self.order.statement:
            os.kill(os.getpid(), signal.SIGKILL)

    def _line(self, model: ModelSettings, exchange: ModelExchange) -> Llm:
        client = build_model(model)
        assert isinstance(client, WireClient)
        client.door = CountingDoor(Counted(), self.order.models)
        client.retries = replace(client.retries, sleep=lambda _: asyncio.sleep(0))
        return exchange.line(client, model)


def old_venue(clock: Clock) -> Venue:
    """The venue of the oldest release's database: every market is YES in the end."""
    now = clock.now()
    is_over = now >= OLD_VENUE_ENDS
    state, outcome = (State.RESOLVED, YES_WINS) if is_over else (State.OPEN, None)
    return ScriptedVenue(
        HandClock(now),
        [] if is_over else [market(name) for name in MARKETS],
        {name: at_price("0.5", name) for name in MARKETS},
        {name: Status(name, state, now, outcome) for name in MARKETS},
    )
