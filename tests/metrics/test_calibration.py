from dataclasses import replace
from itertools import pairwise
from math import isfinite

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.metrics.calibration import KEYS, Reliability, reliability
from arena.metrics.metric_values import measure
from arena.scoring.bands import binomial_band
from arena.scoring.table import Forecasts
from arena.site.pages.contestants.calibration import means_by_outcome, upper
from tests.metrics.rounds import rounds
from tests.metrics.season import over_options, renamed, season, shuffled
from tests.present import present, some
from tests.stats.intervals import ends

FOUND = season(events=60)


def taken(found: Forecasts = FOUND, who: str = "ada", level: float = 0.95) -> Reliability:
    return reliability(found, who, level=level, draws=100)


def test_the_numbers_are_those_of_the_score() -> None:
    found = taken()
    place = FOUND.contestant.names.index("ada")
    for key, estimates in some(measure(KEYS, FOUND).items()):
        one, other = found.scores[key], estimates[place]
        assert (one.value, one.n, one.events) == (other.value, other.n, other.events), key


def test_bins_hold_every_forecast_once() -> None:
    found, own = taken(), FOUND.of("ada")
    assert sum(one.n for one in found.bins) == len(own) == found.n
    assert sum(b.n * b.mean_forecast for b in found.bins) == pytest.approx(own.p.sum())
    assert sum(b.n * b.frequency for b in found.bins) == pytest.approx(own.outcome.sum())


def test_a_bin_s_band_is_that_of_a_calibrated_contestant() -> None:
    for one in some(taken(level=0.9).bins):
        assert one.starts <= one.mean_forecast <= one.ends == pytest.approx(one.starts + 0.1)
        band = binomial_band(np.array([one.mean_forecast]), np.array([one.n]), 0.9)
        assert (one.low, one.high) == (float(band.low[0]), float(band.high[0]))
        assert 0 <= one.low <= one.high <= 1


def test_the_curve_only_rises_and_holds_every_forecast() -> None:
    curve = taken().curve
    assert sum(block.n for block in curve) == len(FOUND.of("ada"))
    for one, other in pairwise(curve):
        assert one.frequency < other.frequency
        assert one.high < other.low
    assert all(0 <= block.band_low <= block.band_high <= 1 for block in curve)


def test_what_is_no_mean_has_an_interval_from_resampled_events() -> None:
    scores = taken().scores
    for key in ("mcb", "dsc", "ece", "auc", "rel", "res"):
        assert "events resampled" in present(scores[key].interval).method
        low, high = ends(scores[key].interval)
        assert low <= high


def test_the_bias_is_the_mean_forecast_less_the_frequency() -> None:
    own = FOUND.of("ada")
    found = taken().bias
    assert found.value == pytest.approx(own.p.mean() - own.outcome.mean())
    assert found.events == own.event.used()


def test_a_liar_is_found_out_and_a_calibrated_one_is_not() -> None:
    own = FOUND.of("ada")
    liar = taken(replace(own, p=1 - own.p))
    assert present(liar.test.p) < 0.05
    honest = taken()
    assert present(honest.test.p) > 0.05
    assert present(liar.scores["mcb"].value) > present(honest.scores["mcb"].value)


def test_draws_follow_from_the_name_alone() -> None:
    assert taken() == taken()
    moved = taken(shuffled(FOUND))
    for key, found in taken().scores.items():
        assert moved.scores[key].value == pytest.approx(found.value, abs=1e-12)
        if found.interval is not None:
            again = ends(moved.scores[key].interval)
            assert again == pytest.approx(ends(found.interval), abs=1e-9), key
    assert moved.test.p == taken().test.p


def test_another_name_draws_anew_and_changes_no_value() -> None:
    one, other = taken(), taken(renamed(FOUND, ada="zoe"), "zoe")
    assert {k: e.value for k, e in other.scores.items()} == {
        k: e.value for k, e in one.scores.items()
    }
    assert (other.bins, len(other.curve)) == (one.bins, len(one.curve))


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_few_forecasts_are_said_to_be_few_and_nothing_is_infinite(rows: int) -> None:
    own = FOUND.of("ada")
    found = taken(own.take(np.arange(rows)))
    assert (found.few, found.n) == (True, rows)
    ends = [x for one in found.bins for x in (one.low, one.high)]
    ends += [x for block in found.curve for x in (block.band_low, block.band_high)]
    assert all(isfinite(end) for end in ends)


def test_outcomes_that_are_all_alike_have_no_discrimination() -> None:
    own = FOUND.of("ada")
    found = taken(own.take(own.outcome == 1))
    assert (found.scores["unc"].value, found.scores["auc"].value) == (0.0, None)


def test_who_is_not_there_or_forecasts_options_is_refused() -> None:
    with pytest.raises(ValueError, match="zoe has no resolved yes/no forecast"):
        taken(who="zoe")
    with pytest.raises(ValueError, match="ada has no resolved yes/no forecast"):
        taken(over_options())


Rows = list[tuple[float, int]]


def found(rows: Rows) -> Reliability:
    p, outcome = (np.array(column) for column in zip(*rows, strict=True))
    return reliability(rounds(p[:, None], outcome, names=("ann",)), "ann", draws=10)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(0, 1, allow_subnormal=False), st.integers(0, 1)),
        min_size=2,
        max_size=30,
    )
)
def test_the_means_that_follow_from_bins_are_those_of_the_forecasts(rows: Rows) -> None:
    means = means_by_outcome(found(rows))
    by_outcome = [[p for p, o in rows if o == outcome] for outcome in (1, 0)]
    if not all(by_outcome):
        assert means is None
    else:
        assert means == pytest.approx([sum(ps) / len(ps) for ps in by_outcome], abs=1e-9)


def test_what_is_called_nearly_certain_begins_at_four_fifths() -> None:
    high = present(upper(found([(0.79, 1), (0.8, 0), (1.0, 1)])))
    assert (high.n, high.came) == (2, 0.5)
    assert high.said == pytest.approx(0.9)


def test_without_a_high_forecast_nothing_is_said_of_them() -> None:
    assert upper(found([(0.2, 0), (0.7, 1)])) is None


def test_only_what_chance_cannot_explain_is_too_sure() -> None:
    sure, unlucky = upper(found([(0.95, 0)] * 20)), upper(found([(0.95, 1)] * 18 + [(0.95, 0)]))
    assert (present(sure).too_sure, present(unlucky).too_sure) == (True, False)
