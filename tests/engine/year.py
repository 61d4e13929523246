"""A year of daily cohorts on three stand-in venues and four stand-in providers.

It is played twice from one seed. What the world does, faults and outages included, follows from
the seed and the moment alone; what befalls the machine befalls one of the two arenas.
"""

import ctypes
import json
import multiprocessing
import os
import shutil
import signal
import sqlite3
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from arena.clock import HandClock
from arena.errors import ArenaError
from arena.steps.rounds.cached_llm import LOST_CALL
from arena.store.sqlite import read_only, version_of
from tests.build import at
from tests.cli.project import TEMPLATES, Project
from tests.engine.soak import EVENTS, NOWHERE, every_fault
from tests.engine.year_tick import KILLED, TickOrder, TickOutcome, tick_process
from tests.present import present
from tests.sizes import size
from tests.standins.alarm_server import AlarmServer
from tests.standins.asked import Asked
from tests.standins.bettors import small_bettor
from tests.standins.failures import FINAL, KEYS, PASSING, REFUSED, TOO_LONG
from tests.standins.misbehaviour import Misbehaviour, Served, Tokens, fails
from tests.standins.model_server import Format, ModelServer
from tests.standins.venues import (
    DIALECTS,
    KALSHI,
    MANIFOLD,
    POLYMARKET,
    Fault,
    Faults,
    StandInWorld,
    VenueServer,
)
from tests.standins.venues.dialect import draw

FORKS = multiprocessing.get_context("forkserver")  # without the threads of this process
OLDEST = Path(__file__).parents[1] / "store" / "before_calls.sql"
FIRST = at(24.5)  # the oldest release's database was left in the round of half an hour before
STEP = timedelta(days=1)
PLAYED = size(tuple(Format)[1::2], tuple(Format))  # test_arms has the others
MODELS = {f"model-{wire.value.replace('_', '-')}": wire for wire in PLAYED}
BETTORS = ("market", "favourite")
LOCKED = next(iter(MODELS))  # asked twice a turn
TOPS = {POLYMARKET: size(2, 4), KALSHI: size(2, 4), MANIFOLD: size(2, 3)}
ILLS: Sequence[Misbehaviour] = tuple(
    ill for ills in (FINAL, KEYS, REFUSED, TOO_LONG, PASSING) for ill in ills.values()
)
ILL = 0.06  # the share of requests to models that meet one
DISK = "4g"
NEW_MOUNTS = 0x00020000  # CLONE_NEWNS of unshare(2)
HOOK = "YEAR_HOOK"


def variable(model: str) -> str:
    """The environment variable of a model's key."""
    return f"YEAR_{model.upper().replace('-', '_')}"


SETTINGS_OF = {
    name: {
        "adapter": wire.value,
        "base_url": f"{NOWHERE}/v1",
        "model": name,
        "key_env": variable(name),
        "provider": wire.value,
        "price_in": 1,
        "price_out": 5,
    }
    for name, wire in MODELS.items()
}
PROMPTED = {
    name: {
        "agent": "prompted",
        "model": name,
        "options": {"elicitation": "locked"} if name == LOCKED else {},
    }
    for name in MODELS
}
EVERY_TICK = {"ring": "30 0 * * *", "poll_every": "1d", "mark_every": "1d"}
CONFIG: Mapping[str, object] = {
    "paths": {"templates": str(TEMPLATES)},
    "schedule": {**EVERY_TICK, "confirm_after": "1h"},
    "venues": {name: {"adapter": name} for name in DIALECTS}
    | {"here": {"adapter": "simulated", "options": {"seed": 1}}},
    "models": SETTINGS_OF,
    "contestants": {name: {"agent": "hold_cash"} for name in ("ada", "ben")}
    | {name: {"agent": name} for name in BETTORS}
    | PROMPTED,
    "site": {"pages": "recent"},
    "backup": {"to": "backups", "every": "7d"},
    "watch": {"alarms": [{"kind": "webhook", "url_env": HOOK}]},
}
KEYS_OF = {variable(model): f"year-key-of-{model}" for model in MODELS}


