"""A contestant from outside: a person, or a system that the arena does not run."""

import re
from dataclasses import dataclass, replace
from typing import Final

from arena.agents.options import PluginOptions
from arena.errors import ArenaError
from arena.ports import Agent, Archive, Backstage
from arena.records.answer import Answer, Briefing, Completion, Trouble
from arena.records.settings import ContestantSettings

SUBMITTED: Final = "submitted"  # the agent's name, as configurations write it
TOKEN_ENV: Final = "token_env"  # noqa: S105  the name of an option

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class SubmittedAgent:
    """Answers with the reply that was handed in for it; its cost is unknown."""

    archive: Archive

    async def answer(self, briefing: Briefing) -> Answer:
        """Give the words for this turn; wait while there are none."""
        words = self.archive.submitted(briefing.cohort, briefing.round, briefing.contestant)
        if words is None:
            waits = "nothing has been handed in"
            return Answer(Completion(None, trouble=Trouble.PENDING, detail=waits))
        return Answer(replace(words, model=SUBMITTED))


def from_settings(settings: ContestantSettings, backstage: Backstage) -> Agent:
    """Build a contestant whose answers are handed in.

    Option: `token_env`, the name of the environment variable that holds its token, where its
    answers may be handed in over HTTP.

    Raises:
        ArenaError: An option is unknown or has a wrong value; or nothing can be handed in here.
    """
    token_env(settings)
    if backstage.archive is None:
        raise ArenaError(
            "agent.archive", f"{settings.id}: nothing can be handed in here", status=2
        )
    return SubmittedAgent(backstage.archive)


def token_env(settings: ContestantSettings, others: tuple[str, ...] = ()) -> str | None:
    """Name the variable that holds a contestant's token; None where it has none.

    `others` are the options that its agent knows besides.

    Raises:
        ArenaError: An option is unknown, or it names no variable. What was written instead
            may be the token itself, and is not shown.
    """
    options = PluginOptions(settings, names=(TOKEN_ENV, *others))
    if TOKEN_ENV not in options:
        return None
    name = dict(settings.options)[TOKEN_ENV]
    if not isinstance(name, str) or not _VARIABLE.fullmatch(name):
        raise options.wrong(
            "token_env is the name of an environment variable, such as MY_TOKEN"
        )
    return name
