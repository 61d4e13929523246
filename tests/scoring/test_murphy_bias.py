import numpy as np
import pytest

from arena.scoring.bins import put_between
from arena.scoring.murphy import murphy
from arena.scoring.murphy_bias import Bounds, bias_corrected, term_errors
from tests.vectors import case, near

CASES = ("beta_n2000_10bins", "beta_n300_10bins", "equal_mass_6bins", "tiny_varying_in_bin")


@pytest.mark.parametrize("name", CASES)
def test_one_share_of_the_correction_keeps_terms_in_range_as_specsverification_does(
    name: str,
) -> None:
    known = case("02_murphy", name)
    given, expected = known["inputs"], known["expected"]["ferro_fricker"]
    bins = put_between(given["p"], given["edges"])
    found = bias_corrected(murphy(given["p"], given["y"], bins))
    errors = term_errors(given["p"], given["y"], bins, corrected=True)
    assert found is not None
    assert errors is not None
    ours = {
        "rel": found.reliability,
        "res": found.resolution,
        "unc": found.uncertainty,
        "sd_rel": errors.reliability,
        "sd_res": errors.resolution,
        "sd_unc": errors.uncertainty,
    }
    assert near(ours, expected, known["tol"], relative=True)


@pytest.mark.parametrize("name", CASES)
def test_terms_move_up_to_zero_as_in_s2dv(name: str) -> None:
    known = case("02_murphy", name)
    given, expected = known["inputs"], known["expected"]["s2dv"]
    plain = murphy(given["p"], given["y"], put_between(given["p"], given["edges"]))
    found = bias_corrected(plain, Bounds.SHIFTED)
    assert found is not None
    assert plain.terms is not None
    terms = plain.terms
    ours = {
        "rel": terms.reliability,
        "res": terms.resolution,
        "unc": terms.uncertainty,
        "bs": terms.brier,
        "gres": terms.generalised_resolution,
        "rel_bc": found.reliability,
        "gres_bc": found.generalised_resolution,
        "unc_bc": found.uncertainty,
        "check": terms.reliability - terms.generalised_resolution + terms.uncertainty,
    }
    assert near(ours, expected, known["tol"], relative=True)


@pytest.mark.parametrize("name", CASES)
def test_the_plain_terms_have_the_standard_deviations_of_siegert(name: str) -> None:
    known = case("02_murphy", name)
    given, expected = known["inputs"], known["expected"]["siegert_sd"]
    found = term_errors(given["p"], given["y"], put_between(given["p"], given["edges"]))
    assert found is not None
    ours = {"rel": found.reliability, "res": found.resolution, "unc": found.uncertainty}
    assert near(ours, expected, known["tol"], relative=True)


def test_without_bounds_a_corrected_term_may_be_negative() -> None:
    given = case("02_murphy", "equal_mass_6bins")["inputs"]
    plain = murphy(given["p"], given["y"], put_between(given["p"], given["edges"]))
    found = bias_corrected(plain, Bounds.NONE)
    assert found is not None
    assert found.reliability == pytest.approx(-0.00105233, abs=1e-8)


def test_the_corrected_terms_add_up_as_the_plain_ones_do() -> None:
    rng = np.random.default_rng(5)
    p = rng.random(80)
    plain = murphy(p, rng.random(80) < p)
    assert plain.terms is not None
    for bounds in (Bounds.NONE, Bounds.SCALED):
        found = bias_corrected(plain, bounds)
        assert found is not None
        total = found.reliability - found.resolution + found.uncertainty
        assert total == pytest.approx(plain.terms.rel_minus_res_plus_unc, abs=1e-12)


def test_the_correction_removes_the_bias_of_calibrated_forecasts() -> None:
    rng = np.random.default_rng(6)
    plain, corrected = [], []
    for _ in range(300):
        p = rng.integers(1, 10, size=60) / 10
        found = murphy(p, rng.random(60) < p)
        better = bias_corrected(found, Bounds.NONE)
        assert found.terms is not None
        assert better is not None
        plain.append(found.terms.reliability)
        corrected.append(better.reliability)
    assert np.mean(plain) > 0.02
    assert abs(np.mean(corrected)) < 0.003


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_forecasts_say_nothing_of_bias_or_error(n: int) -> None:
    assert bias_corrected(murphy([0.3] * n, [1] * n)) is None
    assert term_errors([0.3] * n, [1] * n) is None
