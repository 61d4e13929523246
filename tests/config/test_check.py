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


def test_an_unknown_key_deep_in_a_file_is_compared_with_its_neighbours(tmp_path: Path) -> None:
    (found,) = problems(
        tmp_path,
        """\
        contestants:
          ada:
            agnet: market
            agent: market
        """,
    )
    assert (found.line, found.key) == (3, "contestants.ada.agnet")
    assert found.suggestion == "did you mean agent?"


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


def test_a_value_of_the_wrong_type_says_what_is_expected(tmp_path: Path) -> None:
    (found,) = cohort_problems(tmp_path, COHORT + "universe:\n  top: many\n")
    assert (found.line, found.key, found.found) == (7, "universe.top", "'many'")
    assert found.expected == "a whole number from 1 to 1000000"


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


def test_every_missing_key_of_a_cohort_is_named(tmp_path: Path) -> None:
    found = cohort_problems(tmp_path, "")
    assert [p.key for p in found] == ["title", "venue", "start", "decide", "contestants"]
    assert {p.expected for p in found} == {"this key"}


def test_a_missing_key_is_told_on_the_line_of_what_it_belongs_to(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "paths: {}\nvenues:\n  a:\n    options: {}\n")
    assert (found.line, found.key) == (3, "venues.a.adapter")


def test_a_cohort_must_name_contestants_that_exist(tmp_path: Path) -> None:
    (found,) = cohort_problems(tmp_path, COHORT.replace("ada", "adda"))
    assert (found.line, found.key) == (5, "contestants[0]")
    assert found.suggestion == "did you mean ada?"


def test_a_cohort_must_name_contestants(tmp_path: Path) -> None:
    (found,) = cohort_problems(tmp_path, COHORT.replace("[ada, bob]", "[]"))
    assert found.expected == "one contestant or more"


def test_a_cohort_enters_each_contestant_once(tmp_path: Path) -> None:
    (found,) = cohort_problems(tmp_path, COHORT.replace("bob", "ada"))
    assert (found.key, found.found) == ("contestants[1]", "'ada' again")


def test_a_cohort_must_name_a_venue_that_exists(tmp_path: Path) -> None:
    (found,) = cohort_problems(tmp_path, COHORT.replace("venue: sim", "venue: sin"))
    assert (found.key, found.suggestion) == ("venue", "did you mean sim?")


def test_a_contestant_must_name_a_model_that_exists(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, CONFIG.replace("model: big}", "model: bigg}"))
    assert (found.line, found.key) == (7, "contestants.bob.model")
    assert found.suggestion == "did you mean big?"


@pytest.mark.parametrize(
    ("right", "wrong", "key"),
    [
        ("adapter: simulated", "adapter: simulatd", "venues.sim.adapter"),
        ("adapter: openai_chat", "adapter: openai-chat", "models.big.adapter"),
        ("agent: market", "agent: makret", "contestants.ada.agent"),
    ],
)
def test_a_plugin_must_be_installed(tmp_path: Path, right: str, wrong: str, key: str) -> None:
    (found,) = problems(tmp_path, CONFIG.replace(right, wrong))
    assert found.key == key
    assert found.suggestion == f"did you mean {right.split()[1]}?"


def test_plugins_are_not_checked_where_nobody_says_which_there_are(tmp_path: Path) -> None:
    assert check(project(tmp_path, "venues: {a: {adapter: mine}}\n")) == ()


def test_names_are_not_checked_against_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "venues: [\n", daily=COHORT)
    assert Path(found.file).name == "config.yaml"


def test_a_contestant_with_a_mistake_is_still_a_contestant(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, CONFIG.replace("agent: market", "agent: x"), daily=COHORT)
    assert found.key == "contestants.ada.agent"


def test_a_smallest_bet_above_the_capital_is_refused(tmp_path: Path) -> None:
    (found,) = rule_problems(tmp_path, "{capital: 20, min_bet: 20.5}")
    assert (found.key, found.found) == ("rules.min_bet", "20.5 with a capital of 20")


def test_a_capital_below_the_default_smallest_bet_is_refused(tmp_path: Path) -> None:
    (found,) = rule_problems(tmp_path, "{capital: 20}")
    assert found.key == "rules.capital"


def test_another_mistake_does_not_hide_a_bet_that_nobody_can_pay(tmp_path: Path) -> None:
    found = rule_problems(tmp_path, "{capital: 20, fill: x}")
    assert {p.key for p in found} == {"rules.capital", "rules.fill"}


def test_a_window_may_be_shorter_than_its_step(tmp_path: Path) -> None:
    assert cohort_problems(tmp_path, COHORT.replace("for: 3d", "for: 1h")) == ()


def test_a_step_of_no_time_is_refused(tmp_path: Path) -> None:
    (found,) = cohort_problems(tmp_path, COHORT.replace("every: 1d", "every: 0d"))
    assert found.key == "decide.every"


@pytest.mark.parametrize("rule", ["max_bet_fraction", "max_spread"])
@pytest.mark.parametrize("said", ["1.01", "-0.1", "25%"])
def test_a_fraction_lies_between_0_and_1(tmp_path: Path, rule: str, said: str) -> None:
    (found,) = rule_problems(tmp_path, f"{{{rule}: {said}}}")
    assert found.key == f"rules.{rule}"


@pytest.mark.parametrize(
    "rules", ["{max_spread: 0}", "{max_spread: 1}", "{max_bet_fraction: 1}"]
)
def test_the_ends_of_a_fraction_are_allowed(tmp_path: Path, rules: str) -> None:
    assert rule_problems(tmp_path, rules) == ()


def test_a_crontab_line_of_four_fields_is_refused(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "schedule:\n  ring: '* * * *'\n")
    assert (found.line, found.key) == (2, "schedule.ring")


def test_a_contestant_with_a_capital_letter_is_refused(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "contestants: {Ada: {agent: market}}\n")
    assert found.key == "contestants.Ada"


def test_a_cohort_file_with_a_capital_letter_is_refused(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, CONFIG, Daily=COHORT)
    assert (found.line, found.found) == (None, "'Daily'")


def test_a_cohort_file_that_would_be_overlooked_is_refused(tmp_path: Path) -> None:
    file = project(tmp_path)
    (tmp_path / "cohorts" / "daily.yml").write_text(COHORT)
    (found,) = check(file)
    assert found.expected == "cohort files whose names end in .yaml"


def test_hidden_files_are_no_cohorts(tmp_path: Path) -> None:
    assert check(project(tmp_path, CONFIG, **{".#daily": "x"})) == ()


def test_a_cohorts_folder_that_was_named_must_be_there(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "paths: {cohorts: gone}\n")
    assert (found.key, found.expected) == ("paths.cohorts", "a folder of cohort files")


def test_the_default_cohorts_folder_may_be_missing(tmp_path: Path) -> None:
    file = project(tmp_path)
    (tmp_path / "cohorts").rmdir()
    assert check(file) == ()


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
