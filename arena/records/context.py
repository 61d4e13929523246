"""Dated documents that contestants of a round are shown, and those that were refused."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from arena.records.market import MarketId
from arena.records.money import ZERO_USD, Usd
from arena.records.report import Failure


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document as a source gives it; its text is a stranger's.

    `published_at` is None where no date is known. `markets` are those it is about, empty
    where its source does not say. With `has_prices` it tells prices of markets: who is shown
    no prices does not see it.
    """

    source: str
    title: str
    text: str
    url: str = ""
    published_at: datetime | None = None
    markets: tuple[MarketId, ...] = ()
    has_prices: bool = False


@dataclass(frozen=True, slots=True)
class DocumentBatch:
    """What a source gave when it was asked once.

    `requests` were sent for it and `cost` is their price in dollars, None where it is not
    known. `failures` say in words which parts of the source could not be read.
    """

    documents: tuple[SourceDocument, ...] = ()
    requests: int = 0
    cost: Usd | None = ZERO_USD
    failures: tuple[str, ...] = ()


class DocumentFault(StrEnum):
    """Why a document is not shown."""

    UNDATED = "without a date"
    LATER = "dated after the round"
    EMPTY = "without words"
    UNRELATED = "about none of the markets"
    REPEATED = "given twice"
    CUT = "beyond the budget"


@dataclass(frozen=True, slots=True)
class RefusedDocuments:
    """How many documents of a source were refused for one reason."""

    source: str
    fault: DocumentFault
    count: int


@dataclass(frozen=True, slots=True)
class RoundContext:
    """The documents of a round, as all its contestants are shown them.

    `refused` has the counts of those that are not shown, `failures` the sources, or parts of
    them, that could not be read.
    """

    documents: tuple[SourceDocument, ...] = ()
    refused: tuple[RefusedDocuments, ...] = ()
    failures: tuple[Failure, ...] = ()
