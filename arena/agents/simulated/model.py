"""A simulated language model: it reads its prompt and answers in the format it is asked for.

It knows a simulated market by its words, as a model knows the world: the question and when it
closes. Everything else it takes from the prompt: prices, cash, holdings. So all that a real
model goes through happens to it: the prompt, the reply's reading, a second question where the
first answer cannot be read, tokens, prices.

It implements the `Llm` port, and stands with the agents because it reads what they write into
a prompt, and writes what they read.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any

from arena.agents.simulated.contestant import (
    CUT,
    LIMITS,
    REFUSAL,
    Leg,
    PricedShare,
    SimulatedSkill,
    TradeLimits,
    forecast,
    replied,
    skill_of,
    stance,
    timed_out,
    uniform,
)
from arena.llms.tariff import priced
from arena.plugins import PluginOptions
from arena.records.answer import FREE, Completion, Question, Task, Usage
from arena.records.decision import Action
from arena.records.market import Side, VenueId
from arena.records.money import bare
from arena.records.settings import ModelSettings
from arena.venues.simulated.venue import DEFAULTS, MOST_EVENTS
from arena.venues.simulated.world import World

LETTERS_A_TOKEN = 4
SPREAD = (0.5, 2.0)  # of latencies, in the usual one
HIDDEN = 0.5  # what a price is taken for that is not shown
REACHED = '{"ok": true}'  # to a question without data, which asks whether it is there

LATENCY, MOST_LATENCY = 2.0, 3600.0  # seconds
MOST_TOKENS = 10**6
MOST_NOISE = LIMITS["noise"][2]
OPTIONS = ("blind_noise", "latency", "reasoning_tokens", "world", "events_per_day")

_DATA = re.compile(r"<(data-[0-9a-f]+)>\s*(\{.*?\})\s*</\1>", re.DOTALL)

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Manner:
    """How a model answers, beside its skill.

    `blind_noise` takes the place of its skill's noise where it is shown no prices. `latency`
    is the usual time of an answer, in seconds. `reasoning_tokens` are paid for and not shown.
    """

    blind_noise: float
    latency: float
    reasoning_tokens: int


class SimulatedModel:
    """A language model of known skill. It implements the `Llm` port."""

    def __init__(
        self, settings: ModelSettings, skill: SimulatedSkill, manner: Manner, world: World
    ) -> None:
        self.skill = skill
        self._settings = settings
        self._manner = manner
        self._world = world

    @property
    def blind_skill(self) -> SimulatedSkill:
        """What it can do where it is shown no prices."""
        return replace(self.skill, noise=self._manner.blind_noise)

    async def complete(self, question: Question) -> Completion:
        """Forecast and say what to do, as it is asked; or fail as often as stated."""
        match = _DATA.search(question.user)
        if match is None:
            return Completion(
                REACHED, REACHED.encode(), self._settings.model, "stop", usage=FREE
            )
        data: Facts = json.loads(match[2])
        at = datetime.fromisoformat(data["as_of"])
        skill = self.skill
        u = uniform(*self._turn(question), _call(question), "failure")
        if u < skill.timeout:
            seconds = self._settings.deadline // timedelta(seconds=1)
            return timed_out(self._settings.model, seconds)
        if u < skill.timeout + skill.refusal:
            return self._completion(REFUSAL, question, at.date(), refused=True)
        words = self._words(data, at, self._turn(question))
        if u < skill.timeout + skill.refusal + skill.bad_json:
            words = words[: int(CUT * len(words))]
        return self._completion(words, question, at.date())

    def _turn(self, question: Question) -> tuple[object, ...]:
        """What its chance is drawn for: a turn, or the words of a question of nobody's."""
        caller = question.caller
        if caller is None:
            return (self.skill.seed, hashlib.sha256(question.user.encode()).hexdigest())
        return (self.skill.seed, caller.contestant, caller.cohort, caller.round)

    def _words(self, data: Facts, at: datetime, turn: tuple[object, ...]) -> str:
        markets, purse = data["markets"], data.get("portfolio", {})
        beliefs = data.get("stated") or self._beliefs(markets, at, turn)
        answer: dict[str, object] = {"reasoning": ""}
        if data["task"] != Task.STAKE:
            answer["forecasts"] = [{"market_id": a, "p_yes": p} for a, p in beliefs.items()]
        if data["task"] == Task.FORECAST:
            answer["reasoning"] = "Invented answer. These are my probabilities."
            return json.dumps(answer)
        others = self._beliefs(purse.get("can_only_be_sold", ()), at, turn)
        action, legs = stance(_purse(markets, purse), {**others, **beliefs}, self.skill)
        answer["reasoning"] = _why(action, legs, {**others, **beliefs}, markets)
        answer["action"] = action
        answer["bets"] = [
            {"market_id": alias, "side": side, "amount": bare(amount)}
            for alias, side, amount in legs
        ]
        return json.dumps(answer)

    def _beliefs(
        self, markets: Iterable[Facts], at: datetime, turn: tuple[object, ...]
    ) -> dict[str, float]:
        ahead, beliefs = timedelta(days=self.skill.lead_days), {}
        for offered in markets:
            if offered["closes_at"] is None:
                continue
            closes_at = datetime.fromisoformat(offered["closes_at"])
            market = self._world.worded(offered["question"], closes_at, at)
            if market is not None:
                signal = market.value(market.step(at + ahead))
                skill = self.skill if "yes_ask" in offered else self.blind_skill
                key = (*turn, "noise", market.market.id)
                beliefs[str(offered["market_id"])] = forecast(signal, skill, *key)
        return beliefs

    def _completion(
        self, text: str, question: Question, at: date, *, refused: bool = False
    ) -> Completion:
        least, most = SPREAD
        u = uniform(*self._turn(question), _call(question), "latency")
        latency = int(1000 * self._manner.latency * (least + (most - least) * u**2))
        usage = self._usage(text, question, at)
        return replied(self._settings.model, text, usage, latency, refused=refused)

    def _usage(self, text: str, question: Question, at: date) -> Usage:
        thought = self._manner.reasoning_tokens
        letters_in = len(question.system) + len(question.user)
        usage = Usage(
            tokens_in=letters_in // LETTERS_A_TOKEN,
            tokens_out=min(thought + len(text) // LETTERS_A_TOKEN, self._settings.max_tokens),
            tokens_reasoning=thought or None,
        )
        return priced(usage, self._settings, at)


def model_from_settings(
    settings: ModelSettings,
    key: str | None,  # noqa: ARG001  nobody is asked
) -> SimulatedModel:
    """Build a simulated language model: no server is asked, and no key is needed.

    Options: those of `SimulatedSkill`; `blind_noise`, by default its noise; `latency` in
    seconds, 2; `reasoning_tokens`, 0; `world` and `events_per_day`, the `seed` and the
    `events_per_day` of the simulated venue whose markets it knows, 1 and 4. It knows nothing
    of other markets.

    Raises:
        ArenaError: `llm.option`: an option is unknown or has a wrong value.
    """
    skill = skill_of(settings, OPTIONS)
    options = PluginOptions(settings, (*OPTIONS, "seed", *LIMITS))
    manner = Manner(
        options.number("blind_noise", skill.noise, least=0, most=MOST_NOISE),
        options.number("latency", LATENCY, least=0, most=MOST_LATENCY),
        options.whole("reasoning_tokens", 0, least=0, most=MOST_TOKENS),
    )
    events = options.whole(
        "events_per_day", DEFAULTS["events_per_day"], least=1, most=MOST_EVENTS
    )
    world = _world(options.seed(DEFAULTS["seed"], "world"), events)
    return SimulatedModel(settings, skill, manner, world)


def skill_shown(settings: ModelSettings, *, prices: bool) -> SimulatedSkill:
    """Tell a simulated model's skill where it is shown prices, or where it is not.

    Raises:
        ArenaError: `llm.option`: an option is unknown or has a wrong value.
    """
    model = model_from_settings(settings, None)
    return model.skill if prices else model.blind_skill


@lru_cache(maxsize=8)  # all models of an arena know one world
def _world(seed: int, events_per_day: int) -> World:
    return World(VenueId("simulated"), seed, events_per_day)


def _call(question: Question) -> str:
    return question.caller.call if question.caller else ""


def _purse(markets: Sequence[Facts], purse: Facts) -> TradeLimits:
    """What a prompt says can be bought and sold; a hidden price is taken for an even one."""
    prices = (
        (str(market["market_id"]), side, market.get(f"{side.lower()}_ask", HIDDEN))
        for market in markets
        for side in Side
    )
    holdings = [held for held in purse["holdings"] if held["market_id"] is not None]
    return TradeLimits(
        tuple(
            PricedShare(alias, side, price)
            for alias, side, price in prices
            if price is not None
        ),
        tuple(
            PricedShare(held["market_id"], Side(held["side"]), held["worth_a_share"])
            for held in holdings
            if held.get("worth_a_share") is not None
        ),
        Decimal(str(purse["largest_stake"])),
        Decimal(str(purse["smallest_stake"])),
        frozenset((held["market_id"], Side(held["side"])) for held in holdings),
    )


def _why(
    action: Action, legs: Sequence[Leg], beliefs: Mapping[str, float], markets: Sequence[Facts]
) -> str:
    """Say why, one sentence an order."""
    if not legs:
        return "Invented answer. No price is far enough from my probability."
    market_by_alias = {str(market["market_id"]): market for market in markets}
    sentences = ["Invented answer."]
    for alias, side, _ in legs:
        mine = f"{alias}: I give YES {beliefs[alias]:.2f}"
        price = market_by_alias.get(alias, {}).get(f"{side.lower()}_ask")
        if action is Action.SELL:
            sentences.append(f"{mine}, and a share of {side} sells for more than its chance.")
        elif price is None:
            sentences.append(f"{mine}, and its price is hidden: {side} is likelier than not.")
        else:
            sentences.append(f"{mine}, and a share of {side} costs ${price:.2f}.")
    return " ".join(sentences)
