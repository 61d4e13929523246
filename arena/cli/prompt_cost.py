"""What would a question cost, at each of the models that could be asked?"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date

from arena.llms.estimate_tokens import tokens_guessed
from arena.llms.tariff import Tariff, cost_of, tariff_for, worst_case
from arena.records.answer import Question, Usage
from arena.records.money import Usd
from arena.records.settings import ModelSettings


@dataclass(frozen=True, slots=True)
class Sizes:
    """A question's tokens, guessed rather too high: rules with the schema, then the message.

    `system` and `shared` are what a provider's cache can hold.
    """

    system: int
    shared: int
    own: int

    @property
    def total(self) -> int:
        """All that is read."""
        return self.system + self.shared + self.own


@dataclass(frozen=True, slots=True)
class Cost:
    """Dollars of one call to one model; None is unknown.

    `cold` has nothing in the provider's cache and pays for writing to it, `warm` finds there
    what all contestants share, `batch` goes through the provider's batch interface, `worst`
    has the longest answer that the model may give.
    """

    model: str
    provider: str
    cold: Usd | None = None
    warm: Usd | None = None
    batch: Usd | None = None
    worst: Usd | None = None
    source: str = ""


def sizes_of(question: Question) -> Sizes:
    """Guess the tokens of each part of a question."""
    rules = tokens_guessed(replace(question, user=""))
    alike = tokens_guessed(replace(question, user=question.user[: question.shared]))
    return Sizes(rules, alike - rules, tokens_guessed(question) - alike)


def costs_of(
    sizes: Sizes, models: Iterable[ModelSettings], at: date, answer: int
) -> tuple[Cost, ...]:
    """Reckon a call at each model, with an answer of so many tokens."""
    return tuple(_cost(sizes, model, at, answer) for model in models)


def _cost(sizes: Sizes, model: ModelSettings, at: date, answer: int) -> Cost:
    tariff = tariff_for(model, at)
    if tariff is None:
        return Cost(model.name, model.provider)
    alike = sizes.system + sizes.shared
    usage = Usage(sizes.total, answer)
    written = alike if tariff.written is not None else 0
    return Cost(
        model.name,
        model.provider,
        cold=cost_of(replace(usage, tokens_written=written), tariff),
        warm=cost_of(replace(usage, tokens_cached=alike), tariff),
        batch=_in_batch(usage, model, at, tariff),
        worst=worst_case(sizes.total, model.max_tokens, tariff),
        source=tariff.source_on(at),
    )


def _in_batch(usage: Usage, model: ModelSettings, at: date, usual: Tariff) -> Usd | None:
    """None where the table has no price of its own for a batch."""
    tariff = tariff_for(model, at, "batch")
    if tariff is None or (tariff.into, tariff.out) == (usual.into, usual.out):
        return None
    return cost_of(usage, tariff)
