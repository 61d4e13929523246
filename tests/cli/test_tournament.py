import json
import subprocess
import sys
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arena.cli.failure import in_our_words
from arena.cli.tournament import COVERAGES, RULES, tournament
from arena.errors import ArenaError
from arena.scoring.tournament.records import Coverage, Rule
from tests.vectors import near, source

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "tournament_2022.json"
NAMES = ("A", "B", "C", "bot")
RAIN: dict[str, Any] = {
    "id": "rain",
    "type": "binary",
    "open": 0,
    "close": 2,
    "resolution": "yes",
    "forecasts": [
        {"forecaster": "A", "at": 0, "value": 0.9},
        {"forecaster": "B", "at": 1, "value": 0.3},
    ],
}


def run(file: Path, *more: str) -> Result:
    return CliRunner().invoke(tournament, [str(file), *more])


def document(file: Path, *more: str) -> dict[str, Any]:
    found = run(file, "--json", *more)
    assert found.exception is None, found.exception
    whole: dict[str, Any] = json.loads(found.stdout)
    return whole


def refusal(file: Path, *more: str) -> ArenaError:
    found = run(file, *more)
    assert isinstance(found.exception, ArenaError), (found.exception, found.output)
    assert found.exception.status == 2
    assert found.exception.hint
    return found.exception


def written(folder: Path, whole: object) -> Path:
    file = folder / "tournament.json"
    file.write_text(whole if isinstance(whole, str) else json.dumps(whole), encoding="utf-8")
    return file


def with_question(folder: Path, change: Mapping[str, Any], **more: object) -> Path:
    """A tournament with one question that is RAIN but for some keys; `...` drops a key."""
    asked = {k: v for k, v in {**deepcopy(RAIN), **change}.items() if v is not ...}
    return written(folder, {"questions": [asked], **more})


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
    assert (*RULES,) == tuple(rule.value for rule in Rule)
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


def test_times_may_be_dates(tmp_path: Path) -> None:
    rows = [
        {"forecaster": "A", "at": "2022-04-01", "value": 0.9},
        {"forecaster": "B", "at": "2022-04-02T02:00:00+02:00", "value": 0.3},
    ]
    times = {"open": "2022-04-01T00:00:00Z", "close": "2022-04-03"}
    found = document(with_question(tmp_path, {**times, "forecasts": rows}))
    asked = found["questions"][0]
    starts = [stretch["start"] for stretch in asked["intervals"]]
    assert starts == ["2022-04-01T00:00:00+00:00", "2022-04-02T00:00:00+00:00"]
    assert [row["coverage"] for row in asked["scores"]] == [1.0, 0.5]


