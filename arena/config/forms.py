"""The keys of both kinds of file, and the records they become.

A form says which keys there are and how each is read. Defaults are those of the records.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from functools import cache
from importlib.resources import files
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, model_validator

from arena.config.document import WrongError
from arena.config.kinds import (
    AgentName,
    Capital,
    ContestantName,
    ContextAdapter,
    ContextName,
    Copies,
    Count,
    Crontab,
    Day,
    Dollars,
    Duration,
    EnvName,
    FilePath,
    Flag,
    Fraction,
    Id,
    ModelAdapter,
    ModelName,
    Moment,
    Options,
    PerMillion,
    Share,
    Text,
    Title,
    Url,
    VenueAdapter,
    VenueName,
    choice,
)
from arena.llms.profile import longest_answer
from arena.records.claim import Season
from arena.records.cohort import (
    BatchRule,
    Cadence,
    CohortSpec,
    ConfidenceBase,
    ContestantId,
    ContextTerms,
    Counts,
    FeeRule,
    FillRule,
    MarkRule,
    Quota,
    RankBy,
    Ranking,
    Rules,
    Start,
    Universe,
)
from arena.records.market import VenueId
from arena.records.money import ZERO_USD
from arena.records.operations import (
    ChannelKind,
    ChannelSettings,
    LogSettings,
    SmtpSecurity,
    WatchSettings,
)
from arena.records.settings import (
    BackupSettings,
    Budgets,
    ContestantSettings,
    ModelSettings,
    Pages,
    Schedule,
    SiteSettings,
    ToolAdapter,
)

R = TypeVar("R")

FIELDS = ("adapter", "base_url", "key_env")
NO_SERVER = "simulated"  # the adapter that answers by itself


def preset_of(provider: str) -> Mapping[str, str | None]:
    """Give a provider's adapter, address and key variable; empty where it is not known."""
    return _presets().get(provider, {})


def known_providers() -> tuple[str, ...]:
    """Name the providers that are known, in order."""
    return tuple(sorted(_presets()))


@cache
def _presets() -> Mapping[str, Mapping[str, str | None]]:
    text = (files("arena.config") / "providers.toml").read_text("utf-8")
    return {
        name: {field: provider.get(field) for field in FIELDS}
        for name, provider in tomllib.loads(text).items()
    }


class FileForm(BaseModel):
    """A mapping with these keys and no others."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        model_title_generator=lambda form: form.__name__.removesuffix("FileForm"),
    )

    def as_record(self, record: type[R], **other: object) -> R:
        """Give the record that has these fields, and `other` ones besides or instead."""
        return record(**{**dict(self), **other})


UNIVERSE = Universe()


class UniverseForm(FileForm):
    """Which markets a round offers."""

    top: Count = UNIVERSE.top
    """How many markets, the largest first."""
    by: Annotated[Ranking, choice(Ranking)] = UNIVERSE.by
    """What the largest is: by volume to date, or of the last 24 hours."""
    min_volume: Dollars = UNIVERSE.min_volume
    """The smallest volume to date, in dollars or the market's own unit."""
    min_volume_24h: Dollars = UNIVERSE.min_volume_24h
    """The smallest volume of the last 24 hours, in the same unit."""
    min_liquidity: Dollars = UNIVERSE.min_liquidity
    """The least that stands in the book, in the same unit."""
    closes_after: Duration | None = UNIVERSE.closes_after
    """How long a market must stay open, counted from the round; without it, however short."""
    closes_within: Duration | None = UNIVERSE.closes_within
    """How soon a market must close, counted from the round; without it, whenever."""
    min_age: Duration | None = UNIVERSE.min_age
    """How long ago a market must have opened; without it, it may be new."""
    max_age: Duration | None = UNIVERSE.max_age
    """How long ago it may have opened at most; without it, whenever."""
    categories: tuple[Title, ...] = UNIVERSE.categories
    """The venue's categories to choose from, capitals or not; with none, all."""
    quotas: dict[Title, Count] = Field(default_factory=dict)
    """How many markets of a category at most, by category; any other has no limit."""
    include: tuple[Title, ...] = UNIVERSE.include
    """Patterns of which a question must hold one; with none, any question will do."""
    exclude: tuple[Title, ...] = UNIVERSE.exclude
    """Patterns of which a question may hold none."""
    per_event: Count | None = UNIVERSE.per_event
    """How many markets of one event at most; without it, any number."""
    distinct: Flag = UNIVERSE.distinct
    """Whether of markets that ask nearly the same only the largest is offered."""
    price_from: Fraction = UNIVERSE.price_from
    """The lowest price of YES, in the middle of the spread."""
    price_to: Fraction = UNIVERSE.price_to
    """The highest price of YES, in the middle of the spread."""
    not_started: Flag = UNIVERSE.not_started
    """Whether a game is left out once it has begun, where the venue says when."""

    def record(self) -> Universe:
        """Give the universe."""
        quotas = (Quota(category, most) for category, most in sorted(self.quotas.items()))
        return self.as_record(Universe, quotas=tuple(quotas))


