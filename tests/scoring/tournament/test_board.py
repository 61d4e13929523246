from collections.abc import Sequence
from dataclasses import replace
from math import e, inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.scoring.tournament.board import (
    BITS,
    PUBLISHED,
    Horizon,
    RelativeScoreVariant,
    baseline_scores,
    community_likelihoods,
    median,
    options_of,
    periods,
    recency_weights,
    relative_scores,
    score_question,
    score_tournament,
    take,
    time_average,
    weighted_median,
)
from arena.scoring.tournament.prizes import Medal
from arena.scoring.tournament.records import (
    CROWDS,
    Coverage,
    Crowd,
    CrowdMedian,
    Period,
    QuestionKind,
    TimedForecast,
    Tournament,
    TournamentEntry,
    TournamentQuestion,
    TournamentResult,
    TournamentRule,
    Void,
)
from arena.scoring.tournament.standing import covering, panel_of, value_on
from tests.present import present
from tests.scoring.tournament.example import (
    KINDS,
    Days,
    example,
    histories,
    question,
    spread_of_days,
    yes_no,
)
from tests.vectors import near, source

GOOD = {"A": [0.9] * 4, "B": [0.6] * 4, "C": [0.2] * 4}


def named(found: TournamentResult, name: str) -> TournamentEntry:
    return next(entry for entry in found.entries if entry.name == name)


def of(
    rule: TournamentRule, *questions: TournamentQuestion, pool: float | None = 1000.0
) -> Tournament:
    return Tournament(questions, rule=rule, pool=pool)


def binary(
    *rows: TimedForecast, close: float = 1.0, outcome: int = 1, closed: float | None = None
) -> TournamentQuestion:
    """A yes/no question with these forecasts, from time 0 on."""
    return TournamentQuestion(
        "q", QuestionKind.BINARY, 0.0, close, outcome, rows, closed=closed
    )


def twins(count: int, weight: float = 1.0) -> tuple[TournamentQuestion, ...]:
    return tuple(replace(yes_no(GOOD), id=str(n), weight=weight) for n in range(count))


@pytest.mark.parametrize("rule", TournamentRule)
def test_every_set_of_rules_ranks_the_better_forecasts_first(rule: TournamentRule) -> None:
    found = score_tournament(of(rule, *twins(3)))
    assert [(e.rank, e.name) for e in found.entries] == [(1, "A"), (2, "B"), (3, "C")]


@pytest.mark.parametrize("rule", TournamentRule)
def test_the_weights_of_questions_count(rule: TournamentRule) -> None:
    halves = score_tournament(of(rule, *twins(4, weight=0.5)))
    wholes = score_tournament(of(rule, *twins(2)))
    assert named(halves, "A").total == pytest.approx(named(wholes, "A").total)
    assert named(halves, "A").coverage == pytest.approx(named(wholes, "A").coverage)


def test_questions_without_an_outcome_give_no_scores_and_are_named() -> None:
    (one,) = twins(1)
    void = (Void.ANNULLED, Void.AMBIGUOUS, Void.UNRESOLVED)
    left = [replace(one, id=why.value, outcome=why) for why in void]
    left.append(replace(one, id="weightless", weight=0.0))
    found = score_tournament(of(TournamentRule.Y2022, one, *left))
    assert found.left_out == {question.id: Void(question.id) for question in left}
    assert found.entries == score_tournament(of(TournamentRule.Y2022, *twins(1))).entries


def test_a_tournament_without_an_outcome_has_an_empty_leaderboard() -> None:
    asked = replace(twins(1)[0], outcome=Void.UNRESOLVED)
    found = score_tournament(of(TournamentRule.PEER, asked))
    assert (found.entries, found.absent) == ((), ("A", "B", "C"))


def test_a_question_without_forecasts_counts_for_coverage() -> None:
    nobody = TournamentQuestion("nobody", QuestionKind.BINARY, 0.0, 4.0, 1)
    found = score_tournament(of(TournamentRule.Y2022, *twins(1), nobody))
    assert named(found, "A").coverage == 0.5
    assert named(found, "A").completion == 0.5


