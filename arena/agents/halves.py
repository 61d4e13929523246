"""Cuts a briefing into halves, and joins the decisions on them.

One market's text can make a provider refuse the whole question. Asked in two halves, the
other half is answered. A question that is too long for a model may fit it by halves.
"""

from collections.abc import Sequence
from dataclasses import replace

from arena.records.briefing import Briefing, Holding, Offer
from arena.records.decision import Decision
from arena.records.money import usd_down


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
