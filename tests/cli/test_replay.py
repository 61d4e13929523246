import json
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.project import ROOT, Project, project
from tests.cli.shell import Done, ended, killed, running

REAL = ROOT.parent / "shared" / "data" / "forecastbench"
FIRST = datetime(2026, 1, 4, tzinfo=UTC)
ROUND = timedelta(days=14)
ROUNDS, QUESTIONS = 3, 40
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


@dataclass(frozen=True, slots=True)
class Replays:
    """A project with recorded data, and a whole replay of it in the folder `whole`."""

    made: Project
    whole: Done


def replay(made: Project, out: str, *more: str, cohort: str = "small.yaml") -> Done:
    return made.run("replay", "data", "--cohort", f"cohorts/{cohort}", "--out", out, *more)


@pytest.fixture(scope="module")
def replays(tmp_path_factory: pytest.TempPathFactory) -> Replays:
    made = project(tmp_path_factory.mktemp("replays") / "arena")
    write_data(made.folder / "data")
    (made.folder / "cohorts" / "small.yaml").write_text(COHORT)
    other = COHORT.replace("max_quote_age: 15d", "max_quote_age: 14d")
    (made.folder / "cohorts" / "other.yaml").write_text(other)
    return Replays(made, replay(made, "whole", "--json"))


def line(done: Done, who: str) -> dict[str, Any]:
    standings: list[dict[str, Any]] = done.document["leaderboard"]["standings"]
    return next(each for each in standings if each["contestant"] == who)


def test_a_replay_in_json_is_one_document(replays: Replays) -> None:
    assert (replays.whole.code, replays.whole.err) == (0, "")
    assert replays.whole.document["schema_version"] == 1
    assert (replays.made.folder / replays.whole.document["site"]).is_file()


def test_the_market_scores_what_its_prices_score(replays: Replays) -> None:
    numbers = range(ROUNDS * QUESTIONS)
    brier = sum((price(n) - outcome(n)) ** 2 for n in numbers) / len(numbers)
    forecast = line(replays.whole, "market")["forecast"]
    assert (forecast["n"], round(forecast["value"], 9)) == (len(numbers), round(brier, 9))


def test_a_replay_plays_every_round(replays: Replays) -> None:
    assert line(replays.whole, "always-no")["turns_ok"] == ROUNDS


def test_the_books_of_a_replay_are_sound(replays: Replays) -> None:
    done = replays.made.run("audit", "--json", "--database", "whole/arena.db")
    assert (done.document["ok"], done.document["journal"]) == (
        True,
        replays.whole.document["journal"],
    )


def test_a_replay_that_was_stopped_midway_ends_the_same(replays: Replays) -> None:
    words = ("replay", "data", "--cohort", "cohorts/small.yaml", "--out", "stopped")
    with running(*words, cwd=replays.made.folder) as process:
        assert process.stderr
        progress = [process.stderr.readline() for _ in range(5)]
        stopped = killed(process)
    assert (stopped.code, progress[-1].partition("/")[0]) == (-signal.SIGKILL, "[ 5")
    again = replay(replays.made, "stopped", "--json")
    assert again.document["leaderboard"] == replays.whole.document["leaderboard"]
    assert again.document["journal"] == replays.whole.document["journal"]


def test_a_replay_that_has_ended_is_told_again(replays: Replays) -> None:
    again = replay(replays.made, "whole")
    assert (again.code, f"\njournal {replays.whole.document['journal']}\n" in again.out) == (
        0,
        True,
    )


def test_another_cohort_in_the_same_folder_is_refused(replays: Replays) -> None:
    done = replay(replays.made, "whole", cohort="other.yaml")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(
        "error[replay.another]: this folder holds a play of small, not of other\n  hint: "
    )


def test_a_cohort_that_has_changed_is_refused_in_its_old_folder(replays: Replays) -> None:
    elsewhere = replays.made.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "small.yaml").write_text(COHORT.replace("top: 100", "top: 99"))
    done = replay(replays.made, "whole", cohort="../elsewhere/small.yaml")
    assert (done.code, "error[replay.another]" in done.err) == (2, True)


def test_a_cohort_of_another_venue_is_refused(replays: Replays) -> None:
    done = replay(replays.made, "new", cohort="c.yaml")
    assert (done.code, done.crashed) == (2, False)
    assert not (replays.made.folder / "new").exists()


def test_answers_that_are_not_there_are_named(replays: Replays) -> None:
    done = replay(replays.made, "new", "--answers", "nowhere.db")
    assert (done.code, done.crashed) == (2, False)
    assert "nowhere.db" in done.err
    assert not (replays.made.folder / "new").exists()


def test_answers_that_are_no_arena_s_leave_nothing_behind(replays: Replays) -> None:
    done = replay(replays.made, "new", "--answers", "config.yaml")
    assert (done.code, done.crashed) == (1, False)
    assert done.err.startswith("error[store.foreign]: config.yaml is not an arena's database")
    assert not (replays.made.folder / "new").exists()


def test_who_asks_no_model_needs_nothing_from_a_tape(replays: Replays) -> None:
    done = replay(replays.made, "taped", "--json", "--answers", "whole/arena.db")
    assert done.code == 0
    assert done.document["journal"] == replays.whole.document["journal"]


def test_a_folder_without_data_is_named(replays: Replays) -> None:
    made = replays.made
    done = made.run("replay", "cohorts", "--cohort", "cohorts/small.yaml", "--out", "new")
    assert (done.code, done.crashed) == (1, False)
    assert "error[venue.data]: cohorts/question_sets: there is no question set" in done.err


# The rounds that were really played: ten, with 920 forecasts of resolved markets


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Done]:
    if not REAL.is_dir():
        pytest.skip(f"there is no ForecastBench data in {REAL}")
    words = ("replay", REAL, "--cohort", "cohorts/replay.yaml", "--json", "--out")
    with running(*words, tmp_path_factory.mktemp("real"), cwd=ROOT) as process:
        yield ended(process)


def test_the_market_of_the_recorded_rounds_scores_what_is_known(real: Done) -> None:
    forecast = line(real, "market")["forecast"]
    assert (forecast["n"], round(forecast["value"], 7)) == (920, 0.0575543)
