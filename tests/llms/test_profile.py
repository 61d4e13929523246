import json
import tomllib
from dataclasses import replace
from datetime import date
from importlib.resources import files

import pytest

from arena.config.forms import known_providers, preset_of
from arena.errors import ArenaError
from arena.llms.profile import (
    TOKEN_FIELDS,
    ModelDates,
    dates_of,
    longest_answer,
    profile_of,
    retirement_of,
    server_of,
)
from arena.llms.tariff import seller_of
from arena.llms.wires.wire import Output, Profile
from arena.records.settings import ModelSettings
from tests.llms.asking import frozen
from tests.present import some

OPENAI = "https://api.openai.com/v1"
SERVERS = {
    "openai": (OPENAI, "openai_chat"),
    "responses": (OPENAI, "openai_responses"),
    "anthropic": ("https://api.anthropic.com/v1", "anthropic_messages"),
    "gemini": ("https://generativelanguage.googleapis.com/v1beta", "gemini"),
    "openrouter": ("https://openrouter.ai/api/v1", "openai_chat"),
    "deepseek": ("https://api.deepseek.com", "openai_chat"),
    "xai": ("https://api.x.ai/v1", "openai_chat"),
    "mistral": ("https://api.mistral.ai/v1", "openai_chat"),
    "ollama": ("http://localhost:11434/v1", "openai_chat"),
}


def of(server: str, model: str, **options: object) -> Profile:
    url, adapter = SERVERS[server]
    return profile_of(ModelSettings("m", adapter, url, model, options=frozen(options)))


def unknown(provider: str = "", **options: object) -> Profile:
    settings = ModelSettings(
        "m", "openai_chat", "https://x.example", "gpt-5", provider=provider
    )
    return profile_of(replace(settings, options=frozen(options)))


def test_a_model_that_nobody_knows_gets_the_safest_profile() -> None:
    assert unknown() == Profile()
    assert Profile().output is Output.PROMPT
    assert (Profile().efforts, Profile().sampling, Profile().strict) == ((), False, False)


def test_a_model_that_thinks_has_room_for_its_thoughts() -> None:
    thinks = ModelSettings("m", "openai_chat", OPENAI, "gpt-5-mini", options=(("profile", 3),))
    assert longest_answer(thinks) == 16_000
    assert longest_answer(replace(thinks, base_url="https://x.example", model="a")) == 4_096


@pytest.mark.parametrize(
    ("server", "model", "efforts"),
    [
        ("openai", "gpt-5.6-sol", "none low medium high xhigh"),
        ("responses", "gpt-5.6-sol", "none low medium high xhigh max"),
        ("openai", "gpt-6-astra", "low medium high xhigh"),
        ("responses", "gpt-6-astra", "low medium high xhigh max"),
        ("responses", "gpt-6.1-sol", "low medium high xhigh max"),
        ("responses", "gpt-6-luna", "none low medium high xhigh max"),
        ("openai", "gpt-5-mini", "minimal low medium high"),
        ("openai", "gpt-5-pro", "high"),
        ("openai", "gpt-5.2-pro", "medium high xhigh"),
        ("openai", "gpt-5.3-chat-latest", "medium"),
        ("openai", "gpt-5.4-chat-latest", "medium"),
        ("responses", "gpt-5.6-chat-latest", "medium"),
        ("responses", "gpt-6-sol-pro", "medium high xhigh"),
        ("openai", "gpt-5.6-pro", "medium high xhigh"),
        ("openai", "gpt-5-chat-latest", ""),
        ("openai", "o4-mini", "low medium high"),
        ("openai", "gpt-4o", ""),
        ("anthropic", "claude-opus-4-5", "low medium high"),
        ("anthropic", "claude-sonnet-4-5-20250929", ""),
        ("anthropic", "claude-opus-5-5", "low medium high xhigh max"),
        ("anthropic", "claude-sonnet-5-5", "none low medium high xhigh max"),
        ("anthropic", "claude-3-5-sonnet-latest", ""),
        ("gemini", "gemini-4-argon", "low medium high"),
        ("gemini", "gemini-3.8-flash", "low medium high"),
        ("gemini", "gemini-3-flash", "minimal low medium high"),
        ("gemini", "models/gemini-3.7-flash", "low medium high"),
        ("gemini", "gemini-2.5-pro", ""),
        ("deepseek", "deepseek-v4-pro", "none low high max"),
        ("xai", "grok-4.5", "low medium high"),
        ("mistral", "mistral-large-latest", ""),
    ],
)
def test_models_differ_in_how_hard_they_can_be_told_to_think(
    server: str, model: str, efforts: str
) -> None:
    assert of(server, model).efforts == tuple(efforts.split())


@pytest.mark.parametrize(
    ("server", "model", "output"),
    [
        ("openai", "gpt-5.4", Output.SCHEMA),
        ("openai", "gpt-3.5-turbo", Output.JSON),
        ("openai", "davinci", Output.PROMPT),
        ("deepseek", "deepseek-chat", Output.JSON),
        ("anthropic", "claude-opus-4-1", Output.SCHEMA),
        ("anthropic", "claude-sonnet-4-20250514", Output.PROMPT),
        ("anthropic", "claude-3-5-sonnet-latest", Output.PROMPT),
        ("openrouter", "anthropic/claude-sonnet-5", Output.SCHEMA),
        ("openrouter", "somebody/model", Output.PROMPT),
        ("ollama", "qwen3", Output.SCHEMA),
    ],
)
def test_models_differ_in_what_they_can_be_held_to(
    server: str, model: str, output: Output
) -> None:
    assert of(server, model).output is output


