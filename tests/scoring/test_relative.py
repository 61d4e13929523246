from collections.abc import Callable
from math import e, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.scoring.relative import (
    Logarithm,
    baseline,
    baseline_bucket,
    baseline_density,
    confine,
    on_option,
    on_outcome,
    peer,
    peer_of_aggregate,
    peer_of_logs,
    relative,
)
from tests.vectors import near, source

forecasts = st.lists(st.floats(0.001, 0.999), min_size=2, max_size=12)


def test_meta_baseline_binary() -> None:
    v = source("meta.baseline.binary")
    p = np.array(v["input"]["p"])
    assert near(baseline(p).tolist(), v["expected"]["score"], v["tol"])
    assert baseline(p) == pytest.approx(100 * (np.log2(p) + 1), abs=1e-12)


def test_meta_baseline_mc8() -> None:
    v = source("meta.baseline.mc8")
    assert near(baseline(v["input"]["p"], 8).tolist(), v["expected"]["score"], v["tol"])


def test_meta_baseline_continuous() -> None:
    v = source("meta.baseline.continuous")
    heights, ends = v["input"]["pdf"], np.array(v["input"]["open_bounds"])
    assert near(baseline_density(heights, ends).tolist(), v["expected"]["score"], v["tol"])
    bucketed = baseline_bucket(
        np.array(heights) / 200, inside=True, open_bounds=ends, buckets=200
    )
    assert near(bucketed.tolist(), v["expected"]["score"], v["tol"])


def test_beyond_an_open_bound_the_baseline_is_a_twentieth() -> None:
    assert baseline_bucket(0.05, inside=False, open_bounds=1).item() == 0
    assert baseline_bucket(0.1, inside=False, open_bounds=2).item() == pytest.approx(
        50 * log(2)
    )
    with pytest.raises(ValueError, match="beyond a closed bound"):
        baseline_bucket(0.05, inside=False, open_bounds=0)


def test_meta_peer_3_sums_to_0() -> None:
    v = source("meta.peer.3")
    score = peer(v["input"]["p"])
    found = {"score": score.tolist(), "sum": score.sum()}
    assert near(found, v["expected"], v["tol"])


def test_meta_peer_4() -> None:
    v = source("meta.peer.4")
    assert near(peer(v["input"]["p"]).tolist(), v["expected"]["score"], v["tol"])


def test_meta_peer_faq_log() -> None:
    v = source("meta.peer.faq_log")
    logs = v["input"]["log_scores"]
    found = dict(zip(logs, peer_of_logs(list(logs.values())).tolist(), strict=True))
    assert near(found, v["expected"]["diff"], v["tol"])


@given(p=forecasts)
def test_the_peer_score_compares_with_the_geometric_mean_of_all(p: list[float]) -> None:
    n, said = len(p), np.array(p)
    against_all = 100 * n / (n - 1) * np.log(said / np.exp(np.log(said).mean()))
    assert peer(p) == pytest.approx(against_all, abs=1e-9)
    assert peer_of_aggregate(said, p) == pytest.approx(against_all, abs=1e-9)
    assert peer(p).sum() == pytest.approx(0, abs=1e-9)


@given(p=forecasts)
def test_a_numeric_peer_score_is_halved(p: list[float]) -> None:
    logs = np.log(p)
    assert peer(p, continuous=True) == pytest.approx(50 * peer_of_logs(logs), abs=1e-9)
    found = peer_of_aggregate(0.5, p, continuous=True).item()
    n = len(p)
    assert found == pytest.approx(50 * n / (n - 1) * (log(0.5) - logs.mean()), abs=1e-9)


def test_one_alone_and_who_is_not_there_score_0() -> None:
    assert peer([0.3]).tolist() == [0]
    assert peer_of_aggregate(0.3, [0.9]).item() == 0
    there = peer([[0.1, 0.5, np.nan], [0.1, np.nan, np.nan]], present=[[1, 1, 0], [1, 0, 0]])
    assert there[0] == pytest.approx([100 * log(0.2), -100 * log(0.2), 0])
    assert there[1].tolist() == [0, 0, 0]


def test_who_says_what_the_community_says_scores_0() -> None:
    assert relative(0.4, 0.4).item() == 0


def test_the_base_only_changes_the_unit() -> None:
    bits = relative(0.8, 0.4, base=Logarithm.TWO).item()
    assert (bits, relative(0.8, 0.4).item()) == pytest.approx((1, log(2)))


def test_0_is_confined_and_a_density_is_not() -> None:
    assert relative(0.0, 1.0).item() == pytest.approx(log(0.001 / 0.999))
    assert relative(5.0 * e, 5.0, continuous=True).item() == pytest.approx(1)


def test_what_a_forecast_said_of_the_outcome() -> None:
    assert on_outcome([0.8, 0.8], [1, 0]) == pytest.approx([0.8, 0.2])
    assert on_outcome(0.8, 0).item() == pytest.approx(0.2)
    assert on_outcome([0.0, 1.0], [0, 0]).tolist() == [1.0, 0.0]
    rows = [[0.5, 0.2, 0.3], [0.6, np.nan, 0.4]]
    assert on_option(rows, [1, 1]).tolist() == [0.2, 0.4]
    assert on_option(rows[0], 2).item() == 0.3
    assert on_option(rows, 0).tolist() == [0.5, 0.6]


def test_scores_take_tables_of_forecasts() -> None:
    p = np.linspace(0.1, 0.9, 6).reshape(2, 3)
    assert baseline(p, [2, 3, 4]).shape == (2, 3)
    assert relative(p, p[:, :1]).shape == (2, 3)
    assert peer(p)[1] == pytest.approx(peer(p[1]))


@pytest.mark.parametrize("wrong", [np.nan, 1.5, -0.1])
@pytest.mark.parametrize("score", [confine, baseline, peer])
def test_what_is_no_probability_has_no_score(
    score: Callable[[list[float]], object], wrong: float
) -> None:
    with pytest.raises(ValueError, match="lies in"):
        score([wrong, 0.5])


@pytest.mark.parametrize(
    ("score", "why"),
    [
        (lambda: on_outcome([0.5, 1.5], [1, 1]), "lies in"),
        (lambda: on_outcome(0.5, 2), "an outcome is 0 or 1"),
        (lambda: on_outcome([0.5, 0.5], [1, 2]), "an outcome is 0 or 1"),
        (lambda: on_option([0.5, 0.5], 0.5), "one of the 2 options"),
        (lambda: on_option([[0.5, 0.5], [0.5, 0.5]], [0, 2]), "one of the 2 options"),
        (lambda: on_option([np.nan, np.nan], 0), "lies in"),
        (lambda: on_option([[0.5, 0.5], [1.5, 0.5]], [0, 0]), "lies in"),
        (lambda: baseline([0.5, 0.5], [2, 1]), "at least two options"),
        (lambda: baseline([0.5, 0.5], [2, np.inf]), "at least two options"),
        (lambda: baseline_bucket(0.5, inside=True, buckets=0), "at least one bucket"),
        (lambda: baseline_bucket([0.5, 0.5], inside=[True, False]), "beyond a closed bound"),
        (lambda: baseline_density([1.0, 1.0], [0, 3]), "0, 1 or 2"),
        (lambda: baseline_density([1.0, 0.0]), "positive, finite"),
        (lambda: baseline_density([1.0, np.inf]), "positive, finite"),
        (lambda: peer_of_logs([-1.0, -np.inf]), "a finite number"),
    ],
)
def test_what_cannot_be_scored_is_refused(score: Callable[[], object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        score()
