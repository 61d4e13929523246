"""The Gemini format: `POST {base_url}/models/{model}:generateContent`."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote

from arena.http import HttpReply
from arena.llms.attempts import Verdict, judge_status
from arena.llms.complaint import FORMAT, refused_field
from arena.llms.lenient import (
    LONGEST_DETAIL,
    Liner,
    body_of,
    count,
    dollars,
    first,
    mapping,
    words,
)
from arena.llms.redact import Redactor
from arena.llms.subset import GEMINI, schema_for
from arena.llms.wire import Ask, Output, WireReply
from arena.records.answer import Trouble, Usage
from arena.records.settings import ModelSettings

JSON = "application/json"
DONE = frozenset({"", "STOP", "FINISH_REASON_UNSPECIFIED"})
CUT = frozenset({"CONTINUATION", "MAX_TOKENS"})
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

_SECONDS = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)s", re.ASCII)
_NEVER = re.compile(r"\blimit: 0\b")
_UNKNOWN = re.compile(r"""Unknown name "(\w{1,80})"(?: at '([\w.]{1,200})')?""", re.ASCII)
_SNAKE = re.compile(r"_([a-z])")


@dataclass(frozen=True, slots=True)
class Gemini:
    """Says questions and reads replies in Google's generateContent format."""

    def url(self, settings: ModelSettings) -> str:
        """Give the address that a model is asked at; the key is never a part of it."""
        model = quote(settings.model.removeprefix("models/"), safe="")
        return f"{settings.base_url.rstrip('/')}/models/{model}:generateContent"

    def headers(self, settings: ModelSettings, key: str | None) -> tuple[tuple[str, str], ...]:  # noqa: ARG002  the port's
        """Give the headers of a request, the key among them."""
        plain = (("Content-Type", JSON), ("Accept", JSON))
        return plain if key is None else (*plain, ("x-goog-api-key", key))

    def body(self, ask: Ask) -> Mapping[str, object]:
        """Say a question as the JSON of a request.

        A model that takes no rules of their own (`systemInstruction` was refused) is told
        them at the beginning of the question.
        """
        question = ask.question
        told = [question.user]
        said: dict[str, object] = {}
        if question.system.strip():
            if RULES in ask.without:
                told.insert(0, question.system)
            else:
                said[RULES] = {"parts": [{"text": question.system}]}
        said["contents"] = [{"role": "user", "parts": [{"text": text} for text in told]}]
        said["generationConfig"] = _generation(ask)
        return said

    def read(self, reply: HttpReply, redact: Redactor) -> WireReply:
        """Understand one HTTP reply; nothing that a server says makes this raise."""
        reader = _Reader(Liner(redact), reply)
        body = body_of(reply)
        if reply.status // 100 != HTTPStatus.OK // 100:
            return reader.failure(body or {})
        if body is None:
            return reader.no_json()
        candidate = first(body.get("candidates"))
        feedback = mapping(body.get("promptFeedback"))
        if body.get("error"):
            return reader.failure(body)
        if candidate:
            return reader.candidate(body, candidate)
        if feedback.get("blockReason"):
            return reader.blocked(body, feedback)
        return reader.failure({**body, "error": "there is no candidate in it"})


def _generation(ask: Ask) -> dict[str, object]:
    said: dict[str, object] = {"maxOutputTokens": ask.settings.max_tokens}
    if ask.output is not Output.PROMPT:
        said["responseMimeType"] = JSON
    if ask.output is Output.SCHEMA and ask.question.schema:
        said["responseJsonSchema"] = schema_for(GEMINI, ask.question.schema)
    return said


@dataclass(frozen=True, slots=True)
class _Reader:
    liner: Liner
    reply: HttpReply

    def candidate(
        self, body: Mapping[str, object], candidate: Mapping[str, object]
    ) -> WireReply:
        """Read an answer."""
        line = self.liner.line
        finish = line(candidate.get("finishReason"))
        text = self.liner.redact.text(_spoken(mapping(candidate.get("content")).get("parts")))
        trouble, detail = _trouble_with(finish, text)
        told = line(candidate.get("finishMessage"), LONGEST_DETAIL)
        return WireReply(
            text=text or None,
            model=line(body.get("modelVersion")),
            finish=finish,
            usage=_usage(body),
            trouble=trouble,
            detail=f"{detail}: {told}" if trouble and told else detail,
            billed=True,
            tier=_tier(body, line),
        )
