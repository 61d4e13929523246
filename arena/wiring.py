"""The composition root: configuration and plugins in, doors out."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from operator import itemgetter
from pathlib import Path, PurePath
from typing import TypeVar

from arena import plugins
from arena.agents import local, outside
from arena.agents.outside import SUBMITTED, TOKEN_ENV, token_env
from arena.errors import ArenaError
from arena.llms.profile import dates_of
from arena.ports import (
    Agent,
    Archive,
    Backstage,
    Clock,
    ContextBackstage,
    ContextSource,
    Llm,
    Payloads,
    ToolDoor,
    Venue,
)
from arena.records.answer import Payload
from arena.records.cohort import CohortSpec, ContestantId
from arena.records.market import VenueId
from arena.records.settings import (
    BASELINES,
    ContestantSettings,
    ContextSettings,
    Edition,
    Entrant,
    ModelSettings,
    Settings,
    ToolSettings,
    VenueSettings,
)
from arena.records.trade import AdapterSet
from arena.secrets import Secrets, of_values
from arena.steps.doors import Doors
from arena.steps.markets.archive import StoreArchive
from arena.steps.rounds.budget import Guard
from arena.steps.rounds.cached_llm import ModelExchange, TapeLlm
from arena.steps.seal import grading_of
from arena.store import Store
from arena.store.codec import digest_of
from arena.store.pages.costs import SqliteCosts
from arena.tools.tool_llm import LIVE, door_of

SHORTEST_TOKEN = 16
KEY_ENV = "key_env"

Options = tuple[tuple[str, object], ...]
AskModel = Callable[[ModelSettings, ModelExchange], Llm]
_K = TypeVar("_K")
_T = TypeVar("_T")


def publisher(store: Store, settings: Settings, out: PurePath) -> Callable[[datetime], int]:
    """Build what writes the site of a store into a folder.

    Raises:
        ArenaError: There are no templates of pages (`template.missing`).
    """
    if not Path(settings.templates, "site").is_dir():
        raise ArenaError(
            "template.missing",
            f"{settings.templates} has no folder `site` with the templates of pages",
            hint="mend paths.templates in config.yaml, or leave it out for those that the "
            "arena brings; nothing was done",
            status=2,
        )

    def publish(at: datetime) -> int:
        from arena.site.engine.build import publish as write  # noqa: PLC0415  brings Jinja

        edition = Edition(cast(settings), settings.publishing, settings.season)
        return write(store, Path(out), Path(settings.templates), edition, at=at)

    return publish


def build_doors(
    settings: Settings, store: Store, clock: Clock, ask: AskModel | None = None
) -> Doors:
    """Build what the configured and the running cohorts need, and nothing else.

    Models are built by `ask`, or as contestants reach them. What cannot be built, for want of
    a key, a plugin or a template, stops nothing else.
    """
    playing = [c.spec for c in store.books.running()] + list(settings.cohorts)
    recheck, at = settings.schedule.recheck_for, clock.now()
    watched = {v.id for v in settings.venues if store.books.watched(v.id, at, recheck)}
    wanted = watched | {s.venue for s in playing}
    keys = _set(_named_in(venue.options for venue in settings.venues))
    payloads = CleanPayloads(store.payloads, keys) if keys.values else store.payloads
    venues = build_venues(settings.venues, wanted, clock, payloads)
    names = {who for spec in playing for who in spec.contestants}
    playing_now = [c for c in settings.contestants if c.id in names]
    exchange = ModelExchange(
        store,
        clock,
        Guard(settings.budgets, SqliteCosts(store.db)),
        secrets=secrets_of(settings),
    )
    return Doors(
        store,
        venues,
        build_agents(playing_now, settings, venues, exchange, ask or asked),
        settings.cohorts,
        settings.schedule,
        publisher(store, settings, settings.site),
        grading=partial(grading_of, settings.season),
        after={c.id: c.of for c in playing_now if c.of},
        flush=exchange.flush,
        secrets=exchange.secrets,
        adapters={v.id: adapter_of(v) for v in settings.venues},
        contexts=context_sources(settings, playing, store, clock, venues),
    )


def context_sources(
    settings: Settings,
    playing: Iterable[CohortSpec],
    store: Store,
    clock: Clock,
    venues: Mapping[VenueId, Venue | ArenaError],
) -> dict[str, ContextSource | ArenaError]:
    """Build the sources that cohorts name; their servers' answers are kept without keys."""
    wanted = {name for spec in playing if spec.context for name in spec.context.sources}
    named = [source for source in settings.contexts if source.name in wanted]
    keys = _set(_named_in(source.options for source in named))
    payloads = CleanPayloads(store.payloads, keys)
    backstage = ContextBackstage(clock, payloads, settings.root, store.tape, well(venues))
    return build_contexts(named, backstage)


