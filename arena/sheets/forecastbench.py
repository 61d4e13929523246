"""ForecastBench's own files: forecast sets, with their resolution and question sets."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Final

import pandas as pd

from arena.errors import ArenaError
from arena.scoring.forecastbench import MARKETS
from arena.stats.question_families import AskedQuestion, question_families

Question = tuple[str, str, str]  # the date of the round, the source, and the id

SOURCE: Final = "source"


@dataclass(frozen=True, slots=True)
class Resolutions:
    """What became of the questions of each round, and what they cost when they were frozen.

    `truth` holds by question the outcome at each of its dates, None while it is open. `event`
    names by market, of those in a question set, the family that its question is of.
    """

    rounds: frozenset[str]
    truth: Mapping[Question, Mapping[str, float | None]]
    price: Mapping[Question, float]
    event: Mapping[str, str]

    @classmethod
    def read(cls, resolutions: Sequence[Path], questions: Sequence[Path]) -> "Resolutions":
        """Read resolution sets and question sets; none is fine where none is needed.

        Raises:
            ArenaError: A file is missing or is not of that kind.
        """
        rounds: set[str] = set()
        truth: dict[Question, dict[str, float | None]] = {}
        for file in resolutions:
            due, rows = _set(file, "resolutions")
            rounds.add(due)
            with _in_words(file, "resolutions"):
                for row in rows:
                    resolution = row["resolved_to"] if row.get("resolved", True) else None
                    dates = truth.setdefault((due, str(row["source"]), str(row["id"])), {})
                    dates[str(row["resolution_date"])] = resolution
        price: dict[Question, float] = {}
        asked_questions: list[AskedQuestion] = []
        for file in questions:
            due, rows = _set(file, "questions")
            with _in_words(file, "questions"):
                for row in rows:
                    asked_questions.append(_asked_question(row))
                    frozen = row.get("freeze_datetime_value")
                    if row["source"] in MARKETS and _is_number(frozen):
                        price[(due, str(row["source"]), str(row["id"]))] = float(str(frozen))
        return cls(frozenset(rounds), truth, price, question_families(asked_questions))

    def outcome(self, question: Question, date: object) -> float | None:
        """What became of a question by a date; without one, what all its dates say.

        A market has one outcome: the rounds of 2024 list it under several dates.
        """
        dates = self.truth.get(question, {})
        if isinstance(date, str) and date in dates:
            return dates[date]
        said = set(dates.values())
        is_one = not isinstance(date, str) or question[1] in MARKETS
        return said.pop() if is_one and len(said) == 1 else None

    def is_one(self, question: Question) -> bool:
        """Whether a question is of a market whose dates all say the same."""
        return question[1] in MARKETS and len(set(self.truth.get(question, {}).values())) < 2  # noqa: PLR2004


def set_frame(frame: pd.DataFrame, file: Path, ruling: Resolutions) -> pd.DataFrame:
    """Lay a forecast set out as our columns; what has no resolution has no outcome.

    A question asked for several dates is one event with a market a date, and so are questions
    of one family; a market is one, under however many dates it stands. A file of several
    users has a contestant each. Combinations of two questions are left out: they are not
    markets.

    Raises:
        ArenaError: No resolution set of its round was given.
    """
    head = frame.attrs
    due = str(head.get("forecast_due_date") or str(head.get("question_set", ""))[:10])
    if due not in ruling.rounds:
        raise ArenaError(
            "score.resolutions",
            f"{file} is a forecast set: it does not say how the questions of {due} resolved",
            hint="name ForecastBench's resolution set of that date with --resolutions FILE",
            status=2,
        )
    who = " / ".join(str(head[k]) for k in ("organization", "model") if head.get(k))
    rows = {}
    for n, forecast in enumerate(frame.to_dict("records")):
        if not isinstance(forecast["id"], str):
            continue
        source, name, date = (
            str(forecast["source"]),
            forecast["id"],
            forecast.get("resolution_date"),
        )
        question, own, user = (due, source, name), f"{source}/{name}", forecast.get("user_id")
        names = [who or file.stem, *([] if pd.isna(user) else [str(user)])]
        dated = isinstance(date, str) and not ruling.is_one(question)
        row = {
            "contestant": " / ".join(names),
            "market": own + (f"@{date}" if dated else ""),
            "event": ruling.event.get(own, own),
            "at": due,
            "p": forecast["forecast"],
            "outcome": ruling.outcome(question, date),
            "market_p": ruling.price.get(question),
            SOURCE: source,
        }
        again = isinstance(date, str) and not dated  # the same market under another date
        rows[(row["contestant"], own, str(row["p"])) if again else n] = row
    columns = ["contestant", "market", "event", "at", "p", "outcome", "market_p", SOURCE]
    return pd.DataFrame(list(rows.values()), columns=columns, dtype=object)


def _set(file: Path, key: str) -> tuple[str, list[dict[str, Any]]]:
    """The round of a set, and its rows; combinations of questions are not among them."""
    with _in_words(file, key):
        document = json.loads(file.read_text("utf-8-sig"))
        rows = [row for row in document[key] if not isinstance(row["id"], list)]
        return str(document["forecast_due_date"]), rows


def _asked_question(row: Mapping[str, Any]) -> AskedQuestion:
    """A question as families are guessed from it; what closes on no day is of no family."""
    name, closes = (
        f"{row['source']}/{row['id']}",
        str(row.get("market_info_close_datetime", "")),
    )
    day = closes[:10] if closes[:4].isdigit() else ""
    return AskedQuestion(name, str(row["source"]), str(row.get("question", "")), day)


@contextmanager
def _in_words(file: Path, key: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise ArenaError("score.no_file", f"there is no file {file}", status=2) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ArenaError(
            "score.unreadable",
            f"{file} is not a set of {key} of ForecastBench",
            hint=f"it is a JSON object with a forecast_due_date and a list under {key!r}",
            status=2,
        ) from error


def _is_number(value: object) -> bool:
    try:
        return isfinite(float(str(value)))
    except ValueError:
        return False
