"""A simulated contestant: it is told the fair prices to come, and asked without a prompt.

Given its probabilities, it bets, sells or holds.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_DOWN, Decimal
from statistics import NormalDist
from typing import Protocol, runtime_checkable

from arena.agents.reply import write_reply
from arena.plugins import PluginOptions
from arena.ports import Backstage
from arena.records.answer import Answer, Attempt, Briefing, Completion, Offer, Trouble, Usage
from arena.records.cohort import ContestantId
from arena.records.decision import Action
from arena.records.market import MarketId, Side, VenueId
from arena.records.money import usd
from arena.records.settings import ContestantSettings, ModelSettings

SURE = 0.002  # a signal this near to 0 or 1 counts as no nearer

LIMITS = {
    "lead_days": (0.0, 0.0, 30.0),
    "noise": (0.0, 0.0, 10.0),
    "bias": (0.0, -10.0, 10.0),
    "edge": (0.03, 0.0, 1.0),
    "kelly": (0.5, 0.0, 1.0),
    "bad_json": (0.0, 0.0, 1.0),
    "refusal": (0.0, 0.0, 1.0),
    "timeout": (0.0, 0.0, 1.0),
}  # default, least, most


@dataclass(frozen=True, slots=True)
class SimulatedSkill:
    """What a forecaster can do and how it behaves: its options, checked.

    `lead_days` is how far it sees ahead; `noise` (a standard deviation) and `bias` are in
    log-odds. It bets where its forecast beats the price by more than `edge` dollars a share,
    and stakes the part `kelly` of the Kelly fraction, times its largest stake. The last
    three are chances, per question, of a reply cut short, a refusal and no reply at all.
    """

    seed: int
    lead_days: float
    noise: float
    bias: float
    edge: float
    kelly: float
    bad_json: float
    refusal: float
    timeout: float


def skill_of(
    settings: ContestantSettings | ModelSettings, also: tuple[str, ...] = ("venue",)
) -> SimulatedSkill:
    """Read the options of a simulated contestant or model.

    Args:
        settings: Whose options they are.
        also: The options that it has beside its skill's.

    Raises:
        ArenaError: An option is unknown or has a wrong value.
    """
    options = PluginOptions(settings, (*also, "seed", *LIMITS))
    limits = LIMITS.items()
    numbers = (options.number(n, start, least=a, most=b) for n, (start, a, b) in limits)
    skill = SimulatedSkill(options.seed(1), *numbers)
    if skill.bad_json + skill.refusal + skill.timeout > 1:
        raise options.wrong("it fails more often than always")
    return skill


def expected_brier(skill: SimulatedSkill) -> float:
    """Tell about which Brier score a skill earns on all open markets of the default world.

    Leaning towards YES costs more than leaning towards NO: less than half of the markets
    come true.

    Source: a curve fitted to one look a day at every market of 2,400 simulated events, within
    0.007 of what was measured for leads up to 6 days, noise up to 1.2 and bias up to 1.
    """
    sharp = 0.09 + 0.0465 * math.exp(-skill.lead_days / 2.7)
    error = skill.noise**2 + skill.bias**2 * math.exp(0.41 * skill.bias)
    return sharp * (1 + 0.163 * error / (1 + 0.057 * error))


def forecast(signal: float, skill: SimulatedSkill, *key: object) -> float:
    """Add a skill's noise to a signal: P(YES) to four digits, drawn with the seed `key`."""
    shift = skill.bias + skill.noise * NormalDist().inv_cdf(uniform(*key))
    sound = min(max(signal, SURE), 1 - SURE)
    return round(1 / (1 + math.exp(-math.log(sound / (1 - sound)) - shift)), 4)


def uniform(*key: object) -> float:
    """Give a number strictly between 0 and 1 that follows from the key alone."""
    digest = hashlib.sha256(json.dumps([str(part) for part in key]).encode()).digest()
    return ((int.from_bytes(digest[:8]) >> 12) + 0.5) / 2**52


MOST_LEGS = 4
ALL = Decimal(100)  # percent

Leg = tuple[str, Side, Decimal]


@dataclass(frozen=True, slots=True)
class PricedShare:
    """A side of a market, and the price at which a share of it can be traded."""

    alias: str
    side: Side
    price: float


@dataclass(frozen=True, slots=True)
class TradeLimits:
    """The shares that can be bought and sold, and the limits of a stake."""

    prices: tuple[PricedShare, ...]
    holdings: tuple[PricedShare, ...]
    cap: Decimal
    floor: Decimal
    sides_held: frozenset[tuple[str, Side]]


