"""`arena compare` without names: the table of places."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.metrics.comparisons.rank_sets import league
from arena.scoring.table import Forecasts
from tests.cli.inside import as_csv, here, strict
from tests.metrics.rounds import equals, labelled, rounds
from tests.metrics.season import over_options, season

Capsys = pytest.CaptureFixture[str]

FOUND = season(events=60)


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
