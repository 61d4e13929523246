import numpy as np
import pytest

from arena.stats.regression.dependence import dependence, predicted_design_effect


def test_copies_are_worth_one_row() -> None:
    x = np.random.default_rng(1).standard_normal(20)
    found = dependence(np.repeat(x, 5), np.repeat(np.arange(20), 5))
    assert found is not None
    assert found.intraclass == pytest.approx(1)
    assert found.predicted == pytest.approx(5)
    assert found.effective_n == pytest.approx(20, rel=0.06)


def test_rows_of_their_own_events_are_worth_themselves() -> None:
    found = dependence(np.random.default_rng(2).standard_normal(50), range(50))
    assert found is not None
    assert found.intraclass is None
    assert found.predicted is None
    assert found.effective_n == pytest.approx(50)


def test_a_correlation_that_was_put_in_is_found() -> None:
    rng = np.random.default_rng(3)
    events = np.repeat(np.arange(2000), 5)
    x = np.sqrt(0.3) * rng.standard_normal(2000)[events] + np.sqrt(0.7) * rng.standard_normal(
        10_000
    )
    found = dependence(x, events)
    assert found is not None
    assert found.intraclass == pytest.approx(0.3, abs=0.03)
    assert found.design_effect == pytest.approx(2.2, abs=0.15)


def test_one_event_or_no_spread_says_nothing() -> None:
    assert dependence([], []) is None
    assert dependence([1.0, 2.0], [0, 0]) is None
    assert dependence([1.0] * 4, [0, 0, 1, 1]) is None
    assert dependence([1.0, -1.0, 1.0, -1.0], [0, 0, 1, 1]) is None


def test_sizes_are_counts_of_rows() -> None:
    with pytest.raises(ValueError, match="a row at least"):
        predicted_design_effect([0, 1], 0.5)
