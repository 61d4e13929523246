import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arena.cli.scores.power import power


def run(*words: str) -> Result:
    return CliRunner().invoke(power, words)


def document(*words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*words, "--json").output)
    return found


def test_the_answer_comes_first_and_its_assumptions_after_it() -> None:
    done = run("--effect", "0.02")
    first, *others = done.output.splitlines()
    assert done.exit_code == 0
    assert first == "393 resolved events are needed to show a difference of 0.02."
    assert any(line.startswith("Assumed: ") for line in others)
    assert any("rule of thumb" in line for line in others)


def test_one_side_and_a_given_spread_give_the_published_350() -> None:
    asked = ("--effect", "0.02", "--sides", "1", "--sigma", "0.15")
    said = document(*asked)["power"]
    assert (said["events"], said["student"], said["sigma"]) == (348, 350, 0.15)
    assert "in the named direction" in run(*asked).output
    assert "0.15, as given" in run(*asked).output


def test_a_given_number_of_events_is_told_its_power_and_its_reach() -> None:
    asked = ("--effect", "0.02", "--n", "100")
    said = document(*asked)["power"]
    assert said["at_n"] == pytest.approx(0.2926, abs=1e-3)
    assert said["least_at_n"] == pytest.approx(0.0785, abs=1e-3)
    assert "With 100 events it is found 29% of the time" in run(*asked).output


def test_questions_whose_answer_is_nearly_known_need_fewer() -> None:
    asked = ("--effect", "0.02", "--chance", "0.1")
    said = document(*asked)
    assert (said["schema_version"], said["chance"]) == (1, 0.1)
    assert said["power"]["events"] == 142
    assert (
        "a forecaster who is right about questions of probability 0.1, where the price is 14.1 "
        "points away" in run(*asked).output
    )


@pytest.mark.parametrize(("effect", "chance"), [("0.2501", "0.5"), ("0.5", "0.4")])
def test_a_difference_that_no_price_is_far_enough_away_for_is_refused(
    effect: str, chance: str
) -> None:
    done = run("--effect", effect, "--chance", chance)
    assert done.exit_code == 2
    assert f"a difference of {effect} is out of reach" in done.output


@pytest.mark.parametrize(("effect", "chance"), [("0.25", "0.5"), ("0.36", "0.4")])
def test_a_price_of_nothing_or_of_certainty_is_within_reach(effect: str, chance: str) -> None:
    assert run("--effect", effect, "--chance", chance).exit_code == 0


def test_so_few_events_that_nothing_possible_shows_are_told_so() -> None:
    asked = ("--effect", "0.02", "--n", "10")
    assert document(*asked)["power"]["least_at_n"] is None
    assert "no difference that there can be is found 80% of the time" in run(*asked).output


@pytest.mark.parametrize("option", ["effect", "power", "alpha", "sigma", "chance", "icc"])
def test_what_is_no_number_is_refused_plainly(option: str) -> None:
    done = run("--effect", "0.02", f"--{option}", "nan")
    assert done.exit_code == 2
    assert "nan is not a finite number" in done.output


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--effect", "0"),
        ("--effect", "2"),
        ("--effect", "0.02", "--power", "1"),
        ("--effect", "0.02", "--power", "0.04"),
        ("--effect", "0.02", "--sides", "3"),
        ("--effect", "0.02", "--sigma", "0.1", "--chance", "0.5"),
        ("--effect", "0.02", "--events-size", "0.5"),
        ("--effect", "0.02", "--icc", "2"),
        ("--effect", "0.02", "--n", "0"),
        ("--effect", "1e-9", "--sigma", "1"),
        ("--effect", "inf"),
    ],
)
def test_what_no_test_can_show_is_refused_in_words(words: tuple[str, ...]) -> None:
    done = run(*words)
    assert done.exit_code == 2
    assert "Error: " in done.output
    assert isinstance(done.exception, SystemExit)
