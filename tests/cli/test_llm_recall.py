"""What models may remember: cut-offs on a replay, and the probe of their memory."""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from tests.cli.project import Project, model, project
from tests.cli.rounds import COHORT, write_data
from tests.cli.shell import Done
from tests.standins.asked import Message
from tests.standins.model_server import ModelServer, small_bettor

# A round's questions are known from 2 to 21 days after it, one a day; it comes each 14 days.
CUTOFF = "2026-01-20"
REMEMBERED, PARTLY, AFTER = 16, 24, 20
KNOWN, WITHOUT = "known", "without"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, Done]]:
    """Three rounds, by a model that knows the first and one of whom nobody knows."""
    with ModelServer(small_bettor) as server:
        slow = {"base_url": server.base_url, "deadline": "30s", "provider": "Acme"}
        models = {
            KNOWN: model(**slow, knowledge_until=CUTOFF, release="2025-02-01"),
            WITHOUT: model(**slow),
        }
        made = project(tmp_path_factory.mktemp("recall") / "arena", models=models)
        write_data(made.folder / "data")
        cohort = COHORT.replace("always-no]", f"always-no, {KNOWN}, {WITHOUT}]")
        (made.folder / "cohorts" / "small.yaml").write_text(cohort + "counts: first_year\n")
        yield made, made.run("replay", "data", "--cohort", "cohorts/small.yaml")


def asked(played: tuple[Project, Done], *words: str) -> dict[str, Any]:
    done = played[0].run(*words, "--database", "replay/arena.db", "--json")
    assert done.code == 0, done.err
    return done.document


def test_a_replay_warns_of_who_may_remember_its_markets(played: tuple[Project, Done]) -> None:
    warnings = [line for line in played[1].err.splitlines() if line.startswith("warning")]
    known, unknown = warnings
    assert known == (
        f"warning: {KNOWN} may remember how {REMEMBERED} of 60 markets ended: its knowledge "
        f"reaches to {CUTOFF}, and the first round is of 2026-01-04"
    )
    assert unknown == (
        f"warning: of {WITHOUT} no knowledge cut-off is known: any of 60 markets may be "
        "remembered; knowledge_until in config.yaml says it"
    )


def test_a_sweep_warns_of_the_same(played: tuple[Project, Done]) -> None:
    made, replayed = played
    grid = "grid: {rules.max_bet_fraction: [0.1]}"
    plan = f"cohort: cohorts/small.yaml\nrecording: data\n{grid}\n"
    (made.folder / "plan.yaml").write_text(plan)
    done = made.run("sweep", "plan.yaml", "--on", "local:1", "--json")
    warned = [f"warning: {words}" for words in done.document["may_remember"]]
    assert warned == [line for line in replayed.err.splitlines() if line.startswith("warning")]


def test_the_ledger_has_a_row_a_forecast_with_its_days(played: tuple[Project, Done]) -> None:
    ledger = asked(played, "explain", KNOWN, "remembered")["explained"]
    rows = [dict(zip(ledger["columns"], row, strict=True)) for row in ledger["rows"]]
    assert {row["knowledge_until"] for row in rows} == {CUTOFF}
    assert {row["release"] for row in rows} == {"2025-02-01"}
    assert {row["asked"][:10] for row in rows} == {"2026-01-04", "2026-01-18", "2026-02-01"}
    planted = [row for row in rows if row["outcome_known"][:10] <= CUTOFF]
    assert planted == [row for row in rows if row["memory"] == "ended before the cut-off"]
    assert len(planted) == ledger["inputs"]["ended before the cut-off"] == REMEMBERED
    assert ledger["inputs"]["asked before the cut-off, ended after it"] == PARTLY
    assert ledger["estimate"]["value"] == pytest.approx(REMEMBERED / 60)


def test_a_score_after_the_cut_off_is_the_mean_of_those_rows(
    played: tuple[Project, Done],
) -> None:
    told = asked(played, "explain", KNOWN, "brier")["explained"]
    rows = [dict(zip(told["columns"], row, strict=True)) for row in told["rows"]]
    late = [row for row in rows if row["at"] > "2026-01-21"]
    by_hand = mean((row["p"] - row["outcome"]) ** 2 for row in late)
    scored = asked(played, "score", "--after-cutoff", "--metric", "brier")
    lines = {line["contestant"]: line for line in scored["contestants"]}
    assert lines[KNOWN]["n"] == len(late) == AFTER
    assert lines[KNOWN]["scores"]["brier"]["value"] == pytest.approx(by_hand)
    assert WITHOUT not in lines
    assert lines["market"]["n"] == 60
    assert {why: each["rows"] for why, each in scored["left_out"].items()} == {
        "ended before the cut-off": REMEMBERED,
        "asked before the cut-off, ended after it": PARTLY,
        "cut-off not known": 60,
    }


@pytest.mark.parametrize("command", [("compare",), ("calibration", KNOWN), ("insights",)])
def test_other_commands_leave_the_same_rows_out(
    played: tuple[Project, Done], command: tuple[str, ...]
) -> None:
    text = json.dumps(asked(played, *command, "--after-cutoff"))
    assert WITHOUT not in text


def test_the_leaderboard_is_that_of_what_came_after(played: tuple[Project, Done]) -> None:
    board = asked(played, "leaderboard", "--after-cutoff")["overview"]
    values = {place["contestant"]: place["value"] for place in board["places"]}
    assert (values[KNOWN]["n"], values["always-no"]["n"]) == (AFTER, 60)
    assert values[WITHOUT] is None or values[WITHOUT]["n"] == 0


