"""Every number can be made again from the rows that are shown for it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from arena.errors import ArenaError
from arena.metrics.claims.adjusted_gain import ADJUSTED_GAIN, GAIN
from arena.metrics.explain import Explained, explain, of_board, row_digests
from arena.metrics.metric_values import ADJUSTED, computable, is_mean, measure
from arena.records.estimate import State
from arena.scoring.leaderboard import brier_score, mean_of_picos, picos
from arena.scoring.table import Factor, Forecasts
from tests.metrics.rounds import equals, of_rows, rounds, strict
from tests.metrics.season import shuffled
from tests.present import some

RNG = np.random.default_rng
NAN = float("nan")


def yes_no() -> Forecasts:
    p, outcome = equals(RNG(0), 40, 3)
    p[RNG(1).random(p.shape) < 0.3] = NAN
    price = RNG(2).uniform(0.1, 0.9, 40)
    price[::7] = NAN
    whole = rounds(p, outcome, event=np.arange(40) // 2, day=np.arange(40) % 5, market_p=price)
    return replace(whole, close_p=np.where(whole.market.codes % 5 == 0, NAN, 0.4))


def choices() -> Forecasts:
    p = RNG(0).dirichlet(np.ones(4), (30, 2))
    return rounds(p, RNG(1).integers(0, 4, 30))


def column(found: Explained, name: str) -> list[Any]:
    return [row[found.columns.index(name)] for row in found.rows]


@pytest.mark.parametrize("whole", [yes_no(), choices()], ids=["yes_no", "options"])
def test_every_metric_is_that_of_the_table_of_scores(whole: Forecasts) -> None:
    for key in some(computable(whole, ordered=True)):
        found = explain(whole, "c001", key)
        (_, expected, *_) = measure([key], whole)[key]
        assert found.estimate == expected, key
        assert found.metric.key == key
        assert len(found.rows) == len(whole.of("c001"))
        assert (found.inputs["n"], found.inputs["events"]) == (expected.n, expected.events)
        strict(found)


@pytest.mark.parametrize("whole", [yes_no(), choices()], ids=["yes_no", "options"])
def test_the_rows_mean_is_the_value(whole: Forecasts) -> None:
    means = [key for key in computable(whole, ordered=True) if is_mean(key, whole)]
    for key in [*means, *([ADJUSTED] if whole.options is None else [])]:
        found = explain(whole, "c000", key)
        terms = [term for term in column(found, key) if term is not None]
        assert found.columns[-1] == key
        assert found.estimate.value == pytest.approx(np.mean(terms), abs=1e-12), key
        assert found.inputs["n"] == len(terms)
        assert found.inputs[f"sum of {key}"] == pytest.approx(sum(terms))


def test_a_row_without_a_price_is_not_in_the_mean() -> None:
    found = explain(yes_no(), "c000", "alpha")
    prices, terms = column(found, "market_p"), column(found, "alpha")
    assert [p is None for p in prices] == [t is None for t in terms]
    without = sum(p is None for p in prices)
    assert 0 < without < len(prices)
    assert found.inputs["n"] == len(prices) - without
    assert found.inputs["rows left out, no price known"] == without


def test_the_digest_is_that_of_the_printed_rows() -> None:
    for whole in (yes_no(), choices()):
        found = explain(whole, "c000", "log")
        assert of_rows(strict(found)["rows"]) == found.digest


def test_digests_of_means_are_those_of_their_rows() -> None:
    whole = yes_no()
    found = row_digests(whole, "c000", ["alpha", "brier"])
    assert found == {key: explain(whole, "c000", key).digest for key in ("alpha", "brier")}


def test_the_digest_hangs_on_every_cell_and_on_no_order() -> None:
    whole = yes_no()
    found = explain(whole, "c000", "brier")
    mixed = explain(shuffled(whole, 1), "c000", "brier")
    assert (mixed.rows, mixed.digest) == (found.rows, found.digest)
    assert mixed.estimate.value == pytest.approx(found.estimate.value, abs=1e-15)
    other = replace(whole, market_p=whole.market_p + 1e-9)
    assert explain(other, "c000", "brier").digest != found.digest


def test_rows_stand_by_market_and_time() -> None:
    found = explain(shuffled(yes_no(), 3), "c002", "brier")
    keys = list(zip(column(found, "market"), column(found, "at"), strict=True))
    assert keys == sorted(keys)
    assert all(at.endswith("Z") for _, at in keys)


def test_an_adjusted_score_is_of_everybodys_forecasts() -> None:
    whole = yes_no()
    found = explain(whole, "c000", ADJUSTED)
    alone = explain(whole.of("c000"), "c000", ADJUSTED)
    assert found.estimate != alone.estimate
    assert found.inputs["contestants compared"] == 3
    assert found.inputs["markets of all"] == whole.market.used()
    own = np.array(column(found, "brier")) - np.array(column(found, "difficulty"))
    assert found.estimate.value == pytest.approx(own.mean(), abs=1e-12)


def test_who_cannot_be_adjusted_is_shown_without_a_difficulty() -> None:
    p, outcome = equals(RNG(0), 40, 3)
    p[:20, 2] = NAN
    p[20:, :2] = NAN
    found = explain(rounds(p, outcome), "c002", ADJUSTED)
    assert (found.estimate.state, found.columns[-1]) == (State.NOT_ESTIMABLE, "brier")


def test_options_are_numbered_from_one() -> None:
    whole = choices()
    found = explain(whole, "c000", "brier_sum")
    assert found.columns[3:8] == ("p_1", "p_2", "p_3", "p_4", "outcome")
    assert set(column(found, "outcome")) <= {1, 2, 3, 4}
    row = dict(zip(found.columns, found.rows[0], strict=True))
    said = np.array([row[f"p_{k}"] for k in (1, 2, 3, 4)], np.float64)
    truth = np.arange(1, 5) == row["outcome"]
    assert row["brier_sum"] == pytest.approx(((said - truth) ** 2).sum())


def test_a_moment_that_nobody_said_is_null() -> None:
    whole = yes_no()
    never = np.full(len(whole), "NaT", dtype="datetime64[us]")
    assert set(column(explain(replace(whole, at=never), "c000", "brier"), "at")) == {None}


def test_who_has_no_forecast_and_what_is_no_metric_are_refused() -> None:
    whole = yes_no()
    with pytest.raises(ArenaError, match="dora has no resolved forecast") as refused:
        explain(whole, "dora", "brier")
    assert refused.value.hint == "there are: c000, c001, c002"
    gone = whole.take(whole.contestant.codes != 0)
    with pytest.raises(ArenaError, match="c000 has no resolved forecast"):
        explain(gone, "c000", "brier")
    with pytest.raises(ArenaError) as nobody:
        explain(whole.take(np.zeros(len(whole), dtype=bool)), "c000", "brier")
    assert nobody.value.hint == "there are none"
    for key in ("rps", "pnl", "luck"):
        with pytest.raises(ArenaError, match=f"there is no metric {key}"):
            explain(whole, "c000", key)


def test_the_adjusted_gain_is_no_mean_of_rows_and_its_plain_one_is_named() -> None:
    with pytest.raises(ArenaError, match="fitted to the rows of everybody") as refused:
        explain(yes_no(), "c000", ADJUSTED_GAIN)
    assert refused.value.hint == f"explain {GAIN}, which is that mean"


def test_names_from_outside_stay_what_they_are() -> None:
    names = ("\x1b[2J\u202e", "zoë", 'a"b')
    whole = replace(yes_no(), contestant=Factor(names, yes_no().contestant.codes))
    found = explain(whole, names[0], "brier")
    assert strict(found)["contestant"] == names[0]


def test_a_score_of_the_board_adds_trillionths() -> None:
    whole = yes_no()
    found = of_board(whole, "c001", "kelly")
    own = whole.of("c001")
    rows = zip(own.p.tolist(), own.outcome.tolist(), strict=True)
    total = sum(picos(brier_score(p, o)) for p, o in rows)
    assert found.metric.key == "kelly"
    assert found.inputs["sum in trillionths"] == total
    assert found.estimate.value == mean_of_picos(total, len(own))
    plain = explain(whole, "c001", "brier").estimate.value
    assert found.estimate.value == pytest.approx(plain, abs=1e-12)
