import math
import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

from arena.metrics.metric_values import (
    OPTIONS,
    YES_NO,
    computable,
    default_metrics,
    is_mean,
    lower_is_better,
    mean_like,
    measure,
    terms,
)
from arena.metrics.registry import METRICS
from arena.records.estimate import Estimate, State
from arena.scoring.bins import bin_table, murphy
from arena.scoring.corp import corp
from arena.scoring.summaries import calibration_errors
from arena.scoring.table import Forecasts
from tests.metrics.season import (
    START,
    among_many,
    frame,
    over_options,
    season,
    shuffled,
    timeless,
    twice,
)
from tests.present import present, some
from tests.stats.intervals import ends

FOUND = season()
EACH = FOUND.contestant.names


def values(key: str, found: Forecasts = FOUND) -> list[float | None]:
    return [estimate.value for estimate in measure([key], found)[key]]


def by_pandas(made: Mapping[str, float]) -> list[float]:
    return [float(made[name]) for name in EACH]


def test_a_mean_is_what_pandas_says_by_group() -> None:
    rows = frame(FOUND)
    rows["brier"] = (rows.p - rows.o) ** 2
    given = np.where(rows.o == 1, rows.p, 1 - rows.p)
    rows["log"] = -np.log(np.maximum(given, 1e-6))
    rows["spherical"] = given / np.hypot(rows.p, 1 - rows.p)
    rows["alpha"] = (rows.m - rows.o) ** 2 - (rows.p - rows.o) ** 2
    for key in ("brier", "log", "spherical", "alpha"):
        assert values(key) == pytest.approx(
            by_pandas(rows.groupby("who")[key].mean()), abs=1e-12
        )


def test_a_skill_is_a_ratio_of_sums_by_group() -> None:
    rows = frame(FOUND)
    rows["own"], rows["price"] = (rows.p - rows.o) ** 2, (rows.m - rows.o) ** 2
    sums = rows.groupby("who")[["own", "price"]].sum()
    assert values("brier_skill") == pytest.approx(
        by_pandas(1 - sums.own / sums.price), abs=1e-12
    )
    half = 1 - sums.own / (rows.groupby("who").size() / 4)
    assert values("brier_skill_half") == pytest.approx(by_pandas(half), abs=1e-12)
    index = 100 * (1 - np.sqrt(rows.groupby("who").own.mean()))
    assert values("brier_index") == pytest.approx(by_pandas(index), abs=1e-10)


def test_a_slope_is_least_squares_through_the_origin_by_group() -> None:
    rows = frame(FOUND)
    rows["xy"], rows["xx"] = (rows.p - rows.m) * (rows.o - rows.m), (rows.p - rows.m) ** 2
    sums = rows.groupby("who")[["xy", "xx"]].sum()
    assert values("slope") == pytest.approx(by_pandas(sums.xy / sums.xx), abs=1e-12)


def test_calibration_is_that_of_its_own_functions() -> None:
    for name, place in zip(EACH, range(len(EACH)), strict=True):
        own = FOUND.of(name)
        taken = present(corp(own.p, own.outcome).terms)
        apart = present(murphy(own.p, own.outcome).terms)
        errors = present(calibration_errors(bin_table(own.p, own.outcome)))
        expected = {
            "mcb": taken.miscalibration,
            "dsc": taken.discrimination,
            "unc": taken.uncertainty,
            "rel": apart.reliability,
            "res": apart.resolution,
            "wbv": apart.within_bin_variance,
            "wbc": apart.within_bin_covariance,
            "ece": errors.expected,
            "sharpness": float(np.var(own.p)),
        }
        for key, value in expected.items():
            assert values(key)[place] == pytest.approx(value, abs=1e-12)


def test_the_interval_of_a_mean_takes_events_as_units() -> None:
    rows = frame(FOUND)
    rows["alpha"] = (rows.m - rows.o) ** 2 - (rows.p - rows.o) ** 2
    for name, found in zip(EACH, measure(["alpha"], FOUND, level=0.9)["alpha"], strict=True):
        own = rows[rows.who == name]
        groups = (own.alpha - own.alpha.mean()).groupby(own.event).sum()
        g, n = len(groups), len(own)
        se = math.sqrt(g / (g - 1) * float((groups**2).sum())) / n
        reach = float(student.ppf(0.95, g - 1)) * se
        assert (found.n, found.events, found.df) == (n, g, g - 1)
        assert found.se == pytest.approx(se, rel=1e-12)
        middle = float(own.alpha.mean())
        assert ends(found.interval) == pytest.approx([middle - reach, middle + reach])


