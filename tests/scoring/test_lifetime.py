import numpy as np
import pytest

from arena.scoring.bets.lifetime import (
    AveragingPeriod,
    Lives,
    at_time,
    seconds,
    spot_time,
    time_average,
    until_replaced,
)
from arena.scoring.proper import brier_terms
from arena.scoring.relative import baseline, on_outcome, peer
from tests.vectors import near, source

INF = np.inf


def _lives(*lives: tuple[float, float, float]) -> Lives:
    opened, scheduled, closed = np.array(lives, dtype=float).T
    return Lives(opened, scheduled, closed)


def test_meta_baseline_time_average() -> None:
    v = source("meta.baseline.time_average")
    daily = v["input"]["daily"]
    start = np.array([day for day, p in enumerate(daily) if p is not None], float)
    value = baseline(on_outcome([p for p in daily if p is not None], np.ones(4)))
    pair = np.zeros(4, int)
    end = until_replaced(pair, start)
    lives = _lives((0, 5, 5))
    found = time_average(value, (pair, start, end), lives)
    each = [
        at_time(value, (pair, start, end), [day + 0.5])[0].item() for day in range(len(daily))
    ]
    says = {"daily_score": each, "average": found.score.item()}
    assert near(says, v["expected"], v["tol"])
    assert found.coverage.tolist() == [0.8]


def test_meta_peer_time_a_third_joins_at_half_time() -> None:
    v = source("meta.peer.time")
    p, joined = np.array(v["input"]["p"]), np.array(v["input"]["start"])
    instants, ends = np.array([0.0, 0.5]), np.array([0.5, 1.0])
    present = joined <= instants[:, None]
    scores = peer(np.tile(p, (2, 1)), present=present)
    row, pair = np.nonzero(present)
    stay = (pair, instants[row], ends[row])
    found = time_average(scores[row, pair], stay, _lives(*[(0, 1, 1)] * 3))
    says = {"score": found.score.tolist(), "coverage": found.coverage.tolist()}
    assert near(says, v["expected"], v["tol"])


def test_after_an_early_close_the_rest_counts_as_0() -> None:
    stay = ([0, 1], [0.0, 0.0], [INF, INF])
    lives = _lives((0, 10, 4), (0, 10, 10))
    cut = time_average([50.0, 50.0], stay, lives)
    assert cut.score.tolist() == [20, 50]
    assert cut.coverage.tolist() == [0.4, 1]
    assert cut.standing.tolist() == [50, 50]
    actual = time_average([50.0, 50.0], stay, lives, over=AveragingPeriod.ACTUAL)
    assert actual.score.tolist() == [50, 50]


def test_only_time_while_the_market_is_open_counts() -> None:
    found = time_average([1.0], ([0], [-5.0], [99.0]), _lives((0, 10, 20)))
    assert (found.score.item(), found.coverage.item()) == (1, 1)
    never = time_average([1.0], ([0], [11.0], [INF]), _lives((0, 10, 10)))
    assert (never.score.item(), never.coverage.item()) == (0, 0)
    assert np.isnan(never.standing.item())


def test_a_market_that_closed_at_once_has_no_score() -> None:
    found = time_average(
        [1.0], ([0], [0.0], [INF]), _lives((0, 10, 0)), over=AveragingPeriod.ACTUAL
    )
    assert (found.score.item(), found.coverage.item()) == (0, 0)


def test_a_loss_is_filled_where_no_forecast_stood() -> None:
    loss = brier_terms([0.9], [1])
    found = time_average(loss, ([0], [5.0], [INF]), _lives((0, 10, 10)))
    assert found.filled(0.25).item() == pytest.approx(0.5 * 0.01 + 0.5 * 0.25)
    assert found.standing.item() == pytest.approx(0.01)


