import numpy as np
import pytest

from benchmarks import coverage, coverage_labels, coverage_series
from benchmarks.samples import BRIER, FAMILIES, LOG, Family, Questions, five, very_unequal
from benchmarks.tables import Share, farthest, print_table
from tests.sizes import size

BY_NAME = {family.name: family for family in FAMILIES}


def shares(family: Family, events: int = 40, slow: int = 1) -> dict[str, float]:
    found = coverage.cell(coverage.Cell(family, events, batches=1, slow=slow))
    return {share.method: share.percent for share in found}


def default_of(found: dict[str, float]) -> float:
    (share,) = [value for method, value in found.items() if method.endswith("(default)")]
    return share


@pytest.mark.parametrize(
    "family", [one for one in FAMILIES if not one.beyond], ids=lambda family: family.name
)
def test_every_default_holds_the_truth_of_forty_events_about_as_often_as_it_says(
    family: Family,
) -> None:
    assert default_of(shares(family)) == pytest.approx(95, abs=2.5)


@pytest.mark.parametrize(
    "family", [one for one in FAMILIES if one.beyond], ids=lambda family: family.name
)
def test_what_is_beyond_the_default_is_still_nearer_than_equal_arms(family: Family) -> None:
    found = shares(family)
    assert found["events, t"] + 1 < default_of(found) < 95


def test_rows_that_share_their_news_are_no_independent_rows() -> None:
    found = shares(BY_NAME["Brier difference of equals, ladders of 5"], slow=100)
    assert found["rows, normal"] < 75
    assert found["rows, percentile"] < 85
    assert found["events, percentile"] > found["rows, percentile"]


def test_the_log_scale_is_nearer_than_equal_arms() -> None:
    found = shares(BY_NAME["Mean log loss, twice overconfident"])
    assert default_of(found) > found["events, t"] + 1


@pytest.mark.parametrize(
    "law",
    [
        Questions(BRIER),
        Questions(LOG, stretch=2.0),
        Questions(BRIER, five),
        Questions(BRIER, very_unequal, (0.5, 1.0)),
    ],
)
def test_the_true_mean_is_that_of_very_many_draws(law: Questions) -> None:
    sample = law.draw(np.random.default_rng(3), 1, 200_000)
    sums, counts = sample.table()
    assert sums.sum() / counts.sum() == pytest.approx(sample.truth, abs=0.006)


def test_equals_have_no_true_difference() -> None:
    assert Questions(BRIER, five, (0.8, 0.8)).truth() == 0


def test_the_rows_of_a_trial_are_those_of_its_events() -> None:
    sample = Questions(BRIER, very_unequal).draw(np.random.default_rng(4), 3, 5)
    sums, counts = sample.table()
    values, events = sample.rows(2)
    assert np.allclose(np.bincount(events, values, minlength=5), sums[2])
    assert np.array_equal(np.bincount(events, minlength=5), counts[2])


def test_the_same_cell_is_drawn_again_in_the_same_way() -> None:
    family = BY_NAME["Closing line value, sd 25 %"]
    assert shares(family, 12, 20) == shares(family, 12, 20)


def test_a_test_of_a_series_that_knows_of_dependence_rejects_less() -> None:
    found = {
        share.method: share.percent
        for share in coverage_series.cell(
            coverage_series.Cell(coverage_series.LAWS[2], 40, 1000, 300)
        )
    }
    assert found["prewhitened periodogram, t (default)"] == pytest.approx(5.5, abs=2.5)
    assert found["paired t (textbook, one step)"] > 20


def test_events_allow_for_more_than_rows_where_days_are_shared_too() -> None:
    found = {share.method: share.percent for share in coverage_series.shared_days(40, 300)}
    assert found["events, t"] > found["rows, t"]


def test_the_label_is_withheld_from_few_events_and_the_sources_is_not() -> None:
    few = [i for i, null in enumerate(coverage_labels.NULLS) if null.bets == 20]
    genuine = coverage_labels.labels(few[0], size(150, 300))[:3]
    source, events, scaled = (share.percent for share in genuine)
    assert source > 4
    assert events == scaled == 0


def test_the_efficiency_test_of_an_efficient_market_mostly_says_nothing() -> None:
    plain, again = coverage_labels.efficiency(30, size(40, 100), size(2, 10))
    assert plain.percent < 20
    assert again.trials == size(2, 10)


def test_a_table_has_a_column_a_size_and_a_verdict_looks_at_the_large_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = [Share("f", "m (default)", n, hits, 100) for n, hits in ((8, 80), (40, 93))]
    print_table("Title", made, 95.0)
    assert capsys.readouterr().out.splitlines()[-1] == "| m (default) | 80.0 | 93.0 | 2.2 |"
    assert farthest(made, 95.0) == pytest.approx(2)
    assert all(share.default for share in made)
