import numpy as np
import pytest

from arena.stats.comparisons.difference import events_needed, panel
from arena.stats.mean_intervals import interval, mean_test
from tests.present import present
from tests.stats.intervals import ends
from tests.vectors import near, source


def _rows(seed: int, k: int = 5, m: int = 24) -> tuple[np.ndarray, ...]:
    """Losses, contestants, questions and events; three questions of ten are left out."""
    rng = np.random.default_rng(seed)
    who, question = np.repeat(np.arange(k), m), np.tile(rng.permutation(m), k)
    keep = rng.random(who.size) < 0.7
    loss = rng.random(who.size) + 0.2 * who
    return loss[keep], who[keep], question[keep], (question // 3)[keep]


def test_paired_brier_scores_of_agent_and_market() -> None:
    known = source("s000.paired_brier_diff")
    given_, expected = known["input"], known["expected"]
    o = np.array(given_["o"])
    agent, market = ((np.array(given_[key]) - o) ** 2 for key in ("agent", "market"))
    d, rows = agent - market, np.arange(10)
    test, between = mean_test(d, rows), interval(d, rows).interval
    sd = present(test.se) * np.sqrt(10)
    told = {
        "d": d.tolist(),
        "mean": test.estimate,
        "sd": sd,
        "se": test.se,
        "t": test.statistic,
        "p_two_sided": test.p,
        "ci95": ends(between),
    }
    needed = "n_for_80pct_power_two_sided_0_05"
    assert test.df == (9,)
    assert told.keys() | {needed} == expected.keys()
    assert near(told, {key: expected[key] for key in told}, known["tol"])
    # printed to ten digits, of which the last is worth 1e-5
    assert near(events_needed(present(test.estimate), sd), expected[needed], 1e-5)


def test_paired_log_scores_of_agent_and_market() -> None:
    known = source("s000.paired_log_diff")
    o = np.array(known["input"]["o"])
    agent, market = (
        -np.log(np.abs(np.array(known["input"][key]) - (1 - o))) for key in ("agent", "market")
    )
    test = mean_test(agent - market, np.arange(10))
    told = {
        "mean": test.estimate,
        "sd": present(test.se) * np.sqrt(10),
        "t": test.statistic,
        "p_two_sided": test.p,
    }
    assert near(told, known["expected"], known["tol"])


def test_several_forecasts_of_a_question_are_one() -> None:
    found = panel([0.1, 0.3, 0.5], [0, 0, 1], [7, 7, 7], [0, 0, 0])
    assert found.losses.tolist() == [[0.2], [0.5]]


@pytest.mark.parametrize(("event", "why"), [([0, 1], "two events"), ([0], "one code")])
def test_rows_that_contradict_each_other_are_refused(event: list[int], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        panel([0.1, 0.2], [0, 1], [5, 5], event)


def test_a_difference_of_0_takes_forever_to_show() -> None:
    assert events_needed(0.0, 1.0) is None
    assert events_needed(0.5, 1.0) == pytest.approx(31.395, abs=1e-3)
    with pytest.raises(ValueError, match="not negative"):
        events_needed(0.5, -1.0)
