import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records.estimate import State
from arena.stats.comparisons.kill import (
    any_of,
    fold_gap,
    implied_se,
    promotion_gate,
    stop_rule,
)
from tests.vectors import near, source

losses = st.lists(st.floats(0, 5), min_size=2, max_size=20).map(np.array)


def test_neither_rule_fires_on_the_published_folds() -> None:
    known = source("s002.kill.cv_battery_phase8")
    ours = np.array(known["input"]["fold_ll_mstar"])
    theirs = np.array(known["input"]["fold_ll_m0"])
    assert not stop_rule(ours, theirs, threshold=known["input"]["threshold_se"]).fired
    assert not promotion_gate(ours, theirs, threshold=known["input"]["threshold_se"]).fired


def test_without_spread_a_larger_loss_stops_and_has_no_gap_in_errors() -> None:
    known = source("s002.kill.constant_worse")
    given = known["input"]
    it = stop_rule(np.array(given["ll_mstar"]), np.array(given["ll_m0"]))
    assert near(it.mean_difference, known["expected"]["mean_diff"], known["tol"])
    assert it.se == known["expected"]["se"]
    assert it.fired is known["expected"]["tripped"]
    assert it.gap_in_se is None
    assert known["expected"]["gap_in_se"] == "null"
    assert it.state is State.DEGENERATE


def test_a_gap_of_nothing_implies_no_error() -> None:
    assert implied_se(0.1, 0) is None


@given(pair=losses.flatmap(lambda a: st.tuples(st.just(a), st.permutations(a.tolist()))))
def test_what_is_clearly_worse_never_passes_the_gate(
    pair: tuple[np.ndarray, list[float]],
) -> None:
    challenger, reference = pair[0] + 0.1, np.array(pair[1])
    if stop_rule(challenger, reference).fired:
        assert promotion_gate(challenger, reference).fired


def test_equal_models_are_not_stopped_and_not_promoted() -> None:
    same = np.array([0.2, 0.4, 0.1])
    assert stop_rule(same, same).fired is False
    assert promotion_gate(same, same).fired is True


def test_what_is_better_every_time_by_the_same_passes_the_gate() -> None:
    assert promotion_gate(np.full(5, 0.1), np.full(5, 0.3)).fired is False


def test_each_rule_says_its_direction_and_its_error() -> None:
    stop, gate = (rule(np.ones(2), np.zeros(2)) for rule in (stop_rule, promotion_gate))
    assert "worse" in stop.direction
    assert "better" in gate.direction
    assert stop.error == gate.error
    assert "paired" in stop.error


@pytest.mark.parametrize(("n", "state"), [(0, State.EMPTY), (1, State.SINGLE)])
def test_one_loss_or_none_stops_nothing(n: int, state: State) -> None:
    it = stop_rule(np.ones(n), np.zeros(n))
    assert (it.fired, it.se, it.state) == (None, None, state)


def test_folds_without_spread_have_a_gap_and_no_test() -> None:
    it = fold_gap(np.full(4, 0.9), np.full(4, 1.0))
    assert it.gap == pytest.approx(0.1)
    assert (it.gap_over_paired_se, it.nadeau_bengio_p) == (None, None)
    assert it.state is State.DEGENERATE


def test_what_cannot_be_compared_is_refused() -> None:
    one = np.array([0.1])
    for refused in (
        lambda: stop_rule(one, np.zeros(2)),
        lambda: stop_rule(one, one, threshold=-1),
        lambda: fold_gap(one, one),
        lambda: fold_gap(np.ones(2), np.zeros(2), test_over_train=-1),
        lambda: any_of(1.5, 2),
    ):
        with pytest.raises(ValueError, match=r"pairs|threshold|two|ratio|chance"):
            refused()
