"""Words of models and of the tape, as a page can show them."""

import json
import re
from collections.abc import Iterable

from arena.site.pages.decisions.view import Speech
from arena.site.sanitize import visible

MOST_WRITTEN = 30_000  # bytes of a model's words as they stand in a page's source
MOST_READ = 200_000  # characters of a reply that are looked at

_KEY = re.compile(r'"\s*reasoning\s*"\s*:\s*(?=")', re.IGNORECASE)
_SPECIAL = "&<>\"'"
_ESCAPED = 4  # more bytes that each of them takes at most


def reasoning_in(text: str | None) -> str:
    """The reasoning that a reply states, verbatim; empty if there is none.

    The reply is read as JSON, and where it is not, the last string under that key counts.

    >>> reasoning_in('Sure: {"action": "HOLD", "reasoning": "Too dear."}')
    'Too dear.'
    """
    text = (text or "")[:MOST_READ]
    document = _parsed(text)
    if isinstance(document, dict):
        reasoning = document.get("reasoning")
        return reasoning if isinstance(reasoning, str) else ""
    for match in reversed(list(_KEY.finditer(text))):
        reasoning = _string_at(text, match.end())
        if reasoning:
            return reasoning
    return ""


def speech(text: str, most: int = MOST_WRITTEN) -> Speech:
    """A model's words with what hides made visible, cut where a page would grow too long."""
    shown = visible(text[:most], lines=True)
    short = _fit(shown, most)
    notes = []
    if len(text) > most or len(short) < len(shown):
        notes.append(f"The first {len(short):,} of {len(text):,} characters.")
    if not _is_verbatim(shown, text[:most]):
        notes.append("Characters that cannot be seen are named, or left out.")
    return Speech(short, " ".join(notes))


def kilobytes(size: int | None) -> str:
    """Write a size in words.

    >>> kilobytes(812), kilobytes(61_440), kilobytes(None)
    ('812 bytes', '60.0 KB', 'n/a')
    """
    if size is None:
        return "n/a"
    return f"{size:,} bytes" if size < 1024 else f"{size / 1024:,.1f} KB"  # noqa: PLR2004


def joined(words: Iterable[str]) -> str:
    """Join what there is, with commas."""
    return ", ".join(word for word in words if word)


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _string_at(text: str, start: int) -> str:
    try:
        decoded, _ = json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        return ""
    return decoded if isinstance(decoded, str) else ""


def _fit(text: str, most: int) -> str:
    """Cut text to so many bytes, counted as they are written into a page."""
    while (size := _written(text)) > most:
        text = text[: min(len(text) - 1, len(text) * most // size)]
    return text


def _written(text: str) -> int:
    special = sum(text.count(c) for c in _SPECIAL)
    return len(text.encode("utf-8", "replace")) + _ESCAPED * special


def _is_verbatim(shown: str, text: str) -> bool:
    return shown == text
