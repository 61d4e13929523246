import json
import re
from datetime import date
from decimal import Decimal
from importlib.resources import files
from itertools import pairwise
from typing import Any

import pytest

from arena.config.forms import known_providers, preset_of
from arena.llms.tariff import listed, seller_of, taken

AUTUMN = date(2026, 11, 1)
LARGEST = 300_000  # bytes that a wheel can spare for prices
# on a machine of one's own, or a library that reaches many: nobody sells there
PLACES = ("llamacpp", "ollama", "pydantic-ai", "vllm")

FILE = files("arena.llms") / "prices.json"
TABLE: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
MODELS = [
    (name, model) for name, seller in TABLE["sellers"].items() for model in seller["models"]
]
ROWS = [rows for _, model in MODELS for tier, rows in model.items() if tier != "names"]


def test_the_table_is_small() -> None:
    assert len(FILE.read_bytes()) < LARGEST


def test_the_table_says_where_it_is_from_and_keeps_its_notice() -> None:
    assert re.fullmatch(r"https://pypi\.org/project/genai-prices/[\d.]+/", str(TABLE["source"]))
    notice = " ".join(TABLE["licence"])
    assert "Copyright (c) Pydantic Services Inc." in notice
    assert "Permission is hereby granted, free of charge" in notice


def test_the_table_has_a_day() -> None:
    assert date.fromisoformat(taken()) >= AUTUMN


def test_each_amended_price_says_where_and_when_it_was_read() -> None:
    amended = [row for rows in ROWS for row in rows if "checked" in row]
    assert len(amended) >= 4
    assert all(date.fromisoformat(row["checked"]) >= AUTUMN for row in amended)
    assert all(str(row["source"]).startswith("https://") for row in amended)


def test_every_price_is_a_number_that_is_not_negative() -> None:
    flat = [row for rows in ROWS for row in rows]
    flat += [longer for row in flat for longer in row.get("longer", ())]
    parts = [
        row[part] for row in flat for part in ("in", "out", "cached", "written") if part in row
    ]
    assert len(parts) > 2000
    assert all(Decimal(price) >= 0 for price in parts)
    assert all({"in", "out"} <= row.keys() for row in flat)


def test_no_price_of_the_table_is_nothing() -> None:
    free = [
        row for rows in ROWS for row in rows if Decimal(row["in"]) + Decimal(row["out"]) == 0
    ]
    assert free == []


def test_prices_follow_each_other_in_time() -> None:
    for rows in ROWS:
        days = [date.fromisoformat(row.get("from", "0001-01-01")) for row in rows]
        assert all(a < b for a, b in pairwise(days))


def test_longer_questions_follow_each_other_in_length() -> None:
    for rows in ROWS:
        for row in rows:
            lengths = [0, *(longer["over"] for longer in row.get("longer", ()))]
            assert all(a < b for a, b in pairwise(lengths))


@pytest.mark.parametrize("provider", sorted(set(known_providers()) - set(PLACES)))
def test_every_provider_that_can_be_configured_by_name_has_prices(provider: str) -> None:
    url = str(preset_of(provider)["base_url"])
    seller = seller_of(url, "")
    assert seller is not None
    assert seller == seller_of("http://127.0.0.1:9", provider)


@pytest.mark.parametrize("provider", PLACES)
def test_where_nobody_sells_there_are_no_prices(provider: str) -> None:
    assert seller_of(str(preset_of(provider)["base_url"]), provider) is None


@pytest.mark.parametrize(
    ("seller", "model", "same"),
    [
        ("openai", "O3", "o3"),
        ("openai", "o3-20250416", "o3"),
        ("openai", "openai/o3", "o3"),
        ("google", "models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("anthropic", "claude-opus-5@20260101", "claude-opus-5"),
    ],
)
def test_a_model_is_known_under_its_other_names(seller: str, model: str, same: str) -> None:
    assert listed(seller, model, AUTUMN, "") == listed(seller, same, AUTUMN, "") is not None


def test_a_release_is_not_taken_for_the_next() -> None:
    five, next_one = (listed("anthropic", f"claude-opus-5{n}", AUTUMN, "") for n in ("", "-5"))
    assert five is not None
    assert next_one is not None
    assert five["in"] != next_one["in"]


def test_what_is_not_sold_by_the_token_has_no_price() -> None:
    spoken = [(s, m["names"][0]) for s, m in MODELS if list(m) == ["names"]]
    plain = [(s, name) for s, name in spoken if not set(name) & set("*/")]
    assert len(plain) > 10
    assert [one for one in plain if listed(*one, AUTUMN, "") is not None] == []


def test_what_a_seller_has_from_another_is_found_in_the_usual_tier_only() -> None:
    theirs = listed("anthropic", "claude-opus-5-5", AUTUMN, "")
    assert listed("azure", "claude-opus-5-5", AUTUMN, "") == theirs
    assert listed("anthropic", "claude-opus-5-5", AUTUMN, "batch") is not None
    assert listed("azure", "claude-opus-5-5", AUTUMN, "batch") is None


def test_a_tier_is_not_known_before_its_first_day() -> None:
    assert listed("openai", "o3", date(2026, 10, 13), "batch") is None
    assert listed("openai", "o3", date(2026, 10, 14), "batch") is not None


@pytest.mark.parametrize("name", ["", "*", "/", "\x00", "(" * 10**6, "é\u202e"])
def test_a_strange_name_is_no_model(name: str) -> None:
    assert listed("openai", name, AUTUMN, "") is None
