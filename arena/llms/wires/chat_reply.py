"""What a reply in the OpenAI chat format says, read leniently: servers differ."""

from collections.abc import Mapping
from decimal import Decimal

from arena.http import HttpReply
from arena.llms.failure import read_failure
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
from arena.llms.wires.tool_calls import calls_from
from arena.llms.wires.wire import WireReply
from arena.records.answer import ToolCall, Trouble, Usage
from arena.records.money import Usd, usd
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


def read_chat(reply: HttpReply, redact: Redactor) -> WireReply:
    """Understand one HTTP reply; nothing that a server says makes this raise.

    Reasoning is passed over wherever a server puts it: only `content` is the reply.

    Args:
        reply: What came, its body already without the key.
        redact: Takes the key out of every word that is kept.
    """
    liner = Liner(redact)
    body = body_of(reply)
    if body is None and reply.is_success:
        return no_json(reply, liner)
    completion = _completion(body or {})
    if body is None or not reply.is_success or completion.get("error"):
        return read_failure(reply, body and completion, liner, _usage(completion))
    return _success(reply, completion, liner)


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
