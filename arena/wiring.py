"""The composition root: configuration and plugins in, doors out."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePath

from arena import plugins
from arena.errors import ArenaError
from arena.ports import Agent, Backstage, Clock, Llm, Venue
from arena.records.cohort import CohortSpec, ContestantId
from arena.records.market import VenueId
from arena.records.settings import (
    ContestantSettings,
    ModelSettings,
    Settings,
    VenueSettings,
)
from arena.steps.doors import Doors
from arena.store import Store


def publisher(store: Store, settings: Settings, out: PurePath) -> Callable[[datetime], int]:
    """Build what writes the site of a store into a folder."""

    def publish(at: datetime) -> int:
        from arena.site.build import publish as write  # noqa: PLC0415  brings Jinja

        return write(store, Path(out), Path(settings.templates), labels(settings), at=at)

    return publish


def build_doors(settings: Settings, store: Store, clock: Clock) -> Doors:
    """Build what the configured and the running cohorts need, and nothing else.

    Raises:
        ArenaError: A key is missing (`credentials.missing`), or a plugin refuses its options.
    """
    playing = [c.spec for c in store.books.running()] + list(settings.cohorts)
    recheck, at = settings.schedule.recheck_for, clock.now()
    watched = {v.id for v in settings.venues if store.books.watched(v.id, at, recheck)}
    venues = build_venues(settings.venues, watched | {s.venue for s in playing}, clock)
    names = {who for spec in playing for who in spec.contestants}
    agents = build_agents(
        [c for c in settings.contestants if c.id in names],
        settings.models,
        venues,
        settings.templates,
    )
    return Doors(
        store,
        venues,
        agents,
        settings.cohorts,
        settings.schedule,
        publisher(store, settings, settings.site),
    )


def build_venues(
    configured: Iterable[VenueSettings], wanted: Iterable[VenueId], clock: Clock
) -> dict[VenueId, Venue]:
    """Build the venues that are wanted, by name."""
    names = set(wanted)
    return {
        v.id: plugins.load(plugins.VENUES, v.adapter)(v, clock)
        for v in configured
        if v.id in names
    }


def build_agents(
    contestants: Iterable[ContestantSettings],
    models: Iterable[ModelSettings],
    venues: Mapping[VenueId, Venue],
    templates: PurePath,
) -> dict[ContestantId, Agent]:
    """Build contestants and the models that they need."""
    playing = list(contestants)
    needed = {c.model for c in playing if c.model}
    backstage = Backstage(
        build_models(m for m in models if m.name in needed), venues, templates
    )
    return {c.id: plugins.load(plugins.AGENTS, c.agent)(c, backstage) for c in playing}


def check_keys(settings: Settings, playing: Iterable[CohortSpec]) -> None:
    """Make sure that every model that plays has its key, before anything is opened.

    Raises:
        ArenaError: Keys are missing: all of them are named at once.
    """
    names = {who for spec in playing for who in spec.contestants}
    needed = {c.model for c in settings.contestants if c.id in names}
    _refuse_without_keys([m for m in settings.models if m.name in needed])


def build_models(models: Iterable[ModelSettings]) -> dict[str, Llm]:
    """Build models, each with its key from the environment.

    Raises:
        ArenaError: Keys are missing: all of them are named at once.
    """
    wanted = list(models)
    _refuse_without_keys(wanted)
    return {
        m.name: plugins.load(plugins.LLMS, m.adapter)(
            m, os.environ.get(m.key_env) if m.key_env else None
        )
        for m in wanted
    }


def _refuse_without_keys(wanted: Sequence[ModelSettings]) -> None:
    missing = sorted({m.key_env for m in wanted if m.key_env and not os.environ.get(m.key_env)})
    if missing:
        users = ", ".join(m.name for m in wanted if m.key_env in missing)
        raise ArenaError(
            "credentials.missing",
            f"no key in the environment: {', '.join(missing)} (needed by {users})",
            hint=f"export {missing[0]}=... and run the same command again; nothing was done",
            status=4,
        )


def replay_doors(
    spec: CohortSpec,
    settings: Settings,
    store: Store,
    venues: Mapping[VenueId, Venue],
    site: PurePath,
) -> Doors:
    """Build the doors of one cohort over venues that are there already."""
    playing = [c for c in settings.contestants if c.id in spec.contestants]
    agents = build_agents(playing, settings.models, venues, settings.templates)
    publish = publisher(store, settings, site)
    return Doors(store, venues, agents, (spec,), settings.schedule, publish)


def labels(settings: Settings) -> dict[ContestantId, str]:
    """What contestants are called on the pages."""
    return {c.id: c.label or c.id for c in settings.contestants}
