"""The decision of a simulated forecaster, given its probabilities: bet, sell, or hold."""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from statistics import NormalDist

from arena.agents.options import PluginOptions
from arena.records.decision import Action
from arena.records.market import Side
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
class BuyableShare:
    """A side of a market, and the price of buying a share of it."""

    alias: str
    side: Side
    price: float


@dataclass(frozen=True, slots=True)
class SellableShare:
    """A position, and the price at which a share of it can be sold."""

    alias: str
    side: Side
    worth: float


@dataclass(frozen=True, slots=True)
class TradeLimits:
    """The shares that can be bought and sold, and the limits of a stake."""

    prices: tuple[BuyableShare, ...]
    holdings: tuple[SellableShare, ...]
    cap: Decimal
    floor: Decimal
    sides_held: frozenset[tuple[str, Side]]


@dataclass(frozen=True, slots=True)
class _PricedChance:
    """A side of an offer, with its price and the probability that it pays."""

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
    prices: Iterable[BuyableShare], beliefs: Mapping[str, float]
) -> Iterable[_PricedChance]:
    for priced in prices:
        yes = beliefs.get(priced.alias)
        if yes is not None and 0 < priced.price < 1:
            probability = yes if priced.side is Side.YES else 1 - yes
            yield _PricedChance(priced.alias, priced.side, priced.price, probability)


def _sales(
    holdings: Iterable[SellableShare], beliefs: Mapping[str, float], skill: SimulatedSkill
) -> tuple[Leg, ...]:
    """Sell what is worth more to others: half of it, or all where the gap is twice the edge."""
    gaps = []
    for held in holdings:
        yes = beliefs.get(held.alias)
        if yes is None:
            continue
        gap = held.worth - (yes if held.side is Side.YES else 1 - yes)
        if gap > skill.edge:
            gaps.append((gap, held.alias, held.side))
    gaps.sort(key=lambda sale: -sale[0])
    return tuple(
        (alias, side, ALL if gap > 2 * skill.edge else ALL / 2)
        for gap, alias, side in gaps[:MOST_LEGS]
    )
