from math import log

import numpy as np
import pytest

from arena.scoring.logarithmic import Clip, log_option_terms, log_terms
from tests.vectors import case, near

GUIDE = Clip.BETTING_GUIDE


@pytest.mark.parametrize("name", ["binary_cents_n1000", "binary_extreme_n50"])
def test_log_loss_as_others_have_it(name: str) -> None:
    v = case("01_scores", name)
    p, y, w = (v["inputs"][k] for k in ("p", "y", "w"))
    found = {
        "log_nats_mean": log_terms(p, y, clip=Clip.NONE).mean(),
        "log_nats_weighted": np.average(log_terms(p, y, clip=Clip.NONE), weights=w),
    }
    expected = {k: v["expected"][k] for k in found}
    assert near(found, expected, v["tol"], relative=True)


@pytest.mark.parametrize("name", ["multi_K5_n80", "multi_K11_n60"])
def test_log_loss_of_options_as_others_have_it(name: str) -> None:
    v = case("01_scores", name)
    found = log_option_terms(v["inputs"]["P"], v["inputs"]["y"], clip=Clip.NONE).mean()
    assert near(found, v["expected"]["log_nats_mean"], v["tol"], relative=True)


def test_edge_certain_misses_are_infinite_where_nothing_is_clipped() -> None:
    v = case("01_scores", "edge_certain")
    p, y = v["inputs"]["p"], v["inputs"]["y"]
    terms = log_terms(p, y, clip=Clip.NONE)
    assert near(terms.tolist(), v["expected"]["log_nats_each"], v["tol"])


def test_the_default_clip_caps_both_sides_alike() -> None:
    assert log_terms([0, 1], [1, 0]).tolist() == [-log(1e-6)] * 2


def test_metaculus_keeps_hits_from_certainty_too() -> None:
    terms = log_terms([1, 0], [1, 1], clip=Clip.METACULUS)
    assert terms == pytest.approx([-log(0.999), 6.907755279], abs=1e-9)


def test_a_clip_goes_up() -> None:
    with pytest.raises(ValueError, match="a clip goes up"):
        Clip("upside down", 0.9, 0.1)


@pytest.mark.parametrize(("p", "y"), [([1.1], [1]), ([np.nan], [0]), ([0.5], [2])])
def test_a_wrong_row_is_refused(p: list[float], y: list[int]) -> None:
    with pytest.raises(ValueError, match=r"lies in|is 0 or 1"):
        log_terms(p, y)
