"""What `arena tick --dry-run` says, and that a saved plan is kept to."""

from pathlib import Path

import pytest

from tests.cli.inside import Capsys, here
from tests.cli.project import Project, configure, days, edit, model, moment, project

NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def asking(tmp_path: Path) -> Project:
    """A project whose one model cannot be reached."""
    return project(tmp_path / "arena", models={"m": model(NOWHERE)})


def ticking(made: Project, *more: str) -> tuple[str, ...]:
    return ("-C", str(made.folder), "tick", "--at", moment(), *more)


def test_a_dry_run_names_each_call_with_its_tokens_and_asks_nobody(
    asking: Project, capsys: Capsys
) -> None:
    plan = here(capsys, *ticking(asking, "--dry-run", "--json")).document["plan"]
    (call,) = plan["calls"]
    assert (call["contestant"], call["model"], call["round"]) == ("m", "m", 1)
    assert plan["tokens"] == call["tokens"] > 500
    assert (call["worst"], plan["worst"]) == (None, None)
    assert plan["report"]["rounds"] == [["c", 1]]


def test_a_dry_run_writes_nothing(fresh: Project, capsys: Capsys) -> None:
    done = here(capsys, *ticking(fresh, "--dry-run"))
    assert (done.code, "1 cohort started" in done.out) == (0, True)
    assert {file.name for file in fresh.folder.iterdir()} == {"config.yaml", "cohorts"}


def test_a_saved_plan_is_carried_out_and_only_once(fresh: Project, capsys: Capsys) -> None:
    here(capsys, *ticking(fresh, "--dry-run", "--plan", "p.json"))
    assert here(capsys, *ticking(fresh, "--plan", "p.json")).code == 0
    again = here(capsys, *ticking(fresh, "--plan", "p.json"))
    assert (again.code, "books, what is due changed" in again.err) == (2, True)


def test_a_plan_of_another_configuration_is_refused_and_nothing_is_done(
    fresh: Project, capsys: Capsys
) -> None:
    here(capsys, *ticking(fresh, "--dry-run", "--plan", "p.json"))
    edit(fresh, "venues: ", "venues: {sim: {adapter: simulated, options: {seed: 2}}}")
    done = here(capsys, *ticking(fresh, "--plan", "p.json"))
    assert (done.code, "error[plan.changed]" in done.err) == (2, True)
    assert "configuration changed" in done.err
    assert fresh.answers() == {}


@pytest.mark.parametrize("text", ["", "[]", '{"plan": {"inputs": {}}}'])
def test_a_file_that_holds_no_plan_is_refused(
    text: str, fresh: Project, capsys: Capsys
) -> None:
    (fresh.folder / "p.json").write_text(text)
    done = here(capsys, *ticking(fresh, "--plan", "p.json"))
    assert (done.code, "error[plan.unreadable]" in done.err) == (2, True)


def test_a_plan_takes_the_place_of_a_plan_alone(fresh: Project, capsys: Capsys) -> None:
    file, words = fresh.folder / "config.yaml", ticking(fresh, "--dry-run", "--plan")
    before = file.read_text()
    done = here(capsys, *words, "config.yaml")
    assert (done.code, "error[plan.file]" in done.err) == (2, True)
    assert file.read_text() == before
    assert [here(capsys, *words, "p.json").code for _ in range(2)] == [0, 0]


@pytest.mark.parametrize(("cap", "asked"), [("0.02", ["a"]), ("9", ["a", "b"])])
def test_what_a_budget_would_refuse_is_said_and_no_part_of_the_plan(
    cap: str, asked: list[str], tmp_path: Path, capsys: Capsys
) -> None:
    models = {name: model(NOWHERE, price_in=1, price_out=1, max_tokens=10_000) for name in "ab"}
    made = project(tmp_path / "arena", models=models, more=f"budgets: {{day: {cap}}}\n")
    plan = here(capsys, *ticking(made, "--dry-run", "--json")).document["plan"]
    assert [call["contestant"] for call in plan["calls"]] == asked
    refused = [(who, why.partition(" has ")[0]) for who, why in plan["refused"]]
    said = [("b", "budget exhausted: the budget of $0.02 for a day (2026-01-05)")]
    assert refused == (said if len(asked) == 1 else [])


def test_a_dry_run_takes_no_prices_of_today_for_those_of_another_day(
    fresh: Project, capsys: Capsys
) -> None:
    edit(fresh, "venues: ", "venues: {sim: {adapter: manifold}}")
    done = here(capsys, *ticking(fresh, "--dry-run"))
    assert (done.code, "error[tick.not_now]" in done.err) == (2, True)


def test_a_dry_run_grades_with_the_season_of_the_configuration_as_a_tick_does(
    fresh: Project, capsys: Capsys
) -> None:
    here(capsys, "-C", str(fresh.folder), "seal", "c")
    here(capsys, *ticking(fresh))
    configure(fresh, season={"start": "2026-01-05"})
    late = ("-C", str(fresh.folder), "tick", "--at", moment(days(60)), "--json")
    plan = here(capsys, *late, "--dry-run").document["plan"]
    done = here(capsys, *late).document["report"]
    assert "sealed as any day (endless)" in plan["report"]["failures"][0]["what"]
    assert plan["report"]["failures"] == done["failures"]
