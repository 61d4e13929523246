"""A contestant that asks a language model."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from arena.agents.aggregate import Pooling
from arena.agents.asking import Matter, ask, together
from arena.agents.composed import LONGEST_DETAIL, NO_STAKES, Response, stating, unread
from arena.agents.options import PluginOptions
from arena.agents.prompt import (
    Style,
    check_prompt,
    decide_question,
    forecast_question,
    stake_question,
    style_of,
)
from arena.agents.reply import read_forecasts, read_reply
from arena.agents.samples import agreed
from arena.errors import ArenaError
from arena.ports import Agent, Backstage, Llm
from arena.records.answer import Answer, Briefing, Task, Trouble
from arena.records.decision import Action, Decision
from arena.records.settings import ContestantSettings
from arena.render import Environment, environment

OPTIONS = ("aggregate", "elicitation", "extremise", "samples", "show_price")
MOST_SAMPLES = 25


class Elicitation(StrEnum):
    """How a turn is asked for.

    With `one_call` one reply states probabilities and then orders. With `locked` a first
    reply states probabilities and nothing else; a second one sees them, cannot change them,
    and states orders.
    """

    ONE_CALL = "one_call"
    LOCKED = "locked"


@dataclass(frozen=True, slots=True)
class Sampling:
    """How often a model is asked the same question, and how its probabilities are pooled."""

    samples: int = 1
    pooling: Pooling = field(default_factory=Pooling)


def from_settings(settings: ContestantSettings, backstage: Backstage) -> Agent:
    """Build a contestant that puts its briefing to the model it names.

    Options: `elicitation` (one_call or locked), `samples` (1 to 25), `aggregate` (median,
    mean, trimmed_mean, geometric_mean_of_odds or extremised) with `extremise` (the exponent
    of the last), and `show_price`.

    Raises:
        ArenaError: There is no such model or prompt, the prompt is broken, or an option is
            unknown or has a wrong value.
    """
    options = PluginOptions(settings, names=OPTIONS)
    elicitation = options.choice("elicitation", Elicitation, Elicitation.ONE_CALL)
    sampling = Sampling(
        options.whole("samples", 1, least=1, most=MOST_SAMPLES), options.pooling()
    )
    if sampling.samples == 1 and "aggregate" in options:
        raise options.wrong("aggregate goes with more than one of samples")
    style = style_of(settings)
    llm = _model(settings, backstage)
    env = environment(backstage.templates)
    check_prompt(env, style.prompt)
    return PromptedAgent(llm, env, style, elicitation, sampling)


@dataclass(frozen=True, slots=True)
class PromptedAgent:
    """Puts a briefing to a model, and hands on what came back."""

    llm: Llm
    env: Environment
    style: Style = field(default_factory=Style)
    elicitation: Elicitation = Elicitation.ONE_CALL
    sampling: Sampling = field(default_factory=Sampling)

    async def answer(self, briefing: Briefing) -> Answer:
        """Ask as often as the elicitation and the samples want it.

        The reply to a single question is handed on word for word, readable or not. What was
        made from several says its decision in words of its own.
        """
        if self.elicitation is Elicitation.LOCKED:
            return (await self._locked(briefing)).answer()
        decide = Matter(
            self.llm, lambda shown: decide_question(shown, self.env, self.style), read_reply
        )
        return (await self._sampled(decide, briefing, Task.DECIDE.value)).answer()

    async def _sampled(self, matter: Matter, briefing: Briefing, name: str) -> Response:
        names = [f"{name}/{n}" if n > 1 else name for n in range(1, self.sampling.samples + 1)]
        samples = await together(ask(matter, briefing, call_name) for call_name in names)
        return agreed(samples, self.sampling.pooling, briefing)

    async def _locked(self, briefing: Briefing) -> Response:
        forecast = Matter(
            self.llm,
            lambda shown: forecast_question(shown, self.env, self.style),
            read_forecasts,
        )
        first = await self._sampled(forecast, briefing, Task.FORECAST.value)
        if first.decision is None:
            return replace(first, last=unread(first))
        stated = _by_alias(first.decision, briefing)
        stake = Matter(
            self.llm,
            lambda shown: stake_question(shown, self.env, self.style, _among(stated, shown)),
            read_reply,
        )
        second = await ask(stake, briefing, Task.STAKE.value)
        return _staked(first, first.decision, second, briefing)


def _staked(
    first: Response, locked: Decision, second: Response, briefing: Briefing
) -> Response:
    """Join locked probabilities with the orders that followed.

    Without orders the probabilities still count: the words hold, and the detail says what
    went wrong, so that nobody takes it for a choice.
    """
    calls = first.calls + second.calls
    latency = first.latency_ms + second.latency_ms
    if second.is_pending:
        return Response(calls, second.last, latency)
    if second.decision is not None:
        decision = replace(second.decision, forecasts=locked.forecasts)
        return Response(calls, stating(decision, briefing, calls), latency, decision)
    lost = unread(second)
    trouble = lost.trouble or Trouble.EMPTY
    why = f"{NO_STAKES}{trouble}" + (f": {lost.detail}" if lost.detail else "")
    decision = Decision(Action.HOLD, locked.forecasts)
    last = replace(stating(decision, briefing, calls), detail=why[:LONGEST_DETAIL])
    return Response(calls, last, latency, decision)


def _by_alias(decision: Decision, briefing: Briefing) -> dict[str, float]:
    stated = {f.market: f.probability for f in decision.forecasts}
    named = briefing.offers + briefing.sell_only
    return {o.alias: stated[o.market.id] for o in named if o.market.id in stated}


def _among(stated: dict[str, float], briefing: Briefing) -> dict[str, float]:
    shown = {offer.alias for offer in briefing.offers + briefing.sell_only}
    return {alias: p for alias, p in stated.items() if alias in shown}


def _model(settings: ContestantSettings, backstage: Backstage) -> Llm:
    if settings.model is not None and settings.model in backstage.llms:
        return backstage.llms[settings.model]
    named = "no model is named" if settings.model is None else f"no model {settings.model}"
    raise ArenaError(
        "agent.model",
        f"{settings.id}: {named}",
        hint="write `model: NAME` beside its agent, a name of `models` in config.yaml",
        status=2,
    )
