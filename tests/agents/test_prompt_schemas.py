"""The schemas stay within what every provider takes.

Sources: https://platform.openai.com/docs/guides/structured-outputs,
https://docs.claude.com/en/docs/build-with-claude/structured-outputs,
https://ai.google.dev/gemini-api/docs/structured-output.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from arena.agents.prompt import decision_schema, forecast_schema, stake_schema
from tests.present import some

ALIASES = ("M2", "M10", "M1")
ALL = {
    "decide": decision_schema(ALIASES),
    "forecast": forecast_schema(ALIASES),
    "stake": stake_schema(),
}
KNOWN_TO_ALL = {
    "additionalProperties",
    "description",
    "enum",
    "items",
    "properties",
    "required",
    "type",
}


def parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema and every schema in it."""
    yield schema
    inner = [*schema.get("properties", {}).values()]
    inner += [schema["items"]] if "items" in schema else []
    for part in inner:
        yield from parts(part)


@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_nothing_is_said_that_a_provider_does_not_know(text: str) -> None:
    for part in some(parts(json.loads(text))):
        assert part.keys() <= KNOWN_TO_ALL


@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_objects_are_closed_and_everything_in_them_is_required(text: str) -> None:
    objects = [part for part in parts(json.loads(text)) if part["type"] == "object"]
    assert objects
    for part in objects:
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])


@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_there_are_no_unions(text: str) -> None:
    assert all(isinstance(part["type"], str) for part in some(parts(json.loads(text))))


def test_reasoning_comes_first_and_probabilities_before_the_action() -> None:
    written = {name: list(json.loads(text)["properties"]) for name, text in ALL.items()}
    assert written == {
        "decide": ["reasoning", "forecasts", "action", "bets"],
        "forecast": ["reasoning", "forecasts"],
        "stake": ["reasoning", "action", "bets"],
    }


def test_a_forecast_is_of_a_market_on_offer() -> None:
    said = json.loads(ALL["decide"])["properties"]["forecasts"]["items"]["properties"]
    assert said["market_id"]["enum"] == list(ALIASES)
    assert list(said) == ["market_id", "p_yes"]


def test_orders_name_any_market_so_that_all_contestants_have_one_schema() -> None:
    said = json.loads(ALL["stake"])["properties"]["bets"]["items"]["properties"]
    assert said["market_id"] == {"type": "string"}
    assert said["side"]["enum"] == ["YES", "NO"]


@pytest.mark.parametrize("count", [0, 101])
def test_a_list_of_names_that_providers_refuse_is_left_out(count: int) -> None:
    text = forecast_schema([f"M{n}" for n in range(count)])
    said = json.loads(text)["properties"]["forecasts"]["items"]["properties"]
    assert said["market_id"] == {"type": "string"}


def test_the_text_has_no_blanks_to_differ_in() -> None:
    assert json.dumps(json.loads(ALL["stake"]), separators=(",", ":")) == ALL["stake"]
