import numpy as np
import pytest

from arena.scoring.bets.clv import (
    Matches,
    PseudoPassReason,
    fair_odds_stake,
    pseudo_clv,
    pseudo_clv_longshot_by_p,
    pseudo_clv_source_c,
)


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
