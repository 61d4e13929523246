"""How each wire format says that a model has spoken: the words, why it stopped, the count.

Source: the API references of OpenAI (chat, responses), Anthropic (messages) and Gemini
(generateContent), and for the dialects of the chat format those of their providers.
"""

import json
from collections.abc import Mapping
from contextlib import suppress

from tests.standins.asked import Asked, Format
from tests.standins.misbehaviour import Dialect, Misbehaviour, Served, Shape, Tokens

TICKS = 10**10  # of xAI's, to a dollar

Words = Mapping[str, str]

_RESPONSES_STATUS = frozenset({"completed", "failed", "in_progress", "cancelled", "queued"})
_FINISH: Mapping[Format, Words] = {
    Format.CHAT: {},
    Format.RESPONSES: {
        "stop": "completed",
        "tool_calls": "completed",
        "length": "max_output_tokens",
        "error": "failed",
    },
    Format.ANTHROPIC: {
        "stop": "end_turn",
        "tool_calls": "tool_use",
        "length": "max_tokens",
        "content_filter": "refusal",
    },
    Format.GEMINI: {
        "stop": "STOP",
        "tool_calls": "STOP",
        "length": "MAX_TOKENS",
        "content_filter": "SAFETY",
        "error": "OTHER",
    },
}
_FILTERED = "This was declined under a usage policy."


def completion(asked: Asked, said: Misbehaviour, tokens: Tokens, *, number: int) -> object:
    """Say a completion in the format of whoever asked.

    Args:
        asked: What was asked.
        said: The words, and what is wrong with them.
        tokens: What the reply is to have counted.
        number: Of the request: part of the reply's id.
    """
    name = said.served.model or asked.model
    finish = "tool_calls" if said.calls else said.finish
    finish = _FINISH[asked.format].get(finish, finish)
    match asked.format:
        case Format.CHAT:
            return _chat(name, finish, said, tokens, number=number)
        case Format.RESPONSES:
            return _responses(name, finish, said, tokens, number=number)
        case Format.ANTHROPIC:
            return _anthropic(name, finish, said, tokens, number=number)
        case Format.GEMINI:
            return _gemini(name, finish, said, tokens, number=number)


def _chat(
    name: str, finish: str, said: Misbehaviour, tokens: Tokens, *, number: int
) -> Mapping[str, object]:
    served = said.served
    choice: dict[str, object] = {
        "index": 0,
        "message": _chat_message(said),
        "finish_reason": finish,
    }
    whole: dict[str, object] = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "model": name,
        "choices": [choice],
    }
    if served.usage:
        whole["usage"] = _chat_usage(served, tokens)
    if served.tier:
        whole["service_tier"] = served.tier
    if served.route or served.dialect is Dialect.OPENROUTER:
        whole["provider"] = served.route or "Somebody"
        choice["native_finish_reason"] = finish
    if said.shape is Shape.NONE:
        return whole | {"choices": []}
    if said.shape is Shape.WHOLE:
        return whole
    hollow: dict[str, object] = dict.fromkeys(("id", "choices", "model", "object"))
    return hollow | ({"provider": whole} if said.shape is Shape.NESTED else {})


