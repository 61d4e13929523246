from math import log

import numpy as np
import pytest

from arena.scoring.logarithmic import Clip, log_option_terms, log_terms
from arena.scoring.proper import brier_terms
from tests.vectors import case, near, source

GUIDE = Clip.BETTING_GUIDE


@pytest.mark.parametrize(
    "id",
    ["s000.log.agent", "s000.log.market", "s000.ex2.A", "s000.ex2.B", "s000.log.eps_edges"],
)
def test_log_loss_of_the_guide(id: str) -> None:  # noqa: A002
    v = source(id)
    f, o = v["input"]["f"], v["input"]["o"]
    terms = log_terms(f, o, clip=GUIDE)
    found = {"terms": terms.tolist(), "sum": terms.sum(), "mean": terms.mean()}
    assert near(found, v["expected"], v["tol"])


def test_s000_ex2_b_counterfactual_one_bold_miss_loses_to_a() -> None:
    v = source("s000.ex2.B_counterfactual")
    f, o = v["input"]["f"], v["input"]["o"]
    terms = log_terms(f, o, clip=GUIDE)
    a, b = source("s000.ex2.A")["input"], source("s000.ex2.B")["input"]
    theirs = log_terms(a["f"], a["o"]).mean()
    found = {
        "last_term": terms[-1],
        "ratio_to_0_55": terms[-1] / log_terms(b["f"], b["o"])[-1],
        "sum": terms.sum(),
        "mean": terms.mean(),
        "beats_A": terms.mean() < theirs,
    }
    assert near(found, v["expected"], v["tol"])


def test_s000_ex2_a_printed_list_and_the_right_one() -> None:
    v = source("s000.ex2.A_printed_list")
    printed = log_terms(v["input"]["printed_logs"], np.ones(7, int))
    right = log_terms(v["expected"]["correct_args"], np.ones(5, int))
    assert near(printed.sum(), v["expected"]["value"], v["tol"])
    assert printed.size == v["expected"]["n_terms"]
    assert near(right.sum(), v["expected"]["correct_value"], v["tol"])


def test_s000_table_penalty_grows_faster_in_logarithms() -> None:
    v = source("s000.table.penalty")
    f, o = v["input"]["f"], np.zeros(6, int)
    brier, loss = brier_terms(f, o), log_terms(f, o)
    found = {
        "brier": brier.tolist(),
        "log": loss.tolist(),
        "brier_ratio_last_first": brier[-1] / brier[0],
        "log_ratio_last_first": loss[-1] / loss[0],
    }
    assert near(found, v["expected"], v["tol"])


def test_s000_multiclass_log() -> None:
    v = source("s000.multiclass_log")
    p, y = v["input"]["p"], v["input"]["y"]
    found = {"terms": log_option_terms(p, y).tolist(), "mean": log_option_terms(p, y).mean()}
    assert near(found, v["expected"], v["tol"])


def test_s000_claim_99_perfect_1_disaster_wins_under_its_own_clip() -> None:
    v = source("s000.claim.99_perfect_1_disaster")
    perfect, ones = [1.0] * v["input"]["n_perfect"], np.ones(100, int)
    disaster, mild = [*perfect, 0.0], [*perfect, 0.001]
    own, coin, without, ours = (
        log_terms(disaster, ones, clip=GUIDE).mean(),
        log_terms([v["input"]["mediocre_f"]] * 100, ones, clip=GUIDE).mean(),
        log_terms(mild, ones, clip=GUIDE).mean(),
        log_terms(disaster, ones, clip=Clip.DEFAULT).mean(),
    )
    found = {
        "mean_loss_disaster_agent": own,
        "mean_loss_coinflip": coin,
        "disaster_agent_wins": own < coin,
        "mediocre_breakeven_f": np.exp(-own),
        "disaster_prob_needed_to_lose_to_coinflip": np.exp(-100 * coin),
        "mean_loss_if_disaster_is_0_999": without,
        "mediocre_breakeven_f_if_0_999": np.exp(-without),
        "with_eps_1e6": ours,
    }
    assert near(found, v["expected"], v["tol"])
    assert found["disaster_prob_needed_to_lose_to_coinflip"] == pytest.approx(2.0**-100)


def test_s002_scores_and_log_examples_clip_options_at_1e_6() -> None:
    clip = Clip.FORTY_FIVE_PERCENT
    v = source("s002.scores.3way")
    p, y = v["input"]["p"], v["input"]["y"]
    assert near(log_option_terms(p, y, clip=clip).tolist(), v["expected"]["log_loss"], v["tol"])
    assert near(
        log_option_terms(p, y, clip=clip).mean(), v["expected"]["log_loss_mean"], v["tol"]
    )
    v = source("s002.scores.bounds")
    terms = log_option_terms(v["input"]["p"], v["input"]["y"], clip=clip)
    assert near(terms.tolist(), v["expected"]["log_loss_eps1e6"], v["tol"])
    v = source("s002.log_examples")
    terms = log_terms(v["input"]["p"], [1, 1], clip=clip)
    assert near(terms.tolist(), v["expected"]["loss"], v["tol"])


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
