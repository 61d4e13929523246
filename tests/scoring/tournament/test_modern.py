from dataclasses import replace
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.scoring.tournament.board import (
    baseline_scores,
    options_of,
    score_question,
    score_tournament,
)
from arena.scoring.tournament.legacy import Horizon, time_average
from arena.scoring.tournament.records import (
    Crowd,
    QuestionKind,
    TimedForecast,
    Tournament,
    TournamentQuestion,
    TournamentRule,
)
from arena.scoring.tournament.standing import panel_of
from tests.scoring.tournament.example import Days, histories, yes_no
from tests.vectors import near, source

PEER = Tournament((), rule=TournamentRule.PEER)
BASELINE = Tournament((), rule=TournamentRule.BASELINE)
WEEKS = 52
LATE: Days = {"A": [0.1] * 4, "B": [0.5] * 4, "C": [None, None, 0.9, 0.9]}


def test_a_peer_score_over_time_where_a_third_joins_at_half_time() -> None:
    held = source("meta.peer.time")
    told = held["input"]
    rows = tuple(
        TimedForecast(str(n), start, p)
        for n, (p, start) in enumerate(zip(told["p"], told["start"], strict=True))
    )
    found = score_question(
        PEER, TournamentQuestion("q", QuestionKind.BINARY, 0.0, 1.0, 1, rows)
    )
    assert near(
        {"score": found.scores, "coverage": found.coverage}, held["expected"], held["tol"]
    )


def test_a_baseline_score_is_averaged_over_all_days() -> None:
    held = source("meta.baseline.time_average")
    found = score_question(BASELINE, yes_no({"A": held["input"]["daily"]}, days=5))
    told = {"daily_score": [d.scores[0] for d in found.days], "average": found.scores[0]}
    assert near(told, held["expected"], held["tol"])
    assert found.coverage == (0.8,)


def expected_score(first_week: float, horizon: Horizon) -> float:
    """What a forecaster expects who says this in the first week, and then what is true.

    With a chance of 20% it happens in the first week, and the question closes; else it
    happens with 5% by the end of the year. From the second week on the forecast is 5%.
    """
    rows = (TimedForecast("A", 0.0, first_week), TimedForecast("A", 1.0, 0.05))
    ends = ((0.20, 1, 1.0), (0.80 * 0.05, 1, float(WEEKS)), (0.80 * 0.95, 0, float(WEEKS)))
    expected = 0.0
    for chance, outcome, closed in ends:
        asked = TournamentQuestion(
            "q", QuestionKind.BINARY, 0.0, float(WEEKS), outcome, rows, closed=closed
        )
        panel = panel_of(asked)
        scores = baseline_scores(panel, panel.p, options_of(panel))
        expected += chance * float(time_average(panel, scores, horizon)[0])
    return expected


def test_without_truncation_it_pays_to_say_what_one_does_not_believe() -> None:
    held = source("meta.trunc")
    told = {
        f"{who}_{how}": expected_score(p, horizon)
        for who, p in (("honest", 0.24), ("game", 0.99))
        for how, horizon in (("no_trunc", Horizon.ACTUAL), ("trunc", Horizon.SCHEDULED))
    }
    assert near(told, held["expected"], held["tol"])
    assert told["game_no_trunc"] > told["honest_no_trunc"]
    assert told["game_trunc"] < told["honest_trunc"]


def test_an_early_close_leaves_the_rest_at_nothing() -> None:
    whole = yes_no({"A": [0.9] * 10}, days=10)
    found = score_question(BASELINE, replace(whole, closed=5.0))
    assert found.coverage == (0.5,)
    assert found.scores[0] == pytest.approx(84.79969066 / 2)


def test_a_forecast_after_the_close_never_stands() -> None:
    late = yes_no({"A": [None] * 5 + [0.9] * 5}, days=10)
    found = score_tournament(replace(BASELINE, questions=(replace(late, closed=5.0),)))
    assert (found.entries, found.absent) == ((), ("A",))


def test_a_forecast_before_the_opening_is_as_good_as_one_at_it() -> None:
    early = TournamentQuestion(
        "q",
        QuestionKind.BINARY,
        0.0,
        4.0,
        1,
        (TimedForecast("A", -30.0, 0.7), TimedForecast("B", 0.0, 0.5)),
    )
    at_it = replace(
        early, forecasts=(TimedForecast("A", 0.0, 0.7), TimedForecast("B", 0.0, 0.5))
    )
    assert score_question(PEER, early) == score_question(PEER, at_it)


def test_one_alone_has_no_peers() -> None:
    found = score_question(PEER, yes_no({"A": [0.9] * 4}))
    assert (found.scores, found.coverage) == ((0.0,), (1.0,))


def test_whoever_is_not_counted_changes_nobody_else() -> None:
    alone = score_question(PEER, yes_no(LATE))
    with_bot: Days = {**LATE, "bot": [0.99] * 4}
    found = score_question(replace(PEER, uncounted=frozenset({"bot"})), yes_no(with_bot))
    assert found.scores[:3] == pytest.approx(alone.scores)
    first = 100 * 2 / 1 * (log(0.99) - (log(0.1) + log(0.5)) / 2)
    assert found.intervals[0].scores[3] == pytest.approx(first)


