"""Say a decision in the reply format."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal

from arena.records.decision import Action
from arena.records.market import Side

MAX_REASONING = 4_000


def write_reply(
    action: Action,
    *,
    forecasts: Mapping[str, float] = {},
    bets: Sequence[tuple[str, Side, Decimal]] = (),
    reasoning: str = "",
) -> str:
    """Say a decision in the reply format: compact JSON, in the order given.

    Args:
        action: What to do.
        forecasts: P(YES) by alias, in [0, 1].
        bets: Alias, side, and dollars (BET) or percent of the position (SELL): above 0, one
            order a market.
        reasoning: Why, in plain words; its first 4,000 characters.
    """
    legs = ",".join(
        f'{{"market_id":{json.dumps(alias)},"side":"{side}","amount":{amount.normalize():f}}}'
        for alias, side, amount in bets
    )
    stated = json.dumps(dict(forecasts), separators=(",", ":"), allow_nan=False)
    why = json.dumps(plain_reasoning(reasoning))
    return f'{{"forecasts":{stated},"action":"{action}","bets":[{legs}],"reasoning":{why}}}'


def plain_reasoning(text: str) -> str:
    """Keep the beginning of what can be stored and shown: no control characters."""
    kept = (c for c in text if c in "\n\t" or unicodedata.category(c) not in {"Cc", "Cs"})
    return "".join(kept)[:MAX_REASONING]