RULES = Rules()
SCHEDULE = Schedule()
BUDGETS = Budgets()
SITE = SiteSettings()
BACKUPS = BackupSettings()
CHANNEL = ChannelSettings(ChannelKind.WEBHOOK)
LOG = LogSettings()
CONTEXT = ContextTerms(())
WATCH = WatchSettings()
MODEL = ModelSettings(name="", adapter="", base_url="", model="")

NAMED: dict[str, JsonValue] = {"additionalProperties": False}  # a key is a name or refused


class PathsForm(FileForm):
    """Where things are, from the folder of the configuration file."""

    database: FilePath = "data/arena.db"
    """The SQLite file that holds the tape and the journal."""
    site: FilePath = "site"
    """The folder that pages are published to; nothing else may live in it."""
    templates: FilePath = "templates"
    """The folder of prompts and page templates; what it lacks comes with the arena."""
    cohorts: FilePath = "cohorts"
    """The folder of cohort files."""


class ScheduleForm(FileForm):
    """How often things are due."""

    ring: Crontab = SCHEDULE.ring
    """When the scheduler ticks: five crontab fields, in UTC."""
    poll_every: Duration = SCHEDULE.poll_every
    """How often a venue is asked what its markets have become."""
    mark_every: Duration = SCHEDULE.mark_every
    """How often open positions are valued."""
    recheck_for: Duration = SCHEDULE.recheck_for
    """How long a settled market is asked about again, in case its venue changes its mind."""
    stuck_after: Duration = SCHEDULE.stuck_after
    """How long a closed market may stay unresolved before it is reported."""
    confirm_after: Duration = SCHEDULE.confirm_after
    """How long after a live venue's outcome was first read it must be read again to count."""


class BackupForm(FileForm):
    """Where copies of the database go, and which of them stay."""

    to: Title
    """A folder, from that of this file, or an address such as `s3://bucket/arena`."""
    every: Duration = BACKUPS.every
    """How old the newest one may be before a tick makes another."""
    keep_daily: Count = BACKUPS.keep_daily
    """Of how many days, the last that have one, the newest stays."""
    keep_weekly: Count = BACKUPS.keep_weekly
    """The same of weeks, which begin on Monday."""
    keep_monthly: Count = BACKUPS.keep_monthly
    """The same of months."""
    drill_every: Duration | None = BACKUPS.drill_every
    """How often a tick tries the newest one in a folder of its own; without it, never."""

    def record(self, folder: str) -> BackupSettings:
        """Give the settings, with the place of the folder."""
        settings = {key: value for key, value in dict(self).items() if key != "to"}
        return BackupSettings(folder=folder, **settings)


