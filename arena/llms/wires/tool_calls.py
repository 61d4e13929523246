"""Tools in every wire format: how they are declared, and what is read of their calls.

A reply that calls tools it was given is kept as one JSON object, `text` and `tool_calls`, so
that a tape says it without a word of any provider's.
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Final

from arena.llms.wires.lenient import mapping, words
from arena.records.answer import Completion, Question, ToolCall, Trouble
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
