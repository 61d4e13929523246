"""The decision of a simulated forecaster, given its probabilities: bet, sell, or hold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal

from arena.agents.simulated.skill import SimulatedSkill
from arena.records.decision import Action
from arena.records.market import Side

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
