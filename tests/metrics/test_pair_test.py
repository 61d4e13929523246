import math
from dataclasses import replace

import numpy as np
import pytest

from arena.errors import ArenaError
from arena.metrics.claims.board_claims import board_claims
from arena.metrics.metric_values import computable, is_mean
from arena.metrics.pair_test import Duel, duel
from arena.metrics.registry import PAIRED
from arena.records.estimate import State
from arena.scoring.table import Factor, Forecasts
from tests.metrics.season import frame, over_options, season, timeless, twice
from tests.present import present, some
from tests.stats.intervals import ends

FOUND = season(events=60)
OTHER_TESTS = (
    "cluster t, CR1",
    "sign-flip over events",
    "Diebold-Mariano, prewhitened periodogram",
    "Diebold-Mariano, equal-weighted cosine",
    "Diebold-Mariano",
    "Diebold-Mariano, bandwidth as horizon",
    "naive Z",
)


def fought(
    found: Forecasts = FOUND, one: str = "ada", other: str = "cy", key: str = "brier"
) -> Duel:
    return duel(found, (one, other), key)


def refusal(found: Forecasts, one: str, other: str, key: str = "brier") -> ArenaError:
    with pytest.raises(ArenaError) as refused:
        duel(found, (one, other), key)
    assert refused.value.status == 2
    return refused.value


def test_the_estimate_is_the_mean_difference_on_common_questions() -> None:
    rows = frame(FOUND)
    rows["loss"] = (rows.p - rows.o) ** 2
    wide = rows.pivot_table(index=["event", "market"], columns="who", values="loss")
    both = wide[["ada", "cy"]].dropna()
    gaps = (both.ada - both.cy).to_numpy()
    found = fought()
    assert (found.questions, found.events) == (
        len(both),
        both.index.get_level_values("event").nunique(),
    )
    assert found.estimate.value == pytest.approx(gaps.mean())
    assert found.default.estimate == found.estimate.value
    between = present(found.estimate.interval)
    assert between.low < gaps.mean() < between.high
    assert found.better == "ada"


def test_it_is_the_pair_of_the_board() -> None:
    for claim in present(board_claims(FOUND, "log").contest).claims:
        found = fought(one=claim.first, other=claim.second, key="log")
        assert found.default.p == pytest.approx(claim.test.p)
        assert found.estimate.value == pytest.approx(claim.test.estimate)
        assert ends(found.estimate.interval) == pytest.approx(ends(claim.interval))


def test_nobody_else_is_compared_so_that_p_is_that_of_the_pair_alone() -> None:
    found = fought()
    others = FOUND.contestant.codes != FOUND.contestant.code("ben")
    alone = present(board_claims(FOUND.take(others), "brier").contest)
    assert found.p == alone.claims[0].p_anytime
    assert found.basis == alone.basis


def test_the_other_way_round_the_sign_turns() -> None:
    one, other = fought(), fought(one="cy", other="ada")
    assert other.estimate.value == pytest.approx(-present(one.estimate.value))
    assert (other.default.p, other.p, other.better) == (one.default.p, one.p, one.better)
    low, high = ends(one.estimate.interval)
    assert ends(other.estimate.interval) == pytest.approx([-high, -low])


def test_other_intervals_and_tests_stand_beside_it_by_name() -> None:
    found = fought()
    assert [i.method for i in found.intervals] == [
        "cluster bootstrap-t", "cluster BCa", "cluster percentile"
    ]  # fmt: skip
    assert tuple(test.name for test in found.tests) == OTHER_TESTS
    for made in found.intervals:
        assert made.low < present(found.estimate.value) < made.high


def test_events_that_happen_twice_on_the_same_days_are_no_surer() -> None:
    one, other = fought().estimate, fought(twice(FOUND)).estimate
    assert present(other.se) > 0.9 * present(one.se)


