"""The failures of models' servers by name, to try a client on each of them.

Those that are not of one format alone are put into the words of whoever asks.
"""

from collections.abc import Mapping

from tests.standins.misbehaviour import (
    BAD_JSON,
    BLOCKED,
    DROPS,
    EMPTY_BODY,
    EMPTY_CONTENT,
    HTML_PAGE,
    LOOK_ALIKE,
    Delivery,
    Dialect,
    Error,
    Framing,
    Ill,
    Misbehaviour,
    Served,
    Shape,
    Tokens,
    ails,
    cut_short,
    fails,
)

Headers = tuple[tuple[str, str], ...]

HUGE = 11_000_000  # bytes of a body: more than a reply may have
_OPENROUTER = Served(dialect=Dialect.OPENROUTER)
_DEEPSEEK = Served(dialect=Dialect.DEEPSEEK)

ODD_WAITS: Mapping[str, Headers] = {
    "none": (),
    "seconds": (("Retry-After", "7"),),
    "fraction": (("Retry-After", "1.5"),),
    "zero": (("Retry-After", "0"),),
    "negative": (("Retry-After", "-5"),),
    "huge": (("Retry-After", "999999999999"),),
    "infinite": (("Retry-After", "Infinity"),),
    "not a number": (("Retry-After", "NaN"),),
    "words": (("Retry-After", "soon"),),
    "empty": (("Retry-After", ""),),
    "other digits": (("Retry-After", "\u00b2"),),
    "duration": (("Retry-After", "6m0s"),),
    "date": (("Retry-After", "Mon, 05 Jan 2026 09:00:20 GMT"),),
    "date gone by": (("Retry-After", "Mon, 05 Jan 1970 09:00:20 GMT"),),
    "no date": (("Retry-After", "Mon, 35 Foo 2026 99:99:99 GMT"),),
    "twice": (("Retry-After", "3"), ("Retry-After", "9")),
    "milliseconds": (("retry-after-ms", "1500"), ("Retry-After", "9")),
    "bad milliseconds": (("retry-after-ms", "x"), ("Retry-After", "9")),
    "never": (("x-should-retry", "false"),),
    "openai": (
        ("x-ratelimit-limit-requests", "500"),
        ("x-ratelimit-remaining-requests", "0"),
        ("x-ratelimit-reset-requests", "6m0s"),
        ("x-ratelimit-remaining-tokens", "149984"),
        ("x-ratelimit-reset-tokens", "20ms"),
    ),
    "azure": (
        ("x-ratelimit-remaining-requests", "-1"),
        ("x-ratelimit-limit-requests", "0"),
        ("x-ratelimit-reset-requests", "0"),
    ),
    "anthropic": (
        ("anthropic-ratelimit-requests-remaining", "0"),
        ("anthropic-ratelimit-requests-reset", "2026-01-05T09:00:20Z"),
        ("Retry-After", "20"),
    ),
    "mistral": (("x-ratelimitbysize-remaining-minute", "0"),),
}
"""Headers of a refusal for too many requests."""


KEYS: Mapping[str, Misbehaviour] = {
    "key wrong": ails(Ill.KEY),
    "key may not": ails(Ill.FORBIDDEN),
    "key, plain text": Misbehaviour(401, body=b"Unauthorized", content_type="text/plain"),
    "key, plain text as JSON": Misbehaviour(401, body=b"Unauthorized"),
    "key, nothing": Misbehaviour(401, body=b""),
    "key, page": Misbehaviour(403, body=LOOK_ALIKE, content_type="text/html"),
    "key, error as text": Misbehaviour(401, body=b'{"error": "bad key"}'),
    "key, detail": Misbehaviour(401, body=b'{"detail": "Unauthorized"}'),
}
"""A key turned down, in many shapes."""

REFUSED: Mapping[str, Misbehaviour] = {
    "refusal in words": Misbehaviour(refusal="I cannot help with that."),
    "refusal beside words": Misbehaviour(content="Well,", refusal="I cannot."),
    "filter": Misbehaviour(content="half", finish="content_filter"),
    "prompt blocked": BLOCKED,
    "moderator": ails(Ill.MODERATED),
    "moderator of a router": Misbehaviour(error=Error(ill=Ill.MODERATED), served=_OPENROUTER),
}
"""A model or a moderator who will not answer."""

TOO_LONG: Mapping[str, Misbehaviour] = {
    "prompt too long": ails(Ill.CONTEXT),
    "request too large": ails(Ill.LARGE),
}
"""A question that is longer than the model, or its server, takes."""

