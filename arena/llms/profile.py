"""What a model can do, and how a user wants it asked, the same for every wire format.

What it can do comes from the shipped table and the user's own word.
"""

import json
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from arena.llms.tariff import is_called, seller_of
from arena.llms.wires.lenient import mapping_option, wrong_option
from arena.llms.wires.wire import Output, Profile
from arena.records.settings import ModelSettings

COMMON = ("effort", "extra", "output", "profile", "sampling")
"""The options of every wire format."""

NONE = "none"
OURS = frozenset(
    {"background", "contents", "conversation", "input", "instructions", "messages", "model"}
    | {"models", "n", "plugins", "previous_response_id", "prompt", "stream", "system"}
    | {"systemInstruction", "system_instruction", "cachedContent", "candidateCount"}
    | {"max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens"}
    | {"tool_choice", "tool_config", "toolConfig", "tools", "functions", "mcp_servers"}
    | {"search_parameters", "web_search_options"}
)
"""What `extra` and `sampling` may not hold: who is asked and what, how long and how many the
answers are, since a budget counts on that, and whatever answers beside the model."""
INSIDE = ("generationConfig",)  # what may not be in a request may not be in there either

ROUTE = ("data_collection", "max_price", "only", "order", "quantizations", "sort", "zdr")
PINNED: Mapping[str, object] = {
    "allow_fallbacks": False,
    "require_parameters": True,
    "data_collection": "deny",
}


@dataclass(frozen=True, slots=True)
class Options:
    """A model's options, checked.

    `effort` is how hard it shall think, empty for its own default. `output` is what it is
    held to instead of what its profile says. `route` says which hosts a router may use.
    `extra` is merged into every request, field by field.
    """

    effort: str = ""
    output: Output | None = None
    sampling: Mapping[str, object] = field(default_factory=dict)
    route: Mapping[str, object] = field(default_factory=dict)
    extra: Mapping[str, object] = field(default_factory=dict)


def options_of(settings: ModelSettings, profile: Profile, allowed: Collection[str]) -> Options:
    """Check a model's options.

    Args:
        settings: The model.
        profile: What it can do: effort and sampling are refused here where it cannot.
        allowed: The names of the wire format's options.

    Raises:
        ArenaError: There is no such option, or it cannot be used.
    """
    given = dict(settings.options)
    unknown = sorted(given.keys() - set(allowed))
    if unknown:
        names = ", ".join(sorted(allowed))
        raise wrong_option(settings, f"there is no option {unknown[0]}", f"known: {names}")
    return Options(
        effort=_effort(settings, given.get("effort"), profile),
        output=_output(settings, given.get("output")),
        sampling=_sampling(settings, profile),
        route=_route(settings),
        extra=_free(settings, "extra"),
    )


def _effort(settings: ModelSettings, word: object, profile: Profile) -> str:
    if word is None:
        return ""
    if word in profile.efforts and profile.effort_field:
        return str(word)
    efforts = ", ".join(profile.efforts) or "no effort at all"
    hint = "profile: {efforts: [...], effort_field: ...} says otherwise"
    raise wrong_option(settings, f"as far as is known it takes {efforts}", hint)


def _output(settings: ModelSettings, word: object) -> Output | None:
    if word is None:
        return None
    if word not in tuple(Output):
        raise wrong_option(settings, "output is wrong", f"one of {', '.join(Output)}")
    return Output(str(word))


def _sampling(settings: ModelSettings, profile: Profile) -> Mapping[str, object]:
    sampling = _free(settings, "sampling")
    if sampling and not profile.sampling:
        what = "as far as is known it takes no sampling parameters"
        raise wrong_option(settings, what, "profile: {sampling: true} says otherwise")
    return sampling


def _route(settings: ModelSettings) -> Mapping[str, object]:
    route = mapping_option(settings, "route")
    unknown = sorted(route.keys() - set(ROUTE))
    if unknown:
        what = f"route: there is no {unknown[0]}"
        raise wrong_option(settings, what, f"known: {', '.join(ROUTE)}")
    return {**PINNED, **route} if route else {}