def test_an_aggregate_is_scored_with_the_factor_of_a_forecaster() -> None:
    found = score_question(replace(PEER, aggregates=(Crowd(),)), yes_no(LATE))
    first = 100 * 2 / 1 * (log(0.3) - (log(0.1) + log(0.5)) / 2)
    assert found.names[-1] == "community (median)"
    assert found.intervals[0].scores[-1] == pytest.approx(first)


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ({"spot": 1.5}, 1.5),
        ({"reveal": 2.0}, 2.0),
        ({"reveal": 0.0}, 4.0),
        ({"closed": 3.0}, 3.0),
        ({"spot": 3.5, "closed": 3.0}, 3.0),
        ({"spot": 1.0, "reveal": 2.0}, 1.0),
    ],
)
def test_a_spot_score_looks_once(times: dict[str, float], expected: float) -> None:
    assert replace(yes_no(LATE), **times).spot_time == expected  # type: ignore[arg-type]


def test_who_stands_at_the_time_of_the_spot_score_has_full_coverage() -> None:
    asked = replace(yes_no(LATE), spot=1.0)
    found = score_question(replace(PEER, rule=TournamentRule.SPOT_PEER), asked)
    assert found.coverage == (1.0, 1.0, 0.0)
    assert found.scores == pytest.approx((100 * log(0.2), -100 * log(0.2), 0.0))
    base = score_question(replace(PEER, rule=TournamentRule.SPOT_BASELINE), asked)
    assert base.scores[1] == pytest.approx(0)
    assert base.days == ()


def test_an_option_that_did_not_exist_yet_is_read_as_other() -> None:
    nan = float("nan")
    days: Days = {"A": [(0.5, nan, 0.5)] * 2, "B": [(0.25, 0.25, 0.5)] * 2}
    asked = TournamentQuestion(
        "q", QuestionKind.MULTIPLE_CHOICE, 0.0, 2.0, 1, histories(days), options=3
    )
    found = score_question(BASELINE, asked)
    assert found.scores[0] == pytest.approx(100 * log(2 * 0.5) / log(2))
    assert found.scores[1] == pytest.approx(100 * log(3 * 0.25) / log(3))


CDF = tuple(np.linspace(0.05, 0.95, 11).tolist())


def numeric(outcome: int) -> TournamentQuestion:
    rows = (TimedForecast("flat", 0.0, CDF),)
    return TournamentQuestion(
        "q",
        QuestionKind.NUMERIC,
        0.0,
        1.0,
        outcome,
        rows,
        buckets=10,
        open_below=True,
        open_above=True,
    )


@pytest.mark.parametrize("outcome", [0, 1, 10, 11])
def test_a_flat_distribution_has_a_baseline_of_nothing(outcome: int) -> None:
    assert score_question(BASELINE, numeric(outcome)).scores[0] == pytest.approx(0)


def test_a_bucket_that_was_given_nothing_has_its_floor() -> None:
    sure = (0.0, *[1.0] * 10)
    asked = replace(numeric(5), forecasts=(TimedForecast("sure", 0.0, sure),))
    found = score_question(BASELINE, asked)
    assert found.scores[0] == pytest.approx(50 * log(0.01 / 10 / (0.9 / 10)))


histories_ = st.lists(
    st.lists(st.none() | st.floats(0, 1), min_size=4, max_size=4), min_size=1, max_size=4
)


@settings(max_examples=60)
@given(histories_, st.integers(0, 1), st.integers(1, 4))
def test_peer_scores_sum_to_nothing_at_every_time(
    days: list[list[float | None]], outcome: int, closed: int
) -> None:
    by_day = {str(n): history for n, history in enumerate(days)}
    asked = replace(yes_no(by_day, outcome=outcome), closed=float(closed))
    found = score_question(PEER, asked)
    assert all(sum(t.scores) == pytest.approx(0, abs=1e-9) for t in found.intervals)


@settings(max_examples=60)
@given(histories_, st.integers(0, 1), st.integers(1, 4))
def test_scores_over_time_are_those_of_each_day_added_up(
    days: list[list[float | None]], outcome: int, closed: int
) -> None:
    by_day = {str(n): history for n, history in enumerate(days)}
    found = score_question(PEER, replace(yes_no(by_day, outcome=outcome), closed=float(closed)))
    for f, name in enumerate(found.names):
        total = sum(peer_of_day(by_day, name, day, outcome) for day in range(closed)) / 4
        assert found.scores[f] == pytest.approx(total, abs=1e-9)


def peer_of_day(
    by_day: dict[str, list[float | None]], name: str, day: int, outcome: int
) -> float:
    """The peer score of one day by its definition, one forecaster after another."""
    logs = {
        who: log(min(max(p if outcome else 1 - p, 0.001), 0.999))
        for who, history in by_day.items()
        if (p := history[day]) is not None
    }
    others = [score for who, score in logs.items() if who != name]
    if name not in logs or not others:
        return 0.0
    return 100 * (logs[name] - sum(others) / len(others))
