from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.records.estimate import State
from arena.stats.bootstrap import (
    MANY,
    BootstrapMethod,
    BootstrapOptions,
    cluster_bootstrap,
    cluster_errors,
    cluster_jackknife,
    cluster_replicates,
    digest,
    event_chances,
    event_weights,
    every_resample,
    generator,
    iid_percentile,
    resamples,
    sign_flip,
)
from arena.stats.columns import Floats, tally
from arena.stats.mean_intervals import ClusterCorrection, interval, variance
from arena.stats.replicates import percentile
from tests.present import present
from tests.stats.intervals import ends
from tests.vectors import case, near, source


def _sample(g: int = 25, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    events = np.repeat(np.arange(g), rng.integers(1, 5, g))
    return rng.standard_normal(events.size) + rng.standard_normal(g)[events], events


def all_resampled(x: list[float], events: list[int]) -> Floats:
    groups = [np.array(x)[np.array(events) == event] for event in np.unique(events)]
    return np.array([np.concatenate(g).mean() for g in product(groups, repeat=len(groups))])


def test_all_3125_resamples_of_five_events() -> None:
    known = source("ext.cluster")
    found = all_resampled(known["input"]["x"], known["input"]["cluster"])
    middle = percentile(found)
    told = {
        "exhaustive_cluster_bootstrap_se": float(found.std()),
        "exhaustive_percentile95": [middle.low, middle.high],
        "n_resamples": found.size,
    }
    assert near(told, {key: known["expected"][key] for key in told}, known["tol"])


def test_all_256_resamples_of_four_events() -> None:
    known = case("15_reliability_intervals_cluster", "cluster_bootstrap_exhaustive_G4")
    x, events = known["inputs"]["score"], known["inputs"]["cluster"]
    replicates = all_resampled(x, events)
    options = BootstrapOptions(BootstrapMethod.PERCENTILE, 0.9)
    found = cluster_bootstrap(x, events, np.random.default_rng(0), options)
    assert present(found.interval).method == "cluster percentile, exact"
    told = {
        "mean": found.value,
        "boot_mean": float(replicates.mean()),
        "boot_se": found.se,
        "pct90": ends(found.interval),
        "linearised_se_CL_HC0": interval(x, events, kind=ClusterCorrection.CR0).se,
    }
    assert near(told, known["expected"], known["tol"], relative=True)


@given(g=st.integers(1, 6))
@settings(max_examples=6)
def test_all_resamples_are_g_to_the_g(g: int) -> None:
    counts, times = every_resample(g)
    assert times.sum() == g**g
    assert np.all(counts.sum(axis=1) == g)
    assert np.unique(counts, axis=0).shape == counts.shape


@pytest.mark.parametrize("g", [0, 7])
def test_more_are_too_many_to_count(g: int) -> None:
    with pytest.raises(ValueError, match="all resamples"):
        every_resample(g)


def test_each_resample_has_as_many_units_as_there_are() -> None:
    found = resamples(40, 3000, np.random.default_rng(2))
    assert np.all(found.sum(axis=1) == 40)
    assert found.mean(axis=0) == pytest.approx(1, abs=0.1)
    assert found.var(axis=0) == pytest.approx(1 - 1 / 40, abs=0.2)


def test_the_same_chance_gives_the_same_interval() -> None:
    x, events = _sample()
    one, other = (cluster_bootstrap(x, events, np.random.default_rng(7)) for _ in range(2))
    assert one == other


@pytest.mark.parametrize("method", list(BootstrapMethod))
def test_every_method_agrees_with_the_clustered_t_where_events_are_many(
    method: BootstrapMethod,
) -> None:
    x, events = _sample(400)
    found = cluster_bootstrap(x, events, np.random.default_rng(3), BootstrapOptions(method))
    plain = ends(interval(x, events).interval)
    assert present(found.interval).method == f"cluster {method}"
    assert ends(found.interval) == pytest.approx(plain, abs=0.1 * (plain[1] - plain[0]))


@pytest.mark.parametrize("method", list(BootstrapMethod))
def test_few_events_are_counted_without_chance(method: BootstrapMethod) -> None:
    x, events = _sample(5)
    one, other = (
        cluster_bootstrap(x, events, np.random.default_rng(s), BootstrapOptions(method))
        for s in (0, 1)
    )
    assert one == other
    assert present(one.interval).method.endswith(", exact")


def test_errors_of_resamples_are_those_of_the_rows_drawn() -> None:
    x, events = _sample(8)
    sums, weights = tally(x, events)
    drawn = np.array([0, 0, 1, 3, 3, 3, 5, 7])
    counts = np.bincount(drawn, minlength=8).astype(float)[None]
    means = cluster_replicates(counts, sums, weights)
    assert np.isclose(means[0], sums[drawn].sum() / weights[drawn].sum())
    found = cluster_errors(counts, sums, weights, means)
    assert np.isclose(found[0] ** 2, variance(sums[drawn], weights[drawn]))


def test_many_contestants_are_resampled_at_the_same_events() -> None:
    rng = np.random.default_rng(5)
    sums, weights = rng.standard_normal((3, 10)), rng.integers(1, 4, (3, 10)).astype(float)
    counts = resamples(10, 50, rng)
    joint = cluster_replicates(counts, sums, weights)
    assert np.allclose(joint[1], cluster_replicates(counts, sums[1], weights[1]))


def test_a_resample_without_anything_of_somebody_is_refused() -> None:
    with pytest.raises(ValueError, match="none of somebody's events"):
        cluster_replicates(np.array([[2.0, 0.0]]), np.ones(2), np.array([0.0, 1.0]))


def test_the_jackknife_leaves_out_whole_events() -> None:
    found = cluster_jackknife(np.array([1.0, 4.0]), np.array([1.0, 2.0]))
    assert found.tolist() == [2.0, 1.0]


def test_little_says_little() -> None:
    rng = np.random.default_rng(0)
    assert cluster_bootstrap([], [], rng).state is State.EMPTY
    assert cluster_bootstrap([1.0, 2.0], [0, 0], rng).state is State.SINGLE
    assert cluster_bootstrap([1.0, 1.0], [0, 1], rng).state is State.DEGENERATE


def test_two_events_have_no_bootstrap_t_and_say_so() -> None:
    found = present(cluster_bootstrap([0.1, 0.2], [0, 1], np.random.default_rng(0)).interval)
    assert found.low < found.high
    assert found.method == "cluster percentile (bootstrap-t is not defined), exact"


def test_options_are_a_level_and_a_draw_at_least() -> None:
    with pytest.raises(ValueError, match="resample"):
        BootstrapOptions(draws=0)
    with pytest.raises(ValueError, match="level"):
        BootstrapOptions(level=0)


@pytest.mark.parametrize("n", [7, 60_000])
def test_single_rows_are_drawn_as_the_source_draws_them(n: int) -> None:
    x = np.random.default_rng(8).random(n)
    rng = np.random.default_rng(42)
    by_choice = [rng.choice(x, size=n, replace=True).mean() for _ in range(12)]
    found = iid_percentile(x, draws=12).interval
    assert ends(found) == pytest.approx(np.percentile(by_choice, [2.5, 97.5]))


@pytest.mark.parametrize("n", [2, 10, 150])
def test_a_constant_loss_has_no_interval_of_rows(n: int) -> None:
    found = iid_percentile([0.01] * n)
    assert found.value == pytest.approx(0.01)
    assert (found.se, found.interval, found.state) == (None, None, State.DEGENERATE)


def test_one_value_has_no_width() -> None:
    assert iid_percentile([]).state is State.EMPTY
    assert iid_percentile([1.0]).state is State.SINGLE
    with pytest.raises(ValueError, match="resample"):
        iid_percentile([1.0, 2.0], draws=0)


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)


