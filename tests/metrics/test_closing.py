import numpy as np
import pytest

from arena.metrics.closing import Sides, closing, sharpe_of_events
from arena.records.estimate import State
from arena.scoring.bets.clv import Bets, Exclusion, closing_lines
from arena.stats import Edge
from arena.stats.sharpe import sharpe_ratio

OPEN = np.array([0.4, 0.5, 0.3, 0.4])
CLOSE = np.array([0.5, 0.5, np.nan, 0.0])
PAID = np.array([0.41, 0.52, 0.31, 0.41])
STAKE = np.array([100.0, 50.0, 10.0, 20.0])
BETS = Bets(OPEN, CLOSE, PAID, np.zeros(4), STAKE, np.ones(4, np.bool_))
SIDES = Sides(PAID, np.array([0.51, 0.51, np.nan, 0.01]))
FOUND = closing(closing_lines(BETS), np.arange(4), SIDES, 0.95)
FORMS = {form.key: form for form in FOUND.forms}


def test_expected_value_comes_first() -> None:
    assert FOUND.forms[0].key == "ev_clv"
    assert FORMS["ev_clv"].mean.value == pytest.approx(
        np.mean([0.09 / 0.41, -0.02 / 0.52, -1.0])
    )


def test_each_form_has_its_mean_its_weighted_mean_and_its_sums() -> None:
    form = FORMS["clv"]
    assert form.mean.n == 3
    assert form.total == pytest.approx(0.25 + 0 - 1)
    assert form.staked_total == pytest.approx(25 + 0 - 20)
    assert form.by_stake == pytest.approx(5 / 170)


def test_a_close_of_nothing_has_no_logarithm_but_the_odds_of_its_spread() -> None:
    assert FORMS["clv_log"].mean.n == 2
    assert FORMS["clv_log_source_c"].mean.n == 3
    assert FORMS["clv_log_source_c"].total == pytest.approx(
        np.log(0.51 / 0.41) + np.log(0.51 / 0.52) + np.log(0.01 / 0.41)
    )


def test_what_has_no_close_is_counted() -> None:
    assert FOUND.excluded == {Exclusion.NO_CLOSE: 1}


def test_source_c_is_as_it_runs() -> None:
    source = FOUND.source_c
    assert (source.z.n, source.z.reject, source.label) == (3, False, Edge.NO_EDGE)
    assert source.block_length == 4
    assert source.low_95 <= source.low_90 <= source.high_90 <= source.high_95


def test_the_sharpe_ratio_is_over_events() -> None:
    values = np.array([0.1, 0.3, -0.1, 0.4])
    found = sharpe_of_events(values, np.array([4, 4, 0, 9]), 0.95)
    assert found.value == sharpe_ratio([-0.1, 0.2, 0.4])
    assert found.n == 3


def test_nothing_valued_is_empty() -> None:
    nothing = np.zeros(0)
    none = Bets(nothing, nothing, nothing, nothing, nothing, np.zeros(0, np.bool_))
    empty = Sides(nothing, nothing)
    found = closing(closing_lines(none), np.zeros(0, np.intp), empty, 0.95)
    assert {form.mean.state for form in found.forms} == {State.EMPTY}
    assert found.sharpe.state is State.EMPTY
    assert found.source_c.label is Edge.NO_EDGE
