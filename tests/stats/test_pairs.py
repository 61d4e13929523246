import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.records.estimate import State
from arena.stats.clusters import interval, mean_test
from arena.stats.multiple import bonferroni, holm
from arena.stats.pairs import Panel, all_pairs, events_needed, imputed, pair_rows, paired, panel
from arena.stats.wild import sign_flip
from tests.present import present
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
    found = paired(agent, market)
    test, sd = found.test, present(found.test.se) * np.sqrt(10)
    assert found.interval is not None
    told = {
        "d": (agent - market).tolist(),
        "mean": test.estimate,
        "sd": sd,
        "se": test.se,
        "t": test.statistic,
        "p_two_sided": test.p,
        "ci95": [found.interval.low, found.interval.high],
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
    test = paired(agent, market).test
    told = {
        "mean": test.estimate,
        "sd": present(test.se) * np.sqrt(10),
        "t": test.statistic,
        "p_two_sided": test.p,
    }
    assert near(told, known["expected"], known["tol"])


@given(seed=st.integers(0, 500))
@settings(max_examples=25)
def test_each_pair_is_a_clustered_test_on_common_questions(seed: int) -> None:
    loss, who, question, event = _rows(seed)
    found = all_pairs(panel(loss, who, question, event))
    where = dict(zip(question.tolist(), event.tolist(), strict=True))
    assert [(p.first, p.second) for p in found] == [
        (i, j) for i in range(5) for j in range(i + 1, 5)
    ]
    for pair in found:
        one, other = (
            dict(zip(question[who == c].tolist(), loss[who == c], strict=True))
            for c in (pair.first, pair.second)
        )
        common = sorted(one.keys() & other.keys())
        d, events = [one[q] - other[q] for q in common], [where[q] for q in common]
        alone, band = mean_test(d, events), interval(d, events).interval
        test = pair.test
        assert (test.n, test.events, test.name) == (alone.n, alone.events, alone.name)
        told, expected = ([t.estimate, t.se, t.p] for t in (test, alone))
        assert near(told, expected, 1e-10)
        ends = [[i.low, i.high] if i else None for i in (pair.interval, band)]
        assert near(ends[0], ends[1], 1e-9)


def test_a_pair_with_few_events_can_have_its_signs_flipped() -> None:
    loss, who, question, event = _rows(2)
    made = panel(loss, who, question, event)
    d, events = pair_rows(made, 1, 3)
    pair = next(p for p in all_pairs(made) if (p.first, p.second) == (1, 3))
    flipped = sign_flip(d, np.random.default_rng(0), events=events)
    assert (flipped.n, flipped.events) == (pair.test.n, pair.test.events)
    assert flipped.estimate == pytest.approx(pair.test.estimate)
    assert flipped.p == pytest.approx(pair.test.p, abs=0.1)


def test_the_family_is_all_pairs_that_have_a_test() -> None:
    loss, who, question, event = _rows(1)
    alone = panel(
        np.append(loss, 0.5), np.append(who, 5), np.append(question, 99), np.append(event, 99)
    )
    found = all_pairs(alone)
    told = [p for p in found if p.test.p is not None]
    assert (len(found), len(told)) == (15, 10)
    assert all(p.p_adjusted is None for p in found if p.second == 5)
    expected = holm(np.array([p.test.p for p in told]))
    assert [p.p_adjusted for p in told] == expected.tolist()
    harder = [p for p in all_pairs(alone, adjust=bonferroni) if p.test.p is not None]
    assert all(
        present(a.p_adjusted) >= present(b.p_adjusted)
        for a, b in zip(harder, told, strict=True)
    )


def test_equal_forecasters_are_not_told_apart() -> None:
    pair = all_pairs(panel([0.1, 0.2, 0.1, 0.2], [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 0, 1]))[0]
    assert (pair.test.state, pair.test.p, pair.interval) == (State.DEGENERATE, 1.0, None)


def test_several_forecasts_of_a_question_are_one() -> None:
    found = panel([0.1, 0.3, 0.5], [0, 0, 1], [7, 7, 7], [0, 0, 0])
    assert found.losses.tolist() == [[0.2], [0.5]]


def _gaps() -> Panel:
    return panel(
        [0.2, 0.3, 0.4, 0.5, 0.1, 0.9],
        [0, 0, 0, 0, 1, 2],
        [0, 1, 2, 3, 1, 9],
        [0, 0, 1, 1, 0, 4],
    )


def test_a_missing_forecast_can_stand_for_the_market() -> None:
    plain, filled = _gaps(), imputed(_gaps(), 0)
    assert all_pairs(plain)[0].test.n == 1
    with_market = all_pairs(filled)[0]
    assert with_market.test.n == 4
    assert with_market.test.estimate == pytest.approx(0.2 / 4)
    assert filled.coverage() == (0.8, 0.2, 0.2)


def test_questions_without_a_market_are_left_as_they_are() -> None:
    filled = imputed(_gaps(), 0)
    assert filled.there[:, -1].tolist() == [False, False, True]
    with pytest.raises(ValueError, match="no contestant"):
        imputed(_gaps(), 3)


def test_nobody_and_nothing_make_no_claims() -> None:
    nothing = panel([], [], [], [], size=3)
    assert nothing.coverage() == (None, None, None)
    assert [p.test.state for p in all_pairs(nothing)] == [State.EMPTY] * 3
    assert all_pairs(panel([], [], [], [])) == ()
    assert paired([], []).test.state is State.EMPTY


@pytest.mark.parametrize(
    ("event", "size", "why"),
    [([0, 1], None, "two events"), ([0, 0], 1, "number above"), ([0], None, "one code")],
)
def test_rows_that_contradict_each_other_are_refused(
    event: list[int], size: int | None, why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        panel([0.1, 0.2], [0, 1], [5, 5], event, size=size)


def test_pairs_are_of_one_length() -> None:
    with pytest.raises(ValueError, match="as many"):
        paired([0.1], [0.1, 0.2])


def test_a_difference_of_0_takes_forever_to_show() -> None:
    assert events_needed(0.0, 1.0) is None
    assert events_needed(0.5, 1.0) == pytest.approx(31.395, abs=1e-3)
    with pytest.raises(ValueError, match="not negative"):
        events_needed(0.5, -1.0)
