"""Parts of the board that may be chosen, and who answered how much."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from arena.metrics.metric_values import measure
from arena.records.cohort import ContestantId
from arena.scoring.table import Factor, Forecasts
from arena.site.overview.read import CATEGORIES, coverage_of, is_uneven, windows_of
from arena.store.scores.evidence import UNKNOWN
from tests.metrics.season import factor, season
from tests.present import present, some

ALL = [ContestantId(name) for name in ("ada", "ben", "cy")]
FIRST = datetime(2026, 1, 5, tzinfo=UTC)


def with_categories(found: Forecasts, *names: str) -> Forecasts:
    """Events take turns in some categories."""
    codes = found.event.codes % len(names)
    return replace(found, labels={"category": Factor(names, codes.astype(np.intp))})


def days_after(days: int) -> datetime:
    return FIRST + timedelta(days=days)


FOUND = with_categories(season(events=120), "war", "weather", "war and weather")


def test_the_last_90_and_30_days_are_windows_by_when_forecasts_were_made() -> None:
    found = windows_of(ALL, FOUND, "brier", days_after(120))
    ninety, thirty = found[:2]
    assert [(w.key, w.label) for w in (ninety, thirty)] == [
        ("90-days", "90 days"), ("30-days", "30 days")
    ]  # fmt: skip
    assert thirty.since == days_after(90).date()
    recent = FOUND.take(FOUND.at >= np.datetime64(thirty.since))
    assert (thirty.forecasts, thirty.markets, thirty.events) == (
        len(recent), recent.market.used(), recent.event.used()
    )  # fmt: skip
    assert thirty.events == 30


@pytest.mark.parametrize(("days", "keys"), [(25, []), (60, ["30-days"]), (90, ["30-days"])])
def test_a_length_that_would_hold_everything_is_left_out(days: int, keys: list[str]) -> None:
    found = windows_of(
        ALL, with_categories(season(events=20), "war"), "brier", days_after(days)
    )
    assert [window.key for window in found] == [k for k in keys if days < 50] + []


def test_a_window_has_the_scores_of_its_rows_and_everybody_best_first() -> None:
    window = next(w for w in windows_of(ALL, FOUND, "alpha", FIRST) if w.key == "category-war")
    part = FOUND.take(FOUND.labels["category"].codes == 0)
    expected = measure(("alpha", "brier"), part)
    for code, name in enumerate(part.contestant.names):
        line = window.lines[ContestantId(name)]
        assert line.scores["alpha"] == expected["alpha"][code]
        assert line.scores["brier"] == expected["brier"][code]
        assert line.n == expected["alpha"][code].n
    values = [present(window.lines[name].scores["alpha"].value) for name in window.order]
    assert values == sorted(values, reverse=True)
    assert window.since is None


def test_of_the_brier_score_less_is_better() -> None:
    window = windows_of(ALL, FOUND, "brier", FIRST)[0]
    values = [present(window.lines[name].scores["brier"].value) for name in window.order]
    assert values == sorted(values)


def test_a_single_category_and_the_unknown_one_are_no_windows() -> None:
    for names in (("war",), ("war", UNKNOWN)):
        found = windows_of(ALL, with_categories(season(), *names), "brier", FIRST)
        assert [window.key for window in found] == []


def test_of_many_categories_the_largest_are_windows_the_largest_first() -> None:
    names = [f"c{n:02}" for n in range(CATEGORIES + 5)]
    whole = season(events=300, missing=0)
    weights = np.repeat(names, np.arange(len(names), 0, -1))
    of_event = weights[np.arange(300) % len(weights)]
    found = windows_of(
        ALL,
        replace(whole, labels={"category": factor(of_event[whole.event.codes].tolist())}),
        "brier",
        FIRST,
    )
    assert [window.label for window in found] == names[:CATEGORIES]


def test_who_is_nobody_of_the_board_is_in_no_window() -> None:
    found = windows_of(ALL[:2], FOUND, "brier", FIRST)
    assert all(set(window.order) == set(ALL[:2]) for window in some(found))


def test_without_a_headline_or_a_forecast_there_is_no_window() -> None:
    assert windows_of(ALL, FOUND, "", FIRST) == ()
    nothing = FOUND.take(np.zeros(len(FOUND), bool))
    assert windows_of(ALL, nothing, "brier", FIRST) == ()


def in_cohorts(found: Forecasts, *of: str) -> Forecasts:
    """Events take turns in some cohorts."""
    codes = (found.event.codes % len(of)).astype(np.intp)
    return replace(found, labels={"cohort": Factor(of, codes)})


def test_coverage_is_the_share_of_what_anybody_in_the_cohort_was_asked() -> None:
    whole = in_cohorts(season(events=60, missing=0), "c")
    assert coverage_of(whole) == {"ada": 1.0, "ben": 1.0, "cy": 1.0}
    skipped = (whole.contestant.codes == 1) & (whole.event.codes < 15)
    found = coverage_of(whole.take(~skipped))
    assert found == {"ada": 1.0, "ben": pytest.approx(0.75), "cy": 1.0}


def test_questions_of_cohorts_that_one_was_not_in_do_not_count() -> None:
    whole = in_cohorts(season(events=60, missing=0), "one", "two")
    elsewhere = (whole.contestant.codes == 2) & (whole.labels["cohort"].codes == 1)
    assert coverage_of(whole.take(~elsewhere))["cy"] == 1.0


def test_a_market_at_two_moments_is_two_questions() -> None:
    whole = in_cohorts(season(events=10, missing=0), "c")
    again = replace(whole, at=whole.at + np.timedelta64(1, "D"))
    both = whole.take(np.concatenate([np.arange(len(whole))] * 2))
    both = replace(both, at=np.concatenate([whole.at, again.at]))
    once = (both.contestant.codes == 0) & (np.arange(len(both)) >= len(whole))
    assert coverage_of(both.take(~once))["ada"] == pytest.approx(0.5)


def test_nobody_who_answered_nothing_has_a_share() -> None:
    whole = in_cohorts(season(events=10), "c")
    assert coverage_of(whole.take(whole.contestant.codes != 1)).keys() == {"ada", "cy"}
    assert coverage_of(whole.take(np.zeros(len(whole), bool))) == {}


@pytest.mark.parametrize(("lowest", "uneven"), [(0.99, False), (0.96, False), (0.94, True)])
def test_shares_that_differ_by_more_than_five_points_are_uneven(
    *, lowest: float, uneven: bool
) -> None:
    shares = {"ada": 1.0, "ben": lowest, "ref": 0.1}
    assert is_uneven(shares, ["ada", "ben"]) is uneven
    assert not is_uneven({}, [])