@dataclass(frozen=True, slots=True)
class _PricedChance:
    """A side of a market, with its price and the probability that it pays."""

    alias: str
    side: Side
    price: float
    probability: float

    @property
    def edge(self) -> float:
        return self.probability - self.price

    @property
    def kelly(self) -> float:
        return self.edge / (1 - self.price)


def stance(
    purse: TradeLimits, beliefs: Mapping[str, float], skill: SimulatedSkill
) -> tuple[Action, tuple[Leg, ...]]:
    """Say what to do: bets in dollars, or sales in percent of a position.

    Args:
        purse: What can be bought and sold.
        beliefs: P(YES) by alias; a market that is not among them is left alone.
        skill: How far a price must be off, and how much is staked then.
    """
    bets = _bets(purse, beliefs, skill)
    sales = _sales(purse.holdings, beliefs, skill)
    if sales and (not bets or any(percent == ALL for _, _, percent in sales)):
        return Action.SELL, sales
    return (Action.BET, bets) if bets else (Action.HOLD, ())


def _bets(
    purse: TradeLimits, beliefs: Mapping[str, float], skill: SimulatedSkill
) -> tuple[Leg, ...]:
    """Stake on the largest edges first, while the stakes together stay within the cap.

    Betting against what it holds would be a dearer way to sell: such a chance is passed over.
    """
    chances = [
        chance
        for chance in _chances(purse.prices, beliefs)
        if chance.edge > skill.edge
        and 0 < chance.price < 1
        and (chance.alias, chance.side.other) not in purse.sides_held
    ]
    chances.sort(key=lambda chance: -chance.edge)
    left, bets = purse.cap, []
    for chance in chances[:MOST_LEGS]:
        wish = purse.cap * Decimal(f"{skill.kelly * chance.kelly:.6f}")
        stake = max(min(wish, left).quantize(Decimal(1), ROUND_DOWN), purse.floor)
        if stake <= left:
            bets.append((chance.alias, chance.side, stake))
            left -= stake
    return tuple(bets)


def _chances(
    prices: Iterable[PricedShare], beliefs: Mapping[str, float]
) -> Iterable[_PricedChance]:
    for priced in prices:
        yes = beliefs.get(priced.alias)
        if yes is not None:
            probability = yes if priced.side is Side.YES else 1 - yes
            yield _PricedChance(priced.alias, priced.side, priced.price, probability)


def _sales(
    holdings: Iterable[PricedShare], beliefs: Mapping[str, float], skill: SimulatedSkill
) -> tuple[Leg, ...]:
    """Sell what is worth more to others: half of it, or all where the gap is twice the edge."""
    dear = [held for held in _chances(holdings, beliefs) if -held.edge > skill.edge]
    dear.sort(key=lambda held: held.edge)
    return tuple(
        (held.alias, held.side, ALL if -held.edge > 2 * skill.edge else ALL / 2)
        for held in dear[:MOST_LEGS]
    )


PRICE_IN, PRICE_OUT = Decimal(1), Decimal(4)  # invented, in dollars a million tokens
LATENCY_MS = (600, 6_000)
DEADLINE_SECONDS = 300
CUT = 0.6  # the share of a broken reply that arrives
REFUSAL = "I cannot help with betting decisions."

WHY = {
    Action.SELL: "Simulated: these positions sell for more than I think they are worth.",
    Action.BET: "Simulated: these prices are further from my forecast than my edge.",
    Action.HOLD: "Simulated: no price is far enough from my forecast.",
}


@runtime_checkable
class Oracle(Protocol):
    """A venue that can tell the fair price to come."""

    def signal(self, market: MarketId, ahead: timedelta) -> float | None:
        """Tell P(YES) as it will be `ahead` from now; None for a market it does not know."""