def test_what_is_left_out_of_the_books_cannot_be_chosen(played: tuple[Project, Done]) -> None:
    done = played[0].run("leaderboard", "--after-cutoff", "--fast")
    assert (done.code, "the books are of all bets" in done.err) == (2, True)


def test_a_file_of_forecasts_has_no_cut_offs(played: tuple[Project, Done]) -> None:
    done = played[0].run("score", "some.csv", "--after-cutoff")
    assert (done.code, "no cut-offs" in done.err) == (2, True)


def test_pages_count_what_may_be_remembered(played: tuple[Project, Done]) -> None:
    site = played[0].folder / "replay" / "site"
    page = json.loads((site / "contestants" / KNOWN / "index.json").read_text())
    facts = {fact["name"]: fact for fact in page["forecasting"]["scores"]}
    fact = facts["Asked about days it may remember"]
    assert fact["text"] == f"{REMEMBERED} of 60"
    assert fact["note"] == f"knowledge cut-off {CUTOFF}; {PARTLY} more were asked before it"
    assert "Brier gain over the market, asked after its cut-off" in facts
    (file,) = (site / "providers").glob("acme-*/index.json")
    provider = json.loads(file.read_text())
    (kpi,) = [kpi for kpi in provider["kpis"] if kpi["name"] == "May remember"]
    assert (kpi["cell"]["text"], kpi["cell"]["note"]) == (
        f"{REMEMBERED} of 60",
        "60 more without a known cut-off",
    )


def test_a_model_s_later_years_and_those_of_no_known_release_are_not_compared(
    played: tuple[Project, Done],
) -> None:
    page = played[0].folder / "replay" / "site" / "providers" / "index.json"
    uncounted = f"{AFTER + 60} forecasts are not counted here"
    assert uncounted in json.loads(page.read_text())["words"]


# The probe: what models say of markets that ended, and of invented ones


def remembering(name: str, messages: Sequence[Message]) -> str:
    """`third` remembers every third market, `honest` none; `guesser` always says NO."""
    words = str(messages[-1]["content"]).split()
    is_real = words[:2] == ["Will", "number"]
    knows = name == "third" and is_real and int(words[2]) % 3 == 0
    said = ("NO", "YES")[int(words[2]) % 2] if knows else "UNKNOWN"
    return json.dumps({"outcome": "NO" if name == "guesser" else said})


@pytest.fixture
def probed(tmp_path: Path) -> Iterator[tuple[Project, ModelServer]]:
    with ModelServer(remembering) as server:
        how = model(server.base_url, deadline="30s", price_in=1, price_out=2)
        made = project(tmp_path / "arena", models=dict.fromkeys(PROBED, how))
        write_data(made.folder / "data")
        yield made, server


PROBED = ("guesser", "honest", "third")


def test_the_share_that_is_remembered_is_told_from_guesses(
    probed: tuple[Project, ModelServer],
) -> None:
    made, _ = probed
    found = made.run("llm", "recall", "data", "--into", "said.csv", "--yes", "--json").document
    guesser, honest, third = found["models"]
    assert (third["markets"], third["hits"]) == (60, 20)
    assert (third["invented"], third["false_alarms"]) == (60, 0)
    assert third["p"] < 1e-6
    assert (honest["hits"], honest["false_alarms"], honest["p"]) == (0, 0, 1.0)
    assert guesser["hits"] == guesser["false_alarms"] == 30
    assert guesser["p"] > 0.5
    assert float(third["usage"]["cost"]) > 0
    with (made.folder / "said.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * 120
    assert sum(row["invented"] == "1" for row in rows) == 3 * 60


def test_the_probe_writes_nothing_into_the_books(probed: tuple[Project, ModelServer]) -> None:
    made, server = probed
    done = made.run("llm", "recall", "data", "third", "--markets", "10", "--yes")
    assert done.out.startswith("third: says how ")
    assert "of 10 markets ended, and of 0 of 10 invented ones" in done.out
    assert "(configured)" in done.out
    assert len(server.requests) == 20
    assert not made.database.exists()


def test_the_same_recording_gives_the_same_questions(
    probed: tuple[Project, ModelServer],
) -> None:
    made, server = probed
    for _ in range(2):
        made.run("llm", "recall", "data", "honest", "--markets", "5", "--yes")
    bodies = sorted(str(request.body) for request in server.requests)
    assert bodies[::2] == bodies[1::2]


def test_nobody_is_asked_without_consent(probed: tuple[Project, ModelServer]) -> None:
    made, server = probed
    assert made.run("llm", "recall", "data").code == 2
    assert server.requests == []


def test_an_arena_s_own_file_is_a_recording_too(tmp_path: Path) -> None:
    with ModelServer(remembering) as server:
        models = {"honest": model(server.base_url, deadline="30s")}
        made = project(tmp_path / "arena", models=models)
        made.tick()
        made.tick(hours=24 * 30)
        found = made.run("llm", "recall", "data/arena.db", "--yes", "--json").document
        (resolved,) = made.rows(
            "SELECT count(*) FROM resolutions WHERE yes_pays_micro % 1e6 = 0"
        )
    (honest,) = found["models"]
    assert honest["markets"] == honest["invented"] == resolved[0] > 0


def test_a_recording_of_which_nothing_has_ended_is_refused(tmp_path: Path) -> None:
    with ModelServer(remembering) as server:
        made = project(tmp_path / "arena", models={"honest": model(server.base_url)})
        made.tick()
        done = made.run("llm", "recall", "data/arena.db", "--yes")
    assert (done.code, "error[llm.recall]: no market of data/arena.db" in done.err) == (2, True)
