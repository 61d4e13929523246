import numpy as np
import pytest

from arena.records.estimate import State
from arena.scoring.bins import bin_table
from arena.scoring.summaries import calibration_errors, in_the_large, top_label
from tests.present import present
from tests.vectors import case, near


def test_ece_equal_width_10_has_errors_counts_and_means() -> None:
    known = case("15_reliability_intervals_cluster", "ece_equal_width_10")
    given = known["inputs"]
    table = bin_table(given["p"], given["y"])
    found = present(calibration_errors(table))
    ours = {
        "ece": found.expected,
        "mce": found.maximum,
        "counts": table.number.tolist(),
        "mean_p": table.mean_forecast.tolist(),
        "mean_y": table.frequency.tolist(),
    }
    expected = {key: known["expected"][key] for key in ours}
    assert near(ours, expected, known["tol"], relative=True)


def test_no_forecast_has_no_error() -> None:
    assert calibration_errors(bin_table([], [])) is None


def test_the_first_of_equally_likely_options_is_the_top_label() -> None:
    confidence, hit = top_label([[0.2, 0.4, 0.4], [0.2, 0.4, 0.4], [1.0, 0.0, 0.0]], [1, 2, 0])
    assert confidence.tolist() == [0.4, 0.4, 1.0]
    assert hit.tolist() == [True, False, True]


def test_the_bins_of_top_labels_count_every_forecast_and_close_at_one() -> None:
    options = np.random.default_rng(2).dirichlet((1, 1, 1), 300)
    options[0] = (0, 1, 0)
    confidence, hit = top_label(options, np.ones(300, dtype=int))
    table = bin_table(confidence, hit)
    assert table.n == 300
    assert table.index.max() == 9
    assert table.index.min() >= 3


def test_options_that_do_not_sum_to_one_are_refused() -> None:
    with pytest.raises(ValueError, match="sum to 1"):
        top_label([[0.4, 0.4]], [0])


def test_mean_forecast_less_frequency_has_an_interval_by_event() -> None:
    found = in_the_large([0.5, 0.7, 0.6, 0.8], [0, 1, 0, 1], [0, 0, 1, 2])
    assert found.value == pytest.approx(0.15)
    assert (found.n, found.events) == (4, 3)
    assert found.interval is not None
    assert in_the_large([], [], []).state is State.EMPTY
