from pathlib import Path
from typing import Any

import pytest

from arena.cli.say import in_our_words
from arena.cli.scores.tournament import RULES
from arena.cli.scores.tournament_file import QUESTION, TOP
from arena.scoring.tournament.records import CROWDS, QuestionKind
from tests.cli.tournaments import RAIN, document, refusal, run, with_question, written
from tests.docs.pages import ROOT, bare, page, tables

PAGE = page("docs/tournaments.md")
ROW = {"forecaster": "A", "at": 0, "value": 0.5}


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


def test_blanks_around_the_cells_of_a_table_split_nobody(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("question,forecaster,at,value\nrain,A,0,0.9\nrain ,A\t,1.5, \n")
    bare = with_question(tmp_path, {"forecasts": []})
    found = document(bare, "--forecasts", str(rows))["questions"][0]["scores"]
    assert [(row["forecaster"], row["coverage"]) for row in found] == [("A", 0.75)]


@pytest.mark.parametrize(
    "text",
    [
        "Question;Forecaster;At;Value\r\nrain;A;0;0,9\r\n;;;\r\nrain;A;1,5;\r\n",
        "sep=\t\nquestion\tforecaster\tat\tvalue\nrain\tA\t0\t90 %\nrain\tA\t1.5\t\n",
    ],
)
def test_a_table_may_be_one_of_a_spreadsheet(text: str, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text(text, encoding="utf-16", newline="")
    bare = with_question(tmp_path, {"forecasts": []})
    (scored,) = document(bare, "--forecasts", str(rows))["questions"]
    assert [row["coverage"] for row in scored["scores"]] == [0.75]
    assert scored["intervals"][0]["said"] == {"A": 0.9}


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
        ("", "rows.csv", "there is nothing in it"),
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
        ({"weight": 1e308}, "question rain: 'weight' is a number up to a million"),
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


@pytest.mark.parametrize(
    ("resolution", "bucket"), [(0.5, 0.25), (1.7, 0.65), ("above_upper_bound", 0.1)]
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


def test_the_file_of_the_documentation_is_scored() -> None:
    assert "docs/examples/tournament.json" in PAGE.codes
    found = document(ROOT / "docs" / "examples" / "tournament.json")
    first, second = found["leaderboard"][0]["by_question"]
    assert (first["question"], second["question"]) == ("rain", "winner")
    assert found["questions"][1]["intervals"][2]["said"]["ada"] == 0.5


@pytest.mark.parametrize(("number", "keys"), [(0, TOP), (1, QUESTION)])
def test_the_documentation_has_every_key(number: int, keys: frozenset[str]) -> None:
    table = tables(PAGE.section("The file"))[number]
    assert {key.strip("` ") for row in table[1:] for key in row[0].split(",")} == keys


def test_the_documentation_has_every_rule_kind_and_median() -> None:
    rules = tables(PAGE.section("Rules"))[0]
    kinds = tables(PAGE.section("The file"))[2]
    medians = tables(PAGE.section("The community"))[0]
    assert [bare(row[0]) for row in rules[1:]] == list(RULES)
    assert [bare(row[0]) for row in kinds[1:]] == [kind.value for kind in QuestionKind]
    assert {bare(row[0]) for row in medians[1:]} == {"given", *(c.words for c in CROWDS)}


def test_an_error_reads_like_every_other(tmp_path: Path) -> None:
    found = in_our_words(refusal(written(tmp_path, "{")))
    assert found.code == "tournament.json"
