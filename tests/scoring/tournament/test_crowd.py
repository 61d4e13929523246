from dataclasses import replace

import numpy as np
import pytest

from arena.scoring.tournament.board import community_likelihoods, median
from arena.scoring.tournament.records import (
    CROWDS,
    Crowd,
    CrowdMedian,
    QuestionKind,
    TimedForecast,
    TournamentQuestion,
)
from arena.scoring.tournament.standing import panel_of
from tests.scoring.tournament.example import Days, question, yes_no

DAYS: Days = {"A": [0.1, 0.1, 0.1], "B": [None, 0.3, 0.3], "C": [None, None, 0.9]}
WHOLE = Crowd(CrowdMedian.FORECASTS)


def middle(asked: TournamentQuestion, crowd: Crowd, *, without: str = "") -> list[float]:
    panel = panel_of(asked)
    counted = np.array([name != without for name in panel.forecasters])
    return [float(x) for x in median(panel, crowd, counted)]


@pytest.mark.parametrize("outcome", [0, 1])
@pytest.mark.parametrize("recent", [False, True])
def test_of_yes_no_forecasts_both_medians_are_one(outcome: int, *, recent: bool) -> None:
    asked = yes_no(DAYS, days=3, outcome=outcome)
    values = middle(asked, Crowd(CrowdMedian.VALUES, recent))
    assert values == pytest.approx(middle(asked, Crowd(CrowdMedian.FORECASTS, recent)))


def test_an_even_number_has_the_mean_of_the_middle_two() -> None:
    assert middle(yes_no(DAYS, days=3), Crowd())[1] == pytest.approx(0.2)


def test_newer_forecasts_weigh_more() -> None:
    days: Days = {
        "A": [0.1] * 5,
        "B": [0.2] * 5,
        "C": [0.3] * 5,
        "D": [None, 0.9, 0.9, 0.9, 0.9],
    }
    asked = yes_no(days, days=5)
    assert middle(asked, Crowd())[1] == pytest.approx(0.25)
    assert middle(asked, Crowd(recent=True))[1] == pytest.approx(0.3)


def test_a_forecast_that_is_made_again_is_new() -> None:
    rows = (
        TimedForecast("A", 0.0, 0.9),
        TimedForecast("B", 0.1, 0.2),
        TimedForecast("C", 0.2, 0.1),
        TimedForecast("A", 1.0, 0.9),
    )
    asked = TournamentQuestion("q", QuestionKind.BINARY, 0.0, 2.0, 1, rows)
    assert middle(asked, Crowd(recent=True))[-2:] == pytest.approx([0.2, 0.2])
    again = replace(asked, forecasts=(*rows, TimedForecast("D", 1.5, 0.9)))
    assert middle(again, Crowd(recent=True))[-1] == pytest.approx(0.9)


def test_whoever_is_not_counted_is_not_in_the_median() -> None:
    assert middle(yes_no(DAYS, days=3), Crowd(), without="C")[2] == pytest.approx(0.2)


def test_where_nobody_stands_there_is_no_median() -> None:
    assert np.isnan(middle(yes_no({"A": [None, 0.5]}, days=2), Crowd())[0])


def cdfs() -> TournamentQuestion:
    rows = (
        TimedForecast("A", 0.0, (0.0, 0.8, 0.9, 1.0)),
        TimedForecast("B", 0.0, (0.0, 0.1, 0.2, 1.0)),
        TimedForecast("C", 0.0, (0.0, 0.3, 0.6, 1.0)),
    )
    return TournamentQuestion("q", QuestionKind.NUMERIC, 0.0, 1.0, 2, rows, buckets=3)


def test_the_median_of_heights_is_not_the_height_of_the_median() -> None:
    assert middle(cdfs(), Crowd()) == pytest.approx([0.1])
    assert middle(cdfs(), WHOLE) == pytest.approx([0.3])


def test_medians_of_options_are_scaled_to_sum_to_one() -> None:
    rows = (
        TimedForecast("A", 0.0, (0.8, 0.1, 0.1)),
        TimedForecast("B", 0.0, (0.1, 0.8, 0.1)),
        TimedForecast("C", 0.0, (0.2, 0.2, 0.6)),
    )
    asked = TournamentQuestion("q", QuestionKind.MULTIPLE_CHOICE, 0.0, 1.0, 0, rows, options=3)
    assert middle(asked, Crowd()) == pytest.approx([0.2])
    assert middle(asked, WHOLE) == pytest.approx([0.2 / (0.2 + 0.2 + 0.1)])


def test_an_option_nobody_had_yet_is_read_as_other() -> None:
    rows = (TimedForecast("A", 0.0, (0.3, float("nan"), 0.7)),)
    asked = TournamentQuestion("q", QuestionKind.MULTIPLE_CHOICE, 0.0, 1.0, 1, rows, options=3)
    assert middle(asked, WHOLE) == pytest.approx([0.7])


def test_heights_alone_have_no_median_of_whole_forecasts() -> None:
    with pytest.raises(ValueError, match="whole forecasts"):
        middle(question("q2"), WHOLE)


def test_the_record_of_the_community_ends_with_the_question() -> None:
    asked = replace(yes_no(DAYS, days=3), community=(TimedForecast("", 1.0, 0.4),), closed=2.0)
    found = community_likelihoods(panel_of(asked))
    assert np.isnan(found).tolist() == [True, False, True]
    assert found[1] == 0.4


def test_each_kind_of_median_has_words_of_its_own() -> None:
    assert len({crowd.words for crowd in CROWDS}) == 4
