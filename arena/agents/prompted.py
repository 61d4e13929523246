"""A contestant that asks a language model."""

from dataclasses import dataclass

from arena.agents.prompt import DEFAULT, check_prompt, question_for
from arena.errors import ArenaError
from arena.ports import Agent, Backstage, Llm
from arena.records.answer import Answer
from arena.records.briefing import Briefing
from arena.records.settings import ContestantSettings
from arena.render import Environment, environment


def from_settings(settings: ContestantSettings, backstage: Backstage) -> Agent:
    """Build a contestant that puts its briefing to the model it names.

    Raises:
        ArenaError: There is no such model or prompt, the prompt is broken, or an option was
            given: there are none.
    """
    if settings.options:
        raise ArenaError(
            "agent.option",
            f"{settings.id}: there is no option {settings.options[0][0]!r}",
            hint="it has no options",
            status=2,
        )
    known = ", ".join(sorted(backstage.llms)) or "none is configured"
    if settings.model is None or settings.model not in backstage.llms:
        named = "no model is named" if settings.model is None else f"no model {settings.model}"
        raise ArenaError(
            "agent.model", f"{settings.id}: {named}", hint=f"models: {known}", status=2
        )
    env = environment(backstage.templates)
    prompt = settings.prompt or DEFAULT
    check_prompt(env, prompt)
    return PromptedAgent(backstage.llms[settings.model], env, prompt)


@dataclass(frozen=True, slots=True)
class PromptedAgent:
    """Renders a briefing, asks once, and hands on what came back."""

    llm: Llm
    env: Environment
    prompt: str = DEFAULT

    async def answer(self, briefing: Briefing) -> Answer:
        """Put the briefing to the model."""
        question = question_for(briefing, self.env, self.prompt)
        return Answer(await self.llm.complete(question), question)