def _free(settings: ModelSettings, name: str) -> Mapping[str, object]:
    free_fields = mapping_option(settings, name)
    inside = [inner for home in INSIDE if isinstance(inner := free_fields.get(home), dict)]
    taken = sorted(OURS & {field for level in (free_fields, *inside) for field in level})
    if taken:
        what = f"{name} holds {taken[0]}"
        raise wrong_option(settings, what, "that field is not free to choose")
    try:
        json.dumps(free_fields, allow_nan=False)
    except (TypeError, ValueError):
        what = f"{name} holds something that JSON cannot say"
        raise wrong_option(settings, what, "texts, numbers, true, false, null") from None
    return free_fields


TABLE = "profiles.toml"
TOKEN_FIELDS = ("max_tokens", "max_completion_tokens")
ROLES = ("system", "developer", "user")
CHOICES: Mapping[str, tuple[str, ...]] = {
    "output": tuple(Output),
    "token_field": TOKEN_FIELDS,
    "system_role": ROLES,
}
LONGEST_WITH_THOUGHTS = 16_000
_SAFEST = Profile()


def profile_of(settings: ModelSettings) -> Profile:
    """Say what a model can do: what is known of it, and over that the user's options.

    All entries of the table that match count, the later ones more. A model without an entry
    gets the safest profile: JSON asked for in the prompt alone, no effort, no sampling.

    Raises:
        ArenaError: The option `profile` or `token_field` cannot be used.
    """
    profile = _SAFEST
    server = server_of(settings)
    for entry in _table().known:
        if entry.fits(server, settings):
            profile = replace(profile, **entry.says)
    own = mapping_option(settings, "profile")
    token_field = dict(settings.options).get("token_field")
    if token_field is not None:
        own["token_field"] = token_field
    try:
        return replace(profile, **_checked(own))
    except ValueError as error:
        raise wrong_option(settings, f"profile: {error}", "see the table of profiles") from None


def longest_answer(settings: ModelSettings) -> int:
    """Say how many tokens to ask for where nobody configured it.

    Thoughts count as a part of an answer: a model that can be told how hard to think gets room.
    """
    thinks = profile_of(replace(settings, options=())).efforts
    return max(LONGEST_WITH_THOUGHTS, settings.max_tokens) if thinks else settings.max_tokens


