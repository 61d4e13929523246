"""Intervals of what is no mean: whole events are drawn again."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from arena.metrics.calibration import reliability
from arena.metrics.metric_values import ADJUSTED, computable, measure
from arena.metrics.registry import METRICS
from arena.metrics.resampled import CELLS, LIFTED, REPLICATED, alone, replicates, with_intervals
from arena.metrics.scorecard import scorecard
from arena.records.estimate import Estimate, State
from arena.scoring.table import Floats, Forecasts
from arena.stats.bootstrap import event_weights, resamples
from tests.metrics.rounds import equals, rounds, strict
from tests.metrics.season import season, shuffled
from tests.present import present, some
from tests.stats.intervals import ends

RNG = np.random.default_rng


def one(seed: int = 0, questions: int = 60, per_event: int = 2) -> Forecasts:
    p, outcome = equals(RNG(seed), questions, 1)
    price = RNG(seed + 1).uniform(0.1, 0.9, questions)
    return rounds(p, outcome, event=np.arange(questions) // per_event, market_p=price)


def scores(own: Forecasts, keys: tuple[str, ...]) -> Mapping[str, Estimate]:
    return {key: found[0] for key, found in measure(keys, own).items()}


def resampled(own: Forecasts, *keys: str, draws: int = 60) -> Mapping[str, Estimate]:
    found = with_intervals(own, scores(own, keys), level=0.9, draws=draws)
    strict(found)
    return found


def test_the_ends_are_quantiles_of_the_metric_of_resamples() -> None:
    own = one(per_event=1)
    found = present(resampled(own, "auc", draws=40)["auc"].interval)
    made = []
    for times in event_weights(own.event.in_order().names, 40).astype(int):
        again = own.take(np.repeat(np.arange(60), times[own.event.in_order().codes]))
        (value,) = measure(["auc"], again)["auc"]
        made.append(present(value.value))
    assert ends(found) == pytest.approx(np.quantile(made, [0.05, 0.95]))
    assert (found.level, found.method) == (0.9, "events resampled 40 times, percentile")


def test_below_fifteen_events_there_is_no_interval() -> None:
    found = resampled(one(questions=56, per_event=4), "auc", "brier")
    assert (found["auc"].interval, found["auc"].state) == (None, State.TOO_FEW)
    assert found["auc"].value is not None
    assert found["brier"].state is State.OK


def test_a_mean_keeps_its_own_interval() -> None:
    own = one()
    before, after = scores(own, ("brier", "slope")), resampled(own, "brier", "slope")
    assert before == after


def test_every_metric_without_one_gets_one_but_that_of_several_contestants() -> None:
    own = one()
    keys = computable(own)
    found = resampled(own, *keys, draws=30)
    for key in keys:
        resampling = METRICS[key].interval.startswith("events resampled") and key != ADJUSTED
        has = found[key].interval
        if resampling and found[key].value is not None:
            low, high = ends(has)
            assert low <= high, key
    assert found[ADJUSTED].interval is None


def test_a_resample_without_a_value_is_left_out_and_counted() -> None:
    own = one(questions=15, per_event=1)
    own = replace(own, outcome=np.eye(15, dtype=np.intp)[0])
    interval = present(resampled(own, "auc", draws=200)["auc"].interval)
    used = int(interval.method.split()[2])
    assert used == pytest.approx(200 * (1 - (14 / 15) ** 15), abs=30)


def test_what_has_no_value_gets_no_interval() -> None:
    own = replace(one(), outcome=np.zeros(60, dtype=np.intp))
    found = resampled(own, "auc")["auc"]
    assert (found.value, found.interval) == (None, None)


def test_where_all_resamples_agree_there_is_no_interval() -> None:
    found = resampled(replace(one(), p=np.full(60, 0.5)), "sharpness", "auc")
    for key, value in (("sharpness", 0.0), ("auc", 0.5)):
        assert (found[key].value, found[key].interval) == (value, None)
        assert found[key].state is State.DEGENERATE


def test_no_rows_stay_empty() -> None:
    own = one().take(np.zeros(60, dtype=bool))
    before = scores(alone(own), ("auc",))
    assert with_intervals(own, before, level=0.9, draws=10) == before


def test_draws_follow_from_the_events_names() -> None:
    whole = rounds(*equals(RNG(0), 40, 2), names=("ada", "ben"))
    card = scorecard(whole, ("auc", "mcb"), draws=50)
    assert card == scorecard(shuffled(whole, 1), ("auc", "mcb"), draws=50)
    line = next(line for line in card.lines if line.name == "ben")
    own = alone(whole.of("ben"))
    again = with_intervals(own, scores(own, ("auc",)), level=0.95, draws=50)
    assert line.scores["auc"] == again["auc"]


# Of 20,000 resamples as they were drawn before: as many events as there are, with replacement.
MULTINOMIAL = {
    "mcb": (0.01353, 0.0257),
    "dsc": (0.04807, 0.08399),
    "unc": (0.24332, 0.24999),
    "rel": (0.00589, 0.02213),
    "res": (0.04141, 0.07704),
    "wbv": (0.00075, 0.00089),
    "wbc": (-0.00045, 0.00396),
    "ece": (0.06207, 0.12433),
    "auc": (0.71214, 0.80667),
    "sharpness": (0.0679, 0.08924),
    "brier_skill": (-0.04157, 0.06232),
    "log_skill": (-0.3264, 0.01898),
    "brier_index": (52.79413, 57.48437),
}
BANDS = (
    *((0.0, 0.0909), (0.0, 0.2353), (0.0385, 0.3043), (0.0968, 0.3667), (0.1636, 0.4615)),
    *((0.2619, 0.5556), (0.448, 0.7419), (0.5882, 0.8689), (0.6939, 0.9583), (0.8286, 1.0)),
)


def mirrored(low: float, high: float, value: float, most: float) -> tuple[float, float]:
    ends = max(2 * value - high, 0.0), min(2 * value - low, most)
    return min(ends[0], value), max(ends[1], value)


def test_what_the_registry_calls_resampled_can_be() -> None:
    named = {k for k, m in METRICS.items() if m.interval.startswith("events resampled")}
    assert named == {*REPLICATED, ADJUSTED}
    lifted = {k for k, m in METRICS.items() if m.interval == "events resampled (basic)"}
    assert lifted == set(LIFTED)


def test_numbers_agree_with_those_of_drawing_as_many_events_as_there_are() -> None:
    own = alone(season(events=120, markets=3).of("ben"))
    plain = scores(own, tuple(MULTINOMIAL))
    found = with_intervals(own, plain, level=0.9, draws=4000)
    for key, (low, high) in MULTINOMIAL.items():
        error = 0.05 * (high - low)  # five times that of drawing 4,000
        value = present(plain[key].value)
        most = LIFTED.get(key)
        between = (low, high) if most is None else mirrored(low, high, value, most)
        assert ends(found[key].interval) == pytest.approx(list(between), abs=error), key


def test_intervals_of_what_noise_lifts_hold_the_truth_in_most_samples() -> None:
    """Odds are 1.6 times too long; scores are those over two million such forecasts."""
    truth = {"mcb": 0.0060, "rel": 0.0058, "ece": 0.0712, "dsc": 0.0558}
    held = shares_held(truth, 1.6)
    assert min(held.values()) > 0.79, held


def test_that_of_the_calibration_error_misses_0_in_a_third_of_the_samples() -> None:
    assert 0.55 < shares_held({"ece": 0.0}, 1.0)["ece"] < 0.78


def shares_held(truth: Mapping[str, float], sureness: float) -> Mapping[str, float]:
    """How often intervals of 200 forecasts, with odds so many times too long, hold it."""
    held = dict.fromkeys(truth, 0.0)
    for seed in range(60):
        rng = RNG(seed)
        odds = rng.normal(0, 1.2, 200)
        p = np.round(1 / (1 + np.exp(-sureness * odds)), 3)[:, None]
        outcome = (rng.random(200) < 1 / (1 + np.exp(-odds))).astype(np.intp)
        own = alone(rounds(p, outcome))
        found = with_intervals(own, scores(own, tuple(truth)), level=0.95, draws=200)
        for key, value in truth.items():
            low, high = ends(found[key].interval)
            held[key] += (low <= value <= high) / 60
    return held


def test_bands_and_the_test_agree_with_those_of_drawing_events_too() -> None:
    found = reliability(season(events=120, markets=3), "ben", level=0.9, draws=4000)
    bands = [(block.band_low, block.band_high) for block in found.curve]
    assert np.array(bands) == pytest.approx(np.array(BANDS), abs=0.02)
    assert found.test.p == pytest.approx(0.616, abs=0.03)


def test_more_levels_than_a_grid_of_thousandths_has_are_counted_on_it() -> None:
    rng = RNG(5)
    p = rng.random(3000)
    outcome = (rng.random(3000) < p**1.3).astype(np.intp)
    own = rounds(p[:, None], outcome, event=np.arange(3000) // 10, market_p=p)
    event = own.event.in_order()
    times = event_weights(event.names, 5)
    keys = ("mcb", "dsc", "auc")
    drawn = replicates(keys, own, event.codes, times)
    for n, weights in some(enumerate(times.astype(int))):
        again = own.take(np.repeat(np.arange(len(own)), weights[event.codes]))
        exact = scores(alone(again), keys)
        for key in keys:
            assert drawn[key][n] == pytest.approx(exact[key].value, abs=2.5e-4), key


def forecasts_and_draws(events: int = 20) -> tuple[Forecasts, Floats]:
    """A contestant's forecasts, on a grid so that several are alike, and resamples."""
    own = season(names=("ada",), noise=(0.2,), events=events, markets=3)
    own = alone(own.take(np.arange(len(own)) != 1))
    own.p[:] = own.p.round(1)
    own.market_p[3] = np.nan
    return own, resamples(len(own.event.names), 25, np.random.default_rng(1))


