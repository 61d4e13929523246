"""Taking from a server's JSON what is there, when it may be anything at all."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from arena.errors import ArenaError
from arena.http import HttpError, HttpReply
from arena.records.money import Usd, usd
from arena.records.settings import ModelSettings
from arena.secrets import Redactor

LONGEST_DETAIL = 300
LONGEST_NAME = 200
LONGEST_READ = 20_000  # characters of a message that is read for what it complains of
MOST_TOKENS = 10**12
MOST_DIGITS = 20
MOST_DOLLARS = Decimal(10**9)

SPOKEN = ("text", "output_text")  # a tuple, since a server may put there what has no hash

NO_REASON = "no reason given"
NO_WORDS = "an answer without words"
ONLY_A_TOOL = "it called a tool, and was given none"
ONLY_THOUGHTS = "an answer without words: it only thought"
CUT_OFF = "the answer was cut off at the longest that was asked for"

JSON_TYPE = (("content-type", "application/json"),)
"""The headers of a reply that is certainly JSON."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_NUMBER = re.compile(r"[0-9]{1,18}(\.[0-9]{1,18})?", re.ASCII)
_TAG = re.compile(r"<[^<>]{0,500}>")
_HIDDEN = re.compile(r"<(style|script)\b", re.IGNORECASE)


def body_of(reply: HttpReply) -> Mapping[str, object] | None:
    """Parse a reply's body, whatever its content type says; None where it is no JSON object.

    Proxies and local servers mislabel JSON, and a page or a stream never parses as JSON, so
    the label decides nothing. A list gives its first object, which is how Gemini's errors
    may come. Bytes that are no text are replaced: an answer that holds one is paid for.
    """
    readable = reply.body.decode("utf-8", "replace").encode()
    for raw in (reply.body, readable):
        try:
            body = replace(reply, headers=JSON_TYPE, body=raw).json()
        except HttpError:
            continue
        if isinstance(body, list) and body:
            body = body[0]
        return body if isinstance(body, Mapping) else None
    return None


def mapping(value: object) -> Mapping[str, object]:
    """Give a mapping as it is, and an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def first(value: object) -> Mapping[str, object]:
    """Give the first item of a list where it is a mapping, else an empty one."""
    return mapping(value[0]) if isinstance(value, list) and value else {}


def count(value: object) -> int | None:
    """Read a number of tokens, also one that comes as text; None where it is none."""
    number = _number(value)
    if number is None or number > MOST_TOKENS or number != int(number):
        return None
    return int(number)


def dollars(value: object) -> Usd | None:
    """Read an amount of dollars, also one that comes as text; None where it is none."""
    number = _number(value)
    return None if number is None or number > MOST_DOLLARS else usd(number)


def words(content: object) -> str:
    """Join the text of a message, which may come in parts; thoughts are left out.

    What no database can keep (NUL, halves of characters) becomes a replacement character.
    """
    if isinstance(content, str):
        return _UNSTORABLE.sub("\ufffd", content)
    if not isinstance(content, list):
        return ""
    parts = [part if isinstance(part, Mapping) else {"text": part} for part in content]
    spoken = [p.get("text") for p in parts if p.get("type", "text") in SPOKEN]
    return "".join(words(text) for text in spoken if isinstance(text, str))


def wordless(*, called: object, thought: object) -> str:
    """Say what an answer without words was instead: a call of a tool, thoughts, or nothing."""
    if called:
        return ONLY_A_TOOL
    return ONLY_THOUGHTS if thought else NO_WORDS


@dataclass(frozen=True, slots=True)
class Liner:
    """Makes short, harmless lines of what a server said, without the key."""

    redact: Redactor

    def line(self, value: object, longest: int = LONGEST_NAME) -> str:
        """Give one line of a text; empty for anything that is no text."""
        if not isinstance(value, str):
            return ""
        text = " ".join(self.redact.text(value[:LONGEST_READ]).split())
        return "".join(c for c in text if c.isprintable())[:longest]

    def complaint(self, json_body: Mapping[str, object] | None, raw: bytes) -> str:
        """Give what an error complains of, at a length to be read; of a page its first line.

        Args:
            json_body: The JSON of a reply, which may be anything; None where it has none.
            raw: Its bytes.
        """
        body = json_body or {}
        message = mapping(body.get("error")).get("message") or body.get("error")
        page = self.page(raw) if json_body is None else ""
        return self.line(message or body.get("message"), LONGEST_READ) or page or NO_REASON

    def page(self, body: bytes) -> str:
        """Give the first line that a body says which is not JSON; tags of a page are cut."""
        text = body[:LONGEST_READ].decode("utf-8", "replace").lstrip("\ufeff")
        visible = _HIDDEN.split(text)[0] if text.lstrip().startswith("<") else text
        lines = (
            self.line(line, LONGEST_DETAIL) for line in _TAG.sub("\n", visible).split("\n")
        )
        return next(filter(None, lines), "")


def _number(value: object) -> Decimal | None:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return Decimal(value)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    # a float of JSON may be 1e999999999, which takes for ever to write as an integer
    number = Decimal(value)
    sound = number >= 0 and (number == 0 or number.adjusted() < MOST_DIGITS)
    return number if sound else None


def thawed(value: object) -> object:
    """Turn frozen options back: a tuple of named pairs is a mapping, another one a list.

    >>> thawed((("a", (1, 2)), ("b", (("c", 3),))))
    {'a': [1, 2], 'b': {'c': 3}}
    """
    if isinstance(value, Mapping):
        return {str(name): thawed(inner) for name, inner in value.items()}
    if not isinstance(value, tuple | list):
        return value
    if value and all(_is_named(pair) for pair in value):
        return {name: thawed(inner) for name, inner in value}
    return [thawed(inner) for inner in value]


def mapping_option(settings: ModelSettings, name: str) -> dict[str, object]:
    """Give an option that is a mapping; one that is not there is empty.

    Raises:
        ArenaError: It is something else.
    """
    value = thawed(dict(settings.options).get(name, ()))
    if value == []:
        return {}
    if not isinstance(value, dict):
        raise wrong_option(settings, f"{name} is not a mapping", "write its fields below it")
    return value


def wrong_option(settings: ModelSettings, what: str, hint: str) -> ArenaError:
    """Say what is wrong with a model's options."""
    return ArenaError("llm.option", f"model {settings.name}: {what}", hint=hint, status=2)


def _is_named(pair: object) -> bool:
    match pair:
        case (str(), _):
            return isinstance(pair, tuple)
        case _:
            return False
