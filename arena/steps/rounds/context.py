"""The documents of a round: sources are asked once, and everybody is shown the same."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import zip_longest

from arena.agents.briefing_data import clean, clean_line, document_size
from arena.errors import ArenaError, ForeignError, foreign
from arena.llms.tariff import BYTES_A_TOKEN
from arena.plugins import misfit
from arena.records.answer import (
    DocumentBatch,
    DocumentFault,
    RefusedDocuments,
    RoundContext,
    SourceDocument,
)
from arena.records.cohort import Cohort, CohortId, ContextTerms
from arena.records.market import Market, MarketId
from arena.records.money import ZERO_USD, usd
from arena.records.report import Failure
from arena.steps.doors import Doors
from arena.steps.rounds.universe import words_of
from arena.store.tape.sqlite_tape import ContextSpending

LONGEST_ASK = timedelta(minutes=3)  # of one source; meanwhile the round's prices grow old
LONGEST_TITLE = 200
LONGEST_URL = 500
LONGEST_TEXT = 2_000  # characters that are shown of one document,
SHORTEST_TEXT = 300  # and how few it may be cut to, so that others find room
LEAST_SHARED = 2  # words that a document without markets shares with a question it is about

Answers = Mapping[str, DocumentBatch | Failure]


@dataclass(frozen=True, slots=True)
class RoundDue:
    """A round that is about to be laid out, and the markets that it offers."""

    cohort: Cohort
    number: int
    markets: tuple[Market, ...]


@dataclass(frozen=True, slots=True)
class GatheredContexts:
    """The digests of the documents of rounds, and the sources that failed."""

    digests: Mapping[CohortId, str] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()


async def gather(doors: Doors, due: Iterable[RoundDue], at: datetime) -> GatheredContexts:
    """Put the documents of rounds on the tape, before anything of these rounds is booked.

    What is on the tape already, of a tick that was killed, is not asked for again; a replay
    takes what is on the tape that it plays. Rounds that offer the same markets and name the
    same sources ask them once. A source that fails is a failure, and the round goes on.

    Args:
        doors: The store and the sources.
        due: The rounds of this moment; those without terms of context are left alone.
        at: The moment: what is dated after it is refused.
    """
    digests: dict[CohortId, str] = {}
    failures: dict[Failure, None] = {}
    answers: dict[object, Answers] = {}
    for each in due:
        terms, key = each.cohort.spec.context, (each.cohort.id, each.number)
        if terms is None:
            continue
        taped, spent = doors.store.tape.context(*key), ContextSpending()
        if taped is None and doors.context_tape is not None:
            taped = doors.context_tape.context(*key)
        if taped is None:
            same = terms.sources, each.markets
            if same not in answers:
                answers[same] = await _ask_all(doors, terms.sources, each.markets, at)
                spent = _spent(answers[same].values())
            context = choose_documents(answers[same], each.markets, terms, at)
        else:
            context = taped.context
        clean_context: RoundContext = doors.secrets.record(context)
        with doors.store.write():
            digests[key[0]] = doors.store.tape.record_context(key, clean_context, at, spent)
        failures.update(dict.fromkeys(clean_context.failures))
    return GatheredContexts(digests, tuple(failures))


async def _ask_all(
    doors: Doors, names: Sequence[str], markets: Sequence[Market], at: datetime
) -> Answers:
    """Ask several sources at the same time."""
    batches = await asyncio.gather(*(_ask(doors, name, markets, at) for name in names))
    return dict(zip(names, batches, strict=True))


async def _ask(
    doors: Doors, name: str, markets: Sequence[Market], at: datetime
) -> DocumentBatch | Failure:
    """Ask a source; what goes wrong is its own matter, and no other source's.

    Raises:
        ArenaError: Its answers cannot be kept: that is the arena's own matter (`store.full`).
    """
    source = doors.contexts.get(name)
    where = f"source {name}"
    if isinstance(source, ArenaError):
        return Failure(source.message, where, source.hint)
    if source is None:
        return Failure("it is not configured", where, f"put {name} back under contexts")
    try:
        with foreign(TimeoutError):
            async with asyncio.timeout(LONGEST_ASK.total_seconds()):
                batch: object = await source.documents(markets, at)
    except TimeoutError:
        return Failure(f"it had not answered after {LONGEST_ASK}", where)
    except ArenaError as error:
        if error.code.startswith("store."):
            raise
        return Failure(error.message, where, error.hint)
    except ForeignError as error:
        return Failure(f"it cannot be read: {error}", where)
    if not isinstance(batch, DocumentBatch):
        return Failure(f"it gave a {type(batch).__name__}, no documents", where)
    wrong = misfit(batch, DocumentBatch)
    if not wrong and (batch.requests < 0 or (batch.cost or 0) < 0):
        wrong = "requests or cost below 0"
    return Failure(f"what it gave cannot be kept: {wrong}", where) if wrong else batch


def _spent(answers: Iterable[DocumentBatch | Failure]) -> ContextSpending:
    batches = [answer for answer in answers if isinstance(answer, DocumentBatch)]
    costs = [batch.cost for batch in batches if batch.cost is not None]
    is_known = len(costs) == len(batches)
    cost = usd(sum(costs, ZERO_USD)) if is_known else None
    return ContextSpending(sum(batch.requests for batch in batches), cost)


def choose_documents(
    answers: Answers, markets: Sequence[Market], terms: ContextTerms, at: datetime
) -> RoundContext:
    """Refuse what has no date or a later one, and cut the rest to the budget.

    Of each market the newest `per_market` are chosen, and of all these first the newest of
    every market, then the second and so on, while there is room. Each text is cut to its share
    of the budget. Every document that came is either shown or counted.

    Args:
        answers: What each source gave, or why it gave nothing.
        markets: The markets of the round, in their order.
        terms: The cohort's terms.
        at: The moment of the round.
    """
    refused: Counter[tuple[str, DocumentFault]] = Counter()
    usable: dict[str, SourceDocument] = {}
    words = {market.id: words_of(market.question) for market in markets}
    for document in sorted(_named(answers), key=_newest_first):
        fault = _fault(document, at)
        about = () if fault else _about(document, words)
        if not fault and not about:
            fault = DocumentFault.UNRELATED
        key = document.url or f"{document.title}\n{document.text}"
        if not fault and key in usable:
            fault = DocumentFault.REPEATED
            about = tuple(m for m in words if m in {*about, *usable[key].markets})
            usable[key] = replace(usable[key], markets=about)
        if fault:
            refused[document.source, fault] += 1
        else:
            usable[key] = replace(document, markets=about)
    ordered = _in_turn(usable.values(), words, terms.per_market)
    shown = _within(ordered, terms.tokens * BYTES_A_TOKEN)
    kept = Counter(document.source for document in shown)
    for source, count in Counter(d.source for d in usable.values()).items():
        refused[source, DocumentFault.CUT] += count - kept[source]
    return RoundContext(
        shown,
        tuple(
            RefusedDocuments(*what, count) for what, count in sorted(refused.items()) if count
        ),
        tuple(_failures(answers)),
    )


def _named(answers: Answers) -> Iterable[SourceDocument]:
    for name, answer in answers.items():
        if isinstance(answer, DocumentBatch):
            yield from (replace(document, source=name) for document in answer.documents)


def _failures(answers: Answers) -> Iterable[Failure]:
    for name, answer in answers.items():
        if isinstance(answer, Failure):
            yield answer
        else:
            yield from (Failure(what, f"source {name}") for what in answer.failures)


def _newest_first(document: SourceDocument) -> tuple[float, str, str, str, str]:
    when = document.published_at
    age = -when.timestamp() if when is not None else 0.0
    return age, document.source, document.url, document.title, document.text


def _fault(document: SourceDocument, at: datetime) -> DocumentFault | None:
    """Why a document may not be shown; a date without a zone is none."""
    when = document.published_at
    if when is None or when.tzinfo is None:
        return DocumentFault.UNDATED
    if when > at:
        return DocumentFault.LATER
    return None if document.title.strip() or document.text.strip() else DocumentFault.EMPTY


def _about(
    document: SourceDocument, questions: Mapping[MarketId, frozenset[str]]
) -> tuple[MarketId, ...]:
    """The markets that a document is about: those it names, else those with common words."""
    if document.markets:
        return tuple(market for market in questions if market in document.markets)
    words = words_of(f"{document.title} {document.text}")
    return tuple(
        market
        for market, asked in questions.items()
        if asked and len(asked & words) >= min(LEAST_SHARED, len(asked))
    )


def _in_turn(
    documents: Iterable[SourceDocument], markets: Iterable[MarketId], most: int
) -> list[SourceDocument]:
    """Take the newest of each market, then the second of each, up to so many of a market."""
    by_market: defaultdict[MarketId, list[SourceDocument]] = defaultdict(list)
    for document in documents:
        for market in document.markets:
            by_market[market].append(document)
    ranks = zip_longest(*(by_market[market][:most] for market in markets))
    return list(dict.fromkeys(d for rank in ranks for d in rank if d is not None))


def _within(documents: Sequence[SourceDocument], budget: int) -> tuple[SourceDocument, ...]:
    """Cut documents to their shares of a budget in bytes; those that find no room go."""
    share = budget // max(1, len(documents))
    chosen, left = [], budget
    for document in documents:
        shown = _cut(document, max(SHORTEST_TEXT, share))
        size = document_size(shown)
        if size <= left:
            chosen.append(shown)
            left -= size
    return tuple(chosen)


def _cut(document: SourceDocument, most: int) -> SourceDocument:
    """Keep what can be seen of a document, in so many bytes where its text can be cut so."""
    shown = replace(
        document,
        title=clean_line(document.title, LONGEST_TITLE),
        text=clean(document.text, min(LONGEST_TEXT, most)),
        url=document.url if len(document.url) <= LONGEST_URL else "",
    )
    while (size := document_size(shown)) > most and len(shown.text) > SHORTEST_TEXT:
        length = max(SHORTEST_TEXT, len(shown.text) * most // size)
        shown = replace(shown, text=clean(shown.text, length))
    return shown
