"""What the pages of decisions show."""

from dataclasses import dataclass

from arena.site.pages.parts import Cell, DocumentsView, Fact, Head, Link, Moment


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