@pytest.mark.parametrize(("days", "used"), [(2, []), (6, ["day"])])
def test_two_days_that_differ_are_too_few_to_tell_how_days_differ(
    days: int, used: list[str]
) -> None:
    found = season(events=10 * days, markets=1, names=("ada",), missing=0.0)
    week = np.arange(len(found)) // 10
    found = replace(
        found,
        at=START + week * np.timedelta64(7, "D"),
        p=np.full(len(found), 0.9),
        outcome=(week % 2).astype(np.intp),
    )
    (told,) = measure(["brier"], found)["brier"]
    assert re.findall("week|day", present(told.interval).method) == used


def test_an_interval_by_the_outcomes_own_chance_is_no_lack_of_spread() -> None:
    p, never, rows = (
        np.full(20, 0.05),
        np.zeros(20, np.intp),
        timeless(FOUND).take(np.arange(20)),
    )
    told = measure(["brier"], replace(rows, p=p, market_p=p, outcome=never))["brier"][0]
    assert "floor" in present(told.interval).method
    assert told.state is State.OK


@pytest.mark.parametrize("key", ["brier", "log", "alpha", "slope", "brier_skill"])
def test_doubling_every_event_keeps_the_value_and_shrinks_the_interval(key: str) -> None:
    once, again = (
        measure([key], found)[key] for found in (timeless(FOUND), twice(timeless(FOUND)))
    )
    for one, other in some(zip(once, again, strict=True)):
        assert other.value == pytest.approx(one.value, abs=1e-12)
        assert (other.n, other.events) == (2 * one.n, 2 * one.events)
        if one.se and other.se:
            assert other.se / one.se == pytest.approx(math.sqrt(0.5), rel=0.03)


def test_the_order_of_rows_changes_nothing() -> None:
    keys = computable(FOUND)
    moved = shuffled(FOUND)
    whole, again = measure(keys, FOUND), measure(keys, moved)
    for key in some(keys):
        for name, one in zip(EACH, whole[key], strict=True):
            other = again[key][moved.contestant.names.index(name)]
            assert other.value == pytest.approx(one.value, abs=1e-11), key
            assert (other.n, other.events, other.state) == (one.n, one.events, one.state)


def test_one_at_a_time_gives_what_a_table_at_once_does() -> None:
    holed = replace(FOUND, market_p=np.where(FOUND.p > 0.8, np.nan, FOUND.market_p))
    keys = ["brier", "alpha", "log", "brier_skill"]
    at_once, alone = measure(keys, holed), measure(keys, among_many(holed))
    for key, found in some(at_once.items()):
        for one, other in zip(found, alone[key], strict=True):
            assert (other.n, other.events) == (one.n, one.events)
            assert other.value == pytest.approx(one.value, rel=1e-12)
            assert other.se == (one.se and pytest.approx(one.se, rel=1e-12))


def test_only_rows_with_a_price_count_against_the_price() -> None:
    known = np.arange(len(FOUND)) % 3 == 0
    holed = replace(FOUND, market_p=np.where(known, FOUND.market_p, np.nan))
    part = FOUND.take(known)
    for key in ("alpha", "slope", "brier_skill", "log_skill"):
        for one, other in zip(
            measure([key], holed)[key], measure([key], part)[key], strict=True
        ):
            assert (one.value, one.n, one.events) == pytest.approx(
                (other.value, other.n, other.events)
            ), key


def test_without_any_price_there_is_no_score_against_it() -> None:
    none = np.full(len(FOUND), np.nan)
    bare = replace(FOUND, market_p=none, close_p=none)
    for key in ("alpha", "slope", "brier_skill", "brier_skill_close", "log_skill"):
        for found in measure([key], bare)[key]:
            assert (found.value, found.n, found.interval) == (None, 0, None), key
            assert found.state is State.EMPTY, key


def test_a_name_without_rows_is_empty_whatever_the_metric() -> None:
    part = FOUND.take(FOUND.contestant.codes != 1)
    for key, found in some(measure(computable(part), part).items()):
        assert (found[1].value, found[1].state) == (None, State.EMPTY), key
        assert found[0].value is not None, key


