"""Small rounds of ForecastBench's shape, and a cohort that plays them."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

FIRST = datetime(2026, 1, 4, tzinfo=UTC)
ROUND = timedelta(days=14)
ROUNDS, QUESTIONS = 3, 20
COHORT = """\
title: Small replay
venue: forecastbench
replay_only: true
start: {cadence: once, first: 2026-01-04}
decide: {every: 14d, for: 42d}
universe: {top: 100}
contestants: [market, always-no]
rules: {fill: mid, mark: mid, fees: none, max_quote_age: 15d, max_mark_age: 90d}
"""


def price(number: int) -> float:
    return (number % 9 + 1) / 10


def outcome(number: int) -> int:
    return number % 2


def write_data(folder: Path) -> None:
    """Rounds of questions, each of which resolves on a day of its own."""
    for kind in ("question_sets", "resolution_sets"):
        (folder / kind).mkdir(parents=True)
    for n in range(ROUNDS):
        due = FIRST + n * ROUND
        numbers = range(n * QUESTIONS, (n + 1) * QUESTIONS)
        questions = [_question(number, due) for number in numbers]
        answers = [_answer(number, due) for number in numbers]
        day = f"{due:%Y-%m-%d}"
        _write(folder / "question_sets" / f"{day}-llm.json", due, questions=questions)
        _write(
            folder / "resolution_sets" / f"{day}_resolution_set.json", due, resolutions=answers
        )


def _question(number: int, due: datetime) -> dict[str, object]:
    return {
        "id": f"q{number}",
        "source": "manifold",
        "question": f"Will number {number} come true?",
        "background": "A background.",
        "resolution_criteria": "Resolves as the market does.",
        "url": f"https://manifold.markets/q{number}",
        "market_info_open_datetime": "2025-12-01",
        "market_info_close_datetime": "2026-05-01",
        "freeze_datetime": f"{due - timedelta(days=10):%Y-%m-%d}",
        "freeze_datetime_value": str(price(number)),
    }


def _answer(number: int, due: datetime) -> dict[str, object]:
    return {
        "id": f"q{number}",
        "source": "manifold",
        "direction": None,
        "resolution_date": f"{due + timedelta(days=1 + number % QUESTIONS):%Y-%m-%d}",
        "resolved_to": float(outcome(number)),
        "resolved": True,
    }


def _write(file: Path, due: datetime, **rows: object) -> None:
    file.write_text(json.dumps({"forecast_due_date": f"{due:%Y-%m-%d}", **rows}))
