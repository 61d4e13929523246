"""`arena score` against the market's price: one line, and a part of the document.

`arena compare` without names: the table of places.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

from arena.metrics.claims.board_claims import board_claims
from arena.metrics.pair_test import duel
from arena.metrics.rank_sets import league
from arena.scoring.table import Forecasts
from tests.cli.conftest import Played
from tests.cli.inside import Capsys, as_csv, here, strict, written
from tests.cli.project import days, project
from tests.metrics.rounds import equals, labelled, rounds
from tests.metrics.season import over_options, season

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
    assert done.out.startswith("Brier score, ada less cy: ")
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
        "A name is given if p, corrected for all pairs and all looks, is at most 0.05"
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


def test_who_is_better_or_worse_than_the_price_is_said_after_the_pairs(
    file: Path, capsys: Capsys
) -> None:
    lines = here(capsys, "score", file).out.splitlines()
    place = next(n for n, line in enumerate(lines) if "pairs are significantly" in line)
    assert lines[place + 1] == (
        "1 of 3 contestants are shown to be better or worse than the market's price at the "
        "decision (95 %): cy worse"
    )
    market = strict(here(capsys, "score", file, "--json"))["market"]
    expected = board_claims(FOUND, "brier").against
    assert expected is not None
    assert (market["standing"], market["words"][:11]) == ("exploratory", "exploratory")
    assert (market["level"], market["copies"]) == (0.95, [])
    for told, one in zip(market["tests"], expected.tests, strict=True):
        assert (told["contestant"], told["verdict"]) == (one.contestant, one.verdict)
        assert told["p_adjusted"] == pytest.approx(one.p_adjusted)
        assert told["p_anytime"] == pytest.approx(one.p_anytime)
        assert told["test"]["p"] == pytest.approx(one.test.p)


def test_of_many_who_differ_from_the_price_some_are_named(
    tmp_path: Path, capsys: Capsys
) -> None:
    rows = [f"c{c:02},x{n},{0.02 + 0.01 * (n % 3)},0.{4 + n % 2},{int(n % 30 == 3)}"
            for c in range(12) for n in range(60)]  # fmt: skip
    made = written(tmp_path, *rows, head="contestant,market,p,market_p,outcome")
    (line,) = [x for x in here(capsys, "score", made).out.splitlines() if "price at" in x]
    assert line.startswith("12 of 12 contestants are shown to be better or worse than")
    assert line.endswith(", c08 better, c09 better and 2 more")


@pytest.mark.parametrize("events", [2, 9])
def test_of_few_events_nobody_is_shown_to_differ_from_the_price(
    events: int, tmp_path: Path, capsys: Capsys
) -> None:
    rows = [
        f"{who},x{n},{p},0.5,0" for who, p in (("a", 0.01), ("b", 0.99)) for n in range(events)
    ]
    done = here(
        capsys, "score", written(tmp_path, *rows, head="contestant,market,p,market_p,outcome")
    )
    assert "0 of 2 contestants are shown to be better or worse" in done.out
    assert f"Too little evidence to rank anyone: {events} of 10 events." in done.out


def test_without_a_price_nothing_is_said_of_the_market(tmp_path: Path, capsys: Capsys) -> None:
    rows = [f"a,x{n},0.{n},{n % 2}" for n in range(1, 9)]
    made = written(tmp_path, *rows)
    assert "market's price" not in here(capsys, "score", made).out
    assert strict(here(capsys, "score", made, "--json"))["market"] is None


def test_the_test_of_a_sealed_arena_is_confirmatory_at_its_registered_level_only(
    tmp_path: Path,
) -> None:
    made = project(tmp_path / "arena")
    made.run("seal", "c")
    made.tick()
    made.tick(hours=days(60))
    standings = [
        made.run("score", "--json", *more).document["market"]
        for more in ((), ("--level", "0.9"), ("--probability", "kelly"))
    ]
    assert [market and market["standing"] for market in standings] == [
        "confirmatory",
        "exploratory",
        "exploratory",
    ]
    lines = made.run("score", "--rank-by", "log").out.splitlines()
    (line,) = [one for one in lines if "market's price at the decision" in one]
    assert line.endswith("; every cohort is sealed: the registered tests are confirmatory")
    assert lines[-1].startswith("exploratory: not the test that was registered")


def places(capsys: Capsys, folder: Path, whole: Forecasts, *more: str) -> dict[str, Any]:
    file = as_csv(whole, folder / "f.csv")
    document = strict(here(capsys, "compare", "--file", file, "--json", *more))
    found: dict[str, Any] = document["league"]
    return found


def small(events: int, contestants: int = 3) -> Forecasts:
    p, outcome = equals(np.random.default_rng(0), events, contestants)
    whole = rounds(p, outcome, market_p=np.full(events, 0.5))
    return labelled(whole, "topic", ["sun"] * contestants)


def test_places_are_those_of_the_arena_s_functions(tmp_path: Path, capsys: Capsys) -> None:
    found, expected = places(capsys, tmp_path, FOUND), league(FOUND, "brier")
    assert (found["metric"], found["questions"], found["events"], found["state"]) == (
        ("brier", expected.questions, expected.events, "ok")
    )
    for place, own in zip(found["places"], expected.places, strict=True):
        assert (place["name"], place["rank"]) == (own.name, own.rank)
        assert (place["rank_low"], place["rank_high"]) == (own.rank_low, own.rank_high)
        assert place["mean"] == pytest.approx(own.mean, abs=1e-12)
        assert place["first"] == pytest.approx(own.first)
        assert place["strength"] == pytest.approx(own.strength)
        assert place["mcs_p"] == own.mcs_p


def test_the_table_says_what_it_is_of(tmp_path: Path, capsys: Capsys) -> None:
    done = here(capsys, "compare", "--file", as_csv(FOUND, tmp_path / "f.csv"), "--all")
    expected = league(FOUND, "brier")
    lines = done.out.splitlines()
    head = next(n for n, line in enumerate(lines) if line.startswith("rank"))
    told = [line.split()[:2] for line in lines[head + 1 : head + 4]]
    assert told == [[str(p.rank), p.name] for p in expected.places]
    assert f"the {expected.questions} questions in {expected.events} events" in done.out


def test_metric_and_level_are_taken(tmp_path: Path, capsys: Capsys) -> None:
    found = places(capsys, tmp_path, FOUND, "--metric", "alpha", "--level", "0.5")
    assert (found["metric"], found["level"]) == ("alpha", 0.5)
    means = [place["mean"] for place in found["places"]]
    assert means == sorted(means, reverse=True)
    options = places(capsys, tmp_path, over_options(), "--metric", "rps")
    assert options["metric"] == "rps"


@pytest.mark.parametrize("events", [1, 2])
def test_too_few_events_are_said_to_be_too_few(
    events: int, tmp_path: Path, capsys: Capsys
) -> None:
    found = places(capsys, tmp_path, small(events))
    assert (found["places"], found["state"]) == ([], "not_estimable")
    done = here(capsys, "compare", "--file", tmp_path / "f.csv", "--all")
    assert done.code == 0
    assert "ranks are not given: too few events were forecast by all of them" in done.out


@pytest.mark.parametrize("contestants", [1, 101])
def test_nobody_or_too_many_are_not_ranked(
    contestants: int, tmp_path: Path, capsys: Capsys
) -> None:
    found = places(capsys, tmp_path, small(4, contestants))
    assert (found["places"], found["state"]) == ([], "too_few")
    done = here(capsys, "compare", "--file", tmp_path / "f.csv")
    assert "there are not between 2 and 100 contestants" in done.out
