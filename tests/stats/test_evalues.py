"""Evidence that may be looked at whenever one likes."""

from collections.abc import Callable

import numpy as np
import pytest

from arena.stats.evalues import (
    Rule,
    anytime_p,
    batch_means,
    betting_wealth,
    henzi_ziegel,
    kappa,
    nonoverlapping_batches,
    plugin_bets,
    portfolio_evalue,
    product,
    weak_null_wealth,
)
from arena.stats.sequences import intrinsic_time
from tests.vectors import case, near, source

HALF = np.array([0.5])


def test_ext_hz_evalue_brier() -> None:
    known = source("ext.hz_evalue.brier")
    p, q, y = (np.array(known["input"][name]) for name in ("p", "q", "y"))
    e = henzi_ziegel(p, q, y, weight=known["input"]["alt_prob"])
    wealth = product(e).e
    found = {"kappa": kappa(p, q), "e": e, "e_process": wealth, "evidence_final": wealth[-1]}
    assert near(found, known["expected"], known["tol"])


def test_ext_hz_evalue_log() -> None:
    known = source("ext.hz_evalue.log")
    p, q, y = (np.array(known["input"][name]) for name in ("p", "q", "y"))
    e = henzi_ziegel(p, q, y, rule=Rule.LOG, weight=known["input"]["alt_prob"])
    assert near({"e": e, "e_process": product(e).e}, known["expected"], known["tol"])


def test_ext_eprocess_expm() -> None:
    known = source("ext.eprocess_expm")
    given, expected = known["input"], known["expected"]
    d = np.array(given["delta"])
    wealth = weak_null_wealth(
        d, c=given["c"], v_opt=given["v_opt"], alpha=given["alpha_one_sided"]
    )
    found = {"V": intrinsic_time(d), "log_e": wealth.log_e, "e": wealth.e}
    for name, values in found.items():
        assert near(values.tolist(), expected[name], known["tol"])


def test_tie_n300_e_processes_of_both_sides() -> None:
    known = case("13_anytime_valid", "tie_n300")
    given, expected = known["inputs"], known["expected"]
    p, q, y = (np.array(given[name]) for name in ("p", "q", "y"))
    d = (q - y) ** 2 - (p - y) ** 2
    for sign, name in ((1, "e_pq"), (-1, "e_qp")):
        e = weak_null_wealth(sign * d, alpha=given["alpha"] / 2, ceiling=1e7).e
        assert near(e.tolist(), expected[name], known["tol"], relative=True)
        if name == "e_pq":
            assert expected["first_t_with_e_pq_ge_40"] is None
            assert e.max() < 40


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


def test_ext_portfolio_evalue() -> None:
    known = source("ext.portfolio_evalue")
    found = portfolio_evalue(np.array(known["input"]["total"]), known["input"]["initial"])
    assert near({"e": found.e, "anytime_p": found.p}, known["expected"], known["tol"])


def test_the_best_of_twenty_needs_twenty_times_as_much() -> None:
    total = np.array([10_000, 400_000, 20_000])
    assert portfolio_evalue(total, 10_000).p[-1] == pytest.approx(0.025)
    assert portfolio_evalue(total, 10_000, best_of=20).p[-1] == pytest.approx(0.5)
    assert anytime_p(total / 10_000, best_of=20)[-1] == pytest.approx(0.5)


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


@pytest.mark.parametrize("rule", list(Rule))
def test_an_e_value_expects_one_where_both_are_as_good(rule: Rule) -> None:
    p, q = np.array([0.9, 0.2, 0.6]), np.array([0.5, 0.25, 0.61])
    at = kappa(p, q, rule)
    yes = henzi_ziegel(p, q, np.ones(3, int), rule=rule)
    no = henzi_ziegel(p, q, np.zeros(3, int), rule=rule)
    assert np.allclose(at * yes + (1 - at) * no, 1, rtol=1e-12)
    assert np.all((at > np.minimum(p, q)) & (at < np.maximum(p, q)))


