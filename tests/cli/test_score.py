"""`arena score` with --by and --draws: groups, and other intervals."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

from arena.metrics.claims.board_claims import board_claims
from arena.metrics.groups import groups
from arena.metrics.resampled import FEWEST
from arena.metrics.scorecard import scorecard
from arena.scoring.table import Factor, Forecasts
from tests.cli.conftest import Played
from tests.cli.inside import Capsys, as_csv, here, strict, written
from tests.cli.project import Project
from tests.cli.shell import arena
from tests.docs.pages import page, tables
from tests.metrics.rounds import equals, labelled, rounds
from tests.metrics.season import over_options, season, shuffled
from tests.present import some
from tests.unpacked import opened

FOUND = season(events=60)
KEYS = {
    "schema_version", "read_as", "where", "forecasts", "left_out", "standing", "words", "level",
    "rank_by", "metrics", "contestants", "pairs", "market", "breakdown", "groups",
    "forecastbench",
}  # fmt: skip
LINE = {
    "contestant", "part", "rank", "rank_low", "rank_high", "n", "questions", "markets",
    "events", "clipped", "scores",
}  # fmt: skip
ESTIMATE = {"value", "n", "events", "se", "df", "interval", "state"}


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return as_csv(FOUND, tmp_path_factory.mktemp("score") / "f.csv")


def test_the_numbers_are_those_of_the_arena_s_functions(file: Path, capsys: Capsys) -> None:
    document = strict(here(capsys, "score", file, "--json"))
    card, pairs = scorecard(FOUND), board_claims(FOUND, "brier").contest
    assert pairs is not None
    for line, expected in zip(document["contestants"], card.lines, strict=True):
        assert (line["contestant"], line["rank"], line["n"]) == (
            expected.name,
            expected.rank,
            expected.n,
        )
        assert (line["rank_low"], line["rank_high"]) == pairs.ranks[expected.name]
        for key, found in expected.scores.items():
            assert line["scores"][key]["value"] == pytest.approx(found.value, abs=1e-12)
    for claim, expected_claim in zip(document["pairs"]["claims"], pairs.claims, strict=True):
        assert claim["p_adjusted"] == pytest.approx(expected_claim.p_adjusted)
        assert claim["p_anytime"] == pytest.approx(expected_claim.p_anytime)
        assert claim["better"] == expected_claim.better
    basis = document["pairs"]["basis"]
    assert (basis["guarantee"], basis["minimum"]["events"]) == ("fixed", pairs.basis.events)


def test_the_document_has_always_the_same_keys(
    file: Path, tmp_path: Path, capsys: Capsys
) -> None:
    full = strict(here(capsys, "score", file, "--json", "--by", "topic"))
    empty = strict(here(capsys, "score", written(tmp_path), "--json"))
    for document in (full, empty):
        assert document.keys() == KEYS
    for line in full["contestants"] + full["breakdown"]["lines"]:
        assert line.keys() == LINE
        assert all(found.keys() == ESTIMATE for found in line["scores"].values())
    assert (empty["contestants"], empty["pairs"], empty["breakdown"]) == ([], None, None)
    assert {"name", "words", "formulas", "better", "interval"} <= full["metrics"][
        "brier"
    ].keys()


def test_an_interval_can_be_computed_again_from_the_document(
    file: Path, capsys: Capsys
) -> None:
    document = strict(here(capsys, "score", file, "--json", "--level", "0.9"))
    for line in some(document["contestants"]):
        found = line["scores"]["alpha"]
        reach = float(student.ppf(0.95, found["df"])) * found["se"]
        assert found["interval"]["low"] == pytest.approx(found["value"] - reach)
        assert found["interval"]["level"] == document["level"] == 0.9


def test_the_table_shows_what_the_document_says(file: Path, capsys: Capsys) -> None:
    done = here(capsys, "score", file)
    first = strict(here(capsys, "score", file, "--json"))["contestants"][0]
    assert (done.code, done.err) == (0, "")
    top = done.out.splitlines()[2]
    assert first["contestant"] in top
    assert f"{first['scores']['brier']['value']:.4f}" in top
    assert done.out.startswith(f"{len(FOUND)} forecasts of ")
    assert "pairs are significantly different on their common questions" in done.out
    assert "exploratory" in done.out


def test_a_score_of_fewer_rows_than_its_line_s_n_is_named(
    tmp_path: Path, capsys: Capsys
) -> None:
    file = tmp_path / "f.csv"
    rows = "ada,a,0.5,0.4,1\nada,b,0.5,,0\nada,c,0.5,0.3,1\n"
    file.write_text(f"contestant,market,p,market_p,outcome\n{rows}", encoding="utf-8")
    named = ("--metric", "brier", "--metric", "alpha")
    lines = here(capsys, "score", file, *named).out.splitlines()
    assert "of fewer rows than n (ada 2): Brier gain over the market" in lines


def left_row(row: int, file: Path) -> dict[str, object]:
    first = {"row": row, "file": file.name, "at": f"line {row + 1}", "against": ""}
    return {"rows": 1, "first_row": row, "first": first}


def test_faulty_rows_are_counted_named_and_exit_with_3(tmp_path: Path, capsys: Capsys) -> None:
    made = written(tmp_path, "a,x,0.5,1", "a,y,1.5,1", "a,z,0.5,", "a,x,0.5,1")
    done = here(capsys, "score", made)
    assert done.code == 3
    assert done.err == (
        "warning: left out: 1 outcome missing (first in line 4), 1 p out of range "
        "(first in line 3), 1 repeated (first in line 5)\n"
        "  hint: a p is from 0 to 1, or has % behind it or in its heading\n"
    )
    asked = here(capsys, "score", made, "--json")
    assert asked.code == 3
    assert strict(asked)["left_out"] == {
        "outcome_missing": left_row(3, made),
        "p_out_of_range": left_row(2, made),
        "repeated": left_row(4, made),
    }


@pytest.mark.parametrize(
    ("row", "hint"),
    [
        (
            "soon,1",
            "9:30 PM are read; a cell of `at` may be empty, and the column may be left out",
        ),
        (",maybe", "an outcome is 1, yes, y, true, t, won, ja, wahr, oui, vrai,"),
    ],
)
def test_a_fault_s_hint_says_what_is_read(
    row: str, hint: str, tmp_path: Path, capsys: Capsys
) -> None:
    made = written(tmp_path, f"a,x,0.5,{row}", head="contestant,market,p,at,outcome")
    assert hint in here(capsys, "score", made).err


def test_of_several_files_the_faulty_one_is_named(tmp_path: Path, capsys: Capsys) -> None:
    good = written(tmp_path, "a,x,0.5,1").rename(tmp_path / "g.csv")
    bad = written(tmp_path, "b,x,2,1")
    assert "1 p out of range (first in f.csv, line 2)" in here(capsys, "score", good, bad).err


def test_a_spreadsheet_s_file_is_told_in_its_own_words(tmp_path: Path, capsys: Capsys) -> None:
    made = tmp_path / "excel.csv"
    text = "Modell;Frage;Tipp (%);Ergebnis\r\nZoë;x;31,5;WAHR\r\nAda;x;50;FALSCH\r\n"
    made.write_bytes((text + "Ada;y;120;WAHR\r\n").encode("cp1252"))
    refused = here(capsys, "score", made)
    assert refused.code == 2
    assert "--map 'Tipp (%)'=p" in refused.err + here(capsys, "score", made, "--json").err
    done = here(capsys, "score", made, "--map", "Tipp (%)=p")
    assert done.code == 3
    assert "p from 'Tipp (%)', in percent" in done.err
    assert "2 Ergebnis contradicted (first in line 2, which contradicts line 3)" in done.err
    assert "1 Tipp (%) out of range (first in line 4)" in done.err
    told = here(capsys, "score", made, "--map", "Tipp (%)=p", "--json").document
    assert told["read_as"] == [done.err.splitlines()[0]]
    assert here(capsys, "score", made, "--map", "Tipp").code == 2


def test_what_is_open_is_no_fault(tmp_path: Path, capsys: Capsys) -> None:
    done = here(capsys, "score", written(tmp_path, "a,x,0.5,1", "a,y,0.5,", "a,z,0.5,void"))
    assert (done.code, done.err) == (0, "")
    assert "left out: 1 outcome missing (first in line 3), 1 outcome void" in done.out


@pytest.mark.parametrize(
    ("rows", "why"),
    [((), "there are no rows"), (("a,x,0.5,", "b,x,0.5,"), "no forecast has come out yet")],
)
def test_without_a_forecast_that_came_out_there_is_nothing_to_score(
    rows: tuple[str, ...], why: str, tmp_path: Path, capsys: Capsys
) -> None:
    done = here(capsys, "score", written(tmp_path, *rows))
    assert done.code == 0
    assert done.out.endswith(f"nothing to score: {why}\n")


PLAIN = "contestant,market,p,outcome"
PRICED = "contestant,market,p,market_p,outcome"
PAIRS = [(who, n) for who in "ab" for n in range(9)]
CASES: Mapping[str, tuple[str, Sequence[str]]] = {
    "one row": (PLAIN, ["a,x,0.5,1"]),
    "one contestant": (PLAIN, [f"a,x{n},0.{n},1" for n in range(1, 9)]),
    "one event": (
        "contestant,market,event,p,outcome",
        ["a,x,e,0.5,1", "a,y,e,0.2,1", "b,x,e,0,1"],
    ),
    "certain misses": (PLAIN, [f"{who},x{n},0,1" for who, n in PAIRS]),
    "certain hits": (PLAIN, [f"{who},x{n},1,1" for who, n in PAIRS]),
    "a perfect market": (PRICED, [f"{who},x{n},0.{n},{n % 2},{n % 2}" for who, n in PAIRS]),
    "copies of the market": (PRICED, [f"{who},x{n},0.{n},0.{n},{n % 2}" for who, n in PAIRS]),
    "tiny numbers": (PRICED, [f"{who},x{n},{n}e-300,5e-324,{n % 2}" for who, n in PAIRS]),
    "options": (
        "contestant,market,p_1,p_2,p_3,outcome",
        [f"{who},x{n},1,0,0,{n % 3 + 1}" for who, n in PAIRS],
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("level", ["1e-300", "0.95", "0.999999999999999"])
def test_no_file_makes_a_number_that_json_has_no_word_for(
    case: str, level: str, tmp_path: Path, capsys: Capsys
) -> None:
    head, rows = CASES[case]
    made = written(tmp_path, *rows, head=head)
    done = here(capsys, "score", made, "--metric", "all", "--level", level, "--json")
    assert (done.code, done.err) == (0, "")
    lines = strict(done)["contestants"]
    assert len(lines) == len({row.split(",")[0] for row in rows})
    assert here(capsys, "score", made, "--metric", "all", "--level", level).code == 0


def test_hostile_names_are_printed_harmlessly(tmp_path: Path, capsys: Capsys) -> None:
    evil = "\x1b[2Jada\u202e\nerror: forged"
    rows = [
        json.dumps(
            {"contestant": who, "market": evil + str(n), "p": p, "outcome": n % 2, "kind": evil}
        )
        for who, p in ((evil, 0.3), ("b,en", 0.6))
        for n in range(4)
    ]
    made = tmp_path / "\x1b[31mf.jsonl"
    made.write_text("\n".join(rows), encoding="utf-8")
    done = here(capsys, "score", made, "--by", "kind")
    assert done.code == 0
    assert "[2Jada error: forged" in done.out
    assert not {"\x1b", "\u202e"} & set(done.out + done.err)
    assert not any(line.startswith("error") for line in done.out.splitlines())
    names = {
        line["contestant"]
        for line in strict(here(capsys, "score", made, "--json"))["contestants"]
    }
    assert names == {evil, "b,en"}
    lost = here(capsys, "score", tmp_path / "\x1b[31mgone.csv")
    assert (lost.code, "\x1b" in lost.err) == (2, False)


@pytest.mark.parametrize(("event", "is_said"), [("", True), ("a", False)])
def test_where_each_market_is_an_event_the_command_says_what_that_does(
    tmp_path: Path, capsys: Capsys, event: str, *, is_said: bool
) -> None:
    rows = "".join(f"{n},{event or n},0.{n},{n % 2}\n" for n in range(1, 9))
    (tmp_path / "f.csv").write_text(f"market,event,p,outcome\n{rows}")
    said = here(capsys, "score", tmp_path / "f.csv").out
    assert ("intervals are too narrow; a column event says which do" in said) is is_said


def test_scores_are_broken_down_by_a_column(file: Path, capsys: Capsys) -> None:
    document = strict(here(capsys, "score", file, "--json", "--by", "topic"))
    lines = document["breakdown"]["lines"]
    assert document["breakdown"]["by"] == "topic"
    assert [line["part"] for line in lines] == ["rain"] * 3 + ["sun"] * 3
    assert sum(line["n"] for line in lines) == len(FOUND)
    done = here(capsys, "score", file, "--by", "topic")
    assert "\ntopic: rain\n" in done.out


def test_metrics_can_be_chosen(file: Path, capsys: Capsys) -> None:
    words = ("--metric", "log", "--metric", "ece", "--rank-by", "alpha", "--json")
    document = strict(here(capsys, "score", file, *words))
    assert document["rank_by"] == "alpha"
    assert set(document["metrics"]) == {"log", "ece", "alpha"}
    assert document["pairs"]["metric"] == "alpha"


def test_ranks_by_what_is_no_mean_are_not_said_to_be_tested(file: Path, capsys: Capsys) -> None:
    words = ("score", file, "--rank-by", "ece")
    done, document = here(capsys, *words), strict(here(capsys, *words, "--json"))
    assert "that is of the Brier score, and the ranks are not" in done.out
    assert {line["rank_low"] for line in document["contestants"]} == {None}
    assert [line["rank"] for line in document["contestants"]] == [1, 2, 3]
    assert document["pairs"]["metric"] == "brier"


def test_ordered_options_have_their_score(tmp_path: Path, capsys: Capsys) -> None:
    made = as_csv(over_options(), tmp_path / "f.csv")
    plain = strict(here(capsys, "score", made, "--json"))
    ordered = strict(here(capsys, "score", made, "--json", "--ordered"))
    assert "rps" not in plain["metrics"]
    expected = scorecard(over_options(), ordered=True)
    for line, one in zip(ordered["contestants"], expected.lines, strict=True):
        assert line["scores"]["rps"]["value"] == pytest.approx(one.scores["rps"].value)
    assert here(capsys, "score", made, "--metric", "rps").code == 2


def test_several_files_are_scored_together(tmp_path: Path, capsys: Capsys) -> None:
    for name, p in (("ada", 0.7), ("ben", 0.4)):
        text = "".join(f"x{n},{p},{n % 2}\n" for n in range(6))
        (tmp_path / f"{name}.csv").write_text("market,p,outcome\n" + text, encoding="utf-8")
    document = strict(
        here(capsys, "score", tmp_path / "ada.csv", tmp_path / "ben.csv", "--json")
    )
    assert {line["contestant"] for line in document["contestants"]} == {"ada", "ben"}
    assert len(document["pairs"]["claims"]) == 1


def test_a_forecast_set_is_scored_with_its_resolutions(tmp_path: Path, capsys: Capsys) -> None:
    head: dict[str, Any] = {"forecast_due_date": "2026-01-04"}
    row = {"id": "a", "source": "infer"}
    sets = {
        "set": head | {"organization": "o", "model": "m",
                       "forecasts": [row | {"forecast": 0.8, "resolution_date": None}]},
        "truth": head | {"resolutions": [
            row | {"resolution_date": "d", "resolved_to": 1.0, "resolved": True}]},
        "asked": head | {"questions": [row | {"freeze_datetime_value": "0.6"}]},
    }  # fmt: skip
    for name, document in sets.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    made = [tmp_path / f"{name}.json" for name in sets]
    words = ("--resolutions", made[1], "--questions", made[2], "--json")
    (line,) = strict(here(capsys, "score", made[0], *words))["contestants"]
    assert line["contestant"] == "o / m"
    assert line["scores"]["brier"]["value"] == pytest.approx(0.04)
    assert line["scores"]["alpha"]["value"] == pytest.approx(0.12)
    assert "--resolutions FILE" in here(capsys, "score", made[0]).err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["gone.csv"], "score.no_file"),
        (["FILE", "--metric", "luck"], "score.metric"),
        (["FILE", "--rank-by", "rps"], "score.metric"),
        (["FILE", "--by", "zebra"], "score.columns"),
        (["FILE", "--cohort", "c"], "score.source"),
        (["FILE", "--database", "a.db"], "score.source"),
        (["FILE", "--probability", "kelly"], "score.source"),
        (["--resolutions", "FILE"], "score.source"),
        (["FILE", "--level", "nan"], "usage.value"),
        (["FILE", "--level", "0"], "usage.value"),
        (["FILE", "--level", "1"], "usage.value"),
        (["FILE", "--level", "95"], "usage.value"),
        (["FILE", "--level", "0.9999999999999999"], "usage.value"),
    ],
)
def test_what_cannot_be_done_is_refused(
    words: list[str], code: str, file: Path, capsys: Capsys
) -> None:
    given = [str(file) if word == "FILE" else word for word in words]
    done = here(capsys, "score", *given)
    assert (done.code, done.out) == (2, "")
    assert f"error[{code}]: " in done.err
    assert here(capsys, "score", *given, "--json").error["code"] == code


def test_the_arena_s_own_forecasts_are_scored(demo: Played, capsys: Capsys) -> None:
    words = ("score", "--database", demo.database)
    document = strict(here(capsys, *words, "--json", "--by", "horizon"))
    sql = (
        "SELECT count(*) FROM journal_forecasts JOIN resolutions USING (market) "
        "WHERE yes_pays_micro IN (0, 1000000)"
    )
    database = demo.database
    ((resolved,),) = _ask(database, sql)
    ((all_said,),) = _ask(database, "SELECT count(*) FROM journal_forecasts")
    assert document["forecasts"] == resolved
    assert sum(why["rows"] for why in document["left_out"].values()) == all_said - resolved
    assert document["where"] == str(database)
    assert {line["part"] for line in document["breakdown"]["lines"]} <= {
        "under 1 day", "1 to 7 days", "7 to 30 days", "over 30 days"
    }  # fmt: skip
    assert (document["standing"], here(capsys, *words).code) == ("exploratory", 0)


@pytest.mark.parametrize("saying", ["stated", "kelly", "linear"])
def test_the_arena_s_bets_are_forecasts_too(saying: str, demo: Played, capsys: Capsys) -> None:
    words = ("--database", demo.database, "--probability", saying, "--json")
    document = strict(here(capsys, "score", *words))
    said = f"SELECT count({saying}) FROM fills"  # noqa: S608  one of three columns
    known = "JOIN resolutions USING (market) WHERE yes_pays_micro IN (0, 1000000)"
    assert document["forecasts"] == _ask(demo.database, f"{said} {known}")[0][0]


def test_what_the_arena_does_not_have_is_named(demo: Played, tmp_path: Path) -> None:
    own = ("score", "--database", demo.database)
    unknown = arena(*own, "--by", "zebra", cwd=tmp_path)
    assert (unknown.code, "there are: agent, category, cohort" in unknown.err) == (2, True)
    assert "there is no cohort none" in arena(*own, "--cohort", "none", cwd=tmp_path).err
    assert arena("score", "--database", "gone.db", cwd=tmp_path).code == 2


def _ask(database: Path, sql: str) -> list[tuple[Any, ...]]:
    with opened(database) as db:
        return db.execute(sql).fetchall()


def test_what_nobody_asked_for_is_behind_the_columns_that_fit_80_letters(
    file: Path, capsys: Capsys
) -> None:
    whole = here(capsys, "score", file).out.splitlines()
    head = next(n for n, line in enumerate(whole) if line.startswith("rank "))
    words = re.split(" {2,}", whole[head])
    assert words == ["rank", "contestant", "Brier", "interval", "events", "Gain over market"]
    assert {len(line) <= 80 for line in whole[head : head + 4]} == {True}
    assert whole[head + 4] == "(--columns all shows 8 more)"
    every = here(capsys, "score", file, "--columns", "all").out.splitlines()[head]
    assert (every.startswith(whole[head]), every.endswith("ECE  questions    n")) == (
        True,
        True,
    )


def test_a_metric_that_is_named_has_its_column(file: Path, capsys: Capsys) -> None:
    lines = here(capsys, "score", file, "--metric", "log", "--metric", "mcb").out.splitlines()
    head = next(line for line in lines if line.startswith("rank "))
    assert re.split(" {2,}", head)[2:] == [
        "Log loss", "interval", "events", "MCB", "questions", "n",
    ]  # fmt: skip


OF = ("north", "north", "south", "south", "west", "west")


def six(events: int = 40) -> Forecasts:
    """The topic is whose entrant somebody is."""
    p, outcome = equals(np.random.default_rng(0), events, 6)
    price = np.full(events, 0.5)
    return labelled(rounds(p, outcome, day=np.arange(events), market_p=price), "topic", OF)


def scored(capsys: Capsys, folder: Path, whole: Forecasts, *more: str) -> dict[str, Any]:
    return strict(here(capsys, "score", as_csv(whole, folder / "f.csv"), "--json", *more))


def test_groups_are_those_of_the_arena_s_functions(tmp_path: Path, capsys: Capsys) -> None:
    found = scored(capsys, tmp_path, six(), "--by", "topic")["groups"]
    expected = groups(six(), "topic", "brier")
    assert expected is not None
    assert (found["label"], found["metric"], found["common"], found["events"]) == (
        ("topic", "brier", True, 40)
    )
    for line, own in zip(found["lines"], expected.lines, strict=True):
        assert (line["name"], line["entrants"]) == (own.name, 2)
        assert line["ability"]["value"] == pytest.approx(own.ability.value)
        assert (line["ability"]["n"], line["ability"]["events"]) == (80, 40)


def test_the_table_of_groups_says_what_it_is_of(tmp_path: Path, capsys: Capsys) -> None:
    done = here(capsys, "score", as_csv(six(), tmp_path / "f.csv"), "--by", "topic")
    assert (done.code, done.err) == (0, "")
    assert "40 questions in 40 events that all forecast" in done.out
    assert "luck: how far the best of so many equals stands out by chance alone" in done.out


def test_groups_of_hostile_names_are_printed_harmlessly(tmp_path: Path, capsys: Capsys) -> None:
    whole = six()
    names = ("\x1b[2Jnorth", "so\u202euth", "west\x07")
    hostile = replace(whole, labels={"topic": Factor(names, whole.labels["topic"].codes)})
    done = here(capsys, "score", as_csv(hostile, tmp_path / "f.csv"), "--by", "topic")
    assert done.code == 0
    assert not {"\x1b", "\x07", "\u202e"} & set(done.out)
    found = scored(capsys, tmp_path, hostile, "--by", "topic")["groups"]
    assert {line["name"] for line in found["lines"]} == set(names)


def test_draws_give_intervals_to_what_is_no_mean(tmp_path: Path, capsys: Capsys) -> None:
    whole = season(events=20)
    words = ("--metric", "auc", "--metric", "brier", "--draws", "40")
    expected = scorecard(whole, ("auc", "brier"), draws=40)
    found = scored(capsys, tmp_path, whole, *words)
    for line, own in some(zip(found["contestants"], expected.lines, strict=True)):
        interval, plain = line["scores"]["auc"]["interval"], own.scores["auc"].interval
        assert plain is not None
        assert (interval["low"], interval["high"]) == pytest.approx((plain.low, plain.high))
        assert interval["method"] == "events resampled 40 times, percentile"
    mixed = scored(capsys, tmp_path, shuffled(whole), *words)
    for line, same in some(zip(found["contestants"], mixed["contestants"], strict=True)):
        one, other = (x["scores"]["auc"]["interval"] for x in (line, same))
        assert (one["low"], one["high"]) == pytest.approx((other["low"], other["high"]))


def test_parts_have_draws_too(tmp_path: Path, capsys: Capsys) -> None:
    words = ("--metric", "auc", "--draws", "20", "--by", "topic")
    document = scored(capsys, tmp_path, season(), *words)
    assert document["breakdown"]["lines"]
    for line in document["breakdown"]["lines"]:
        found = line["scores"]["auc"]
        if line["events"] < FEWEST:
            assert (found["interval"], found["state"]) == (None, "too_few")
        else:
            assert found["interval"]["method"].startswith("events resampled")


def test_the_arena_s_own_are_broken_down(demo: Played, capsys: Capsys) -> None:
    words = ("score", "--database", demo.database, "--by", "price_band", "--json")
    document = strict(here(capsys, *words))
    assert len({line["part"] for line in document["breakdown"]["lines"]}) > 1
    assert document["groups"] is None


def test_the_page_names_every_label_of_the_arena_s_own(ticked: Project) -> None:
    hint = ticked.run("score", "--by", "zebra", "--json").error["hint"]
    labels = hint.removeprefix("there are: ").split(", ")
    (table,) = tables(page("docs/scores.md").section("Breakdowns"))
    told = [label.strip("` ") for row in table[1:] for label in row[0].split(",")]
    assert sorted(told) == labels
