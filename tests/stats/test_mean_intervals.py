import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import stdtrit

from arena.records.estimate import Estimate, State
from arena.stats.columns import codes, tally
from arena.stats.mean_intervals import (
    LOG_SCALE,
    ClusterCorrection,
    effective_events,
    estimates,
    fit,
    growth_interval,
    interval,
    loss_estimates,
    mean_test,
    ratio,
    satterthwaite,
    variance,
)
from tests.present import present, some
from tests.stats.intervals import ends
from tests.vectors import case, near, source

SEEDS = st.integers(0, 10_000)


def _sample(seed: int, g: int = 9) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    events = np.repeat(np.arange(g), rng.integers(1, 7, g))
    return rng.standard_normal(events.size) + rng.standard_normal(g)[events], events


def test_a_mean_over_five_events() -> None:
    known = source("ext.cluster")
    x, events = known["input"]["x"], known["input"]["cluster"]
    naive = mean_test(x, range(len(x)), kind=ClusterCorrection.CR1)
    plain, found = (
        mean_test(x, events, kind=k) for k in (ClusterCorrection.CR0, ClusterCorrection.CR1)
    )
    told = {
        "mean": found.estimate,
        "naive_se": naive.se,
        "naive_t": naive.statistic,
        "cr0_se": plain.se,
        "cr1_se": found.se,
        "cr1_t": found.statistic,
        "df": found.df[0],
        "p_two_sided": found.p,
    }
    assert near(told, {key: known["expected"][key] for key in told}, known["tol"])


def test_the_mean_only_model_of_r_sandwich_and_club_sandwich() -> None:
    known = case("07_hc_wald_cluster", "n80_16clusters")
    y, events = known["inputs"]["y"], known["inputs"]["cluster"]
    kinds = (ClusterCorrection.CR0, ClusterCorrection.CR1, ClusterCorrection.CR2)
    hc0, hc1, cr2 = (mean_test(y, events, kind=kind) for kind in kinds)
    told = {
        "mean": cr2.estimate,
        "cl_HC0": present(hc0.se) ** 2,
        "cl_HC1": present(hc1.se) ** 2,
        "CR2": present(cr2.se) ** 2,
        "CR2_t": cr2.statistic,
        "CR2_df": cr2.df[0],
        "CR2_p": cr2.p,
    }
    assert near(told, known["expected"]["mean_only"], known["tol"], relative=True)


def test_no_row_is_empty() -> None:
    found = interval([], [])
    assert (found.value, found.n, found.state) == (None, 0, State.EMPTY)


def test_one_event_is_a_point_without_spread() -> None:
    found = interval([0.1, 0.3], [0, 0])
    assert (found.value, found.events, found.state) == (0.2, 1, State.SINGLE)
    assert found.se is None
    assert found.interval is None


def test_events_without_spread_are_degenerate() -> None:
    found = interval([0.01] * 10, range(10))
    assert found.state is State.DEGENERATE
    assert found.interval is None


def test_no_spread_at_the_null_is_no_evidence_and_elsewhere_no_test() -> None:
    assert mean_test([0.0] * 3, range(3)).p == 1.0
    assert mean_test([0.1] * 3, range(3)).p is None


def test_few_or_uneven_events_call_for_cr2() -> None:
    rng = np.random.default_rng(1)
    few, even = np.repeat(np.arange(6), [1, 2, 3, 4, 5, 6]), np.repeat(np.arange(30), 3)
    uneven = np.concatenate([even, np.zeros(60, dtype=np.intp)])
    for events, name in ((few, "CR2"), (even, "CR1"), (uneven, "CR2"), (np.arange(5), "CR1")):
        found = present(interval(rng.standard_normal(events.size), events).interval)
        assert found.method == f"cluster t, {name}"


def test_the_interval_is_t_about_the_mean() -> None:
    x, events = _sample(2)
    found = interval(x, events, 0.9, kind=ClusterCorrection.CR1)
    room = stdtrit(8, 0.95) * present(found.se)
    assert ends(found.interval) == pytest.approx([x.mean() - room, x.mean() + room])


