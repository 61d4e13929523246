"""What decompositions, bins and adjusted scores promise for every sample."""

from math import isclose

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.scoring.bins import BinningRule, bin_table, murphy, put_in_bins
from arena.scoring.corp import Loss, corp, pool
from arena.scoring.difficulty import panel, two_way
from arena.scoring.summaries import calibration_errors, discrimination
from tests.present import present
from tests.sizes import size

prices = st.integers(0, 1000).map(lambda k: k / 1000)
probabilities = st.one_of(prices, st.floats(0, 1))
samples = st.lists(st.tuples(probabilities, st.integers(0, 1)), min_size=1, max_size=60)
rules = st.sampled_from(list(BinningRule))
losses = st.sampled_from(list(Loss))
Sample = list[tuple[float, int]]


def columns(sample: Sample) -> tuple[list[float], list[int]]:
    return [p for p, _ in sample], [y for _, y in sample]


@given(samples, rules, st.integers(1, 30))
def test_five_terms_are_the_brier_score(sample: Sample, rule: BinningRule, count: int) -> None:
    p, y = columns(sample)
    terms = present(murphy(p, y, put_in_bins(p, rule, count)).terms)
    plain = sum((a - b) ** 2 for a, b in sample) / len(sample)
    total = terms.reliability - terms.resolution + terms.uncertainty
    total += terms.within_bin_variance - terms.within_bin_covariance
    assert isclose(terms.brier, plain, abs_tol=1e-12)
    assert isclose(total, plain, abs_tol=1e-12)
    assert min(terms.reliability, terms.resolution, terms.within_bin_variance) >= 0


@given(samples)
def test_forecasts_of_a_unique_bin_do_not_vary(sample: Sample) -> None:
    p, y = columns(sample)
    terms = present(murphy(p, y, put_in_bins(p, BinningRule.UNIQUE)).terms)
    assert abs(terms.three_component_gap) < 1e-15


@given(samples, rules, st.integers(1, 30))
def test_every_forecast_is_in_one_bin_and_within_its_ends(
    sample: Sample, rule: BinningRule, count: int
) -> None:
    p, y = columns(sample)
    bins = put_in_bins(p, rule, count)
    table = bin_table(p, y, bins)
    assert table.n == len(p)
    assert set(table.index.tolist()) == set(bins.codes.tolist())
    if table.low is not None and table.high is not None:
        assert np.all(table.low - 1e-9 <= table.mean_forecast)
        assert np.all(table.mean_forecast <= table.high + 1e-9)


@given(samples, losses)
def test_corp_adds_up_and_no_term_is_negative(sample: Sample, loss: Loss) -> None:
    terms = present(corp(*columns(sample), loss).terms)
    total = terms.miscalibration - terms.discrimination + terms.uncertainty
    assert isclose(total, terms.score, abs_tol=1e-12)
    assert min(terms.miscalibration, terms.discrimination, terms.uncertainty) >= 0


@given(samples, losses)
def test_recalibrated_forecasts_are_calibrated(sample: Sample, loss: Loss) -> None:
    p, y = columns(sample)
    first = corp(p, y, loss)
    assert first.terms is not None
    again = corp(first.curve.recalibrated(p), y, loss)
    assert again.terms is not None
    assert again.terms.miscalibration <= 1e-12
    assert isclose(again.terms.discrimination, first.terms.discrimination, abs_tol=1e-12)


@given(samples.flatmap(lambda sample: st.tuples(st.just(sample), st.permutations(sample))))
def test_the_order_of_rows_says_nothing(both: tuple[Sample, Sample]) -> None:
    sample, mixed = both
    assert corp(*columns(mixed)).terms == corp(*columns(sample)).terms
    assert discrimination(*columns(mixed)) == discrimination(*columns(sample))


@given(samples)
def test_seeing_everything_twice_changes_no_plain_term(sample: Sample) -> None:
    for found in (murphy, corp):
        once, twice = found(*columns(sample)), found(*columns(sample + sample))
        for name in once.terms.__slots__ if once.terms else ():
            a, b = getattr(once.terms, name), getattr(twice.terms, name)
            assert isclose(a, b, abs_tol=1e-12)