@given(d=st.lists(st.integers(-5, 5), min_size=2, max_size=8))
@settings(max_examples=60)
def test_every_assignment_of_signs_is_counted(d: list[int]) -> None:
    sums = [abs(np.dot(s, d)) for s in product((-1, 1), repeat=len(d))]
    found = sign_flip(d, _rng())
    assert found.p == np.mean([s >= abs(sum(d)) for s in sums])
    assert found.name.endswith("exact")


def test_drawn_signs_come_close_to_all_of_them() -> None:
    d = np.random.default_rng(2).standard_normal(12) + 0.4
    exact, drawn = sign_flip(d, _rng()), sign_flip(d, _rng(), draws=4000)
    assert exact.name != drawn.name
    assert drawn.p == pytest.approx(exact.p, abs=0.03)


def test_drawn_signs_never_give_0() -> None:
    assert sign_flip([1.0] * 40, _rng(), draws=999).p == 0.001


def test_rows_of_one_event_turn_together() -> None:
    d = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert sign_flip(d, _rng(), events=[0, 0, 0, 1, 1, 1]).p == 0.5
    assert sign_flip(d, _rng()).p == 2 / 64


def test_no_difference_at_all_is_no_evidence() -> None:
    assert sign_flip([0.0] * 5, _rng()).p == 1.0
    assert sign_flip([], _rng()).state is State.EMPTY