class SimulatedContestant:
    """An agent of known skill. It implements the `Agent` port."""

    def __init__(self, contestant: ContestantId, skill: SimulatedSkill, oracle: Oracle) -> None:
        self._id = contestant
        self._skill = skill
        self._oracle = oracle

    async def answer(self, briefing: Briefing) -> Answer:
        """Forecast every offer, bet or sell or hold, and say so; or fail as often as stated."""
        skill, turn = self._skill, self._turn(briefing)
        u = uniform(*turn, "failure")
        if u < skill.timeout:
            return Answer(timed_out(self._model, DEADLINE_SECONDS))
        if u < skill.timeout + skill.refusal:
            return Answer(self._completion(REFUSAL, briefing, refused=True))
        words = self._words(briefing)
        if u < skill.timeout + skill.refusal + skill.bad_json:
            words = words[: int(CUT * len(words))]
        return Answer(self._completion(words, briefing))

    @property
    def _model(self) -> str:
        return f"simulated/{self._id}"

    def _turn(self, briefing: Briefing) -> tuple[object, ...]:
        return (self._skill.seed, self._id, briefing.cohort, briefing.round)

    def _words(self, briefing: Briefing) -> str:
        beliefs = self._beliefs(briefing, briefing.offers)
        everything = beliefs | self._beliefs(briefing, briefing.sell_only)
        action, legs = stance(_purse(briefing), everything, self._skill)
        return write_reply(action, forecasts=beliefs, bets=legs, reasoning=WHY[action])

    def _beliefs(self, briefing: Briefing, offers: Iterable[Offer]) -> dict[str, float]:
        turn, ahead = self._turn(briefing), timedelta(days=self._skill.lead_days)
        beliefs = {}
        for offer in offers:
            signal = self._oracle.signal(offer.market.id, ahead)
            if signal is not None:
                key = (*turn, "noise", offer.market.id)
                beliefs[offer.alias] = forecast(signal, self._skill, *key)
        return beliefs

    def _completion(
        self, text: str, briefing: Briefing, *, refused: bool = False
    ) -> Completion:
        least, most = LATENCY_MS
        spread = uniform(*self._turn(briefing), "latency") ** 2
        latency = least + int((most - least) * spread)
        usage = _usage(text, briefing)
        return replied(self._model, text, usage, latency, refused=refused)


def from_settings(settings: ContestantSettings, backstage: Backstage) -> SimulatedContestant:
    """Build a simulated contestant.

    Options: `venue`, the id of a configured simulated venue, is needed; the others are those
    of `SimulatedSkill`, with defaults of 0 except `seed` 1, `edge` 0.03 and `kelly` 0.5.

    Raises:
        ArenaError: `agent.option`: an option is unknown, missing or has a wrong value.
    """
    skill = skill_of(settings)
    name = dict(settings.options).get("venue")
    venue = backstage.venues.get(VenueId(name)) if isinstance(name, str) else None
    if not isinstance(venue, Oracle):
        what = f"it needs a simulated venue, and {name!r} is none"
        raise PluginOptions(settings, ("venue", "seed", *LIMITS)).wrong(what)
    return SimulatedContestant(settings.id, skill, venue)


def _purse(briefing: Briefing) -> TradeLimits:
    prices = (
        (offer, side, offer.quote.buy(side)) for offer in briefing.offers for side in Side
    )
    return TradeLimits(
        tuple(
            PricedShare(o.alias, side, float(paid))
            for o, side, paid in prices
            if paid is not None
        ),
        tuple(
            PricedShare(held.alias, held.side, float(held.worth))
            for held in briefing.holdings
            if held.alias is not None and held.worth is not None
        ),
        briefing.cap,
        briefing.floor,
        frozenset((held.alias, held.side) for held in briefing.holdings if held.alias),
    )


def _usage(text: str, briefing: Briefing) -> Usage:
    tokens_in = 600 + 90 * len(briefing.offers) + 30 * len(briefing.holdings)
    tokens_out = 40 + len(text) // 4
    cost = (tokens_in * PRICE_IN + tokens_out * PRICE_OUT) / 1_000_000
    return Usage(tokens_in, tokens_out, usd(cost))


def replied(
    model: str, text: str, usage: Usage, latency_ms: int, *, refused: bool
) -> Completion:
    """Give a reply as a server would have: of one attempt, which is paid for."""
    trouble = Trouble.REFUSAL if refused else None
    return Completion(
        text=text,
        raw=text.encode(),
        model=model,
        finish="refusal" if refused else "stop",
        usage=usage,
        latency_ms=latency_ms,
        attempts=(Attempt(latency_ms, status=200, trouble=trouble, billed=True),),
        trouble=trouble,
    )


def timed_out(model: str, seconds: int) -> Completion:
    """Give what becomes of a question that was not answered within so many seconds."""
    detail = f"no answer within {seconds} seconds"
    attempt = Attempt(1000 * seconds, trouble=Trouble.TIMEOUT, detail=detail)
    return Completion(
        text=None,
        model=model,
        latency_ms=1000 * seconds,
        attempts=(attempt,),
        trouble=Trouble.TIMEOUT,
        detail=detail,
    )
