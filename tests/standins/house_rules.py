"""What a provider insists on before it lets a model answer.

Sources: https://platform.openai.com/docs/guides/structured-outputs,
https://platform.openai.com/docs/guides/reasoning,
https://platform.claude.com/docs/en/build-with-claude/structured-outputs,
https://ai.google.dev/gemini-api/docs/structured-output.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.standins.asked import Asked, Format, mapping
from tests.standins.bettors import small_bettor
from tests.standins.misbehaviour import Ill, Misbehaviour, ails, fails
from tests.standins.scripts import Reply, Saying, said_by

SAMPLING = ("temperature", "top_k", "top_p", "topK", "topP", "presence_penalty")
REASONERS = ("gpt-5", "gpt-6", "o1", "o3", "o4")
WITHOUT_SAMPLING = "2026-10-21"  # the first version of Anthropic's format that has none
DEEPEST = 10

_BOUNDS = frozenset(
    {"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"}
    | {"maxItems", "maxLength", "minLength", "maxProperties", "minProperties"}
)
_NOT_OPENAI = frozenset(
    {"allOf", "not", "if", "then", "else", "oneOf", "uniqueItems", "contains", "default"}
    | {"dependentRequired", "dependentSchemas", "patternProperties", "unevaluatedProperties"}
)
_GEMINI = frozenset(
    {"$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum"}
    | {"items", "prefixItems", "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf"}
    | {"properties", "additionalProperties", "required", "propertyOrdering"}
)


def lacking(asked: Asked) -> Misbehaviour | None:
    """Refuse a request that lacks what its format cannot do without."""
    if asked.format is not Format.ANTHROPIC:
        return None
    if "anthropic-version" not in asked.recorded.headers:
        return fails(400, "anthropic-version: header is required")
    if not isinstance(asked.recorded.body.get("max_tokens"), int):
        return fails(400, "max_tokens: Field required")
    return None


def strictly(*, then: Saying = small_bettor) -> Reply:
    """Refuse what the format's own provider would: fields, JSON schemas, ways of asking.

    A schema of the chat format is judged where it is sent as strict; other servers that
    speak the format take more than OpenAI does.
    """

    def reply(model: str, asked: Asked) -> Misbehaviour:
        return _JUDGES[asked.format](asked) or said_by(then, model, asked)

    return reply


def _chat(asked: Asked) -> Misbehaviour | None:
    body = asked.recorded.body
    wanted = mapping(body.get("response_format"))
    named = mapping(wanted.get("json_schema"))
    if wanted.get("type") == "json_schema" and not named.get("name"):
        return _missing("response_format.json_schema.name")
    if asked.model.startswith(REASONERS) and "max_tokens" in body:
        return fails(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            code="unsupported_parameter",
        )
    return _openai(asked, wanted, named)


def _responses(asked: Asked) -> Misbehaviour | None:
    wanted = mapping(mapping(asked.recorded.body.get("text")).get("format"))
    if wanted.get("type") == "json_schema" and not wanted.get("name"):
        return _missing("text.format.name")
    foreign = sorted({"messages", "max_tokens", "response_format"} & asked.recorded.body.keys())
    if foreign:
        return ails(Ill.FIELD, field=foreign[0])
    return _openai(asked, wanted, wanted)


def _openai(
    asked: Asked, wanted: Mapping[str, Any], named: Mapping[str, Any]
) -> Misbehaviour | None:
    if (
        wanted.get("type") == "json_object"
        and "json" not in (asked.system + asked.user).lower()
    ):
        return fails(400, "'messages' must contain the word 'json' in some form.")
    sampled = [field for field in SAMPLING if field in asked.recorded.body]
    if asked.model.startswith(REASONERS) and sampled:
        return ails(Ill.FIELD, field=sampled[0])
    if named.get("strict") is True:
        return _judged(asked, _openai_complaint)
    return None


def _anthropic(asked: Asked) -> Misbehaviour | None:
    body = asked.recorded.body
    version = asked.recorded.headers.get("anthropic-version", "")
    sampled = [field for field in SAMPLING if field in body]
    if version >= WITHOUT_SAMPLING and sampled:
        return ails(Ill.FIELD, field=sampled[0])
    last = asked.messages[-1:]
    if last and last[0]["role"] == "assistant":
        return fails(400, "This model does not support assistant message prefill.")
    return _judged(asked, _anthropic_complaint)


def _gemini(asked: Asked) -> Misbehaviour | None:
    settings = mapping(asked.recorded.body.get("generationConfig"))
    if asked.schema is not None and settings.get("responseMimeType") != "application/json":
        return fails(400, "responseJsonSchema needs the response mime type application/json.")
    return _judged(asked, _gemini_complaint)


_JUDGES: Mapping[Format, Callable[[Asked], Misbehaviour | None]] = {
    Format.CHAT: _chat,
    Format.RESPONSES: _responses,
    Format.ANTHROPIC: _anthropic,
    Format.GEMINI: _gemini,
}


def _missing(field: str) -> Misbehaviour:
    return fails(
        400, f"Missing required parameter: '{field}'.", code="missing_required_parameter"
    )


def _judged(asked: Asked, complaint: Callable[[Mapping[str, Any]], str]) -> Misbehaviour | None:
    for node in _nodes(asked.schema):
        wrong = complaint(node)
        if wrong:
            return fails(
                400, f"Invalid schema for the response: {wrong}", code="invalid_schema"
            )
    return None


def _openai_complaint(node: Mapping[str, Any]) -> str:
    refused = sorted(_NOT_OPENAI & node.keys())
    if refused:
        return f"'{refused[0]}' is not permitted."
    if node.get("type") == "object":
        if node.get("additionalProperties") is not False:
            return "'additionalProperties' is required to be supplied and to be false."
        if set(node.get("required", ())) != set(node.get("properties", ())):
            return "'required' is required to include every key in properties."
    return ""


def _anthropic_complaint(node: Mapping[str, Any]) -> str:
    refused = sorted(_BOUNDS & node.keys())
    if refused:
        return f"For '{node.get('type')}' type, property '{refused[0]}' is not supported"
    if node.get("type") == "object" and node.get("additionalProperties") is not False:
        return "For 'object' type, 'additionalProperties' must be explicitly set to false"
    return ""


def _gemini_complaint(node: Mapping[str, Any]) -> str:
    unknown = sorted(node.keys() - _GEMINI)
    return f'Unknown name "{unknown[0]}"' if unknown else ""


def _nodes(schema: object, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    node = mapping(schema)
    if not node or depth > DEEPEST:
        return
    yield node
    inner = [*mapping(node.get("properties")).values(), *mapping(node.get("$defs")).values()]
    for child in (*inner, node.get("items"), *node.get("anyOf", ())):
        yield from _nodes(child, depth + 1)
