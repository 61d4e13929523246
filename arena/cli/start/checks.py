"""The checks of `arena doctor`: each gives one or more findings, and changes nothing."""

import asyncio
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import partial
from importlib.util import find_spec
from os import W_OK, access, environ, fstat
from pathlib import Path
from stat import S_IROTH, S_IWOTH
from tempfile import TemporaryFile
from typing import Final

from arena import __version__, plugins
from arena.agents.outside import HTTP, model_name, model_of
from arena.cli.operations.health import growth_lines
from arena.clock import SystemClock
from arena.config import check as problems_of
from arena.config import load_settings
from arena.errors import ArenaError
from arena.http import HttpDoor, HttpError, HttpRequest, host_and_port
from arena.http.limits import http_date
from arena.metrics.figures import many, moment
from arena.picture import can_draw
from arena.ports import Backstage, BaseRate, ContextBackstage, Llm
from arena.records.answer import Completion
from arena.records.cohort import CohortId, ContestantId
from arena.records.market import MarketId, Quote
from arena.records.settings import ContestantSettings, ModelSettings, Settings, VenueSettings
from arena.render import environment, load, names_below
from arena.site.engine.manifest import read_shown
from arena.steps.status import status
from arena.store import Store, open_store
from arena.store.audit import broken_links
from arena.store.migrations import STEPS
from arena.store.sqlite import read_only, version_of
from arena.tick_timer import next_ring
from arena.venues.kalshi.venue import KalshiOptions
from arena.venues.manifold.venue import ManifoldOptions
from arena.venues.polymarket.asking import PolymarketOptions
from arena.watch.conditions import SOON, growth_of
from arena.wiring import (
    KeptNowhere,
    build_agent,
    build_contexts,
    build_tools,
    build_venues,
    guests_of,
    secrets_of,
    well,
)

UNCHECKED = (
    "whether keys are right and servers answer: `arena llm check`, `arena venue check`",
    "whether folders can be written to and what is in the database: `arena doctor`",
)


class EmptyArchive:
    """An archive in which nobody has answered and nothing has a price."""

    def said(
        self, cohort: CohortId, number: int, contestant: ContestantId
    ) -> Mapping[MarketId, float] | None:
        """Nobody has answered."""

    def graded(
        self, contestant: ContestantId, before: datetime
    ) -> Sequence[tuple[float, float]]:
        """Nothing has come out."""
        del contestant, before
        return ()

    def base_rate(self, before: datetime, venue: str, category: str) -> BaseRate:
        """Nothing has come out."""
        del before, venue, category
        return BaseRate(0, 0.0)

    def submitted(
        self, cohort: CohortId, number: int, contestant: ContestantId
    ) -> Completion | None:
        """Nothing was handed in."""

    def quotes(self, ids: Iterable[MarketId], at: datetime) -> Mapping[MarketId, Quote]:
        """Nothing is priced."""
        del ids, at
        return {}


@dataclass(frozen=True, slots=True)
class PluginRefusal:
    """A part of the configuration that its plugin refuses."""

    what: str
    why: str
    hint: str

    def __str__(self) -> str:
        after = f"; {self.hint}" if self.hint else ""
        return f"{self.what}: {self.why}{after}"


