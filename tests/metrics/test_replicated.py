import numpy as np
import pytest

from arena.metrics.metric_values import computable, measure
from arena.metrics.registry import METRICS
from arena.metrics.resampled import CELLS, REPLICATED, alone, replicates
from arena.scoring.table import Floats, Forecasts
from arena.stats.resampling.bootstrap import resamples
from tests.metrics.season import season


def one(events: int = 20) -> tuple[Forecasts, Floats]:
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
    own, drawn = one()
    (found,) = replicates([key], own, own.event.codes, drawn).values()
    made = [measure([key], again(own, times))[key][0].value for times in drawn]
    assert found.tolist() == pytest.approx(made)


def test_what_has_no_value_in_a_resample_is_nan() -> None:
    own, drawn = one(events=2)
    own.outcome[own.event.codes == 0] = 0
    own.outcome[own.event.codes == 1] = 1
    (found,) = replicates(["auc"], own, own.event.codes, drawn).values()
    alike = (drawn == 0).any(axis=1)
    assert alike.any()
    assert np.isnan(found).tolist() == alike.tolist()


def test_every_metric_that_resampling_gives_an_interval_is_there() -> None:
    own, _ = one()
    asked = {key for key in computable(own) if METRICS[key].interval.startswith("events resam")}
    assert asked - {"brier_adjusted"} == set(REPLICATED)


def test_resamples_that_do_not_fit_the_memory_are_taken_in_turns() -> None:
    own, drawn = one()
    levels = len(np.unique(own.p))
    many = np.tile(drawn, (CELLS // levels // len(drawn) + 2, 1))
    assert len(many) * levels > CELLS
    (found,) = replicates(["mcb"], own, own.event.codes, many).values()
    (first,) = replicates(["mcb"], own, own.event.codes, drawn).values()
    assert found[-len(drawn) :].tolist() == pytest.approx(first.tolist())