class AlarmForm(FileForm):
    """One place where alarms go."""

    kind: Annotated[ChannelKind, choice(ChannelKind)]
    """What it is, which says the shape of the message."""
    url_env: EnvName | None = None
    """The variable that holds the server's address; mail has none."""
    token_env: EnvName | None = None
    """The variable that holds a token for that server, if it wants one."""
    host: Text = CHANNEL.host
    """The mail server."""
    port: Count = CHANNEL.port
    """The mail server's port."""
    security: Annotated[SmtpSecurity, choice(SmtpSecurity)] = CHANNEL.security
    """How the mail server is reached."""
    sender: Text = CHANNEL.sender
    """Whom the mail is from."""
    to: Text = CHANNEL.to
    """Whom the mail is for."""
    user: Text = CHANNEL.user
    """Who logs in to the mail server; without it, the sender."""
    password_env: EnvName | None = None
    """The variable that holds the password; without it, nobody logs in."""

    @model_validator(mode="after")
    def _checked_channel(self) -> "AlarmForm":
        if self.kind is ChannelKind.EMAIL:
            if not (self.host and self.sender and self.to):
                raise WrongError("host, sender and to, for mail", "not all of them")
        elif self.url_env is None:
            raise WrongError(f"url_env, for {self.kind}", "none")
        return self

    def record(self) -> ChannelSettings:
        """Give the channel."""
        names = {
            key: getattr(self, key) or "" for key in ("url_env", "token_env", "password_env")
        }
        return self.as_record(ChannelSettings, **names)


class LogForm(FileForm):
    """The log of what ticks did, in JSON lines."""

    file: FilePath | None = None
    """The file, from the folder of this one; without it, standard error."""
    megabytes: Count = LOG.megabytes
    """How large it may grow before it is turned over."""
    keep: Count = LOG.keep
    """How many old ones are kept."""


class WatchForm(FileForm):
    """Who is told when something goes wrong."""

    alarms: tuple[AlarmForm, ...] = ()
    """Where alarms go."""
    ping_env: EnvName | None = None
    """The variable with the address that each tick asks, of healthchecks.io's shape."""
    site_limit: Count = WATCH.site_limit
    """How many megabytes the site's host takes; GitHub Pages takes 1000."""
    log: LogForm | None = None
    """Where the log goes; without it, there is none."""

    def record(self, log_file: str) -> WatchSettings:
        """Give the settings, with the place of the log."""
        log = LogSettings(log_file, self.log.megabytes, self.log.keep) if self.log else None
        alarms = tuple(alarm.record() for alarm in self.alarms)
        return WatchSettings(alarms, self.ping_env or "", self.site_limit, log)


class SeasonForm(FileForm):
    """A season of the leaderboard: its claims are made on dates that stand in it."""

    start: Day
    """Its first day, in UTC; seasons of this length follow each other from then on."""
    length: Duration = timedelta(days=364)
    """How long it lasts, in whole days, at most 366."""
    look_every: Duration = timedelta(days=30)
    """How long it is from one look at the claims to the next, in whole days."""

    @model_validator(mode="after")
    def _checked_season(self) -> "SeasonForm":
        try:
            self.as_record(Season)
        except ValueError as error:
            raise WrongError(str(error), f"{self.length} with {self.look_every}") from error
        return self


class VenueForm(FileForm):
    """A place that trades markets."""

    adapter: VenueAdapter
    """The venue plugin that talks to it."""
    options: Options = Field(default_factory=tuple)
    """What that plugin wants to know."""


class ContextForm(FileForm):
    """A source of dated documents."""

    adapter: ContextAdapter
    """The plugin that reads it."""
    options: Options = Field(default_factory=tuple)
    """What that plugin wants to know."""


