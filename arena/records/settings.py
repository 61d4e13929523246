"""What `config.yaml` says, checked and typed. Keys are named in it, never held."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from pathlib import PurePath

from arena.records.cohort import CohortSpec, ContestantId
from arena.records.market import VenueId


@dataclass(frozen=True, slots=True)
class VenueSettings:
    """A venue by its adapter's plugin name, and that adapter's own options."""

    id: VenueId
    adapter: str
    options: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A language model: where it is asked and what it costs, in dollars a million tokens.

    `key_env` names the environment variable that holds the key; None sends none. A price
    that is None is unknown, and so is the cost of every answer. `provider`, `family` and
    `release` are what scores can be broken down by; empty where nobody said.
    """

    name: str
    adapter: str
    base_url: str
    model: str
    key_env: str | None = None
    max_tokens: int = 4096
    deadline: timedelta = timedelta(minutes=5)
    price_in: Decimal | None = None
    price_out: Decimal | None = None
    provider: str = ""
    family: str = ""
    release: str = ""
    options: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class ContestantSettings:
    """A contestant: an agent's plugin name, its model and prompt if it has one, its options."""

    id: ContestantId
    agent: str
    label: str = ""
    model: str | None = None
    prompt: str | None = None
    options: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class Schedule:
    """How often things are due. `ring` is a crontab line in UTC: when `arena run` ticks."""

    ring: str = "*/10 * * * *"
    poll_every: timedelta = timedelta(hours=1)
    mark_every: timedelta = timedelta(minutes=10)
    recheck_for: timedelta = timedelta(days=7)
    stuck_after: timedelta = timedelta(days=3)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that was configured, with all paths absolute."""

    root: PurePath
    database: PurePath
    site: PurePath
    templates: PurePath
    venues: tuple[VenueSettings, ...]
    models: tuple[ModelSettings, ...]
    contestants: tuple[ContestantSettings, ...]
    schedule: Schedule
    cohorts: tuple[CohortSpec, ...]
