"""A cohort played over recorded markets: what `arena replay` and the jobs of a sweep share."""

import atexit
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType

import numpy as np

from arena.clock import HandClock
from arena.config import ChangedKey, load_cohort
from arena.errors import ArenaError
from arena.ports import Venue
from arena.records.cohort import CohortSpec
from arena.records.market import Market, MarketId, Status, VenueId
from arena.records.settings import Settings
from arena.scoring.table import outcomes_known
from arena.steps.doors import Doors
from arena.steps.replay import TapedVenue, replay_moments
from arena.store import Store, existing_store, locked, open_store
from arena.store.tape.prices import factor, moments
from arena.store.tape.taped import SqliteRecording, exported_venues
from arena.venues.forecastbench import NAME, load
from arena.venues.recorded import RecordedVenue, Recording
from arena.wiring import cast, check_keys, replay_doors

INVENTED = "simulated"  # the adapter and the agent of models that are not real

Play = Callable[[Doors, HandClock, Sequence[datetime]], object]


@dataclass(frozen=True, slots=True)
class ReplayTask:
    """What is played, over what, and where its files go.

    `data` is ForecastBench's folder, an arena's file, or the export of its tape. `data_digest`
    says which content a folder has: a process reads the same content once. With `answers`
    models say what they said in that arena's file. Without `pages` no site is written.
    """

    spec: CohortSpec
    settings: Settings
    data: Path
    out: Path
    answers: Path | None = None
    pages: bool = True
    data_digest: str = ""


@dataclass(frozen=True, slots=True)
class PlayedReplay:
    """A replay that has been played, with its store still open.

    `source` is the arena's file or export that was played again, None of a folder of
    questions. `notes` say what a reader has to know of a recording.
    """

    store: Store
    source: Store | None
    notes: tuple[str, ...]


def recorded_cohort(
    settings: Settings,
    data: Path,
    cohort_file: Path,
    changes: Mapping[tuple[str | int, ...], ChangedKey] = MappingProxyType({}),
) -> tuple[CohortSpec, Settings]:
    """Read the cohort that is to be played over recorded data.

    Returns:
        The cohort, and the settings to play it with: real questions without an invented model
        are no demonstration.

    Raises:
        ArenaError: The cohort is wrong, or is about a venue that is not in the data.
    """
    recorded = _recorded_venues(data)
    venues = recorded if data.is_dir() else {*recorded, *(v.id for v in settings.venues)}
    spec = load_cohort(cohort_file, settings, venues=sorted(venues), changes=changes)
    _refuse_another_venue(spec, recorded, cohort_file, data)
    if data.is_dir() and not exported_venues(data) and not _invents(settings, spec):
        real = replace(settings.publishing, demonstration=False)
        settings = replace(settings, publishing=real)
    return spec, settings


@contextmanager
def replayed(
    task: ReplayTask, play: Play, warn: Callable[[str], object] | None = None
) -> Iterator[PlayedReplay]:
    """Play a recorded cohort to its end by `play`, and keep its store open for the block.

    A replay that was stopped goes on where it was. `warn` is told, before anybody is asked,
    who may remember how the markets ended.

    Raises:
        ArenaError: A model has no key, a contestant cannot be built, the data cannot be read,
            or `out` holds another replay.
    """
    spec, database = task.spec, task.out / "arena.db"
    with ExitStack() as opened:
        source = opened.enter_context(_source(task, database))
        if task.answers is None:
            check_keys(task.settings, [spec])
        clock = HandClock(spec.start.first)
        recorded = _recording(task) if source is None else source
        venue, ticks, notes = _playback(spec, recorded, clock)
        if warn is not None:
            for words in leaks(spec, task.settings, _ended_in(recorded)):
                warn(words)
        tape = opened.enter_context(existing_store(task.answers)) if task.answers else None
        lease = opened.enter_context(locked(database))
        store = opened.enter_context(open_store(database, lease=lease))
        doors = replay_doors(
            spec,
            task.settings,
            store,
            {spec.venue: venue},
            clock,
            task.out / "site",
            tape=tape,
            source=source,
        )
        play(doors if task.pages else replace(doors, publish=None), clock, ticks)
        yield PlayedReplay(store, source, notes)


@dataclass(frozen=True, slots=True)
class EndedMarket:
    """A market that ended YES or NO, and when its outcome was known at the latest."""

    market: Market
    truth: int
    known: datetime


def ended_markets(data: Path) -> tuple[EndedMarket, ...]:
    """Read the markets of a recording that ended, by their names.

    Args:
        data: ForecastBench's folder, an arena's file, or the export of its tape.
    """
    if data.is_dir() and not exported_venues(data):
        return _ended_in(load(data))
    with _export(data) if data.is_dir() else existing_store(data) as source:
        return _ended_in(source)


def _ended_in(recorded: Store | Recording) -> tuple[EndedMarket, ...]:
    if isinstance(recorded, Recording):
        listed = {market.id: market for market in recorded.markets}
        last = {
            status.market: status for status in sorted(recorded.statuses, key=attrgetter("at"))
        }
        return _ended(listed, last)
    taped, at = SqliteRecording(recorded.db), recorded.tape.last_moment() or _FIRST
    ids = [name for venue in taped.venues() for name in taped.known(venue, at)]
    return _ended(recorded.tape.markets(ids, at), recorded.tape.statuses(ids, at))