def again(own: Forecasts, times: Floats) -> Forecasts:
    """The rows of one resample, written out."""
    return own.take(np.repeat(np.arange(len(own)), times.astype(int)[own.event.codes]))


@pytest.mark.parametrize("key", REPLICATED)
def test_a_replicate_is_the_metric_of_the_rows_drawn(key: str) -> None:
    own, drawn = forecasts_and_draws()
    (found,) = replicates([key], own, own.event.codes, drawn).values()
    made = [measure([key], again(own, times))[key][0].value for times in drawn]
    assert found.tolist() == pytest.approx(made)


def test_what_has_no_value_in_a_resample_is_nan() -> None:
    own, drawn = forecasts_and_draws(events=2)
    own.outcome[own.event.codes == 0] = 0
    own.outcome[own.event.codes == 1] = 1
    (found,) = replicates(["auc"], own, own.event.codes, drawn).values()
    alike = (drawn == 0).any(axis=1)
    assert alike.any()
    assert np.isnan(found).tolist() == alike.tolist()


def test_resamples_that_do_not_fit_the_memory_are_taken_in_turns() -> None:
    own, drawn = forecasts_and_draws()
    levels = len(np.unique(own.p))
    many = np.tile(drawn, (CELLS // levels // len(drawn) + 2, 1))
    assert len(many) * levels > CELLS
    (found,) = replicates(["mcb"], own, own.event.codes, many).values()
    (first,) = replicates(["mcb"], own, own.event.codes, drawn).values()
    assert found[-len(drawn) :].tolist() == pytest.approx(first.tolist())
