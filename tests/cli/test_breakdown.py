"""`arena score` with --by and --draws: groups, and other intervals."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.metrics.comparisons.groups import groups
from arena.metrics.resampled import FEWEST
from arena.metrics.scorecard import scorecard
from arena.scoring.table import Factor, Forecasts
from tests.cli.conftest import Played
from tests.cli.inside import as_csv, here, strict
from tests.cli.project import Project
from tests.docs.pages import page, tables
from tests.metrics.rounds import equals, labelled, rounds
from tests.metrics.season import season, shuffled
from tests.present import some

Capsys = pytest.CaptureFixture[str]

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