@given(seed=SEEDS)
@settings(max_examples=40)
def test_cr2_lies_between_cr0_and_cr3(seed: int) -> None:
    x, events = _sample(seed)
    sums, counts = tally(x, events)
    low, middle, high = (
        variance(sums, counts, k)
        for k in (ClusterCorrection.CR0, ClusterCorrection.CR2, ClusterCorrection.CR3)
    )
    assert low <= middle <= high


@given(seed=SEEDS)
@settings(max_examples=40)
def test_cr3_is_the_jackknife_about_the_whole_mean(seed: int) -> None:
    x, events = _sample(seed)
    sums, counts = tally(x, events)
    left_out = (sums.sum() - sums) / (counts.sum() - counts)
    assert np.isclose(
        variance(sums, counts, ClusterCorrection.CR3), np.sum((left_out - x.mean()) ** 2)
    )


@given(size=st.integers(1, 6), g=st.integers(2, 30), seed=SEEDS)
@settings(max_examples=40)
def test_for_events_of_one_size_cr2_is_cr1(size: int, g: int, seed: int) -> None:
    sums = np.random.default_rng(seed).standard_normal(g)
    counts = np.full(g, float(size))
    assert np.isclose(
        variance(sums, counts, ClusterCorrection.CR1),
        variance(sums, counts, ClusterCorrection.CR2),
    )
    assert np.isclose(satterthwaite(counts), g - 1)


@given(seed=SEEDS)
@settings(max_examples=40)
def test_relabelling_events_and_shuffling_rows_changes_nothing(seed: int) -> None:
    x, events = _sample(seed)
    rng = np.random.default_rng(seed)
    names, order = rng.permutation(1000)[:9], rng.permutation(x.size)
    one, other = interval(x, events), interval(x[order], names[events][order])
    assert near([one.value, one.se, one.df], [other.value, other.se, other.df], 1e-10)


@given(seed=SEEDS, times=st.integers(2, 4))
@settings(max_examples=30)
def test_copies_of_rows_do_not_make_it_surer(seed: int, times: int) -> None:
    x, events = _sample(seed)
    one = interval(x, events, kind=ClusterCorrection.CR1)
    other = interval(np.tile(x, times), np.tile(events, times), kind=ClusterCorrection.CR1)
    assert near([one.value, one.se], [other.value, other.se], 1e-10)
    assert other.n == times * one.n


def test_many_contestants_are_as_each_alone() -> None:
    rng = np.random.default_rng(4)
    weights = rng.integers(0, 5, (6, 12)).astype(float)
    weights[4], weights[5, 1:] = 0, 0
    weights[5, 0] = 3
    sums = rng.standard_normal((6, 12)) * weights
    for row, found in some(enumerate(estimates(fit(sums, weights)))):
        there = weights[row] > 0
        alone = estimates(fit(sums[row][there], weights[row][there]))[0]
        assert found.state is alone.state
        assert (found.n, found.events) == (alone.n, alone.events)
        assert near([found.value, found.se, found.df], [alone.value, alone.se, alone.df], 1e-12)


def test_a_dominating_event_leaves_few_in_effect() -> None:
    assert np.isclose(effective_events(np.array([9.0, 1.0])), 100 / 82)
    assert satterthwaite(np.array([100.0] + [1.0] * 50)) < 3


def test_a_ratio_of_sums_is_profit_over_stake() -> None:
    found = ratio([1.0, -1.0, 3.0], [10.0, 10.0, 30.0], [0, 1, 2])
    assert found.value == pytest.approx(3 / 50)
    assert (found.n, found.events) == (3, 3)


def test_a_ratio_over_ones_is_the_mean() -> None:
    x, events = _sample(5)
    one, other = ratio(x, np.ones(x.size), events), interval(x, events)
    assert one == other


def test_nothing_staked_is_not_estimable() -> None:
    found = ratio([0.0, 0.0], [0.0, 0.0], [0, 1])
    assert (found.value, found.state) == (None, State.NOT_ESTIMABLE)


@pytest.mark.parametrize(
    ("top", "bottom"),
    [([1.0], [1.0, 2.0]), ([1.0, 1.0], [1.0, -1.0]), ([1.0, 1.0], [1.0, 0.0])],
)
def test_a_ratio_refuses_what_is_no_ratio(top: list[float], bottom: list[float]) -> None:
    with pytest.raises(ValueError, match=r"denominator"):
        ratio(top, bottom, range(len(top)))