_FIRST = datetime.fromtimestamp(0, UTC)


def _ended(
    markets: Mapping[MarketId, Market], statuses: Mapping[MarketId, Status]
) -> tuple[EndedMarket, ...]:
    truths = {name: s.outcome.truth for name, s in statuses.items() if s.outcome is not None}
    ended = [m for name, m in sorted(markets.items()) if truths.get(name) is not None]
    event = factor([market.event for market in ended])
    known = outcomes_known(
        moments([market.closes_at for market in ended]),
        moments([statuses[market.id].at for market in ended]),
        np.array([truths[market.id] == 1 for market in ended], np.bool_),
        event.codes,
        np.array([market.exclusive for market in ended], np.bool_),
    )
    return tuple(
        EndedMarket(market, truth, moment_at.replace(tzinfo=UTC))
        for market, moment_at in zip(ended, known.tolist(), strict=True)
        if (truth := truths[market.id]) is not None
    )


def leaks(spec: CohortSpec, settings: Settings, ended: Iterable[EndedMarket]) -> Iterator[str]:
    """Say in words which contestants of a replay may remember how its markets ended.

    Baselines and invented models remember nothing.
    """
    start, who = spec.start.first, cast(settings)
    days = [market.known.date() for market in ended if market.known >= start]
    markets = f"{len(days)} markets"
    unknown = []
    for name in spec.contestants:
        if who[name].reference or _invents(settings, replace(spec, contestants=(name,))):
            continue
        until = who[name].knowledge_until
        if until is None:
            unknown.append(name)
        elif until >= start.date():
            number = sum(day <= until for day in days)
            yield (
                f"{name} may remember how {number} of {markets} ended: its knowledge reaches "
                f"to {until}, and the first round is of {start:%Y-%m-%d}"
            )
    if unknown:
        yield (
            f"of {', '.join(unknown)} no knowledge cut-off is known: any of {markets} may be "
            "remembered; knowledge_until in config.yaml says it"
        )


def _recorded_venues(data: Path) -> Sequence[VenueId]:
    if data.is_dir():
        return exported_venues(data) or [NAME]
    with existing_store(data) as source:
        return SqliteRecording(source.db).venues()


def _refuse_another_venue(
    spec: CohortSpec, recorded: Sequence[VenueId], cohort_file: Path, data: Path
) -> None:
    if spec.venue not in recorded:
        raise ArenaError(
            "replay.venue",
            f"{cohort_file} is about the venue {spec.venue}, but DATA holds "
            f"{', '.join(recorded) or 'none'}",
            hint=f"write `venue: {recorded[0]}` in it"
            if recorded
            else f"{data} never asked a venue: `arena tick` does",
            status=2,
        )


def _invents(settings: Settings, spec: CohortSpec) -> bool:
    """Whether anybody who plays is an invented model."""
    models = {model.name for model in settings.models if model.adapter == INVENTED}
    playing = [who for who in settings.contestants if who.id in spec.contestants]
    return any(who.agent == INVENTED or who.model in models for who in playing)


def _source(task: ReplayTask, database: Path) -> AbstractContextManager[Store | None]:
    """The recording of an arena, from its file or its export; None of a folder of questions."""
    data = task.data
    if exported_venues(data):
        if task.data_digest:
            return nullcontext(_opened_once(data, task.data_digest))
        return _export(data)
    if data.is_dir():
        return nullcontext()
    if data.resolve() == database.resolve():
        raise ArenaError(
            "replay.itself",
            f"{data} would be played into itself",
            hint="name another folder with --out",
            status=2,
        )
    return existing_store(data)


def _export(folder: Path) -> AbstractContextManager[Store]:
    from arena.store.exports.tape_export import recorded_store  # noqa: PLC0415  brings DuckDB

    return recorded_store(folder)


_OPEN = ExitStack()  # what this process has open until it ends
atexit.register(_OPEN.close)


@lru_cache(maxsize=1)
def _opened_once(folder: Path, digest: str) -> Store:  # noqa: ARG001  it is of the content
    """Open an export once in the life of a process, as long as its content is the same."""
    _OPEN.close()
    return _OPEN.enter_context(_export(folder))


def _recording(task: ReplayTask) -> Recording:
    """The folder of questions that a replay plays."""
    digest = task.data_digest
    return _read_once(task.data, digest) if digest else load(task.data)


def _playback(
    spec: CohortSpec, recorded: Store | Recording, clock: HandClock
) -> tuple[Venue, Sequence[datetime], tuple[str, ...]]:
    """What answers in a venue's place, the moments to play, and what to say of them."""
    if isinstance(recorded, Recording):
        venue = RecordedVenue(recorded, clock)
        return venue, replay_moments(spec, venue.news()), recorded.notes
    recorded_moments = SqliteRecording(recorded.db).moments(spec.venue, spec.name)
    ticks = [at for at in recorded_moments if at >= spec.start.first]
    return TapedVenue(recorded, spec.venue, spec.name, clock), ticks, ()


@lru_cache(maxsize=1)
def _read_once(folder: Path, digest: str) -> Recording:  # noqa: ARG001  it is of the content
    """Read a folder once in the life of a process, as long as its content is the same."""
    return load(folder)
