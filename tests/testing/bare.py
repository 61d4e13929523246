"""A bare client of the stand-in server: the standard library and nothing of ours."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from tests.hangs import HANG
from tests.standins.asked import Format
from tests.standins.model_server import Misbehaviour, ModelServer
from tests.standins.scripts import Saying, in_turn

MODEL = "small-1"
KEY = "sk-test-0123456789abcdef"
ALL = tuple(Format)
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"reasoning": {"type": "string"}},
    "required": ["reasoning"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Heard:
    """What came back, with every header as it came."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def all(self, name: str) -> list[str]:
        return [value for known, value in self.headers if known.lower() == name]

    @property
    def json(self) -> Any:  # noqa: ANN401  whatever was said
        return json.loads(self.body)


def path_of(kind: Format, model: str = MODEL) -> str:
    return {
        Format.CHAT: "/v1/chat/completions",
        Format.RESPONSES: "/v1/responses",
        Format.ANTHROPIC: "/v1/messages",
        Format.GEMINI: f"/v1beta/models/{model}:generateContent",
    }[kind]


def body_of(
    kind: Format,
    user: str = "the facts",
    *,
    system: str = "the rules",
    schema: Mapping[str, object] | None = None,
    model: str = MODEL,
) -> dict[str, Any]:
    """A request as small as the format allows."""
    message = {"role": "user", "content": user}
    extra: dict[str, Any]
    match kind:
        case Format.CHAT:
            rules = {"role": "system", "content": system}
            body: dict[str, Any] = {"model": model, "messages": [rules, message]}
            wanted = {"name": "answer", "strict": True, "schema": schema}
            extra = {"response_format": {"type": "json_schema", "json_schema": wanted}}
        case Format.RESPONSES:
            body = {"model": model, "instructions": system, "input": user}
            named = {"type": "json_schema", "name": "answer", "strict": True, "schema": schema}
            extra = {"text": {"format": named}}
        case Format.ANTHROPIC:
            body = {"model": model, "system": system, "messages": [message], "max_tokens": 99}
            form: dict[str, object] = {"type": "json_schema", "schema": schema}
            extra = {"output_config": {"format": form}}
        case Format.GEMINI:
            body = {
                "systemInstruction": {"parts": [{"text": system}]},
                "contents": [{"role": "user", "parts": [{"text": user}]}],
            }
            kind_of = {"responseMimeType": "application/json", "responseJsonSchema": schema}
            extra = {"generationConfig": kind_of}
    return body | extra if schema is not None else body


def headers_of(kind: Format, key: str = KEY) -> dict[str, str]:
    match kind:
        case Format.ANTHROPIC:
            return {"x-api-key": key, "anthropic-version": "2023-06-01"}
        case Format.GEMINI:
            return {"x-goog-api-key": key}
        case _:
            return {"Authorization": f"Bearer {key}"}


def post(
    server: ModelServer,
    kind: Format,
    body: Mapping[str, object] | None = None,
    *,
    headers: Mapping[str, str] | None = None,
) -> Heard:
    """Ask once in a format."""
    sent = json.dumps(body_of(kind) if body is None else body).encode()
    known = headers_of(kind) if headers is None else headers
    return send(server, path_of(kind), sent, known)


def send(server: ModelServer, path: str, body: bytes, headers: Mapping[str, str] = {}) -> Heard:
    """Ask once over a connection of its own, and read the whole reply."""
    door = HTTPConnection(urlsplit(server.base_url).netloc, timeout=HANG)
    try:
        door.request("POST", path, body, dict(headers))
        reply = door.getresponse()
        return Heard(reply.status, tuple(reply.getheaders()), reply.read())
    finally:
        door.close()


def heard(said: Saying, kind: Format, body: Mapping[str, object] | None = None) -> Heard:
    """Ask a new server that says one thing."""
    with ModelServer(in_turn(said)) as server:
        return post(server, kind, body)


def words(kind: Format, said: Misbehaviour | str) -> Any:  # noqa: ANN401  whatever was said
    return heard(said, kind).json


def text_in(kind: Format, told: Mapping[str, Any]) -> object:
    """The words of a reply, where the format has them."""
    match kind:
        case Format.CHAT:
            return told["choices"][0]["message"]["content"]
        case Format.RESPONSES:
            return told["output"][-1]["content"][0]["text"]
        case Format.ANTHROPIC:
            return told["content"][-1]["text"]
        case Format.GEMINI:
            return told["candidates"][0]["content"]["parts"][-1]["text"]