def test_the_length_has_another_name_at_openai_than_at_deepseek() -> None:
    fields = [of("openai", "gpt-5.4").token_field, of("deepseek", "deepseek-chat").token_field]
    assert fields == ["max_completion_tokens", "max_tokens"]


def test_claude_turns_thinking_off_differently_from_model_to_model() -> None:
    assert of("anthropic", "claude-opus-5").effort_none == (("thinking.type", "disabled"),)
    between = (("thinking.type", "between_tools"),)
    assert of("anthropic", "claude-sonnet-5-5").effort_none == between
    assert of("anthropic", "claude-opus-5-5").effort_none == ()


def test_no_model_of_anthropic_is_sent_sampling() -> None:
    assert not of("anthropic", "claude-haiku-4-5").sampling


def test_a_server_is_known_by_its_address_before_its_name() -> None:
    named = ModelSettings("m", "openai_chat", OPENAI, "gpt-5", provider="vllm")
    assert server_of(named) == "openai"
    assert server_of(replace(named, base_url="http://127.0.0.1:11434/v1")) == "ollama"
    assert server_of(replace(named, base_url="http://[")) == "vllm"


def test_a_server_of_one_s_own_is_known_by_what_runs_there() -> None:
    assert unknown("vLLM").output is Output.SCHEMA


@pytest.mark.parametrize("provider", known_providers())
def test_a_known_provider_is_the_same_behind_another_address(provider: str) -> None:
    address = str(preset_of(provider)["base_url"])
    own = ModelSettings("m", "openai_chat", address, "m", provider=provider)
    assert server_of(replace(own, base_url="https://proxy.example/v1")) == server_of(own)


def test_a_provider_goes_by_any_of_its_names() -> None:
    assert unknown("llamacpp").output is Output.SCHEMA
    assert unknown("Grok") == unknown("x-ai") == unknown("xai") != unknown()


def test_the_user_s_word_goes_over_all() -> None:
    own = {"output": "json", "sampling": True, "efforts": ["low"], "effort_field": "effort"}
    said = of("openai", "gpt-5.4", profile=own, token_field=TOKEN_FIELDS[0])
    assert (said.output, said.sampling, said.efforts) == (Output.JSON, True, ("low",))
    assert (said.effort_field, said.token_field) == ("effort", TOKEN_FIELDS[0])
    assert said.strict


def test_what_goes_beside_effort_is_a_mapping() -> None:
    said = unknown(profile={"with_effort": {"thinking.type": "adaptive"}})
    assert said.with_effort == (("thinking.type", "adaptive"),)


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"outputs": "json"}, "there is no outputs"),
        ({"output": "xml"}, "output is none of schema, json, prompt"),
        ({"output": ["json"]}, "output is none of"),
        ({"sampling": "yes"}, "sampling is not true or false"),
        ({"efforts": "low"}, "efforts is not a list"),
        ({"efforts": [1]}, "efforts is not a list"),
        ({"effort_field": 3}, "effort_field is not a text"),
        ({"system_role": "user2"}, "system_role is none of"),
        ({"effort_none": "off"}, "effort_none is not a mapping"),
        ({"effort_none": {"a": {"b": 1}}}, "effort_none holds a value"),
    ],
)
def test_a_wrong_word_of_the_user_is_refused(own: dict[str, object], message: str) -> None:
    with pytest.raises(ArenaError, match=message) as caught:
        unknown(profile=own)
    assert caught.value.status == 2


def test_a_profile_that_is_no_mapping_is_refused() -> None:
    with pytest.raises(ArenaError, match="profile is not a mapping"):
        unknown(profile="json")


def test_every_entry_of_the_table_is_about_a_server_that_can_be_named() -> None:
    table = tomllib.loads((files("arena.llms") / "profiles.toml").read_text(encoding="utf-8"))
    named = set(table["servers"].values()) | {"vllm", "llama.cpp"}
    assert {entry["server"] for entry in table["known"]} - {"*"} == named


def test_what_is_said_of_every_server_is_a_matter_of_the_format() -> None:
    table = tomllib.loads((files("arena.llms") / "profiles.toml").read_text(encoding="utf-8"))
    anywhere = [entry for entry in table["known"] if entry["server"] == "*"]
    assert all("adapter" in entry for entry in some(anywhere))


@pytest.mark.parametrize("server", SERVERS)
def test_every_effort_of_the_table_has_a_place_to_go(server: str) -> None:
    table = tomllib.loads((files("arena.llms") / "profiles.toml").read_text(encoding="utf-8"))
    patterns = {entry.get("model", "x") for entry in table["known"]}
    models = [pattern.translate(str.maketrans("", "", "*[]")) for pattern in patterns]
    homeless = [m for m in models if of(server, m).efforts and not of(server, m).effort_field]
    assert homeless == []


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


RETIREMENTS = json.loads((files("arena.llms") / "retirements.json").read_text("utf-8"))


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


def test_what_was_configured_counts_before_the_table_of_retirements() -> None:
    sooner = date(2026, 12, 1)
    assert retirement_of(replace(settings("gpt-5"), retires_on=sooner)) == sooner
    assert retirement_of(replace(settings("mine", ""), retires_on=sooner)) == sooner


def test_every_provider_of_the_table_is_known_and_its_word_is_cited() -> None:
    for name, said in RETIREMENTS.items():
        assert seller_of("", name) == name
        assert said["source"].startswith("https://")
        assert all(date.fromisoformat(day) and names for day, names in said["ends"].items())
