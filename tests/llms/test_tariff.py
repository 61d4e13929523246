import json
import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from importlib.resources import files
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as law
from hypothesis import strategies as st

from arena.config.forms import known_providers, preset_of
from arena.llms.tariff import (
    MOST_TOKENS,
    Tariff,
    cost_of,
    listed,
    seller_of,
    tariff_for,
    worst_case,
)
from arena.records.answer import Usage
from arena.records.money import usd
from arena.records.settings import ModelSettings
from tests.llms.asking import frozen
from tests.present import present

AUTUMN = date(2026, 11, 1)
FLAT = Tariff(Decimal(2), None, None, Decimal(8), "configured")
CACHING = replace(FLAT, cached=Decimal("0.5"), written=Decimal("2.5"))
PRICES = st.decimals(0, 1000, places=3)
MAYBE = st.none() | PRICES
COUNTS = st.integers(0, 10**7)


def settings(model: str, provider: str = "openai", url: str = "") -> ModelSettings:
    return ModelSettings("m", "openai_chat", url, model, provider=provider)


def table(model: str, at: date = AUTUMN, tier: str = "", provider: str = "openai") -> Tariff:
    return present(tariff_for(settings(model, provider), at, tier))


def priced(
    tokens_in: int, tokens_out: int, tariff: Tariff, *, cached: int = 0, written: int = 0
) -> Decimal | None:
    used = Usage(tokens_in, tokens_out, tokens_cached=cached, tokens_written=written)
    return cost_of(used, tariff)


def rates(tariff: Tariff) -> tuple[str, str]:
    return str(tariff.into), str(tariff.out)


def test_a_price_changes_at_midnight() -> None:
    assert rates(table("o3", date(2025, 6, 9))) == ("10", "40")
    assert rates(table("o3", date(2025, 6, 10))) == ("2", "8")


@pytest.mark.parametrize(
    ("today", "words"),
    [
        (date(2026, 11, 1), "table 2026-11-21"),
        (date(2026, 11, 21), "table 2026-11-21"),
        (date(2026, 11, 22), "table 2026-11-21, 1 day old"),
        (date(2027, 2, 19), "table 2026-11-21, 90 days old"),
        (date(2027, 2, 20), "table 2026-11-21, 91 days old: TOO OLD, look whether it holds"),
    ],
)
def test_a_price_from_the_table_says_how_old_it_is(today: date, words: str) -> None:
    assert table("o3").source_on(today) == words


def test_a_configured_price_has_no_age() -> None:
    assert FLAT.source_on(date(2036, 1, 1)) == "configured"


@pytest.mark.parametrize(
    ("provider", "model", "into", "out"),
    [
        ("deepseek", "deepseek-chat", "0.28", "0.42"),
        ("deepseek", "deepseek-reasoner", "0.28", "0.42"),
        ("mistral", "mistral-large-latest", "0.5", "1.5"),
        ("mistral", "magistral-medium-latest", "1.5", "7.5"),
        ("xai", "grok-code-fast-1", "1", "2"),
    ],
)
def test_a_price_that_the_package_has_not_followed_is_amended(
    provider: str, model: str, into: str, out: str
) -> None:
    found = table(model, provider=provider)
    assert (*rates(found), found.source) == (into, out, "table 2026-11-22")


def test_a_release_that_keeps_its_price_is_not_amended() -> None:
    assert rates(table("mistral-large-2411", provider="mistral")) == ("2", "6")


@pytest.mark.parametrize(
    ("model", "provider"), [("o3", "openai"), ("claude-opus-5-5", "anthropic")]
)
def test_a_batch_costs_half(model: str, provider: str) -> None:
    usual, batch = (
        table(model, provider=provider),
        table(model, tier="batch", provider=provider),
    )
    assert (batch.into * 2, batch.out * 2) == (usual.into, usual.out)


def test_the_tier_that_everybody_has_is_the_usual_one() -> None:
    assert table("o3", tier="default") == table("o3", tier="Standard") == table("o3")


