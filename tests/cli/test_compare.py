import json
from pathlib import Path

import pytest
from scipy.stats import t as student

from arena.metrics.claims.board_claims import board_claims
from arena.metrics.comparisons.pair_test import duel
from tests.cli.conftest import Played
from tests.cli.inside import as_csv, here, strict, written
from tests.metrics.season import over_options, season

Capsys = pytest.CaptureFixture[str]

FOUND = season(events=60)


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return as_csv(FOUND, tmp_path_factory.mktemp("compare") / "f.csv")


def test_two_are_compared_on_what_both_answered(file: Path, capsys: Capsys) -> None:
    document = strict(here(capsys, "compare", "ada", "cy", "--file", file, "--json"))
    expected, found = duel(FOUND, ("ada", "cy"), "brier"), document["comparison"]
    assert document.keys() == {"schema_version", "where", "standing", "words", "comparison"}
    assert (found["first"], found["second"], found["better"]) == ("ada", "cy", "ada")
    assert (found["questions"], found["events"]) == (expected.questions, expected.events)
    assert found["default"]["p"] == pytest.approx(expected.default.p)
    assert [test["name"] for test in found["tests"]] == [test.name for test in expected.tests]
    assert [test["p"] for test in found["tests"]] == pytest.approx(
        [t.p for t in expected.tests]
    )
    assert found["needed"] == pytest.approx(expected.needed)


def test_its_p_value_can_be_computed_again(file: Path, capsys: Capsys) -> None:
    words = ("compare", "ada", "ben", "--file", file, "--json")
    found = strict(here(capsys, *words))["comparison"]["default"]
    assert found["statistic"] == pytest.approx(found["estimate"] / found["se"])
    assert found["p"] == pytest.approx(2 * student.sf(abs(found["statistic"]), found["df"][0]))


def test_it_is_said_in_words(file: Path, capsys: Capsys) -> None:
    done = here(capsys, "compare", "ada", "cy", "--file", file, "--all")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Brier score of one forecast, ada less cy: ")
    assert "\nada is better, p = " in done.out
    for word in (
        "cluster BCa",
        "Diebold-Mariano",
        "naive Z",
        "claims hold for one look at this many questions",
        "were this the true difference",
    ):
        assert word in done.out
    assert done.out.endswith("exploratory: nobody sealed beforehand what would be tested.\n")


def test_without_more_it_says_what_a_person_needs(file: Path, capsys: Capsys) -> None:
    brief = here(capsys, "compare", "ada", "cy", "--file", file).out.splitlines()
    whole = here(capsys, "compare", "ada", "cy", "--file", file, "--all").out.splitlines()
    assert (len(brief), [line for line in brief if line not in whole]) == (4, [])
    pairs = here(capsys, "compare", "--file", file).out
    assert "Elo" not in pairs
    ranked = here(capsys, "compare", "--file", file, "--all").out
    assert (
        "Elo are of all questions that a pair shares, and say how often one was better"
        in ranked
    )


def test_tests_that_reject_too_often_are_marked(file: Path, capsys: Capsys) -> None:
    said = here(capsys, "compare", "ada", "cy", "--file", file, "--all").out
    marked = [line for line in said.splitlines() if "  anti-conservative" in line]
    assert [line.split("  ")[0] for line in marked] == [
        "Diebold-Mariano, bandwidth as horizon",
        "naive Z",
    ]
    assert said.count("anti-conservative: it finds differences that are not there") == 1


def test_without_names_every_pair_is_compared(file: Path, capsys: Capsys) -> None:
    document = strict(here(capsys, "compare", "--file", file, "--json"))
    expected = board_claims(FOUND, "brier").contest
    assert expected is not None
    claims = document["contest"]["claims"]
    assert [(c["first"], c["second"]) for c in claims] == [
        (c.first, c.second) for c in expected.claims
    ]
    for name in ("p_adjusted", "p_anytime"):
        told = [getattr(claim, name) for claim in expected.claims]
        assert [claim[name] for claim in claims] == pytest.approx(told)
    done = here(capsys, "compare", "--file", file)
    assert (
        "A name stands where p, corrected for all pairs and all looks, is at most 0.05"
        in done.out
    )
    assert sum(line.startswith(("ada ", "ben ")) for line in done.out.splitlines()) >= 3


def test_another_metric_and_level(file: Path, capsys: Capsys) -> None:
    words = ("--file", file, "--metric", "alpha", "--level", "0.8", "--json")
    document = strict(here(capsys, "compare", "cy", "ada", *words))["comparison"]
    assert (document["metric"], document["better"]) == ("alpha", "ada")
    assert document["estimate"]["interval"]["level"] == 0.8


