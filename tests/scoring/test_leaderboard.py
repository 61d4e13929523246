from dataclasses import fields, replace
from datetime import timedelta
from decimal import Decimal
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ledger.order_limits import judge
from arena.odds.implied import linear
from arena.records.cohort import ContestantId, MarkRule, RankBy
from arena.records.grade import LastPrices, Score, Standing, Tally
from arena.records.market import NO_WINS, YES_WINS, Outcome, Side
from arena.records.money import usd
from arena.scoring.leaderboard import (
    at_last_prices,
    brier_score,
    mean_of_picos,
    picos,
    rank,
    skill_score,
    standing,
)
from tests.build import ADA, BEN, at, at_price, bets, deciding, desk
from tests.present import present

MILLION = 10**6


def tally(cash: int, marks: int = 0, **sums: int) -> Tally:
    """What a seat of $10,000 adds up to, with dollars in cash and in marks."""
    bare = Tally(
        capital_micro=10_000 * MILLION,
        cash_micro=cash * MILLION,
        bid_micro=marks * MILLION,
        mid_micro=marks * MILLION,
    )
    return replace(bare, **sums)


def line(summed: Tally, who: ContestantId = ADA, mark: MarkRule = MarkRule.BID) -> Standing:
    return standing(who, summed, mark=mark)


@pytest.mark.parametrize(
    ("summed", "pnl", "returned"),
    [
        pytest.param(tally(10_300), 300, 0.03, id="H1-first"),
        pytest.param(tally(9_900), -100, -0.01, id="H1-second"),
        pytest.param(tally(9_900, 120), 20, 0.002, id="H2-first"),
        pytest.param(tally(9_800, 180), -20, -0.002, id="H2-second"),
        pytest.param(tally(7_500, 3_200), 700, 0.07, id="C19"),
    ],
)
def test_h1_h2_c19_profit_is_what_cash_and_marks_exceed_the_capital_by(
    summed: Tally, pnl: int, returned: float
) -> None:
    found = line(summed)
    assert found.pnl == usd(pnl)
    assert found.returned == pytest.approx(returned)


def test_h1_the_leaderboard_is_sorted_best_first() -> None:
    lines = rank([line(tally(9_900), ADA), line(tally(10_300), BEN)], RankBy.RETURN)
    assert [(s.contestant, s.rank) for s in lines] == [(BEN, 1), (ADA, 2)]


def test_c12_a_summary_of_two_positions() -> None:
    # worth 300 and 100, bought for 200 and 120, after losses of 680
    found = line(tally(9_000, 400, realised_micro=-680 * MILLION))
    assert (found.total, found.pnl, found.returned) == (usd(9_400), usd(-600), -0.06)
    assert found.unrealised == usd(80)


def test_b15_a_mean_is_over_the_rows_of_the_contestant() -> None:
    both = tally(10_000, fills_resolved=2, linear_pico=picos(0.04) + picos(0.09))
    assert line(both).linear.value == pytest.approx(0.065)


def test_b15_no_row_is_no_score() -> None:
    assert line(tally(10_000)).linear.value is None


def test_a_debt_lowers_the_total() -> None:
    assert line(tally(0, owed_micro=MILLION)).total == usd(-1)


def test_an_unpriced_position_leaves_the_total_unknown() -> None:
    found = line(tally(10_000, 0, open_positions=2, bid_unpriced=1))
    assert (found.total, found.pnl, found.returned, found.unpriced) == (None, None, None, 1)


@given(unknown=st.integers(0, 3), asked=st.integers(0, 3), worth=st.integers(0, 250))
def test_a_return_at_last_prices_is_whole_or_missing_and_within_the_bounds(
    unknown: int, asked: int, worth: int
) -> None:
    shares = 250 * MILLION if unknown else 0
    summed = tally(9_900, bid_unpriced=unknown, bid_unpriced_shares_micro=shares)
    before = line(summed)
    late = [LastPrices(usd(worth), asked, at(-96))] if asked else []
    found = at_last_prices(before, late, at())
    if not unknown:
        assert found == before
        assert found.returned_last == found.returned == -0.01
    elif asked != unknown:
        assert (found.returned_last, found.price_age) == (None, None)
    else:
        assert found.returned_last == pytest.approx((worth - 100) / 10_000)
        assert found.pnl_low <= usd(worth - 100) <= found.pnl_high
        assert (found.returned, found.price_age) == (None, timedelta(hours=96))


def test_what_is_unpriced_at_the_bid_may_be_known_at_mid() -> None:
    summed = tally(9_000, 500, open_positions=1, bid_unpriced=1)
    assert line(summed, mark=MarkRule.MID).total == usd(9_500)


def test_an_unknown_cost_of_one_turn_leaves_the_cost_unknown() -> None:
    assert line(tally(10_000, cost_micro=5, cost_unknown=1)).cost is None


def test_the_break_even_rate_is_the_mean_price_of_resolved_fills() -> None:
    summed = tally(10_000, fills_resolved=2, fills_won=1, break_even_micro=900_000)
    assert (line(summed).win_rate.value, line(summed).break_even) == (0.5, 0.45)


def test_fees_are_no_part_of_what_is_unrealised() -> None:
    found = line(tally(9_890, 100, fees_micro=10 * MILLION))
    assert (found.pnl, found.unrealised) == (usd(-10), usd(0))


def ranked(by: RankBy, *summed: Tally) -> list[tuple[str, int | None]]:
    lines = [line(t, ContestantId(f"c{n}")) for n, t in enumerate(summed, 1)]
    return [(s.contestant, s.rank) for s in rank(lines, by)]