def test_the_log_kappa_is_where_expected_log_scores_meet() -> None:
    p, q = np.array([0.9]), np.array([0.4])
    at = kappa(p, q, Rule.LOG)
    own = at * np.log(p) + (1 - at) * np.log(1 - p)
    assert np.allclose(own, at * np.log(q) + (1 - at) * np.log(1 - q))


def test_agreement_is_no_evidence() -> None:
    same = np.array([0.0, 0.3, 1.0])
    assert henzi_ziegel(same, same, np.array([0, 1, 1])).tolist() == [1, 1, 1]
    assert henzi_ziegel(HALF, HALF, np.array([1]), rule=Rule.LOG).tolist() == [1]


def test_open_together_averages_and_an_event_counts_once() -> None:
    e = np.array([2.0, 4.0, 1.0, 3.0])
    assert batch_means(e, np.array([7, 7, 3, 7])).tolist() == [1, 3]
    assert batch_means(e, np.array([7, 7, 3, 7]), np.array([1, 1, 1, 2])).tolist() == [1, 3]
    assert batch_means(e, np.array([7, 7, 3, 7]), np.array([1, 2, 1, 2])).tolist() == [1, 2.75]
    assert batch_means(np.empty(0), np.empty(0, int)).size == 0


def test_batches_begin_when_all_before_has_resolved() -> None:
    day = np.array(["2026-01-05", "2026-01-01", "2026-01-04", "2026-02-01"], "datetime64[D]")
    end = np.array(["2026-01-09", "2026-01-05", "2026-01-04", "2026-02-02"], "datetime64[D]")
    assert nonoverlapping_batches(day, end).tolist() == [1, 0, 0, 2]
    assert nonoverlapping_batches(day[:0], end[:0]).size == 0
    with pytest.raises(ValueError, match="later"):
        nonoverlapping_batches(end, day)


def test_overlapping_copies_are_not_counted_as_new_evidence() -> None:
    e = np.repeat(henzi_ziegel(np.array([0.9]), HALF, np.array([1])), 50)
    opened = np.zeros(50)
    batch = nonoverlapping_batches(opened, opened + 1)
    assert product(batch_means(e, batch)).e[-1] == pytest.approx(e[0])
    assert product(e).e[-1] > 700


def test_wealth_too_large_for_a_float_is_cut() -> None:
    wealth = product(np.full(2000, 10.0))
    assert np.all(np.isfinite(wealth.e))
    assert wealth.log_e[-1] == pytest.approx(2000 * np.log(10))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: anytime_p(np.array([-0.1])),
        lambda: anytime_p(np.array([1.0]), best_of=0),
        lambda: portfolio_evalue(np.array([-1.0]), 10),
        lambda: portfolio_evalue(np.array([1.0]), 0),
        lambda: kappa(np.array([1.2]), HALF),
        lambda: kappa(np.array([1.0]), HALF, Rule.LOG),
        lambda: kappa(np.array([np.nan]), HALF),
        lambda: henzi_ziegel(HALF, np.array([0.1, 0.2]), np.array([1])),
        lambda: henzi_ziegel(HALF, HALF, np.array([2])),
        lambda: henzi_ziegel(HALF, HALF, np.array([1]), weight=1.1),
        lambda: product(np.array([np.nan])),
        lambda: batch_means(np.array([1.0]), np.array([1, 2])),
        lambda: weak_null_wealth(np.array([2.1])),
        lambda: weak_null_wealth(np.array([np.nan])),
        lambda: weak_null_wealth(np.array([0.1]), alpha=0.5),
        lambda: betting_wealth(np.array([-1.1]), 0.5),
        lambda: betting_wealth(np.array([0.1]), 1.1),
        lambda: plugin_bets(np.array([np.inf])),
        lambda: plugin_bets(np.array([0.1]), largest=2),
    ],
)
def test_nonsense_is_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        wrong()