def test_who_is_excluded_is_shown_and_not_paid() -> None:
    tournament = replace(of(TournamentRule.PEER, *twins(2)), excluded=frozenset({"A"}))
    found = score_tournament(tournament)
    a, b = found.entries[:2]
    assert (a.name, a.rank, a.included) == ("A", 1, False)
    assert (a.share, a.prize, a.medal) == (None, None, None)
    assert (b.name, b.rank, b.prize, b.medal) == ("B", 1, 1000.0, Medal.GOLD)


def test_global_rankings_pay_nobody() -> None:
    found = score_tournament(of(TournamentRule.PEER_GLOBAL, *twins(2)))
    first = found.entries[0]
    assert (first.take, first.share, first.prize) == (None, None, None)
    assert first.score == pytest.approx(first.total / 30)
    assert first.medal is Medal.GOLD


def test_before_2024_global_peer_scores_were_over_questions() -> None:
    first = score_tournament(of(TournamentRule.PEER_GLOBAL_BEFORE_2024, *twins(2))).entries[0]
    assert first.score == pytest.approx(first.total / 40)


def test_where_nobody_has_taken_anything_there_are_no_prizes() -> None:
    bad = yes_no({"A": [0.1] * 4, "B": [0.2] * 4})
    found = score_tournament(of(TournamentRule.BASELINE, bad))
    assert [(e.take, e.share, e.prize) for e in found.entries] == [(0.0, None, 0.0)] * 2


def test_without_a_pool_there_are_shares_and_no_prizes() -> None:
    first = score_tournament(of(TournamentRule.PEER, *twins(1), pool=None)).entries[0]
    assert first.share == pytest.approx(0.88357750)
    assert first.prize is None


def test_equal_forecasts_share_a_rank() -> None:
    tied = yes_no({"B": [0.6] * 4, "A": [0.6] * 4, "C": [0.2] * 4})
    found = score_tournament(of(TournamentRule.BASELINE, tied))
    assert [(e.rank, e.name) for e in found.entries] == [(1, "A"), (1, "B"), (3, "C")]


@pytest.mark.parametrize("rule", TournamentRule)
def test_aggregates_are_shown_and_neither_ranked_nor_paid(rule: TournamentRule) -> None:
    asked = of(rule, *twins(1))
    found = score_tournament(replace(asked, aggregates=CROWDS))
    ours = [entry for entry in found.entries if entry.included]
    others = [entry for entry in found.entries if not entry.included]
    assert {entry.name for entry in others} == {crowd.name for crowd in CROWDS}
    assert ours == list(score_tournament(asked).entries)


def test_of_two_forecasts_at_one_time_the_later_row_holds() -> None:
    panel = panel_of(binary(TimedForecast("A", 0.0, 0.2), TimedForecast("A", 0.0, 0.7)))
    assert panel.p.tolist() == [[0.7]]


def test_rows_may_come_in_any_order() -> None:
    asked = question("q1")
    turned = replace(asked, forecasts=asked.forecasts[::-1])
    one, other = score_question(example(), asked), score_question(example(), turned)
    assert dict(zip(one.names, one.scores, strict=True)) == pytest.approx(
        dict(zip(other.names, other.scores, strict=True))
    )


def test_a_question_without_an_outcome_says_so() -> None:
    with pytest.raises(ValueError, match="it is annulled"):
        value_on(replace(question("q1"), outcome=Void.ANNULLED), 0.5)


def test_a_panel_covers_the_scheduled_period() -> None:
    panel = panel_of(question("q3"))
    assert panel.cuts.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert panel.lasting.sum() == 4
    assert not panel.stands[:, -1].any()
    assert np.isnan(panel.p[:, -1]).all()


rows_ = st.lists(
    st.builds(
        TimedForecast,
        st.sampled_from("ABC"),
        st.floats(-1, 5).map(lambda at: round(at, 2)),
        st.none() | st.floats(0, 1),
    ),
    max_size=8,
)


