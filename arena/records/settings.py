"""What `config.yaml` says, checked and typed. Keys are named in it, never held.

Also what the plan of a sweep says: what is varied, what a job is, and what came of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from pathlib import PurePath

from arena.records.claim import Season
from arena.records.cohort import CohortSpec, ContestantId
from arena.records.estimate import Estimate
from arena.records.market import VenueId
from arena.records.money import ZERO_USD, Usd
from arena.records.operations import UNWATCHED, WatchSettings

LONGEST_ANSWER = 4096  # tokens, of a model that is not known to think


@dataclass(frozen=True, slots=True)
class VenueSettings:
    """A venue by its adapter's plugin name, and that adapter's own options."""

    id: VenueId
    adapter: str
    options: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """A source of dated documents by its adapter's plugin name, and that adapter's options."""

    name: str
    adapter: str
    options: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A language model: where it is asked and what it costs, in dollars a million tokens.

    `key_env` names the environment variable that holds the key; None sends none. A price
    that is None is looked up in the shipped table, under `provider` and `model`. `provider`,
    `family` and `release` are what scores can be broken down by; empty where nobody said.
    `retires_on` is the day its provider ends it, `knowledge_until` the last day that its
    training may hold; where None, the shipped tables say so if they know. The limits hold for
    everything that is asked at one server with one key. With `warm` the first of several calls
    that share their beginning goes alone, so that the others find it in the provider's cache;
    with `batch` calls go through the provider's batch interface where a cohort's rules wait
    for it.
    """

    name: str
    adapter: str
    base_url: str
    model: str
    key_env: str | None = None
    max_tokens: int = LONGEST_ANSWER
    deadline: timedelta = timedelta(minutes=5)
    price_in: Decimal | None = None
    price_out: Decimal | None = None
    provider: str = ""
    family: str = ""
    release: str = ""
    options: tuple[tuple[str, object], ...] = ()
    price_cached: Decimal | None = None
    price_written: Decimal | None = None
    retires_on: date | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    at_once: int = 500
    warm: bool = False
    batch: bool = False
    knowledge_until: date | None = None


class ToolAdapter(StrEnum):
    """What a tool is: the module of `arena.tools` that it is built by."""

    BASE_RATES = "base_rates"
    CALCULATOR = "calculator"
    FETCH = "fetch"
    MCP = "mcp"
    SEARCH = "search"


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """A tool that contestants may be given, by its adapter, and that adapter's own options.

    `price` is dollars a call. A call may take `timeout`, and its result has at most `longest`
    tokens, as they are guessed (`arena.llms.tariff`).
    """

    name: str
    adapter: ToolAdapter
    price: Usd = ZERO_USD
    timeout: timedelta = timedelta(seconds=30)
    longest: int = 2000
    options: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class Budgets:
    """Hard caps in dollars; None is no cap.

    `day` is for everything asked on one day in UTC, `cohort` for one cohort over its whole
    life, `contestant` for one contestant in one cohort.
    """

    day: Usd | None = None
    cohort: Usd | None = None
    contestant: Usd | None = None


@dataclass(frozen=True, slots=True)
class ContestantSettings:
    """A contestant: an agent's plugin name, its model and prompt if it has one, its options.

    `of` are the contestants that a derived one is made from: they answer before it does.
    `copy_of` is the name that several identical contestants were entered under.
    `knowledge_until` goes over that of its model.
    """

    id: ContestantId
    agent: str
    label: str = ""
    model: str | None = None
    prompt: str | None = None
    options: tuple[tuple[str, object], ...] = ()
    of: tuple[ContestantId, ...] = ()
    copy_of: str = ""
    knowledge_until: date | None = None


@dataclass(frozen=True, slots=True)
class Schedule:
    """How often things are due. `ring` is a crontab line in UTC: when `arena run` ticks.

    An outcome of a live venue is settled once it was read again `confirm_after` later.
    """

    ring: str = "*/10 * * * *"
    poll_every: timedelta = timedelta(hours=1)
    mark_every: timedelta = timedelta(minutes=10)
    recheck_for: timedelta = timedelta(days=7)
    stuck_after: timedelta = timedelta(days=3)
    confirm_after: timedelta = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class BackupSettings:
    """Where backups go, how often, and which stay; `folder` is empty where none are made.

    `folder` is a path or an address of fsspec. Of the last so many days, weeks and months that
    have a backup the newest one each stays. With `drill_every` a backup is tried so often.
    """

    folder: str = ""
    every: timedelta = timedelta(days=1)
    keep_daily: int = 7
    keep_weekly: int = 4
    keep_monthly: int = 12
    drill_every: timedelta | None = None


class Pages(StrEnum):
    """Which pages of decisions a site has."""

    FULL = "full"  # one for every turn
    RECENT = "recent"  # for those of cohorts that still run, and the last ones before
    INDEX = "index"  # none: the numbers are in the files of data


