from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from arena.metrics.returns import RISKS, realised_return, risks
from arena.metrics.shadow import OWN, PlayedBook, play
from arena.records.estimate import Estimate, State
from tests.metrics.shadows import offered, placed
from tests.present import present
from tests.scoring.markets import HOUR, NEVER, START, lines
from tests.stats.intervals import ends

money = st.floats(1, 1000)


def played(*payout: float, fee: float = 0.0, still_open: int = 0) -> PlayedBook:
    """Bets of $100 on YES at 50 c, each on an event of its own; the last ones not settled."""
    settled = np.full(len(payout), START + 30 * HOUR)
    settled[len(payout) - still_open :] = NEVER
    market = lines(
        bid=np.full(len(payout), 0.5), ask=0.5, payout=payout, fee_yes=fee, settled=settled
    )
    return present(
        play(offered(market, {}, {"ada": placed(market, list(range(len(payout))))}), "ada", OWN)
    )


def test_the_realised_return_is_what_was_won_over_the_capital() -> None:
    found = realised_return(played(1.0, 0.0, 1.0))
    assert found.value == pytest.approx(0.01)
    assert (found.n, found.events) == (3, 3)


def test_its_interval_is_that_of_a_sum_of_events() -> None:
    found = realised_return(played(1.0, 0.0, 1.0), level=0.9)
    won = np.array([100.0, -100.0, 100.0])
    half = t.ppf(0.95, 2) * sqrt(3) * won.std(ddof=1) / 10_000
    assert ends(found.interval) == pytest.approx([0.01 - half, 0.01 + half])


def test_what_is_open_counts_with_its_fees_alone() -> None:
    found = realised_return(played(1.0, 1.0, fee=0.01, still_open=1))
    assert found.value == pytest.approx((100 - 2 - 2) / 10_000)
    assert (found.n, found.events) == (1, 2)


def test_of_nothing_settled_there_is_no_return() -> None:
    found = realised_return(played(1.0, still_open=1))
    assert (found.value, found.n, found.state) == (None, 0, State.EMPTY)


def test_of_one_event_there_is_no_interval() -> None:
    found = realised_return(played(1.0))
    assert (found.value, found.interval, found.state) == (0.01, None, State.SINGLE)


def test_days_are_returns_on_the_day_before() -> None:
    found = risks([100, 100, 100, 100], [100, 120, 90, 99])
    assert found["max_drawdown"].value == pytest.approx(-0.25)
    assert found["worst_day"].value == pytest.approx(-0.25)
    made = [0.0, 0.2, -0.25, 0.1]
    assert found["volatility"].value == pytest.approx(np.std(made, ddof=1))
    assert {estimate.n for estimate in found.values()} == {4}


def test_new_capital_is_neither_a_gain_nor_a_loss() -> None:
    found = risks([100, 200, 500], [100, 200, 500])
    assert [found[key].value for key in RISKS] == [0.0, 0.0, 0.0]


def test_a_day_without_a_price_is_passed_over() -> None:
    assert risks([100, 100, 100], [100, None, 80]) == risks([100, 100], [100, 80])


def test_one_return_has_no_spread() -> None:
    found = risks([100], [90])
    assert found["volatility"] == Estimate(None, 1, 0, state=State.TOO_FEW)
    assert found["worst_day"].value == pytest.approx(-0.1)


@pytest.mark.parametrize("worth", [[], [None, None]])
def test_without_a_return_there_is_no_risk(worth: list[float | None]) -> None:
    found = risks([100] * len(worth), worth)
    assert found == dict.fromkeys(RISKS, Estimate(None, 0, 0, state=State.EMPTY))


def test_what_was_lost_beyond_all_there_was_has_no_return() -> None:
    found = risks([100, 100], [10, -5])
    assert found == dict.fromkeys(RISKS, Estimate(None, 0, 0, state=State.NOT_ESTIMABLE))


def test_what_was_all_lost_is_a_return_of_minus_one() -> None:
    assert risks([100, 100], [100, 0])["worst_day"].value == -1.0


def test_each_day_has_its_capital() -> None:
    with pytest.raises(ValueError, match="longer"):
        risks([100], [100, 90])


@given(st.lists(money, min_size=1, max_size=20), money)
def test_a_drawdown_is_no_gain_and_no_smaller_than_the_worst_day(
    worth: list[float], capital: float
) -> None:
    found = risks([capital] * len(worth), list(worth))
    deepest, worst = (present(found[key].value) for key in ("max_drawdown", "worst_day"))
    assert -1 <= deepest <= 0
    assert deepest <= worst + 1e-12 or worst > 0