@dataclass(frozen=True, slots=True)
class Outage:
    """Somebody who answers nothing from one tick until before another, and the alarm of it."""

    who: str
    first: int
    end: int

    @property
    def alarm(self) -> str:
        return f"{'venue' if self.who in DIALECTS else 'contestant'}.{self.who}"


@dataclass(frozen=True, slots=True)
class Kill:
    """A tick's end before its time: at a share of its statements, its asks, or its work."""

    kind: str
    share: float


KINDS = ("statement", "ask", "work")


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens in which tick, counted from 0. All but outages befalls the machine."""

    ticks: int  # one a day
    outages: tuple[Outage, ...] = ()
    kills: Mapping[int, Sequence[Kill]] = field(default_factory=dict)
    full: Mapping[int, int] = field(default_factory=dict)  # bytes that are left
    back: frozenset[int] = frozenset()
    ahead: frozenset[int] = frozenset()
    lost: frozenset[int] = frozenset()
    drawn_by: int = 1

    def undisturbed(self) -> "Plan":
        return Plan(self.ticks, self.outages, drawn_by=self.drawn_by)


def plan(days: int, kills: int, *, outages: int, full: int, seed: int = 1) -> Plan:
    """Draw what happens in so many days; the first three and the last two have no outage."""
    rng = np.random.default_rng(seed)
    planned: defaultdict[int, list[Kill]] = defaultdict(list)
    for day in rng.integers(days, size=kills).tolist():
        planned[day].append(Kill(KINDS[rng.integers(len(KINDS))], rng.random()))
    who = [*DIALECTS, *MODELS]
    span = (days - 5) // max(1, outages)
    absent = []
    for n in range(outages):
        first = 3 + n * span + int(rng.integers(max(1, span - 5)))
        absent.append(Outage(who[n * 3 % len(who)], first, first + int(rng.integers(3, 5))))
    *back, ahead, lost = (rng.choice(days - 3, 4, replace=False) + 2).tolist()
    return Plan(
        days,
        tuple(absent),
        planned,
        {int(day): int(rng.integers(300_000)) for day in rng.choice(days, full, replace=False)},
        back=frozenset(back),
        ahead=frozenset({ahead}),
        lost=frozenset({lost}),
        drawn_by=seed,
    )


@dataclass(slots=True)
class Providers:
    """What the models' servers say: it follows from the seed, the moment and the question.

    `paid` counts the good answers to each question. The process `victim` is killed when it
    asks for the `deadly`-th time, and its answer is lost.
    """

    plan: Plan
    number: int = 0
    victim: int | None = None
    deadly: int = 0
    asked: int = 0
    paid: Counter[str] = field(default_factory=Counter)
    times: Counter[str] = field(default_factory=Counter)

    def begin(self, number: int, deadly: int) -> None:
        self.number, self.deadly, self.asked, self.victim = number, deadly, 0, None
        self.times.clear()

    def __call__(self, model: str, asked: Asked) -> str | Misbehaviour:
        self.asked += 1
        if self.asked == self.deadly and self.victim:
            os.kill(self.victim, signal.SIGKILL)
        if any(o.who == model and o.first <= self.number < o.end for o in self.plan.outages):
            return fails(503, "down")
        body = json.dumps(asked.recorded.body, sort_keys=True)
        question = sha256(f"{asked.recorded.path} {body}".encode()).hexdigest()
        times = self.times[question]
        self.times[question] += 1
        drawn = draw(self.plan.drawn_by, self.number, question, times)
        served = Served(tokens=Tokens(read=len(body) // 4, said=100))
        if drawn < ILL:
            ill = ILLS[int(drawn / ILL * len(ILLS))]
            return replace(ill, served=replace(ill.served, tokens=served.tokens))
        self.paid[question] += 1
        return Misbehaviour(content=small_bettor(model, asked), served=served)


@dataclass(slots=True)
class Played:
    """What became of an arena.

    `open_alarms` are the keys of the alarms that lasted after each tick. `repeats` says of each
    attempt at a tick how many answers were lost before it, and how many questions that had
    had a good answer were answered once more in it.
    """

    folder: Path
    plan: Plan
    outcomes: list[TickOutcome] = field(default_factory=list)
    open_alarms: list[frozenset[str]] = field(default_factory=list)
    repeats: list[tuple[int, int]] = field(default_factory=list)
    ended: Counter[str] = field(default_factory=Counter)
    paid: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)

    @property
    def project(self) -> Project:
        return Project(self.folder)


def write(folder: Path) -> None:
    """Write the configuration, and begin with the database of the oldest release."""
    (folder / "cohorts").mkdir(parents=True)
    (folder / "data").mkdir()
    with closing(sqlite3.connect(folder / "data" / "arena.db")) as db:
        db.executescript(OLDEST.read_text("utf-8"))
    (folder / "config.yaml").write_text(json.dumps(CONFIG), encoding="utf-8")
    for name, top in TOPS.items():
        agreed = {
            "title": f"Daily on {name}",
            "venue": name,
            "start": {"cadence": "daily", "first": (FIRST + STEP).isoformat()},
            "decide": {"every": "1d", "for": "1d"},
            "universe": {"top": top, "closes_within": "3d"},
            "contestants": [*BETTORS, *MODELS],
            "rules": {"max_spread": "0.2"},
        }
        file = folder / "cohorts" / f"on-{name}.yaml"
        file.write_text(json.dumps(agreed), encoding="utf-8")


@contextmanager
def disk(folder: Path) -> Iterator[bool]:
    """Put a disk of its own there, where this user may; says whether it is there.

    This process and those it starts see the disk, others do not: it is gone when they are.
    """
    folder.mkdir()
    alone = ctypes.CDLL(None).unshare(NEW_MOUNTS) == 0 and _mount("--make-rprivate", "/")
    mounted = alone and _mount("-t", "tmpfs", "-o", f"size={DISK}", "none", str(folder))
    try:
        yield mounted
    finally:
        if mounted:
            kept = folder.with_name(f"{folder.name}-kept")
            shutil.copytree(folder, kept)
            subprocess.run(["umount", str(folder)], check=True)  # noqa: S603, S607
            folder.rmdir()
            kept.rename(folder)


def _mount(*words: str) -> bool:
    mount = shutil.which("mount")
    if mount is None:
        return False
    return subprocess.run([mount, *words], check=False, capture_output=True).returncode == 0  # noqa: S603


@dataclass(slots=True)
class Player:
    """Plays one arena, tick after tick, each in a process of its own."""

    played: Played
    clock: HandClock
    venues: VenueServer
    models: ModelServer
    alarms: AlarmServer
    providers: Providers
    is_disk: bool
    often: float
    lasting: set[str] = field(default_factory=set)
    taken_back: int = 0  # answers, by a restore
    asks: int = 0

    def play(self) -> None:
        FORKS.set_forkserver_preload(["tests.engine.year_imports", "tests.engine.year_tick"])
        for number in range(self.played.plan.ticks):
            self._play_one(number)

    def _play_one(self, number: int) -> None:
        plan, folder, now = self.played.plan, self.played.folder, FIRST + number * STEP
        for kill in plan.kills.get(number, ()):
            self._attempt(number, now, kill)
        if number in plan.back:
            back = present(self._attempt(number, now - 2 * STEP))
            self.played.ended[f"clock back: {back.error}"] += 1
        if number in plan.ahead:
            self._ahead(number, now)
        if number in plan.lost:
            self._lose(number, now)
        if number in plan.full and self.is_disk:
            left = shutil.disk_usage(folder).used + plan.full[number]
            assert _mount("-o", f"remount,size={left // 4096 * 4096 + 4096}", str(folder))
            attempted = self._attempt(number, now)
            assert _mount("-o", f"remount,size={DISK}", str(folder))
            full = present(attempted)
            told = not full.error or "tick.failed" in self.lasting
            self.played.ended[f"full: {full.error or 'a part'}, told: {told}"] += 1
        outcome = present(self._attempt(number, now))
        assert not outcome.error, (number, outcome)
        self.asks = self.providers.asked or self.asks
        self.played.outcomes.append(outcome)
        self.played.open_alarms.append(frozenset(self.lasting))
        self._log(number, outcome)

    def _log(self, number: int, outcome: TickOutcome) -> None:
        """Add a line to what somebody reads who waits for a year to end."""
        size = self.played.project.database.stat().st_size
        line = (
            f"day {number + 1}: {outcome.cpu:.2f} s, {outcome.peak >> 20} MB of memory, "
            f"{size >> 10} KB of database; {dict(self.played.ended)}, {sorted(self.lasting)}"
        )
        log = self.played.folder.with_name(f"{self.played.folder.name}.log")
        with log.open("a", encoding="utf-8") as opened:
            opened.write(f"{line}\n")

    def _attempt(
        self, number: int, now: datetime, kill: Kill | None = None
    ) -> TickOutcome | None:
        """Tick in a process; None where it was killed."""
        self.clock.at = FIRST + number * STEP
        self.venues.begin(self.played.plan.drawn_by * 100_000 + number)
        self.venues.faults = self._faults(number)
        kind, share = (kill.kind, kill.share) if kill else ("", 0.0)
        like = self.played.outcomes[-7:]  # one alone may have had little left to do
        statements = max((tick.statements for tick in like), default=1000)
        cpu = max((tick.cpu for tick in like), default=1.0)
        self.providers.begin(number, 1 + int(share * self.asks) if kind == "ask" else 0)
        before, lost = self.providers.paid.copy(), self.taken_back + self._unanswered()
        order = TickOrder(
            self.played.folder,
            now,
            self.venues.home,
            self.models.home,
            {HOOK: f"{self.alarms.home}/hook"} | KEYS_OF,
            1 + int(share * statements) if kind == "statement" else 0,
            0.02 + share * cpu if kind == "work" else 0.0,
        )
        outcome = self._run(order)
        self._hear()
        paid = self.providers.paid - before
        again = sum(1 for question in paid if before[question])
        self.played.repeats.append((lost, again))
        self.taken_back = max(0, self.taken_back - again)
        if outcome is None:
            self.played.ended[f"killed: {kind}"] += 1
        return outcome

    def _run(self, order: TickOrder) -> TickOutcome | None:
        ours, theirs = FORKS.Pipe(duplex=False)
        process = FORKS.Process(target=tick_process, args=(order, theirs))
        process.start()
        self.providers.victim = process.pid
        theirs.close()
        try:
            outcome: TickOutcome | None = ours.recv()
        except EOFError:
            outcome = None
        ours.close()
        process.join()
        assert (process.exitcode in KILLED) == (outcome is None), process.exitcode
        return outcome

    def _faults(self, number: int) -> Faults:
        down = {o.who for o in self.played.plan.outages if o.first <= number < o.end}
        venues = frozenset(down & set(DIALECTS))
        if venues:
            return Faults(((Fault.UNAVAILABLE, 1.0),), venues=venues)
        return every_fault(self.often)

    def _hear(self) -> None:
        """Take in what the alarms' server was told, and what the venues' was asked."""
        told: list[Any] = self.alarms.bodies("/hook")
        for body in told:
            change = self.lasting.add if body["event"] == "began" else self.lasting.discard
            change(body["key"])
        self.alarms.asked.clear()
        faults = (str(h.fault) for h in self.venues.requests if h.fault is not None)
        self.played.faults.update(faults)
        self.models.requests.clear()

    def _unanswered(self) -> int:
        """How many calls are on the tape that were sent and never heard of."""
        with suppress(ArenaError), read_only(self.played.project.database) as db:
            if version_of(db) >= CALLS_SINCE:
                return int(db.execute(UNANSWERED).fetchone()[0])
        return 0

    def _ahead(self, number: int, now: datetime) -> None:
        """The clock jumps three days ahead for a tick; then the books are put back."""
        project, played = self.played.project, self.played
        ((entry,),) = project.rows("SELECT max(seq) FROM journal_entries")
        outcome = present(self._attempt(number, now + 3 * STEP))
        refused = self._attempt(number, now)
        assert refused is not None
        played.ended[f"clock ahead: {outcome.error}, then {refused.error}"] += 1
        for done in (
            project.run("backup", "ahead"),
            project.run("restore", "--from", "ahead", "--at", str(entry)),
        ):
            assert done.code == 0, done.err
        forget_site(self.played)

    def _lose(self, number: int, now: datetime) -> None:
        """The file is damaged in the middle of a tick; the backup from before is put back."""
        project, played = self.played.project, self.played
        database = project.database
        backup = project.run("backup", "before")
        assert backup.code == 0, backup.err
        before = self.providers.paid.total()
        self._attempt(number, now, Kill("ask", 0.5))
        whole = database.read_bytes()
        database.write_bytes(whole[: len(whole) // 2])
        database.with_name("arena.db-wal").unlink(missing_ok=True)
        broken = present(self._attempt(number, now))
        played.ended[f"damaged: {broken.error}"] += 1
        done = project.run("restore", "--from", "before")
        assert done.code == 0, done.err
        forget_site(self.played)
        self.taken_back = self.providers.paid.total() - before


CALLS_SINCE = 3  # the step of the schema
UNANSWERED = """
SELECT count(*) FROM tape_asks WHERE NOT EXISTS (
    SELECT 1 FROM tape_calls WHERE tape_calls.cohort = tape_asks.cohort
    AND tape_calls.round = tape_asks.round AND tape_calls.contestant = tape_asks.contestant
    AND tape_calls.call = tape_asks.call)
