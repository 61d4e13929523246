"""Evidence that may be looked at whenever one likes."""

from collections.abc import Callable

import numpy as np
import pytest

from arena.stats.comparisons.sequential import (
    ScoringRule,
    anytime_p,
    betting_wealth,
    henzi_ziegel,
    kappa,
    plugin_bets,
)
from tests.vectors import near, source

HALF = np.array([0.5])


def test_ext_hz_evalue_brier() -> None:
    known = source("ext.hz_evalue.brier")
    p, q, y = (np.array(known["input"][name]) for name in ("p", "q", "y"))
    e = henzi_ziegel(p, q, y, weight=known["input"]["alt_prob"])
    wealth = np.cumprod(e)
    found = {"kappa": kappa(p, q), "e": e, "e_process": wealth, "evidence_final": wealth[-1]}
    assert near(found, known["expected"], known["tol"])


def test_ext_hz_evalue_log() -> None:
    known = source("ext.hz_evalue.log")
    p, q, y = (np.array(known["input"][name]) for name in ("p", "q", "y"))
    e = henzi_ziegel(p, q, y, rule=ScoringRule.LOG, weight=known["input"]["alt_prob"])
    assert near({"e": e, "e_process": np.cumprod(e)}, known["expected"], known["tol"])


def test_ext_betting_eprocess_clv8_fixed() -> None:
    known = source("ext.betting_eprocess.clv8_fixed")
    wealth = betting_wealth(np.array(known["input"]["x"]), known["input"]["lam"])
    found = {
        "lam": [known["input"]["lam"]] * 8,
        "wealth": wealth.e,
        "final": wealth.e[-1],
        "max": wealth.e.max(),
        "anytime_p": wealth.p[-1],
    }
    assert near(found, known["expected"], known["tol"])


def test_ext_betting_eprocess_series20_plugin() -> None:
    known = source("ext.betting_eprocess.series20_plugin")
    x = np.array(known["input"]["x"])
    bets = plugin_bets(x)
    wealth = betting_wealth(x, bets)
    found = {
        "lam": bets,
        "wealth": wealth.e,
        "final": wealth.e[-1],
        "max": wealth.e.max(),
        "anytime_p": wealth.p[-1],
    }
    assert near(found, known["expected"], known["tol"])


def test_plugin_bets_look_only_back() -> None:
    x = np.array([0.3, -0.2, 0.1, -0.5, 0.05, 0.6])
    bets = plugin_bets(x, largest=1)
    changed = plugin_bets(np.append(x[:-1], -0.9), largest=1)
    assert np.array_equal(bets, changed)
    past = x[:3]
    assert bets[3] == pytest.approx(past.mean() / (past.var(ddof=1) + past.mean() ** 2))
    assert bets[4] == 0


def test_plugin_bets_on_nothing_are_nothing() -> None:
    assert plugin_bets(np.zeros(4)).tolist() == [0, 0, 0, 0]
    assert plugin_bets(np.empty(0)).size == 0
    assert plugin_bets(np.array([0.1])).tolist() == [0]


def test_losing_everything_ends_at_nothing() -> None:
    wealth = betting_wealth(np.array([1.0, -1.0, 3.0]), 1.0)
    assert wealth.e.tolist() == [2, 0, 0]
    assert wealth.p.tolist() == [0.5, 0.5, 0.5]


@pytest.mark.parametrize("rule", list(ScoringRule))
def test_an_e_value_expects_one_where_both_are_as_good(rule: ScoringRule) -> None:
    p, q = np.array([0.9, 0.2, 0.6]), np.array([0.5, 0.25, 0.61])
    at = kappa(p, q, rule)
    yes = henzi_ziegel(p, q, np.ones(3, int), rule=rule)
    no = henzi_ziegel(p, q, np.zeros(3, int), rule=rule)
    assert np.allclose(at * yes + (1 - at) * no, 1, rtol=1e-12)
    assert np.all((at > np.minimum(p, q)) & (at < np.maximum(p, q)))


def test_the_log_kappa_is_where_expected_log_scores_meet() -> None:
    p, q = np.array([0.9]), np.array([0.4])
    at = kappa(p, q, ScoringRule.LOG)
    own = at * np.log(p) + (1 - at) * np.log(1 - p)
    assert np.allclose(own, at * np.log(q) + (1 - at) * np.log(1 - q))


def test_agreement_is_no_evidence() -> None:
    same = np.array([0.0, 0.3, 1.0])
    assert henzi_ziegel(same, same, np.array([0, 1, 1])).tolist() == [1, 1, 1]
    assert henzi_ziegel(HALF, HALF, np.array([1]), rule=ScoringRule.LOG).tolist() == [1]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: anytime_p(np.array([-0.1])),
        lambda: anytime_p(np.array([1.0]), best_of=0),
        lambda: kappa(np.array([1.2]), HALF),
        lambda: kappa(np.array([1.0]), HALF, ScoringRule.LOG),
        lambda: kappa(np.array([np.nan]), HALF),
        lambda: henzi_ziegel(HALF, np.array([0.1, 0.2]), np.array([1])),
        lambda: henzi_ziegel(HALF, HALF, np.array([2])),
        lambda: henzi_ziegel(HALF, HALF, np.array([1]), weight=1.1),
        lambda: betting_wealth(np.array([-1.1]), 0.5),
        lambda: betting_wealth(np.array([0.1]), 1.1),
        lambda: plugin_bets(np.array([np.inf])),
        lambda: plugin_bets(np.array([0.1]), largest=2),
    ],
)
def test_nonsense_is_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        wrong()
