from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli.scores.tournament import COVERAGES, RULES, tournament
from arena.scoring.tournament.records import Coverage, TournamentRule
from tests.cli.conftest import Played
from tests.cli.inside import Capsys, here, strict
from tests.cli.tournaments import EXAMPLE, document, refusal, run, with_question
from tests.vectors import near, source

NAMES = ("A", "B", "C", "bot")


@pytest.mark.parametrize(
    ("coverage", "vector"),
    [("all", "s003.leaderboard.all_days"), ("hidden", "s003.leaderboard.hidden_only")],
)
def test_the_shipped_example_has_the_leaderboard_of_the_source(
    coverage: str, vector: str
) -> None:
    held = source(vector)
    lines = document(EXAMPLE, "--coverage", coverage)["leaderboard"]
    told = {key: {e["name"]: e[key] for e in lines} for key in ("score", "coverage", "take")}
    told |= {"prize": {e["name"]: e["prize"] for e in lines}}
    told |= {"prize_share": {e["name"]: e["share"] for e in lines}}
    whole = {**told, "take_sum": sum(e["take"] for e in lines)}
    assert near(whole, held["expected"], held["tol"])


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_shipped_example_has_every_day_and_question_of_the_source(number: int) -> None:
    held = source(f"s003.q{number}.relative_log")
    asked, hidden = (
        document(EXAMPLE, "--coverage", c)["questions"][number - 1] for c in ("all", "hidden")
    )
    here = [row["forecaster"] for row in asked["scores"]]
    told = {
        "daily": {n: [day["scores"][n] for day in asked["days"]] for n in here},
        "question_score": {row["forecaster"]: row["score"] for row in asked["scores"]},
        "coverage_all": {row["forecaster"]: row["coverage"] for row in asked["scores"]},
        "coverage_hidden": {row["forecaster"]: row["coverage"] for row in hidden["scores"]},
    }
    expected = {
        key: {n: cell for n, cell in cells.items() if n in here}
        for key, cells in held["expected"].items()
    }
    assert near(told, expected, held["tol"])
    assert len(asked["days"]) == len(asked["intervals"]) == 4


@pytest.mark.parametrize(
    ("more", "cells"),
    [
        ((), ("1.852571  0.750000", "4.782141", "779.30", "108.00", "67.90", "44.80")),
        (("--coverage", "hidden"), ("4.250792", "798.87", "149.46", "51.67", "0.00")),
    ],
)
def test_the_tables_have_the_cells_of_the_source(
    more: tuple[str, ...], cells: tuple[str, ...]
) -> None:
    found = run(EXAMPLE, *more).stdout
    assert found.isascii()
    for cell in (*cells, "-0.405465", "1.280934", "2.407946", "0.101366"):
        assert cell in found


def test_each_question_has_a_line_for_everybody() -> None:
    found = run(EXAMPLE).stdout
    assert found.count("\nC  ") == 3


@pytest.mark.parametrize(
    ("each", "there", "missing"),
    [
        ("none", "rank", "Question Q1"),
        ("question", "Question Q1", "day 1"),
        ("day", "day 4", "from 0"),
        ("interval", "from 0", "day 1"),
    ],
)
def test_questions_are_printed_as_far_as_is_wanted(each: str, there: str, missing: str) -> None:
    found = run(EXAMPLE, "--each", each).stdout
    assert there in found
    assert missing not in found


def test_the_options_are_those_of_the_rules() -> None:
    assert (*RULES,) == tuple(rule.value for rule in TournamentRule)
    assert (*COVERAGES,) == tuple(coverage.value for coverage in Coverage)


@pytest.mark.parametrize("rule", RULES)
def test_every_set_of_rules_scores_the_example(rule: str) -> None:
    found = document(EXAMPLE, "--rules", rule)
    assert found["tournament"]["rules"] == rule
    assert {line["name"] for line in found["leaderboard"]} == set(NAMES)
    assert run(EXAMPLE, "--rules", rule).exit_code == 0


def test_the_pool_and_the_smallest_prize_can_be_given() -> None:
    found = document(EXAMPLE, "--pool", "100", "--minimum-prize", "10")
    prizes = {line["name"]: line["prize"] for line in found["leaderboard"]}
    assert sum(prizes.values()) == pytest.approx(100)
    assert prizes["bot"] == prizes["C"] == 0


