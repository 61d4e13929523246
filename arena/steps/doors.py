"""Everything a tick goes through."""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.ports import Agent, Venue
from arena.records.cohort import CohortSpec, ContestantId
from arena.records.market import VenueId
from arena.records.settings import Schedule
from arena.store import Store


@dataclass(frozen=True, slots=True)
class Doors:
    """The store, the venues and the contestants, and what is due when."""

    store: Store
    venues: Mapping[VenueId, Venue]
    agents: Mapping[ContestantId, Agent]
    specs: tuple[CohortSpec, ...]
    schedule: Schedule
