from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from arena.records.estimate import State
from arena.scoring.bins import (
    BinningRule,
    Bins,
    Murphy,
    murphy,
    put_in_bins,
)
from tests.present import present
from tests.vectors import case, near, source

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