def server_of(settings: ModelSettings) -> str:
    """Name who answers, by the server's address, else by what `provider` says it is.

    >>> server_of(ModelSettings("m", "openai_chat", "https://api.openai.com/v1", "x"))
    'openai'
    >>> server_of(ModelSettings("m", "openai_chat", "http://10.0.0.7/v1", "x", provider="vLLM"))
    'vllm'
    """
    try:
        parts = urlsplit(settings.base_url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    servers = _table().servers
    provider = settings.provider.strip().casefold()
    named = servers.get(f"{host}:{port}") or servers.get(host)
    return named or _table().aliases.get(provider, provider)


@dataclass(frozen=True, slots=True)
class _KnownModel:
    server: str
    adapter: str
    model: str
    says: Mapping[str, Any]

    def fits(self, server: str, settings: ModelSettings) -> bool:
        return (
            fnmatchcase(server, self.server)
            and fnmatchcase(settings.adapter, self.adapter)
            and fnmatchcase(settings.model.casefold().removeprefix("models/"), self.model)
        )


@dataclass(frozen=True, slots=True)
class _ProfileTable:
    servers: Mapping[str, str]
    aliases: Mapping[str, str]
    known: tuple[_KnownModel, ...]


@cache
def _table() -> _ProfileTable:
    text = files("arena.llms").joinpath(TABLE).read_text(encoding="utf-8")
    table = tomllib.loads(text)
    entries = [dict(entry) for entry in table["known"]]
    known_models = tuple(
        _KnownModel(
            server=entry.pop("server"),
            adapter=entry.pop("adapter", "*"),
            model=entry.pop("model", "*"),
            says=_checked(entry),
        )
        for entry in entries
    )
    return _ProfileTable(table["servers"], table["aliases"], known_models)


def _checked(given: Mapping[str, object]) -> dict[str, Any]:
    """Give fields of a profile in their types.

    Raises:
        ValueError: There is no such field, or it cannot have that value.
    """
    defaults = {f.name: getattr(_SAFEST, f.name) for f in fields(Profile)}
    unknown = sorted(given.keys() - defaults.keys())
    if unknown:
        raise ValueError(f"there is no {unknown[0]}, only {', '.join(defaults)}")
    return {name: _typed(name, value, defaults[name]) for name, value in given.items()}


def _typed(name: str, value: object, default: object) -> object:
    if name in CHOICES:
        if value not in CHOICES[name]:
            raise ValueError(f"{name} is none of {', '.join(CHOICES[name])}")
        return Output(str(value)) if name == "output" else value
    if name == "efforts":
        return _texts(name, value)
    if isinstance(default, tuple):
        return _placed(name, value)
    if type(value) is not type(default):
        wanted = "true or false" if isinstance(default, bool) else "a text"
        raise ValueError(f"{name} is not {wanted}")
    return value


def _texts(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise ValueError(f"{name} is not a list of texts")
    return tuple(value)


def _placed(name: str, value: object) -> tuple[tuple[str, object], ...]:
    pairs: Iterable[tuple[str, object]] = value.items() if isinstance(value, Mapping) else ()
    if value != [] and not isinstance(value, Mapping):
        raise ValueError(f"{name} is not a mapping of dotted fields")
    if not all(isinstance(inner, str | int) for _, inner in pairs):
        raise ValueError(f"{name} holds a value that is no text, number, true or false")
    return tuple(pairs)


def retirement_of(settings: ModelSettings) -> date | None:
    """Give the day on which a model's provider ends it; None where none is known.

    What was configured counts before the table. The table is of models that their own
    provider serves: others that serve the same model end it when they like.
    """
    if settings.retires_on is not None:
        return settings.retires_on
    seller = seller_of(settings.base_url, settings.provider) or ""
    name = settings.model.lower()
    for day, patterns in _ends().get(seller, {}).items():
        if any(is_called(name, pattern) for pattern in patterns):
            return date.fromisoformat(day)
    return None


@dataclass(frozen=True, slots=True)
class ModelDates:
    """The last day that a model's training may hold, and the day it came out; None: unknown."""

    knowledge_until: date | None = None
    released: date | None = None


def dates_of(settings: ModelSettings) -> ModelDates:
    """Say until when a model may know what happened, and when it was released.

    What was configured counts before the table. The table goes by what the maker calls the
    model: a day at the end of the name and a router's path do not count, `-latest` does.

    >>> dates_of(ModelSettings("m", "openai_chat", "", "openai/gpt-5.1:free")).knowledge_until
    datetime.date(2024, 9, 30)
    """
    known = _cutoffs()
    parts = re.split(r"[/:]", settings.model.casefold())
    named_parts = [] if parts[0] == TUNED else parts
    names = [_PLACE.sub("", part).replace(".", "-") for part in named_parts]
    tried = [name for part in names for name in (part, _DAY.sub("", part))]
    row = next((known[name] for name in tried if name in known), {})
    named = settings.release if _is_day(settings.release) else row.get("release")
    until = row.get("knowledge_until")
    return ModelDates(
        settings.knowledge_until or (date.fromisoformat(until) if until else None),
        date.fromisoformat(named) if named else None,
    )


TUNED = "ft"  # a model that somebody trained further, on what nobody knows
_PLACE = re.compile(r"^(?:[a-z]+\.)?anthropic\.")  # what Bedrock has before a name
_DAY = re.compile(r"[-@]20\d{2}-?[01]\d-?[0-3]\d(?:-v\d+)?$")


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


@cache
def _cutoffs() -> Mapping[str, Mapping[str, str]]:
    table = json.loads((files("arena.llms") / "cutoffs.json").read_text("utf-8"))
    return {
        name.replace(".", "-"): row
        for entry in table.values()
        for name, row in entry["models"].items()
    }


@cache
def _ends() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    table = json.loads((files("arena.llms") / "retirements.json").read_text("utf-8"))
    return {seller: entry["ends"] for seller, entry in table.items()}