@pytest.mark.parametrize("g", [8, 40])
def test_it_covers_the_truth_as_often_as_it_says(g: int) -> None:
    rng = np.random.default_rng(g)
    sizes = rng.geometric(0.3, g).astype(float)
    common, own = rng.standard_normal((2, 4000, g))
    sums = np.sqrt(0.5) * sizes * common + np.sqrt(0.5 * sizes) * own
    found = fit(sums, np.broadcast_to(sizes, sums.shape))
    covered = np.abs(found.mean) <= stdtrit(found.df, 0.975) * found.se
    assert 0.925 < covered.mean() < 0.975


losses = st.lists(st.floats(0.001, 1.0), min_size=2, max_size=12).filter(
    lambda found: max(found) - min(found) > 1e-6
)


def loss_interval(
    losses: ArrayLike, events: ArrayLike, level: float = 0.95, *, most: float | None = None
) -> Estimate:
    column = np.asarray(losses, dtype=np.float64)
    return loss_estimates(*tally(column, codes(events, column.size)), level, most=most)[0]


def test_the_interval_is_a_jackknife_t_on_the_scale_of_logarithms() -> None:
    x = np.array([0.1, 0.4, 0.3, 0.9, 0.2])
    found = loss_interval(x, np.arange(5))
    without = np.array([np.delete(x, i).mean() for i in range(5)])
    se = np.sqrt(np.sum((without - x.mean()) ** 2))
    arm = stats.t.ppf(0.975, 4) * se / x.mean()
    assert found.se == pytest.approx(se)
    assert found.df == pytest.approx(4)
    assert ends(found.interval) == pytest.approx(x.mean() * np.exp([-arm, arm]))
    assert present(found.interval).method == LOG_SCALE


@given(losses)
def test_it_holds_the_mean_stays_above_zero_and_below_the_largest_loss(x: list[float]) -> None:
    found = loss_interval(x, np.arange(len(x)), most=1.0)
    low, high = ends(found.interval)
    assert 0 < low < present(found.value) < high <= 1.0


@given(losses)
def test_another_unit_of_loss_only_scales_it(x: list[float]) -> None:
    one, other = (loss_interval(np.array(x) * c, np.arange(len(x))).interval for c in (1, 3))
    assert 3 * np.array(ends(one)) == pytest.approx(ends(other), rel=1e-9)


def test_with_many_events_it_is_the_t_interval() -> None:
    x = np.random.default_rng(1).random(40_000)
    ours, plain = loss_interval(x, np.arange(x.size)), interval(x, np.arange(x.size))
    assert ends(ours.interval) == pytest.approx(ends(plain.interval), abs=2e-5)


def test_it_reaches_further_up_than_down() -> None:
    found = loss_interval([0.0, 0.0, 0.1, 0.9], [0, 1, 2, 3])
    assert sum(ends(found.interval)) > 2 * present(found.value)


def test_what_has_no_spread_or_no_events_has_no_interval() -> None:
    assert loss_interval([], np.zeros(0, dtype=int)).state is State.EMPTY
    assert loss_interval([0.3], [0]).state is State.SINGLE
    assert loss_interval([0.0, 0.0], [0, 1]).state is State.DEGENERATE
    assert growth_interval([], np.zeros(0, dtype=int)).value is None


def test_nothing_is_infinite_at_any_level() -> None:
    found = loss_interval([0.0, 1.0], [0, 1], 1 - 1e-9)
    assert np.isfinite(present(found.interval).high)


def test_growth_is_a_loss_moved_by_one() -> None:
    x, events = np.array([0.5, -0.9, 0.1, 2.0]), np.array([0, 0, 1, 2])
    moved, found = loss_interval(x + 1, events), growth_interval(x, events)
    assert found.value == pytest.approx(x.mean())
    assert (found.se, found.df) == (moved.se, moved.df)
    assert ends(found.interval) == pytest.approx(np.array(ends(moved.interval)) - 1)


def test_when_more_than_everything_is_lost_the_arms_are_equal() -> None:
    found = growth_interval([-1.02, -1.01, -1.05], [0, 1, 2])
    assert sum(ends(found.interval)) == pytest.approx(2 * present(found.value))
