"""The Gemini format: `POST {base_url}/models/{model}:generateContent`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote

from arena.http import HttpReply
from arena.llms.client import wire_client
from arena.llms.profile import COMMON
from arena.llms.retries import AttemptVerdict, billed_for, judge_status, judge_words
from arena.llms.wires.lenient import (
    CUT_OFF,
    LONGEST_DETAIL,
    NO_REASON,
    NO_WORDS,
    Liner,
    body_of,
    count,
    first,
    mapping,
    wordless,
    words,
)
from arena.llms.wires.openai_chat import no_json
from arena.llms.wires.request import GEMINI, schema_for
from arena.llms.wires.unsupported_fields import FORMAT, refused_field
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
from arena.records.answer import ToolCall, ToolStep, Trouble, Usage
from arena.records.settings import ModelSettings
from arena.secrets import Redactor

JSON = "application/json"
DONE = "STOP"
CUT = {
    "MAX_TOKENS": CUT_OFF,
    "CONTINUATION": "the answer goes on elsewhere",
    "": "it was not said that the answer is complete",
}
REFUSED = frozenset(
    {"BLOCKLIST", "LANGUAGE", "PROHIBITED_CONTENT", "RECITATION", "SAFETY", "SPII"}
)
# What a failed call is called where its status claims success.
STATUS = {
    "INVALID_ARGUMENT": 400,
    "FAILED_PRECONDITION": 400,
    "OUT_OF_RANGE": 400,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "RESOURCE_EXHAUSTED": 429,
}
BAD_KEY = "API_KEY_INVALID"
# All that is said of a schema whose lists may be too long, and of nothing else of ours.
# https://github.com/googleapis/python-genai/issues/2170
WORDLESS = "Request contains an invalid argument."
RULES = "systemInstruction"
THOUGHTS = "thoughtsTokenCount"

_SECONDS = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)s", re.ASCII)
# Limits that waiting for a minute does not lift, told from those that it does by words alone.
_SPENT = re.compile(
    r"\blimit: 0\b|spend(ing)? (cap|limit)|credits? (is|are) depleted", re.IGNORECASE
)
_BLOCKED = re.compile(r"\b(prompt|content|response) (was|is) blocked", re.IGNORECASE)
_UNKNOWN = re.compile(r"""Unknown name "(\w{1,80})"(?: at '([\w.]{1,200})')?""", re.ASCII)
_SNAKE = re.compile(r"_([a-z])")


def from_settings(settings: ModelSettings, key: str | None) -> Llm:
    """Build the client of a model behind `POST {base_url}/models/{model}:generateContent`.

    Options are those that all formats have (`effort`, `output`, `sampling`, `profile`,
    `extra`).

    Args:
        settings: The model, its server, its prices and options.
        key: Sent as `x-goog-api-key`; None sends none.

    Raises:
        ArenaError: The address, an option or the key cannot be used.
    """
    return wire_client(Gemini(), settings, key)


@dataclass(frozen=True, slots=True)
class Gemini:
    """Says questions and reads replies in Google's generateContent format."""

    options: tuple[str, ...] = COMMON

    def url(self, settings: ModelSettings) -> str:
        """Give the address that a model is asked at; the key is never a part of it."""
        model = quote(settings.model.removeprefix("models/"), safe="")
        return f"{settings.base_url.rstrip('/')}/models/{model}:generateContent"

    def headers(self, settings: ModelSettings, key: str | None) -> tuple[tuple[str, str], ...]:  # noqa: ARG002  the port's
        """Give the headers of a request, the key among them."""
        return JSON_HEADERS if key is None else (*JSON_HEADERS, ("x-goog-api-key", key))

    def body(self, ask: Ask) -> Mapping[str, object]:
        """Write a question as the JSON of a request.

        A model that takes no rules of their own (`systemInstruction` was refused) is told
        them at the beginning of the question.
        """
        question = ask.question
        texts = [question.first]
        body: dict[str, object] = {}
        if question.system.strip():
            if RULES in ask.without:
                texts.insert(0, question.system)
            else:
                body[RULES] = {"parts": [{"text": question.system}]}
        body["contents"] = [
            {"role": "user", "parts": [{"text": text} for text in texts]},
            *(content for step in question.steps for content in _step(step)),
            *([{"role": "user", "parts": [{"text": question.last}]}] if question.last else []),
        ]
        if question.tools:
            body["tools"] = [{"functionDeclarations": [_tool(t) for t in declared(question)]}]
        body["generationConfig"] = _generation(ask)
        return body

    def read(self, reply: HttpReply, redact: Redactor) -> WireReply:
        """Understand one HTTP reply; nothing that a server says makes this raise."""
        reader = _GeminiReader(Liner(redact), reply)
        body = body_of(reply)
        if not reply.is_success:
            return reader.failure(body)
        if body is None:
            return no_json(reply, reader.liner)
        candidate = first(body.get("candidates"))
        feedback = mapping(body.get("promptFeedback"))
        if body.get("error"):
            return reader.failure(body)
        if candidate:
            return reader.candidate(body, candidate)
        if feedback.get("blockReason"):
            return reader.blocked(body, feedback)
        return reader.failure({**body, "error": "there is no candidate in it"})


