import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import arena
from arena.errors import ArenaError
from tests.cli.conftest import Played
from tests.cli.inside import Capsys, here, strict
from tests.docs.pages import ROOT
from tests.present import present

FILE = ROOT / "docs" / "examples" / "forecasts.csv"


def test_importing_the_package_loads_no_library() -> None:
    script = (
        "import sys; before = set(sys.modules); import arena; "
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)  # noqa: S603  our own
    assert done.stdout.decode().strip() == "['arena']"


def test_a_name_that_is_not_there_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = arena.nothing  # type: ignore[attr-defined]


@pytest.mark.parametrize("of", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_a_table_of_any_library_is_scored_as_its_file(
    of: Callable[[object], Any], capsys: Capsys
) -> None:
    document = arena.score(of(pd.read_csv(FILE)), by="event").document()
    printed = strict(here(capsys, "score", FILE, "--by", "event", "--json"))
    printed.pop("schema_version")
    assert isinstance(document, dict)
    assert {**document, "where": ""} == {**printed, "where": ""}


def test_a_frame_of_scores_has_a_row_a_contestant_and_the_ranks_left_open() -> None:
    scores = arena.score(FILE, metrics=["brier"])
    frame = scores.frame()
    assert frame["contestant"].tolist() == [line.name for line in scores.report.card.lines]
    first = scores.report.card.lines[0].scores["brier"]
    assert frame["brier"][0] == first.value
    assert first.interval is not None
    assert frame["brier_high"][0] == first.interval.high
    contest = present(scores.report.claims.contest)
    assert frame["rank_low"].tolist() == [contest.ranks[w][0] for w in frame["contestant"]]


def test_a_comparison_is_that_of_the_command(capsys: Capsys) -> None:
    pair = arena.compare(FILE, "ada", "ben")
    printed = strict(here(capsys, "compare", "ada", "ben", "--file", FILE, "--json"))
    assert printed["comparison"]["estimate"]["value"] == pair.estimate.value
    every = present(arena.compare([FILE]).contest)
    assert len(every.claims) == 1
    with pytest.raises(ValueError, match="two contestants, or none"):
        arena.compare(FILE, "ada")  # type: ignore[call-overload]


def test_calibration_is_of_everybody_or_of_one() -> None:
    assert [curve.contestant for curve in arena.calibration(FILE, draws=100)] == ["ada", "ben"]
    with pytest.raises(ArenaError, match="nobody-such has no resolved forecast"):
        arena.calibration(FILE, "nobody-such")


def test_power_refuses_two_ways_to_say_one_thing() -> None:
    assert arena.power(0.02).events == 393
    with pytest.raises(ValueError, match="two ways"):
        arena.power(0.02, sigma=0.1, chance=0.5)


@pytest.mark.parametrize("effect", [-1, 0, float("nan"), float("inf")])
@pytest.mark.parametrize("sigma", [None, 0.1])
def test_power_refuses_a_difference_that_nobody_has(effect: float, sigma: float | None) -> None:
    with pytest.raises(ValueError, match=str(effect)):
        arena.power(effect, sigma=sigma)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (7, "no int"),
        ([1, 2], "no list of int"),
        ([pd.DataFrame()], "no list of DataFrame"),
        (b"forecasts.csv", "no bytes of int"),
        ([], "no empty list"),
        ((), "no empty tuple"),
    ],
)
def test_what_is_no_table_is_refused(given: Any, words: str) -> None:  # noqa: ANN401  anything
    with pytest.raises(ArenaError, match=f"forecasts are {words}$") as refused:
        arena.score(given)
    assert refused.value.hint.startswith("give a table")


def test_a_lazy_frame_is_to_be_collected_first() -> None:
    with pytest.raises(ArenaError, match=r"no LazyFrame: call its \.collect\(\) first"):
        arena.score(pl.scan_csv(FILE))  # type: ignore[arg-type]


def test_an_arena_is_scored_by_its_own_rule(demo: Played, capsys: Capsys) -> None:
    own = arena.Arena.open(demo.folder)
    printed = strict(here(capsys, "score", "--database", demo.database, "--json"))
    printed.pop("schema_version")
    assert arena.score(own).document() == printed


def test_the_tables_of_an_arena_are_frames_that_polars_takes(demo: Played) -> None:
    own = arena.Arena.open(demo.database)
    for frame in (own.standings(), own.forecasts(), own.fills(), own.marks()):
        assert len(frame) == len(pl.DataFrame(frame)) > 0
    assert str(own.marks()["at"].dtype) == "datetime64[us, UTC]"
    assert own.fills()["cost"].dtype == "float64"


def test_an_arena_without_a_database_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="there is no database"):
        arena.Arena.open(tmp_path)
