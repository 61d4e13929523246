"""The shape of an answer, as a JSON schema that every provider can enforce.

Only what all of them take: closed objects, everything required, no unions, and no bounds on
numbers or lengths, which Anthropic refuses with an error. A schema is part of what providers
cache, so it says nothing that differs between the contestants of a round.

Sources: https://platform.openai.com/docs/guides/structured-outputs,
https://docs.claude.com/en/docs/build-with-claude/structured-outputs,
https://ai.google.dev/gemini-api/docs/structured-output.
"""

import json
from collections.abc import Mapping, Sequence

from arena.records.decision import Action
from arena.records.market import Side

MOST_NAMED = 100  # names that a schema lists; providers refuse very long lists

Schema = Mapping[str, object]

_REASONING: Schema = {"type": "string", "description": "why, in a few sentences"}
_ACTION: Schema = {"type": "string", "enum": [action.value for action in Action]}


def decision_schema(aliases: Sequence[str]) -> str:
    """Describe a whole answer: why, then probabilities, then what to do.

    Args:
        aliases: The markets on offer, in their order.

    Returns:
        JSON text; properties stand in the order in which they are to be written.
    """
    return _written(
        {
            "reasoning": _REASONING,
            "forecasts": _forecasts(aliases),
            "action": _ACTION,
            "bets": _bets(),
        }
    )


def forecast_schema(aliases: Sequence[str]) -> str:
    """Describe an answer that states probabilities and nothing else."""
    return _written({"reasoning": _REASONING, "forecasts": _forecasts(aliases)})


def stake_schema() -> str:
    """Describe an answer that says what to do, when probabilities are stated already."""
    return _written({"reasoning": _REASONING, "action": _ACTION, "bets": _bets()})


def _forecasts(aliases: Sequence[str]) -> Schema:
    """A list, so that a market without a forecast is simply not in it."""
    named: Schema = {"type": "string"}
    if 0 < len(aliases) <= MOST_NAMED:
        named = {"type": "string", "enum": list(aliases)}
    chance = {"type": "number", "description": "probability of YES, from 0 to 1"}
    return _list_of({"market_id": named, "p_yes": chance})


def _bets() -> Schema:
    """Any name may be written here: what each contestant holds has names of its own."""
    amount = "BET: dollars. SELL: percent of the position, above 0, at most 100."
    return _list_of(
        {
            "market_id": {"type": "string"},
            "side": {"type": "string", "enum": [side.value for side in Side]},
            "amount": {"type": "number", "description": amount},
        }
    )


def _list_of(properties: Schema) -> Schema:
    return {"type": "array", "items": _object(properties)}


def _object(properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _written(properties: Schema) -> str:
    return json.dumps(_object(properties), separators=(",", ":"))
