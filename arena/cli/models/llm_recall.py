"""Ask models how markets ended that did, and how invented ones did: what they remember."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import numpy as np
from scipy.stats import fisher_exact

from arena.agents.reply.statement import find
from arena.agents.reply.words import UnreadableError
from arena.cli.models.llm_drift import ModelAnswers, ProbeForm
from arena.records.answer import Usage
from arena.records.market import EventId, MarketId
from arena.replay import EndedMarket
from arena.venues.simulated.world import MARK, draw_wording

WORDS: Final = {"NO": 0.0, "YES": 1.0, "UNKNOWN": 0.5}
COLUMNS: Final = ("contestant", "market", "question", "at", "invented", "outcome", "said")
INVENTED: Final = "invented-"
SCHEMA: Final = json.dumps(
    {
        "type": "object",
        "properties": {"outcome": {"type": "string", "enum": list(WORDS)}},
        "required": ["outcome"],
        "additionalProperties": False,
    }
)
SYSTEM: Final = (
    "You are asked how a prediction market ended. Say it only if you remember it: do not guess "
    'and do not forecast. Answer with a JSON object: {"outcome": "YES"}, {"outcome": "NO"}, or '
    '{"outcome": "UNKNOWN"} if you do not remember.'
)


@dataclass(frozen=True, slots=True)
class Recalled:
    """How often a model said the outcome, of markets that ended and of invented ones.

    `hits` of the `markets` that were answered were said as they ended, and `false_alarms` of
    the `invented` ones as an outcome that was drawn for them. `p` is how often as many hits
    would be seen, or more, did it guess both alike; None without an answer to either.
    """

    model: str
    asked: int
    markets: int
    hits: int
    invented: int
    false_alarms: int
    p: float | None
    failed: Mapping[str, int]
    usage: Usage


def form() -> ProbeForm:
    """How a model is asked."""
    return ProbeForm(SYSTEM, SCHEMA, said_in, "no outcome")


def said_in(text: str) -> float | None:
    """The `outcome` of the last JSON object that has one: 1, 0, or 0.5 for unknown.

    >>> said_in('{"outcome": "yes"}'), said_in('{"outcome": "maybe"}')
    (1.0, None)
    """
    try:
        objects = [part.value for part in find(text) if isinstance(part.value, dict)]
    except UnreadableError:
        return None
    words = [value["outcome"] for value in objects if isinstance(value.get("outcome"), str)]
    return WORDS.get(str(words[-1]).strip().upper()) if words else None


def chosen(ended: Sequence[EndedMarket], most: int) -> tuple[EndedMarket, ...]:
    """Draw markets, and as many invented ones with the same days and outcomes, shuffled.

    The same recording gives the same markets.
    """
    rng = np.random.default_rng(len(ended))
    places = rng.permutation(len(ended))[:most].tolist()
    drawn = {market.market.question: market for market in (ended[place] for place in places)}
    real = tuple(drawn.values())
    truths = rng.permutation([market.truth for market in real]).tolist()
    invented: dict[str, EndedMarket] = {}
    for market, truth in zip(real, truths, strict=True):
        question = _invented(market.known, rng)
        while question in invented:
            question = _invented(market.known, rng)
        name = f"{INVENTED}{len(invented) + 1}"
        facts = replace(
            market.market, id=MarketId(name), event=EventId(name), question=question
        )
        invented[question] = replace(market, market=facts, truth=truth)
    return (*real, *invented.values())


def _invented(known: datetime, rng: np.random.Generator) -> str:
    (question,) = draw_wording(1, known, rng).questions
    words = question.removeprefix(MARK)
    return words[0].upper() + words[1:]


def question_of(market: EndedMarket) -> str:
    """What a model is asked about a market."""
    day = f"{market.known:%Y-%m-%d}"
    return f"{market.market.question}\nThe outcome was known by {day}. How did it end?"


def recalled(made: ModelAnswers, asked: Mapping[str, EndedMarket]) -> Recalled:
    """Count what one model remembers, by Fisher's exact test in one direction."""
    right = {True: 0, False: 0}
    number = {True: 0, False: 0}
    for question, said in made.answers:
        market = asked[question]
        invented = market.market.id.startswith(INVENTED)
        number[invented] += 1
        right[invented] += said == market.truth
    table = np.array([[right[k], number[k] - right[k]] for k in (False, True)])
    both = all(number.values())
    p = float(fisher_exact(table, alternative="greater").pvalue) if both else None
    return Recalled(
        made.model,
        made.asked,
        number[False],
        right[False],
        number[True],
        right[True],
        p,
        made.failed,
        made.usage,
    )


def rows_of(
    made: ModelAnswers, asked: Mapping[str, EndedMarket], at: datetime
) -> Iterator[tuple[object, ...]]:
    """The rows of a file of answers, as `COLUMNS` names them."""
    words = {value: word for word, value in WORDS.items()}
    for question, said in made.answers:
        market = asked[question]
        name, truth = market.market.id, words[market.truth]
        invented = int(name.startswith(INVENTED))
        yield (
            made.model,
            name,
            market.market.question,
            at.isoformat(),
            invented,
            truth,
            words[said],
        )
