import numpy as np
import pytest

from arena.records.estimate import State
from arena.scoring.bins import CHUNK
from arena.scoring.corp import (
    CorpTerms,
    Levels,
    Loss,
    corp,
    levels,
    pool,
)
from tests.present import present
from tests.vectors import case, near, source


def components(terms: CorpTerms) -> dict[str, float]:
    return {
        "mcb": terms.miscalibration,
        "dsc": terms.discrimination,
        "unc": terms.uncertainty,
    }


def test_corp_of_a_worked_example() -> None:
    vector = source("ext.corp.mixed")
    given = vector["input"]
    found = corp(given["f"], given["o"], Loss(given["score"]))
    terms = present(found.terms)
    recalibrated = found.curve.recalibrated(given["f"]).tolist()
    ours = {"score": terms.score, **components(terms), "recalibrated": recalibrated}
    assert near(ours, vector["expected"], vector["tol"])


@pytest.mark.parametrize("name", ["constant", "perfect", "tie_order_trap"])
def test_corp_agrees_with_five_implementations(name: str) -> None:
    known = case("03_corp", name)
    given, expected = known["inputs"], known["expected"]
    found = corp(given["p"], given["y"])
    terms = present(found.terms)
    log = present(corp(given["p"], given["y"], Loss.LOG).terms)
    curve = found.curve
    ours = {
        "brier": terms.score,
        **components(terms),
        "log": {"score": log.score, **components(log)},
        "pav": curve.recalibrated(given["p"]).tolist(),
    }
    bins = {
        "n": curve.number.tolist(),
        "x_min": curve.low.tolist(),
        "x_max": curve.high.tolist(),
        "cep": curve.frequency.tolist(),
    }
    theirs = {k: v if isinstance(v, list) else [v] for k, v in expected["bins"].items()}
    assert near(
        {**ours, "bins": bins}, {**expected, "bins": theirs}, known["tol"], relative=True
    )


def test_a_certain_miss_is_cut() -> None:
    terms = present(corp([0.0, 0.5, 0.5], [1, 0, 1], Loss.LOG).terms)
    assert terms.score == pytest.approx((-np.log(1e-6) + 2 * np.log(2)) / 3)


@pytest.mark.parametrize("loss", list(Loss))
@pytest.mark.parametrize("outcome", [0, 1])
def test_outcomes_that_are_all_alike_leave_miscalibration_only(
    loss: Loss, outcome: int
) -> None:
    found = corp([0.2, 0.6, 0.7], [outcome] * 3, loss)
    terms = present(found.terms)
    assert found.state is State.DEGENERATE
    assert (terms.discrimination, terms.uncertainty) == (0, 0)
    assert terms.miscalibration == terms.score > 0


def test_no_forecast_has_no_terms() -> None:
    found = corp([], [])
    assert (found.terms, found.state, found.n) == (None, State.EMPTY, 0)
    with pytest.raises(ValueError, match="nothing to recalibrate"):
        found.curve.recalibrated([0.5])


def test_one_forecast_is_a_point() -> None:
    assert corp([0.3], [1]).state is State.SINGLE


def test_twenty_forecasts_are_not_few() -> None:
    assert corp([0.5] * 19, [1] * 19).few
    assert not corp([0.5] * 20, [0, 1] * 10).few


def test_a_million_prices_give_the_plain_brier_score() -> None:
    rng = np.random.default_rng(7)
    for p in (rng.random(10**6), np.round(rng.random(10**6), 3)):
        y = (rng.random(10**6) < p).astype(np.int8)
        terms = present(corp(p, y).terms)
        assert terms.score == pytest.approx(np.mean((p - y) ** 2), abs=1e-12)


def test_the_drawn_curve_is_straight_between_blocks() -> None:
    curve = corp([0.2, 0.4, 0.8], [0, 0, 1]).curve
    assert curve.low.tolist() == [0.2, 0.8]
    assert curve.high.tolist() == [0.4, 0.8]
    assert curve.interpolated([0.0, 0.3, 0.6, 0.9]).tolist() == pytest.approx([0, 0, 0.5, 1])
    assert curve.recalibrated([0.0, 0.3, 0.6, 0.9]).tolist() == [0, 0, 0, 1]


def slow_levels(p: list[float], y: list[int]) -> list[tuple[float, int, int]]:
    values = sorted(set(p))
    rows = [[b for a, b in zip(p, y, strict=True) if a == v] for v in values]
    return [(v, len(r), sum(r)) for v, r in zip(values, rows, strict=True)]


def listed(found: Levels) -> list[tuple[float, int, int]]:
    columns = (found.value.tolist(), found.number.tolist(), found.yes.tolist())
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize("decimals", [1, 2, 3, 4, 5, 17])
def test_levels_count_equal_forecasts_on_any_grid_or_none(decimals: int) -> None:
    rng = np.random.default_rng(decimals)
    p = [round(x, decimals) for x in rng.random(400).tolist()]
    y = rng.integers(2, size=400).tolist()
    assert listed(levels(p, y)) == slow_levels(p, y)


def test_one_forecast_off_the_grid_is_its_own_level() -> None:
    p = np.full(2 * CHUNK, 0.3)
    p[-1] = 0.1 + 0.2
    found = listed(levels(p, np.zeros(len(p), dtype=int)))
    assert found == [(0.3, 2 * CHUNK - 1, 0), (0.1 + 0.2, 1, 0)]


def test_zero_has_no_sign() -> None:
    assert listed(levels([-0.0, 0.0, 0.1234567], [1, 0, 1])) == [(0, 2, 1), (0.1234567, 1, 1)]


def test_no_forecast_has_no_levels_and_no_blocks() -> None:
    found = levels([], [])
    assert listed(found) == []
    assert len(pool(found.number, found.yes).first) == 0


def test_a_stair_that_falls_one_step_at_a_time_is_pooled_from_left_to_right() -> None:
    number = np.append(np.arange(40, 1, -1), 4000)
    yes = np.append(np.ones(39, dtype=int), 0)
    found = pool(number, yes)
    assert (found.first.tolist(), found.yes.tolist()) == ([0], [39])