def test_forecasts_may_come_in_a_table(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("question,forecaster,at,value\nrain,A,0,0.9\n\nrain,B,1,0.3\nrain,A,1.5,\n")
    bare = with_question(tmp_path, {"forecasts": []})
    found = document(bare, "--forecasts", str(rows))["questions"][0]["scores"]
    assert [row["coverage"] for row in found] == [0.75, 0.5]


def test_a_table_may_hold_lists(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text('at,value,question,forecaster\n0,"[0.2, null, 0.8]",rain,A\n')
    options = {"type": "multiple_choice", "options": ["a", "b", "Other"], "resolution": "b"}
    file = with_question(tmp_path, {**options, "forecasts": []})
    found = document(file, "--rules", "baseline", "--forecasts", str(rows))
    assert found["questions"][0]["intervals"][0]["said"] == {"A": 0.8}


@pytest.mark.parametrize(
    ("text", "where", "why"),
    [
        ("question,who,at,value\n", "rows.csv", "its columns are not those"),
        ("question,forecaster,at,value\nsnow,A,0,0.5\n", "line 2", "no question 'snow'"),
        ("question,forecaster,at,value\nrain,A,0\n", "line 2", "3 cells, not 4"),
        ("question,forecaster,at,value\nrain,A,0,high\n", "line 2", "not JSON"),
        ("question,forecaster,at,value\nrain,A,0,2\n", "line 2 (A)", "a probability"),
        ("question,forecaster,at,value\nrain,A,nan,0.5\n", "line 2", "a number is wanted"),
        ("question,forecaster,at,value\nrain,,0,0.5\n", "line 2", "'forecaster' is a name"),
        ('question,forecaster,at,value\nrain,"A,0,0.5\n', "line 2", "end of data"),
        ("", "rows.csv", "its columns are not those"),
    ],
)
def test_a_wrong_row_of_a_table_is_named(
    text: str, where: str, why: str, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text(text)
    found = refusal(with_question(tmp_path, {}), "--forecasts", str(rows))
    assert where in found.message
    assert why in found.message


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "not JSON"),
        ("[]", "an object with keys is wanted"),
        ('{"pool": NaN, "questions": []}', "NaN is not a number"),
        ('{"pool": 1, "pool": 2}', "'pool' comes twice"),
        ("[" * 100_000, "nested too deeply"),
        ("{}", "'questions' is missing"),
        ('{"questions": [1]}', "question 1: an object with keys is wanted, not 1"),
        ('{"questions": {}}', "'questions' is a list"),
        ('{"questions": [], "pools": 1}', "there is no key 'pools'"),
        ('{"questions": [], "pool": 1e999}', "a number is wanted"),
        ('{"questions": [], "pool": "1"}', "a number is wanted, not '1'"),
        ('{"questions": [], "pool": true}', "a number is wanted, not true"),
        ('{"questions": [], "pool": -1}', "the pool is an amount"),
        ('{"questions": [], "rules": "2023"}', "'rules' is not '2023'"),
        ('{"questions": [], "title": 3}', "'title' is a text"),
        ('{"questions": [], "community": "mean"}', "'community' has no 'mean'"),
        ('{"questions": [], "aggregates": ["mean"]}', "'aggregates' has no 'mean'"),
        ('{"questions": [], "excluded": "bot"}', "'excluded' is a list"),
        ('{"questions": [], "excluded": ["bot"]}', "is called bot"),
    ],
)
def test_a_wrong_file_is_refused(text: str, why: str, tmp_path: Path) -> None:
    assert why in refusal(written(tmp_path, text)).message


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "tournament.json"
    file.write_bytes(b"\xff\xfe{")
    assert "not in UTF-8" in refusal(file).message


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    found = run(tmp_path / "nothing.json")
    assert (found.exit_code, "does not exist" in found.output) == (2, True)


ROW = {"forecaster": "A", "at": 0, "value": 0.5}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"id": ...}, "question 1: 'id' is missing"),
        ({"id": " "}, "question 1: 'id' is a name"),
        ({"type": "coin"}, "question rain: 'type' is not 'coin'"),
        ({"opens": 0}, "question rain: there is no key 'opens'"),
        ({"open": ...}, "question rain: 'open' is missing"),
        ({"open": "soon"}, "question rain: 'open': 'soon' is no time"),
        ({"open": "2022-04-01"}, "times are all dates, or all numbers"),
        ({"open": 1_648_771_200}, "is too far away: numbers are days"),
        ({"close": 100_000}, "open for more than 100 years"),
        ({"close": 0}, "question rain: it closes after it opens"),
        ({"resolution": "maybe"}, "question rain: 'resolution' is not 'maybe'"),
        ({"resolution": ["yes"]}, "question rain: 'resolution' is not [\"yes\"]"),
        ({"options": ["a", "b"]}, "a multiple_choice question, and no other"),
        ({"open_bounds": ["left"]}, "'open_bounds' are"),
        ({"buckets": 0}, "'buckets' is a whole number"),
        ({"weight": -1}, "question rain: a weight"),
        (
            {"coverage_weights": [{"from": 0, "to": 1}]},
            "coverage weight 1: 'weight' is missing",
        ),
        ({"forecasts": [ROW, 5]}, "question rain, forecast 2: an object"),
        ({"forecasts": [ROW, {**ROW, "value": 1.5}]}, "question rain, forecast 2 (A): the"),
        ({"forecasts": [{**ROW, "value": "0.5"}]}, "forecast 1 (A): a number is wanted"),
        ({"forecasts": [{**ROW, "value": [0.5, 0.5]}]}, "forecast 1 (A): the forecast is one"),
        ({"forecasts": [{"forecaster": "A", "at": 0}]}, "forecast 1: 'value' is missing"),
        ({"forecasts": [{**ROW, "at": None}]}, "forecast 1: 'at' is missing"),
        ({"forecasts": [{**ROW, "who": "A"}]}, "forecast 1: there is no key 'who'"),
        ({"community": [{"at": 0, "value": 2}]}, "rain, community forecast 1: the forecast"),
        (
            {"type": "numeric", "buckets": 2, "resolution": 3, "forecasts": []},
            "'range' has two numbers",
        ),
        (
            {
                "type": "numeric",
                "buckets": 2,
                "resolution": 3,
                "range": [0, 2],
                "forecasts": [],
            },
            "nothing lies beyond a closed bound",
        ),
    ],
)
def test_what_is_wrong_with_a_question_is_said_with_its_place(
    change: dict[str, Any], why: str, tmp_path: Path
) -> None:
    assert why in refusal(with_question(tmp_path, change)).message


