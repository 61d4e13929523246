"""The OpenAI responses format."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from arena.http import HttpReply
from arena.llms.client import wire_client
from arena.llms.profile import COMMON
from arena.llms.retries import read_failure
from arena.llms.wires.lenient import (
    LONGEST_DETAIL,
    NO_WORDS,
    Liner,
    body_of,
    mapping,
    wordless,
    words,
)
from arena.llms.wires.openai_chat import bearer, named_schema, no_json, usage_in
from arena.llms.wires.wire import (
    Ask,
    Output,
    WireReply,
    body_in,
    calls_from,
    declared,
    sent_back,
)
from arena.ports import Llm
from arena.records.answer import ToolCall, ToolStep, Trouble, Usage
from arena.records.settings import ModelSettings
from arena.secrets import Redactor

ENDED = frozenset({"", "completed", "incomplete"})
FILTERED = "content_filter"
CALL = "function_call"
ENCRYPTED = "reasoning.encrypted_content"


def _success(body: Mapping[str, object], status: str, liner: Liner) -> WireReply:
    why = liner.line(mapping(body.get("incomplete_details")).get("reason"))
    parts = list(_parts(body))
    spoken = [words([part]) for part in parts if part.get("type") != "refusal"]
    refusal = " ".join(words(part.get("refusal")) for part in parts if _refuses(part))
    text = liner.redact.text("".join(spoken))
    trouble, detail = _trouble_with(why if status == "incomplete" or why else "", text, refusal)
    if status == "incomplete" and not why:
        trouble, detail = Trouble.TRUNCATED, "the answer came incomplete"
    if trouble is Trouble.EMPTY:
        kinds = [liner.line(item.get("type")) for item in _items(body)]
        called = any(kind.endswith("_call") for kind in kinds)
        detail = wordless(called=called, thought="reasoning" in kinds)
    return WireReply(
        text=text or None,
        model=liner.line(body.get("model")),
        finish=why or status,
        usage=_usage(body),
        trouble=trouble,
        detail=liner.line(detail, LONGEST_DETAIL),
        billed=True,
        route=liner.line(body.get("provider")),
        tier=liner.line(body.get("service_tier")),
        calls=_calls(body, liner),
    )


def _calls(body: Mapping[str, object], liner: Liner) -> tuple[ToolCall, ...]:
    items = [item for item in _items(body) if item.get("type") == CALL]
    parts = (
        (i.get("call_id") or i.get("id"), i.get("name"), i.get("arguments")) for i in items
    )
    return calls_from(parts, liner.redact)


def _step(step: ToolStep) -> list[Mapping[str, object]]:
    """Say a step: what it thought, its words, its calls and their results."""
    thoughts = [
        {name: item[name] for name in ("type", "summary", "encrypted_content") if name in item}
        for item in _items(body_in(step.raw))
        if item.get("type") == "reasoning" and item.get("encrypted_content")
    ]
    spoken = [{"role": "assistant", "content": step.text}] if step.text else []
    called = [
        {"type": CALL, "call_id": c.id, "name": c.name, "arguments": sent_back(c)}
        for c in step.calls
    ]
    results = zip(step.calls, step.results, strict=True)
    outputs = [
        {"type": "function_call_output", "call_id": c.id, "output": text} for c, text in results
    ]
    return [*thoughts, *spoken, *called, *outputs]


def _items(body: Mapping[str, object]) -> list[Mapping[str, object]]:
    output = body.get("output")
    return [mapping(item) for item in output] if isinstance(output, list) else []


def _parts(body: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    for item in _items(body):
        if item.get("type", "message") == "message" and item.get("phase") != "commentary":
            content = item.get("content")
            if isinstance(content, str):
                yield {"text": content}
            elif isinstance(content, list):
                yield from (mapping(part) for part in content)


def _refuses(part: Mapping[str, object]) -> bool:
    return part.get("type") == "refusal" and bool(words(part.get("refusal")).strip())


def _trouble_with(why: str, text: str, refusal: str) -> tuple[Trouble | None, str]:
    if refusal or why == FILTERED:
        return Trouble.REFUSAL, refusal or "the provider's filter stopped it"
    if why:
        return Trouble.TRUNCATED, f"the answer came incomplete: {why}"
    if not text.strip():
        return Trouble.EMPTY, NO_WORDS
    return None, ""


def _usage(body: Mapping[str, object]) -> Usage:
    return usage_in(body, "input_tokens", "output_tokens")


def from_settings(settings: ModelSettings, key: str | None) -> Llm:
    """Build the client of a model behind `POST {base_url}/responses`.

    Options are those of the chat format, without `token_field`. Nothing is kept at the
    provider: `store` is false.

    Args:
        settings: The model, its server, its prices and options.
        key: Sent as a bearer token; None sends none.

    Raises:
        ArenaError: The address, an option or the key cannot be used.
    """
    return wire_client(OpenAiResponses(), settings, key)


@dataclass(frozen=True, slots=True)
class OpenAiResponses:
    """Says questions and reads replies in the OpenAI responses format."""

    options: tuple[str, ...] = (*COMMON, "route")

    def url(self, settings: ModelSettings) -> str:
        """Give the address that a model is asked at."""
        return f"{settings.base_url.rstrip('/')}/responses"

    def headers(self, settings: ModelSettings, key: str | None) -> tuple[tuple[str, str], ...]:  # noqa: ARG002  the port's
        """Give the headers of a request, the key among them."""
        return bearer(key)

    def body(self, ask: Ask) -> Mapping[str, object]:
        """Write a question as the JSON of a request."""
        last = ask.question.last
        body: dict[str, object] = {
            "model": ask.settings.model,
            "instructions": ask.question.system,
            "input": [
                {"role": "user", "content": ask.question.first},
                *(item for step in ask.question.steps for item in _step(step)),
                *([{"role": "user", "content": last}] if last else []),
            ],
            "max_output_tokens": ask.settings.max_tokens,
            "store": False,
            "stream": False,
        }
        if ask.output is Output.SCHEMA and ask.question.schema:
            schema = named_schema(ask.question, ask.profile)
            body["text"] = {"format": {"type": "json_schema", **schema}}
        elif ask.output is Output.JSON:
            body["text"] = {"format": {"type": "json_object"}}
        if ask.question.tools:
            body["tools"] = [{"type": "function", **tool} for tool in declared(ask.question)]
        if (ask.question.tools or ask.question.steps) and ask.profile.efforts:
            body["include"] = [ENCRYPTED]  # what it thought goes back with its calls
        return body

    def read(self, reply: HttpReply, redact: Redactor) -> WireReply:
        """Understand one HTTP reply; nothing that a server says makes this raise.

        Only messages are the reply, and not those that comment on the work under way:
        reasoning and every other item of `output` are passed over.
        """
        liner = Liner(redact)
        body = body_of(reply)
        if body is None and reply.is_success:
            return no_json(reply, liner)
        if body is None or not reply.is_success or body.get("error"):
            return read_failure(reply, body, liner, _usage(body or {}))
        status = liner.line(body.get("status"))
        if status not in ENDED or not isinstance(body.get("output"), list):
            error = {
                "message": f"it came as {status}" if status else "there is no output in it"
            }
            return read_failure(reply, {**body, "error": error}, liner, _usage(body))
        return _success(body, status, liner)
