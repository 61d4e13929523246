"""What a model's server may do instead of answering well, and how it may answer well.

A `Misbehaviour` says it in no format's words: the server puts it into those of whoever asked.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

LOOK_ALIKE = b"<html><body><h1>Service is being upgraded</h1></body></html>"


class Framing(StrEnum):
    """How a reply says where its body ends."""

    LENGTH = "by Content-Length"
    CHUNKED = "in chunks"
    CLOSE = "by closing the connection"


class Dialect(StrEnum):
    """Who speaks the chat format, each in its own way; other formats have no dialects."""

    OPENAI = "OpenAI"
    OPENROUTER = "OpenRouter"  # cost and route in the reply, thinking in `reasoning`
    DEEPSEEK = "DeepSeek"  # cache hits beside the total, thinking in `reasoning_content`
    MISTRAL = "Mistral"  # content in a list of thinking and text chunks
    XAI = "xAI"  # reasoning beside the answer's tokens, cost in ticks
    OLLAMA = "Ollama"  # no details of the usage, thinking in `reasoning`


class Shape(StrEnum):
    """What is wrong with the shape of a completion."""

    WHOLE = "nothing"
    NONE = "an empty list of choices"
    NULL = "null where the choices should be"
    NESTED = "all of it under `provider`"  # the chat format only; elsewhere like NULL
    BLOCKED = "the prompt was blocked, so nothing was made"


class Ill(StrEnum):
    """A failure that every provider has, and each words differently."""

    RATE = "too many requests"
    QUOTA = "the day's or the account's quota is used up"
    SPEND = "a spending limit that the owner set is reached"
    CREDIT = "no credit is left"
    OVERLOADED = "the provider has too much to do"
    BROKEN = "the provider's own mistake"
    SLOW = "the provider gave up waiting"
    KEY = "the key is wrong"
    FORBIDDEN = "the key may not do this"
    COUNTRY = "the provider does not serve this country"
    MODEL = "there is no such model"
    CONTEXT = "the prompt is too long"
    LARGE = "the request is too large"
    FIELD = "a field of the request is not supported"
    SCHEMA = "the JSON schema cannot be used"
    MODERATED = "a moderator turned the prompt down"


@dataclass(frozen=True, slots=True)
class Error:
    """An error to be told: an ill in the provider's own words, or a message and a code.

    `field` is the field that an `Ill.FIELD` is about. `wait` is how long the body asks to be
    left alone, as "14s"; only Gemini's has a place for it. `details` replaces what the
    format has beside the message: OpenRouter's metadata, Anthropic's or Gemini's details.
    """

    message: str = ""
    code: str | int = ""
    ill: Ill | None = None
    field: str = ""
    wait: str = ""
    details: object = None


@dataclass(frozen=True, slots=True)
class Tokens:
    """What was counted. `cached` and `written` are parts of `read`, `reasoning` of `said`."""

    read: int = 0
    cached: int = 0
    written: int = 0
    said: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Served:
    """Who answered and for how much: what a reply tells beside the words.

    Empty fields are filled in by the server: `model` with the one that was asked for,
    `tokens` by counting four characters as one.
    """

    model: str = ""
    tokens: Tokens | None = None
    cost: float | None = None
    tier: str = ""
    route: str = ""
    dialect: Dialect = Dialect.OPENAI
    usage: bool = True


@dataclass(frozen=True, slots=True)
class Delivery:
    """How a reply's bytes travel.

    `blank` is how many line breaks come before the body, one every `drip` seconds of the
    misbehaviour if it has any. After `cut` bytes of the body the connection breaks off.
    `mangle` changes the body's bytes. `raw` is sent in place of any HTTP.
    """

    blank: int = 0
    cut: int | None = None
    framing: Framing = Framing.LENGTH
    gzipped: bool = False
    mangle: Callable[[bytes], bytes] | None = None
    raw: bytes | None = None


@dataclass(frozen=True, slots=True)
class Misbehaviour:
    """What a server may do instead of answering well; each field is one thing it does.

    Without `body` and `error` the reply is a completion: `content` is what the model said,
    text or any JSON that the format may hold in its place; `finish` is why it stopped:
    "stop", "length", "content_filter" and "error" are put into the format's word, any other
    word is said as it stands. `drip` is the seconds between pieces of the body. An empty
    `content_type` sends none. `calls` are tools that it calls, by name, with the text of their
    arguments. The status of an `error.ill` is the provider's own.
    """

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    content_type: str = "application/json"
    content: object = None
    refusal: str | None = None
    finish: str = "stop"
    drip: float = 0.0
    hangs: bool = False
    drops: bool = False
    thinking: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    error: Error | None = None
    shape: Shape = Shape.WHOLE
    served: Served = field(default_factory=Served)
    delivery: Delivery = field(default_factory=Delivery)


HANGS = Misbehaviour(hangs=True)
DROPS = Misbehaviour(drops=True)
HTML_PAGE = Misbehaviour(body=LOOK_ALIKE, content_type="text/html")
EMPTY_BODY = Misbehaviour(body=b"")
EMPTY_CONTENT = Misbehaviour(content="")
BAD_JSON = Misbehaviour(body=b'{"choices": [')
BLOCKED = Misbehaviour(shape=Shape.BLOCKED)


def fails(
    status: int,
    message: str = "no",
    *,
    code: str | int = "",
    headers: Mapping[str, str] | None = None,
) -> Misbehaviour:
    """Answer with an error in the format's shape, under any status: 200 too."""
    return Misbehaviour(
        status=status, headers=tuple((headers or {}).items()), error=Error(message, code)
    )


def ails(
    ill: Ill, *, field: str = "", wait: str = "", headers: Mapping[str, str] | None = None
) -> Misbehaviour:
    """Answer with an error as the format's provider words and numbers it.

    Args:
        ill: What is wrong.
        field: The field of the request that an `Ill.FIELD` is about.
        wait: How long the body asks to be left alone, as "14s": Gemini's only.
        headers: What is sent beside it.
    """
    return Misbehaviour(
        headers=tuple((headers or {}).items()), error=Error(ill=ill, field=field, wait=wait)
    )


def cut_short(content: str) -> Misbehaviour:
    """Say words that were cut off at the longest that was asked for."""
    return Misbehaviour(content=content, finish="length")
