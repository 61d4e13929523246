"""What should be staked on stated probabilities, at the prices on offer?"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from arena.agents.reply.orders import CENT
from arena.agents.stakes import fitted, whole_cents
from arena.ledger.fees import taker_fee
from arena.ledger.price import trouble_with
from arena.odds.staking import kelly, net_of_contract
from arena.records.briefing import Briefing, Offer
from arena.records.cohort import FeeRule, FillRule, Rules
from arena.records.market import FeeModel, Quote, Side
from arena.records.money import ONE, Price, Usd, usd_down

LOT = Decimal(1_000_000)  # shares, so many that the rounding of their fee does not show

Leg = tuple[str, Side, Usd]


@dataclass(frozen=True, slots=True)
class _Chance:
    """A side worth buying: the part of the bankroll that Kelly gives it, fee counted in."""

    alias: str
    side: Side
    part: float
    fee: Decimal  # dollars of fee for a dollar staked


def kelly_stakes(
    briefing: Briefing, beliefs: Mapping[str, float], fraction: float
) -> tuple[Leg, ...]:
    """Stake a fraction of Kelly on every side that is worth more than it costs.

    The price is what a buyer pays by the rules, with the fee: the ask, or the middle where they
    fill there. A stake is that fraction of Kelly times the cash, in whole cents, and none below
    the smallest stake; together they are scaled down to the largest. A market in which
    something is held already is passed over, as is one whose quote the rules do not trade on.

    Args:
        briefing: The offers, and the limits.
        beliefs: P(YES) by alias; a market that is not among them is passed over.
        fraction: How much of Kelly, above 0 and at most 1.

    Returns:
        Alias, side and dollars, in the order of the offers; empty where nothing is worth it.
    """
    held = {holding.market for holding in briefing.holdings}
    chances = [
        chance
        for offer in briefing.offers
        if offer.alias in beliefs and offer.market.id not in held
        for chance in _chances(offer, beliefs[offer.alias], briefing)
    ]
    wishes = [_wish(chance, briefing.cash, fraction) for chance in chances]
    large = [
        (c, w) for c, w in zip(chances, wishes, strict=True) if w >= max(briefing.floor, CENT)
    ]
    dearest = max((chance.fee for chance, _ in large), default=Decimal(0))
    room = min(briefing.cap, usd_down(briefing.cash / (1 + dearest)))
    stakes = fitted([wish for _, wish in large], room, briefing.floor)
    return tuple(
        (chance.alias, chance.side, stake)
        for (chance, _), stake in zip(large, stakes, strict=True)
        if stake
    )


def _chances(offer: Offer, yes: float, briefing: Briefing) -> Iterable[_Chance]:
    if trouble_with(offer.quote, briefing.rules, briefing.at):
        return
    fees = offer.market.fee if briefing.rules.fees is FeeRule.VENUE else FeeModel()
    for side, belief in ((Side.YES, yes), (Side.NO, 1 - yes)):
        asked = _asked(offer.quote, side, briefing.rules)
        if asked is None or not 0 < asked < 1:
            continue
        fee = taker_fee(fees, LOT, asked) / LOT
        if asked + fee < 1:
            part = kelly(belief, net_of_contract(float(asked + fee))).item()
            if part > 0:
                yield _Chance(offer.alias, side, part, fee / asked)


def _asked(quote: Quote, side: Side, rules: Rules) -> Price | None:
    if rules.fill is not FillRule.MID or quote.mid is None:
        return quote.buy(side)
    return quote.mid if side is Side.YES else Price(ONE - quote.mid)


def _wish(chance: _Chance, cash: Decimal, fraction: float) -> Usd:
    part = Decimal(f"{fraction * chance.part:.12f}")  # what a float cannot tell apart
    return whole_cents(cash * part)
