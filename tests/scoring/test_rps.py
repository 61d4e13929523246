import numpy as np
import pytest

from arena.scoring.proper import brier_option_terms, brier_terms, rps_terms
from arena.scoring.skill import skill_of_terms
from tests.vectors import case, near, source

FOOTBALL = ("H", "D", "A")


def _order(k: int) -> tuple[str, ...]:
    return tuple(str(n) for n in range(k))


def test_s002_scores_3way_and_bounds_rps() -> None:
    v = source("s002.scores.3way")
    p, y, order = v["input"]["p"], v["input"]["y"], v["input"]["order"]
    assert near(rps_terms(p, y, order=order).tolist(), v["expected"]["rps"], v["tol"])
    whole = rps_terms(p, y, order=order).mean()
    assert near(whole, v["expected"]["rps_mean"], v["tol"])
    v = source("s002.scores.bounds")
    terms = rps_terms(v["input"]["p"], v["input"]["y"], order=FOOTBALL)
    assert near(terms.tolist(), v["expected"]["rps"], v["tol"])


def test_s002_rps_order_matters() -> None:
    v = source("s002.rps_order_matters")
    p, y = v["input"]["p"], v["input"]["y"]
    assert near(rps_terms(p, y, order=FOOTBALL).tolist(), v["expected"]["rps"], v["tol"])
    assert near(brier_option_terms(p, y).tolist(), v["expected"]["brier"], v["tol"])


def test_s002_rps_binary_equals_half_brier2() -> None:
    v = source("s002.rps_binary_equals_half_brier2")
    p, y = v["input"]["p"], v["input"]["y"]
    ranked = rps_terms(p, y, order=("no", "yes"))
    assert near(ranked.item(), v["expected"]["rps"], v["tol"])
    assert near(brier_option_terms(p, y).item(), v["expected"]["brier_sum"], v["tol"])
    assert near(ranked.item(), brier_terms([0.3], [1]).item(), v["tol"])


def test_constantinou_fenton_2012_five_matches() -> None:
    v = case("01_scores", "constantinou_fenton_2012_five_matches")
    terms = rps_terms(v["inputs"]["P"], v["inputs"]["y"], order=FOOTBALL).tolist()
    assert near(terms, v["expected"]["rps_printed"], v["tol"], relative=True)
    assert near(terms, v["expected"]["rps_R_verification"], 1e-15)


def test_rps_exact_rational_3way() -> None:
    v = case("01_scores", "rps_exact_rational_3way")
    terms = rps_terms(v["inputs"]["P"], v["inputs"]["y"], order=FOOTBALL).tolist()
    assert near(terms, v["expected"]["rps_norm_Kminus1"], v["tol"], relative=True)
    fractions = [[int(n) for n in (e + "/1").split("/")[:2]] for e in v["expected"]["exact"]]
    assert near(terms, [a / b for a, b in fractions], v["tol"], relative=True)


@pytest.mark.parametrize("name", ["multi_K5_n80", "multi_K11_n60"])
def test_rps_as_others_have_it(name: str) -> None:
    v = case("01_scores", name)
    p, y = v["inputs"]["P"], v["inputs"]["y"]
    order = _order(len(p[0]))
    own = rps_terms(p, y, order=order)
    climate = np.tile(np.bincount(y, minlength=len(order)) / len(y), (len(y), 1))
    found = {
        "rps_each_unnormalised": rps_terms(p, y, order=order, normalised=False).tolist(),
        "rps_mean_unnormalised": rps_terms(p, y, order=order, normalised=False).mean(),
        "rps_mean_norm_Kminus1": rps_terms(p, y, order=order).mean(),
        "rpss_vs_climatology": skill_of_terms(own, rps_terms(climate, y, order=order)).value,
    }
    assert near(found, {k: v["expected"][k] for k in found}, v["tol"], relative=True)


@pytest.mark.parametrize("order", ["HDA", ("H", "D"), ("H", "D", "H")])
def test_an_order_names_each_option_once(order: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="names each of them once"):
        rps_terms([[0.5, 0.3, 0.2]], [0], order=order)
