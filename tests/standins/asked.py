"""What a model was asked, the same in every wire format."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, overload
from urllib.parse import unquote, urlsplit

Message = Mapping[str, Any]

_GEMINI = re.compile(r"/models/([^/:]+):generateContent")


class Format(StrEnum):
    """A wire format, by the name of the module of `arena.llms` that speaks it."""

    CHAT = "openai_chat"
    RESPONSES = "openai_responses"
    ANTHROPIC = "anthropic_messages"
    GEMINI = "gemini"


_ENDS = (
    ("/chat/completions", Format.CHAT),
    ("/responses", Format.RESPONSES),
    ("/messages", Format.ANTHROPIC),
)


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request as it arrived; names of headers are in lower case.

    `body` is empty where the request held no JSON object, and then `raw` is what it held.
    `asked_at` is in seconds of the server's own clock: only differences mean something.
    """

    path: str
    headers: Mapping[str, str] = field(repr=False)
    body: Mapping[str, Any]
    asked_at: float = 0.0
    method: str = "POST"
    raw: bytes = field(default=b"", repr=False)

    @property
    def format(self) -> Format | None:
        """Tell the wire format from the end of the path; None where it is no model's."""
        path = urlsplit(self.path).path
        ending = next((f for end, f in _ENDS if path.endswith(end)), None)
        return ending or (Format.GEMINI if _GEMINI.search(path) else None)

    @property
    def model(self) -> str:
        """Name the model that was asked for."""
        in_path = _GEMINI.search(urlsplit(self.path).path)
        return unquote(in_path[1]) if in_path else str(self.body.get("model"))

    @property
    def key(self) -> str:
        """Give the key that came in the format's own header; empty where none did."""
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
        if self.format is Format.ANTHROPIC:
            return self.headers.get("x-api-key", bearer)
        return (
            self.headers.get("x-goog-api-key", "") if self.format is Format.GEMINI else bearer
        )


@dataclass(frozen=True, slots=True)
class Asked(Sequence[Message]):
    """The messages of a request, system first, each with a `role` and its text as `content`.

    Parts of a message are joined without anything between them. `format` and `recorded` say
    how and with what else it was asked.
    """

    format: Format
    recorded: Recorded
    messages: tuple[Message, ...]

    @property
    def model(self) -> str:
        """Name the model that was asked for."""
        return self.recorded.model

    @property
    def system(self) -> str:
        """Give the rules of the game."""
        return "".join(
            m["content"] for m in self.messages if m["role"] in {"system", "developer"}
        )

    @property
    def user(self) -> str:
        """Give what the user said."""
        return "".join(m["content"] for m in self.messages if m["role"] == "user")

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """Give the JSON schema that the answer was asked to follow, if there was one."""
        body = self.recorded.body
        told = {
            Format.CHAT: ("response_format", "json_schema", "schema"),
            Format.RESPONSES: ("text", "format", "schema"),
            Format.ANTHROPIC: ("output_config", "format", "schema"),
            Format.GEMINI: ("generationConfig", "responseJsonSchema"),
        }[self.format]
        found: object = body
        for name in told:
            found = mapping(found).get(name)
        return found if isinstance(found, Mapping) else None

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | Sequence[Message]:
        return self.messages[index]

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)

    def __len__(self) -> int:
        return len(self.messages)


def understand(recorded: Recorded) -> Asked | None:
    """Read a request of any format; None where its path is no model's."""
    if recorded.format is None:
        return None
    body = recorded.body
    match recorded.format:
        case Format.CHAT:
            said = _messages(body.get("messages"))
        case Format.RESPONSES:
            said = [*_message("system", body.get("instructions")), *_input(body.get("input"))]
        case Format.ANTHROPIC:
            said = [*_message("system", body.get("system")), *_messages(body.get("messages"))]
        case Format.GEMINI:
            rules = body.get("systemInstruction", body.get("system_instruction"))
            said = [*_message("system", rules), *_messages(body.get("contents"))]
    return Asked(recorded.format, recorded, tuple(said))


def mapping(value: object) -> Mapping[str, Any]:
    """Give a mapping as it is, and an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def parts(content: object) -> list[Mapping[str, Any]]:
    """Give the parts of a message that comes in parts; a bare text is one of them."""
    if isinstance(content, Mapping):
        content = content.get("parts", content.get("content"))
    if isinstance(content, str):
        return [{"text": content}]
    return [p for p in content if isinstance(p, Mapping)] if isinstance(content, list) else []


def _input(said: object) -> list[Message]:
    return _message("user", said) if isinstance(said, str) else _messages(said)


def _messages(said: object) -> list[Message]:
    listed = said if isinstance(said, list) else []
    found = (mapping(message) for message in listed)
    return [m for one in found for m in _message(str(one.get("role", "user")), one)]


def _message(role: str, content: object) -> list[Message]:
    if content is None:
        return []
    text = "".join(p["text"] for p in parts(content) if isinstance(p.get("text"), str))
    return [{"role": "assistant" if role == "model" else role, "content": text}]
