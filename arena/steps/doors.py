"""Everything a tick goes through."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from arena.errors import ArenaError
from arena.ports import Agent, ContextSource, Venue
from arena.records.cohort import CohortSpec, ContestantId
from arena.records.market import VenueId
from arena.records.seal import Grading
from arena.records.settings import Schedule
from arena.records.trade import AdapterSet
from arena.secrets import Secrets
from arena.steps.seal import grading_now
from arena.store import Store
from arena.store.tape.sqlite_tape import SqliteTape


@dataclass(frozen=True, slots=True)
class Doors:
    """The store, the venues and the contestants, and what is due when.

    A venue or a contestant that could not be built is the error that says why: its polls and
    its turns fail with that, and the others go on.
    `publish` writes the site as of a moment and says how many files changed; None where a
    play publishes only once, at its end. `grading` says what grades now: seals are held to it.
    `after` names, for a derived contestant, those that must have answered before it is asked.
    `flush` hands in what contestants have collected for a provider's batch, and says whether
    any of it was refused for good. `secrets` are taken out of all that contestants and venues
    say before it is written down. `adapters` says by what each venue is read; of one that is
    not named there nothing is written down. `contexts` are the sources of documents, by name;
    what is on `context_tape`, that of a play that is played again, is not asked for.
    """

    store: Store
    venues: Mapping[VenueId, Venue | ArenaError]
    agents: Mapping[ContestantId, Agent | ArenaError]
    specs: tuple[CohortSpec, ...]
    schedule: Schedule
    publish: Callable[[datetime], int] | None = None
    grading: Callable[[], Grading] = grading_now
    after: Mapping[ContestantId, tuple[ContestantId, ...]] = field(default_factory=dict)
    flush: Callable[[], Awaitable[bool]] | None = None
    secrets: Secrets = field(default_factory=Secrets)
    adapters: Mapping[VenueId, AdapterSet] = field(default_factory=dict)
    contexts: Mapping[str, ContextSource | ArenaError] = field(default_factory=dict)
    context_tape: SqliteTape | None = None
