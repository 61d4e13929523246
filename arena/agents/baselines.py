"""Baselines: contestants without a model, with which the others are compared.

Each factory here is an entry point of the group `arena.agents`. They say their decisions in
the same words as everybody else, so a baseline is parsed, judged and scored like a model.
"""

import hashlib
from collections.abc import Callable, Mapping
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
        return _stake_equally(
            briefing,
            lambda offer: _toss(seed, briefing, offer),
            forecasts=_same_for_all(briefing, 0.5),
            reasoning="A fair coin picks the side of each market.",
        )

    return Baseline("coin_flip", rule)


def _forecast_the_price(briefing: Briefing) -> str:
    mids = ((offer.alias, offer.quote.mid) for offer in briefing.offers)
    return write_reply(
        Action.HOLD,
        forecasts={alias: float(mid) for alias, mid in mids if mid is not None},
        reasoning="The price is the forecast, so there is nothing to bet on.",
    )


def _back_no(briefing: Briefing) -> str:
    return _stake_equally(
        briefing,
        lambda _: Side.NO,
        forecasts=_same_for_all(briefing, 0.0),
        reasoning="Nothing ever happens.",
    )


def _back_favourites(briefing: Briefing) -> str:
    return _stake_equally(
        briefing,
        lambda offer: _favourite(offer.quote),
        reasoning="The side that the market thinks more likely.",
    )


def _back_longshots(briefing: Briefing) -> str:
    def outsider(offer: Offer) -> Side | None:
        side = _favourite(offer.quote)
        return None if side is None else side.other

    return _stake_equally(
        briefing, outsider, reasoning="The side that the market thinks less likely."
    )


def _back_everything(briefing: Briefing) -> str:
    return _stake_equally(
        briefing, lambda _: Side.YES, reasoning="The same stake on YES of every market."
    )


def _do_nothing(_: Briefing) -> str:
    return write_reply(Action.HOLD, reasoning="Cash stays cash.")


def _favourite(quote: Quote) -> Side | None:
    """The side whose price is above one half; None at one half and without a mid."""
    if quote.mid is None or quote.mid == HALF:
        return None
    return Side.YES if quote.mid > HALF else Side.NO


def _toss(seed: int, briefing: Briefing, offer: Offer) -> Side:
    facts = (str(seed), briefing.cohort, str(briefing.round), offer.market.id)
    digest = hashlib.sha256("\n".join(facts).encode()).digest()
    return Side.YES if digest[0] % 2 else Side.NO


def _same_for_all(briefing: Briefing, probability: float) -> dict[str, float]:
    return {offer.alias: probability for offer in briefing.offers}


def _stake_equally(
    briefing: Briefing,
    choose: Choice,
    *,
    forecasts: Mapping[str, float] = {},
    reasoning: str,
) -> str:
    """Bet one stake on the chosen side of as many markets as the largest bet can hold.

    A market is passed over where nothing is chosen, where its price cannot be traded, and
    where the chosen side is held already: each side is bet on once.
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
    return write_reply(action, forecasts=forecasts, bets=bets, reasoning=reasoning)


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


market = _factory("market", _forecast_the_price)
always_no = _factory("always_no", _back_no)
favourite = _factory("favourite", _back_favourites)
longshot = _factory("longshot", _back_longshots)
equal_weight = _factory("equal_weight", _back_everything)
hold_cash = _factory("hold_cash", _do_nothing)