def test_without_moments_there_is_no_series_in_time() -> None:
    found = fought(timeless(FOUND))
    names = [test.name for test in found.tests]
    assert names == ["cluster t, CR1", "sign-flip over events", "naive Z"]
    assert (found.better, found.basis.minimum.weeks_needed) == ("ada", 0)
    assert found.default.estimate == pytest.approx(fought().default.estimate)


def test_few_events_are_no_series_and_need_no_number() -> None:
    few = fought(FOUND.take(FOUND.event.codes < 9))
    names = [test.name for test in few.tests]
    assert names == ["cluster t, CR2", "sign-flip over events, exact", "naive Z"]
    assert few.needed is None


def test_one_question_is_a_point_and_nothing_more() -> None:
    one = FOUND.take((FOUND.market.codes == 0) & (FOUND.contestant.codes != 1))
    found = fought(one)
    assert (found.questions, found.events, found.better, found.needed) == (1, 1, None, None)
    assert (found.default.p, found.estimate.interval, found.intervals) == (None, None, ())


def test_a_constant_gap_is_tested_against_the_chance_of_the_outcomes() -> None:
    gap = np.where(FOUND.contestant.codes == 0, 0.1, 0.2)
    found = fought(replace(FOUND, p=np.where(FOUND.outcome == 1, 1 - gap, gap)))
    assert found.default.name == "t, spread by floor"
    assert found.estimate.value == pytest.approx(-0.03)


def test_needed_events_are_those_that_would_show_the_estimate() -> None:
    found = fought()
    error = present(found.estimate.se) * found.estimate.events**0.5  # of one event
    z = 1.959964 + 0.841621
    assert found.needed == math.ceil((z * error / present(found.estimate.value)) ** 2)


def test_a_series_in_time_has_the_mean_of_all_rows() -> None:
    uneven = FOUND.take(np.arange(len(FOUND)) % 7 != 0)
    found = fought(uneven)
    for test in some(t for t in found.tests if t.name.startswith("Diebold")):
        assert test.estimate == pytest.approx(present(found.estimate.value))


def test_who_is_not_there_is_answered_with_who_is() -> None:
    error = refusal(FOUND.take(FOUND.contestant.codes != 1), "ada", "ben")
    assert (error.code, error.hint) == ("score.contestant", "there are: ada, cy")
    assert refusal(FOUND, "zoe", "ada").message == "zoe has no resolved forecast"


def test_nobody_differs_from_itself() -> None:
    assert refusal(FOUND, "ada", "ada").code == "compare.same"


@pytest.mark.parametrize("key", ["ece", "brier_sum", "rps", "luck"])
def test_a_metric_without_a_paired_test_is_refused(key: str) -> None:
    assert refusal(FOUND, "ada", "cy", key).code == "score.metric"


def test_without_a_common_question_there_is_nothing_to_compare() -> None:
    apart = FOUND.take((FOUND.contestant.codes == 0) == (FOUND.event.codes < 30))
    assert refusal(apart, "ada", "cy").code == "compare.nothing"


def test_a_metric_that_is_nearly_right_is_answered_with_the_nearest() -> None:
    assert refusal(FOUND, "ada", "cy", "brie").hint.startswith("did you mean brier? ")


def test_the_refusal_of_a_metric_names_every_one_that_can_be_taken() -> None:
    hint = refusal(FOUND, "ada", "cy", "ece").hint
    for found in (FOUND, over_options()):
        takes = [key for key in computable(found, ordered=True) if is_mean(key, found)]
        assert all(key in hint for key in takes)


def test_the_list_of_metrics_for_pairs_is_that_of_means() -> None:
    kinds = (FOUND, over_options())
    takes = {k for found in kinds for k in computable(found, ordered=True) if is_mean(k, found)}
    assert sorted(takes) == list(PAIRED)


def test_one_event_gives_a_difference_but_no_interval_and_no_test() -> None:
    found = fought(replace(FOUND, event=Factor(("e",), np.zeros(len(FOUND), np.intp))))
    assert found.estimate.value is not None
    assert (found.estimate.interval, found.default.p) == (None, None)
    assert found.default.state is State.SINGLE