def test_equals_share_a_rank_and_the_next_is_passed_over() -> None:
    found = ranked(RankBy.PNL, tally(1), tally(3), tally(2), tally(2))
    assert found == [("c2", 1), ("c3", 2), ("c4", 2), ("c1", 4)]


def test_who_has_no_value_is_ranked_nowhere_and_last() -> None:
    unknown = tally(99_999, open_positions=1, bid_unpriced=1)
    assert ranked(RankBy.RETURN, unknown, tally(1)) == [("c2", 1), ("c1", None)]


@pytest.mark.parametrize(
    ("by", "column", "counted"),
    [
        (RankBy.BRIER_FORECAST, "forecast_pico", "forecasts_resolved"),
        (RankBy.BRIER_STATED, "stated_pico", "stated_resolved"),
        (RankBy.BRIER_KELLY, "kelly_pico", "fills_resolved"),
        (RankBy.BRIER_LINEAR, "linear_pico", "fills_resolved"),
    ],
)
def test_a_smaller_brier_score_ranks_higher(by: RankBy, column: str, counted: str) -> None:
    good = tally(1, **{column: picos(0.1), counted: 1})
    bad = tally(1, **{column: picos(0.2), counted: 1})
    assert ranked(by, bad, good) == [("c2", 1), ("c1", 2)]


def test_a_larger_win_rate_ranks_higher() -> None:
    lucky = tally(1, fills_resolved=2, fills_won=2)
    assert ranked(RankBy.WIN_RATE, tally(1, fills_resolved=1), lucky)[0] == ("c2", 1)


@given(order=st.permutations(range(5)))
def test_the_order_of_contestants_changes_no_rank(order: list[int]) -> None:
    lines = [line(tally(n // 2), ContestantId(f"c{n}")) for n in range(5)]
    shuffled = [lines[n] for n in order]
    assert rank(shuffled, RankBy.RETURN) == rank(lines, RankBy.RETURN)


def test_nobody_is_ranked_on_an_empty_board() -> None:
    assert rank([], RankBy.RETURN) == ()


HUNDRED_FIVES = (500, 500, 500, 500, 500)


def linear_brier(c: str, side: Side, outcome: Outcome) -> float:
    return brier_score(float(linear(side, Decimal(c))), present(outcome.truth))


@pytest.mark.parametrize(
    ("c", "side", "outcome", "forecast", "expected"),
    [
        pytest.param("0.8", Side.YES, YES_WINS, 0.8, 0.04, id="B1"),
        pytest.param("0.8", Side.YES, NO_WINS, 0.8, 0.64, id="B2"),
        pytest.param("0.8", Side.NO, YES_WINS, 0.2, 0.64, id="B3"),
        pytest.param("0.8", Side.NO, NO_WINS, 0.2, 0.04, id="B4"),
        pytest.param("0.7", Side.YES, YES_WINS, 0.7, 0.09, id="B5-the-claim-on-A-and-A-wins"),
        pytest.param("0.7", Side.YES, NO_WINS, 0.7, 0.49, id="B6-the-claim-on-A-and-B-wins"),
        pytest.param("0.04", Side.YES, YES_WINS, 0.04, 0.9216, id="B8"),
        pytest.param("0.04", Side.YES, NO_WINS, 0.04, 0.0016, id="B9"),
        pytest.param("0.02", Side.NO, NO_WINS, 0.98, 0.9604, id="B10"),
    ],
)
def test_b1_to_b10_a_stake_scores_the_square_of_what_it_says(
    c: str, side: Side, outcome: Outcome, forecast: float, expected: float
) -> None:
    assert float(linear(side, Decimal(c))) == pytest.approx(forecast)
    assert linear_brier(c, side, outcome) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("truth", "expected"),
    [
        pytest.param(1, 0.603096411, id="B11-all-win"),
        pytest.param(0, 0.050313473, id="B12-all-lose"),
    ],
)
def test_b11_b12_the_mean_over_five_equal_legs(truth: int, expected: float) -> None:
    found = judge(deciding(*bets(*HUNDRED_FIVES)), desk(at_price("0.5")))
    scores = [brier_score(fill.linear, truth) for fill in found.fills]
    assert fmean(scores) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("score", "reference", "expected"),
    [
        pytest.param(0.1, 0.25, 0.6, id="B16"),
        pytest.param(0.4, 0.2, -1, id="B17"),
        pytest.param(0.15, 0.25, 0.4, id="B18"),
    ],
)
def test_b16_to_b18_skill_is_the_share_of_the_reference_that_is_avoided(
    score: float, reference: float, expected: float
) -> None:
    assert skill_score(score, reference) == pytest.approx(expected)


def test_b19_ours_has_no_labels_beside_a_score() -> None:
    assert [f.name for f in fields(Score)] == ["value", "n"]


@pytest.mark.parametrize("probability", [-0.001, 1.001, float("nan")])
def test_what_is_no_probability_is_not_scored(probability: float) -> None:
    with pytest.raises(ValueError, match="a probability lies in"):
        brier_score(probability, 1)


def test_a_fraction_is_not_scored() -> None:
    with pytest.raises(ValueError, match="an outcome is 0 or 1"):
        brier_score(0.5, 2)


@given(scores=st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_a_mean_from_trillionths_is_the_mean(scores: list[float]) -> None:
    kept = mean_of_picos(sum(picos(s) for s in scores), len(scores))
    assert kept == pytest.approx(fmean(scores), abs=1e-12)