def test_no_row_at_all_is_empty_whatever_the_metric() -> None:
    nothing = FOUND.take(FOUND.p > 2)
    for key, found in some(measure(computable(nothing), nothing).items()):
        assert [one.state for one in found] == [State.EMPTY] * 3, key


def test_one_event_has_points_and_nothing_about_their_spread() -> None:
    one = FOUND.take(FOUND.event.codes == 0)
    for key in ("brier", "log", "alpha", "slope"):
        for found in measure([key], one)[key]:
            assert (found.events, found.se, found.interval) == (1, None, None), key


def test_the_likelihood_of_a_certain_miss_is_cut_so_that_no_loss_is_infinite() -> None:
    certain = replace(FOUND, p=(1 - FOUND.outcome).astype(np.float64))
    assert values("log", certain) == pytest.approx([-math.log(1e-6)] * 3)
    price = replace(certain, market_p=FOUND.outcome.astype(np.float64))
    found = measure(["log_skill", "brier_skill"], price)
    assert {e.state for key in found for e in found[key]} <= {State.PERFECT_REFERENCE, State.OK}
    assert all(e.value is None or math.isfinite(e.value) for key in found for e in found[key])


def test_rows_can_be_grouped_by_a_label() -> None:
    label = FOUND.labels["topic"]
    rows = frame(FOUND)
    means = ((rows.p - rows.o) ** 2).groupby(rows.topic).mean()
    found = measure(["brier"], FOUND, by=label)["brier"]
    assert [e.value for e in found] == pytest.approx([float(means[n]) for n in label.names])


def test_options_have_their_own_scores() -> None:
    found = over_options()
    assert found.options is not None
    hot = np.eye(3)[found.outcome]
    square = ((found.options - hot) ** 2).sum(axis=1)
    order = ((np.cumsum(found.options - hot, axis=1)[:, :-1]) ** 2).sum(axis=1) / 2
    given = found.options[np.arange(len(found)), found.outcome]
    expected = {"brier_sum": square, "rps": order, "log": -np.log(given)}
    for key, made in expected.items():
        assert terms(key, found) == pytest.approx(made, abs=1e-12)
    assert default_metrics(found) == OPTIONS
    assert default_metrics(found, ordered=True) == (*OPTIONS, "rps")


def test_order_is_never_assumed() -> None:
    ordered = computable(over_options(), ordered=True)
    assert {*ordered} - {*computable(over_options())} == {"rps"}


def test_every_metric_that_is_offered_is_registered_and_works() -> None:
    keys = computable(FOUND)
    assert set(YES_NO) <= set(keys) <= set(METRICS)
    for key, found in measure(keys, FOUND).items():
        assert all(
            (isinstance(one, Estimate) and one.value is not None) or key == "brier_skill_close"
            for one in found
        ), key


def test_a_metric_that_is_no_mean_is_tested_by_the_brier_score() -> None:
    assert (mean_like("log", FOUND), mean_like("ece", FOUND)) == ("log", "brier")
    assert (mean_like("ece", over_options()), is_mean("brier", over_options())) == (
        "brier_sum",
        False,
    )
    with pytest.raises(KeyError):
        terms("ece", FOUND)


def test_a_metric_says_which_way_is_good() -> None:
    ways = [lower_is_better(key) for key in ("brier", "alpha", "spherical")]
    assert ways == [True, False, False]


@pytest.mark.parametrize("found", [season(), over_options()], ids=["yes or no", "options"])
def test_the_registry_says_of_which_metrics_there_is_an_interval(found: Forecasts) -> None:
    keys = computable(found, ordered=True)
    has = {key for key, made in measure(keys, found).items() if made[0].interval}
    assert {"brier", "brier_sum"} & has
    assert {key for key in has if not METRICS[key].interval} == set()


def test_no_interval_of_alpha_leaves_what_alpha_can_be() -> None:
    few = FOUND.take(np.isin(FOUND.event.codes, np.unique(FOUND.event.codes)[:2]))
    found = [one.interval for one in measure(["alpha"], few, level=0.999)["alpha"]]
    every = [end for room in found if room for end in ends(room)]
    assert (min(every), max(every)) == (-1.0, 1.0)
