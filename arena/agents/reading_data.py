"""A reading as plain data: what a reply was understood to say, in the reply format's words."""

from decimal import Decimal

from arena.agents.reply import Reading
from arena.records.money import bare


def reading_data(found: Reading) -> dict[str, object]:
    """Say what a reply would do, what was left out of it, and what was wrong with it.

    Markets have the names that the reading knows them by; amounts are bare numbers, and
    `action` is None where the reply is rejected. JSON has a word for all of it.
    """
    decision = found.decision
    forecasts = decision.forecasts if decision else ()
    return {
        "status": str(found.status),
        "action": str(decision.action) if decision else None,
        "bets": [
            {"market_id": market, "side": side, "amount": bare(amount)}
            for market, side, amount in orders_of(found)
        ],
        "forecasts": [{"market_id": f.market, "p_yes": f.probability} for f in forecasts],
        "dropped": [
            {"index": one.index, "reason": str(one.reason), "detail": one.detail}
            for one in found.dropped
        ],
        "reasons": list(found.reasons),
    }


def orders_of(found: Reading) -> list[tuple[str, str, Decimal]]:
    """List a reading's orders: market, side, and dollars (BET) or percent (SELL)."""
    decision = found.decision
    if decision is None:
        return []
    bets = [(str(b.market), str(b.side), Decimal(b.stake)) for b in decision.bets]
    return bets + [(str(s.market), str(s.side), s.percent) for s in decision.sales]
