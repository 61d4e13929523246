import asyncio
import json
import shutil
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from arena.cli.play.tick import tick_once
from arena.clock import HandClock
from arena.config import load_settings
from arena.sheets.parquet import write_parquet
from arena.steps.play import play
from arena.store import open_store
from arena.store.exports.tape_export import MARKETS
from arena.wiring import build_doors
from tests.build import T0, at
from tests.cli.project import ROOT, Project, model, project
from tests.cli.rounds import COHORT, QUESTIONS, ROUNDS, outcome, price, write_data
from tests.cli.shell import Done, arena, ended, killed, running
from tests.standins.model_server import ModelServer, small_bettor

REAL = ROOT.parent / "shared" / "data" / "forecastbench"


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


def test_a_replay_says_what_was_read_and_what_is_open(replays: Replays) -> None:
    assert replays.whole.document["recording"][:2] == [
        "3 question sets read, 2026-01-04 to 2026-02-01",
        f"{ROUNDS * QUESTIONS} markets, 0 of them still open",
    ]


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
        first = process.stderr.readline()
        stopped = killed(process)
    assert (stopped.code, first.partition("/")[0]) == (-signal.SIGKILL, "[ 1")
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


# From an arena's own file


@pytest.fixture(scope="module")
def weeks(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Two weeks of baselines over the simulated venue, polled every eight hours."""
    made = project(tmp_path_factory.mktemp("weeks") / "arena", rounds=10)
    settings = load_settings(made.folder / "config.yaml")
    clock = HandClock(T0)
    with open_store(settings.database) as store:
        doors = replace(build_doors(settings, store, clock), publish=None)

        async def go() -> None:
            moments = [at(hours) for hours in range(0, 24 * 14, 8)]
            async for _ in play(doors, clock, moments):
                pass

        asyncio.run(go())
    return made


def played_again(made: Project, out: str, *more: str) -> Done:
    words = ("replay", "data/arena.db", "--cohort", "cohorts/c.yaml", "--out", out)
    return made.run(*words, *more)


def test_an_arena_s_own_file_is_played_again_to_the_same_journal(weeks: Project) -> None:
    done = played_again(weeks, "again", "--json")
    assert (done.code, done.err) == (0, "")
    assert (done.document["same"], done.document["differs"]) == (True, None)
    with open_store(weeks.database) as store:
        assert done.document["journal"] == store.journal.head()
        assert store.db.value("SELECT count(*) FROM fills") > 10


@pytest.fixture(scope="module")
def exported(weeks: Project) -> Path:
    pytest.importorskip("duckdb")
    done = weeks.run("tape", "export", "--out", "parquet")
    assert (done.code, done.err) == (0, "")
    return weeks.folder / "parquet"


def replay_of(made: Project, export: Path, *more: str) -> Done:
    return made.run("replay", export, "--cohort", "cohorts/c.yaml", "--no-site", *more)


def test_what_an_arena_exported_is_played_again_to_the_same_journal(
    weeks: Project, exported: Path
) -> None:
    done = replay_of(weeks, exported, "--out", "of-parquet", "--json")
    assert (done.code, done.err, done.document["same"]) == (0, "", True)
    with open_store(weeks.database) as store:
        assert done.document["journal"] == store.journal.head()


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-40])


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def swapped(file: Path) -> None:
    shutil.copy(file.parents[3] / "polls" / Path(*file.parts[-3:-1]) / "polls.parquet", file)


@pytest.mark.parametrize("table", ["quotes", "journal"])
@pytest.mark.parametrize("damage", [cut, emptied, swapped])
def test_a_damaged_export_is_refused(
    weeks: Project, exported: Path, tmp_path: Path, table: str, damage: Callable[[Path], None]
) -> None:
    copy = shutil.copytree(exported, tmp_path / "copy")
    damage(min(copy.glob(f"{table}/*/*/*.parquet")))
    done = replay_of(weeks, copy, "--out", str(tmp_path / "new"))
    assert (done.code, done.crashed) == (1, False)
    assert f"error[tape.parquet]: {copy / table}" in done.err


def test_an_export_of_an_earlier_version_is_refused(
    weeks: Project, exported: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(exported, tmp_path / "copy")
    shutil.rmtree(copy / "polls")
    done = replay_of(weeks, copy, "--out", str(tmp_path / "new"))
    assert (done.code, done.crashed) == (1, False)
    assert "error[replay.export]" in done.err
    assert "write it again with `arena tape export`" in done.err


def test_facts_that_are_none_are_refused(
    weeks: Project, exported: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(exported, tmp_path / "copy")
    file = min(copy.glob("markets/*/*/*.parquet"))
    write_parquet(file, MARKETS, [("sim:1", at(0).isoformat(), *[None] * 6, "[1]")])
    done = replay_of(weeks, copy, "--out", str(tmp_path / "new"))
    assert (done.code, "error[replay.export]" in done.err) == (1, True)


def test_models_say_again_what_they_said_and_nobody_asks_them(tmp_path: Path) -> None:
    with ModelServer(small_bettor) as server:
        made = project(
            tmp_path / "arena", models={"small": model(server.base_url)}, contestants=["market"]
        )
        for hours in (0, 5, 24, 30):
            tick_once(made.folder / "config.yaml", at(hours))
    done = played_again(made, "again", "--json", "--answers", "data/arena.db")
    assert (done.code, done.document["same"]) == (0, True)
    (calls,) = made.rows("SELECT count(*) FROM tape_calls")[0]
    assert calls == 2


def test_who_plays_another_cohort_is_told_where_it_went_another_way(weeks: Project) -> None:
    file = weeks.folder / "cohorts" / "c.yaml"
    agreed = file.read_text()
    try:
        file.write_text(agreed.replace('["market", "always-no"]', '["market"]'))
        done = played_again(weeks, "fewer")
    finally:
        file.write_text(agreed)
    assert done.code == 0
    assert "not as in data/arena.db: open:c is the first that differs" in done.out


def test_a_file_is_not_played_into_itself(weeks: Project) -> None:
    done = played_again(weeks, "data")
    assert done.fails_clearly(2)
    assert "error[replay.itself]" in done.err


def test_a_file_that_never_asked_the_cohort_s_venue_is_refused(weeks: Project) -> None:
    other = weeks.folder / "elsewhere.yaml"
    other.write_text(COHORT)
    words = ("replay", "data/arena.db", "--cohort", "elsewhere.yaml", "--out", "new")
    done = weeks.run(*words)
    assert (done.code, done.crashed) == (2, False)
    assert not (weeks.folder / "new").exists()


def score_of_sets(played: Path, data: Path, folder: Path) -> dict[str, Any]:
    """Export the market's forecast sets and read them again: its row of the board."""
    words = ("export", "forecastbench", "--contestant", "market", "--out", folder)
    assert arena(*words, "--database", played / "arena.db", cwd=ROOT).code == 0
    given = [
        word
        for option, kind in (("resolutions", "resolution_sets"), ("questions", "question_sets"))
        for file in sorted((data / kind).iterdir())
        for word in (f"--{option}", file)
    ]
    sets = sorted(folder.glob("*.market.json"))
    done = arena("score", *sets, *given, "--forecastbench", "--json", cwd=ROOT)
    (row,) = done.document["forecastbench"]
    found: dict[str, Any] = row
    return found


def test_forecast_sets_that_are_exported_score_as_in_the_replay(
    replays: Replays, tmp_path: Path
) -> None:
    folder = replays.made.folder
    row = score_of_sets(folder / "whole", folder / "data", tmp_path)
    forecast = line(replays.whole, "market")["forecast"]
    assert row["n_market"] == forecast["n"]
    assert round(row["market"], 9) == round(forecast["value"], 9)


def test_a_forecast_set_has_the_keys_that_forecastbench_reads(
    replays: Replays, tmp_path: Path
) -> None:
    folder = replays.made.folder
    score_of_sets(folder / "whole", folder / "data", tmp_path)
    held = json.loads((tmp_path / "2026-01-04.market.json").read_text(encoding="utf-8"))
    assert held["question_set"] == "2026-01-04-llm.json"
    keys = {"id", "source", "forecast", "resolution_date", "reasoning"}
    assert {frozenset(row) for row in held["forecasts"]} == {frozenset(keys)}


def test_whoever_forecast_no_question_of_forecastbench_has_no_set(replays: Replays) -> None:
    words = ("export", "forecastbench", "--contestant", "marke")
    done = replays.made.run(*words, "--database", "whole/arena.db")
    assert (done.code, "export.forecastbench" in done.err) == (2, True)


def test_a_contestant_is_named_for_forecast_sets_alone(replays: Replays) -> None:
    assert replays.made.run("export", "csv", "--contestant", "market").code == 2
    assert replays.made.run("export", "forecastbench").code == 2


# The rounds that were really played: ten, with 920 forecasts of resolved markets


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Done]:
    if not REAL.is_dir():
        pytest.skip(f"there is no ForecastBench data in {REAL}")
    words = ("replay", REAL, "--cohort", "cohorts/replay.yaml", "--json", "--out")
    with running(*words, tmp_path_factory.mktemp("real"), cwd=ROOT) as process:
        yield ended(process)


@pytest.mark.soak
def test_the_market_of_the_recorded_rounds_scores_what_is_known(real: Done) -> None:
    forecast = line(real, "market")["forecast"]
    assert (forecast["n"], round(forecast["value"], 7)) == (920, 0.0575543)


@pytest.mark.soak
def test_forecast_sets_of_all_rounds_score_as_in_the_replay(real: Done, tmp_path: Path) -> None:
    row = score_of_sets(Path(real.document["site"]).parents[1], REAL, tmp_path)
    forecast = line(real, "market")["forecast"]
    assert (row["n_market"], round(row["market"], 7)) == (forecast["n"], 0.0575543)
