"""Ask models questions, each by itself, and keep what they answer; nothing is bet.

Of drift: a fixed set of questions, asked again and again. Of recall: how markets ended that
did, and how invented ones did. Of reach: one tiny question, whether a model answers at all.
"""

import asyncio
import csv
import io
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
from scipy.stats import fisher_exact

from arena.agents.reply.json_repair import find
from arena.agents.reply.words import UnreadableError
from arena.cli.say import usage_error
from arena.errors import ArenaError
from arena.llms.client import WireClient
from arena.llms.profile import retirement_of
from arena.llms.tariff import Tariff, tariff_for
from arena.llms.wires.wire import Output
from arena.ports import Llm
from arena.records.answer import Completion, Question, Trouble, Usage, added_up
from arena.records.market import EventId, MarketId
from arena.records.settings import ModelSettings
from arena.replay import EndedMarket
from arena.secrets import Secrets
from arena.venues.simulated.world import MARK, draw_wording
from arena.wiring import build_model

LONGEST = 512  # tokens: more than the answer needs, since some models think before any
PATIENCE = timedelta(seconds=60)
SOON = timedelta(days=60)
T = TypeVar("T")


def _schema_of(**properties: object) -> str:
    """The JSON schema of an object that has these properties, and no others."""
    return json.dumps(
        {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    )


QUESTION = Question(
    system="This is a test of whether you can be reached. Answer in JSON.",
    user='Answer with the JSON object {"ok": true} and nothing else.',
    schema=_schema_of(ok={"type": "boolean"}),
)


@dataclass(frozen=True, slots=True)
class ModelProbe:
    """The results of probing a model.

    `said` is None where it was not asked: its key is lacking (`key_missing`), or it cannot
    be built (`broken`). `output` is what it was held to in the end; None where its adapter
    does not tell. `follows` says whether it answered with the JSON that was asked for.
    """

    settings: ModelSettings
    tariff: Tariff | None
    retires_on: date | None
    said: Completion | None = None
    output: Output | None = None
    key_missing: bool = False
    broken: ArenaError | None = field(default=None, repr=False)

    @property
    def is_reachable(self) -> bool:
        """Whether an answer came: one that was cut off is one, for key and name are right."""
        return self.said is not None and self.said.trouble in {None, Trouble.TRUNCATED}

    @property
    def follows(self) -> bool:
        """Whether its words are the JSON object that was asked for, and nothing else."""
        try:
            return bool(self.said and json.loads(self.said.text or "") == {"ok": True})
        except (ValueError, RecursionError):
            return False

    @property
    def other_name(self) -> str:
        """The name that the server gave itself, where it is not the one that was asked for."""
        served = self.said.model if self.said else ""
        return "" if served.casefold() == self.settings.model.casefold() else served

    @property
    def is_a_release(self) -> bool:
        """Whether that other name is the one asked for with something after it, as a day."""
        return self.other_name.casefold().startswith(f"{self.settings.model.casefold()}-")

    def days_left(self, today: date) -> int | None:
        """Give the days until its provider ends it, below 1 where it has; None: not known."""
        return None if self.retires_on is None else (self.retires_on - today).days


async def check_all(
    models: Iterable[ModelSettings], today: date, secrets: Secrets
) -> list[ModelProbe]:
    """Probe models, all at once; nothing is written down, and no secret is told."""
    return list(await asyncio.gather(*(_check(model, today, secrets) for model in models)))


async def _check(model: ModelSettings, today: date, secrets: Secrets) -> ModelProbe:
    probe = ModelProbe(model, tariff_for(model, today), retirement_of(model))
    if model.key_env and not os.environ.get(model.key_env):
        return replace(probe, key_missing=True)
    try:
        llm = build_model(_modest(model))
        completion = secrets.record(await llm.complete(QUESTION))
    except ArenaError as error:
        return replace(probe, broken=error.reworded(secrets.text))
    priced = tariff_for(model, today, completion.tier, served=completion.model)
    output = llm.ask(QUESTION).output if isinstance(llm, WireClient) else None
    return replace(probe, said=completion, output=output, tariff=priced or probe.tariff)


def _modest(model: ModelSettings) -> ModelSettings:
    """Ask for a short answer soon; a budget for thinking has to fit below the longest."""
    longest = model.max_tokens
    if "budget" not in repr(model.options).casefold():
        longest = min(longest, LONGEST)
    return replace(model, max_tokens=longest, deadline=min(model.deadline, PATIENCE))


FIRST: Final = 10  # answers to each question on the first day: they are the null
LATER: Final = 2
COLUMNS: Final = ("contestant", "question", "at", "p")


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """What one model answered, by reason how often it did not, and what that cost."""

    model: str
    asked: int
    answers: tuple[tuple[str, float], ...] = ()
    failed: Mapping[str, int] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class ProbeForm:
    """How a model is asked: its instructions, the reply's schema, and how a reply is read.

    `read` gives None for a reply without what was asked for, which is counted as `missing`.
    """

    system: str
    schema: str
    read: Callable[[str], float | None]
    missing: str


def questions_of(file: Path) -> tuple[str, ...]:
    """The questions of a file, one a line; blank lines and those with # are passed over.

    Raises:
        ArenaError: The file cannot be read, has no question, or one twice.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise usage_error("llm.questions", f"{file} cannot be read") from error
    questions = [line.strip() for line in lines if line.strip() and line.strip()[0] != "#"]
    if not questions or len(set(questions)) < len(questions):
        what = "has the same question twice" if questions else "has no question"
        raise usage_error("llm.questions", f"{file} {what}", hint="one question a line")
    return tuple(questions)


def known_models(file: Path) -> frozenset[str]:
    """Whose answers a file has already; nobody's where there is none.

    Raises:
        ArenaError: The file is no file of answers.
    """
    from arena.sheets.reading import read_probes

    return frozenset(read_probes(file)[0].contestant.names if file.exists() else ())


async def ask_all(
    models: Iterable[ModelSettings],
    questions: Sequence[str],
    times: Mapping[str, int],
    secrets: Secrets,
    form: ProbeForm,
) -> list[ModelAnswers]:
    """Ask every model every question so many times; nothing goes through an arena's books."""
    asked = (_ask(model, [*questions] * times[model.name], secrets, form) for model in models)
    return list(await asyncio.gather(*asked))


async def _ask(
    model: ModelSettings, questions: Sequence[str], secrets: Secrets, form: ProbeForm
) -> ModelAnswers:
    if model.key_env and not os.environ.get(model.key_env):
        return ModelAnswers(model.name, len(questions), failed={"key missing": len(questions)})
    try:
        llm = build_model(model)
        made = await asyncio.gather(*(_answer(llm, q, secrets, form) for q in questions))
    except ArenaError as error:
        return ModelAnswers(model.name, len(questions), failed={error.code: len(questions)})
    answers = tuple(
        (q, p) for q, (p, _) in zip(questions, made, strict=True) if isinstance(p, float)
    )
    failed = Counter(reason for reason, _ in made if isinstance(reason, str))
    usage = added_up(usage for _, usage in made)
    return ModelAnswers(model.name, len(questions), answers, dict(failed), usage)


async def _answer(
    llm: Llm, question: str, secrets: Secrets, form: ProbeForm
) -> tuple[float | str, Usage]:
    """What was answered, or why there is nothing, and what it cost."""
    asked = Question(form.system, question, schema=form.schema)
    completion = secrets.record(await llm.complete(asked))
    if completion.trouble is not None:
        return str(completion.trouble), completion.usage
    value = form.read(completion.text or "")
    return form.missing if value is None else value, completion.usage


def probability_in(text: str) -> float | None:
    """The `p` of the last JSON object of a reply that has one; None if it is not from 0 to 1.

    >>> probability_in('I think: {"p": 0.25}'), probability_in('{"p": 25}')
    (0.25, None)
    """
    stated = _last_in(text, "p", Decimal)
    return float(stated) if stated is not None and 0 <= stated <= 1 else None


DRIFT: Final = ProbeForm(
    "You forecast. You are given one question and nothing else. Answer with a JSON object that "
    'has your probability of YES, from 0 to 1: {"p": 0.5}.',
    _schema_of(p={"type": "number", "minimum": 0, "maximum": 1}),
    probability_in,
    "no probability",
)


def _last_in(text: str, key: str, kind: type[T]) -> T | None:
    """What the last JSON object of a reply has under a key, of those that have it."""
    try:
        objects = [part.value for part in find(text) if isinstance(part.value, dict)]
    except UnreadableError:
        return None
    stated = [found for value in objects if isinstance(found := value.get(key), kind)]
    return stated[-1] if stated else None


def append(
    file: Path, rows: Iterable[Sequence[object]], columns: Sequence[str] = COLUMNS
) -> None:
    """Add answers to the end of a file, in one piece.

    Raises:
        ArenaError: The file cannot be written.
    """
    text = io.StringIO()
    is_new = not file.exists() or not file.stat().st_size
    csv.writer(text, lineterminator="\n").writerows([columns, *rows] if is_new else rows)
    try:
        with file.open("a", encoding="utf-8", newline="") as answers:
            answers.write(text.getvalue())
    except OSError as error:
        raise usage_error(
            "llm.answers", f"{file} cannot be written: {error.strerror}"
        ) from error


WORDS: Final = {"NO": 0.0, "YES": 1.0, "UNKNOWN": 0.5}
RECALL_COLUMNS: Final = (
    "contestant",
    "market",
    "question",
    "at",
    "invented",
    "outcome",
    "said",
)
INVENTED: Final = "invented-"


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


def said_in(text: str) -> float | None:
    """The `outcome` of the last JSON object that has one: 1, 0, or 0.5 for unknown.

    >>> said_in('{"outcome": "yes"}'), said_in('{"outcome": "maybe"}')
    (1.0, None)
    """
    word = _last_in(text, "outcome", str)
    return None if word is None else WORDS.get(word.strip().upper())


RECALL: Final = ProbeForm(
    "You are asked how a prediction market ended. Say it only if you remember it: do not guess "
    'and do not forecast. Answer with a JSON object: {"outcome": "YES"}, {"outcome": "NO"}, or '
    '{"outcome": "UNKNOWN"} if you do not remember.',
    _schema_of(outcome={"type": "string", "enum": list(WORDS)}),
    said_in,
    "no outcome",
)


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
    right, number = {True: 0, False: 0}, {True: 0, False: 0}
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
    for asked_question, said in made.answers:
        market = asked[asked_question]
        name, question = market.market.id, market.market.question
        invented, outcomes = int(name.startswith(INVENTED)), (words[market.truth], words[said])
        yield (made.model, name, question, at.isoformat(), invented, *outcomes)