def test_options_are_compared_by_their_own_score(tmp_path: Path, capsys: Capsys) -> None:
    made = as_csv(over_options(), tmp_path / "o.csv")
    for words in (("ada", "ben"), ()):
        document = strict(here(capsys, "compare", *words, "--file", made, "--json"))
        found = document.get("comparison") or document["contest"]
        assert found["metric"] == "brier_sum"
    assert strict(
        here(capsys, "compare", "ada", "ben", "--file", made, "--metric", "rps", "--json")
    )


def rows_of(*pairs: tuple[float, float]) -> list[str]:
    """Twelve questions that a and b answer, of which every second is YES."""
    return [
        f"{who},x{n},{p},{n % 2}"
        for n in range(12)
        for who, p in zip("ab", pairs[n % len(pairs)], strict=True)
    ]


@pytest.mark.parametrize(
    "rows",
    [
        ["a,x,0.5,1", "b,x,0.4,1"],
        rows_of((0.5, 0.5)),
        rows_of((0.2, 0.1), (0.8, 0.9)),
        rows_of((0, 1)),
        rows_of((1e-300, 0), (1, 1e-300)),
    ],
)
def test_no_pair_makes_a_number_that_json_has_no_word_for(
    rows: list[str], tmp_path: Path, capsys: Capsys
) -> None:
    made = written(tmp_path, *rows)
    for words in (("a", "b"), ()):
        for more in ((), ("--metric", "log"), ("--level", "1e-9")):
            done = here(capsys, "compare", *words, "--file", made, *more, "--json")
            assert (done.code, done.err) == (0, "")
            assert strict(done)
            assert here(capsys, "compare", *words, "--file", made, *more).code == 0


def test_hostile_names_are_printed_harmlessly(tmp_path: Path, capsys: Capsys) -> None:
    evil = "\x1b[2Ja\nerror: forged"
    rows = [
        {"contestant": who, "market": n, "p": p + n / 50, "outcome": n % 2}
        for who, p in ((evil, 0.3), ("b", 0.6))
        for n in range(12)
    ]
    made = tmp_path / "f.json"
    made.write_text(json.dumps(rows), encoding="utf-8")
    for words in ((evil, "b"), (), ("b", evil + "?")):
        done = here(capsys, "compare", *words, "--file", made)
        assert "\x1b" not in done.out + done.err
        assert not any(line.startswith("error: forged") for line in done.out.splitlines())


def test_faulty_rows_exit_with_3(tmp_path: Path, capsys: Capsys) -> None:
    made = written(tmp_path, "a,x,0.5,1", "b,x,0.4,1", "b,y,x,1")
    done = here(capsys, "compare", "a", "b", "--file", made, "--json")
    assert (done.code, done.err) == (
        3,
        "warning: left out: 1 p not a number (first in line 4)\n",
    )
    assert strict(done)["comparison"]["questions"] == 1


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["ada"], "usage.missing"),
        (["ada", "zoe"], "score.contestant"),
        (["ada", "ada"], "compare.same"),
        (["ada", "ben", "--metric", "ece"], "score.metric"),
        (["--metric", "breir"], "score.metric"),
        (["--metric", "brier_sum"], "score.metric"),
        (["ada", "ben", "--cohort", "c"], "score.source"),
        (["ada", "ben", "--level", "nan"], "usage.value"),
    ],
)
def test_what_cannot_be_done_is_refused(
    words: list[str], code: str, file: Path, capsys: Capsys
) -> None:
    done = here(capsys, "compare", *words, "--file", file)
    assert (done.code, done.out) == (2, "")
    assert f"error[{code}]: " in done.err


def test_without_a_common_question_there_is_nothing_to_compare(
    tmp_path: Path, capsys: Capsys
) -> None:
    done = here(
        capsys, "compare", "a", "b", "--file", written(tmp_path, "a,x,0.5,1", "b,y,0.4,1")
    )
    assert (done.code, "error[compare.nothing]" in done.err) == (2, True)


def test_the_arena_s_own_contestants_are_compared(demo: Played, capsys: Capsys) -> None:
    words = ("compare", "--database", demo.database, "--json")
    document = strict(here(capsys, *words))
    first = document["contest"]["claims"][0]
    two = strict(here(capsys, *words[:1], first["first"], first["second"], *words[1:]))[
        "comparison"
    ]
    assert two["default"]["p"] == pytest.approx(first["test"]["p"])
    assert two["questions"] == first["test"]["n"]
