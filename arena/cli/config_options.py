"""What plugins say of their options, without a network, a key or a database."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from arena import plugins
from arena.clock import SystemClock
from arena.errors import ArenaError
from arena.ports import Backstage, Llm, Venue
from arena.records.answer import Completion
from arena.records.cohort import CohortId, ContestantId
from arena.records.market import MarketId, VenueId
from arena.records.settings import Settings
from arena.secrets import Secrets
from arena.wiring import KeptNowhere, secrets_of

UNCHECKED = (
    "whether keys are right and servers answer: `arena llm check`, `arena venue check`",
    "whether folders can be written to and what is in the database: `arena doctor`",
)


class EmptyArchive:
    """A record on which nobody has said anything."""

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
class Refusal:
    """A part of the configuration that its plugin refuses."""

    what: str
    why: str
    hint: str

    def __str__(self) -> str:
        after = f"; {self.hint}" if self.hint else ""
        return f"{self.what}: {self.why}{after}"


def refusals(settings: Settings) -> Iterator[Refusal]:
    """Build every venue, model and contestant, and tell which of them are refused.

    Nothing is asked of anybody, and no key is read.
    """
    clock, nowhere, secrets = SystemClock(), KeptNowhere(), secrets_of(settings)
    venues: dict[VenueId, Venue] = {}
    llms: dict[str, Llm] = {}
    for venue in settings.venues:
        with _noted(f"venues.{venue.id}", secrets) as found:
            build_venue = plugins.load(plugins.VENUES, venue.adapter)
            venues[venue.id] = build_venue(venue, clock, nowhere)
        yield from found
    for model in settings.models:
        with _noted(f"models.{model.name}", secrets) as found:
            llms[model.name] = plugins.load(plugins.LLMS, model.adapter)(model, None)
        yield from found
    backstage = Backstage(llms, venues, settings.templates, EmptyArchive())
    for who in settings.contestants:
        if who.model and who.model not in llms:
            continue  # its model is refused already
        with _noted(f"contestants.{who.id}", secrets) as found:
            plugins.load(plugins.AGENTS, who.agent)(who, backstage)
        yield from found


@contextmanager
def _noted(what: str, secrets: Secrets) -> Iterator[list[Refusal]]:
    found: list[Refusal] = []
    try:
        yield found
    except ArenaError as error:
        clean = error.reworded(secrets.text)
        found.append(Refusal(what, clean.message, clean.hint))