DEMONSTRATION = "Demonstration with invented models: not results of real ones."


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """How pages are published.

    `base_url` is where the site will stand on the web, with a slash at its end; feeds, the
    site map and previews need it and are relative or left out without. `stale_after` is the
    age of the newest data from which a page warns its reader. `licence` is said beside the
    data. A `demonstration` says on every page, and in all that is copied or shared, that its
    models are invented. What is estimated from all of history is made again when it is older
    than `estimate_every` and something has changed. `probes` is the file of answers that
    `arena llm drift` writes, empty for none. `stamps` is the address of an RFC 3161 authority
    that stamps a published head a day, empty for none.
    """

    title: str = "Paper Arena"
    base_url: str = ""
    pages: Pages = Pages.FULL
    stale_after: timedelta = timedelta(days=3)
    licence: str = ""
    demonstration: bool = False
    estimate_every: timedelta = timedelta(days=1)
    probes: str = ""
    stamps: str = ""

    @property
    def name(self) -> str:
        """What the site is called wherever its name stands alone."""
        return f"{self.title} (demonstration)" if self.demonstration else self.title

    @property
    def notice(self) -> str:
        """What every page says first; empty where its results are real."""
        return DEMONSTRATION if self.demonstration else ""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that was configured, with all paths absolute.

    `season` is the first of the board's seasons; None for a board without an end.
    """

    root: PurePath
    database: PurePath
    site: PurePath
    templates: PurePath
    venues: tuple[VenueSettings, ...]
    models: tuple[ModelSettings, ...]
    contestants: tuple[ContestantSettings, ...]
    schedule: Schedule
    cohorts: tuple[CohortSpec, ...]
    budgets: Budgets = Budgets()
    publishing: SiteSettings = SiteSettings()
    season: Season | None = None
    backups: BackupSettings = BackupSettings()
    watch: WatchSettings = UNWATCHED
    contexts: tuple[ContextSettings, ...] = ()
    tools: tuple[ToolSettings, ...] = ()


@dataclass(frozen=True, slots=True)
class BaselineText:
    """What a page says of a baseline: its label, and what it is there for."""

    label: str
    purpose: str


BASELINES: Mapping[str, BaselineText] = {
    "market": BaselineText(
        "Market price",
        "It says the market's own price and never bets: a forecast must beat it.",
    ),
    "always_no": BaselineText(
        "Always NO", "It calls every market too dear for YES and bets NO on each."
    ),
    "favourite": BaselineText("Favourite", "It bets on the side that the price favours."),
    "longshot": BaselineText("Longshot", "It bets on the side that the price disfavours."),
    "coin_flip": BaselineText(
        "Coin flip", "It says one half everywhere and lets a fair coin choose its side."
    ),
    "equal_weight": BaselineText("Equal weight", "It buys YES everywhere, as much of each."),
    "hold_cash": BaselineText("Hold cash", "It never bets: a return above zero must beat it."),
}
"""The baselines that come with the arena, by the name of their agent: references everywhere."""


def baseline_contestants() -> tuple[ContestantSettings, ...]:
    """Each of the baselines as a contestant under its agent's name, with - for _."""
    return tuple(
        ContestantSettings(ContestantId(agent.replace("_", "-")), agent, baseline.label)
        for agent, baseline in BASELINES.items()
    )


@dataclass(frozen=True, slots=True)
class Entrant:
    """A contestant as it is introduced; empty text where nobody said.

    `model` is what its provider calls the model. A `reference` is there to be compared with:
    a baseline that knows nothing but prices. Prices are dollars a million tokens. `copy_of` is
    the name that several identical contestants were entered under, `of` are those that a
    derived one is made from. `options` are what its agent was set to, as text. `price_blind`
    says that it is never shown a price. `knowledge_until` is the last day that its training
    may hold and `released` the day its model came out, None where unknown.
    """

    id: ContestantId
    label: str = ""
    agent: str = ""
    prompt: str = ""
    provider: str = ""
    family: str = ""
    model: str = ""
    release: str = ""
    reference: bool = False
    price_in: Decimal | None = None
    price_out: Decimal | None = None
    retires_on: date | None = None
    copy_of: str = ""
    of: tuple[ContestantId, ...] = ()
    options: str = ""
    price_blind: bool = False
    knowledge_until: date | None = None
    released: date | None = None


@dataclass(frozen=True, slots=True)
class Edition:
    """What a site is made for: who plays, and how it is published.

    A contestant that is not in the cast goes by its id. `season` is the first of the board's
    seasons; None for a board without an end.
    """

    cast: Mapping[ContestantId, Entrant] = field(default_factory=dict)
    site: SiteSettings = field(default_factory=SiteSettings)
    season: Season | None = None


@dataclass(frozen=True, slots=True)
class SweepArm:
    """One set of overrides. `changes` are (key, value) as the plan has them, also constants."""

    name: str
    changes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RecordingIdentity:
    """Where recorded markets are, and the SHA-256 of what is in there."""

    path: PurePath
    digest: str


@dataclass(frozen=True, slots=True)
class SweepJob:
    """One replay of a sweep: a cohort, who plays it, and over what.

    `seed` is None where the plan has none: it tells replicates of an arm apart. `digest` is a
    SHA-256 over all that determines the result; the arm's name and folders are not in it.
    """

    digest: str
    arm: SweepArm
    seed: int | None
    spec: CohortSpec
    settings: Settings
    recording: RecordingIdentity

    def __str__(self) -> str:
        """The arm, with the seed where there is one."""
        return self.arm.name if self.seed is None else f"{self.arm.name}, seed {self.seed}"


@dataclass(frozen=True, slots=True)
class MetricValue:
    """A metric of the registry for one contestant; `n` is None of sums of the books."""

    contestant: str
    metric: str
    estimate: Estimate
    n: int | None


@dataclass(frozen=True, slots=True)
class JobFailure:
    """Why a job has no result: an error's code and its line."""

    digest: str
    job: str
    code: str
    message: str