class ModelForm(FileForm):
    """A language model: where it is asked, and what it costs."""

    model: Title
    """What its server calls it."""
    provider: Text = ""
    """Who offers it. For those that are known, this says where and how it is asked."""
    adapter: ModelAdapter | None = None
    """The model plugin, by wire format; without it, the one of a known provider."""
    base_url: Url | None = None
    """Where its server is; without it, that of a known provider."""
    key_env: EnvName | None = MODEL.key_env
    """The variable that holds the key; without it, a known provider's at its own server."""
    max_tokens: Count | None = None
    """The longest answer asked for, in tokens, thoughts too; without it, as suits the model."""
    deadline: Duration = MODEL.deadline
    """How long one answer may take, with all its attempts."""
    price_in: PerMillion | None = MODEL.price_in
    """Dollars a million tokens of the question; without it, the shipped table's price."""
    price_out: PerMillion | None = MODEL.price_out
    """Dollars a million tokens of the answer; without it, the shipped table's price."""
    price_cached: PerMillion | None = MODEL.price_cached
    """Dollars a million tokens read from the provider's cache; without it, as `price_in`."""
    price_written: PerMillion | None = MODEL.price_written
    """Dollars a million tokens written to that cache; without it, as `price_in`."""
    family: Text = ""
    """The line of models it belongs to."""
    release: Text = ""
    """Which release of its family it is."""
    retires_on: Day | None = MODEL.retires_on
    """The day its provider ends it; without it, the shipped table's, where it is known."""
    knowledge_until: Day | None = MODEL.knowledge_until
    """The last day that its training may hold; without it, the shipped table's, if known."""
    requests_per_minute: Count | None = MODEL.requests_per_minute
    """How often its server may be asked in a minute, with this key; without it, no limit."""
    tokens_per_minute: Count | None = MODEL.tokens_per_minute
    """How many tokens its server may be sent in a minute; without it, no limit."""
    at_once: Count = MODEL.at_once
    """How many questions may be open at its server at one time."""
    warm: Flag = MODEL.warm
    """Whether the first of several that share a beginning goes alone, to fill the cache."""
    batch: Flag = MODEL.batch
    """Whether it is asked through the provider's batch interface, where a cohort waits."""
    options: Options = Field(default_factory=tuple)
    """What that plugin wants to know."""

    def record(self, name: str) -> ModelSettings:
        """Give the settings of the model of this name."""
        preset, settings = preset_of(self.provider), dict(self)
        for key, value in preset.items():
            if settings[key] is None:
                settings[key] = value
        if self.adapter == NO_SERVER:
            settings["base_url"] = self.base_url or ""
        if self.key_env is None and settings["base_url"] != preset.get("base_url"):
            settings["key_env"] = None  # a provider's key is for its own server
        settings["max_tokens"] = self.max_tokens or MODEL.max_tokens
        made = ModelSettings(name=name, **settings)
        return made if self.max_tokens else replace(made, max_tokens=longest_answer(made))


class ToolForm(FileForm):
    """A tool that contestants may be given."""

    adapter: Annotated[ToolAdapter, choice(ToolAdapter)]
    """What it is."""
    price: Dollars = ZERO_USD
    """Dollars a call."""
    timeout: Duration = timedelta(seconds=30)
    """How long a call may take."""
    longest: Count = 2000
    """The most tokens of a result, as they are guessed; the rest is cut off."""
    options: Options = Field(default_factory=tuple)
    """What that adapter wants to know."""


class BudgetsForm(FileForm):
    """Hard caps in dollars: a call that could pass one is not made."""

    day: Dollars | None = BUDGETS.day
    """For everything that is asked on one day, in UTC."""
    cohort: Dollars | None = BUDGETS.cohort
    """For one cohort, over its whole life."""
    contestant: Dollars | None = BUDGETS.contestant
    """For one contestant in one cohort."""


class ContestantForm(FileForm):
    """Somebody who forecasts and bets."""

    agent: AgentName
    """The agent plugin that decides."""
    label: Text = ""
    """The name on the pages; without it, the contestant's id."""
    model: ModelName | None = None
    """The language model that the agent asks, a name of `models`."""
    prompt: Title | None = None
    """The prompt that the agent uses, a name in the templates' `prompts` folder."""
    options: Options = Field(default_factory=tuple)
    """What that plugin wants to know."""
    of: tuple[ContestantName, ...] = ()
    """The contestants that a derived one is made from; they must play where it does."""
    knowledge_until: Day | None = None
    """The last day of which it may know the news; without it, its model's."""
    replicates: Copies = 1
    """How many identical copies are entered: more than one are called name-1, name-2, ..."""

    def records(self, name: str) -> tuple[ContestantSettings, ...]:
        """Give the settings of the contestant of this name, or of each of its copies."""
        settings = {key: value for key, value in dict(self).items() if key != "replicates"}
        made_from = tuple(ContestantId(other) for other in settings.pop("of"))
        return tuple(
            ContestantSettings(
                id=ContestantId(copy),
                **{**settings, "label": _label(self.label, name, copy)},
                of=made_from,
                copy_of=name if copy != name else "",
            )
            for copy in copies(name, self.replicates)
        )