def build_contexts(
    sources: Iterable[ContextSettings], backstage: ContextBackstage
) -> dict[str, ContextSource | ArenaError]:
    """Build sources of documents; one that cannot be built stops no other."""

    def build(source: ContextSettings) -> ContextSource:
        return plugins.load(plugins.CONTEXTS, source.adapter)(source, backstage)

    return {
        source.name: plugins.built(f"the source {source.name}", partial(build, source))
        for source in sources
    }


def adapter_of(venue: VenueSettings) -> AdapterSet:
    """A venue's adapter, with a digest of its options in any order."""
    options = sorted(venue.options, key=itemgetter(0))
    return AdapterSet(venue.id, venue.adapter, digest_of(options))


@dataclass(frozen=True, slots=True)
class CleanPayloads:
    """Keeps answers of servers without the arena's keys, which an adapter may have sent."""

    payloads: Payloads
    keys: Secrets

    def keep(self, payload: Payload) -> None:
        """Keep one answer; its address and its body may repeat a key."""
        clean: Payload = self.keys.record(replace(payload, packed=b""))
        same = clean.body == payload.body
        self.payloads.keep(replace(clean, packed=payload.packed) if same else clean)


class KeptNowhere:
    """Drops answers of servers: for commands that book nothing on them."""

    def keep(self, payload: Payload) -> None:
        """Forget it."""


def build_venues(
    configured: Iterable[VenueSettings],
    wanted: Iterable[VenueId],
    clock: Clock,
    payloads: Payloads,
) -> dict[VenueId, Venue | ArenaError]:
    """Build the venues that are wanted, by name; their servers' answers go to `payloads`."""
    names = set(wanted)
    return {
        v.id: plugins.built(f"the venue {v.id}", partial(build_venue, v, clock, payloads))
        for v in configured
        if v.id in names
    }


def build_venue(venue: VenueSettings, clock: Clock, payloads: Payloads) -> Venue:
    """Build one venue.

    Raises:
        ArenaError: Its plugin is missing or broken, or refuses its options.
    """
    return plugins.load(plugins.VENUES, venue.adapter)(venue, clock, payloads)


def asked(model: ModelSettings, exchange: ModelExchange) -> Llm:
    """Build a model as contestants reach it: behind the exchange.

    Raises:
        ArenaError: Its key is missing, or its plugin refuses it.
    """
    if exchange.replayed is not None:
        return exchange.line(TapeLlm(model, exchange.replayed), model)
    return exchange.line(build_model(model), model)


def well(parts: Mapping[_K, _T | ArenaError]) -> dict[_K, _T]:
    """The parts that were built without an error."""
    return {name: part for name, part in parts.items() if not isinstance(part, ArenaError)}


def build_agents(
    contestants: Iterable[ContestantSettings],
    settings: Settings,
    venues: Mapping[VenueId, Venue | ArenaError],
    exchange: ModelExchange,
    ask: AskModel = asked,
) -> dict[ContestantId, Agent | ArenaError]:
    """Build contestants, and by `ask` the models that they need."""
    playing = list(contestants)
    needed = {c.model for c in playing}

    def guest(who: ContestantSettings) -> Llm:
        return ask(outside.model_of(who), exchange)

    llms = {
        outside.model_name(c): plugins.built(str(c.id), partial(guest, c))
        for c in playing
        if c.agent == outside.HTTP
    } | {
        m.name: plugins.built(f"the model {m.name}", partial(ask, m, exchange))
        for m in settings.models
        if m.name in needed
    }
    archive = StoreArchive(exchange.store, exchange.replayed)
    keys = _set(_named_in(tool.options for tool in settings.tools))
    payloads = CleanPayloads(exchange.store.payloads, keys)
    sources = ContextBackstage(
        exchange.clock, payloads, settings.root, exchange.store.tape, well(venues)
    )
    backstage = Backstage(
        well(llms),
        well(venues),
        settings.templates,
        archive,
        settings.root,
        build_tools(settings, archive, sources, partial(_called, exchange)),
    )

    def agent(who: ContestantSettings) -> Agent | ArenaError:
        llm = llms.get(outside.model_name(who))
        build = partial(build_agent, who, backstage)
        return llm if isinstance(llm, ArenaError) else plugins.built(str(who.id), build)

    return {c.id: agent(c) for c in playing}


