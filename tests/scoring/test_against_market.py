import numpy as np
import pytest

from arena.records.estimate import State
from arena.scoring.against_market import against_market, less_market
from arena.stats.clusters import interval


def test_a_row_without_a_price_has_no_difference() -> None:
    found = less_market([0.25, 0.04], [0.09, np.nan])
    assert found[0] == pytest.approx(0.16)
    assert np.isnan(found[1])


def test_each_contestant_has_a_mean_over_the_rows_with_a_price() -> None:
    rng = np.random.default_rng(1)
    agent, event = np.repeat([3, 8], 40), np.tile(np.arange(40) // 2, 2)
    difference = rng.standard_normal(80)
    difference[:4] = np.nan
    first, second = against_market(agent, event, difference)
    assert (first.agent, first.left_out, first.gain.n) == (3, 4, 36)
    assert (second.agent, second.left_out, second.gain.n) == (8, 0, 40)
    alone = interval(difference[40:], event[40:])
    assert second.gain.value == pytest.approx(alone.value)
    assert second.gain.se == pytest.approx(alone.se)
    assert second.gain.events == 20


def test_questions_of_any_difficulty_cancel() -> None:
    market = np.array([0.01, 0.2, 0.4, 0.01])
    found = against_market([0, 0, 1, 1], [0, 1, 2, 3], less_market(market + 0.1, market))
    assert [a.gain.value for a in found] == pytest.approx([0.1, 0.1])
    assert all(a.gain.state is State.DEGENERATE for a in found)


def test_a_contestant_without_any_price_is_empty() -> None:
    (found,) = against_market([4, 4], [0, 1], [np.nan, np.nan])
    assert (found.gain.value, found.gain.state, found.left_out) == (None, State.EMPTY, 2)


def test_nobody_is_nobody() -> None:
    assert against_market([], [], []) == ()


def test_bad_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="needs the market's"):
        less_market([0.1], [np.inf])
    with pytest.raises(ValueError, match="finite"):
        less_market([np.nan], [0.1])
    with pytest.raises(ValueError, match="one column"):
        against_market([0], [0], [np.inf])
    with pytest.raises(ValueError, match="one code"):
        against_market([0, 1], [0], [0.1])