def refusals(settings: Settings) -> Iterator[PluginRefusal]:
    """Build every venue, model, contestant and source, and tell which of them are refused.

    Nothing is asked of anybody, and no key is read.
    """
    clock, nowhere, secrets = SystemClock(), KeptNowhere(), secrets_of(settings)
    everywhere = [venue.id for venue in settings.venues]
    venues = build_venues(settings.venues, everywhere, clock, nowhere)
    llms = {
        m.name: plugins.built(f"the model {m.name}", partial(_without_key, m))
        for m in settings.models
    }
    sources = ContextBackstage(clock, nowhere, settings.root, EmptyArchive(), well(venues))
    tools = build_tools(settings, EmptyArchive(), sources, lambda tool, _: tool)
    backstage = Backstage(
        well(llms), well(venues), settings.templates, EmptyArchive(), settings.root, tools
    )
    agents = {
        who.id: plugins.built(str(who.id), partial(_built, who, backstage))
        for who in settings.contestants
        if not isinstance(llms.get(who.model or ""), ArenaError)  # refused already
    }
    contexts = build_contexts(settings.contexts, sources)
    for kind, parts in (
        ("venues", venues),
        ("models", llms),
        ("tools", tools),
        ("contestants", agents),
        ("contexts", contexts),
    ):
        for name, part in parts.items():
            if isinstance(part, ArenaError):
                clean = part.reworded(secrets.text)
                yield PluginRefusal(f"{kind}.{name}", clean.message, clean.hint)


def _built(who: ContestantSettings, backstage: Backstage) -> object:
    """Build a contestant; of one behind an address its options are read."""
    return model_of(who) if who.agent == HTTP else build_agent(who, backstage)


def _without_key(model: ModelSettings) -> Llm:
    return plugins.load(plugins.LLMS, model.adapter)(model, None)


EXTRAS: Final = {
    "duckdb": "Parquet files",
    "feedparser": "feeds as sources of documents",
    "httpx2": "the newer HTTP client",
    "mcp": "the Model Context Protocol",
    "pyarrow": "reading Parquet forecasts",
    "pydantic_ai": "Bedrock and Vertex",
}
OLDEST: Final = (3, 11)
MEGABYTE: Final = 1_000_000
LITTLE, TOO_LITTLE = 1_000 * MEGABYTE, 50 * MEGABYTE
DRIFT: Final = timedelta(seconds=5)
LAST_ENTRIES: Final = 200
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")


class CheckState(StrEnum):
    """How well a thing stands."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, how it stands, what was seen, and what to do about it."""

    what: str
    state: CheckState
    detail: str
    hint: str = ""


def of_machine(now: datetime) -> Iterator[Finding]:
    """The program, and the machine that it runs on."""
    version = ".".join(map(str, sys.version_info[:3]))
    old = sys.version_info[:2] < OLDEST
    yield Finding(
        "python",
        CheckState.FAIL if old else CheckState.OK,
        version,
        "use Python 3.11 or newer" * old,
    )
    there = [name for name in EXTRAS if find_spec(name)]
    detail = ", ".join(f"{name} ({EXTRAS[name]})" for name in there) or "none"
    yield Finding("arena", CheckState.OK, f"{__version__}; extras: {detail}")
    if not can_draw():
        detail = "no picture is made that other sites show of the front page: Pillow is missing"
        yield Finding("picture", CheckState.WARN, detail, "pip install 'paper-arena[images]'")
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    missing = "not found; only tests of pages need it"
    yield Finding("chromium", CheckState.OK, browser or missing)
    yield _clock(now)


def _clock(now: datetime) -> Finding:
    """Whether the clock of the file system agrees with the program's."""
    try:
        with TemporaryFile() as file:
            file.write(b".")
            file.flush()
            changed = datetime.fromtimestamp(_stamp(file.fileno()), UTC)
    except OSError as error:
        why = error.strerror or str(error)
        return Finding("clock", CheckState.WARN, why, "no file could be written to TMPDIR")
    off = abs(changed - now)
    if off > DRIFT:
        hint = "set the machine's clock: rounds and deadlines go by it"
        return Finding("clock", CheckState.WARN, f"files are {off} apart from it", hint)
    return Finding("clock", CheckState.OK, f"{now:%Y-%m-%d %H:%M:%S} UTC, as files have it")


def _stamp(descriptor: int) -> float:
    return fstat(descriptor).st_mtime


