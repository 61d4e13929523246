"""Intervals that hold at every look."""

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.stats.sequences import (
    Centre,
    ConfidenceSequence,
    Curve,
    asymptotic,
    cut_to,
    empirical_bernstein,
    hoeffding,
    predictable_mixture,
    running_intersection,
)
from tests.vectors import case, near, source

Floats = NDArray[np.float64]


def test_tie_n300_by_five_methods() -> None:
    known = case("13_anytime_valid", "tie_n300")
    expected, alpha = known["expected"], known["inputs"]["alpha"]
    d = _gains(known["inputs"])
    running = predictable_mixture(d, alpha, centre=Centre.RUNNING)
    found = {
        "eb": empirical_bernstein(d, alpha),
        "hoeffding": hoeffding(d, alpha),
        "asymptotic": asymptotic(d, alpha),
        "predmix_eb": predictable_mixture(d, alpha),
        "confseq_predmix_empbern": cut_to(running, -1, 1),
    }

    for name, sequence in found.items():
        for end, values in (("lcb", sequence.low), ("ucb", sequence.high)):
            assert near(
                values.tolist(), expected[f"{name}_{end}"], known["tol"], relative=True
            ), (name, end)
    assert d.mean() == pytest.approx(expected["delta_mean"], abs=1e-12)
    half = 1.959963984540054 * d.std(ddof=1) / np.sqrt(d.size)
    one_look = [d.mean() - half, d.mean() + half]
    assert one_look == pytest.approx(expected["fixed_n_normal_ci"], abs=1e-4)


def test_ext_asymp_cs() -> None:
    known = source("ext.asymp_cs")
    given = known["input"]
    found = asymptotic(np.array(given["delta"]), given["alpha"], t_star=given["t_star"])
    assert near(found.low.tolist(), known["expected"]["lower"], known["tol"])
    assert near(found.high.tolist(), known["expected"]["upper"], known["tol"])


def test_the_two_asymptotic_forms_meet_at_unit_variance() -> None:
    d = np.resize([1.0, -1.0], 400)
    varying = asymptotic(d).high - asymptotic(d).low
    one = asymptotic(d, same_law=True)
    assert (one.high - one.low)[-1] == pytest.approx(varying[-1], rel=0.01)


def test_a_stitched_curve_is_wider_than_a_mixture() -> None:
    d = np.random.default_rng(3).uniform(-1, 1, 200)
    for method in (hoeffding, empirical_bernstein):
        narrow, wide = method(d), method(d, curve=Curve.STITCHED)
        assert np.all(wide.high >= narrow.high)
        assert np.all(wide.low <= narrow.low)


@pytest.mark.parametrize("high", [1.0, 3.0, 10.0])
def test_hoeffding_scales_with_the_range(high: float) -> None:
    d = np.random.default_rng(4).uniform(-1, 1, 50)
    unit = hoeffding(d, v_opt=10)
    scaled = hoeffding(d * high, within=(-high, high), v_opt=10 * high**2)
    assert np.allclose(scaled.high, high * unit.high)


def test_mirrored_differences_mirror_every_interval() -> None:
    d = np.random.default_rng(5).uniform(-1, 1, 80)
    for method in (hoeffding, empirical_bernstein, asymptotic, predictable_mixture):
        one, other = method(d), method(-d)
        assert np.allclose(one.low, -other.high)


def test_a_running_intersection_never_widens() -> None:
    d = np.random.default_rng(6).uniform(-0.5, 1, 300)
    plain = predictable_mixture(d)
    found = running_intersection(plain)
    assert np.all(np.diff(found.high - found.low) <= 0)
    assert np.all(found.low >= plain.low)
    assert found.method.endswith("running intersection")


@pytest.mark.parametrize(
    "method", [hoeffding, empirical_bernstein, asymptotic, predictable_mixture]
)
def test_no_difference_gives_no_interval_and_nonsense_is_refused(method: object) -> None:
    assert callable(method)
    empty = method(np.array([]))
    assert isinstance(empty, ConfidenceSequence)
    assert empty.low.size == 0
    for wrong in (np.array([np.nan]), np.array([[0.1]]), np.array([np.inf])):
        with pytest.raises(ValueError, match="finite"):
            method(wrong)
    with pytest.raises(ValueError, match="level"):
        method(np.array([0.1]), 1.0)


def test_a_difference_out_of_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="outside"):
        empirical_bernstein(np.array([1.2]))
    with pytest.raises(ValueError, match="upwards"):
        hoeffding(np.array([0.0]), within=(1, -1))
    with pytest.raises(ValueError, match="largest bet"):
        predictable_mixture(np.array([0.0]), largest_bet=1.0)
    with pytest.raises(ValueError, match="least intrinsic"):
        asymptotic(np.array([0.0]), floor=0)


def test_intervals_hold_the_mean_at_every_look() -> None:
    rng = np.random.default_rng(11)
    missed = {"eb": 0, "hoeffding": 0, "mixture": 0, "asymptotic": 0}
    for _ in range(60):
        d = rng.choice([-0.6, 0.1, 0.5], size=150)
        found = {
            "eb": empirical_bernstein(d),
            "hoeffding": hoeffding(d),
            "mixture": predictable_mixture(d),
            "asymptotic": asymptotic(d),
        }
        for name, sequence in found.items():
            missed[name] += bool(np.any((sequence.low > 0) | (sequence.high < 0)))
    assert all(count <= 5 for count in missed.values())


def _gains(given: dict[str, list[float]]) -> Floats:
    p, q, y = (np.array(given[name]) for name in ("p", "q", "y"))
    return np.asarray((q - y) ** 2 - (p - y) ** 2)