def build_tools(
    settings: Settings,
    archive: Archive,
    sources: ContextBackstage,
    line: Callable[[Llm, ModelSettings], Llm],
) -> dict[str, ToolDoor | ArenaError]:
    """Build the tools that are configured, each behind a line; nothing is asked of anybody."""
    return {
        tool.name: plugins.built(
            f"the tool {tool.name}", partial(door_of, tool, archive, sources, line)
        )
        for tool in settings.tools
    }


def _called(exchange: ModelExchange, llm: Llm, model: ModelSettings) -> Llm:
    """Put a tool behind the exchange; a replay calls none."""
    replayed = exchange.replayed
    return exchange.line(llm if replayed is None else TapeLlm(model, replayed), model)


def build_agent(contestant: ContestantSettings, backstage: Backstage) -> Agent:
    """Build one contestant, by its plugin or by a class of somebody's own.

    Raises:
        ArenaError: Its plugin is missing or broken, or refuses its options, or it has no model
            or template.
    """
    if local.is_local(contestant.agent):
        return local.from_settings(contestant, backstage)
    return plugins.load(plugins.AGENTS, contestant.agent)(contestant, backstage)


def build_model(model: ModelSettings) -> Llm:
    """Build one model, with its key from the environment.

    Raises:
        ArenaError: Its key is missing, or its plugin is, or refuses its options.
    """
    key = os.environ.get(model.key_env) if model.key_env else None
    if model.key_env and not key:
        whose = f"the key of the model {model.name}"
        if model.adapter == outside.HTTP:
            whose = (
                f"{model.key_env}, the token of {model.name.removeprefix(outside.HTTP + ':')},"
            )
        raise ArenaError(
            "credentials.missing",
            f"{whose} is not in the environment",
            hint=f"export {model.key_env}=...",
            status=4,
        )
    if model.adapter == outside.HTTP:
        return outside.WebhookLlm.of(model, key)
    return plugins.load(plugins.LLMS, model.adapter)(model, key)


def guests_of(settings: Settings) -> tuple[ModelSettings, ...]:
    """The models as which contestants are asked over HTTP; one with a wrong option is none."""
    contestants = [c for c in settings.contestants if c.agent == outside.HTTP]
    models = (plugins.built(str(c.id), partial(outside.model_of, c)) for c in contestants)
    return tuple(model for model in models if isinstance(model, ModelSettings))


def check_keys(settings: Settings, playing: Iterable[CohortSpec]) -> None:
    """Make sure that every model that plays has its key, before anything is opened.

    Raises:
        ArenaError: Keys are missing: all of them are named at once.
    """
    names = {who for spec in playing for who in spec.contestants}
    needed = {outside.model_name(c) for c in settings.contestants if c.id in names}
    wanted = [m for m in (*settings.models, *guests_of(settings)) if m.name in needed]
    missing = sorted({m.key_env for m in wanted if m.key_env and not os.environ.get(m.key_env)})
    if missing:
        users = ", ".join(m.name for m in wanted if m.key_env in missing)
        raise ArenaError(
            "credentials.missing",
            f"no key in the environment: {', '.join(missing)} (needed by {users})",
            hint=f"export {missing[0]}=... and run the same command again; nothing was done",
            status=4,
        )


