"""Failed requests in a few plain words, whatever the server made of them."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from arena.http.door import HttpError, HttpReply, HttpRequest

LONGEST = 200
NESTED = 4

_FIELDS = ("error", "message", "detail")


def named(request: HttpRequest) -> str:
    """Name a request in short: its method, its path and the beginning of its query."""
    try:
        parts = urlsplit(request.url)
    except ValueError:
        return one_line(f"{request.method} {request.url}")
    query = f"?{parts.query}" if parts.query else ""
    return one_line(f"{request.method} {parts.path or '/'}{query}")


def payload_of(reply: HttpReply) -> object:
    """Give a body as JSON has it; None where it is not JSON."""
    try:
        return reply.json()
    except HttpError:
        return None


def words_of(reply: HttpReply, payload: object) -> str:
    """Say in one short line what an error's body says; empty where that is nothing.

    Args:
        reply: The whole answer.
        payload: Its body as JSON gave it, or None.
    """
    raw = reply.body[: 4 * LONGEST].decode("utf-8", "replace")
    return one_line(_words(payload, NESTED) or raw)


def one_line(text: str) -> str:
    r"""Put text of any origin on one line of at most 200 characters, all of them printable.

    >>> one_line("too\x1b[2J many\nrequests")
    'too [2J many requests'
    """
    plain = "".join(c if c.isprintable() else " " for c in text[: 4 * LONGEST])
    short = " ".join(plain.split())
    return short if len(short) <= LONGEST else f"{short[: LONGEST - 1]}…"


def _words(payload: object, left: int) -> str:
    """Find the words of an error in a text, an object that holds one, or a list of such."""
    if isinstance(payload, str):
        return payload.strip()
    if left and isinstance(payload, list):
        return _words(payload[0], left - 1) if payload else ""
    if left and isinstance(payload, Mapping):
        texts = (_words(payload.get(name), left - 1) for name in _FIELDS)
        return next((words for words in texts if words), "")
    return ""
