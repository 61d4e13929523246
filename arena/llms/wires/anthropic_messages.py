"""The Anthropic messages format: `POST {base_url}/messages`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from arena.http import HttpReply
from arena.llms.client import wire_client
from arena.llms.profile import COMMON
from arena.llms.retries import AttemptVerdict, billed_for, judge_status, judge_words
from arena.llms.wires.lenient import (
    CUT_OFF,
    LONGEST_DETAIL,
    NO_REASON,
    NO_WORDS,
    ONLY_A_TOOL,
    Liner,
    body_of,
    count,
    mapping,
    wordless,
    words,
    wrong_option,
)
from arena.llms.wires.openai_chat import no_json
from arena.llms.wires.request import ANTHROPIC, schema_for
from arena.llms.wires.unsupported_fields import FORMAT, MARKS, refused_field
from arena.llms.wires.wire import (
    JSON_HEADERS,
    Ask,
    Output,
    WireReply,
    body_in,
    calls_from,
    declared,
)
from arena.ports import Llm
from arena.records.answer import Question, ToolCall, Trouble, Usage
from arena.records.settings import ModelSettings
from arena.secrets import Redactor

VERSION = "2023-06-01"
OVERLOADED = 529
FAST = "fast"  # https://platform.claude.com/docs/en/build-with-claude/fast-mode
MISTAKEN = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY)
# All that is said where the provider does not serve a country; of a key it says more.
# https://github.com/anthropics/claude-code/issues/1613
NOT_ALLOWED = "Request not allowed"
SPENT = frozenset({"billing_error", "enforced_spend_limit_reached"})

CUT = {
    "max_tokens": CUT_OFF,
    "model_context_window_exceeded": "the answer was cut off where the model's memory ends",
    "pause_turn": "the answer was paused before it was complete",
}
# The status that each type of error comes with: a type tells it where the status claims
# success, and where a batch reports one. https://platform.claude.com/docs/en/api/errors
STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "conflict_error": 409,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": OVERLOADED,
}

# A limit that somebody set comes as a plain 400, and only its words tell it from a mistake.
_SPENT = re.compile(
    r"you have reached your (specified|api usage)|credit balance is too low|spend limit",
    re.IGNORECASE,
)
_FILTERED = re.compile("blocked by content filtering", re.IGNORECASE)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_MARK = {"cache_control": {"type": "ephemeral"}}


def from_settings(settings: ModelSettings, key: str | None) -> Llm:
    """Build the client of a model behind `POST {base_url}/messages`.

    Options: `version` is what is sent as `anthropic-version`; the others are those that all
    formats have (`effort`, `output`, `sampling`, `profile`, `extra`).

    Args:
        settings: The model, its server, its prices and options.
        key: Sent as `x-api-key`; None sends none.

    Raises:
        ArenaError: The address, an option or the key cannot be used.
    """
    if not _DAY.fullmatch(_version(settings)):
        raise wrong_option(settings, "version is not a day", f"something like {VERSION}")
    return wire_client(AnthropicMessages(), settings, key)


@dataclass(frozen=True, slots=True)
class AnthropicMessages:
    """Says questions and reads replies in the Anthropic messages format.

    A tool call is never forced and no answer begun for the model: both are refused by newer
    models. There is no JSON mode: without a schema the prompt alone asks for JSON.
    """

    options: tuple[str, ...] = (*COMMON, "version")

    def url(self, settings: ModelSettings) -> str:
        """Give the address that a model is asked at."""
        return f"{settings.base_url.rstrip('/')}/messages"

    def headers(self, settings: ModelSettings, key: str | None) -> tuple[tuple[str, str], ...]:
        """Give the headers of a request; the option `version` overrides the version."""
        plain = (*JSON_HEADERS, ("anthropic-version", _version(settings)))
        return plain if key is None else (*plain, ("x-api-key", key))

    def body(self, ask: Ask) -> Mapping[str, object]:
        """Write a question as the JSON of a request.

        Where the provider has to be told what it may reuse, the rules and the shared part of
        the facts are marked. Nothing is marked in a question that shares nothing.
        """
        question = ask.question
        marked = ask.profile.caches and question.shared > 0 and MARKS not in ask.without
        body: dict[str, object] = {
            "model": ask.settings.model,
            "max_tokens": ask.settings.max_tokens,
            "messages": _messages(question, marked=marked),
        }
        tools = declared(question) or _called(question)
        if tools:
            body["tools"] = [_tool(tool) for tool in tools]
        if tools and not question.tools:
            body["tool_choice"] = {"type": "none"}
        if question.system.strip():
            rules = question.system
            body["system"] = [_block(rules, marked=True)] if marked else rules
        if ask.output is Output.SCHEMA and question.schema:
            schema = schema_for(ANTHROPIC, question.schema)
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        return body

    def read(self, reply: HttpReply, redact: Redactor) -> WireReply:
        """Understand one HTTP reply; nothing that a server says makes this raise."""
        reader = _Reader(Liner(redact), reply)
        body = body_of(reply)
        if not reply.is_success:
            return reader.failure(body)
        if body is None:
            return no_json(reply, reader.liner)
        if body.get("error") or body.get("type") == "error":
            return reader.failure(body)
        if not isinstance(body.get("content"), list | str):
            error = {"type": "api_error", "message": "there is no message in it"}
            return reader.failure({**body, "error": error})
        return reader.message(body)


def _version(settings: ModelSettings) -> str:
    return str(dict(settings.options).get("version", VERSION))


def _messages(question: Question, *, marked: bool) -> list[dict[str, object]]:
    """Say the question and the steps since; replies go back as they came, thoughts and all."""
    said: list[dict[str, object]] = [
        {"role": "user", "content": _facts(question, marked=marked)}
    ]
    for step in question.steps:
        said.append({"role": "assistant", "content": body_in(step.raw).get("content")})
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": text}
            for call, text in zip(step.calls, step.results, strict=True)
        ]
        said += [{"role": "user", "content": results}] if results else []
    if not question.last:
        return said
    after = said.pop()["content"] if said[-1]["role"] == "user" else []
    before = after if isinstance(after, list) else []  # two users in a row are refused
    return [*said, {"role": "user", "content": [*before, _block(question.last, marked=False)]}]


def _tool(tool: Mapping[str, object]) -> dict[str, object]:
    kept = {name: tool[name] for name in ("name", "description") if name in tool}
    return {**kept, "input_schema": tool.get("parameters", {"type": "object"})}


def _called(question: Question) -> list[Mapping[str, object]]:
    """Declare what was called before: a request with calls and without tools is refused."""
    names = dict.fromkeys(call.name for step in question.steps for call in step.calls)
    return [{"name": name} for name in names]


def _facts(question: Question, *, marked: bool) -> object:
    shared, own = question.first[: question.shared], question.first[question.shared :]
    if not marked or not shared.strip():
        return question.first
    if not own.strip():  # a block of white space alone is refused
        return [_block(question.first, marked=True)]
    return [_block(shared, marked=True), _block(own, marked=False)]


def _block(text: str, *, marked: bool) -> dict[str, object]:
    return {"type": "text", "text": text, **(_MARK if marked else {})}


@dataclass(frozen=True, slots=True)
class _Reader:
    liner: Liner
    reply: HttpReply

    def message(self, body: Mapping[str, object]) -> WireReply:
        line = self.liner.line
        text = self.liner.redact.text(words(body.get("content")))
        finish = line(body.get("stop_reason"))
        trouble, detail = _trouble_with(finish, text)
        if trouble is Trouble.REFUSAL:
            why = mapping(body.get("stop_details"))
            explanation = [
                line(why.get("category")),
                line(why.get("explanation"), LONGEST_DETAIL),
            ]
            detail = ": ".join(filter(None, explanation)) or detail
        if trouble is Trouble.EMPTY:
            content = body.get("content")
            kinds = (
                [mapping(b).get("type") for b in content] if isinstance(content, list) else []
            )
            thought = "thinking" in kinds or "redacted_thinking" in kinds
            detail = wordless(called="tool_use" in (finish, *kinds), thought=thought)
        return WireReply(
            text=text or None,
            model=line(body.get("model")),
            finish=finish,
            usage=_usage(body),
            trouble=trouble,
            detail=detail,
            billed=True,
            tier=self._tier(mapping(body.get("usage"))),
            calls=_calls(body.get("content"), self.liner.redact),
        )

    def _tier(self, usage: Mapping[str, object]) -> str:
        """Name what sets the price: the fast mode has its own, in whatever tier."""
        speed = self.liner.line(usage.get("speed"))
        return FAST if speed == FAST else self.liner.line(usage.get("service_tier"))

    def failure(self, json_body: Mapping[str, object] | None) -> WireReply:
        """Read an error, whether its status says so or claims success."""
        line = self.liner.line
        body = {} if json_body is None else json_body
        error = mapping(body.get("error"))
        kind = line(error.get("type"))
        message = self.liner.complaint(json_body, self.reply.body)
        status = self.reply.status
        if self.reply.is_success:
            status = STATUS.get(kind, HTTPStatus.INTERNAL_SERVER_ERROR)
        code = line(mapping(error.get("details")).get("error_code"))
        verdict = _verdict_on(status, message, frozenset({kind, code}))
        request = line(body.get("request_id")) or line(self.reply.header("request-id"))
        labels = ", ".join(filter(None, [kind, request]))
        shown, usage = message[:LONGEST_DETAIL], _usage(body)
        mistaken = status in MISTAKEN and verdict.trouble is Trouble.REQUEST
        return WireReply(
            model=line(body.get("model")),
            usage=usage,
            trouble=verdict.trouble,
            detail=f"{shown} ({labels})" if labels else shown,
            again=verdict.again,
            billed=billed_for(status, usage),
            refused=_refused(message) if mistaken else "",
        )


def _verdict_on(status: int, message: str, names: frozenset[str]) -> AttemptVerdict:
    if names & SPENT or _SPENT.search(message):
        return AttemptVerdict(Trouble.QUOTA)
    if _FILTERED.search(message):
        return AttemptVerdict(Trouble.REFUSAL)
    if "forbidden" in names and message == NOT_ALLOWED:
        return AttemptVerdict(Trouble.COUNTRY)
    return judge_words(judge_status(status), message)


def _refused(message: str) -> str:
    """Name the field that a refused request complains of; empty where it is about none."""
    if message.startswith(("output_config.format", "output_format")):
        return FORMAT
    return refused_field(message)


def _trouble_with(finish: str, text: str) -> tuple[Trouble | None, str]:
    if finish == "refusal":
        return Trouble.REFUSAL, NO_REASON
    if finish in CUT:
        return Trouble.TRUNCATED, CUT[finish]
    if finish == "tool_use":
        return (Trouble.UNREADABLE if text.strip() else Trouble.EMPTY), ONLY_A_TOOL
    if not text.strip():
        return Trouble.EMPTY, NO_WORDS
    return None, ""


def _calls(content: object, redact: Redactor) -> tuple[ToolCall, ...]:
    blocks = [mapping(block) for block in content] if isinstance(content, list) else []
    uses = [block for block in blocks if block.get("type") == "tool_use"]
    return calls_from(((u.get("id"), u.get("name"), u.get("input")) for u in uses), redact)


def _usage(body: Mapping[str, object]) -> Usage:
    """Read the usage; what was read from the cache or written to it is counted apart."""
    reported = mapping(body.get("usage"))
    fresh = count(reported.get("input_tokens"))
    cached = count(reported.get("cache_read_input_tokens"))
    written = count(reported.get("cache_creation_input_tokens"))
    return Usage(
        tokens_in=None if fresh is None else fresh + (cached or 0) + (written or 0),
        tokens_out=count(reported.get("output_tokens")),
        tokens_cached=cached,
        tokens_written=written,
        tokens_reasoning=count(
            mapping(reported.get("output_tokens_details")).get("thinking_tokens")
        ),
    )
