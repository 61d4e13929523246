from pathlib import Path

import pytest

from arena.config import Problem, check, load_settings
from arena.errors import ArenaError
from tests.config.build import COHORT, CONFIG, cohort_problems, problems, project, rule_problems


def test_an_unknown_key_has_its_line_and_the_key_that_was_meant(tmp_path: Path) -> None:
    file = project(tmp_path, "paths: {}\nshedule: {}\n")
    assert check(file) == (
        Problem(
            file=file.as_posix(),
            line=2,
            key="shedule",
            expected="a known key",
            found="'shedule'",
            suggestion="did you mean schedule?",
        ),
    )


def test_a_key_like_no_other_is_answered_with_all_there_are(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "zzz: 1\n")
    there = "backup, budgets, contestants, contexts, models, paths, schedule, season, site, "
    there += "tools, venues, watch"
    assert found.suggestion == f"there are: {there}"


def test_mistakes_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    config = CONFIG.replace("agent: market", "agent: markt") + "bogus: 1\n"
    found = problems(tmp_path, config, a=COHORT + "bogus: 1\n", b="title: [\n")
    assert [(Path(p.file).name, p.line) for p in found] == [
        ("config.yaml", 6),
        ("config.yaml", 8),
        ("a.yaml", 6),
        ("b.yaml", 2),
    ]


def test_the_error_has_one_line_for_each_mistake(tmp_path: Path) -> None:
    file = project(tmp_path, "a: 1\nb: 2\n", daily="c: 3\n")
    with pytest.raises(ArenaError) as caught:
        load_settings(file)
    assert caught.value.message.split("\n") == [str(problem) for problem in check(file)]
    assert (caught.value.code, caught.value.status) == ("config.invalid", 2)


def test_a_problem_is_said_in_one_line() -> None:
    problem = Problem("config.yaml", 3, "a.b", "text", "a list", "did you mean c?")
    assert str(problem) == ("config.yaml:3: a.b: expected text, found a list; did you mean c?")


@pytest.mark.parametrize(
    ("text", "key", "expected", "found"),
    [
        ("venues: [a]", "venues", "a mapping", "a list"),
        ("venues:", "venues", "a mapping", "nothing"),
        ("venues: {a: b}", "venues.a", "a mapping", "'b'"),
        ("contestants: {a: {agent: []}}", "contestants.a.agent", "text", "a list"),
    ],
)
def test_a_mapping_is_not_made_from_anything_else(
    tmp_path: Path, text: str, key: str, expected: str, found: str
) -> None:
    (problem,) = problems(tmp_path, text)
    assert (problem.key, problem.expected, problem.found) == (key, expected, found)


@pytest.mark.parametrize(
    ("change", "place", "said"),
    [
        ("ada -> adda", ":5: contestants[0]", "did you mean ada?"),
        ("[ada, bob] -> []", ":5: contestants", "one contestant or more"),
        ("bob -> ada", ":5: contestants[1]", "'ada' again"),
        ("venue: sim -> venue: sin", ":2: venue", "did you mean sim?"),
        ("every: 1d -> every: 0d", ":4: decide.every", "longer than 0"),
        ("title: -> universe: {top: x}\ntitle:", ":1: universe.top", "from 1 to 1000000"),
    ],
)
def test_a_mistake_in_a_cohort_is_told_with_its_place(
    tmp_path: Path, change: str, place: str, said: str
) -> None:
    right, _, wrong = change.partition(" -> ")
    (found,) = cohort_problems(tmp_path, COHORT.replace(right, wrong))
    assert f"{place}: expected" in str(found)
    assert said in str(found)


@pytest.mark.parametrize(
    ("change", "place", "said"),
    [
        ("model: big} -> model: bigg}", ":7: contestants.bob.model", "did you mean big?"),
        (": simulated -> : simulatd", ":2: venues.sim.adapter", "did you mean simulated?"),
        ("openai_chat -> openai-chat", ":4: models.big.adapter", "did you mean openai_chat?"),
        ("t: market -> t: makret", ":6: contestants.ada.agent", "did you mean market?"),
        ("agent: m -> agnet: x, agent: m", ":6: contestants.ada.agnet", "did you mean agent?"),
        ("ada: -> Ada:", ":6: contestants.Ada", "a name of a-z"),
        ("adapter: simulated -> options: {}", ":2: venues.sim.adapter", "this key"),
        ("venues: -> paths: {cohorts: no}\nvenues:", ":1: paths.cohorts", "a folder of cohort"),
        ("venues: -> schedule: {ring: '* *'}\nvenues:", ":1: schedule.ring", "five crontab"),
    ],
)
def test_a_mistake_in_a_configuration_is_told_with_its_place(
    tmp_path: Path, change: str, place: str, said: str
) -> None:
    right, _, wrong = change.partition(" -> ")
    (found,) = problems(tmp_path, CONFIG.replace(right, wrong))
    assert f"{place}: expected" in str(found)
    assert said in str(found)


