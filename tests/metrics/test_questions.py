"""Forecasts as questions: prices day by day, which of them are fresh, and a season's part."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from arena.metrics.claims.questions import ClaimBoard, claim_board, day_number, day_of
from arena.records.claim import Season, Valuation
from arena.scoring.table import DailyPrices, Factor, Forecasts
from arena.stats.comparisons.paired_gains import NEVER
from tests.metrics.board import DAY, FIRST, START, board, on, priced
from tests.metrics.season import over_options, season, shuffled, timeless
from tests.present import present

NAN = float("nan")
TWO = np.array([[0.2, 0.4], [0.6, 0.9], [0.3, 0.5]])


def laid_out(found: Forecasts, day: int = 30, key: str = "brier") -> ClaimBoard:
    return present(claim_board(found, key, by_moment=True, scope=on(day)))


def of_file(found: Forecasts, key: str = "brier") -> ClaimBoard:
    return present(claim_board(found, key, by_moment=False, scope=None))


def of_season(found: Forecasts, day: int, scope: Season) -> ClaimBoard | None:
    return claim_board(found, "brier", by_moment=True, scope=on(day, scope))


def three(outcome: Sequence[float] = (1, 0, NAN)) -> Forecasts:
    """Asked on days 0, 3 and 5, due on days 4, 8 and 25."""
    return board(TWO, outcome, asked=[0, 3, 5], due=[4, 8, 25])


def quoted(found: Forecasts, *rows: tuple[int, int, float]) -> Forecasts:
    """Prices by market and day since the start."""
    market, day, price = (np.array(column) for column in zip(*rows, strict=True))
    return replace(found, prices=DailyPrices(market, FIRST + day, price))


def test_days_are_numbered_from_1970() -> None:
    assert day_number(date(1970, 1, 1)) == 0
    assert day_of(day_number(START)) == START


def test_a_question_has_everybody_s_line_and_the_price_s_after_the_last() -> None:
    found = laid_out(three())
    asked = found.asked
    assert found.names == ("c000", "c001")
    assert asked.base.shape == asked.swing.shape == (3, 3)
    for o in (0, 1):
        score = -((np.column_stack([TWO, np.full(3, 0.5)]) - o) ** 2).T
        gaps = score - score[0]
        line = asked.base + o * asked.swing
        assert line - line[0] == pytest.approx(gaps)


@pytest.mark.parametrize("key", ["brier", "alpha", "log", "spherical"])
def test_differences_of_lines_are_those_of_the_metric_more_being_better(key: str) -> None:
    for o in (0, 1):
        found = laid_out(three([o, o, o]), 40, key).asked
        line = found.base[:2] + o * found.swing[:2]
        assert np.all((line[0] > line[1]) == (np.abs(TWO[:, 0] - o) < np.abs(TWO[:, 1] - o)))


def test_outcomes_are_known_from_the_day_they_were_and_not_what_waits() -> None:
    asked = laid_out(three()).asked
    assert (asked.asked - FIRST).tolist() == [0, 3, 5]
    assert (asked.due - FIRST).tolist() == [4, 8, 25]
    assert (asked.ended[:2] - FIRST).tolist() == [4, 8]
    assert asked.ended[2] == NEVER
    assert np.array_equal(asked.outcome, [1, 0, NAN], equal_nan=True)


def test_the_last_day_that_counts_is_the_one_before_the_board_is_read() -> None:
    assert laid_out(three(), 30).today == FIRST + 29
    assert of_file(three()).today == FIRST + 8


def test_a_price_holds_until_the_next_and_there_is_none_before_the_first() -> None:
    found = laid_out(
        quoted(three(), (0, 1, 0.3), (0, 3, 0.4), (1, 5, 0.7), (2, 6, 0.2), (2, 7, NAN)), 12
    ).asked
    assert found.first == FIRST
    first, second, third = present(found.paths)
    assert np.array_equal(first[:6], [NAN, 0.3, 0.3, 0.4, 0.4, 0.4], equal_nan=True)
    assert np.isnan(second[:5]).all()
    assert np.all(second[5:] == 0.7)
    assert np.all(third[6:] == 0.2)


def test_prices_from_after_the_last_day_are_not_looked_at() -> None:
    now = laid_out(quoted(three(), (0, 1, 0.3), (2, 6, 0.2)), 12).asked
    later = laid_out(quoted(three(), (0, 1, 0.3), (2, 6, 0.2), (2, 20, 0.9)), 12).asked
    assert np.array_equal(present(now.paths), present(later.paths), equal_nan=True)


def test_prices_of_markets_that_nobody_forecast_are_passed_over() -> None:
    whole = three()
    known = replace(whole, market=Factor(("m000", "m001", "m002", "other"), whole.market.codes))
    paths = present(laid_out(quoted(known, (0, 1, 0.3), (3, 1, 0.9)), 12).asked.paths)
    assert len(paths) == 3
    assert 0.9 not in paths


@pytest.mark.parametrize(("every", "fresh"), [(1, True), (4, True), (5, True), (6, False)])
def test_prices_are_fresh_where_four_of_five_open_days_have_one_of_three_days(
    *, every: int, fresh: bool
) -> None:
    both = board(np.repeat(TWO[:1], 2, 0), [NAN, 1], asked=[0, 0], due=[300, 1])
    found = laid_out(priced(both, 300, every=every), 299)
    assert (found.valuation is Valuation.MARKET) is fresh


def test_a_price_that_was_read_again_and_had_not_moved_is_fresh() -> None:
    days = [(2, day, 0.4 if day == 5 else NAN) for day in range(5, 20)]
    rows = [(0, day, 0.5) for day in range(4)] + [(1, day, 0.5) for day in range(3, 8)]
    assert laid_out(quoted(three(), *rows, *days), 20).valuation is Valuation.MARKET
    once = laid_out(quoted(three(), *rows, *days[:1]), 20)
    assert once.valuation is Valuation.SETTLED


def test_without_prices_what_is_open_counts_when_it_is_due() -> None:
    found = laid_out(three())
    assert (found.valuation, found.asked.paths) == (Valuation.SETTLED, None)


def test_a_season_has_what_was_asked_from_its_first_day_on() -> None:
    late = Season(START + 3 * DAY, timedelta(days=100))
    found = present(of_season(three(), 30, late))
    assert (found.asked.asked - FIRST).tolist() == [3, 5]
    assert of_season(three(), 30, Season(START + 9 * DAY, timedelta(days=100))) is None


def test_of_seasons_one_after_the_other_it_is_the_one_that_is_read() -> None:
    short = Season(START, timedelta(days=5), timedelta(days=5))
    for day, asked_on in ((5, [0, 3, 5]), (6, [5])):
        found = present(of_season(three([1, 0, 1]), day, short))
        assert (found.asked.asked - FIRST).tolist() == asked_on


def test_a_file_without_dates_is_of_one_day() -> None:
    found = of_file(timeless(season()))
    assert (found.dated, found.today) == (False, 0)
    assert set(found.asked.asked.tolist()) == set(found.asked.due.tolist()) == {0}


def test_a_row_without_a_date_has_no_part_in_the_claims_of_others() -> None:
    whole = season()
    at = whole.at.copy()
    at[3] = np.datetime64("NaT", "us")
    found = of_file(replace(whole, at=at))
    rest = of_file(whole.take(np.delete(np.arange(len(whole)), 3)))
    assert found.dated
    assert (found.undated, rest.undated) == (True, False)
    assert np.array_equal(found.asked.base, rest.asked.base, equal_nan=True)


def test_without_any_date_what_resolved_counts_at_once() -> None:
    whole = season()
    found = of_file(replace(whole, at=np.full(len(whole), np.datetime64("NaT", "us"))))
    assert (found.dated, found.undated, found.today) == (False, False, 0)
    resolved = ~np.isnan(found.asked.outcome)
    assert (found.asked.ended[resolved] == 0).all()


def test_a_file_with_dates_has_them() -> None:
    found = of_file(season())
    assert found.dated
    assert len(set(found.asked.asked.tolist())) == 30


def test_the_order_of_rows_changes_no_question() -> None:
    one, other = (of_file(f).asked for f in (season(), shuffled(season())))
    first, second = (a.base[:, np.lexsort((*a.base, a.asked))] for a in (one, other))
    assert np.allclose(first, second, equal_nan=True)


def test_options_have_the_score_of_what_came_true() -> None:
    asked = of_file(over_options(), "rps").asked
    assert np.nanmax(np.abs(asked.swing[:-1])) == 0
    assert np.nanmax(asked.base[:-1]) <= 0


def test_nobody_with_a_value_makes_no_board() -> None:
    empty = season().take(np.zeros(len(season()), bool))
    assert claim_board(empty, "brier", by_moment=True, scope=None) is None
    unpriced = replace(season(), market_p=np.full(len(season()), NAN))
    assert claim_board(unpriced, "alpha", by_moment=True, scope=None) is None