def copies(name: str, replicates: int) -> tuple[str, ...]:
    """Name the copies of a contestant: itself where there is one.

    >>> copies("ada", 2)
    ('ada-1', 'ada-2')
    """
    return (name,) if replicates == 1 else tuple(f"{name}-{n + 1}" for n in range(replicates))


def _label(label: str, name: str, copy: str) -> str:
    return f"{label} {copy.removeprefix(f'{name}-')}" if label and copy != name else label


class SiteForm(FileForm):
    """How pages are published."""

    title: Title = SITE.title
    """What the site is called."""
    base_url: Url | None = None
    """Where the site will stand on the web; feeds, the site map and previews need it."""
    pages: Annotated[Pages, choice(Pages)] = SITE.pages
    """Which pages of decisions there are."""
    stale_after: Duration = SITE.stale_after
    """The age of the newest data from which pages warn their readers."""
    licence: Text = SITE.licence
    """Under which terms the data may be used, in a few words."""
    demonstration: Flag = SITE.demonstration
    """Whether the models are invented: every page says so, and all that is shared of it."""
    estimate_every: Duration = SITE.estimate_every
    """How often a tick makes the estimates again; `arena site build` always does."""
    probes: FilePath | None = None
    """The file of answers to the same questions, which `arena llm drift` writes."""
    stamps: Url | None = None
    """An RFC 3161 authority that stamps a published head a day."""

    def record(self) -> SiteSettings:
        """Give the settings."""
        base = "" if self.base_url is None else self.base_url.rstrip("/") + "/"
        more = {"base_url": base, "probes": self.probes or "", "stamps": self.stamps or ""}
        return self.as_record(SiteSettings, **more)


class ConfigForm(FileForm):
    """A configuration file: what runs here."""

    paths: PathsForm = Field(default_factory=PathsForm)
    """Where things are."""
    schedule: ScheduleForm = Field(default_factory=ScheduleForm)
    """How often things are due."""
    venues: dict[Id, VenueForm] = Field(default_factory=dict, json_schema_extra=NAMED)
    """Places that trade markets, by name."""
    contexts: dict[Id, ContextForm] = Field(default_factory=dict, json_schema_extra=NAMED)
    """Sources of documents that cohorts show beside their markets, by name."""
    models: dict[Id, ModelForm] = Field(default_factory=dict, json_schema_extra=NAMED)
    """Language models, by name."""
    tools: dict[Id, ToolForm] = Field(default_factory=dict, json_schema_extra=NAMED)
    """What contestants may call while they think, by name."""
    contestants: dict[Id, ContestantForm] = Field(default_factory=dict, json_schema_extra=NAMED)
    """Who may be entered in a cohort, by name."""
    budgets: BudgetsForm = Field(default_factory=BudgetsForm)
    """What may be spent on models."""
    site: SiteForm = Field(default_factory=SiteForm)
    """How pages are published."""
    season: SeasonForm | None = None
    """When claims are made; without it the board has no end, and any day's claims hold."""
    backup: BackupForm | None = None
    """Where a tick puts copies of the database; without it, `arena backup` alone makes any."""
    watch: WatchForm = Field(default_factory=WatchForm)
    """Who is told of what goes wrong, and what is logged."""


class StartForm(FileForm):
    """When cohorts start."""

    cadence: Annotated[Cadence, choice(Cadence)]
    """How often a new cohort starts."""
    first: Moment
    """The first start, or the only one."""


class DecideForm(FileForm):
    """When a cohort decides: at its start, and then at every step inside its window."""

    every: Duration
    """From one round to the next."""
    for_: Duration = Field(alias="for")
    """How long after its start a cohort decides."""