FINAL: Mapping[str, Misbehaviour] = {
    "quota": ails(Ill.QUOTA),
    "spending limit": ails(Ill.SPEND),
    "no credit": ails(Ill.CREDIT),
    "no credit, router": Misbehaviour(error=Error(ill=Ill.CREDIT), served=_OPENROUTER),
    "no credit, DeepSeek": Misbehaviour(error=Error(ill=Ill.CREDIT), served=_DEEPSEEK),
    "payment required": fails(402, "pay first"),
    "no such model": ails(Ill.MODEL),
    "country not served": ails(Ill.COUNTRY),
    "request wrong": fails(400, "this is not how it is done"),
    "cannot be processed": fails(422, "unprocessable"),
    "moved": fails(307, headers={"Location": "http://127.0.0.1:9/elsewhere"}),
    "cut at its longest": cut_short('{"action": "HO'),
    "whole, but at its longest": cut_short('{"action": "HOLD"}'),
    "page": HTML_PAGE,
    "not JSON": BAD_JSON,
    "a list": Misbehaviour(body=b"[1, 2]"),
    "null": Misbehaviour(body=b"null"),
    "bytes that are no text": Misbehaviour(body=b"\xff\xfe\xfd"),
    "nested deeply": Misbehaviour(body=b"[" * 100_000),
    "empty words": EMPTY_CONTENT,
    "no words": Misbehaviour(content=None),
    "thoughts alone": Misbehaviour(content=None, thinking="hm"),
}
"""What asking again does not help against."""

PASSING: Mapping[str, Misbehaviour] = {
    "too many": ails(Ill.RATE),
    "overloaded": ails(Ill.OVERLOADED),
    "overloaded, 529": fails(529, "Overloaded", code="overloaded_error"),
    "broken": ails(Ill.BROKEN),
    "too slow": ails(Ill.SLOW),
    "timeout": fails(408, "timeout"),
    "bad gateway": Misbehaviour(502, body=LOOK_ALIKE, content_type="text/html"),
    "no upstream": Misbehaviour(503, body=LOOK_ALIKE, content_type="text/html"),
    "gateway timeout": Misbehaviour(504, body=LOOK_ALIKE, content_type="text/html"),
    "broken, nothing": Misbehaviour(500, body=b""),
    "error under 200": fails(200, "Provider returned error", code="server_error"),
    "router's error under 200": Misbehaviour(
        error=Error("Provider returned error", 502), served=_OPENROUTER
    ),
    "null choices": Misbehaviour(shape=Shape.NULL),
    "empty body": EMPTY_BODY,
    "blank body": Misbehaviour(body=b"\n\n  \n"),
    "dropped": DROPS,
    "cut off": Misbehaviour(content="well", delivery=Delivery(cut=20)),
    "cut off after the head": Misbehaviour(content="well", delivery=Delivery(cut=0)),
    "cut off in chunks": Misbehaviour(
        content="well", delivery=Delivery(cut=20, framing=Framing.CHUNKED)
    ),
    "no HTTP": Misbehaviour(delivery=Delivery(raw=b"SSH-2.0-OpenSSH_9.9\r\n")),
}
"""What may be gone the next time."""

WRONG_TYPE = Misbehaviour(content="well", content_type="text/html")
NO_TYPE = Misbehaviour(content="well", content_type="")
NOT_GZIP = Misbehaviour(content="well", headers=(("Content-Encoding", "gzip"),))
HUGE_BODY = Misbehaviour(content="well", delivery=Delivery(blank=HUGE, framing=Framing.CHUNKED))
HUGE_WORDS = Misbehaviour(content="a" * 250_000)

ODD_BUT_WELL: Mapping[str, Delivery] = {
    "blank lines first": Delivery(blank=20),
    "in chunks": Delivery(framing=Framing.CHUNKED),
    "until it closes": Delivery(framing=Framing.CLOSE),
    "gzipped": Delivery(gzipped=True),
    "with a mark of its order of bytes": Delivery(mangle=lambda body: b"\xef\xbb\xbf" + body),
}
"""Ways of sending a good answer that a client has to bear."""

INVALID_UTF8 = Misbehaviour(
    content="caf\u00e9", delivery=Delivery(mangle=lambda b: b.replace(b"\\u00e9", b"\xe9"))
)
LONE_SURROGATE = Misbehaviour(content="half \ud83d of a pair")
SAYS_NUL = Misbehaviour(content="nothing\0here")
TWO_TYPES = Misbehaviour(content="well", headers=(("Content-Type", "text/html"),))

USED = Tokens(read=1000, cached=600, written=300, said=500, reasoning=200)
"""Counts that every format says in its own way; all of them mean the same."""


def nested_under_provider(words: str) -> Misbehaviour:
    """Say words the way a router does at times: the whole completion under `provider`."""
    return Misbehaviour(content=words, shape=Shape.NESTED, served=_OPENROUTER)