def secrets_of(settings: Settings) -> Secrets:
    """The values of every key and token that the configuration names, where they are set."""
    names = {model.key_env for model in settings.models if model.key_env}
    names |= {name for channel in settings.watch.alarms for name in channel.variables}
    names |= {settings.watch.ping_env} - {""}
    names |= _named_in(venue.options for venue in settings.venues)
    names |= _named_in(source.options for source in settings.contexts)
    tools = [dict(tool.options) for tool in settings.tools]
    names |= {str(name) for tool in tools for name in _words(tool.get("env"))}
    names |= _named_in(tool.options for tool in settings.tools)
    return _set(names | _named_in(contestant.options for contestant in settings.contestants))


def _words(option: object) -> tuple[object, ...]:
    return option if isinstance(option, tuple) else ()


def _named_in(several: Iterable[Options]) -> set[str]:
    """The variables that options name as those of a key or a token."""
    options = (option for options in several for option in options)
    return {str(value) for name, value in options if name in {KEY_ENV, TOKEN_ENV}}


def _set(names: Iterable[str]) -> Secrets:
    return of_values(os.environ.get(name, "").strip() for name in names)


def secrets_near(config: Path) -> Secrets:
    """The keys of the arena that a configuration is of; none where it cannot be read."""
    from arena.config import load_settings  # noqa: PLC0415  brings pydantic

    try:
        return secrets_of(load_settings(config))
    except (ArenaError, OSError):
        return Secrets()


def tokens_of(settings: Settings) -> dict[ContestantId, str]:
    """The tokens that contestants hand their answers in with, from the environment.

    Raises:
        ArenaError: No contestant has one, or one is missing or easily guessed: all of these
            are named at once.
    """
    named = {
        c.id: name
        for c in settings.contestants
        if c.agent == SUBMITTED and (name := token_env(c))
    }
    if not named:
        raise ArenaError(
            "inbox.nobody",
            "no contestant has a token to hand its answers in with",
            hint="name its variable in config.yaml, such as `contestants: {me: {agent: "
            "submitted, options: {token_env: ME_TOKEN}}}`",
            status=2,
        )
    tokens = {who: os.environ.get(name, "") for who, name in named.items()}
    short = sorted({named[who] for who, token in tokens.items() if not _is_token(token)})
    if short:
        raise ArenaError(
            "credentials.missing",
            f"no token of {SHORTEST_TOKEN} letters and digits or more in the environment: "
            f"{', '.join(short)}",
            hint=f"export {short[0]}=$(openssl rand -hex 32) and run the same command again",
            status=4,
        )
    return tokens


def _is_token(token: str) -> bool:
    """Whether it can stand in a header, and cannot be guessed by trying."""
    return (
        len(token) >= SHORTEST_TOKEN
        and token.isascii()
        and token.isprintable()
        and (" " not in token)
    )


def replay_doors(  # noqa: PLR0913, PLR0917  # what is played, over what, and into what
    spec: CohortSpec,
    settings: Settings,
    store: Store,
    venues: Mapping[VenueId, Venue],
    clock: Clock,
    site: PurePath,
    *,
    tape: Store | None = None,
    source: Store | None = None,
) -> Doors:
    """Build the doors of one cohort over venues that are there already.

    With a `tape` its models answer what they answered on it, and nobody is paid. A `source`
    is the arena's file that is played again: its venue was read by what that says.

    Raises:
        ArenaError: A contestant cannot be built: a play of the past can wait until it can.
    """
    playing = [c for c in settings.contestants if c.id in spec.contestants]
    if tape is None:
        _refuse_live_tools(playing, settings.tools)
    guard = Guard(settings.budgets, SqliteCosts(store.db))
    exchange = ModelExchange(store, clock, guard, tape, secrets_of(settings))
    agents = build_agents(playing, settings, venues, exchange)
    for agent in agents.values():
        if isinstance(agent, ArenaError):
            raise agent
    return Doors(
        store,
        venues,
        agents,
        (spec,),
        settings.schedule,
        publisher(store, settings, site),
        grading=partial(grading_of, settings.season),
        after={c.id: c.of for c in playing if c.of},
        flush=exchange.flush,
        secrets=exchange.secrets,
        adapters=_first_adapter(spec.venue, source) if source else {},
        contexts=_frozen(context_sources(settings, [spec], store, clock, venues), source),
        context_tape=source.tape if source else None,
    )


