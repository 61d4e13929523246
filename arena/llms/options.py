"""What a user may say about how a model is asked, the same for every wire format."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

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


def options_of(
    settings: ModelSettings, profile: Profile, allowed: Collection[str] = COMMON
) -> Options:
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
