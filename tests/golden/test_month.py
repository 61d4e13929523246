"""A month with language models behind real sockets, killed midway and resumed."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest

from arena.store import open_store
from arena.store.audit import audit
from tests.hangs import Patience
from tests.sizes import size
from tests.standins.model_server import Message, Misbehaviour, ModelServer, fails, small_bettor

ROOT = Path(__file__).parents[2]
DAYS, QUESTIONS = size(7, 30), size(4, 8)
FIRST = date(2026, 3, 2)
MODELS = ("steady", "clumsy", "flaky")


def question(day: int, number: int) -> dict[str, object]:
    due = FIRST + timedelta(days=day)
    return {
        "id": f"q{day}-{number}",
        "source": "manifold",
        "question": f"Will thing {number} of day {day} happen?",
        "resolution_criteria": "By the word of the venue.",
        "background": "",
        "market_info_open_datetime": "2026-01-01T00:00:00+00:00",
        "market_info_close_datetime": f"{due + timedelta(days=20)}T00:00:00+00:00",
        "market_info_resolution_criteria": "N/A",
        "url": f"https://example.org/{day}/{number}",
        "freeze_datetime": f"{due}T00:00:00+00:00",
        "freeze_datetime_value": f"0.{(37 * day + 101 * number) % 80 + 10}",
    }


def resolution(day: int, number: int) -> dict[str, object]:
    return {
        "id": f"q{day}-{number}",
        "source": "manifold",
        "direction": None,
        "resolution_date": f"{FIRST + timedelta(days=day + 1 + number % 5)}",
        "resolved_to": float((day * number) % 3 == 0),
        "resolved": True,
    }


def write_data(folder: Path) -> Path:
    for name in ("question_sets", "resolution_sets"):
        (folder / name).mkdir(parents=True)
    for day in range(DAYS):
        due = f"{FIRST + timedelta(days=day)}"
        head = {"forecast_due_date": due, "question_set": f"{due}-llm.json"}
        asked = [question(day, n) for n in range(QUESTIONS)]
        told = [resolution(day, n) for n in range(QUESTIONS)]
        (folder / "question_sets" / f"{due}-llm.json").write_text(
            json.dumps({**head, "questions": asked})
        )
        (folder / "resolution_sets" / f"{due}_resolution_set.json").write_text(
            json.dumps({**head, "resolutions": told})
        )
    return folder


def write_project(folder: Path, base_url: str) -> Path:
    (folder / "cohorts").mkdir(parents=True)
    models = "".join(
        f"  {name}: {{adapter: openai_chat, base_url: '{base_url}', model: {name}, "
        "key_env: MONTH_KEY, deadline: 20s, price_in: 1, price_out: 2}\n"
        for name in MODELS
    )
    contestants = "".join(f"  {name}: {{agent: prompted, model: {name}}}\n" for name in MODELS)
    (folder / "config.yaml").write_text(
        f"paths: {{templates: '{ROOT / 'templates'}'}}\n"
        f"models:\n{models}contestants:\n  market: {{agent: market}}\n{contestants}"
    )
    (folder / "month.yaml").write_text(
        "title: A month\nvenue: forecastbench\n"
        f"start: {{cadence: once, first: {FIRST}}}\n"
        f"decide: {{every: 1d, for: {DAYS}d}}\nuniverse: {{top: {QUESTIONS}}}\n"
        f"contestants: [market, {', '.join(MODELS)}]\n"
        "rules: {fill: mid, mark: mid, fees: none, max_mark_age: 30d}\nreplay_only: true\n"
    )
    return folder


def says(model: str, messages: Sequence[Message]) -> str | Misbehaviour:
    """Be steady, or clumsy on some days, or fail on others; the same for the same prompt."""
    day = messages[-1]["content"].split('"as_of":"')[1][8:10]
    if model == "clumsy" and day in {"05", "12"}:
        return "I would rather not put it in JSON."
    if model == "flaky" and day in {"08", "20"}:
        return fails(401)
    return small_bettor(model, messages)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(says, latency=0.02) as running:
        yield running


def command(project: Path, data: Path, out: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "arena", "--config", str(project / "config.yaml")),
        *("replay", str(data), "--cohort", str(project / "month.yaml"), "--out", str(out)),
    ]


def play(project: Path, data: Path, out: Path) -> None:
    ran = subprocess.run(  # noqa: S603  # our own command
        command(project, data, out),
        env={**os.environ, "MONTH_KEY": "k-123456"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]


def play_and_kill(project: Path, data: Path, out: Path, server: ModelServer) -> None:
    """Kill the play, without a warning, when half of its questions have been asked."""
    child = subprocess.Popen(  # noqa: S603  # our own command
        command(project, data, out),
        env={**os.environ, "MONTH_KEY": "k-123456"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    half = len(server.requests) + DAYS * len(MODELS) // 2
    patience = Patience()
    while len(server.requests) < half:
        patience.wait()
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL


SEAT = 5  # parts of the path of a seat: its page says how long calls took
SAME = {"cohorts", "markets", "calibration.html", "compare.html", "changes.html"}


def test_a_month_killed_midway_ends_as_one_that_was_not(
    tmp_path: Path, server: ModelServer
) -> None:
    data = write_data(tmp_path / "data")
    project = write_project(tmp_path / "project", server.base_url)
    play(project, data, tmp_path / "whole")
    undisturbed = len(server.requests)

    play_and_kill(project, data, tmp_path / "killed", server)
    with open_store(tmp_path / "killed" / "arena.db") as store:
        kept = store.db.value("SELECT count(*) FROM tape_calls")
        assert 0 < kept < DAYS * len(MODELS)
    before = len(server.requests)
    play(project, data, tmp_path / "killed")

    asked_after = len(server.requests) - before
    assert asked_after == undisturbed - kept
    with (
        open_store(tmp_path / "whole" / "arena.db") as whole,
        open_store(tmp_path / "killed" / "arena.db") as killed,
    ):
        assert killed.journal.head() == whole.journal.head()
        assert audit(killed.db).findings == ()
        assert killed.boards.overall() == whole.boards.overall()
        failures = killed.db.value("SELECT count(*) FROM turns WHERE failure IS NOT NULL")
        assert failures == size(2, 4)
    pages = {
        p.relative_to(tmp_path / "whole"): p.read_bytes()
        for p in (tmp_path / "whole" / "site").rglob("*.html")
    }
    # How long a call took, and what may have been billed for one that a kill cut off, are
    # not the same in two runs: pages that tell of neither are compared.
    alike = {p: was for p, was in pages.items() if p.parts[1] in SAME and len(p.parts) < SEAT}
    assert len(alike) > len(MODELS)
    for page, text in alike.items():
        assert (tmp_path / "killed" / page).read_bytes() == text, page
