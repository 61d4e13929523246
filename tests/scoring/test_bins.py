from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from arena.records.estimate import State
from arena.scoring.bins import CHUNK, BinningRule, Bins, Murphy, bin_table, murphy, put_in_bins
from arena.scoring.summaries import calibration_errors, in_the_large, top_label
from tests.present import present
from tests.vectors import case, near, source

TENTHS = [n / 10 for n in range(11)]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        pytest.param(BinningRule.DECIMAL, [*range(10), 9], id="a-decimal-opens-its-bin"),
        pytest.param(
            BinningRule.FLOAT_EDGES,
            [0, 1, 2, 2, 4, 5, 5, 6, 8, 9, 9],
            id="floats-put-3-and-7-low",
        ),
    ],
)
def test_tenths_fall_in_bins_as_the_rule_has_it(rule: BinningRule, expected: list[int]) -> None:
    assert put_in_bins(TENTHS, rule).codes.tolist() == expected


@pytest.mark.parametrize(
    ("id", "rule"),
    [
        ("s000.murphy.seed_code_semantics", BinningRule.FLOAT_EDGES),
        ("s000.murphy.exact_bins", BinningRule.DECIMAL),
        ("s000.murphy.market_exact_bins", BinningRule.DECIMAL),
    ],
)
def test_both_rules_sort_as_the_known_answers_do(id: str, rule: BinningRule) -> None:  # noqa: A002
    given = source(id)["input"]
    assert put_in_bins(given["f"], rule, given["n_bins"]).codes.tolist() == given["bin_index"]


def test_rounding_noise_does_not_move_a_forecast() -> None:
    assert put_in_bins([0.1 + 0.2, 0.7 - 1e-15, 0.7 - 1e-8]).codes.tolist() == [3, 7, 6]


@pytest.mark.parametrize("count", [1, 3, 20, 300])
def test_any_number_of_bins(count: int) -> None:
    p = np.random.default_rng(1).random(500)
    expected = np.minimum(np.floor(p * count), count - 1)
    for rule in (BinningRule.DECIMAL, BinningRule.FLOAT_EDGES):
        found = put_in_bins(p, rule, count)
        assert found.count == count
        assert found.codes.tolist() == expected.tolist()


def test_unique_values_are_bins_of_their_own_without_edges() -> None:
    found = put_in_bins([0.5, 0.2, 0.5], BinningRule.UNIQUE)
    assert (found.codes.tolist(), found.count, found.edges) == ([1, 0, 1], 2, None)


def test_a_table_skips_empty_bins_and_says_where_the_others_stand() -> None:
    table = bin_table([0.12, 0.18, 1.0], [0, 1, 1])
    assert table.index.tolist() == [1, 9]
    assert table.number.tolist() == [2, 1]
    assert table.mean_forecast.tolist() == pytest.approx([0.15, 1.0])
    assert table.frequency.tolist() == [0.5, 1.0]
    assert present(table.low).tolist() == [0.1, 0.9]
    assert present(table.high).tolist() == [0.2, 1.0]


@pytest.mark.parametrize("rule", list(BinningRule))
def test_no_forecast_gives_a_table_without_rows(rule: BinningRule) -> None:
    table = bin_table([], [], put_in_bins([], rule))
    assert (table.n, table.number.tolist()) == (0, [])


def test_chunks_change_nothing() -> None:
    rng = np.random.default_rng(3)
    p, y = rng.random(2 * CHUNK + 7), rng.integers(2, size=2 * CHUNK + 7)
    table = bin_table(p, y)
    inside = (p >= 0.3) & (p < 0.4)
    assert table.number[3] == inside.sum()
    assert table.mean_forecast[3] == pytest.approx(p[inside].mean(), abs=1e-14)
    assert table.frequency[3] == pytest.approx(y[inside].mean(), abs=1e-14)


def test_no_bins_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one bin"):
        put_in_bins([0.2], count=0)


def test_bins_of_other_forecasts_are_refused() -> None:
    with pytest.raises(ValueError, match="bins of 3"):
        bin_table([0.2], [0], put_in_bins([0.1, 0.2, 0.3]))


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


RULES = {
    "s000.murphy.seed_code_semantics": BinningRule.FLOAT_EDGES,
    "s000.murphy.exact_bins": BinningRule.DECIMAL,
    "s000.murphy.unique_values": BinningRule.UNIQUE,
    "s000.murphy.market_exact_bins": BinningRule.DECIMAL,
}
CASES = ("beta_n2000_10bins", "beta_n300_10bins", "equal_mass_6bins", "tiny_varying_in_bin")


def decomposed(given: Mapping[str, Any]) -> Murphy:
    edges = given["edges"]
    codes = np.searchsorted(edges[1:-1], given["p"], side="left")
    bins = Bins(codes.astype(np.uintp), len(edges) - 1, np.array(edges))
    return murphy(given["p"], given["y"], bins)


def test_the_three_terms_of_the_guide_are_not_its_brier_score() -> None:
    given = source("s000.murphy.seed_code_semantics")["input"]
    found = murphy(given["f"], given["o"], put_in_bins(given["f"], BinningRule.FLOAT_EDGES))
    terms = present(found.terms)
    assert round(terms.rel_minus_res_plus_unc, 4) == 0.0820
    assert round(terms.brier, 4) == 0.0827


@pytest.mark.parametrize("name", CASES)
def test_the_terms_are_those_of_exact_arithmetic(name: str) -> None:
    known = case("02_murphy", name)
    terms = present(decomposed(known["inputs"]).terms)
    ours = {
        "brier": terms.brier,
        "rel": terms.reliability,
        "res": terms.resolution,
        "unc": terms.uncertainty,
        "wbv": terms.within_bin_variance,
        "wbc": terms.within_bin_covariance,
        "three_component_gap": terms.three_component_gap,
    }
    expected = {key: known["expected"][key] for key in ours}
    assert near(ours, expected, known["tol"], relative=True)


def test_a_million_forecasts_add_up_to_a_plain_brier_score() -> None:
    rng = np.random.default_rng(4)
    p = rng.beta(0.8, 1.2, 10**6)
    y = (rng.random(10**6) < p).astype(np.int8)
    terms = present(murphy(p, y).terms)
    total = terms.rel_minus_res_plus_unc + terms.three_component_gap
    assert terms.brier == pytest.approx(np.mean((p - y) ** 2), abs=1e-12)
    assert total == pytest.approx(terms.brier, abs=1e-12)


@pytest.mark.parametrize(
    ("p", "y", "state"),
    [
        ([], [], State.EMPTY),
        ([0.3], [1], State.SINGLE),
        ([0.3, 0.6], [1, 1], State.DEGENERATE),
        ([0.3, 0.6], [0, 0], State.DEGENERATE),
        ([0.3, 0.6], [1, 0], State.OK),
    ],
)
def test_the_state_says_what_the_terms_cannot(
    p: list[float], y: list[int], state: State
) -> None:
    found = murphy(p, y)
    assert found.state is state
    assert (found.terms is None) == (state is State.EMPTY)
    assert found.few


def test_fifty_forecasts_are_not_few() -> None:
    assert not murphy([0.5] * 50, [0, 1] * 25).few
    assert murphy([0.5] * 49, [1] * 49).few


def test_outcomes_that_are_all_alike_have_no_resolution_and_no_uncertainty() -> None:
    terms = present(murphy([0.3, 0.62, 0.68], [1, 1, 1]).terms)
    assert (terms.resolution, terms.uncertainty) == (0, 0)
