from math import inf, log

import numpy as np
import pytest

from arena.records.estimate import State
from arena.scoring.logarithmic import (
    Clip,
    log_loss,
    log_loss_options,
    log_option_terms,
    log_terms,
    trimmed_log_loss,
)
from arena.scoring.proper import brier_terms
from arena.scoring.scored import CHUNK
from tests.vectors import case, near, source

GUIDE = Clip.BETTING_GUIDE


@pytest.mark.parametrize(
    "id", ["s000.log.agent", "s000.log.market", "s000.ex2.A", "s000.ex2.B"]
)
def test_log_loss_of_the_guide(id: str) -> None:  # noqa: A002
    v = source(id)
    f, o = v["input"]["f"], v["input"]["o"]
    terms = log_terms(f, o, clip=GUIDE)
    found = {"terms": terms.tolist(), "sum": terms.sum(), "mean": log_loss(f, o).value}
    assert near(found, v["expected"], v["tol"])


def test_s000_log_eps_edges_the_guides_clip_is_not_even() -> None:
    v = source("s000.log.eps_edges")
    f, o = v["input"]["f"], v["input"]["o"]
    terms = log_terms(f, o, clip=GUIDE)
    assert near(terms.tolist(), v["expected"]["terms"], v["tol"])
    assert log_loss(f, o, clip=GUIDE).clipped == 4


def test_s000_ex2_b_counterfactual_one_bold_miss_loses_to_a() -> None:
    v = source("s000.ex2.B_counterfactual")
    f, o = v["input"]["f"], v["input"]["o"]
    terms = log_terms(f, o, clip=GUIDE)
    a, b = source("s000.ex2.A")["input"], source("s000.ex2.B")["input"]
    theirs, whole = log_loss(a["f"], a["o"]).value, log_loss(f, o, clip=GUIDE).value
    assert theirs is not None
    assert whole is not None
    found = {
        "last_term": terms[-1],
        "ratio_to_0_55": terms[-1] / log_terms(b["f"], b["o"])[-1],
        "sum": terms.sum(),
        "mean": whole,
        "beats_A": whole < theirs,
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
    found = {
        "terms": log_option_terms(p, y).tolist(),
        "mean": log_loss_options(p, y).value,
    }
    assert near(found, v["expected"], v["tol"])


def test_s000_claim_99_perfect_1_disaster_wins_under_its_own_clip() -> None:
    v = source("s000.claim.99_perfect_1_disaster")
    perfect, ones = [1.0] * v["input"]["n_perfect"], np.ones(100, int)
    disaster, mild = [*perfect, 0.0], [*perfect, 0.001]
    means = [
        log_loss(disaster, ones, clip=GUIDE).value,
        log_loss([v["input"]["mediocre_f"]] * 100, ones, clip=GUIDE).value,
        log_loss(mild, ones, clip=GUIDE).value,
        log_loss(disaster, ones, clip=Clip.DEFAULT).value,
    ]
    own, coin, without, ours = (m for m in means if m is not None)
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
    whole = log_loss_options(p, y, clip=clip)
    assert near(whole.value, v["expected"]["log_loss_mean"], v["tol"])
    assert whole.clipped == 1
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
        "log_nats_mean": log_loss(p, y, clip=Clip.NONE).value,
        "log_bits_mean": log_loss(p, y, clip=Clip.NONE, bits=True).value,
        "log_nats_weighted": log_loss(p, y, weights=w, clip=Clip.NONE).value,
    }
    expected = {k: v["expected"][k] for k in found}
    assert near(found, expected, v["tol"], relative=True)


@pytest.mark.parametrize("name", ["multi_K5_n80", "multi_K11_n60"])
def test_log_loss_of_options_as_others_have_it(name: str) -> None:
    v = case("01_scores", name)
    found = log_loss_options(v["inputs"]["P"], v["inputs"]["y"], clip=Clip.NONE).value
    assert near(found, v["expected"]["log_nats_mean"], v["tol"], relative=True)


