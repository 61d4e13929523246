"""`arena llm drift` asks the same questions again, and `arena insights` reads the answers."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.project import Project, model, project
from tests.standins.model_server import Ill, ModelServer, ails, by_model

SAYINGS = {"plain": '{"p": 0.3}', "chatty": 'I say {"p": 0.25}.', "vague": '{"p": 25}'}
QUESTIONS = ("Will it rain in Vela in March?", "Will Lunde win the cup?")


@dataclass(frozen=True, slots=True)
class Asking:
    """A project with three models, and a file of questions."""

    made: Project
    server: ModelServer
    questions: Path
    answers: Path

    def rows(self) -> list[dict[str, str]]:
        with self.answers.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Asking]:
    with ModelServer(by_model({**SAYINGS, "gone": ails(Ill.MODEL)})) as server:
        models = {name: model(server.base_url, deadline="30s") for name in (*SAYINGS, "gone")}
        made = project(tmp_path / "arena", models=models)
        questions = tmp_path / "questions.txt"
        questions.write_text("# asked weekly\n" + "\n".join(QUESTIONS) + "\n", "utf-8")
        yield Asking(made, server, questions, tmp_path / "answers.csv")


def run(asking: Asking, *more: str) -> tuple[int, str]:
    words: list[str | Path] = ["llm", "drift", asking.questions, "--into", asking.answers]
    done = asking.made.run(*words, *more)
    return done.code, done.out


def test_each_question_is_asked_by_itself_ten_times_at_first_and_then_twice(
    asking: Asking,
) -> None:
    assert run(asking, "plain", "--yes") == (0, "plain: 20 of 20 answered\n")
    assert len(asking.rows()) == 20
    assert run(asking, "plain", "--yes")[1] == "plain: 4 of 4 answered\n"
    assert len(asking.rows()) == len(asking.server.requests) == 24
    assert {row["question"] for row in asking.rows()} == set(QUESTIONS)
    assert {row["p"] for row in asking.rows()} == {"0.3"}


def test_a_reply_without_a_probability_is_counted_and_not_kept(asking: Asking) -> None:
    code, out = run(asking, "vague", "chatty", "gone", "--times", "1", "--yes")
    assert code == 6
    assert "vague: 0 of 2 answered, 2 no probability" in out
    assert "gone: 0 of 2 answered, 2 request" in out
    assert {row["contestant"] for row in asking.rows()} == {"chatty"}


def test_nothing_is_asked_where_nobody_agrees(asking: Asking) -> None:
    assert run(asking, "plain")[0] == 2
    assert not asking.answers.exists()
    assert asking.server.requests == []


@pytest.mark.parametrize("text", ["", "# none\n", "The same?\nThe same?\n"])
def test_a_file_without_questions_or_with_one_twice_is_refused(
    asking: Asking, text: str
) -> None:
    asking.questions.write_text(text, "utf-8")
    assert run(asking, "plain", "--yes")[0] == 2
    assert asking.server.requests == []


def test_the_answers_are_read_by_insights(asking: Asking, tmp_path: Path) -> None:
    run(asking, "plain", "--yes")
    forecasts = tmp_path / "forecasts.csv"
    forecasts.write_text("contestant,market,p,outcome\nada,a,0.4,1\nada,b,0.2,0\n", "utf-8")
    words = ("insights", "--file", forecasts, "--probes", asking.answers)
    done = asking.made.run(*words, "--json")
    (own,) = done.document["drift"]
    assert (own["contestant"], own["questions"], own["replicates"]) == ("plain", 2, 0.0)
    assert (own["looks"], own["alarm"]) == ([], None)
    assert "needs" not in asking.made.run(*words).err