def test_many_pairs_at_once_are_each_their_own() -> None:
    rng = np.random.default_rng(3)
    pair = rng.integers(0, 30, 400)
    start, value = rng.uniform(-1, 12, 400), rng.normal(size=400)
    end = until_replaced(pair, start)
    lives = _lives(*[(0, 10, c) for c in rng.uniform(1, 12, 30)])
    found = time_average(value, (pair, start, end), lives)
    for k in range(30):
        one = _lives((0, 10, lives.closed[k]))
        own = pair == k
        stay = (np.zeros(own.sum(), int), start[own], end[own])
        alone = time_average(value[own], stay, one)
        assert found.score[k] == pytest.approx(alone.score[0], abs=1e-12)
        assert found.coverage[k] == pytest.approx(alone.coverage[0], abs=1e-12)


def test_a_forecast_stands_until_it_is_replaced_or_withdrawn() -> None:
    pair, start = [0, 0, 1, 0], [3.0, 1.0, 2.0, 3.0]
    assert until_replaced(pair, start).tolist() == [3, 3, INF, INF]
    gone = until_replaced(pair, start, withdrawn=[INF, 2.0, 5.0, 1.0])
    assert gone.tolist() == [3, 2, 5, 3]


def test_on_the_spot_what_stands_is_scored() -> None:
    stay = ([0, 0, 1], [0.0, 4.0, 0.0], [4.0, INF, 2.0])
    score, there = at_time([10.0, 20.0, 30.0], stay, [4.0, 2.0, 1.0])
    assert score.tolist() == [20, 0, 0]
    assert there.tolist() == [True, False, False]


def test_the_spot_is_chosen_or_revealed_or_the_close() -> None:
    lives = _lives(*[(0, 10, 8)] * 4)
    found = spot_time(lives, chosen=[3, 9, np.nan, np.nan], revealed=[1, 1, 2, -1])
    assert found.tolist() == [3, 8, 2, 8]
    assert spot_time(_lives((0, 10, 12))).tolist() == [10]


def test_dates_are_seconds() -> None:
    at = np.array(["1970-01-02", "NaT"], dtype="datetime64[s]")
    assert seconds(at).tolist() == [86400, INF]
    assert seconds(at, missing=-1).tolist() == [86400, -1]


@pytest.mark.parametrize(
    ("stay", "why"),
    [
        (([0, 1], [0.0], [1.0, 1.0]), "columns of one length"),
        (([0, 2], [0.0, 0.0], [1.0, 1.0]), "one of 2"),
        (([0, 0.5], [0.0, 0.0], [1.0, 1.0]), "one of 2"),
        (([0, 1], [0.0, 2.0], [1.0, 1.0]), "ends after it begins"),
        (([0, 1], [0.0, np.nan], [1.0, 1.0]), "ends after it begins"),
        (([0, 0], [0.0, 0.5], [1.0, 1.0]), "one forecast at a time"),
        (([0, 1, 1], [0.0, 0.0, 0.5], [1.0, 1.0, 1.0]), "one forecast at a time"),
    ],
)
def test_stays_that_cannot_be_are_refused(
    stay: tuple[list[int], list[float], list[float]], why: str
) -> None:
    lives = _lives((0, 10, 10), (0, 10, 10))
    with pytest.raises(ValueError, match=why):
        time_average([1.0] * len(stay[0]), stay, lives)


def test_other_columns_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="a stay has a score"):
        time_average([np.nan], ([0], [0.0], [1.0]), _lives((0, 1, 1)))
    with pytest.raises(ValueError, match="closes after it opens"):
        _lives((5, 5, 5))
    with pytest.raises(ValueError, match="at some time"):
        _lives((0, np.nan, 5))
    with pytest.raises(ValueError, match="columns of one length"):
        Lives(np.zeros(1), np.ones(2), np.ones(2))
    with pytest.raises(ValueError, match="at one time"):
        at_time([1.0], ([0], [0.0], [1.0]), [np.nan])
    with pytest.raises(ValueError, match="the time at which"):
        until_replaced([0], [np.nan])
    with pytest.raises(ValueError, match="a time of withdrawal"):
        until_replaced([0], [0.0], withdrawn=[np.nan])
