import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.agents.samples import Aggregate, Pooling, from_log_odds, log_odds

PLAIN = [rule for rule in Aggregate if rule is not Aggregate.EXTREMISED]
chances = st.lists(st.floats(0, 1), min_size=1, max_size=25)


def pooled(rule: Aggregate, *stated: float) -> float:
    return Pooling(rule).of(stated)


def test_the_median_of_an_even_number_is_halfway() -> None:
    assert pooled(Aggregate.MEDIAN, 0.9, 0.1, 0.2, 0.4) == pytest.approx(0.3)


def test_the_mean_is_the_mean() -> None:
    assert pooled(Aggregate.MEAN, 0.1, 0.2, 0.6) == pytest.approx(0.3)


def test_the_trimmed_mean_of_five_leaves_out_the_lowest_and_the_highest() -> None:
    assert pooled(Aggregate.TRIMMED_MEAN, 1.0, 0.5, 0.3, 0.4, 0.0) == pytest.approx(0.4)


def test_the_trimmed_mean_of_four_leaves_out_nothing() -> None:
    assert pooled(Aggregate.TRIMMED_MEAN, 0.1, 0.2, 0.3, 1.0) == pytest.approx(0.4)


def test_the_trimmed_mean_of_25_leaves_out_ten() -> None:
    stated = [0.0] * 5 + [0.5] * 15 + [1.0] * 5
    assert Pooling(Aggregate.TRIMMED_MEAN).of(stated) == 0.5


def test_the_geometric_mean_of_odds_of_a_published_example() -> None:
    # four forecasts of 1.40 %, 2.21 %, 0.39 % and 0.40 %: odds of 1 to 118, not 1 to 91
    p = pooled(Aggregate.GEOMETRIC_MEAN_OF_ODDS, 0.0140, 0.0221, 0.0039, 0.0040)
    assert p == pytest.approx(0.0084, abs=5e-5)
    assert (1 - p) / p == pytest.approx(118, abs=1)


def test_extremising_raises_the_pooled_odds_to_a_power() -> None:
    # odds of 4, squared: 16 to 1
    assert Pooling(Aggregate.EXTREMISED, 2.0).of([0.8, 0.8]) == pytest.approx(16 / 17)
    assert pooled(Aggregate.EXTREMISED, 0.8) == pytest.approx(8 / 9)  # 4 ** 1.5


def test_for_odds_a_certainty_counts_as_999_in_1000() -> None:
    said = pooled(Aggregate.GEOMETRIC_MEAN_OF_ODDS, 0.0, 0.5)
    assert said == pytest.approx(1 / (1 + math.sqrt(999)))


def test_unanimous_certainty_stays_certain_unless_extremised() -> None:
    assert [pooled(rule, 1.0, 1.0) for rule in PLAIN] == [1.0] * len(PLAIN)
    assert 0.999 < pooled(Aggregate.EXTREMISED, 1.0, 1.0) < 1


@pytest.mark.parametrize("stated", [[], [1.1], [-0.1, 0.5], [math.nan]])
def test_what_is_no_probability_is_refused(stated: Sequence[float]) -> None:
    with pytest.raises(ValueError, match="no probabilities"):
        Pooling().of(stated)


@given(chances, st.sampled_from(PLAIN))
def test_the_aggregate_lies_between_the_lowest_and_the_highest(
    stated: list[float], rule: Aggregate
) -> None:
    assert min(stated) <= Pooling(rule).of(stated) <= max(stated)


@given(st.data(), chances, st.sampled_from(Aggregate))
def test_the_order_does_not_matter(
    data: st.DataObject, stated: list[float], rule: Aggregate
) -> None:
    mixed = data.draw(st.permutations(stated))
    assert Pooling(rule).of(mixed) == Pooling(rule).of(stated)


@given(chances, st.sampled_from(Aggregate))
def test_of_no_it_is_the_rest_to_one(stated: list[float], rule: Aggregate) -> None:
    other = Pooling(rule).of([1 - p for p in stated])
    assert other == pytest.approx(1 - Pooling(rule).of(stated), abs=1e-9)


@given(chances, st.floats(1, 10))
def test_extremising_moves_away_from_one_half_and_never_across(
    stated: list[float], exponent: float
) -> None:
    said = Pooling(Aggregate.EXTREMISED, exponent).of(stated)
    plain = Pooling(Aggregate.EXTREMISED, 1.0).of(stated)
    assert 0 <= said <= 1
    assert abs(said - 0.5) >= abs(plain - 0.5) - 1e-12
    assert (said - 0.5) * (plain - 0.5) >= 0


@given(st.floats(0.001, 0.999))
def test_log_odds_read_back(p: float) -> None:
    assert from_log_odds(log_odds(p)) == pytest.approx(p, rel=1e-9)