@pytest.mark.parametrize(
    ("rules", "keys"),
    [
        ("{capital: 20, min_bet: 20.5}", ["min_bet"]),
        ("{capital: 20}", ["capital"]),
        ("{capital: 20, fill: x}", ["fill", "capital"]),
        ("{max_bet_fraction: 1.01, max_spread: 1.01}", ["max_bet_fraction", "max_spread"]),
        ("{max_bet_fraction: -0.1, max_spread: -0.1}", ["max_bet_fraction", "max_spread"]),
        ("{max_bet_fraction: 25%, max_spread: 25%}", ["max_bet_fraction", "max_spread"]),
        ("{max_bet_fraction: 1, max_spread: 0}", []),
        ("{max_spread: 1}", []),
    ],
)
def test_a_bet_can_be_paid_and_a_fraction_lies_between_0_and_1(
    tmp_path: Path, rules: str, keys: list[str]
) -> None:
    found = rule_problems(tmp_path, rules)
    assert [problem.key for problem in found] == [f"rules.{key}" for key in keys]


def test_what_is_unusual_and_allowed_is_no_mistake(tmp_path: Path) -> None:
    """A window within a step, a hidden file, a plugin where nobody says which there are."""
    assert cohort_problems(tmp_path, COHORT.replace("for: 3d", "for: 1h")) == ()
    config = CONFIG.replace("adapter: simulated", "adapter: mine")
    assert check(project(tmp_path, config, **{".#daily": "x"})) == ()


def test_every_missing_key_of_a_cohort_is_named(tmp_path: Path) -> None:
    found = cohort_problems(tmp_path, "")
    assert [p.key for p in found] == ["title", "venue", "start", "decide", "contestants"]
    assert {p.expected for p in found} == {"this key"}


def test_names_are_not_checked_against_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "venues: [\n", daily=COHORT)
    assert Path(found.file).name == "config.yaml"


def test_a_contestant_with_a_mistake_is_still_a_contestant(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, CONFIG.replace("agent: market", "agent: x"), daily=COHORT)
    assert found.key == "contestants.ada.agent"


def test_a_cohort_file_with_a_capital_letter_is_refused(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, CONFIG, Daily=COHORT)
    assert (found.line, found.found) == (None, "'Daily'")


def test_a_cohort_file_that_would_be_overlooked_is_refused(tmp_path: Path) -> None:
    file = project(tmp_path)
    (tmp_path / "cohorts" / "daily.yml").write_text(COHORT)
    (found,) = check(file)
    assert found.expected == "cohort files whose names end in .yaml"


def test_the_default_cohorts_folder_may_be_missing(tmp_path: Path) -> None:
    file = project(tmp_path)
    (tmp_path / "cohorts").rmdir()
    assert check(file) == ()


@pytest.mark.parametrize(
    "setting", ["backup: {to: site/backups}", "watch: {log: {file: site/log.jsonl}}"]
)
def test_nothing_of_the_arena_s_own_is_written_into_the_site(
    tmp_path: Path, setting: str
) -> None:
    (found,) = problems(tmp_path, f"{setting}\n")
    assert (found.key, found.expected) == ("paths.site", "a folder of its own")


@pytest.mark.parametrize("site", [".", "..", "/", "data", "templates", "x/../cohorts"])
def test_the_site_needs_a_folder_of_its_own(tmp_path: Path, site: str) -> None:
    (found,) = problems(tmp_path, f"paths: {{site: {site}}}\n")
    assert (found.key, found.expected) == ("paths.site", "a folder of its own")


def test_a_missing_file_is_a_problem_without_a_line(tmp_path: Path) -> None:
    (found,) = check(tmp_path / "config.yaml")
    assert (found.line, found.key, found.found) == (None, "", "No such file or directory")


def test_what_is_shown_cannot_drive_a_terminal(tmp_path: Path) -> None:
    found = problems(tmp_path, '"\\e[31m\\n": {x: 1}\nvenues: "\\e[2J\\u202e"\n')
    assert len(found) == 2
    assert all(str(problem).isprintable() for problem in found)


def test_long_values_are_cut(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, f"schedule: {{poll_every: {'x' * 10_000}}}\n")
    assert len(found.found) < 80
