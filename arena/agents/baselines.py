"""Baselines: contestants without a model, with which the others are compared.

Each factory here is an entry point of the group `arena.agents`. They say their decisions in
the same words as everybody else, so a baseline is parsed, judged and scored like a model.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal

from arena.agents.reply import write_reply
from arena.plugins import PluginOptions
from arena.ports import Agent, AgentFactory, Backstage
from arena.records.answer import FREE, Answer, Briefing, Completion, Offer
from arena.records.decision import Action
from arena.records.market import Quote, Side
from arena.records.settings import ContestantSettings

CENT = Decimal("0.01")
HALF = Decimal("0.5")

Rule = Callable[[Briefing], str]
Choice = Callable[[Offer], Side | None]


@dataclass(frozen=True, slots=True)
class Baseline:
    """A contestant that follows one fixed rule, at no cost."""

    name: str
    rule: Rule

    async def answer(self, briefing: Briefing) -> Answer:
        """Say what the rule says of this briefing."""
        words = self.rule(briefing.real)
        return Answer(Completion(text=words, model=f"baseline/{self.name}", usage=FREE))


def coin_flip(settings: ContestantSettings, backstage: Backstage) -> Agent:  # noqa: ARG001  no models needed
    """Say one half everywhere and bet on the side that a fair coin shows for each market.

    The option `seed` (an integer, 0 by default) is the coin. It falls the same way for the
    same seed, cohort, round and market, whoever tosses it.
    """
    seed = PluginOptions(settings, names=("seed",)).seed(0)

    def rule(briefing: Briefing) -> str:
        why = "A fair coin picks the side of each market."
        return _stake_equally(briefing, lambda offer: _toss(seed, briefing, offer), why, 0.5)

    return Baseline("coin_flip", rule)


def _forecast_the_price(briefing: Briefing) -> str:
    mids = ((offer.alias, offer.quote.mid) for offer in briefing.offers)
    return write_reply(
        Action.HOLD,
        forecasts={alias: float(mid) for alias, mid in mids if mid is not None},
        reasoning="The price is the forecast, so there is nothing to bet on.",
    )


def _do_nothing(_: Briefing) -> str:
    return write_reply(Action.HOLD, reasoning="Cash stays cash.")


def _favourite(offer: Offer) -> Side | None:
    """The side whose price is above one half; None at one half and without a mid."""
    mid = offer.quote.mid
    if mid is None or mid == HALF:
        return None
    return Side.YES if mid > HALF else Side.NO


def _longshot(offer: Offer) -> Side | None:
    side = _favourite(offer)
    return None if side is None else side.other


def _toss(seed: int, briefing: Briefing, offer: Offer) -> Side:
    facts = (str(seed), briefing.cohort, str(briefing.round), offer.market.id)
    digest = hashlib.sha256("\n".join(facts).encode()).digest()
    return Side.YES if digest[0] % 2 else Side.NO


def _stake_equally(
    briefing: Briefing, choose: Choice, reasoning: str, everywhere: float | None = None
) -> str:
    """Bet one stake on the chosen side of as many markets as the largest bet can hold.

    A market is passed over where nothing is chosen, where its price cannot be traded, and
    where the chosen side is held already: each side is bet on once. The probability of YES
    that is said of every market is `everywhere`; None says nothing.
    """
    held = {(holding.market, holding.side) for holding in briefing.holdings}
    legs = [
        (offer.alias, side)
        for offer in briefing.offers
        if (side := choose(offer)) is not None
        and (offer.market.id, side) not in held
        and _can_trade(offer.quote, side)
    ]
    stakes = _equal_stakes(len(legs), cap=briefing.cap, floor=briefing.floor)
    bets = [(alias, side, stake) for (alias, side), stake in zip(legs, stakes, strict=False)]
    action = Action.BET if bets else Action.HOLD
    said = {} if everywhere is None else {o.alias: everywhere for o in briefing.offers}
    return write_reply(action, forecasts=said, bets=bets, reasoning=reasoning)


def _can_trade(quote: Quote, side: Side) -> bool:
    if quote.bid is None or quote.ask is None or quote.bid > quote.ask:
        return False
    buy = quote.buy(side)
    return buy is not None and 0 < buy < 1


def _equal_stakes(most: int, *, cap: Decimal, floor: Decimal) -> tuple[Decimal, ...]:
    """Split `cap` into as many equal stakes of at least `floor` as go, and at most `most`.

    A stake is rounded down to a cent, but not below the floor; the sum never exceeds the
    cap. Empty where the cap holds no stake at all.

    >>> _equal_stakes(3, cap=Decimal(100), floor=Decimal(30))
    (Decimal('33.33'), Decimal('33.33'), Decimal('33.33'))
    """
    number = min(most, int(cap // (floor or CENT)))
    if number < 1:
        return ()
    rounded = (cap / number).quantize(CENT, rounding=ROUND_FLOOR)
    return (max(rounded, floor),) * number


def _factory(name: str, rule: Rule) -> AgentFactory:
    """Make the entry point of a baseline that has no options."""

    def build(settings: ContestantSettings, backstage: Backstage) -> Agent:  # noqa: ARG001  no models needed
        PluginOptions(settings)
        return Baseline(name, rule)

    return build


def _betting(
    name: str, choose: Choice, reasoning: str, everywhere: float | None = None
) -> AgentFactory:
    return _factory(
        name, lambda briefing: _stake_equally(briefing, choose, reasoning, everywhere)
    )


market = _factory("market", _forecast_the_price)
always_no = _betting("always_no", lambda _: Side.NO, "Nothing ever happens.", 0.0)
favourite = _betting("favourite", _favourite, "The side that the market thinks more likely.")
longshot = _betting("longshot", _longshot, "The side that the market thinks less likely.")
equal_weight = _betting(
    "equal_weight", lambda _: Side.YES, "The same stake on YES of every market."
)
hold_cash = _factory("hold_cash", _do_nothing)
