"""A fake of what is on record: what others said, and when its markets came out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from arena.ports import BaseRate
from arena.records.answer import Completion
from arena.records.cohort import CohortId, ContestantId
from arena.records.market import MarketId

Seat = tuple[CohortId, int, ContestantId]


@dataclass(frozen=True, slots=True)
class Came:
    """One market of the past: what was said of it, what it paid, and when that was known."""

    at: datetime
    said: float
    paid: float


@dataclass(slots=True)
class FakeArchive:
    """Keeps what it is given, and tells nothing from after the moment of asking."""

    words: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    past: Mapping[str, Sequence[Came]] = field(default_factory=dict)
    handed_in: Mapping[Seat, str] = field(default_factory=dict)

    def said(
        self, cohort: CohortId, number: int, contestant: ContestantId
    ) -> Mapping[MarketId, float] | None:
        assert (cohort, number) == ("c", 3)  # the round of `briefings`
        found = self.words.get(contestant)
        return None if found is None else {MarketId(name): p for name, p in found.items()}

    def graded(
        self, contestant: ContestantId, before: datetime
    ) -> Sequence[tuple[float, float]]:
        known = self.past.get(contestant, ())
        return [(one.said, one.paid) for one in known if one.at <= before]

    def base_rate(self, before: datetime, venue: str, category: str) -> BaseRate:
        del venue, category
        known = [one for past in self.past.values() for one in past if one.at <= before]
        return BaseRate(len(known), sum(one.paid for one in known))

    def submitted(
        self, cohort: CohortId, number: int, contestant: ContestantId
    ) -> Completion | None:
        words = self.handed_in.get((cohort, number, contestant))
        return None if words is None else Completion(words)
