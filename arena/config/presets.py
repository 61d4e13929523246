"""Providers that are known by name: where they are asked, how, and with whose key."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

FIELDS = ("adapter", "base_url", "key_env")
NO_SERVER = "simulated"  # the adapter that answers by itself


def preset_of(provider: str) -> Mapping[str, str | None]:
    """Give a provider's adapter, address and key variable; empty where it is not known."""
    return _presets().get(provider, {})


def known_providers() -> tuple[str, ...]:
    """Name the providers that are known, in order."""
    return tuple(sorted(_presets()))


@cache
def _presets() -> Mapping[str, Mapping[str, str | None]]:
    text = (files("arena.config") / "providers.toml").read_text("utf-8")
    return {
        name: {field: provider.get(field) for field in FIELDS}
        for name, provider in tomllib.loads(text).items()
    }
