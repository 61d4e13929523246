from pathlib import Path
from typing import Any

import pytest

from arena.cli.scores.shadow import EXCLUDED, PASSED
from arena.cli.scores.shadow import POLICIES as NAMES
from arena.metrics.shadow import AS_CHAMPION, OWN
from arena.scoring.bets.book import PassReason
from arena.scoring.bets.clv import Exclusion
from arena.scoring.bets.shadow import POLICIES
from tests.cli.conftest import Played
from tests.cli.shell import Done, arena

UNREGISTERED = "exploratory: no test of these numbers was registered."
HEAD = ["contestant", "bets", "events", "open", "staked", "$", "P/L", "return", "EV-CLV"]


def shadow(demo: Played, *words: str) -> Done:
    return arena("shadow", "--database", demo.database, *words, cwd=demo.folder)


@pytest.fixture(scope="module")
def everybody(demo: Played) -> Done:
    return shadow(demo)


@pytest.fixture(scope="module")
def document(demo: Played) -> dict[str, Any]:
    return shadow(demo, "--champion", "northwind-large-2", "--json").document


@pytest.fixture(scope="module")
def one(demo: Played) -> Done:
    return shadow(demo, "northwind-large-2")


def names(document: dict[str, Any], policy: str) -> list[str]:
    return [book["contestant"] for book in document["books"] if book["policy"] == policy]


def test_the_rules_are_those_of_the_books() -> None:
    assert (OWN, *POLICIES, AS_CHAMPION) == NAMES


def test_every_reason_has_its_words() -> None:
    assert list(PASSED) == list(PassReason)
    assert list(EXCLUDED) == list(Exclusion)


def test_everybody_who_bet_has_a_line_of_own_stakes(everybody: Done) -> None:
    assert (everybody.code, everybody.err) == (0, "")
    lines = everybody.out.splitlines()
    at = lines.index("own stakes")
    assert lines[at + 1].split()[: len(HEAD)] == HEAD
    own = lines[at + 2 : lines.index("", at)]
    assert {line.split()[0] for line in own[:-1]} > {
        "northwind-large-2",
        "always-no",
        "coin-flip",
    }
    assert own[-1].startswith("EV-CLV: the value of a dollar staked")
    assert lines[-1] == UNREGISTERED


def test_every_rule_has_its_column_of_returns(everybody: Done) -> None:
    lines = everybody.out.splitlines()
    at = lines.index("return by rule")
    assert lines[at + 1].split() == ["contestant", OWN, *POLICIES]
    market = next(line for line in lines[at:] if line.startswith("market "))
    assert market.split() == ["market", "n/a", *["0.00%"] * len(POLICIES)]


def test_the_champion_has_a_book_under_its_own_rule(document: dict[str, Any]) -> None:
    assert "northwind-large-2" in names(document, AS_CHAMPION)
    assert document["terms"]["champion"] == "northwind-large-2"
    assert document["market"]["gate_abstained"]["NAMED_EVENT_6H"] > 0
    sums = document["sums"]["northwind-large-2"]
    assert set(sums) == {OWN, *POLICIES, AS_CHAMPION}


def test_a_champion_s_table_says_what_its_gate_did(demo: Played) -> None:
    done = shadow(demo, "--champion", "northwind-large-2")
    assert "under the gate, thresholds, fractions and lines of northwind-large-2" in done.out
    assert "gate: held back" in done.out


def test_a_contestant_is_shown_in_detail(one: Done) -> None:
    assert (one.code, one.err) == (0, "")
    for title in (
        "its forecasts under every rule",
        "what made the P/L",
        "P/L against luck",
        "lines without a bet",
        "closing line value: own stakes",
        "bets without a closing line value",
    ):
        assert f"\n{title}\n" in one.out
    assert "The 45 Percent Problem" in one.out


def test_forms_are_of_the_rules_that_were_asked_for(demo: Played) -> None:
    found = shadow(demo, "northwind-large-2", "--policy", "flat", "--json").document
    assert list(found["closing"]) == ["flat"]
    assert found["closing"]["flat"]["forms"][0]["key"] == "ev_clv"
    assert {book["policy"] for book in found["books"]} == {OWN, *POLICIES}


def test_a_rule_that_nobody_has_bets_by_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    done = arena("shadow", "--database", "empty.db", cwd=tmp_path)
    assert (done.code, "nobody has such bets" in done.out) == (0, True)
    assert done.out.startswith("0 lines")


def test_capital_and_level_are_those_that_were_asked_for(demo: Played) -> None:
    asked = ("--policy", "flat", "--capital", "500", "--level", "0.8", "--json")
    books = shadow(demo, "northwind-large-2", *asked).document["books"]
    flat = next(book for book in books if book["policy"] == "flat")
    assert flat["capital"] == 500
    assert flat["ev_clv"]["interval"]["level"] == 0.8


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("nobody",), "score.contestant"),
        (("--champion", "nobody"), "score.contestant"),
        (("--policy", "champion"), "usage.missing"),
        (("--policy", "martingale"), "usage.value"),
        (("--capital", "0"), "usage.value"),
        (("--cohort", "monthly"), "cohort.unknown"),
    ],
)
def test_what_is_not_there_is_refused(demo: Played, words: tuple[str, ...], code: str) -> None:
    done = shadow(demo, *words, "--json")
    assert (done.code, done.out, done.error["code"]) == (2, "", code)
