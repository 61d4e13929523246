"""Ask models questions, each by itself, and keep what they answer; nothing is bet."""

import asyncio
import csv
import io
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Final

from arena.agents.reply.statement import find
from arena.agents.reply.words import UnreadableError
from arena.errors import ArenaError
from arena.ports import Llm
from arena.records.answer import Question, Usage, added_up
from arena.records.settings import ModelSettings
from arena.secrets import Secrets
from arena.wiring import build_model

FIRST: Final = 10  # answers to each question on the first day: they are the null
LATER: Final = 2
SYSTEM: Final = (
    "You forecast. You are given one question and nothing else. Answer with a JSON object that "
    'has your probability of YES, from 0 to 1: {"p": 0.5}.'
)
SCHEMA: Final = json.dumps(
    {
        "type": "object",
        "properties": {"p": {"type": "number", "minimum": 0, "maximum": 1}},
        "required": ["p"],
        "additionalProperties": False,
    }
)
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
        raise ArenaError("llm.questions", f"{file} cannot be read", status=2) from error
    questions = [line.strip() for line in lines if line.strip() and line.strip()[0] != "#"]
    if not questions or len(set(questions)) < len(questions):
        what = "has the same question twice" if questions else "has no question"
        raise ArenaError(
            "llm.questions", f"{file} {what}", hint="one question a line", status=2
        )
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
    form: ProbeForm | None = None,
) -> list[ModelAnswers]:
    """Ask every model every question so many times; nothing goes through an arena's books.

    Without a form they are asked for the probability of YES.
    """
    form = form or ProbeForm(SYSTEM, SCHEMA, probability_in, "no probability")
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
        reason = error.reworded(secrets.text).code
        return ModelAnswers(model.name, len(questions), failed={reason: len(questions)})
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
    try:
        fragments = find(text)
    except UnreadableError:
        return None
    objects = [fragment.value for fragment in fragments if isinstance(fragment.value, dict)]
    stated = [value["p"] for value in objects if isinstance(value.get("p"), Decimal)]
    return float(stated[-1]) if stated and 0 <= stated[-1] <= 1 else None


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
        raise ArenaError(
            "llm.answers", f"{file} cannot be written: {error.strerror}", status=2
        ) from error
