"""What every wire format has to be able to do: say a question, and understand the reply.

Tools are declared in every format. A reply that calls tools it was given is kept as one JSON
object, `text` and `tool_calls`, so that a tape says it without a word of any provider's.
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Protocol

from arena.http import HttpReply
from arena.llms.wires.lenient import mapping, words
from arena.records.answer import Completion, Question, ToolCall, Trouble, Usage
from arena.records.settings import ModelSettings
from arena.secrets import Redactor

MOST_CALLS: Final = 128  # of a reply that are read
LONGEST_NAME: Final = 128
LONGEST_ARGUMENTS: Final = 20_000
_CALLING = frozenset({None, Trouble.EMPTY, Trouble.UNREADABLE})


def declared(question: Question) -> list[Mapping[str, object]]:
    """Give the tools of a question: `name`, `description` and `parameters`, a JSON schema."""
    return [mapping(tool) for tool in json.loads(question.tools)] if question.tools else []


def calls_from(
    parts: Iterable[tuple[object, object, object]], redact: Redactor | None = None
) -> tuple[ToolCall, ...]:
    """Read calls of tools, each of an id, a name and arguments, which may be anything.

    One without a name is left out; one without an id is numbered.

    Args:
        parts: Id, name and arguments of each.
        redact: Takes the key out of arguments; None where that was done.
    """
    calls: list[ToolCall] = []
    for given, name, arguments in parts:
        if not isinstance(name, str) or not name.strip():
            continue
        number = f"call_{len(calls) + 1}"
        named = given if isinstance(given, str) and given else number
        text = arguments if isinstance(arguments, str) else _json(arguments)
        text = words(redact.text(text) if redact else text)
        call = ToolCall(named, name.strip()[:LONGEST_NAME], text[:LONGEST_ARGUMENTS])
        calls.append(call)
    return tuple(calls[:MOST_CALLS])


def with_calls(completion: Completion, question: Question) -> Completion:
    """Put the calls of tools that a question gave into the text: such a reply is sound."""
    calls = completion.calls
    if not (question.tools and calls and completion.trouble in _CALLING):
        return completion
    last = [replace(each, trouble=None, detail="") for each in completion.attempts[-1:]]
    named = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in calls]
    return replace(
        completion,
        text=_json({"text": completion.text or "", "tool_calls": named}),
        trouble=None,
        detail="",
        attempts=(*completion.attempts[:-1], *last),
        calls=(),
    )


def calls_in(text: str) -> tuple[str, tuple[ToolCall, ...]]:
    """Read the words and the calls of a reply as `with_calls` writes them; else words alone."""
    with suppress(ValueError, RecursionError):
        body = mapping(json.loads(text))
        listed = body.get("tool_calls")
        if isinstance(listed, list):
            items = [mapping(item) for item in listed]
            parts = ((i.get("id"), i.get("name"), i.get("arguments")) for i in items)
            return str(body.get("text") or ""), calls_from(parts)
    return text, ()


def arguments_of(call: ToolCall) -> Mapping[str, object] | None:
    """Give the arguments of a call; None where they are no JSON object."""
    with suppress(ValueError, RecursionError):
        value = json.loads(call.arguments or "{}")
        if isinstance(value, Mapping):
            return value
    return None


def sent_back(call: ToolCall) -> str:
    """Give arguments as a provider takes them back: those that are no object are none."""
    return "{}" if arguments_of(call) is None else call.arguments or "{}"


def body_in(raw: bytes) -> Mapping[str, object]:
    """Give the JSON of a reply that was kept; empty where there is none."""
    with suppress(ValueError, RecursionError):
        return mapping(json.loads(raw))
    return {}


def _json(value: object) -> str:
    with suppress(TypeError, ValueError, RecursionError):
        return json.dumps(value, default=float)
    return ""


class Output(StrEnum):
    """How a model is held to the format of its answer, the surest first."""

    SCHEMA = "schema"  # the provider enforces the JSON schema
    JSON = "json"  # the provider enforces JSON
    PROMPT = "prompt"  # nobody does: the prompt asks for it


Placed = tuple[tuple[str, str | int | bool], ...]
"""Values and where they go: `("thinking.type", "adaptive")` is `thinking: {type: adaptive}`."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What a model can do, as data; this one is the safest, for a model nobody knows.

    `output` is the best that it can be held to, and `strict` says that a schema is sent as
    strict. `json_mode` says that its format can ask for JSON without a schema. `token_field`
    names the request's field for the longest answer, `system_role` who says the rules.

    `efforts` are the words that the model takes for how hard it shall think, none where it
    takes no such word; `effort_field` is where the word goes, dotted (`reasoning.effort`).
    `with_effort` goes into the request beside the word, and `effort_none` instead of it where
    thinking is turned off in a way of its own.

    `sampling` says whether temperature and its like may be sent; `sampling_field` is the
    mapping that they belong to, empty for the request itself. `caches` says that its provider
    reuses a question's beginning only when it is marked in the request. `always` goes into
    every request.
    """

    output: Output = Output.PROMPT
    strict: bool = False
    json_mode: bool = True
    token_field: str = "max_tokens"  # noqa: S105  # tokens of text
    system_role: str = "system"
    efforts: tuple[str, ...] = ()
    effort_field: str = ""
    with_effort: Placed = ()
    effort_none: Placed = ()
    sampling: bool = False
    sampling_field: str = ""
    caches: bool = False
    always: Placed = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """One request to be made: a question, and what the server is to be spared.

    `output` is what is asked for now, which may be less than the profile's best: never a
    schema where the question has none. `without` are fields of the request that this server
    has refused, dotted; they are taken out after the wire has said the question.
    """

    settings: ModelSettings
    profile: Profile
    question: Question
    output: Output
    without: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class WireReply:
    """A reply understood: words, or the trouble with it and whether to ask again.

    `usage` holds a cost only where the provider reported one. `wait` is how many seconds the
    body (not a header) asked to be left alone. `refused` names the field of the request that
    the server will not have, where that is its complaint (`unsupported_fields.refused_field`).
    """

    text: str | None = None
    model: str = ""
    finish: str = ""
    usage: Usage = field(default_factory=Usage)
    trouble: Trouble | None = None
    detail: str = ""
    again: bool = False
    billed: bool | None = None
    wait: float | None = None
    refused: str = ""
    route: str = ""
    tier: str = ""
    calls: tuple[ToolCall, ...] = ()


JSON_HEADERS = (("Content-Type", "application/json"), ("Accept", "application/json"))
"""The headers of a request in JSON for JSON, without a key."""


class Wire(Protocol):
    """A wire format, as pure functions. One client drives them all (`llms.client`)."""

    @property
    def options(self) -> tuple[str, ...]:
        """The names of the options that a model of this format has."""

    def url(self, settings: ModelSettings) -> str:
        """Give the address that a model is asked at."""

    def headers(self, settings: ModelSettings, key: str | None) -> tuple[tuple[str, str], ...]:
        """Give the headers of a request, the key among them."""

    def body(self, ask: Ask) -> Mapping[str, object]:
        """Say a question as the JSON of a request: model, messages, length and format.

        Effort, sampling, the pinned route and `extra` are not the wire's business: they are
        put in by `request_of`, from the options and the profile.
        """

    def read(self, reply: HttpReply, redact: Redactor) -> WireReply:
        """Understand one HTTP reply; nothing that a server says makes this raise.

        The body comes without the key already; `redact` is for words taken from it.
        """
