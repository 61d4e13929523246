"""The OpenAI chat format, which many providers and local servers speak too."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from arena.http import HttpDoor, HttpReply, spread
from arena.llms.client import WireClient, wire_client
from arena.llms.options import COMMON
from arena.llms.retries import Retries
from arena.llms.wires.chat_reply import message_in, read_chat
from arena.llms.wires.tool_calls import body_in, declared, sent_back
from arena.llms.wires.unsupported_fields import MARKS
from arena.llms.wires.wire import JSON_HEADERS, Ask, Output, Profile, WireReply
from arena.ports import Llm
from arena.records.answer import Question, ToolStep
from arena.records.settings import ModelSettings
from arena.secrets import Redactor

OPTIONS = (*COMMON, "route", "token_field")
SCHEMA_NAME = "decision"
THOUGHTS = ("reasoning_content", "reasoning_details")  # DeepSeek's and OpenRouter's


def from_settings(settings: ModelSettings, key: str | None) -> Llm:
    """Build the client of a model behind `POST {base_url}/chat/completions`.

    Options: `effort` is how hard the model shall think, `output` what it is held to
    (`schema`, `json` or `prompt`), `sampling` holds temperature and its like, `route` pins
    the hosts of a router, `token_field` names the field for `max_tokens`, `profile` says
    otherwise what the model can do, and `extra` is merged into the request. No sampling
    parameter is sent unless it is asked for.

    Args:
        settings: The model, its server, its prices and options.
        key: Sent as a bearer token; None sends none.

    Raises:
        ArenaError: The address, an option or the key cannot be used.
    """
    return chat_client(
        settings, key, door=HttpDoor(), retries=Retries(jitter=spread(settings.name))
    )


def chat_client(
    settings: ModelSettings, key: str | None, *, door: HttpDoor, retries: Retries
) -> WireClient:
    """Build the client as `from_settings` does, with a door and a patience of one's own."""
    return wire_client(OpenAiChat(), settings, key, door=door, retries=retries, allowed=OPTIONS)


@dataclass(frozen=True, slots=True)
class OpenAiChat:
    """Says questions and reads replies in the OpenAI chat format."""

    def url(self, settings: ModelSettings) -> str:
        """Give the address that a model is asked at."""
        return f"{settings.base_url.rstrip('/')}/chat/completions"

    def headers(self, settings: ModelSettings, key: str | None) -> tuple[tuple[str, str], ...]:  # noqa: ARG002  the port's
        """Give the headers of a request, the key among them."""
        return bearer(key)

    def body(self, ask: Ask) -> Mapping[str, object]:
        """Write a question as the JSON of a request."""
        profile, question = ask.profile, ask.question
        marked = profile.caches and question.shared > 0 and MARKS not in ask.without
        messages = [
            {"role": profile.system_role, "content": question.system},
            {"role": "user", "content": _marked(question) if marked else question.first},
            *(message for step in question.steps for message in _step(step)),
            *([{"role": "user", "content": question.last}] if question.last else []),
        ]
        body: dict[str, object] = {
            "model": ask.settings.model,
            "messages": messages,
            profile.token_field: ask.settings.max_tokens,
            "stream": False,  # some servers and proxies stream unless they are told not to
        }
        if ask.output is Output.SCHEMA and question.schema:
            schema = named_schema(question, profile)
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif ask.output is Output.JSON:
            body["response_format"] = {"type": "json_object"}
        if question.tools:
            body["tools"] = [{"type": "function", "function": t} for t in declared(question)]
        return body

    def read(self, reply: HttpReply, redact: Redactor) -> WireReply:
        """Understand one HTTP reply; nothing that a server says makes this raise."""
        return read_chat(reply, redact)


def bearer(key: str | None) -> tuple[tuple[str, str], ...]:
    """Give the headers of a request for JSON, with the key as a bearer token."""
    if key is None:
        return JSON_HEADERS
    return (*JSON_HEADERS, ("Authorization", f"Bearer {key}"))


def named_schema(question: Question, profile: Profile) -> dict[str, object]:
    """Name the schema of a question's answer, strict where the server knows the word."""
    named: dict[str, object] = {"name": SCHEMA_NAME, "schema": json.loads(question.schema)}
    return named | ({"strict": True} if profile.strict else {})


def _step(step: ToolStep) -> list[dict[str, object]]:
    """Say a step: the reply with its calls and, as servers want it back, its reasoning."""
    reply: dict[str, object] = {"role": "assistant", "content": step.text or None}
    kept = message_in(body_in(step.raw))
    reply |= {name: kept[name] for name in THOUGHTS if kept.get(name)}
    if step.calls:
        reply["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": sent_back(call)},
            }
            for call in step.calls
        ]
    results: list[dict[str, object]] = [
        {"role": "tool", "tool_call_id": call.id, "content": text}
        for call, text in zip(step.calls, step.results, strict=True)
    ]
    return [reply, *results]


def _marked(question: Question) -> list[dict[str, object]]:
    """Say the facts in two parts, the first marked as one that others are told too."""
    shared, own = question.first[: question.shared], question.first[question.shared :]
    parts: list[dict[str, object]] = [
        {"type": "text", "text": shared, MARKS: {"type": "ephemeral"}}
    ]
    return [*parts, {"type": "text", "text": own}] if own else parts