"""


def play(folder: Path, plan: Plan, *, often: float = 0.001) -> Played:
    """Play an arena from the oldest release's database to the end of the plan."""
    clock, providers = HandClock(FIRST), Providers(plan)
    world = StandInWorld(plan.drawn_by, events_per_day=EVENTS)
    with ExitStack() as running:
        is_disk = bool(plan.full) and running.enter_context(disk(folder))
        write(folder)
        player = Player(
            Played(folder, plan),
            clock,
            running.enter_context(VenueServer(world, clock, DIALECTS)),
            running.enter_context(ModelServer(providers)),
            running.enter_context(AlarmServer()),
            providers,
            is_disk,
            often,
        )
        player.play()
        player.played.paid = providers.paid
        return player.played


def forget_site(played: Played) -> None:
    """Publish on a new place, where nothing is shown yet that was taken back."""
    for part in ("site", ".site.cache", "data/.site.cache"):
        shutil.rmtree(played.folder / part, ignore_errors=True)
    for old in (played.folder / "data").glob("arena.db.before-*"):
        old.unlink()


FORGET = """
CREATE TEMP TABLE lost AS
    SELECT DISTINCT cohort, round, contestant FROM tape_attempts WHERE detail = '{detail}';
ATTACH '{calm}' AS calm;
DELETE FROM main.tape_attempts WHERE (cohort, round, contestant) IN lost;
DELETE FROM main.tape_answers WHERE (cohort, round, contestant) IN lost;
INSERT INTO main.tape_attempts
    SELECT * FROM calm.tape_attempts WHERE (cohort, round, contestant) IN lost;
INSERT INTO main.tape_answers
    SELECT * FROM calm.tape_answers WHERE (cohort, round, contestant) IN lost;
DELETE FROM main.tape_asked_again;
"""


def forget_losses(calm: Played, disturbed: Played) -> None:
    """Take out of an arena's tape which answers were lost, and make its pages again.

    That a call was asked before an interruption, and may have been billed, stands on pages of
    costs and decisions. It is all in which they may differ from those of an undisturbed year.
    """
    disturbed.project.damage(FORGET.format(detail=LOST_CALL.detail, calm=calm.project.database))
    forget_site(disturbed)
    for words in (("rebuild",), ("site", "build")):
        done = disturbed.project.run(*words)
        assert done.code == 0, done.err


def documents(played: Played) -> dict[str, bytes]:
    """The JSON of every page, by its path; the bundle's has the order in which answers came."""
    site = played.folder / "site"
    files = (file for file in site.rglob("*.json") if not file.name.startswith("."))
    found = {file.relative_to(site).as_posix(): file.read_bytes() for file in files}
    return {path: body for path, body in found.items() if not path.startswith("bundle/")}
