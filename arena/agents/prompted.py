"""A contestant that asks a language model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

from arena.agents.prompt import (
    Style,
    again,
    check_prompt,
    decide_question,
    forecast_question,
    stake_question,
    style_of,
)
from arena.agents.reply import ReplyReading, read_forecasts, read_reply, was_cut_off
from arena.agents.research import Research, ResearchLimits, together
from arena.agents.samples import (
    LONGEST_DETAIL,
    NO_STAKES,
    Pooling,
    Response,
    agreed,
    pooling_of,
    stating,
    unread,
)
from arena.errors import ArenaError
from arena.plugins import PluginOptions
from arena.ports import Agent, Backstage, Llm, ToolDoor
from arena.records.answer import (
    AGAIN,
    FIRST_HALF,
    PARSER_VERSION,
    SECOND_HALF,
    Answer,
    Briefing,
    Call,
    Caller,
    Completion,
    Holding,
    Offer,
    Question,
    Task,
    Trouble,
)
from arena.records.decision import Action, Decision, Drop
from arena.records.money import usd_down
from arena.records.settings import ContestantSettings
from arena.render import Environment, environment

# Ask a model one question of a turn; ask again, or in halves, where the reply is unusable.
#
# A reply that has no words, cannot be read or contradicts itself is asked for once more, with
# what was wrong; one that was cut off is not, because it would be cut off at the same place. A
# question that is refused, or too long for the model, is put once more as two halves, so that
# one market's text cannot silence the others. Whatever else goes wrong ends the question: the
# model's own client has retried what may be retried. To a reply of parser version 1, on an old
# tape, happens what happened then: one that was cut off was asked for again, and only what
# cannot be read.


def halved(briefing: Briefing) -> tuple[Briefing, Briefing] | None:
    """Cut a briefing in two; None where it offers fewer than two markets.

    Each half gets half of the cash and of the largest stake, rounded down, so that both
    together stay within them; the smallest stake remains what it is. A holding goes where
    its market goes; those that cannot be sold are shared out too, for they have a text.
    """
    if len(briefing.offers) < 2:  # noqa: PLR2004  halves are two
        return None
    middle, end = (len(briefing.offers) + 1) // 2, (len(briefing.sell_only) + 1) // 2
    first = briefing.offers[:middle], briefing.sell_only[:end]
    second = briefing.offers[middle:], briefing.sell_only[end:]
    aliases = {offer.alias for offer in briefing.offers + briefing.sell_only}
    stuck = [holding for holding in briefing.holdings if holding.alias not in aliases]
    part = (len(stuck) + 1) // 2
    return _half(briefing, first, stuck[:part]), _half(briefing, second, stuck[part:])


def rejoined(halves: Sequence[Decision]) -> Decision:
    """Make one decision of those of the halves that were answered: one or two.

    The forecasts of both count. Where one half bets and the other sells, which one decision
    cannot, the orders are those of the half that has more of them; on a tie, of the first.
    """
    leader = max(halves, key=lambda half: len(half.bets) + len(half.sales))
    alike = [half for half in halves if half.action is leader.action]
    return Decision(
        action=leader.action,
        forecasts=tuple(f for half in halves for f in half.forecasts),
        bets=tuple(bet for half in alike for bet in half.bets),
        sales=tuple(sale for half in alike for sale in half.sales),
        reasoning="\n".join(half.reasoning for half in halves if half.reasoning),
    )


def _half(
    briefing: Briefing,
    markets: tuple[tuple[Offer, ...], tuple[Offer, ...]],
    stuck: Sequence[Holding],
) -> Briefing:
    offers, sell_only = markets
    aliases = {offer.alias for offer in offers + sell_only}
    kept = [h for h in briefing.holdings if h.alias in aliases or h in stuck]
    return replace(
        briefing,
        offers=offers,
        sell_only=sell_only,
        holdings=tuple(kept),
        cash=usd_down(briefing.cash / 2),
        cap=usd_down(briefing.cap / 2),
    )


HALVED = frozenset({Trouble.REFUSAL, Trouble.TOO_LONG})
CUT_OFF = "the reply was cut off before its end: answer in fewer words"
EMPTY = "the reply is empty"
NO_MARKETS = "no market is on offer"


class Reader(Protocol):
    """Reads a reply to one kind of question."""

    def __call__(
        self,
        text: str,
        briefing: Briefing,
        *,
        finish: str = "",
        version: int = PARSER_VERSION,
    ) -> ReplyReading:
        """Say what the words state, or why they cannot be read."""


@dataclass(frozen=True, slots=True)
class Matter:
    """What a model is asked about: how it is put to it, and how its reply is read."""

    llm: Llm
    put: Callable[[Briefing], Question]
    read: Reader


async def ask(matter: Matter, briefing: Briefing, name: str) -> Response:
    """Ask a question under the name of its call, in halves where it is refused or too long.

    A half that ends so too, or fails, adds nothing; without either the first end stands.
    """
    response = await _ask_twice(matter, briefing, name)
    parts = halved(briefing) if response.last.trouble in HALVED else None
    if parts is None:
        return response
    names = name + FIRST_HALF, name + SECOND_HALF
    responses = await together(
        _ask_twice(matter, part, part_name)
        for part, part_name in zip(parts, names, strict=True)
    )
    return _joined(response, responses, briefing)


async def _ask_twice(matter: Matter, briefing: Briefing, name: str) -> Response:
    question = matter.put(briefing)
    first = await _ask_once(matter, briefing, name, question)
    if not first.reasons:
        return first
    rejected_text = first.last.text or ""
    mended = again(question, rejected_text, first.reasons)
    second = await _ask_once(matter, briefing, name + AGAIN, mended)
    keeps_first = second.decision is None and not second.is_pending and first.decision
    return replace(
        first if keeps_first else second,
        calls=first.calls + second.calls,
        latency_ms=first.latency_ms + second.latency_ms,
    )


async def _ask_once(
    matter: Matter, briefing: Briefing, name: str, question: Question
) -> Response:
    caller = Caller(briefing.cohort, briefing.round, briefing.contestant, name)
    addressed = replace(question, caller=caller)
    completion = await matter.llm.complete(addressed)
    calls = (Call(name, addressed, completion),)
    version = completion.parser_version
    if version > 1 and completion.trouble is None and was_cut_off(completion.finish):
        completion = replace(completion, trouble=Trouble.TRUNCATED)
    if completion.trouble is not None or completion.text is None:
        last = completion if completion.trouble else replace(completion, trouble=Trouble.EMPTY)
        return Response(calls, last, completion.latency_ms, reasons=_no_words(last))
    reading = matter.read(completion.text, briefing, finish=completion.finish, version=version)
    wrong = reading.reasons if reading.decision is None else _contradictions(reading, version)
    return Response(calls, completion, completion.latency_ms, reading.decision, wrong)


def _no_words(completion: Completion) -> tuple[str, ...]:
    """Say what to tell a model whose reply cannot be used; nothing where it is not asked."""
    if completion.parser_version == 1:
        return (CUT_OFF,) if completion.trouble is Trouble.TRUNCATED else ()
    if completion.trouble is not Trouble.EMPTY or any(
        a.billed is None for a in completion.attempts[-1:]
    ):
        return ()  # a body without a byte is nothing that was said: its client asked again
    return (completion.detail or EMPTY,)


def _contradictions(reading: ReplyReading, version: int) -> tuple[str, ...]:
    if version == 1:
        return ()
    return tuple(d.detail for d in reading.dropped if d.reason is Drop.CONFLICTING_ORDER)


def _joined(full: Response, halves: list[Response], briefing: Briefing) -> Response:
    calls = full.calls + tuple(call for half in halves for call in half.calls)
    latency = full.latency_ms + max(half.latency_ms for half in halves)
    late = next((half for half in halves if half.is_pending), None)
    decisions = [half.decision for half in halves if half.decision is not None]
    if late is not None or not decisions:
        last = late.last if late else full.last
        return Response(calls, last, latency)
    decision = rejoined(decisions)
    return Response(calls, stating(decision, briefing, calls), latency, decision)


LIMITS = ("dollars", "seconds", "steps", "tokens")
OPTIONS = (
    *("aggregate", "context", "elicitation", "extremise", "samples", "show_price", "tools"),
    *LIMITS,
)
MOST_STEPS = 50
MOST_SAMPLES = 25


class Elicitation(StrEnum):
    """How a turn is asked for.

    With `one_call` one reply states probabilities and then orders. With `locked` a first
    reply states probabilities and nothing else; a second one sees them, cannot change them,
    and states orders. With `each` it is as with `locked`, but every market is asked about by
    itself, side by side with the others.
    """

    ONE_CALL = "one_call"
    LOCKED = "locked"
    EACH = "each"


@dataclass(frozen=True, slots=True)
class Sampling:
    """How often a model is asked the same question, and how its probabilities are pooled."""

    samples: int = 1
    pooling: Pooling = field(default_factory=Pooling)


def from_settings(settings: ContestantSettings, backstage: Backstage) -> Agent:
    """Build a contestant that puts its briefing to the model it names.

    Options: `elicitation` (one_call, locked or each), `samples` (1 to 25), `aggregate` (median,
    mean, trimmed_mean, geometric_mean_of_odds or extremised) with `extremise` (the exponent
    of the last), `show_price`, `context` (false shows no documents), and `tools` with the
    limits of a `ResearchLimits`.

    Raises:
        ArenaError: There is no such model or prompt, the prompt is broken, or an option is
            unknown or has a wrong value.
    """
    options = PluginOptions(settings, names=OPTIONS)
    elicitation = options.choice("elicitation", Elicitation, Elicitation.ONE_CALL)
    sampling = Sampling(
        options.whole("samples", 1, least=1, most=MOST_SAMPLES), pooling_of(options)
    )
    if sampling.samples == 1 and "aggregate" in options:
        raise options.wrong("aggregate goes with more than one of samples")
    style = style_of(settings)
    llm = _model(settings, backstage)
    research = _research(options, settings, backstage)
    env = environment(backstage.templates)
    check_prompt(env, style.prompt)
    return PromptedAgent(llm, env, style, elicitation, sampling, research)


def _research(
    options: PluginOptions, settings: ContestantSettings, backstage: Backstage
) -> Research | None:
    """Read the tools that a contestant may call; None where it may call none."""
    names = dict(settings.options).get("tools", ())
    if not isinstance(names, tuple) or not all(isinstance(name, str) for name in names):
        raise options.wrong("tools is a list of names, such as [calculator]")
    if not names:
        if any(limit in options for limit in LIMITS):
            raise options.wrong(f"{', '.join(LIMITS)} go with tools")
        return None
    doors: dict[str, ToolDoor] = {}
    for name in names:
        door = backstage.tools.get(name)
        if door is None:
            raise options.wrong(
                f"no tool is called {name}: `tools` of config.yaml declares them"
            )
        if isinstance(door, ArenaError):
            raise door
        doors[name] = door
    usual = ResearchLimits()
    return Research(
        doors,
        ResearchLimits(
            options.whole("steps", usual.steps, least=1, most=MOST_STEPS),
            options.number("dollars", usual.dollars, least=0, most=1000),
            options.whole("tokens", usual.tokens, least=1, most=10**9),
            options.number("seconds", usual.seconds, least=1, most=1500),
        ),
    )


@dataclass(frozen=True, slots=True)
class PromptedAgent:
    """Puts a briefing to a model, and hands on what came back."""

    llm: Llm
    env: Environment
    style: Style = field(default_factory=Style)
    elicitation: Elicitation = Elicitation.ONE_CALL
    sampling: Sampling = field(default_factory=Sampling)
    research: Research | None = None

    async def answer(self, briefing: Briefing) -> Answer:
        """Ask as often as the elicitation and the samples want it.

        The reply to a single question is handed on word for word, readable or not. What was
        made from several says its decision in words of its own.
        """
        if self.elicitation is Elicitation.ONE_CALL:
            decide = Matter(
                self.llm, lambda shown: decide_question(shown, self.env, self.style), read_reply
            )
            return (await self._informed(decide, briefing, Task.DECIDE.value)).answer()
        forecast = Matter(
            self.llm,
            lambda shown: forecast_question(shown, self.env, self.style),
            read_forecasts,
        )
        if self.elicitation is Elicitation.LOCKED:
            first = await self._informed(forecast, briefing, Task.FORECAST.value)
        else:
            markets = await together(
                self._informed(
                    forecast, replace(briefing, offers=(o,)), f"{Task.FORECAST}/{o.alias}"
                )
                for o in briefing.offers
            )
            first = _of_markets(markets)
        return (await self._with_stakes(first, briefing)).answer()

    async def _informed(self, matter: Matter, briefing: Briefing, name: str) -> Response:
        """Ask after what tools have to say; halves of a question are asked without that."""
        if self.research is None:
            return await self._sampled(matter, briefing, name)
        question = matter.put(briefing)
        findings = await self.research.find_out(self.llm, question, briefing, name)
        if findings.failed is not None:
            return Response(findings.calls, findings.failed, findings.latency_ms)

        def put(shown: Briefing) -> Question:
            return findings.added_to(question) if shown is briefing else matter.put(shown)

        response = await self._sampled(replace(matter, put=put), briefing, name)
        return replace(
            response,
            calls=findings.calls + response.calls,
            latency_ms=findings.latency_ms + response.latency_ms,
        )

    async def _sampled(self, matter: Matter, briefing: Briefing, name: str) -> Response:
        names = [f"{name}/{n}" if n > 1 else name for n in range(1, self.sampling.samples + 1)]
        samples = await together(ask(matter, briefing, call_name) for call_name in names)
        return agreed(samples, self.sampling.pooling, briefing)

    async def _with_stakes(self, first: Response, briefing: Briefing) -> Response:
        """Ask what to do, given probabilities that can no longer be changed."""
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


def _of_markets(markets: Sequence[Response]) -> Response:
    """Put what was asked market by market together; one that failed states nothing.

    Where all failed, or one is still to come, that is what became of the whole.
    """
    calls = tuple(call for market in markets for call in market.calls)
    latency = max((market.latency_ms for market in markets), default=0)
    decisions = [market.decision for market in markets if market.decision is not None]
    late = next((market for market in markets if market.is_pending), None)
    if late is not None or not decisions:
        lost = late or (markets[0] if markets else None)
        last = lost.last if lost else Completion(None, trouble=Trouble.EMPTY, detail=NO_MARKETS)
        return Response(calls, last, latency, reasons=lost.reasons if lost else ())
    stated = tuple(f for decision in decisions for f in decision.forecasts)
    reasoning = "\n".join(each.reasoning for each in decisions if each.reasoning)
    decision = Decision(Action.HOLD, stated, reasoning=reasoning)
    return Response(calls, markets[0].last, latency, decision)


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