def of_configuration(config: Path) -> tuple[Settings | None, list[Finding]]:
    """The configuration with its cohorts and plugins; None where it cannot be used."""
    problems = problems_of(config)
    hint = "`arena config check` lists them all"
    if problems:
        more = f" and {len(problems) - 1} more" * (len(problems) > 1)
        return None, [Finding("configuration", CheckState.FAIL, f"{problems[0]}{more}", hint)]
    try:
        settings = load_settings(config)
    except ArenaError as error:
        return None, [Finding("configuration", CheckState.FAIL, error.message, error.hint)]
    refused = list(refusals(settings))
    findings = [
        Finding("configuration", CheckState.FAIL, str(refusal), hint) for refusal in refused
    ]
    if not refused:
        cohorts = many(len(settings.cohorts), "cohort")
        named = f"{cohorts}, {many(len(settings.contestants), 'contestant')}"
        findings.append(Finding("configuration", CheckState.OK, f"{config}: {named}"))
    if not settings.cohorts:
        hint = "write one in the cohorts folder, or let `arena init` do it"
        findings.append(Finding("cohorts", CheckState.WARN, "none will start", hint))
    return settings, [*findings, *_keys(settings)]


def _keys(settings: Settings) -> Iterator[Finding]:
    """Which variables of keys are set; what is in them is not looked at."""
    names = {who for spec in settings.cohorts for who in spec.contestants}
    used = {model_name(c) for c in settings.contestants if c.id in names}
    for model in (*settings.models, *guests_of(settings)):
        if model.key_env is None:
            continue
        is_set, playing = bool(environ.get(model.key_env)), model.name in used
        state = CheckState.OK if is_set else CheckState.FAIL if playing else CheckState.WARN
        condition = "set" if is_set else "not set" if playing else "not set, and nobody uses it"
        hint = "" if is_set else f"export {model.key_env}=..., where the arena is run"
        yield Finding(f"key of {model.name}", state, f"{model.key_env} is {condition}", hint)


def of_folders(settings: Settings) -> Iterator[Finding]:
    """Whether the folders can be written to, and have room."""
    for what, folder in (
        ("database folder", Path(settings.database).parent),
        ("site folder", Path(settings.site)),
    ):
        there = next(place for place in (folder, *folder.parents) if place.exists())
        if access(there, W_OK):
            yield Finding(what, CheckState.OK, f"{folder} can be written to")
        else:
            hint = "give this user the right to write there, or change paths in config.yaml"
            yield Finding(what, CheckState.FAIL, f"{there} may not be written to", hint)
    there = next(p for p in Path(settings.database).parents if p.exists())
    free = shutil.disk_usage(there).free
    state = (
        CheckState.FAIL
        if free < TOO_LITTLE
        else CheckState.WARN
        if free < LITTLE
        else CheckState.OK
    )
    hint = "" if state is CheckState.OK else "`arena tape prune --vacuum` gives space back"
    yield Finding("disk", state, f"{free // MEGABYTE:,} MB free", hint)


def of_templates(settings: Settings) -> Finding:
    """Whether every template can be filled in."""
    env, folder = environment(settings.templates), Path(settings.templates)
    if not folder.is_dir():
        hint = "leave out paths.templates: the arena brings its own"
        return Finding("templates", CheckState.FAIL, f"there is no folder {folder}", hint)
    names = [*names_below(env, "site", "html"), *names_below(env, "prompts", "j2")]
    try:
        for name in names:
            load(env, name)
    except ArenaError as error:
        return Finding("templates", CheckState.FAIL, error.message, error.hint)
    own = sum((folder / name).is_file() for name in names)
    brought = f", {len(names) - own} that come with the arena" * (own < len(names))
    return Finding("templates", CheckState.OK, f"{own} in {folder}{brought}")


