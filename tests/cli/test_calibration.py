from pathlib import Path

import pytest

from arena.metrics.calibration import reliability
from tests.cli.conftest import Played
from tests.cli.inside import Capsys, as_csv, here, strict, written
from tests.metrics.season import season

FOUND = season(events=40)
FEW = ("--draws", "100")


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return as_csv(FOUND, tmp_path_factory.mktemp("calibration") / "f.csv")


def test_the_numbers_are_those_of_the_arena_s_functions(file: Path, capsys: Capsys) -> None:
    document = strict(here(capsys, "calibration", "ada", "--file", file, *FEW, "--json"))
    (found,) = document["contestants"]
    expected = reliability(FOUND, "ada", draws=100)
    assert document.keys() == {
        "schema_version", "where", "left_out", "standing", "words", "draws", "contestants"
    }  # fmt: skip
    assert (found["n"], found["events"], found["few"]) == (
        expected.n,
        expected.events,
        expected.few,
    )
    for key, one in expected.scores.items():
        assert found["scores"][key]["value"] == pytest.approx(one.value), key
    assert [b["n"] for b in found["bins"]] == [b.n for b in expected.bins]
    assert [b["frequency"] for b in found["curve"]] == pytest.approx(
        [block.frequency for block in expected.curve]
    )
    assert found["test"]["p"] == pytest.approx(expected.test.p)


def test_everybody_is_shown_in_turn(file: Path, capsys: Capsys) -> None:
    done = here(capsys, "calibration", "--file", file, *FEW)
    assert (done.code, done.err) == (0, "")
    for name in ("ada", "ben", "cy"):
        assert f"{name}: {len(FOUND.of(name))} forecasts of " in done.out
    names = strict(here(capsys, "calibration", "--file", file, *FEW, "--json"))["contestants"]
    assert [one["contestant"] for one in names] == ["ada", "ben", "cy"]


def test_what_lies_outside_its_band_is_said(tmp_path: Path, capsys: Capsys) -> None:
    made = written(tmp_path, *(f"a,x{n},0.9,{int(n < 3)}" for n in range(40)))
    done = here(capsys, "calibration", "--file", made, *FEW)
    assert "outside" in done.out
    assert "miscalibration beyond chance: p = 0.0" in done.out


@pytest.mark.parametrize(
    "rows",
    [
        ["a,x,0.5,1"],
        ["a,x,0.5,1", "a,y,0.5,0"],
        ["a,x,0,1", "a,y,1,0", "a,z,1,1"],
        [f"a,x{n},0,0" for n in range(25)],
        [f"a,x{n},{n}e-300,{n % 2}" for n in range(9)],
    ],
)
@pytest.mark.parametrize("level", ["1e-300", "0.999999999999999"])
def test_no_file_makes_a_number_that_json_has_no_word_for(
    rows: list[str], level: str, tmp_path: Path, capsys: Capsys
) -> None:
    made = written(tmp_path, *rows)
    done = here(capsys, "calibration", "--file", made, *FEW, "--level", level, "--json")
    assert (done.code, done.err) == (0, "")
    assert strict(done)["contestants"][0]["n"] == len(rows)
    assert here(capsys, "calibration", "--file", made, *FEW, "--level", level).code == 0


def test_hostile_names_are_printed_harmlessly(tmp_path: Path, capsys: Capsys) -> None:
    made = written(
        tmp_path, *(f'"\x1b[2Ja\nerror: forged",x{n},0.{n},{n % 2}' for n in range(1, 9))
    )
    done = here(capsys, "calibration", "--file", made, *FEW)
    assert done.out.startswith("[2Ja error: forged: 8 forecasts")
    assert "\x1b" not in done.out + done.err


def test_nothing_came_out_yet(tmp_path: Path, capsys: Capsys) -> None:
    made = written(tmp_path, "a,x,0.5,")
    done = here(capsys, "calibration", "--file", made)
    assert (done.code, done.out) == (0, "no forecast has resolved yet\n")
    document = strict(here(capsys, "calibration", "--file", made, "--json"))
    assert (document["contestants"], document["left_out"]) == ([], {"outcome_missing": 1})


def test_faulty_rows_exit_with_3(tmp_path: Path, capsys: Capsys) -> None:
    done = here(
        capsys, "calibration", "--file", written(tmp_path, "a,x,0.5,1", "a,y,2,1"), *FEW
    )
    assert done.code == 3
    assert done.err == (
        "warning: left out: 1 p out of range (first in line 3)\n"
        "  hint: a p is from 0 to 1, or has % behind it or in its heading\n"
    )


def test_who_is_not_there_is_answered_with_who_is(file: Path, capsys: Capsys) -> None:
    done = here(capsys, "calibration", "zoe", "--file", file)
    assert (done.code, done.out) == (2, "")
    assert "zoe has no resolved forecast\n  hint: there are: ada, ben, cy\n" in done.err


@pytest.mark.parametrize("words", [("--draws", "99"), ("--level", "nan"), ("--level", "2")])
def test_options_have_their_limits(words: tuple[str, ...], file: Path, capsys: Capsys) -> None:
    assert here(capsys, "calibration", "--file", file, *words).code == 2


def test_the_arena_s_own_forecasts_are_judged(demo: Played, capsys: Capsys) -> None:
    done = here(capsys, "calibration", "--database", demo.database, *FEW, "--json")
    assert done.code == 0
    assert strict(done)["standing"] == "exploratory"