def _refuse_live_tools(
    playing: Iterable[ContestantSettings], tools: Iterable[ToolSettings]
) -> None:
    """Make sure that nobody who plays the past may look at the present.

    Raises:
        ArenaError: `tool.live`: somebody has a tool that could.
    """
    live = {tool.name for tool in tools if tool.adapter in LIVE}
    for who in playing:
        named = live.intersection(_words(dict(who.options).get("tools")))
        if named:
            raise ArenaError(
                "tool.live",
                f"{who.id} may call {', '.join(sorted(named))}, which know the present alone",
                hint="take the answers of an earlier play (--answers), or other contestants",
                status=2,
            )


def _frozen(
    contexts: Mapping[str, ContextSource | ArenaError], source: Store | None
) -> dict[str, ContextSource | ArenaError]:
    """The sources that a replay may ask: none that knows the present alone.

    Raises:
        ArenaError: `context.live`: a recording of markets is played, whose documents are on
            no tape, and a source asks a server.
    """
    live = sorted(name for name, each in contexts.items() if getattr(each, "only_now", False))
    error = ArenaError(
        "context.live",
        f"a replay cannot ask {', '.join(live)}: a server knows the present alone",
        hint="name sources with the adapter `folder` in the cohort's `context`",
        status=2,
    )
    if live and source is None:
        raise error
    return {name: error if name in live else each for name, each in contexts.items()}


def _first_adapter(venue: VenueId, source: Store) -> dict[VenueId, AdapterSet]:
    entry = source.journal.entry(f"venue:{venue}:1")
    return {venue: entry.event} if entry and isinstance(entry.event, AdapterSet) else {}


def cast(settings: Settings) -> dict[ContestantId, Entrant]:
    """Who the contestants are, for the pages."""
    models = {model.name: model for model in settings.models}
    who = {c.id: _entrant(c, models.get(c.model or "")) for c in settings.contestants}
    for c in settings.contestants:
        if c.of and not c.knowledge_until:
            made_of = [who[name] for name in c.of if name in who and not who[name].reference]
            days = [other.knowledge_until for other in made_of if other.knowledge_until]
            latest = max(days, default=None) if len(days) == len(made_of) else None
            who[c.id] = replace(who[c.id], knowledge_until=latest)
    return who


def cast_by_name(names: Iterable[ContestantId]) -> dict[ContestantId, Entrant]:
    """The baselines among contestants of whom nothing but their names is known.

    >>> list(cast_by_name([ContestantId("always-no"), ContestantId("birch")]))
    ['always-no']
    """
    agents = {name: name.replace("-", "_") for name in names}
    return {
        name: Entrant(name, agent=agent, reference=True)
        for name, agent in agents.items()
        if agent in BASELINES
    }


def _in_words(value: object) -> str:
    """Write an option; a list of names without a comma, which stands between options."""
    is_list = isinstance(value, tuple) and all(isinstance(name, str) for name in value)
    return "+".join(value) if is_list and isinstance(value, tuple) else str(value)


def _entrant(contestant: ContestantSettings, model: ModelSettings | None) -> Entrant:
    who = Entrant(
        id=contestant.id,
        label=contestant.label or contestant.id,
        agent=PurePath(contestant.agent).name,  # a path is of whoever runs the arena
        prompt=contestant.prompt or "",
        reference=contestant.agent in BASELINES,
        copy_of=contestant.copy_of,
        of=contestant.of,
        options=", ".join(
            f"{name} {_in_words(value)}"
            for name, value in contestant.options
            if not (name.endswith("_env") or name == outside.URL)  # of whoever runs the arena
        ),
        price_blind=dict(contestant.options).get("show_price") == "never",
        knowledge_until=contestant.knowledge_until,
    )
    if model is None:
        return who
    dates = dates_of(model)
    return replace(
        who,
        provider=model.provider,
        family=model.family,
        model=model.model,
        release=model.release,
        price_in=model.price_in,
        price_out=model.price_out,
        retires_on=model.retires_on,
        knowledge_until=contestant.knowledge_until or dates.knowledge_until,
        released=dates.released,
    )