def _chat_message(said: Misbehaviour) -> Mapping[str, object]:
    message: dict[str, object] = {"role": "assistant", "content": said.content}
    if said.refusal is not None:
        message["refusal"] = said.refusal
    if said.calls:
        message["tool_calls"] = [
            {"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}
            for key, name, arguments in _called(said)
        ]
    if not said.thinking:
        return message
    match said.served.dialect:
        case Dialect.MISTRAL:
            thought = {"type": "text", "text": said.thinking}
            message["content"] = [
                {"type": "thinking", "thinking": [thought]},
                {"type": "text", "text": said.content},
            ]
        case Dialect.OPENROUTER | Dialect.OLLAMA:
            message["reasoning"] = said.thinking
        case _:
            message["reasoning_content"] = said.thinking
    return message


def _called(said: Misbehaviour) -> list[tuple[str, str, str]]:
    """Give each call an id, a name and arguments."""
    return [(f"call-{n}", *call) for n, call in enumerate(said.calls, 1)]


def _object(arguments: str) -> object:
    """Read arguments for a format that has them as an object."""
    with suppress(ValueError):
        return json.loads(arguments)
    return {"unreadable": arguments}


def _chat_usage(served: Served, tokens: Tokens) -> Mapping[str, object]:
    beside = tokens.reasoning if served.dialect is Dialect.XAI else 0
    usage: dict[str, object] = {
        "prompt_tokens": tokens.read,
        "completion_tokens": tokens.said - beside,
        "total_tokens": tokens.read + tokens.said,
    }
    if served.cost is not None and served.dialect is Dialect.XAI:
        usage["cost_in_usd_ticks"] = round(served.cost * TICKS)
    elif served.cost is not None:
        usage |= {"cost": served.cost, "is_byok": False}
    if served.dialect is Dialect.OLLAMA:
        return usage
    usage["completion_tokens_details"] = {"reasoning_tokens": tokens.reasoning}
    if served.dialect is Dialect.DEEPSEEK:
        usage["prompt_cache_hit_tokens"] = tokens.cached
        usage["prompt_cache_miss_tokens"] = tokens.read - tokens.cached
    else:
        usage["prompt_tokens_details"] = _cached(tokens)
    return usage


def _cached(tokens: Tokens) -> Mapping[str, object]:
    written = {"cache_write_tokens": tokens.written} if tokens.written else {}
    return {"cached_tokens": tokens.cached, **written}


def _responses(
    name: str, finish: str, said: Misbehaviour, tokens: Tokens, *, number: int
) -> Mapping[str, object]:
    status = finish if finish in _RESPONSES_STATUS else "incomplete"
    reason = None if status == finish else {"reason": finish}
    failed = {"code": "server_error", "message": "The model failed."}
    whole: dict[str, object] = {
        "id": f"resp_{number}",
        "object": "response",
        "status": status,
        "model": name,
        "output": _responses_output(said, status, number=number),
        "incomplete_details": reason,
        "error": failed if status == "failed" else None,
    }
    if said.served.tier:
        whole["service_tier"] = said.served.tier
    if said.served.usage:
        whole["usage"] = {
            "input_tokens": tokens.read,
            "input_tokens_details": _cached(tokens),
            "output_tokens": tokens.said,
            "output_tokens_details": {"reasoning_tokens": tokens.reasoning},
            "total_tokens": tokens.read + tokens.said,
        }
    if said.shape is not Shape.WHOLE:
        whole["output"] = [] if said.shape is Shape.NONE else None
    return whole


def _responses_output(said: Misbehaviour, status: str, *, number: int) -> list[object]:
    spoken: list[object] = []
    if isinstance(said.content, str):
        spoken.append({"type": "output_text", "text": said.content, "annotations": []})
    elif isinstance(said.content, list):
        spoken += said.content
    if said.refusal is not None:
        spoken.append({"type": "refusal", "refusal": said.refusal})
    message = {
        "type": "message",
        "id": f"msg_{number}",
        "role": "assistant",
        "status": status,
        "content": spoken,
    }
    items: list[object] = [message] if spoken else []
    items += [
        {
            "type": "function_call",
            "id": f"fc_{key}",
            "call_id": key,
            "name": name,
            "arguments": a,
        }
        for key, name, a in _called(said)
    ]
    if not said.thinking:
        return items
    summary = {"type": "summary_text", "text": said.thinking}
    thought = {"type": "reasoning", "id": f"rs_{number}", "summary": [summary]}
    return [thought | {"encrypted_content": "c2VhbGVk"}, *items]


def _anthropic(
    name: str, finish: str, said: Misbehaviour, tokens: Tokens, *, number: int
) -> Mapping[str, object]:
    refused = said.refusal is not None or said.shape is Shape.BLOCKED
    spoken: list[object] = []
    if said.thinking:
        thought = {"type": "thinking", "thinking": said.thinking, "signature": "c2lnbmVk"}
        spoken.append(thought)
    if isinstance(said.content, str):
        spoken.append({"type": "text", "text": said.content})
    elif isinstance(said.content, list):
        spoken += said.content
    spoken += [
        {"type": "tool_use", "id": key, "name": name, "input": _object(arguments)}
        for key, name, arguments in _called(said)
    ]
    content: list[object] | None = spoken if said.shape is Shape.WHOLE else []
    whole: dict[str, object] = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": name,
        "content": None if said.shape in {Shape.NULL, Shape.NESTED} else content,
        "stop_reason": "refusal" if refused else finish,
        "stop_sequence": None,
    }
    if whole["stop_reason"] == "refusal":
        why = said.refusal or _FILTERED
        whole["stop_details"] = {"type": "refusal", "category": "cyber", "explanation": why}
    if said.served.usage:
        whole["usage"] = _anthropic_usage(said.served, tokens)
    return whole


