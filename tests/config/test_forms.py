"""Providers that are known by name."""

import re
import tomllib
from dataclasses import replace
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from arena.config import check, load_settings
from arena.config.document import Problem
from arena.config.forms import FIELDS, NO_SERVER, known_providers, preset_of
from arena.llms.tariff import seller_of
from arena.plugins import LLMS
from arena.records.settings import ModelSettings
from tests.config.build import PLUGINS, problems, project, settings

EVERY = pytest.mark.parametrize("provider", known_providers())
LOCAL = {"llamacpp", "ollama", "vllm"}
OWN_KEYS = {"pydantic-ai"}  # a library that finds credentials by itself


def model(folder: Path, said: str) -> ModelSettings:
    (found,) = settings(folder, f"models: {{m: {{{said}}}}}\n").models
    return found


def wrong(folder: Path, said: str) -> tuple[Problem, ...]:
    return problems(folder, f"models:\n  m: {{{said}}}\n")


@EVERY
def test_every_provider_names_an_adapter_that_there_is(provider: str) -> None:
    there = {point.name for point in entry_points(group="arena.llms")}
    assert preset_of(provider)["adapter"] in there


@EVERY
def test_every_provider_has_an_address_that_is_safe_to_send_a_key_to(provider: str) -> None:
    address = urlsplit(str(preset_of(provider)["base_url"]))
    assert address.hostname
    assert (address.username, address.query, address.fragment) == (None, "", "")
    here = address.hostname == "127.0.0.1"
    assert address.scheme == ("http" if here else "https")
    assert (provider in LOCAL) is here
    assert not address.path.endswith("/")


@EVERY
def test_every_provider_that_is_not_on_this_machine_has_a_key(provider: str) -> None:
    named = preset_of(provider)["key_env"]
    assert (named is None) is (provider in LOCAL | OWN_KEYS)
    assert named is None or re.fullmatch("[A-Z]+_API_KEY", named)


def test_no_two_providers_share_a_key_or_an_address() -> None:
    for field in ("base_url", "key_env"):
        said = [preset_of(name)[field] for name in known_providers()]
        named = [one for one in said if one is not None]
        assert len(set(named)) == len(named)


def test_nothing_else_is_said_of_a_provider() -> None:
    text = (files("arena.config") / "providers.toml").read_text("utf-8")
    assert {key for said in tomllib.loads(text).values() for key in said} == set(FIELDS)


@EVERY
def test_a_provider_s_name_is_enough(provider: str, tmp_path: Path) -> None:
    found = model(tmp_path, f"provider: {provider}, model: big")
    known = preset_of(provider)
    assert (found.adapter, found.base_url, found.key_env) == tuple(known[f] for f in FIELDS)
    assert (found.provider, found.model) == (provider, "big")


@pytest.mark.parametrize(
    "provider", ["anthropic", "deepseek", "google", "mistral", "openai", "openrouter", "xai"]
)
def test_a_provider_that_has_prices_is_the_one_that_is_meant(provider: str) -> None:
    address = str(preset_of(provider)["base_url"])
    assert seller_of(address, "") == seller_of("", provider) is not None


def test_what_is_written_counts_before_what_is_known(tmp_path: Path) -> None:
    found = model(
        tmp_path,
        "provider: openai, model: big, adapter: openai_chat, "
        "base_url: 'https://proxy.example/v1', key_env: MY_KEY",
    )
    told = (found.adapter, found.base_url, found.key_env)
    assert told == ("openai_chat", "https://proxy.example/v1", "MY_KEY")


OPENAI, HERE = "https://api.openai.com/v1", "http://127.0.0.1:4000"


@pytest.mark.parametrize(
    ("said", "address", "key"),
    [
        pytest.param("key_env: MY_KEY", OPENAI, "MY_KEY", id="its own goes to the provider"),
        pytest.param(f"base_url: '{HERE}'", HERE, None, id="the provider's to no other server"),
        pytest.param(f"base_url: '{OPENAI}'", OPENAI, "OPENAI_API_KEY", id="written out"),
    ],
)
def test_a_key_goes_where_it_belongs(
    said: str, address: str, key: str | None, tmp_path: Path
) -> None:
    found = model(tmp_path, f"provider: openai, model: big, {said}")
    assert (found.adapter, found.base_url, found.key_env) == ("openai_responses", address, key)


def test_a_provider_that_nobody_knows_is_a_name_where_the_rest_is_said(tmp_path: Path) -> None:
    found = model(
        tmp_path,
        "provider: my lab, model: big, adapter: openai_chat, base_url: 'https://x.example'",
    )
    assert (found.provider, found.key_env) == ("my lab", None)


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("model: big", ["adapter", "base_url"]),
        ("model: big, provider: my lab", ["adapter", "base_url"]),
        ("model: big, adapter: openai_chat", ["base_url"]),
        ("model: big, base_url: 'https://x.example'", ["adapter"]),
    ],
)
def test_a_model_that_cannot_be_found_is_refused(
    said: str, missing: list[str], tmp_path: Path
) -> None:
    found = wrong(tmp_path, said)
    wanted = [f"{key}, or a provider that is known" for key in missing]
    assert [p.expected for p in found] == wanted
    assert {(p.line, p.key, p.found) for p in found} == {(2, "models.m", "neither")}


def test_a_provider_that_was_misspelt_is_guessed_or_told_all_there_are(tmp_path: Path) -> None:
    every = f"there are: {', '.join(known_providers())}"
    for said, guess in (("opnai", "did you mean openai?"), ("zzzz", every)):
        found = wrong(tmp_path, f"model: big, provider: {said}")
        assert {p.suggestion for p in found} == {guess}


@pytest.mark.parametrize("said", ["[]", "{}", "3", "'OPENAI'"])
def test_a_provider_that_is_no_name_is_none_that_is_known(said: str, tmp_path: Path) -> None:
    assert wrong(tmp_path, f"model: big, provider: {said}")


@pytest.mark.parametrize("models", ["[]", "3", "{m: 3}", "{m: []}"])
def test_models_that_cannot_be_read_are_another_s_to_report(
    models: str, tmp_path: Path
) -> None:
    (found,) = problems(tmp_path, f"models: {models}\n")
    assert "a provider that is known" not in found.expected


def test_who_is_not_known_has_nothing() -> None:
    assert preset_of("nobody") == {}
    assert preset_of("") == {}
    assert replace(ModelSettings("m", "a", "b", "c")).key_env is None


INVENTED = f"models: {{m: {{adapter: {NO_SERVER}, model: big-1, provider: Northwind}}}}\n"
WITH_INVENTED = PLUGINS | {LLMS: (*PLUGINS[LLMS], NO_SERVER)}


def test_a_model_that_answers_by_itself_needs_no_address(tmp_path: Path) -> None:
    file = project(tmp_path, INVENTED)
    assert check(file, WITH_INVENTED) == ()
    (found,) = load_settings(file, WITH_INVENTED).models
    assert (found.adapter, found.base_url, found.key_env) == (NO_SERVER, "", None)
