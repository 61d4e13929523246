"""The OpenAI chat format, which many providers and local servers speak too.

Replies are read leniently: servers differ.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from arena.http import HttpReply
from arena.llms.client import wire_client
from arena.llms.profile import COMMON
from arena.llms.retries import read_failure
from arena.llms.wires.lenient import (
    CUT_OFF,
    LONGEST_DETAIL,
    NO_WORDS,
    Liner,
    body_of,
    count,
    dollars,
    first,
    mapping,
    wordless,
    words,
)
from arena.llms.wires.unsupported_fields import MARKS
from arena.llms.wires.wire import (
    JSON_HEADERS,
    Ask,
    Output,
    Profile,
    WireReply,
    body_in,
    calls_from,
    declared,
    sent_back,
)
from arena.ports import Llm
from arena.records.answer import Question, ToolCall, ToolStep, Trouble, Usage
from arena.records.money import Usd, usd
from arena.records.settings import ModelSettings
from arena.secrets import Redactor

TICK = 10  # xAI's ticks are this power of ten to a dollar


def usage_in(body: Mapping[str, object], into: str, out: str) -> Usage:
    """Read the tokens and dollars of a reply, in the accounting of any of its servers.

    The total of a question holds its cached part, and that of an answer the reasoning. `cost`
    is what the provider says that it charged, and what it had others charge.

    Args:
        body: The reply.
        into: What the format calls the tokens of a question.
        out: What it calls those of an answer.
    """
    usage = mapping(body.get("usage"))
    question = mapping(usage.get(f"{into}_details"))
    cached = count(question.get("cached_tokens"))
    if cached is None:
        cached = count(usage.get("prompt_cache_hit_tokens"))  # DeepSeek's name
    tokens_in = count(usage.get(into))
    reasoning = count(mapping(usage.get(f"{out}_details")).get("reasoning_tokens"))
    return Usage(
        tokens_in=tokens_in,
        tokens_out=_out(count(usage.get(out)), reasoning, tokens_in, usage),
        cost=_charged(usage),
        tokens_cached=cached,
        tokens_written=count(question.get("cache_write_tokens")),
        tokens_reasoning=reasoning,
    )


def _out(
    completion_tokens: int | None,
    reasoning: int | None,
    tokens_in: int | None,
    usage: Mapping[str, object],
) -> int | None:
    """Count what was billed as an answer: xAI's chat format has the reasoning beside it.

    Only the total of all tokens tells which way of counting it is.
    """
    if completion_tokens is None or reasoning is None or tokens_in is None:
        return completion_tokens
    beside = count(usage.get("total_tokens")) == tokens_in + completion_tokens + reasoning
    return completion_tokens + reasoning if beside else completion_tokens


def _charged(usage: Mapping[str, object]) -> Usd | None:
    """Read what was charged, in dollars; None where that is not said, or not all of it.

    With a key of one's own for a host, OpenRouter's `cost` is its fee alone: what the host
    charges comes on top.
    """
    ticks = count(usage.get("cost_in_usd_ticks"))
    if ticks is not None:
        return usd(Decimal(ticks).scaleb(-TICK))
    cost = dollars(usage.get("cost"))
    if usage.get("is_byok") is not True:
        return cost
    host = dollars(mapping(usage.get("cost_details")).get("upstream_inference_cost"))
    return None if cost is None or host is None else usd(cost + host)


CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
FILTERED = frozenset({"content_filter", "prohibited_content", "refusal", "safety"})


def no_json(reply: HttpReply, liner: Liner) -> WireReply:
    """Understand a reply that claims success and is no JSON object."""
    if not reply.body.strip():
        return WireReply(trouble=Trouble.EMPTY, detail="an empty body", again=True)
    kind = liner.line((reply.header("content-type") or "").partition(";")[0], 60)
    shown = liner.page(reply.body)
    detail = f"expected a JSON object, not {kind or 'no content type'}: {shown}"
    return WireReply(trouble=Trouble.UNREADABLE, detail=detail[:LONGEST_DETAIL])


def _completion(body: Mapping[str, object]) -> Mapping[str, object]:
    """Find the completion, which a router may have nested in `provider`."""
    inner = mapping(body.get("provider"))
    nested = inner.get("choices") and not body.get("choices")
    return {**body, **inner} if nested else body


def message_in(body: Mapping[str, object]) -> Mapping[str, object]:
    """Give the message of a reply; empty where there is none."""
    return mapping(first(_completion(body).get("choices")).get("message"))


def _success(reply: HttpReply, completion: Mapping[str, object], liner: Liner) -> WireReply:
    choice = first(completion.get("choices"))
    message = mapping(choice.get("message"))
    finish = liner.line(choice.get("finish_reason"))
    if not message or finish == "error" or choice.get("error"):
        missing = "it ended in an error" if message else "there is no message in it"
        error = choice.get("error") or {"message": missing}
        return read_failure(reply, {**completion, "error": error}, liner, _usage(completion))
    text = liner.redact.text(words(message.get("content")))
    ends = {finish.casefold(), liner.line(choice.get("native_finish_reason")).casefold()}
    trouble, detail = _trouble_with(ends, text, words(message.get("refusal")))
    if trouble is Trouble.EMPTY:
        called = message.get("tool_calls") or message.get("function_call")
        thought = message.get("reasoning") or message.get("reasoning_content")
        detail = wordless(called=called, thought=thought)
    return WireReply(
        text=text or None,
        model=liner.line(completion.get("model")),
        finish=finish,
        usage=_usage(completion),
        trouble=trouble,
        detail=liner.line(detail, LONGEST_DETAIL),
        billed=True,
        route=liner.line(completion.get("provider")),
        tier=liner.line(completion.get("service_tier")),
        calls=_calls(message, liner),
    )


def _calls(message: Mapping[str, object], liner: Liner) -> tuple[ToolCall, ...]:
    listed = message.get("tool_calls")
    items = [mapping(item) for item in listed] if isinstance(listed, list) else []
    named = ((item.get("id"), mapping(item.get("function"))) for item in items)
    return calls_from(((i, f.get("name"), f.get("arguments")) for i, f in named), liner.redact)


def _trouble_with(ends: set[str], text: str, refusal: str) -> tuple[Trouble | None, str]:
    if refusal or ends & FILTERED:
        return Trouble.REFUSAL, refusal or "the provider's filter stopped it"
    if ends & CUT:
        return Trouble.TRUNCATED, CUT_OFF
    if not text.strip():
        return Trouble.EMPTY, NO_WORDS
    return None, ""


def _usage(completion: Mapping[str, object]) -> Usage:
    return usage_in(completion, "prompt_tokens", "completion_tokens")


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
    return wire_client(OpenAiChat(), settings, key)


@dataclass(frozen=True, slots=True)
class OpenAiChat:
    """Says questions and reads replies in the OpenAI chat format."""

    options: tuple[str, ...] = (*COMMON, "route", "token_field")

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
        """Understand one HTTP reply; nothing that a server says makes this raise.

        Reasoning is passed over wherever a server puts it: only `content` is the reply.
        """
        liner = Liner(redact)
        body = body_of(reply)
        if body is None and reply.is_success:
            return no_json(reply, liner)
        completion = _completion(body or {})
        if body is None or not reply.is_success or completion.get("error"):
            return read_failure(reply, body and completion, liner, _usage(completion))
        return _success(reply, completion, liner)


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
