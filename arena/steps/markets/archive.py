"""What others have said and how it ended, for contestants that are made from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from arena.ports import BaseRate
from arena.records.answer import Completion
from arena.records.cohort import CohortId, ContestantId
from arena.records.market import MarketId
from arena.records.trade import Turn
from arena.steps.rounds.brief import brief, set_scene
from arena.steps.rounds.decide import hear
from arena.steps.rounds.trade import turn_id
from arena.store import Store


@dataclass(frozen=True, slots=True)
class StoreArchive:
    """The archive of one arena's file.

    With a `tape` of an earlier play, what was handed in then is handed in again.
    """

    store: Store
    tape: Store | None = None

    def said(
        self, cohort: CohortId, number: int, contestant: ContestantId
    ) -> Mapping[MarketId, float] | None:
        """Give a contestant's P(YES) in a round, as its words say them.

        Empty where its answer holds none; None while it has not answered. A turn that was
        judged is not read again: its own sales have moved what its words could name.
        """
        judged = self.store.journal.entry(turn_id(cohort, number, contestant))
        if judged is not None and isinstance(judged.event, Turn):
            return {f.market: f.probability for f in judged.event.forecasts}
        answer = self.store.tape.answer(cohort, number, contestant)
        running = self.store.books.cohort(cohort)
        played = self.store.books.round(cohort, number)
        if answer is None or running is None or played is None:
            return None
        now = max(played.at, self.store.tape.last_moment() or played.at)
        scene = set_scene(self.store, running, played, played.at)
        briefing = brief(self.store, scene, contestant, now).briefing
        reading = hear(answer, briefing, scene.honeypot)
        if reading.decision is None:
            return {}
        offered = set(played.offered)
        stated = reading.decision.forecasts
        return {f.market: f.probability for f in stated if f.market in offered}

    def graded(
        self, contestant: ContestantId, before: datetime
    ) -> Sequence[tuple[float, float]]:
        """Give a contestant's past: P(YES) and outcome of each market resolved by then.

        One pair for a market, its first forecast; voided markets are left out. Oldest first.
        """
        return self.store.books.graded(contestant, before)

    def base_rate(self, before: datetime, venue: str, category: str) -> BaseRate:
        """Count markets that had resolved by a moment, of the newest 2,000; void ones are none.

        An empty venue or category is any; capitals do not matter in a category.
        """
        return BaseRate(*self.store.books.base_rate(before, venue, category))

    def submitted(
        self, cohort: CohortId, number: int, contestant: ContestantId
    ) -> Completion | None:
        """Give the words that were handed in for a turn; None where there are none yet."""
        return (self.tape or self.store).tape.calls.submission(cohort, number, contestant)
