"""A job's digest stands for all that determines its result, and for nothing else."""

from pathlib import Path

import pytest

from arena.config.sweep import load_plan
from arena.errors import ArenaError
from arena.sweeps.jobs import planned_jobs
from tests.cli.project import TEMPLATES, Project, model, project
from tests.cli.rounds import COHORT, write_data

PLAN = "cohort: cohorts/small.yaml\nrecording: data\n"
QUESTIONS = "data/question_sets/2026-01-04-llm.json"


@pytest.fixture
def made(tmp_path: Path) -> Project:
    """Recorded rounds, with a contestant that asks a model by templates of its own."""
    arena = project(tmp_path / "arena", models={"small": model("http://127.0.0.1:9")})
    write_data(arena.folder / "data")
    cohort = COHORT.replace("[market, always-no]", "[market, small]")
    (arena.folder / "cohorts" / "small.yaml").write_text(cohort)
    return arena


def digests(made: Project, plan: str = PLAN) -> list[str]:
    (made.folder / "plan.yaml").write_text(plan)
    jobs = planned_jobs(load_plan(made.folder / "plan.yaml"), made.folder / "config.yaml")
    return [job.digest for job in jobs]


def replaced(made: Project, name: str, old: str, new: str) -> None:
    file = made.folder / name
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("cohorts/small.yaml", ("fill: mid", "fill: ask")),
        ("cohorts/small.yaml", ("top: 100", "top: 99")),
        ("cohorts/small.yaml", ("[market, small]", "[small]")),
        ("config.yaml", ('"agent": "market"', '"agent": "favourite"')),
        ("config.yaml", ('"deadline": "1s"', '"deadline": "2s"')),
        ("config.yaml", ("venues:", "budgets: {day: 1}\nvenues:")),
        ("config.yaml", ("venues:", "season: {start: 2026-01-04}\nvenues:")),
        (QUESTIONS, ("number 0", "number zero")),
    ],
)
def test_what_determines_a_result_changes_the_digest(
    made: Project, name: str, change: tuple[str, str]
) -> None:
    before = digests(made)
    replaced(made, name, *change)
    assert digests(made) != before


def test_a_prompt_changes_the_digest_of_who_is_asked_with_it(made: Project) -> None:
    before = digests(made)
    own = made.folder / "own" / "prompts"
    own.mkdir(parents=True)
    for file in (TEMPLATES / "prompts").iterdir():
        (own / file.name).write_text(file.read_text() + "Be brief.\n")
    replaced(made, "config.yaml", str(TEMPLATES), "own")
    assert digests(made) != before


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("cohorts/small.yaml", ("title:", "# another remark\ntitle:")),
        ("config.yaml", ('"agent": "always_no"', '"agent": "favourite"')),  # it does not play
        ("config.yaml", ("venues:", "site: {title: Another}\nvenues:")),
    ],
)
def test_what_determines_no_result_leaves_the_digest(
    made: Project, name: str, change: tuple[str, str]
) -> None:
    before = digests(made)
    replaced(made, name, *change)
    assert digests(made) == before


def test_an_arm_s_name_and_the_order_of_a_plan_leave_the_digests(made: Project) -> None:
    one = digests(made, PLAN + "grid: {rules.capital: [1000, 2000]}\n")
    named = "list:\n- {name: rich, rules.capital: 2000}\n- {name: poor, rules.capital: 1000}\n"
    assert digests(made, PLAN + named) == one[::-1]
    assert len(set(one)) == 2


def test_an_arm_that_changes_nothing_is_refused(made: Project) -> None:
    with pytest.raises(ArenaError, match="is the same replay as") as refused:
        digests(
            made,
            PLAN + "grid: {rules.fill: [mid, ask], title: [Small replay]}\n"
            "list: [{rules.mark: mid}, {name: again}]\n",
        )
    assert refused.value.code == "sweep.same"
