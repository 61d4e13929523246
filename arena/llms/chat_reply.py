"""What a reply in the OpenAI chat format says, read leniently: servers differ."""

from collections.abc import Mapping

from arena.http import HttpReply
from arena.llms.failure import read_failure
from arena.llms.lenient import (
    CUT_OFF,
    LONGEST_DETAIL,
    NO_WORDS,
    Liner,
    body_of,
    first,
    mapping,
    wordless,
    words,
)
from arena.llms.openai_usage import usage_in
from arena.llms.wire import WireReply
from arena.records.answer import Trouble, Usage
from arena.secrets import Redactor

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
    said = _completion(body or {})
    if body is None or not reply.is_success or said.get("error"):
        return read_failure(reply, body and said, liner, _usage(said))
    return _success(reply, said, liner)


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


def _success(reply: HttpReply, said: Mapping[str, object], liner: Liner) -> WireReply:
    choice = first(said.get("choices"))
    message = mapping(choice.get("message"))
    finish = liner.line(choice.get("finish_reason"))
    if not message or finish == "error" or choice.get("error"):
        missing = "it ended in an error" if message else "there is no message in it"
        told = choice.get("error") or {"message": missing}
        return read_failure(reply, {**said, "error": told}, liner, _usage(said))
    text = liner.redact.text(words(message.get("content")))
    ends = {finish.casefold(), liner.line(choice.get("native_finish_reason")).casefold()}
    trouble, detail = _trouble_with(ends, text, words(message.get("refusal")))
    if trouble is Trouble.EMPTY:
        called = message.get("tool_calls") or message.get("function_call")
        thought = message.get("reasoning") or message.get("reasoning_content")
        detail = wordless(called=called, thought=thought)
    return WireReply(
        text=text or None,
        model=liner.line(said.get("model")),
        finish=finish,
        usage=_usage(said),
        trouble=trouble,
        detail=liner.line(detail, LONGEST_DETAIL),
        billed=True,
        route=liner.line(said.get("provider")),
        tier=liner.line(said.get("service_tier")),
    )


def _trouble_with(ends: set[str], text: str, refusal: str) -> tuple[Trouble | None, str]:
    if refusal or ends & FILTERED:
        return Trouble.REFUSAL, refusal or "the provider's filter stopped it"
    if ends & CUT:
        return Trouble.TRUNCATED, CUT_OFF
    if not text.strip():
        return Trouble.EMPTY, NO_WORDS
    return None, ""


def _usage(said: Mapping[str, object]) -> Usage:
    return usage_in(said, "prompt_tokens", "completion_tokens")
