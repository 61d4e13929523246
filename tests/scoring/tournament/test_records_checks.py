from collections.abc import Callable
from dataclasses import replace
from math import inf, nan
from typing import Any

import pytest

from arena.scoring.tournament.records import (
    Crowd,
    Period,
    QuestionKind,
    TimedForecast,
    Tournament,
    TournamentQuestion,
    Value,
    Void,
    bucket_of,
    check_question,
    check_tournament,
    check_value,
)
from tests.scoring.tournament.example import example, spread_of_days, yes_no

RAIN = yes_no({"A": [0.5] * 4})
OPTIONS = TournamentQuestion("o", QuestionKind.MULTIPLE_CHOICE, 0.0, 1.0, 0, options=3)
NUMBER = TournamentQuestion("n", QuestionKind.NUMERIC, 0.0, 1.0, 1, buckets=2, open_above=True)
HEIGHT = TournamentQuestion("h", QuestionKind.DENSITY, 0.0, 1.0, 0)


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        (RAIN, 0.0),
        (RAIN, 1.0),
        (HEIGHT, 0.0),
        (HEIGHT, 35.0),
        (OPTIONS, (0.2, 0.3, 0.5)),
        (OPTIONS, (0.2, nan, 0.8)),
        (OPTIONS, (0.2, 0.3, 0.5 + 9e-7)),
        (NUMBER, (0.0, 0.5, 0.9)),
        (NUMBER, (0.0, 0.5, 1.0)),
    ],
)
def test_what_fits_is_let_pass(asked: TournamentQuestion, value: Value) -> None:
    check_value(asked, value)


@pytest.mark.parametrize(
    ("asked", "value", "why"),
    [
        (RAIN, 1.2, "a probability in"),
        (RAIN, nan, "a probability in"),
        (RAIN, (0.5, 0.5), "one number"),
        (HEIGHT, -0.1, "a density"),
        (HEIGHT, inf, "a density"),
        (OPTIONS, 0.5, "a list of numbers"),
        (OPTIONS, (0.5, 0.5), "3 options, not 2"),
        (OPTIONS, (0.5, 0.5, 0.5), "sum to 1, not to 1.5"),
        (OPTIONS, (0.5, 0.5, nan), "it is Other"),
        (OPTIONS, (nan, nan, 1.0), "did not exist"),
        (OPTIONS, (1.5, -0.5, 0.0), "in \\[0, 1\\]"),
        (NUMBER, (0.0, 1.0), "3 edges, not 2"),
        (NUMBER, (0.0, 0.6, 0.5), "does not fall"),
        (NUMBER, (0.0, nan, 1.0), "lies in"),
        (NUMBER, (0.1, 0.5, 1.0), "closed bound"),
    ],
)
def test_what_does_not_fit_is_refused(
    asked: TournamentQuestion, value: Value, why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        check_value(asked, value)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"close": 0.0}, "closes after it opens"),
        ({"close": nan}, "a finite number"),
        ({"closed": -1.0}, "closed before it opened"),
        ({"hidden_until": 0.0}, "the hidden period"),
        ({"hidden_until": 5.0}, "the hidden period"),
        ({"spot": -1.0}, "spot score"),
        ({"weight": -1.0}, "a weight"),
        ({"floor": 0.0}, "smallest density"),
        ({"options": 1}, "at least two options"),
        ({"outcome": 2}, "no outcome number 2"),
        ({"coverage": spread_of_days((0.5,))}, "sum to 1"),
        ({"coverage": (Period(3.0, 5.0, 1.0),)}, "a period of the question"),
        ({"forecasts": (TimedForecast("A", nan, 0.5),)}, "forecast 1 \\(A\\): a time"),
        ({"forecasts": (TimedForecast("A", 0.0, 2.0),)}, "forecast 1 \\(A\\): the forecast is"),
        ({"community": (TimedForecast("", 0.0, -1.0),)}, "community forecast 1: "),
    ],
)
def test_a_question_that_cannot_be_is_refused(change: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        check_question(replace(RAIN, **change))


def test_nothing_comes_true_beyond_a_closed_bound() -> None:
    check_question(replace(NUMBER, outcome=3))
    with pytest.raises(ValueError, match="closed bound"):
        check_question(replace(NUMBER, outcome=0))


def test_a_question_without_an_outcome_is_fine() -> None:
    check_question(replace(RAIN, outcome=Void.ANNULLED))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda t: replace(t, questions=t.questions * 2), "question q1: two questions"),
        (lambda t: replace(t, pool=-1.0), "the pool"),
        (lambda t: replace(t, minimum_prize=inf), "the minimum prize"),
        (lambda t: replace(t, excluded=frozenset({"nobody"})), "is called nobody"),
        (lambda t: replace(t, aggregates=(Crowd(), Crowd())), "named twice"),
        (
            lambda t: replace(
                t, aggregates=(Crowd(),), questions=(yes_no({"community (median)": [0.5] * 4}),)
            ),
            "the name of an aggregate",
        ),
    ],
)
def test_a_tournament_that_cannot_be_is_refused(
    change: Callable[[Tournament], Tournament], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        check_tournament(change(example()))


def test_an_edge_belongs_to_the_bucket_below_it() -> None:
    found = [bucket_of(x, 0.0, 1.0, buckets=4) for x in (-0.1, 0, 0.25, 0.26, 0.75, 1, 1.1)]
    assert found == [0, 1, 1, 2, 3, 4, 5]


def test_a_zero_point_makes_the_scale_logarithmic() -> None:
    found = [bucket_of(x, 1, 1000, buckets=3, zero_point=0) for x in (9.9, 10.1, 99, 101)]
    assert found == [1, 2, 2, 3]


@pytest.mark.parametrize(
    ("low", "high", "buckets", "zero"),
    [(1, 1, 3, None), (0, 1, 0, None), (0, nan, 3, None), (0, 1, 3, 0.5)],
)
def test_a_range_that_is_none_is_refused(
    low: float, high: float, buckets: int, zero: float | None
) -> None:
    with pytest.raises(ValueError, match=r"(a|the) range"):
        bucket_of(0.5, low, high, buckets=buckets, zero_point=zero)