def test_a_tier_of_its_own_has_its_own_price() -> None:
    assert rates(table("o3", tier="flex")) == ("1", "4")
    assert rates(table("o3", tier="priority")) == ("3.5", "14")


def test_a_cheaper_tier_that_the_table_lacks_is_charged_as_the_usual_one() -> None:
    found = table("o3", date(2026, 1, 1), "batch")
    assert found == replace(table("o3"), source="table 2026-11-21 (usual tier)")


def test_a_tier_that_may_be_dearer_is_unknown() -> None:
    assert tariff_for(settings("o3"), AUTUMN, "scale") is None


def asking(model: str, provider: str = "openai", **extra: object) -> ModelSettings:
    return replace(settings(model, provider), options=frozen({"extra": extra}))


def test_a_dearer_tier_that_is_asked_for_counts_until_the_server_says_otherwise() -> None:
    asked = asking("o3", service_tier="priority")
    assert tariff_for(asked, AUTUMN) == table("o3", tier="priority")
    assert tariff_for(asked, AUTUMN, "default") == table("o3")
    fast = asking("claude-opus-5-5", "anthropic", speed="fast")
    assert tariff_for(fast, AUTUMN) == table("claude-opus-5-5", AUTUMN, "fast", "anthropic")


def test_a_tier_of_unknown_price_that_is_asked_for_is_unknown() -> None:
    assert tariff_for(asking("o3", service_tier="ultrafast"), AUTUMN) is None


@pytest.mark.parametrize("word", ["flex", "auto", "standard_only", "", 3, None, ["priority"]])
def test_no_other_tier_counts_before_the_server_has_said_so(word: object) -> None:
    assert tariff_for(asking("o3", service_tier=word), AUTUMN) == table("o3")


def test_reading_from_the_cache_has_its_price() -> None:
    assert table("o3").cached == Decimal("0.5")


def test_writing_to_the_cache_costs_a_quarter_more_with_anthropic() -> None:
    found = table("claude-opus-5-5", provider="anthropic")
    assert found.written == found.into * Decimal("1.25")


@pytest.mark.parametrize(
    ("model", "provider"),
    [("gpt-nobody-knows", "openai"), ("o3", "nobody"), ("o3", ""), ("", "openai")],
)
def test_a_model_that_nobody_knows_has_no_price(model: str, provider: str) -> None:
    assert tariff_for(settings(model, provider), AUTUMN) is None


def test_whose_server_it_is_counts_before_whose_model_it_is() -> None:
    here = settings("o3", "openai", "https://api.x.ai/v1")
    assert tariff_for(here, AUTUMN) is None


def test_a_providers_address_is_enough() -> None:
    here = settings("o3", "", "https://api.openai.com/v1")
    assert tariff_for(here, AUTUMN) == table("o3")


def test_the_name_that_a_server_gave_counts_where_it_is_known() -> None:
    found = tariff_for(settings("o3"), AUTUMN, served="o4-mini-2025-04-16")
    assert found == table("o4-mini") != table("o3")


def test_a_name_that_nobody_knows_does_not_hide_the_configured_one() -> None:
    assert tariff_for(settings("o3"), AUTUMN, served="x" * 10**6) == table("o3")


def test_what_is_configured_counts_before_the_table() -> None:
    said = replace(settings("o3"), price_in=Decimal(1), price_out=Decimal(3))
    assert tariff_for(said, AUTUMN) == Tariff(Decimal(1), None, None, Decimal(3), "configured")


def test_what_is_configured_holds_in_every_tier_and_is_halved_in_batches() -> None:
    said = replace(settings("o3"), price_in=Decimal(1), price_out=Decimal(3))
    assert tariff_for(said, AUTUMN, "flex") == tariff_for(said, AUTUMN)
    half = Tariff(Decimal("0.5"), None, None, Decimal("1.5"), "configured")
    assert tariff_for(said, AUTUMN, "batch") == half


