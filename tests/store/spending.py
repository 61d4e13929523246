"""Short builders: calls on the tape, and what they cost."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from arena.records.answer import Attempt, Call, Caller, Completion, Question, Trouble, Usage
from arena.records.cohort import CohortId, ContestantId
from arena.records.money import usd
from arena.records.settings import ModelSettings
from arena.store import Store
from tests.build import ADA, COHORT, at

MODEL = ModelSettings("small", "openai_chat", "http://here", "small-1", provider="openai")

ANSWERED = Attempt(5, 200, billed=True)
REFUSED = Attempt(5, 401, Trouble.CREDENTIALS, billed=False)
LOST = Attempt(5, None, Trouble.TIMEOUT, billed=None)
BROKEN = Attempt(5, 500, Trouble.SERVER, billed=None)


def caller(
    call: str = "decide",
    contestant: ContestantId = ADA,
    cohort: CohortId = COHORT,
    number: int = 1,
) -> Caller:
    return Caller(cohort, number, contestant, call)


@dataclass(frozen=True, slots=True)
class Came:
    """What came back for a call: its cost in dollars, its tokens, and its attempts."""

    cost: str | None = None
    tries: tuple[Attempt, ...] = (ANSWERED,)
    tokens: tuple[int | None, ...] = (100, 60, 20, 10, 5)
    priced: str = "reported"

    @property
    def completion(self) -> Completion:
        into, cached, written, out, reasoning = self.tokens
        used = Usage(
            tokens_in=into,
            tokens_out=out,
            cost=None if self.cost is None else usd(self.cost),
            tokens_cached=cached,
            tokens_written=written,
            tokens_reasoning=reasoning,
            priced=self.priced if self.cost is not None else "",
        )
        text = None if self.cost is None else "words"
        return Completion(text, usage=used, attempts=self.tries)


def nothing(*tries: Attempt) -> Came:
    """An answer without words, cost or tokens."""
    return Came(None, tries, (None,) * 5)


def put(  # noqa: PLR0913  each is one thing that a test is about
    store: Store,
    who: Caller,
    came: Came | None = None,
    *,
    reserved: str | None = "0.5",
    when: datetime | None = None,
    model: ModelSettings = MODEL,
) -> None:
    """Write a call to the tape: asked, and answered where something came back."""
    moment, calls = when or at(), store.tape.calls
    with store.write():
        calls.record_ask(who, moment, model.name, None if reserved is None else usd(reserved))
        if came is not None:
            call = Call(who.call, Question("rules", "facts"), came.completion)
            calls.record(who, moment, model, f"digest of {who}", call)


def put_all(store: Store, callers: Iterable[Caller], came: Came | None = None) -> None:
    for who in callers:
        put(store, who, came)
