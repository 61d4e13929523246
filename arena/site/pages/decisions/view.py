"""What the pages of decisions show: words of models and of the tape, as a page can show them.

The documents that a round's contestants were shown are text too.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from arena.metrics import figures
from arena.records.answer import SourceDocument
from arena.records.cohort import CohortId
from arena.site.pages.parts import Cell, DocumentRow, DocumentsView, Fact, Head, Link, Moment
from arena.site.reading import LABEL, QUESTION, Reading, shown_moment
from arena.site.sanitize import address, host_of, one_line, visible

REASON = 300


def documents_of(cohort: CohortId, number: int, reading: Reading) -> DocumentsView | None:
    """Give the documents of a round, and what was refused; None where none were asked for."""
    taped = reading.store.tape.context(cohort, number)
    if taped is None:
        return None
    context = taped.context
    refused = [
        f"{one_line(each.source, LABEL)}: {figures.count(each.count)} {each.fault.value}"
        for each in context.refused
    ]
    failed = [one_line(f"{each.where}: {each.what}", REASON) for each in context.failures]
    return DocumentsView(
        number, tuple(map(_row, context.documents)), tuple(refused), tuple(failed), taped.digest
    )


def _row(document: SourceDocument) -> DocumentRow:
    link = address(document.url)
    return DocumentRow(
        one_line(document.source, LABEL),
        one_line(document.title, QUESTION) if document.title else "Without a title",
        visible(document.text, lines=True),
        shown_moment(document.published_at) if document.published_at else None,
        Link(host_of(link), link) if link else None,
    )


@dataclass(frozen=True, slots=True)
class Step:
    """A stage between the prompt and the fills. `state` is done, part, failed or idle."""

    name: str
    state: str
    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class OrderRow:
    """An order that traded: what was seen, what was paid, what was believed, what it became."""

    market: Link
    deed: str
    amount: Cell
    seen: Cell
    filled: Cell
    stated: Cell
    implied: Cell
    edge: Cell
    outcome: str
    result: Cell


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """An order that did not trade, and why. `market` has no words where none was readable."""

    market: Link
    deed: str
    amount: str
    reason: str


@dataclass(frozen=True, slots=True)
class ForecastRow:
    """A stated probability beside the price that was shown with it."""

    market: Link
    seen: Cell
    stated: Cell
    outcome: str
    brier: Cell


@dataclass(frozen=True, slots=True)
class PartRow:
    """A text that was sent or came back: a link to all of it, its size and its digest."""

    name: str
    file: Link
    size: str
    digest: str


@dataclass(frozen=True, slots=True)
class CallRow:
    """A call to a model: what it was for and what it took."""

    name: str
    at: Moment
    model: str
    finish: str
    tokens: Cell
    cost: Cell
    latency: Cell


@dataclass(frozen=True, slots=True)
class TryRow:
    """One attempt at a server."""

    call: str
    status: str
    trouble: str
    latency: Cell


@dataclass(frozen=True, slots=True)
class Speech:
    """Words of a model, to be shown as they are; `note` says what is not shown of them."""

    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class DecisionPage:
    """templates/site/decision.html. `others` are all of the round, `here` among them."""

    head: Head
    contestant: Link
    model: str
    cohort: Link
    round: int
    at: Moment
    verdict: str
    tone: str
    steps: tuple[Step, ...]
    orders: tuple[OrderRow, ...]
    refused: tuple[RefusedRow, ...]
    forecasts: tuple[ForecastRow, ...]
    left_out: str
    reasoning: Speech
    parts: tuple[PartRow, ...]
    prompt_note: str
    documents: DocumentsView | None
    reply: Speech
    reply_file: Link | None
    asked: tuple[Fact, ...]
    taken: tuple[Fact, ...]
    calls: tuple[CallRow, ...]
    tries: tuple[TryRow, ...]
    digests: tuple[Fact, ...]
    verify: str
    older: Link | None
    newer: Link | None
    here: str
    others: tuple[Link, ...]
    more: str


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
    if shown != text[:most]:
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