@given(samples, losses)
def test_yes_and_no_are_names_only(sample: Sample, loss: Loss) -> None:
    flipped = [(1 - p, 1 - y) for p, y in sample if 1 - (1 - p) == p]
    kept = [(p, y) for p, y in sample if 1 - (1 - p) == p]
    if kept:
        one, other = (
            present(corp(*columns(kept), loss).terms),
            present(corp(*columns(flipped), loss).terms),
        )
        assert isclose(one.miscalibration, other.miscalibration, abs_tol=1e-9)
        assert isclose(one.discrimination, other.discrimination, abs_tol=1e-9)


@given(samples)
def test_a_rising_recalibration_does_not_change_discrimination(sample: Sample) -> None:
    grid = [(round(p, 3), y) for p, y in sample]
    bent = [(p**2, y) for p, y in grid]
    assert discrimination(*columns(bent)).auc == discrimination(*columns(grid)).auc
    one, other = present(corp(*columns(grid)).terms), present(corp(*columns(bent)).terms)
    assert isclose(one.discrimination, other.discrimination, abs_tol=1e-12)


@given(samples, rules, st.integers(1, 12))
def test_errors_of_calibration_are_ordered(
    sample: Sample, rule: BinningRule, count: int
) -> None:
    p, y = columns(sample)
    found = present(calibration_errors(bin_table(p, y, put_in_bins(p, rule, count))))
    assert 0 <= found.expected <= found.maximum + 1e-12


blocks = st.lists(
    st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
    min_size=1,
    max_size=40,
)


@given(blocks)
def test_pooled_frequencies_rise_and_blocks_keep_their_counts(
    found: list[tuple[int, int]],
) -> None:
    number, yes = (np.array(column) for column in zip(*found, strict=True))
    pooled = pool(number, yes)
    frequency = pooled.yes / pooled.number
    assert np.all(np.diff(frequency) > 0)
    assert np.add.reduceat(number, pooled.first).tolist() == pooled.number.tolist()
    assert np.add.reduceat(yes, pooled.first).tolist() == pooled.yes.tolist()


@given(blocks)
def test_a_block_is_the_best_of_all_ways_to_pool(found: list[tuple[int, int]]) -> None:
    number, yes = (np.array(column) for column in zip(*found, strict=True))
    pooled = pool(number, yes)
    fitted = np.repeat(pooled.yes / pooled.number, np.diff(pooled.first, append=len(number)))
    ends = np.concatenate(([0], np.cumsum(number)))
    total = np.concatenate(([0], np.cumsum(yes)))
    minmax = [
        max(
            min(
                (total[stop] - total[start]) / (ends[stop] - ends[start])
                for stop in range(at + 1, len(number) + 1)
            )
            for start in range(at + 1)
        )
        for at in range(len(number))
    ]
    assert np.allclose(fitted, minmax, rtol=0, atol=1e-14)


grids = st.integers(2, 5).flatmap(
    lambda a: st.lists(
        st.tuples(st.integers(0, a - 1), st.integers(0, 7), st.floats(0, 1)),
        min_size=1,
        max_size=40,
    )
)
Rows = list[tuple[int, int, float]]


@settings(max_examples=size(20, 60))
@given(grids, st.floats(-1, 1), st.integers(0, 7))
def test_a_harder_question_changes_no_contestant(rows: Rows, by: float, which: int) -> None:
    agent, question, score = (list(c) for c in zip(*rows, strict=True))
    harder = [s + by * (q == which) for q, s in zip(question, score, strict=True)]
    one = present(two_way(panel(agent, question, score)))
    other = present(two_way(panel(agent, question, harder)))
    for group in range(one.panel.groups):
        moved = (other.effect - one.effect)[one.panel.group == group]
        assert np.ptp(moved) == pytest.approx(0, abs=1e-9)


@settings(max_examples=size(20, 60))
@given(grids, st.floats(-1, 1))
def test_a_better_contestant_is_better_by_as_much(rows: Rows, by: float) -> None:
    agent, question, score = (list(c) for c in zip(*rows, strict=True))
    last = max(agent)
    better = [s + by * (a == last) for a, s in zip(agent, score, strict=True)]
    found = panel(agent, question, score)
    one, other = two_way(found), two_way(panel(agent, question, better))
    assert one is not None
    assert other is not None
    *others, own = (other.effect - one.effect)[found.group == found.group[-1]]
    assert own - np.array(others) == pytest.approx(np.full(len(others), by), abs=1e-9)