@settings(max_examples=60)
@given(rows_, st.floats(0.5, 4), st.sampled_from(list(TournamentRule)))
def test_time_is_only_a_unit(
    rows: list[TimedForecast], closed: float, rule: TournamentRule
) -> None:
    asked = binary(*rows, close=4.0, closed=round(closed, 2))
    hours = replace(
        asked,
        close=96.0,
        closed=present(asked.closed) * 24,
        forecasts=tuple(replace(said, at=said.at * 24) for said in rows),
    )
    one, other = score_question(of(rule), asked), score_question(of(rule), hours)
    assert one.scores == pytest.approx(other.scores, abs=1e-9)
    assert one.coverage == pytest.approx(other.coverage, abs=1e-9)
    assert all(0 <= share <= 1 + 1e-12 for share in one.coverage)


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
    asked = binary(*rows, close=2.0)
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


PEER = Tournament((), rule=TournamentRule.PEER)
BASELINE = Tournament((), rule=TournamentRule.BASELINE)
WEEKS = 52
LATE: Days = {"A": [0.1] * 4, "B": [0.5] * 4, "C": [None, None, 0.9, 0.9]}


def test_a_peer_score_over_time_where_a_third_joins_at_half_time() -> None:
    held = source("meta.peer.time")
    told = held["input"]
    rows = (
        TimedForecast(str(n), start, p)
        for n, (p, start) in enumerate(zip(told["p"], told["start"], strict=True))
    )
    found = score_question(PEER, binary(*rows))
    says = {"score": found.scores, "coverage": found.coverage}
    assert near(says, held["expected"], held["tol"])


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
        panel = panel_of(binary(*rows, close=float(WEEKS), outcome=outcome, closed=closed))
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
    early, at_it = (
        binary(TimedForecast("A", at, 0.7), TimedForecast("B", 0.0, 0.5), close=4.0)
        for at in (-30.0, 0.0)
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
    asked = TournamentQuestion("q", QuestionKind.NUMERIC, 0.0, 1.0, outcome, rows, buckets=10)
    return replace(asked, open_below=True, open_above=True)


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


def test_meta_recency_weights() -> None:
    v = source("meta.recency_weights")
    three, five = (recency_weights(n).tolist() for n in v["input"]["N"])
    assert near({"w3": three, "w5": five}, v["expected"], v["tol"])


def test_up_to_two_forecasts_weigh_the_same() -> None:
    assert [recency_weights(n).tolist() for n in range(3)] == [[], [1], [1, 1]]


@given(
    values=st.lists(st.floats(-1, 1), min_size=1, max_size=12),
    times=st.lists(st.integers(0, 4), min_size=12, max_size=12),
)
def test_the_median_counts_a_value_as_often_as_its_weight_says(
    values: list[float], times: list[int]
) -> None:
    weights = [*times[: len(values) - 1], 1 + times[-1]]
    spelled = np.median(np.repeat(values, weights))
    assert weighted_median(values, weights).item() == pytest.approx(spelled, abs=1e-15)


def test_an_exact_tie_is_the_mean_of_both_neighbours() -> None:
    assert weighted_median([0.9, 0.1, 0.2], [0.3, 0.2, 0.1]).item() == pytest.approx(0.55)


@pytest.mark.parametrize(
    ("values", "weights", "why"),
    [
        ([], [], "needs values"),
        ([1.0], [1.0, 2.0], "a weight for each"),
        ([np.nan], [1.0], "a finite number"),
        ([1.0], [0.0], "some are positive"),
        ([1.0, 2.0], [-1.0, 2.0], "not negative"),
    ],
)
def test_there_is_no_median_of_nothing(
    values: list[float], weights: list[float], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        weighted_median(values, weights)


def test_a_community_has_forecasters() -> None:
    with pytest.raises(ValueError, match="no forecasts"):
        recency_weights(-1)


RULES = Tournament((), coverage=Coverage.GIVEN)
ONE = yes_no({"A": [None, 0.8, 0.8, None], "B": [0.4, 0.4, 0.4, 0.4]})


def test_weights_of_coverage_are_spread_over_their_days() -> None:
    asked = replace(ONE, coverage=spread_of_days((0.1, 0.2, 0.3, 0.4)))
    found = score_question(RULES, asked)
    assert found.coverage == pytest.approx((0.5, 1.0))


def test_a_part_of_a_period_has_a_part_of_its_weight() -> None:
    asked = replace(
        ONE, coverage=(Period(0.0, 4.0, 1.0),), forecasts=(TimedForecast("A", 1.5, 0.5),)
    )
    assert score_question(RULES, asked).coverage == pytest.approx((2.5 / 4,))


def test_an_early_close_does_not_scale_the_weights_up() -> None:
    asked = replace(ONE, coverage=spread_of_days((0.25,) * 4), closed=2.0)
    assert score_question(RULES, asked).coverage == pytest.approx((0.25, 0.5))


def test_without_a_hidden_period_there_is_no_coverage_of_it() -> None:
    with pytest.raises(ValueError, match="question rain: nothing says until when"):
        score_tournament(Tournament((ONE,), coverage=Coverage.HIDDEN))


def test_without_weights_there_is_no_coverage_by_them() -> None:
    with pytest.raises(ValueError, match="no weights of coverage"):
        periods(ONE, Coverage.GIVEN)


def test_scores_are_zero_before_the_first_forecast_and_after_a_withdrawal() -> None:
    asked = replace(ONE, community=(TimedForecast("", 0.0, 0.4),))
    found = score_question(Tournament(()), asked)
    assert [t.scores[0] for t in found.intervals] == pytest.approx([0, log(2), 0])


def test_where_nothing_is_known_of_the_community_a_forecast_is_the_community() -> None:
    asked = replace(ONE, community=(TimedForecast("", 2.0, 0.4), TimedForecast("", 3.0, None)))
    found = score_question(Tournament(()), asked)
    assert [t.community for t in found.intervals] == [None, None, 0.4, None]
    assert found.scores[0] == pytest.approx(log(2) / 4)


def test_certainty_is_confined() -> None:
    sure = (TimedForecast("A", 0.0, 0.0), TimedForecast("B", 0.0, 1.0))
    asked = replace(ONE, forecasts=sure, community=(TimedForecast("", 0.0, 0.5),))
    found = score_question(Tournament(()), asked)
    assert found.scores == pytest.approx((log(0.001 / 0.5), log(0.999 / 0.5)))


def test_who_is_alone_is_the_community() -> None:
    found = score_tournament(Tournament((yes_no({"A": [0.9] * 4}),), pool=100.0))
    assert (found.entries[0].score, found.entries[0].prize) == (0.0, 100.0)


def test_copying_the_median_is_paid_for_coverage_alone() -> None:
    found = score_tournament(replace(example(), aggregates=(Crowd(),)))
    copy = next(entry for entry in found.entries if not entry.included)
    assert (copy.score, copy.take) == (0.0, copy.coverage)


def test_the_code_of_the_platform_averages_until_the_early_close() -> None:
    closed = replace(question("q3"), community=(TimedForecast("", 0.0, 0.2),))
    rows = score_question(Tournament((), rule=TournamentRule.RELATIVE_LEGACY), closed)
    assert rows.scores[0] == pytest.approx(2 * log(0.3 / 0.2) / log(2) / 3)
    assert rows.coverage[0] == pytest.approx(2 / 3)


def test_the_code_of_the_platform_takes_the_recency_weighted_median() -> None:
    days: Days = {"A": [0.1] * 3, "B": [None, 0.3, 0.3], "C": [None, None, 0.9]}
    rows = score_question(
        Tournament((), rule=TournamentRule.RELATIVE_LEGACY), yes_no(days, days=3)
    ).intervals
    assert [t.community for t in rows] == pytest.approx([0.1, 0.2, 0.3])


def test_a_question_that_closed_as_it_opened_has_no_time_to_average_over() -> None:
    panel = panel_of(replace(ONE, closed=0.0))
    assert time_average(panel, np.ones(panel.p.shape), Horizon.ACTUAL).tolist() == [0, 0]
    assert not panel.stands.any()


def test_a_score_without_a_finite_take_is_refused() -> None:
    with pytest.raises(ValueError, match="no finite take"):
        take(1000.0, 1.0)


scores_ = st.floats(-5, 5)


@settings(max_examples=60)
@given(scores_, st.floats(0, 1), scores_)
def test_a_take_multiplies_where_scores_add(a: float, coverage: float, b: float) -> None:
    assert take(a + b, coverage) == pytest.approx(take(a, coverage) * e**b)


@settings(max_examples=60)
@given(st.lists(st.floats(0, 4), min_size=1, max_size=5))
def test_the_columns_of_a_panel_share_the_whole_weight(times: list[float]) -> None:
    asked = replace(ONE, forecasts=tuple(TimedForecast("A", at, 0.5) for at in times))
    weights = spread_of_days((0.4, 0.3, 0.2, 0.1))
    assert covering(panel_of(asked), weights).sum() == pytest.approx(1)


@settings(max_examples=40)
@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_each_question_score_is_best_expected_from_the_truth(
    truth: float, other: float, median: float
) -> None:
    def expected(p: float) -> float:
        total = 0.0
        for chance, outcome in ((truth, 1), (1 - truth, 0)):
            said, crowd = TimedForecast("A", 0.0, p), TimedForecast("", 0.0, median)
            asked = replace(ONE, outcome=outcome, forecasts=(said,), community=(crowd,))
            total += chance * score_question(Tournament(()), asked).scores[0]
        return total

    assert expected(truth) >= expected(other) - 1e-12
    assert expected(truth) < inf


NAMES = ("A", "B", "C", "bot")


def all_of(names: Sequence[str], values: Sequence[float]) -> dict[str, float]:
    """A number for everybody: the source has 0 for who did not forecast."""
    return dict.fromkeys(NAMES, 0.0) | dict(zip(names, values, strict=True))


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize(
    ("name", "vector"),
    [
        ("q1", "s003.q1.relative_log"),
        ("q2", "s003.q2.relative_log"),
        ("q3", "s003.q3.relative_log"),
    ],
)
def test_every_day_and_every_question_of_the_example(
    name: str, vector: str, *, given: bool
) -> None:
    held = source(vector)
    tournament = example(given=given)
    asked = question(name, given=given)
    found = score_question(tournament, asked)
    hidden = score_question(replace(tournament, coverage=Coverage.HIDDEN), asked)
    days = list(zip(*(day.scores for day in found.days), strict=True))
    told = {
        "daily": dict.fromkeys(NAMES, [0.0] * 4) | dict(zip(found.names, days, strict=True)),
        "question_score": all_of(found.names, found.scores),
        "coverage_all": all_of(found.names, found.coverage),
        "coverage_hidden": all_of(hidden.names, hidden.coverage),
    }
    assert near(told, held["expected"], held["tol"])


def takes(form: RelativeScoreVariant) -> dict[str, float]:
    """The takes of the example by a variant of the rules."""
    score, cover = dict.fromkeys(NAMES, 0.0), dict.fromkeys(NAMES, 0.0)
    for name in KINDS:
        asked = question(name)
        result = score_question(example(), asked)
        panel = panel_of(asked)
        middle = np.array([t.community for t in result.intervals], dtype=np.float64)
        scores = relative_scores(panel, panel.p, middle, form)
        means = time_average(panel, scores, form.horizon)
        parts = panel.stands @ covering(panel, periods(asked, Coverage.ALL))
        for f, who in enumerate(panel.forecasters):
            score[who] += means[f]
            cover[who] += parts[f] / len(KINDS)
    return {who: take(score[who], cover[who], form) for who in NAMES}


def test_the_base_changes_nothing_if_the_take_changes_with_it() -> None:
    assert near(takes(PUBLISHED), takes(BITS), 1e-12)
