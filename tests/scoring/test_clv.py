from dataclasses import replace

import numpy as np
import pytest

from arena.records.estimate import Sided, State
from arena.scoring.bets.clv import (
    Bets,
    Exclusion,
    Matches,
    PseudoPassReason,
    closing_lines,
    clv,
    clv_difference,
    clv_log_ratio,
    clv_t,
    clv_z_source_c,
    ev_clv,
    ev_clv_contract,
    fair_odds_stake,
    pseudo_clv,
    pseudo_clv_longshot_by_p,
    pseudo_clv_source_c,
    stake_weighted,
)

BETS = Bets(
    q_open=np.array([0.4, 0.4, 0.4, 1.0, 0.4, np.nan]),
    q_close=np.array([0.5, 0.5, np.nan, 0.5, 1.0, 0.5]),
    price=np.array([0.42, 0.63, 0.42, 0.63, 0.42, 0.42]),
    fee=np.full(6, 0.01),
    stake=np.array([1.0, 2.0, 1.0, 1.0, 1.0, 1.0]),
    yes=np.array([True, False, True, False, True, True]),
    resolved_first=np.array([False] * 4 + [True, False]),
)


@pytest.mark.parametrize("n", [10, 150])
def test_a_constant_series_is_degenerate_whatever_its_rounding(n: int) -> None:
    found = clv_t(np.full(n, 0.01))
    assert (found.state, found.p) == (State.DEGENERATE, None)
    assert found.estimate == pytest.approx(0.01)


def test_no_bet_and_one_bet_are_said_to_be_so() -> None:
    assert (clv_t([]).state, clv_t([]).estimate) == (State.EMPTY, None)
    assert (clv_t([0.1]).state, clv_t([0.1]).estimate) == (State.SINGLE, 0.1)
    assert clv_z_source_c([]).n == 0
    assert clv_t([0.1, 0.2]).sided is Sided.GREATER


def test_a_price_and_a_fee_are_odds_after_costs() -> None:
    assert ev_clv_contract(0.4, 0.0, 0.5).item() == pytest.approx(ev_clv(2.5, 0.5).item())
    assert ev_clv_contract(0.4, 0.02, 0.5).item() == pytest.approx(0.2)
    assert clv_difference(0.4, 0.5).item() == pytest.approx(0.1)


def test_a_bet_on_no_is_valued_by_no() -> None:
    found = closing_lines(BETS)
    assert found.rows.tolist() == [0, 1]
    assert found.clv == pytest.approx([0.25, 0.5 / 0.6 - 1])
    assert found.difference == pytest.approx([0.1, -0.1])
    assert found.log_ratio == pytest.approx(np.log([1.25, 5 / 6]))
    assert found.ev == pytest.approx([0.07 / 0.42, -0.14 / 0.63])
    assert stake_weighted(found.ev, found.stake) == pytest.approx(
        (0.07 / 0.42 - 2 * 0.14 / 0.63) / 3
    )


def test_every_bet_left_out_has_its_reason() -> None:
    assert closing_lines(BETS).excluded == {
        2: Exclusion.NO_CLOSE,
        3: Exclusion.NO_OPEN,
        4: Exclusion.RESOLVED_BEFORE_CLOSE,
        5: Exclusion.NO_OPEN,
    }


def test_the_first_reason_that_fits_is_given() -> None:
    idle = replace(BETS, stake=np.zeros(6), gated=np.ones(6, np.bool_))
    assert closing_lines(idle).reasons == {Exclusion.NO_STAKE: 6}
    gated = replace(BETS, gated=np.ones(6, np.bool_))
    assert closing_lines(gated).reasons == {Exclusion.GATE_FIRED: 6}


def test_nothing_staked_has_no_weighted_mean() -> None:
    assert stake_weighted([0.1], [0.0]) is None


def test_a_close_of_nothing_has_no_logarithm() -> None:
    with pytest.raises(ValueError, match="logarithm"):
        clv_log_ratio(0.4, 0.0)
    lost = replace(BETS, q_close=np.zeros(6), yes=np.ones(6, np.bool_))
    assert np.isnan(closing_lines(lost).log_ratio).all()


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="no ratio"):
        clv(0.0, 0.5)
    with pytest.raises(ValueError, match="fee is not below"):
        ev_clv_contract(0.4, -0.1, 0.5)
    with pytest.raises(ValueError, match="unequal"):
        closing_lines(replace(BETS, fee=np.zeros(3)))
    with pytest.raises(ValueError, match="finite"):
        clv_t([0.1, np.nan])