class RulesForm(FileForm):
    """A cohort's limits."""

    capital: Capital = RULES.capital
    """Dollars of each contestant at the start."""
    min_bet: Dollars = RULES.min_bet
    """The smallest stake, in dollars."""
    max_bet_fraction: Share = RULES.max_bet_fraction
    """The largest stake, as a share of the cash when a decision starts."""
    confidence_base: Annotated[ConfidenceBase, choice(ConfidenceBase)] = RULES.confidence_base
    """The cash that a stake is measured against."""
    fill: Annotated[FillRule, choice(FillRule)] = RULES.fill
    """The price a bet trades at."""
    fees: Annotated[FeeRule, choice(FeeRule)] = RULES.fees
    """Whose fees are charged."""
    batch: Annotated[BatchRule, choice(BatchRule)] = RULES.batch
    """What one refused order does to the others of its decision."""
    mark: Annotated[MarkRule, choice(MarkRule)] = RULES.mark
    """The price an open position is valued at."""
    rank_by: Annotated[RankBy, choice(RankBy)] = RULES.rank_by
    """The leaderboard's first order."""
    max_spread: Fraction = RULES.max_spread
    """The widest spread that is traded."""
    max_quote_age: Duration = RULES.max_quote_age
    """The oldest quote that is traded."""
    max_mark_age: Duration = RULES.max_mark_age
    """The oldest quote that a position is valued at."""
    answer_within: Duration | None = None
    """How long after a round's prices an answer may come; without it, within the tick."""

    def record(self) -> Rules:
        """Give the rules."""
        return self.as_record(Rules, answer_within=self.answer_within or RULES.answer_within)


def _some(names: tuple[str, ...]) -> tuple[str, ...]:
    if not names:
        raise WrongError("one contestant or more", "none")
    return names


def _sources(names: tuple[str, ...]) -> tuple[str, ...]:
    if not names or len(set(names)) < len(names):
        raise WrongError("one source or more, each once", ", ".join(names) or "none")
    return names


class CohortContextForm(FileForm):
    """Which dated documents a cohort's contestants are shown."""

    sources: Annotated[tuple[ContextName, ...], AfterValidator(_sources)]
    """Where they are from, names of `contexts`."""
    tokens: Count = CONTEXT.tokens
    """How many tokens all documents of a round take at most."""
    per_market: Count = CONTEXT.per_market
    """How many documents are chosen for one market at most."""


class CohortForm(FileForm):
    """A cohort file: an agreement that is frozen when a cohort starts."""

    title: Title
    """What the pages call it."""
    venue: VenueName
    """Where it bets, a name of `venues`."""
    start: StartForm
    """When cohorts start."""
    decide: DecideForm
    """When a cohort decides."""
    universe: UniverseForm = Field(default_factory=UniverseForm)
    """Which markets a round offers."""
    contestants: Annotated[tuple[ContestantName, ...], AfterValidator(_some)]
    """Who plays, names of `contestants`."""
    rules: RulesForm = Field(default_factory=RulesForm)
    """The limits."""
    replay_only: Flag = False
    """Whether the file is only for replay; such a cohort never starts by itself."""
    honeypot: Flag = False
    """Whether each round shows a made-up market whose text gives orders, to see who obeys."""
    context: CohortContextForm | None = None
    """The documents that are shown beside the markets; without it, none."""
    counts: Annotated[Counts, choice(Counts)] = Counts.ALWAYS
    """Which forecasts of a model count where its provider is compared."""

    def record(self, name: str) -> CohortSpec:
        """Give the spec of the file of this name."""
        return CohortSpec(
            name=name,
            title=self.title,
            venue=VenueId(self.venue),
            start=self.start.as_record(Start),
            decide_every=self.decide.every,
            decide_for=self.decide.for_,
            universe=self.universe.record(),
            contestants=tuple(ContestantId(c) for c in self.contestants),
            rules=self.rules.record(),
            honeypot=self.honeypot,
            context=None if self.context is None else self.context.as_record(ContextTerms),
            counts=self.counts,
        )