def of_database(settings: Settings, now: datetime) -> Iterator[Finding]:
    """Whether the database is of this schema, and sound as far as a quick look can tell.

    One of an older schema is looked into no further: whoever opens it migrates it.
    """
    file = Path(settings.database)
    if not file.is_file():
        hint = "`arena tick` makes it"
        yield Finding("database", CheckState.WARN, f"{file} is not there yet", hint)
        return
    try:
        with read_only(file) as raw:
            schema = _schema(version_of(raw))
        yield schema
        if schema.state is not CheckState.OK:
            return
        with open_store(file) as store, store.db.in_words():
            yield _soundness(store, file)
            yield from _rights(file)
            yield from _books(store, settings, now)
            yield _growing(store, settings, now)
    except ArenaError as error:
        yield Finding("database", CheckState.FAIL, error.message, error.hint)


def _growing(store: Store, settings: Settings, now: datetime) -> Finding:
    """How large the files are, and when the disk or the site's host is full at this pace."""
    growth = growth_of(store, settings, now)
    soon = [day for day in (growth.disk_full_on, growth.site_full_on) if day is not None]
    is_near = any(day - now < SOON for day in soon)
    state = CheckState.WARN if is_near else CheckState.OK
    hint = "docs/operations.md says how to make room" if is_near else ""
    return Finding("growth", state, "; ".join(growth_lines(growth)), hint)


def _rights(file: Path) -> Iterator[Finding]:
    """Whether others on this machine can read what is not published."""
    beside = (Path(f"{file}{end}") for end in ("", "-wal", "-shm"))
    if any(path.exists() and path.stat().st_mode & (S_IROTH | S_IWOTH) for path in beside):
        detail = f"every user of this machine can read {file}, with prompts and replies in it"
        yield Finding("database rights", CheckState.WARN, detail, f"chmod 600 {file}*")


def _schema(version: int) -> Finding:
    detail = f"version {version} of {len(STEPS)}"
    if version < len(STEPS):
        hint = "keep a copy of the file; the next command that opens it migrates it"
        return Finding("schema", CheckState.WARN, f"{detail}: a migration is due", hint)
    if version > len(STEPS):
        hint = "use the arena that made it, or a newer one"
        return Finding("schema", CheckState.FAIL, f"{detail}: a newer arena made it", hint)
    return Finding("schema", CheckState.OK, detail)


def _soundness(store: Store, file: Path) -> Finding:
    wrong = [str(row[0]) for row in store.db.rows("PRAGMA quick_check(5)")]
    wrong = [] if wrong == ["ok"] else wrong
    wrong += [f"{where}: {what}" for where, what in broken_links(store.db, LAST_ENTRIES)]
    if wrong:
        hint = "restore a backup; `arena verify db` tells what still holds"
        return Finding("database", CheckState.FAIL, "; ".join(wrong), hint)
    size = file.stat().st_size // MEGABYTE
    last = f"sound, {size:,} MB, the journal's last {LAST_ENTRIES} entries are chained"
    return Finding("database", CheckState.OK, f"{file}: {last}")


def _books(store: Store, settings: Settings, now: datetime) -> Iterator[Finding]:
    newest = store.boards.as_of()
    if newest and newest > now + DRIFT:
        hint = "set the machine's clock; a replay or a demo belongs into a file of its own"
        yield Finding("clock and books", CheckState.FAIL, f"the books know of {newest}", hint)
    current = status(store, settings.cohorts, settings.schedule, now, settings.models)
    yield from _schedule(settings, current.last_tick, now)
    if current.stuck:
        more = f" and {len(current.stuck) - 1} more" * (len(current.stuck) > 1)
        hint = "`arena status` lists them"
        yield Finding("stuck", CheckState.WARN, f"{current.stuck[0]}{more}", hint)
    for line in current.retiring:
        yield Finding("models", CheckState.WARN, line, "name another model in config.yaml")
    yield _site(store, settings)