def two_way(q_open: float, q_close: float) -> Matches:
    """One match of two outcomes, by the prices of the first, at the limit of main lines."""
    opening, closing = (np.array([[q, 1 - q]]) for q in (q_open, q_close))
    return Matches(opening, closing, np.zeros(1, np.bool_), np.array([0.03]))


HOME = [0.40, 0.30, 0.30]
MATCHES = Matches(
    q_open=np.array([HOME] * 6),
    q_close=np.array([[0.45, 0.28, 0.27]] * 5 + [[np.nan] * 3]),
    gated=np.array([False, True, False, False, False, False]),
    limit=np.array([0.03, 0.03, 0.03, 0.03, 0.05, 0.03]),
)
P = np.array(
    [
        [0.46, 0.27, 0.27],
        [0.46, 0.27, 0.27],
        HOME,
        [0.42, 0.29, 0.29],
        [0.44, 0.28, 0.28],
        [0.46, 0.27, 0.27],
    ]
)


def test_each_match_without_a_bet_has_its_reason() -> None:
    found = pseudo_clv(P, MATCHES)
    assert found.rows.tolist() == [0]
    assert found.passed == {
        PseudoPassReason.GATE_FIRED: 1,
        PseudoPassReason.NO_EDGE: 1,
        PseudoPassReason.BELOW_THRESHOLD: 2,
        PseudoPassReason.NO_CLOSE: 1,
    }


def test_the_clv_is_that_of_the_largest_edge() -> None:
    ours, theirs = pseudo_clv(P, MATCHES), pseudo_clv_source_c(P, MATCHES)
    assert ours.outcome.tolist() == [0]
    assert ours.edge == pytest.approx([0.06])
    assert ours.clv == pytest.approx([0.125])
    assert theirs.clv == pytest.approx(ours.clv)
    assert ours.stake == pytest.approx([0.025])
    assert theirs.stake == pytest.approx([0.01])


def test_the_source_bets_on_its_threshold_and_without_a_cap() -> None:
    on = two_way(0.5, 0.5)
    p = [[0.53, 0.47]]
    assert len(pseudo_clv(p, on).rows) == 0
    assert len(pseudo_clv_source_c(p, on).rows) == 1
    far = [[0.95, 0.05]]
    assert pseudo_clv(far, on).stake == 0.05
    assert pseudo_clv_source_c(far, on).stake == pytest.approx(0.25 * 0.45)


def test_a_long_shot_is_one_by_the_market() -> None:
    assert pseudo_clv([[0.15, 0.85]], two_way(0.09, 0.1)).stake == pytest.approx(
        0.125 * 0.06 / 0.91
    )


def test_a_long_shot_by_the_model_is_what_the_source_page_says() -> None:
    outsider = two_way(0.05, 0.06)
    hopeful, timid = [[0.12, 0.88]], [[0.09, 0.91]]
    assert pseudo_clv(hopeful, outsider).stake == pytest.approx(0.125 * 0.07 / 0.95)
    by_p = pseudo_clv_longshot_by_p(hopeful, outsider)
    assert by_p.stake == pytest.approx(0.25 * 0.07 / 0.95)
    assert by_p.clv == pytest.approx([0.2])
    for replay in (pseudo_clv, pseudo_clv_longshot_by_p):
        assert replay(timid, outsider).stake == pytest.approx(0.125 * 0.04 / 0.95)


def test_the_cap_of_a_long_shot_goes_by_the_same_probability() -> None:
    outsider = two_way(0.09, 0.1)
    assert pseudo_clv([[0.5, 0.5]], outsider).stake == 0.025
    assert pseudo_clv_longshot_by_p([[0.5, 0.5]], outsider).stake == 0.05


def test_a_sure_outcome_has_no_edge() -> None:
    sure = pseudo_clv([[1.0, 0.0]], two_way(1.0, 1.0))
    assert sure.passed == {PseudoPassReason.NO_EDGE: 1}
    with pytest.raises(ValueError, match="sure outcome"):
        fair_odds_stake(0.0, 1.0, 0.25)


def test_no_match_is_an_empty_book() -> None:
    empty = Matches(np.empty((0, 3)), np.empty((0, 3)), np.zeros(0, np.bool_), np.empty(0))
    assert pseudo_clv(np.empty((0, 3)), empty).passed == {}