def test_one_configured_price_takes_the_place_of_the_tables() -> None:
    said = replace(settings("o3"), price_cached=Decimal("0.1"))
    found = tariff_for(said, AUTUMN)
    assert found == replace(
        table("o3"), cached=Decimal("0.1"), source="configured and table 2026-11-21"
    )


def test_half_a_configuration_of_an_unknown_model_is_no_price() -> None:
    assert tariff_for(replace(settings("mine", ""), price_in=Decimal(1)), AUTUMN) is None


def test_a_model_of_ones_own_may_cost_nothing() -> None:
    free = replace(settings("mine", ""), price_in=Decimal(0), price_out=Decimal(0))
    found = present(tariff_for(free, AUTUMN))
    assert priced(10**6, 10**6, found) == 0


def test_a_long_question_costs_more_and_all_of_it() -> None:
    found = table("gemini-2.5-pro", provider="google")
    assert priced(200_000, 1_000, found) == Decimal("0.26")
    assert priced(200_001, 1_000, found) == Decimal("0.515002")


def test_where_the_hour_matters_the_dearest_counts_and_it_is_said() -> None:
    found = table("deepseek-flash", provider="deepseek")
    assert (found.into, found.source) == (Decimal("0.3"), "table 2026-11-21 (dearest hour)")


def test_a_router_has_prices_of_its_own() -> None:
    found = table("anthropic/claude-opus-4.5", provider="openrouter")
    assert rates(found) == ("5", "25")


def test_a_part_of_known_price_is_charged_at_it() -> None:
    found = priced(1_000_000, 0, CACHING, cached=600_000, written=200_000)
    assert found == Decimal("0.4") + Decimal("0.3") + Decimal("0.5")


def test_a_part_without_a_price_is_charged_in_full() -> None:
    parted = priced(1_000_000, 0, FLAT, cached=600_000, written=200_000)
    assert parted == priced(1_000_000, 0, FLAT) == 2


def test_a_cost_is_exact_to_a_millionth() -> None:
    assert priced(333, 77, FLAT) == Decimal("0.001282")


@pytest.mark.parametrize(
    "usage",
    [
        Usage(),
        Usage(tokens_in=5),
        Usage(tokens_out=5),
        Usage(tokens_in=-1, tokens_out=5),
        Usage(tokens_in=5, tokens_out=MOST_TOKENS + 1),
        Usage(tokens_in=5, tokens_out=5, tokens_cached=10**40),
    ],
)
def test_what_was_not_counted_has_no_cost(usage: Usage) -> None:
    assert cost_of(usage, FLAT) is None


def test_parts_that_are_more_than_the_whole_make_nothing_cheaper() -> None:
    assert priced(10, 0, FLAT, cached=1_000_000) == usd(2)


def test_the_worst_case_writes_everything_to_the_cache() -> None:
    assert worst_case(1_000_000, 1_000_000, CACHING) == Decimal("10.5")
    assert worst_case(1_000_000, 1_000_000, FLAT) == 10


TARIFFS = st.builds(
    Tariff, into=PRICES, cached=MAYBE, written=MAYBE, out=PRICES, source=st.just("configured")
)


@law(max_examples=60, deadline=None)
@given(TARIFFS, COUNTS, COUNTS, st.data())
def test_no_call_costs_more_than_its_worst_case(
    tariff: Tariff, tokens_in: int, most: int, data: st.DataObject
) -> None:
    cached = data.draw(st.integers(0, tokens_in))
    written = data.draw(st.integers(0, tokens_in - cached))
    said = data.draw(st.integers(0, most))
    found = present(priced(tokens_in, said, tariff, cached=cached, written=written))
    assert 0 <= found <= worst_case(tokens_in, most, tariff)


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
    assert all(Decimal(row["in"]) + Decimal(row["out"]) > 0 for row in flat)


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
    seller = present(seller_of(url, ""))
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