def _schedule(settings: Settings, last: datetime | None, now: datetime) -> Iterator[Finding]:
    first = next_ring(settings.schedule.ring, now)
    second = first and next_ring(settings.schedule.ring, first)
    if first is None or second is None:
        hint = "mend schedule.ring in config.yaml"
        yield Finding("schedule", CheckState.WARN, "it never rings again", hint)
        return
    every = second - first
    next_ring_words = f"next ring {moment(first)}"
    if last is None:
        yield Finding("schedule", CheckState.OK, f"{next_ring_words}; nothing was ticked yet")
    elif now - last > 3 * max(every, settings.schedule.poll_every):
        hint = "is `arena run` or a timer running? `arena tick` catches up"
        yield Finding(
            "schedule",
            CheckState.WARN,
            f"{next_ring_words}; the last tick was {moment(last)}",
            hint,
        )
    else:
        yield Finding("schedule", CheckState.OK, f"{next_ring_words}, last tick {moment(last)}")


def _site(store: Store, settings: Settings) -> Finding:
    shown = read_shown(Path(settings.site))
    newest = int(store.db.value("SELECT coalesce(max(seq), 0) FROM journal_entries"))
    if shown is None:
        hint = "`arena tick` builds it"
        return Finding("site", CheckState.WARN, f"{settings.site} holds no site", hint)
    behind = newest - shown.entry
    if behind > 0:
        hint = "`arena tick` publishes what is new"
        return Finding("site", CheckState.WARN, f"{behind:,} entries behind the books", hint)
    return Finding("site", CheckState.OK, f"{settings.site} shows all {newest:,} entries")


SECONDS: Final = 10.0
CLOCK_DRIFT: Final = timedelta(seconds=30)
# Which options of a venue hold its servers' addresses, and what they usually are.
_ADDRESSES: Final[Mapping[str, Mapping[str, str]]] = {
    "kalshi": {"base_url": KalshiOptions().base_url},
    "manifold": {"base_url": ManifoldOptions().base_url},
    "polymarket": {"gamma": PolymarketOptions().gamma, "clob": PolymarketOptions().clob},
}


def of_network(settings: Settings, now: datetime) -> Sequence[Finding]:
    """Ask each server of a venue or a model for anything at all; no key is sent.

    A server that cannot be reached is a warning: it may be back before the next round.
    """
    servers = dict(_servers(settings))
    return asyncio.run(_ask_all(servers, now)) if servers else ()


def _servers(settings: Settings) -> Iterator[tuple[str, str]]:
    """Every address that rounds need, and what it is for."""
    for venue in settings.venues:
        for url in _addresses(venue):
            yield url, f"venue {venue.id}"
    names = {who for spec in settings.cohorts for who in spec.contestants}
    used = {model_name(c) for c in settings.contestants if c.id in names}
    for model in (*settings.models, *guests_of(settings)):
        if model.name in used and model.base_url:
            yield model.base_url, f"model {model.name}"


def _addresses(venue: VenueSettings) -> Iterator[str]:
    configured = dict(venue.options)
    for name, usual in _ADDRESSES.get(venue.adapter, {}).items():
        yield str(configured.get(name) or usual)


async def _ask_all(servers: Mapping[str, str], now: datetime) -> Sequence[Finding]:
    async with HttpDoor() as door:
        requests = [_ask(door, url, what, now) for url, what in servers.items()]
        return await asyncio.gather(*requests)


async def _ask(door: HttpDoor, url: str, what: str, now: datetime) -> Finding:
    named = f"server of {what}"
    try:
        reply = await door.send(HttpRequest("HEAD", url), seconds=SECONDS)
    except HttpError as error:
        hint = "check the network and the address; the next round asks again"
        return Finding(named, CheckState.WARN, error.message, hint)
    where = f"{host_and_port(url)} answers"
    off = _off(reply.header("date"), now)
    if off is not None and abs(off) > CLOCK_DRIFT:
        hint = "set the machine's clock: rounds and deadlines go by it"
        return Finding(named, CheckState.WARN, f"{where}; its clock is {off} apart", hint)
    return Finding(named, CheckState.OK, where)


def _off(date: str | None, now: datetime) -> timedelta | None:
    """How far a server's clock is ahead; None where it says no time."""
    server_time = http_date(date or "")
    return None if server_time is None else server_time - now
