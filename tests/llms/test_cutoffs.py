import json
from dataclasses import replace
from datetime import date
from importlib.resources import files

import pytest

from arena.llms.profile import ModelDates, dates_of
from arena.llms.tariff import seller_of
from arena.records.settings import ModelSettings

TABLE = json.loads((files("arena.llms") / "cutoffs.json").read_text("utf-8"))
NOT_KNOWN = ModelDates()
SONNET = ModelDates(date(2025, 7, 31), date(2025, 9, 29))


def named(model: str) -> ModelSettings:
    return ModelSettings("m", "openai_chat", "http://127.0.0.1:1", model)


@pytest.mark.parametrize(
    "model",
    [
        "claude-sonnet-4-5",
        "claude-sonnet-4-5-20250929",
        "claude-sonnet-4-5@20250929",
        "anthropic/claude-sonnet-4.5",
        "Anthropic/Claude-Sonnet-4.5:free",
        "bedrock:eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    ],
)
def test_a_model_is_known_by_every_name_that_it_goes_by(model: str) -> None:
    assert dates_of(named(model)) == SONNET


def test_a_pinned_release_has_a_day_of_its_own() -> None:
    known = {name: dates_of(named(name)).released for name in ("gpt-4o", "gpt-4o-2024-11-20")}
    assert known == {"gpt-4o": date(2024, 5, 13), "gpt-4o-2024-11-20": date(2024, 11, 20)}


@pytest.mark.parametrize(
    "model", ["", "mine", "gpt-4o-latest", "ft:gpt-4o:me", "gpt-50", "claude-sonnet-4-5x"]
)
def test_nothing_is_known_of_other_models(model: str) -> None:
    assert dates_of(named(model)) == NOT_KNOWN


def test_a_maker_that_names_no_cut_off_leaves_it_unknown() -> None:
    assert dates_of(named("claude-opus-5")) == ModelDates(None, date(2026, 7, 24))


def test_what_was_configured_counts_before_the_table() -> None:
    day = date(2026, 1, 2)
    own = replace(named("claude-sonnet-4-5"), knowledge_until=day, release="2026-03-04")
    assert dates_of(own) == ModelDates(day, date(2026, 3, 4))
    assert dates_of(replace(named("claude-sonnet-4-5"), release="new")) == SONNET


def test_every_row_has_a_source_a_day_and_dates_in_order() -> None:
    for name, maker in TABLE.items():
        assert seller_of("", name) == name
        assert maker["source"].startswith("https://")
        read = date.fromisoformat(maker["read"])
        for model, row in maker["models"].items():
            days = [date.fromisoformat(row[key]) for key in row]
            assert set(row) <= {"knowledge_until", "release"}
            assert days == sorted(days), model
            assert max(days) <= read
