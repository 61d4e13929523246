"""`arena sweep` as a user meets it."""

import json
import shutil
import signal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

from tests.cli.conftest import Played
from tests.cli.project import ROOT, Project, project
from tests.cli.rounds import COHORT, QUESTIONS, ROUNDS, write_data
from tests.cli.shell import Done, arena, killed, running
from tests.sizes import size

PLAN = """\
cohort: cohorts/small.yaml
recording: data
grid:
  contestants.guess.agent: [market, always_no]
  rules.max_bet_fraction: [0.1, 0.2]
"""
FORECASTS = ROUNDS * QUESTIONS * 2  # of two contestants, in each replay
FAILING = "  contestants.guess.options: [{}, {bogus: 1}]\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Recorded rounds, a cohort of them, and a contestant that plans give an agent."""
    arena_here = project(tmp_path_factory.mktemp("sweeps") / "arena")
    write_data(arena_here.folder / "data")
    events = {f"manifold:q{n}": f"event {n}" for n in range(ROUNDS * QUESTIONS)}
    (arena_here.folder / "data" / "events.json").write_text(json.dumps(events))
    cohort = COHORT.replace("[market, always-no]", "[market, guess]")
    (arena_here.folder / "cohorts" / "small.yaml").write_text(cohort)
    config = arena_here.folder / "config.yaml"
    text = config.read_text().replace(
        '"market": {', '"guess": {"agent": "market"}, "market": {'
    )
    config.write_text(text)
    return arena_here


def sweep(made: Project, plan: str, *words: str, on: str = "local:1") -> Done:
    """Play a plan into the folder `name` that the words begin with."""
    (made.folder / "plan.yaml").write_text(plan)
    return made.run("sweep", "plan.yaml", "--on", on, "--json", "--out", *words)


def heads(done: Done) -> list[str]:
    return [job["head"] for job in done.document["finished"]]


@pytest.fixture(scope="module")
def played(made: Project) -> Done:
    return sweep(made, PLAN, "whole")


def test_a_job_has_the_journal_of_the_replay_with_its_values(
    made: Project, played: Done
) -> None:
    config = made.folder / "always.yaml"
    agents = '"guess": {"agent": "market"}', '"guess": {"agent": "always_no"}'
    config.write_text((made.folder / "config.yaml").read_text().replace(*agents))
    cohort = made.folder / "cohorts" / "small.yaml"
    (made.folder / "other").mkdir()
    limited = cohort.read_text().replace("fill: mid", "max_bet_fraction: 0.2, fill: mid")
    (made.folder / "other" / "small.yaml").write_text(limited)
    words = ("replay", "data", "--cohort", "other/small.yaml", "--no-site", "--out", "alone")
    alone = made.run("--config", "always.yaml", *words, "--json")
    assert (played.code, alone.code) == (0, 0)
    assert heads(played)[-1] == alone.document["journal"]
    assert len(set(heads(played))) == 4


def test_a_result_that_cannot_be_written_ends_the_sweep_which_then_goes_on(
    made: Project,
) -> None:
    blocked = made.folder / "blocked"
    blocked.mkdir()
    (blocked / "results").touch()
    stopped = sweep(made, PLAN, "blocked")
    (blocked / "results").unlink()
    again = sweep(made, PLAN, "blocked")
    assert (stopped.crashed, stopped.error["code"]) == (False, "sweep.write")
    assert (again.code, again.document["played"]) == (0, 4)


@pytest.mark.parametrize("engine", size(["dask:2"], ["dask:2", "ray:2"]))
def test_every_engine_plays_the_same_journals(made: Project, played: Done, engine: str) -> None:
    plan = PLAN + size("", f"  universe.top: {list(range(1, 51))}\n")
    here = played if plan == PLAN else sweep(made, plan, "local")
    there = sweep(made, plan, engine.partition(":")[0], on=engine)
    assert (here.code, there.code, len(heads(here))) == (0, 0, 4 * size(1, 50))
    assert heads(there) == heads(here)


def test_a_sweep_that_was_killed_goes_on_and_repeats_nothing(made: Project) -> None:
    plan = f"{PLAN}  universe.top: [3, 4]\n"
    (made.folder / "plan.yaml").write_text(plan)
    words = ("sweep", "plan.yaml", "--on", "local:1", "--out", "killed")
    with running(*words, cwd=made.folder) as process:
        assert process.stderr
        assert process.stderr.readline().startswith("[1/8]")
        assert killed(process).code == -signal.SIGKILL
    done = {file: file.stat().st_mtime_ns for file in (made.folder / "killed/jobs").iterdir()}
    again = sweep(made, plan, "killed")
    assert (again.code, again.document["planned"]) == (0, 8)
    assert again.document["played"] == 8 - len(done)
    assert {file: file.stat().st_mtime_ns for file in done} == done


def test_a_replay_that_fails_stops_no_other_and_is_tried_again(made: Project) -> None:
    done = sweep(made, PLAN + FAILING, "failing")
    assert (done.code, done.document["played"], len(done.document["failures"])) == (6, 4, 4)
    assert {each["code"] for each in done.document["failures"]} == {"agent.option"}
    assert "bogus" in done.document["failures"][0]["job"]
    again = sweep(made, PLAN + FAILING, "failing")
    assert (again.code, again.document["played"], len(again.document["failures"])) == (6, 0, 4)


