import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from arena.cli.scores.explain import BETS, BOOKED, DAYS
from arena.metrics.figures import steady
from arena.metrics.metric_values import computable, measure
from arena.metrics.registry import METRICS
from arena.metrics.returns import RISKS
from arena.store.scores.explain import OF_FILLS, OF_TURNS
from tests.cli.conftest import Played
from tests.cli.inside import Capsys, as_csv, here, strict
from tests.cli.shell import arena
from tests.metrics.rounds import of_rows
from tests.metrics.season import over_options, season
from tests.present import some

FOUND = season(events=20)
SAYINGS = ("forecast", "stated", "kelly", "linear")
COHORT = "weekly-2026-01-05"


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return as_csv(FOUND, tmp_path_factory.mktemp("explain") / "f.csv")


@pytest.fixture(scope="session")
def nine(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Nine days of the demo: some of the first bets have come out. Nobody changes it."""
    home = tmp_path_factory.mktemp("nine")
    done = arena("demo", "--days", "9", "--contestants", "2", "--out", "here", cwd=home)
    return Played(home / "here", done)


def explained(capsys: Capsys, *words: str | Path) -> dict[str, Any]:
    document = strict(here(capsys, "explain", *words, "--json"))
    assert document.keys() == {
        "schema_version", "where", "standing", "words", "journal", "explained",
    }  # fmt: skip
    found: dict[str, Any] = document["explained"]
    assert of_rows(found["rows"]) == found["digest"]
    return found


def standings(capsys: Capsys, nine: Played, *more: str) -> dict[str, dict[str, Any]]:
    board = here(capsys, "leaderboard", "--database", nine.database, "--json", *more)
    lines = strict(board)["leaderboard"]["standings"]
    return {line["contestant"]: line for line in lines}


def test_every_metric_of_a_file_has_the_value_of_the_table(file: Path, capsys: Capsys) -> None:
    for key in some(key for key in computable(FOUND) if not key.endswith("_close")):
        found = explained(capsys, "ben", key, "--file", file)
        place = FOUND.contestant.names.index("ben")
        expected = measure([key], FOUND)[key][place].value
        assert found["estimate"]["value"] == pytest.approx(expected, abs=1e-12), key
        assert found["metric"]["key"] == key


def test_a_number_is_shown_with_formula_inputs_rows_and_digest(
    file: Path, capsys: Capsys
) -> None:
    done = here(capsys, "explain", "ada", "brier", "--file", file, "--rows", "3")
    found = explained(capsys, "ada", "brier", "--file", file)
    shown = METRICS["brier"].shown(found["estimate"]["value"])
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Brier score of ada: {shown} (")
    lines = done.out.splitlines()
    assert "  B = (p - o)^2" in lines
    assert f"n: {len(found['rows'])}" in lines
    assert f"({len(found['rows']) - 3} more rows: --rows, or --json for all)" in lines
    assert lines[-2:] == [
        f"rows  sha256 {found['digest']}",
        "exploratory: nobody sealed beforehand what would be tested.",
    ]


def test_no_row_need_be_shown(file: Path, capsys: Capsys) -> None:
    done = here(capsys, "explain", "ada", "brier", "--file", file, "--rows", "0")
    assert (done.code, "more rows" in done.out) == (0, True)


def test_options_are_explained(tmp_path: Path, capsys: Capsys) -> None:
    whole = over_options()
    file = as_csv(whole, tmp_path / "f.csv")
    for key in some(computable(whole, ordered=True)):
        found = explained(capsys, "ada", key, "--file", file)
        terms = [row[-1] for row in found["rows"]]
        assert found["estimate"]["value"] == pytest.approx(sum(terms) / len(terms), abs=1e-12)


def test_what_the_books_hold_is_listed_once() -> None:
    assert {*OF_FILLS, *OF_TURNS} <= {*BOOKED}
    assert DAYS == RISKS
    assert {*BOOKED, *SAYINGS, *BETS, *DAYS} <= set(METRICS)


@pytest.mark.parametrize("more", [(), ("--cohort", COHORT)])
def test_every_number_of_the_books_is_that_of_the_leaderboard(
    more: tuple[str, ...], nine: Played, capsys: Capsys
) -> None:
    lines, seen = standings(capsys, nine, *more), 0
    for who, line in lines.items():
        for key in BOOKED if who in {"northwind-large-2", "favourite"} else ("returned",):
            found = explained(capsys, who, key, "--database", nine.database, *more)
            cell = line[key]
            value = cell["value"] if isinstance(cell, dict) else cell
            assert (found["value"], found["metric"]["key"]) == (value, key)
            seen += value is not None
    assert seen > len(BOOKED)


def test_numbers_of_bets_and_days_are_those_of_the_site(nine: Played, capsys: Capsys) -> None:
    shown: dict[str, Any] = {}
    for name in ("returns", "risk"):
        page = (nine.folder / "site" / f"leaderboard/{name}.json").read_text()
        table = json.loads(page)["ranking"]
        row = next(row for row in table["rows"] if row["slug"] == "northwind-large-2")
        keys = [column["key"] for column in table["columns"]]
        shown |= dict(zip(keys, row["cells"], strict=True))
    for key in ("ev_clv", "realised_return", *DAYS):
        found = explained(capsys, "northwind-large-2", key, "--database", nine.database)
        assert steady(found["estimate"]["value"]) == shown[key]["value"], key
        assert len(found["rows"]) > 1


def test_the_rows_of_bets_make_the_number_again(nine: Played, capsys: Capsys) -> None:
    for key in BETS:
        found = explained(capsys, "northwind-large-2", key, "--database", nine.database)
        terms = [row[-1] for row in found["rows"]]
        over = found["inputs"].get("capital", len(terms))
        assert found["estimate"]["value"] == pytest.approx(sum(terms) / over, abs=1e-12), key


def test_days_are_of_all_cohorts_together(nine: Played, capsys: Capsys) -> None:
    named = ("--database", nine.database, "--cohort", COHORT)
    done = here(capsys, "explain", "northwind-large-2", "max_drawdown", *named)
    assert (done.code, "leave --cohort out" in done.err) == (2, True)


def test_who_never_bet_has_no_bets_to_explain(nine: Played, capsys: Capsys) -> None:
    done = here(capsys, "explain", "hold-cash", "ev_clv", "--database", nine.database)
    assert (done.code, "hold-cash has never bet" in done.err) == (2, True)


@pytest.mark.parametrize("more", [(), ("--cohort", COHORT)])
def test_every_brier_score_of_the_board_is_that_of_the_leaderboard(
    more: tuple[str, ...], nine: Played, capsys: Capsys
) -> None:
    lines = standings(capsys, nine, *more)
    for who, key in (*(("northwind-large-2", key) for key in SAYINGS), ("favourite", "kelly")):
        line = lines[who]
        found = explained(capsys, who, key, "--database", nine.database, *more)
        assert found["estimate"]["value"] == line[key]["value"]
        assert len(found["rows"]) == found["inputs"]["n"] == line[key]["n"] > 0
        assert found["metric"]["key"] == key
        terms = [row[-1] for row in found["rows"]]
        assert line[key]["value"] == pytest.approx(sum(terms) / len(terms), abs=1e-12)


def test_seats_add_up_to_the_number(nine: Played, capsys: Capsys) -> None:
    found = explained(capsys, "northwind-large-2", "pnl", "--database", nine.database)
    inputs = {name: Decimal(str(number)) for name, number in found["inputs"].items()}
    for name, total in inputs.items():
        place = found["columns"].index(name)
        assert sum(Decimal(str(row[place])) for row in found["rows"]) == total
    total = inputs["cash"] - inputs["owed"] + inputs["worth at the bid"]
    assert Decimal(found["value"]) == total - inputs["capital"]
    line = standings(capsys, nine)["northwind-large-2"]
    assert len(found["rows"]) == line["cohorts"]
    assert inputs["open positions"] == line["open"]


def test_fills_add_up_to_the_rates(nine: Played, capsys: Capsys) -> None:
    for who in ("northwind-large-2", "favourite"):
        won = explained(capsys, who, "win_rate", "--database", nine.database)
        rows = [dict(zip(won["columns"], row, strict=True)) for row in won["rows"]]
        inputs = won["inputs"]
        assert inputs["resolved"] == len(rows) > 0
        assert inputs["won"] == sum(row["won"] for row in rows)
        assert all((row["side"] == "YES") == (row["outcome"] == row["won"]) for row in rows)
        assert won["value"] == inputs["won"] / inputs["resolved"]
        even = explained(capsys, who, "break_even", "--database", nine.database)
        prices = sum(Decimal(row["price"]) for row in rows)
        assert Decimal(even["inputs"]["sum of prices"]) == prices
        assert even["value"] == pytest.approx(float(prices) / len(rows), abs=1e-15)
        assert even["digest"] == won["digest"]


def test_the_journal_s_digest_stands_with_it(nine: Played, capsys: Capsys) -> None:
    where = ("--database", nine.database, "--json")
    audit = strict(here(capsys, "audit", *where))["journal"]
    for key in ("pnl", "kelly", "brier"):
        document = strict(here(capsys, "explain", "northwind-large-2", key, *where))
        assert document["journal"] == audit
        assert document["standing"] == "exploratory"
    done = here(capsys, "explain", "northwind-large-2", "pnl", "--database", nine.database)
    assert f"journal  sha256 {audit}" in done.out.splitlines()
    assert done.out.startswith("Profit or loss of northwind-large-2: ")


def test_a_file_has_no_journal_and_no_books(file: Path, capsys: Capsys) -> None:
    words = ("explain", "ada", "brier", "--file", file, "--json")
    assert strict(here(capsys, *words))["journal"] is None
    for key in ("pnl", "kelly"):
        done = here(capsys, "explain", "ada", key, "--file", file, "--json")
        assert (done.code, done.error["code"]) == (2, "score.metric")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("dora", "pnl"), "score.contestant"),
        (("dora", "kelly"), "score.contestant"),
        (("northwind-large-2", "luck"), "score.metric"),
        (("northwind-large-2", "pnl", "--cohort", "monthly"), "cohort.unknown"),
        (("northwind-large-2", "kelly", "--cohort", "monthly"), "cohort.unknown"),
        (("northwind-large-2", "pnl", "--rows", "-1"), "usage.value"),
    ],
)
def test_what_is_not_there_is_refused(
    words: tuple[str, ...], code: str, nine: Played, capsys: Capsys
) -> None:
    done = here(capsys, "explain", *words, "--database", nine.database, "--json")
    assert (done.code, done.error["code"]) == (2, code)


@pytest.mark.parametrize(
    ("contestant", "metric", "meant"),
    [
        ("northwind-large-2", "alpa", "alpha"),
        ("northwind-large-2", "retuned", "returned"),
        ("northwnd-large-2", "total", "northwind-large-2"),
        ("northwnd-large-2", "worst_day", "northwind-large-2"),
    ],
)
def test_what_is_nearly_there_is_answered_with_the_nearest(
    contestant: str, metric: str, meant: str, nine: Played, capsys: Capsys
) -> None:
    done = here(capsys, "explain", contestant, metric, "--database", nine.database)
    assert (done.code, f"  hint: did you mean {meant}?" in done.err) == (2, True)


def test_hostile_names_are_printed_harmlessly(tmp_path: Path, capsys: Capsys) -> None:
    file = tmp_path / "f.csv"
    name = "a\x1b[2J\u202eb"
    file.write_text(f"contestant,market,p,outcome\n{name},m\x1b[3J\x07,0.5,1\n", "utf-8")
    done = here(capsys, "explain", name, "brier", "--file", file)
    assert done.code == 0
    assert "a[2Jb" in done.out
    assert not {"\x1b", "\x07", "\u202e"} & set(done.out)
    assert explained(capsys, name, "brier", "--file", file)["contestant"] == name


def test_a_review_names_the_worst_and_the_best(nine: Played, capsys: Capsys) -> None:
    words = ("review", "coin-flip", "-n", "2", "--database", nine.database)
    told = strict(here(capsys, *words, "--json"))["review"]
    gains = [[row["gain"] for row in told[part]] for part in ("worst", "best")]
    assert gains == [sorted(gains[0]), sorted(gains[1], reverse=True)]
    assert all(gain < 0 for gain in some(gains[0]))
    text = here(capsys, *words).out
    assert text.index("Worst") < text.index(told["worst"][0]["question"]) < text.index("Best")


def test_insights_say_who_copies_the_price(ranked: Played, capsys: Capsys) -> None:
    words = ("insights", "--database", ranked.database)
    told = strict(here(capsys, *words, "--json"))
    copies = {row["contestant"]: row["copies"] for row in told["contestants"]}
    assert copies["market"] is True
    assert copies["coin-flip"] is False
    assert told["values"]["effective_number"]["value"] >= 1
    assert "copies the price" in here(capsys, *words).out
    assert "Weight beside the price" in here(capsys, *words, "--contestant", "market").out


def test_insights_of_nobody_name_who_is_meant(ranked: Played, capsys: Capsys) -> None:
    done = here(capsys, "insights", "--database", ranked.database, "--contestant", "markt")
    assert (done.code, "did you mean market?" in done.err) == (2, True)
