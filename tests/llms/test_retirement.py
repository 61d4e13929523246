import json
from dataclasses import replace
from datetime import date
from importlib.resources import files

import pytest

from arena.llms.profile import retirement_of
from arena.llms.tariff import seller_of
from arena.records.settings import ModelSettings

TABLE = json.loads((files("arena.llms") / "retirements.json").read_text("utf-8"))


def settings(model: str, provider: str = "openai", url: str = "") -> ModelSettings:
    return ModelSettings("m", "openai_chat", url, model, provider=provider)


@pytest.mark.parametrize(
    ("model", "day"),
    [
        ("gpt-5", date(2026, 12, 11)),
        ("gpt-5-mini-2025-08-07", date(2026, 12, 11)),
        ("O3", date(2026, 12, 11)),
        ("gpt-4o", date(2027, 1, 14)),
        ("gpt-4.1", date(2027, 1, 14)),
        ("o4-mini", date(2026, 10, 23)),
        ("o1", date(2026, 10, 23)),
        ("gpt-4-turbo", date(2026, 10, 23)),
    ],
)
def test_a_model_ends_on_the_day_that_its_provider_named(model: str, day: date) -> None:
    assert retirement_of(settings(model)) == day


@pytest.mark.parametrize("model", ["gpt-6-luna", "gpt-5.4", "o30", ""])
def test_no_end_is_known_of_other_models(model: str) -> None:
    assert retirement_of(settings(model)) is None


def test_a_name_that_its_provider_took_back_has_ended() -> None:
    assert retirement_of(settings("deepseek-chat", "deepseek")) == date(2026, 7, 24)


def test_another_provider_ends_a_model_when_it_likes() -> None:
    assert retirement_of(settings("gpt-5", "azure")) is None
    assert retirement_of(settings("gpt-5", url="https://openrouter.ai/api/v1")) is None


def test_what_was_configured_counts_before_the_table() -> None:
    sooner = date(2026, 12, 1)
    assert retirement_of(replace(settings("gpt-5"), retires_on=sooner)) == sooner
    assert retirement_of(replace(settings("mine", ""), retires_on=sooner)) == sooner


def test_every_provider_of_the_table_is_known_and_its_word_is_cited() -> None:
    for name, said in TABLE.items():
        assert seller_of("", name) == name
        assert said["source"].startswith("https://")
        assert all(date.fromisoformat(day) and names for day, names in said["ends"].items())