def test_pandas_duckdb_and_polars_read_the_same_results(made: Project, played: Done) -> None:
    polars = pytest.importorskip("polars")
    assert played.code == 0
    folder = made.folder / "whole"
    frame = pd.read_parquet(folder / "forecasts")
    rows, total = duckdb.sql(
        f"SELECT count(*), sum(p) FROM '{folder}/forecasts/*.parquet'"  # noqa: S608  our own
    ).fetchall()[0]
    lazily = polars.read_parquet(f"{folder}/forecasts/*.parquet")
    assert (len(frame), rows, lazily.height) == (4 * FORECASTS,) * 3
    assert frame["p"].sum() == pytest.approx(total)
    assert lazily["p"].sum() == pytest.approx(total)
    values = pd.read_parquet(folder / "results").merge(pd.read_parquet(folder / "arms.parquet"))
    brier = values[(values.metric == "brier") & (values.contestant == "guess")]
    assert (brier.arm.nunique(), set(brier.n)) == (4, {ROUNDS * QUESTIONS})
    assert brier.low.le(brier.value).all()


def report(made: Project, name: str) -> dict[str, Any]:
    done = made.run("sweep", "report", name, "--json")
    assert done.code == 0
    found: dict[str, Any] = done.document["report"]
    return found


def test_arms_are_compared_by_each_contestant_whose_forecasts_differ(
    made: Project, played: Done
) -> None:
    found = report(made, "whole")
    assert (played.code, found["planned"], found["finished"]) == (0, 4, 4)
    assert {claim["contestant"] for claim in found["claims"]} == {"guess"}
    differences = [claim["claim"]["test"]["estimate"] for claim in found["claims"]]
    assert [round(abs(d), 6) for d in differences].count(0) == 2  # a rule moves no forecast
    by_arm = {
        line["arm"]: line["scores"]["brier"]["value"]
        for line in found["lines"]
        if line["contestant"] == "guess"
    }
    first = found["claims"][1]["claim"]
    assert first["test"]["estimate"] == pytest.approx(
        by_arm[first["first"]] - by_arm[first["second"]]
    )
    page = (made.folder / "whole" / "report.html").read_text()
    assert "contestants.guess.agent=always_no" in page
    assert "<svg" in page


def test_seeds_are_replicates_of_one_arm(made: Project) -> None:
    plan = (
        "cohort: cohorts/small.yaml\nrecording: data\n"
        "list: [{name: coin, contestants.guess.agent: coin_flip}]\n"
        "seeds: {values: [1, 2, 3], of: [contestants.guess.options.seed]}\n"
    )
    assert len(set(heads(sweep(made, plan, "seeds")))) == 3
    (line,) = (each for each in report(made, "seeds")["lines"] if each["contestant"] == "guess")
    assert (line["arm"], line["replays"]) == ("coin", 3)
    assert line["scores"]["brier"]["n"] == 3 * ROUNDS * QUESTIONS
    assert line["returned_low"] < line["returned"] < line["returned_high"]


def test_the_plan_of_the_examples_plays(demo: Played, tmp_path: Path) -> None:
    for name in ("examples", "cohorts"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "config.yaml", tmp_path)
    (tmp_path / "demo").symlink_to(demo.folder)
    done = arena("sweep", "examples/sweep.yaml", "--on", "local:1", "--json", cwd=tmp_path)
    assert (done.code, done.document["played"], done.document["failures"]) == (0, 8, [])
    told = arena("sweep", "report", "sweep", cwd=tmp_path)
    assert (told.code, "8 of 8 replays have results, of 4 arms." in told.out) == (0, True)


def test_a_tape_that_was_exported_gives_the_journals_of_its_database(
    demo: Played, tmp_path: Path
) -> None:
    made = Project(tmp_path)
    for name in ("config.yaml", "cohorts/daily.yaml"):
        shutil.copy(ROOT / name, tmp_path)
    words = ("tape", "export", "--database", demo.database, "--out", "tape")
    assert made.run(*words).code == 0
    plan = "cohort: daily.yaml\nrecording: {}\ngrid: {{contestants: [[market], [longshot]]}}\n"
    from_tape, from_file = (
        sweep(made, plan.format(recording), name)
        for name, recording in (("a", "tape"), ("b", demo.database))
    )
    assert (from_tape.code, len(heads(from_tape))) == (0, 2)
    assert heads(from_tape) == heads(from_file)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("  rules.max_bet: [1]", "a known key, found 'max_bet'"),
        ("  rules.max_bet_fraction: [0.1, 2]", "a fraction above 0 and at most 1"),
        ("  rulez.capital: [1]", "a key of the cohort or of the configuration"),
        ("  contestants.gues.options.seed: [1]", "did you mean guess?"),
        ("  rules.capital: []", "one value or more"),
        ("  rules.capital: 7", "a list"),
        ("  contestants: [[nobody]]", "a contestant of config.yaml"),
        ("  {rules.fill: [ask, ask]}", "arms that differ"),
    ],
)
def test_a_wrong_line_of_a_plan_is_named(made: Project, line: str, why: str) -> None:
    plan = f"cohort: cohorts/small.yaml\nrecording: data\ngrid:\n{line}\n"
    (made.folder / "wrong.yaml").write_text(plan)
    done = made.run("sweep", "wrong.yaml", "--out", "new")
    assert (done.code, done.crashed) == (2, False)
    assert "wrong.yaml:4" in done.err
    assert why in done.err
    assert not (made.folder / "new").exists()


def test_a_folder_without_a_sweep_has_no_report(made: Project) -> None:
    done = made.run("sweep", "report", "data")
    assert done.fails_clearly(2)
    assert "error[sweep.none]" in done.err