def _tool(tool: Mapping[str, object]) -> dict[str, object]:
    plain = {name: value for name, value in tool.items() if name != "parameters"}
    return {**plain, "parametersJsonSchema": tool.get("parameters", {"type": "object"})}


def _step(step: ToolStep) -> list[dict[str, object]]:
    """Say a step: the reply goes back as it came, with the signatures of its thoughts."""
    candidate = first(body_in(step.raw).get("candidates"))
    parts = mapping(candidate.get("content")).get("parts")
    results = [
        {"functionResponse": {"name": call.name, "response": {"result": text}}}
        for call, text in zip(step.calls, step.results, strict=True)
    ]
    reply: dict[str, object] = {"role": "model", "parts": parts}
    return [reply, {"role": "user", "parts": results}] if results else [reply]


def _generation(ask: Ask) -> dict[str, object]:
    config: dict[str, object] = {"maxOutputTokens": ask.settings.max_tokens}
    if ask.output is not Output.PROMPT:
        config["responseMimeType"] = JSON
    if ask.output is Output.SCHEMA and ask.question.schema:
        config["responseJsonSchema"] = schema_for(GEMINI, ask.question.schema)
    return config


@dataclass(frozen=True, slots=True)
class _GeminiReader:
    liner: Liner
    reply: HttpReply

    def candidate(
        self, body: Mapping[str, object], candidate: Mapping[str, object]
    ) -> WireReply:
        """Read an answer."""
        line = self.liner.line
        finish = line(candidate.get("finishReason"))
        parts = [mapping(p) for p in _items(mapping(candidate.get("content")).get("parts"))]
        thoughts = [part.get("thought") is True for part in parts]
        spoken = (
            _text(p) for p, is_thought in zip(parts, thoughts, strict=True) if not is_thought
        )
        text = self.liner.redact.text("".join(map(words, spoken)))
        trouble, detail = _trouble_with(finish, text)
        if trouble is Trouble.EMPTY:
            called = any("functionCall" in part for part in parts)
            detail = wordless(called=called, thought=any(thoughts))
        finish_message = line(candidate.get("finishMessage"), LONGEST_DETAIL)
        return WireReply(
            text=text or None,
            model=line(body.get("modelVersion")),
            finish=finish,
            usage=_usage(body),
            trouble=trouble,
            detail=f"{detail}: {finish_message}" if trouble and finish_message else detail,
            billed=True,
            tier=self._tier(body),
            calls=self._calls(parts),
        )

    def _calls(self, parts: Sequence[Mapping[str, object]]) -> tuple[ToolCall, ...]:
        called = [mapping(part["functionCall"]) for part in parts if "functionCall" in part]
        named = ((c.get("id"), c.get("name"), c.get("args") or {}) for c in called)
        return calls_from(named, self.liner.redact)

    def blocked(self, body: Mapping[str, object], feedback: Mapping[str, object]) -> WireReply:
        """Read the reply to a question that was refused itself."""
        line = self.liner.line
        reason = line(feedback.get("blockReason")) or NO_REASON
        block_message = line(feedback.get("blockReasonMessage"), LONGEST_DETAIL)
        return WireReply(
            model=line(body.get("modelVersion")),
            finish=reason,
            usage=_usage(body),
            trouble=Trouble.REFUSAL,
            detail=f"the question was blocked ({reason})"
            + (f": {block_message}" if block_message else ""),
            billed=True,
            tier=self._tier(body),
        )

    def failure(self, json_body: Mapping[str, object] | None) -> WireReply:
        """Read an error, whether its status says so or claims success."""
        line = self.liner.line
        body = {} if json_body is None else json_body
        error = mapping(body.get("error"))
        message = self.liner.complaint(json_body, self.reply.body)
        kind = line(error.get("status"))
        details = [mapping(detail) for detail in _items(error.get("details"))]
        reasons = [reason for d in details if (reason := line(d.get("reason")))]
        status = self._status(error, kind)
        verdict = _verdict_on(status, message, details, reasons)
        labels = ", ".join(dict.fromkeys(filter(None, [kind, *reasons[:3]])))
        shown, usage = message[:LONGEST_DETAIL], _usage(body)
        mistaken = status == HTTPStatus.BAD_REQUEST and verdict.trouble is Trouble.REQUEST
        return WireReply(
            model=line(body.get("modelVersion")),
            usage=usage,
            trouble=verdict.trouble,
            detail=f"{shown} ({labels})" if labels else shown,
            again=verdict.again,
            billed=billed_for(status, usage),
            wait=_wait(details) if verdict.again else None,
            refused=_refused(message) if mistaken else "",
        )

    def _status(self, error: Mapping[str, object], kind: str) -> int:
        if not self.reply.is_success:
            return self.reply.status
        own = count(error.get("code"))
        if own is not None and 400 <= own < 600:  # noqa: PLR2004  errors
            return own
        return STATUS.get(kind, HTTPStatus.INTERNAL_SERVER_ERROR)

    def _tier(self, body: Mapping[str, object]) -> str:
        tier = mapping(body.get("usageMetadata")).get("serviceTier")
        return self.liner.line(tier or self.reply.header("x-gemini-service-tier")).lower()


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _text(part: Mapping[str, object]) -> str:
    text = part.get("text")
    return text if isinstance(text, str) else ""


