"""A contestant from outside: a person, or a system that the arena does not run."""

from dataclasses import dataclass

from arena.agents.options import Options
from arena.errors import ArenaError
from arena.ports import Agent, Archive, Backstage
from arena.records.answer import Answer, Completion, Trouble
from arena.records.briefing import Briefing
from arena.records.settings import ContestantSettings


@dataclass(frozen=True, slots=True)
class Submitted:
    """Says what was handed in for it, word for word. What that cost is not known here."""

    archive: Archive

    async def answer(self, briefing: Briefing) -> Answer:
        """Give the words for this turn; wait while there are none."""
        words = self.archive.submitted(briefing.cohort, briefing.round, briefing.contestant)
        if words is None:
            waits = "nothing has been handed in"
            return Answer(Completion(None, trouble=Trouble.PENDING, detail=waits))
        return Answer(Completion(text=words, model="submitted"))


def from_settings(settings: ContestantSettings, backstage: Backstage) -> Agent:
    """Build a contestant whose answers are handed in.

    Raises:
        ArenaError: An option was given, there are none; or nothing can be handed in here.
    """
    Options(settings)
    if backstage.archive is None:
        raise ArenaError(
            "agent.archive", f"{settings.id}: nothing can be handed in here", status=2
        )
    return Submitted(backstage.archive)