def test_the_sign_of_one_event_says_nothing() -> None:
    for found in (sign_flip([3.0], _rng()), sign_flip([1.0, 2.0], _rng(), events=[4, 4])):
        assert (found.events, found.p, found.state) == (1, None, State.SINGLE)
        assert found.statistic == 3.0


NAMES = tuple(f"event-{n}" for n in range(60))


def test_another_event_adds_a_column_and_changes_none() -> None:
    before, after = (event_weights(names, 50) for names in (NAMES, ("a new one", *NAMES)))
    assert after[:, 1:].tolist() == before.tolist()
    rows = event_chances((*NAMES, "a new one"), 50)[:-1]
    assert rows.tolist() == event_chances(NAMES, 50).tolist()


def test_more_draws_leave_the_first_as_they_are() -> None:
    assert event_weights(NAMES, 80)[:50].tolist() == event_weights(NAMES, 50).tolist()


def test_weights_are_poisson_counts_of_mean_one() -> None:
    found = event_weights(NAMES, 5000)
    share = [float(np.mean(found == n)) for n in range(4)]
    assert share == pytest.approx([0.3679, 0.3679, 0.1839, 0.0613], abs=0.004)
    assert np.abs(np.corrcoef(found.T) - np.eye(60)).max() < 0.08
    assert np.abs(np.corrcoef(found[:-1].T, found[1:].T)[:60, 60:]).max() < 0.08


def test_few_events_are_drawn_as_many_times_as_there_are() -> None:
    assert set(event_weights(NAMES[: MANY - 1], 50).sum(axis=1)) == {MANY - 1}
    assert len(set(event_weights(NAMES[:MANY], 50).sum(axis=1))) > 1


def test_chances_are_uniform_and_below_one() -> None:
    found = event_chances(NAMES, 5000)
    assert 0 <= found.min() < found.max() < 1
    assert np.quantile(found, (0.1, 0.5, 0.9)) == pytest.approx([0.1, 0.5, 0.9], abs=0.005)
    weights = event_weights(NAMES, 5000)
    assert np.abs(np.corrcoef(found, weights.T)[:60, 60:]).max() < 0.08


def test_the_draws_are_the_same_on_every_machine() -> None:
    assert event_weights(NAMES, 6)[:, 0].tolist() == [3, 1, 0, 0, 0, 0]
    assert event_chances(NAMES, 3)[0].tolist() == pytest.approx(
        [0.8697712, 0.9238677, 0.6330766]
    )


def test_what_was_drawn_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        event_weights(NAMES, 5)[0, 0] = 7


def test_no_draw_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        event_chances(NAMES, 0)


def test_a_digest_is_the_same_everywhere() -> None:
    assert digest("a").hex()[:16] == "3b196fd4907bedf5"


@given(one=st.lists(st.text(max_size=4)), other=st.lists(st.text(max_size=4)))
def test_only_equal_names_agree(one: list[str], other: list[str]) -> None:
    assert (digest(*one) == digest(*other)) is (one == other)


def test_equal_names_draw_equal_numbers() -> None:
    one, other, third = generator("x", "y"), generator("x", "y"), generator("xy")
    drawn = one.random(5).tolist()
    assert drawn == other.random(5).tolist()
    assert drawn != third.random(5).tolist()