def test_a_question_without_an_outcome_is_named(tmp_path: Path) -> None:
    file = with_question(tmp_path, {"resolution": "annulled"})
    found = document(file)
    assert (found["leaderboard"], found["left_out"]) == ([], {"rain": "annulled"})
    assert "Without scores: rain (annulled)" in run(file).stdout


def test_what_is_not_known_is_null(tmp_path: Path) -> None:
    found = document(with_question(tmp_path, {}))
    first = found["questions"][0]["intervals"][0]
    assert (first["said"]["B"], first["scores"]["B"]) == (None, 0.0)
    assert found["leaderboard"][0]["prize"] is None
    assert found["tournament"]["pool"] is None


def test_coverage_of_a_hidden_period_needs_one(tmp_path: Path) -> None:
    found = refusal(with_question(tmp_path, {}), "--coverage", "hidden")
    assert found.code == "tournament.rules"
    assert "question rain: nothing says until when" in found.message


def test_only_the_rules_of_2022_have_weights_of_coverage() -> None:
    found = refusal(EXAMPLE, "--coverage", "hidden", "--rules", "peer")
    assert found.code == "tournament.coverage"


def test_aggregates_and_bots_are_shown_and_not_paid(tmp_path: Path) -> None:
    more = {"excluded": ["B"], "uncounted": ["B"], "aggregates": ["recency-weighted median"]}
    file = with_question(tmp_path, {}, pool=10, rules="baseline", **more)
    lines = {line["name"]: line for line in document(file)["leaderboard"]}
    assert lines["community (recency-weighted median)"]["included"] is False
    assert lines["B"]["prize"] is None
    assert lines["A"]["prize"] == 10
    assert "(2)" in run(file).stdout


def test_hostile_names_are_harmless(tmp_path: Path) -> None:
    evil = "A\x1b[2J\u202e\nrank  B"
    rows = [
        {"forecaster": evil, "at": 0, "value": 0.5},
        {"forecaster": "A", "at": 0, "value": 0.5},
    ]
    file = with_question(tmp_path, {"id": "x\x1b]0;", "forecasts": rows}, title="t\x07\n1  B")
    found = run(file).stdout
    assert not {"\x1b", "\x07", "\u202e"} & set(found)
    assert "\nrank  B" not in found
    assert "\n1  B" not in found
    wrong = [{"forecaster": evil, "at": 0, "value": 5}]
    message = refusal(with_question(tmp_path, {"forecasts": wrong})).message
    assert "\x1b" not in message


def test_the_cohorts_of_an_arena_are_scored_without_a_file(
    demo: Played, capsys: Capsys
) -> None:
    told = strict(here(capsys, "tournament", "--all", "--database", demo.database, "--json"))
    assert (told["tournament"]["title"], told["tournament"]["rules"]) == ("all cohorts", "peer")
    names = {line["name"] for line in told["leaderboard"]} | set(told["absent"])
    assert {"market", "coin-flip"} <= names
    assert all(not e["included"] for e in told["leaderboard"] if e["name"] == "market")


@pytest.mark.parametrize("words", [(), (str(EXAMPLE), "--all"), ("--all", "--cohort", "a")])
def test_one_thing_is_scored_at_a_time(words: tuple[str, ...]) -> None:
    result = CliRunner().invoke(tournament, list(words))
    assert (result.exit_code, "name a FILE, or --cohort NAME, or --all" in result.output) == (
        2,
        True,
    )


def test_scores_relative_to_the_community_are_refused_for_numbers(tmp_path: Path) -> None:
    number = {"type": "numeric", "buckets": 2, "range": [0, 2], "resolution": 1}
    value = [0.0, 0.5, 1.0]
    forecasts = [{"forecaster": "A", "at": 0, "value": value}]
    file = with_question(tmp_path, {**number, "forecasts": forecasts})
    assert "cannot be computed" in str(refusal(file, "--rules", "relative-legacy"))
    assert document(file, "--rules", "peer")["leaderboard"]