def test_two_questions_of_one_name_are_refused(tmp_path: Path) -> None:
    file = written(tmp_path, {"questions": [RAIN, RAIN]})
    assert "question rain: two questions have this id" in refusal(file).message


def test_coverage_of_a_hidden_period_needs_one(tmp_path: Path) -> None:
    found = refusal(with_question(tmp_path, {}), "--coverage", "hidden")
    assert found.code == "tournament.rules"
    assert "question rain: nothing says until when" in found.message


def test_only_the_rules_of_2022_have_weights_of_coverage() -> None:
    found = refusal(EXAMPLE, "--coverage", "hidden", "--rules", "peer")
    assert found.code == "tournament.coverage"


@pytest.mark.parametrize(
    ("resolution", "bucket"),
    [(0.5, 0.25), (1.7, 0.65), ("above_upper_bound", 0.1)],
)
def test_a_number_resolves_to_its_bucket(
    resolution: float | str, bucket: float, tmp_path: Path
) -> None:
    change = {
        "type": "numeric",
        "buckets": 2,
        "range": [0, 2],
        "open_bounds": ["upper"],
        "resolution": resolution,
        "forecasts": [{"forecaster": "A", "at": 0, "value": [0, 0.25, 0.9]}],
    }
    found = document(with_question(tmp_path, change))
    assert found["questions"][0]["intervals"][0]["said"]["A"] == pytest.approx(bucket)


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
    rows = [{"forecaster": evil, "at": 0, "value": 0.5}, ROW]
    file = with_question(tmp_path, {"id": "x\x1b]0;", "forecasts": rows}, title="t\x07\n1  B")
    found = run(file).stdout
    assert not {"\x1b", "\x07", "\u202e"} & set(found)
    assert "\nrank  B" not in found
    assert "\n1  B" not in found
    wrong = [{"forecaster": evil, "at": 0, "value": 5}]
    message = refusal(with_question(tmp_path, {"forecasts": wrong})).message
    assert "\x1b" not in message


def test_an_error_reads_like_every_other(tmp_path: Path) -> None:
    found = in_our_words(refusal(written(tmp_path, "{")))
    assert found.code == "tournament.json"


@pytest.mark.parametrize("code", ["import arena.cli.tournament", "--help"])
def test_the_command_is_light_until_it_runs(code: str) -> None:
    line = code if code != "--help" else "from arena.cli.tournament import tournament as t; t()"
    done = subprocess.run(  # noqa: S603  our own command
        [sys.executable, "-X", "importtime", "-c", line, "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    names = {row.rpartition("|")[2].strip() for row in done.stderr.splitlines()}
    assert not names & {"numpy", "scipy", "pandas", "rich"}