def test_edge_certain_misses_are_infinite_where_nothing_is_clipped() -> None:
    v = case("01_scores", "edge_certain")
    p, y = v["inputs"]["p"], v["inputs"]["y"]
    terms = log_terms(p, y, clip=Clip.NONE)
    assert near(terms.tolist(), v["expected"]["log_nats_each"], v["tol"])
    whole = log_loss(p, y, clip=Clip.NONE)
    assert (whole.value, whole.clipped) == (inf, 0)
    assert log_loss(p, y, clip=Clip.NONE, weights=[1, 1, 0, 0]).value == 0


@pytest.mark.parametrize("clip", [Clip.DEFAULT, Clip.NONE, GUIDE, Clip.METACULUS])
@pytest.mark.parametrize("bits", [False, True])
def test_the_mean_is_the_mean_of_the_terms(clip: Clip, bits: bool) -> None:  # noqa: FBT001
    rng = np.random.default_rng(5)
    for n in (1, 2, 33, CHUNK, 2 * CHUNK + 17):
        p = rng.beta(0.2, 0.2, n)
        y = (rng.random(n) < p).astype(np.uint8)
        whole = log_loss(p, y, clip=clip, bits=bits)
        terms = log_terms(p, y, clip=clip, bits=bits)
        assert whole.value == pytest.approx(terms.mean(), rel=1e-12, abs=1e-300)


def test_many_tiny_likelihoods_do_not_run_out_of_floats() -> None:
    p = np.full(CHUNK + 5, 1e-15)
    whole = log_loss(p, np.ones(p.size, int), clip=GUIDE)
    assert whole.value == pytest.approx(-log(1e-15), rel=1e-12)
    tiny = log_loss(np.full(100, 1e-300), np.ones(100, int), clip=Clip.NONE)
    assert tiny.value == pytest.approx(300 * log(10), rel=1e-12)


def test_the_default_clip_caps_both_sides_alike_and_counts() -> None:
    whole = log_loss([0, 1, 0.5], [1, 0, 1])
    assert whole.clipped == 2
    assert log_terms([0, 1], [1, 0]).tolist() == [-log(1e-6)] * 2
    assert whole.name == "log (nats, likelihood at least 1e-6)"


def test_metaculus_keeps_hits_from_certainty_too() -> None:
    terms = log_terms([1, 0], [1, 1], clip=Clip.METACULUS)
    assert terms == pytest.approx([-log(0.999), 6.907755279], abs=1e-9)
    assert log_loss([1, 0], [1, 1], clip=Clip.METACULUS).clipped == 2


def test_a_clip_goes_up() -> None:
    with pytest.raises(ValueError, match="a clip goes up"):
        Clip("upside down", 0.9, 0.1)


def test_trimming_drops_the_worst_and_says_that_it_is_not_proper() -> None:
    whole = trimmed_log_loss([0.9] * 99 + [0.0], np.ones(100, int), share=0.01)
    assert whole.value == pytest.approx(-log(0.9), abs=1e-15)
    assert (whole.dropped, whole.n, whole.proper) == (1, 100, False)
    assert trimmed_log_loss([0.9], [1], share=0.5).dropped == 0
    assert trimmed_log_loss([], []).state is State.EMPTY
    with pytest.raises(ValueError, match="the share"):
        trimmed_log_loss([0.9], [1], share=1)


def test_trimming_rewards_a_forecast_of_certainty() -> None:
    outcome = [1] * 99 + [0]
    honest = trimmed_log_loss([0.99] * 100, outcome, share=0.01).value
    extreme = trimmed_log_loss([1.0] * 100, outcome, share=0.01).value
    assert honest is not None
    assert extreme is not None
    assert extreme < honest


def test_no_forecast_has_no_mean() -> None:
    for whole in (log_loss([], []), log_loss_options(np.empty((0, 2)), [])):
        assert (whole.value, whole.n, whole.state) == (None, 0, State.EMPTY)


@pytest.mark.parametrize(("p", "y"), [([1.1], [1]), ([np.nan], [0]), ([0.5], [2])])
def test_a_wrong_row_is_refused(p: list[float], y: list[int]) -> None:
    for score in (log_loss, log_terms, trimmed_log_loss):
        with pytest.raises(ValueError, match=r"lies in|is 0 or 1"):
            score(p, y)