def _trouble_with(finish: str, text: str) -> tuple[Trouble | None, str]:
    if finish in REFUSED:
        return Trouble.REFUSAL, f"the provider stopped the answer ({finish})"
    if finish in CUT:
        return Trouble.TRUNCATED, CUT[finish]
    if finish != DONE:
        return Trouble.UNREADABLE, f"the answer ended unsoundly ({finish})"
    if not text.strip():
        return Trouble.EMPTY, NO_WORDS
    return None, ""


def _usage(body: Mapping[str, object]) -> Usage:
    """Read the usage; thoughts are billed as output, but counted apart from the answer."""
    reported = mapping(body.get("usageMetadata"))
    tokens_in, total = (
        count(reported.get("promptTokenCount")),
        count(reported.get("totalTokenCount")),
    )
    spoken, thought = count(reported.get("candidatesTokenCount")), count(reported.get(THOUGHTS))
    tokens_out = None
    if spoken is not None or thought is not None:
        out = (spoken or 0) + (thought or 0)  # a count that is 0 may be left out
        left = None if total is None or tokens_in is None else total - tokens_in
        is_whole = None not in {spoken, thought} or left in {None, out}
        tokens_out = out if is_whole else None
    elif total is not None and total == tokens_in:
        tokens_out = 0
    return Usage(
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        tokens_cached=count(reported.get("cachedContentTokenCount")),
        tokens_reasoning=thought,
    )


def _verdict_on(
    status: int,
    message: str,
    details: Sequence[Mapping[str, object]],
    reasons: Sequence[str],
) -> AttemptVerdict:
    if any(BAD_KEY in reason for reason in reasons):
        return AttemptVerdict(Trouble.CREDENTIALS)
    verdict = judge_status(status)
    if verdict.trouble is Trouble.REQUEST and _BLOCKED.search(message):
        return AttemptVerdict(Trouble.REFUSAL)
    if verdict.trouble is Trouble.RATE_LIMITED and _used_up(message, details):
        return AttemptVerdict(Trouble.QUOTA)
    return judge_words(verdict, message)


def _used_up(message: str, details: Iterable[Mapping[str, object]]) -> bool:
    """Tell whether a limit is a day's or an account's, so that no wait is long enough."""
    violations = (mapping(v) for d in details for v in _items(d.get("violations")))
    return _SPENT.search(message) is not None or any(
        "perday" in quota.lower()
        for violation in violations
        if isinstance(quota := violation.get("quotaId"), str)
    )


def _wait(details: Iterable[Mapping[str, object]]) -> float | None:
    delays = (detail.get("retryDelay") for detail in details)
    matches = [_SECONDS.fullmatch(delay) for delay in delays if isinstance(delay, str)]
    seconds = [float(match[1]) for match in matches if match]
    return max(seconds, default=0.0) or None


def _refused(message: str) -> str:
    """Name the field that a refused request complains of; empty where it is about none."""
    if message == WORDLESS or "JSON mode" in message:
        return FORMAT
    if "Developer instruction" in message:
        return RULES
    unknown = _UNKNOWN.search(message)
    field = refused_field(message)
    if unknown is None or field != unknown[1]:
        return field
    where = _SNAKE.sub(lambda letter: letter[1].upper(), unknown[2] or "")
    if "responseJsonSchema" in where:
        return FORMAT
    return f"{where}.{field}" if where else field
