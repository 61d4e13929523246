import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.metrics.calibration import Reliability, reliability
from arena.scoring.table import Factor, Forecasts
from arena.site.pages.contestants.calibration import means_by_outcome, upper

Rows = list[tuple[float, int]]


def found(rows: Rows) -> Reliability:
    n = len(rows)
    every = Factor(tuple(str(k) for k in range(n)), np.arange(n))
    nowhere = np.full(n, np.nan)
    forecasts = Forecasts(
        contestant=Factor(("ann",), np.zeros(n, dtype=np.intp)),
        market=every,
        event=every,
        at=np.full(n, np.datetime64("NaT", "us")),
        p=np.array([p for p, _ in rows]),
        outcome=np.array([o for _, o in rows]),
        market_p=nowhere,
        close_p=nowhere,
    )
    return reliability(forecasts, "ann", draws=10)


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
    high = upper(found([(0.79, 1), (0.8, 0), (1.0, 1)]))
    assert high is not None
    assert (high.n, high.came) == (2, 0.5)
    assert high.said == pytest.approx(0.9)


def test_without_a_high_forecast_nothing_is_said_of_them() -> None:
    assert upper(found([(0.2, 0), (0.7, 1)])) is None


def test_only_what_chance_cannot_explain_is_too_sure() -> None:
    sure, unlucky = upper(found([(0.95, 0)] * 20)), upper(found([(0.95, 1)] * 18 + [(0.95, 0)]))
    assert sure is not None
    assert unlucky is not None
    assert sure.too_sure
    assert not unlucky.too_sure