def _anthropic_usage(served: Served, tokens: Tokens) -> Mapping[str, object]:
    return {
        "input_tokens": tokens.read - tokens.cached - tokens.written,
        "cache_creation_input_tokens": tokens.written,
        "cache_read_input_tokens": tokens.cached,
        "cache_creation": {
            "ephemeral_5m_input_tokens": tokens.written,
            "ephemeral_1h_input_tokens": 0,
        },
        "output_tokens": tokens.said,
        "output_tokens_details": {"thinking_tokens": tokens.reasoning},
        "service_tier": served.tier or "standard",
    }


def _gemini(
    name: str, finish: str, said: Misbehaviour, tokens: Tokens, *, number: int
) -> Mapping[str, object]:
    refused = said.refusal is not None
    candidate: dict[str, object] = {
        "content": {"role": "model", **_gemini_parts(said)},
        "finishReason": "SAFETY" if refused else finish,
        "index": 0,
    }
    if refused:
        candidate["finishMessage"] = said.refusal
    whole: dict[str, object] = {
        "candidates": [candidate],
        "modelVersion": name,
        "responseId": f"response-{number}",
    }
    if said.served.usage:
        whole["usageMetadata"] = _gemini_usage(said.served, tokens)
    match said.shape:
        case Shape.BLOCKED:
            del whole["candidates"]
            whole["promptFeedback"] = {"blockReason": "PROHIBITED_CONTENT"}
        case Shape.NONE:
            whole["candidates"] = []
        case Shape.NULL | Shape.NESTED:
            whole["candidates"] = None
        case Shape.WHOLE:
            pass
    return whole


def _gemini_parts(said: Misbehaviour) -> Mapping[str, object]:
    found: list[object] = []
    if said.thinking:
        found.append({"text": said.thinking, "thought": True})
    if isinstance(said.content, str):
        found.append({"text": said.content})
    elif isinstance(said.content, list):
        found += said.content
    found += [
        {
            "functionCall": {"name": name, "args": _object(arguments)},
            "thoughtSignature": "c2lnbmVk",
        }
        for _, name, arguments in _called(said)
    ]
    return {"parts": found} if found else {}


def _gemini_usage(served: Served, tokens: Tokens) -> Mapping[str, object]:
    usage: dict[str, object] = {
        "promptTokenCount": tokens.read,
        "candidatesTokenCount": tokens.said - tokens.reasoning,
        "totalTokenCount": tokens.read + tokens.said,
    }
    if tokens.cached:
        usage["cachedContentTokenCount"] = tokens.cached
    if tokens.reasoning:
        usage["thoughtsTokenCount"] = tokens.reasoning
    if served.tier:
        usage["serviceTier"] = served.tier
    return usage
