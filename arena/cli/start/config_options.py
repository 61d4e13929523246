"""Checks options with their plugins, without a network, a key or a database."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from arena import plugins
from arena.clock import SystemClock
from arena.errors import ArenaError
from arena.ports import Backstage, Llm
from arena.records.answer import Completion
from arena.records.cohort import CohortId, ContestantId
from arena.records.market import MarketId
from arena.records.settings import ModelSettings, Settings
from arena.wiring import KeptNowhere, build_agent, build_venues, secrets_of, well

UNCHECKED = (
    "whether keys are right and servers answer: `arena llm check`, `arena venue check`",
    "whether folders can be written to and what is in the database: `arena doctor`",
)


class EmptyArchive:
    """An archive in which nobody has answered."""

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

    def submitted(
        self, cohort: CohortId, number: int, contestant: ContestantId
    ) -> Completion | None:
        """Nothing was handed in."""


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
    """Build every venue, model and contestant, and tell which of them are refused.

    Nothing is asked of anybody, and no key is read.
    """
    clock, nowhere, secrets = SystemClock(), KeptNowhere(), secrets_of(settings)
    everywhere = [venue.id for venue in settings.venues]
    venues = build_venues(settings.venues, everywhere, clock, nowhere)
    llms = {
        m.name: plugins.built(f"the model {m.name}", partial(_without_key, m))
        for m in settings.models
    }
    backstage = Backstage(well(llms), well(venues), settings.templates, EmptyArchive())
    agents = {
        who.id: plugins.built(str(who.id), partial(build_agent, who, backstage))
        for who in settings.contestants
        if not isinstance(llms.get(who.model or ""), ArenaError)  # refused already
    }
    for kind, parts in (("venues", venues), ("models", llms), ("contestants", agents)):
        for name, part in parts.items():
            if isinstance(part, ArenaError):
                clean = part.reworded(secrets.text)
                yield PluginRefusal(f"{kind}.{name}", clean.message, clean.hint)


def _without_key(model: ModelSettings) -> Llm:
    return plugins.load(plugins.LLMS, model.adapter)(model, None)
