from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.records.cohort import ContestantId
from arena.scoring.table import Floats, Forecasts
from arena.site.overview.read import MOST, MOST_MARKETS, flip
from arena.site.overview.records import Flip
from tests.metrics.rounds import numbered, rounds
from tests.metrics.season import season, shuffled
from tests.present import present

ADA, BEN, CY = (ContestantId(name) for name in ("ada", "ben", "cy"))
ONE = Flip(ADA, BEN, ("e000",), (("m000",),))


def table(p: list[list[float]] | Floats) -> Forecasts:
    """Questions that all resolved NO, so that the lowest forecast is the best."""
    names = ("ada", "ben", "cy")[: np.shape(p)[1]]
    return rounds(np.asarray(p, np.float64), [0] * len(p), names=names)


def without(found: Forecasts, events: tuple[str, ...]) -> Forecasts:
    gone = [found.event.names.index(name) for name in events]
    return found.take(~np.isin(found.event.codes, gone))


def means(found: Forecasts) -> dict[str, float]:
    return {
        name: float((found.of(name).p ** 2).mean())
        for name in found.contestant.names
        if len(found.of(name))
    }


def test_one_lucky_event_decides() -> None:
    found = table([[0.1, 0.9], [0.5, 0.4], [0.5, 0.4]])
    assert flip(found, "brier", (ADA, BEN)) == ONE


def test_of_alpha_the_largest_is_first() -> None:
    p = np.array([[0.1, 0.9], [0.5, 0.4], [0.5, 0.4]])
    found = rounds(p, [0, 0, 0], names=("ada", "ben"), market_p=np.full(3, 0.5))
    assert flip(found, "alpha", (ADA, BEN)) == ONE


def test_a_reference_neither_stands_first_nor_instead() -> None:
    found = table([[0.1, 0.9, 0.0], [0.5, 0.4, 0.0], [0.5, 0.4, 0.0]])
    assert flip(found, "brier", (ADA, BEN)) == ONE


def test_equals_need_no_event_to_fall_away() -> None:
    assert flip(table([[0.3, 0.3]]), "brier", (ADA, BEN)) == Flip(ADA, BEN, ())


def test_where_one_is_better_everywhere_nothing_is_found() -> None:
    assert flip(table([[0.1, 0.2]] * 40), "brier", (ADA, BEN)) == Flip(ADA, None, ())


def test_more_than_25_events_are_not_looked_for() -> None:
    most = [[0.1, 0.2]] * MOST + [[0.2, 0.1]]
    found = present(flip(table(most), "brier", (ADA, BEN)))
    assert (found.instead, found.events) == (BEN, tuple(numbered("e", MOST)))
    assert flip(table([[0.1, 0.2], *most]), "brier", (ADA, BEN)) == Flip(ADA, None, ())


def test_of_an_event_of_many_markets_the_first_are_named() -> None:
    p = np.array([[0.1, 0.9]] * 6 + [[0.5, 0.4]] * 2)
    found = rounds(p, [0] * 8, names=("ada", "ben"), event=[0] * 6 + [1, 2])
    flipped = present(flip(found, "brier", (ADA, BEN)))
    assert flipped.markets == (tuple(numbered("m", 6)[:MOST_MARKETS]),)


def test_nobody_is_first_of_nothing() -> None:
    assert flip(table([[0.1, 0.2]]), "brier", (ADA,)) is None
    assert flip(table([[0.1, 0.2]]), "", (ADA, BEN)) is None
    assert flip(table(np.zeros((0, 2))), "brier", (ADA, BEN)) is None


def test_without_the_events_the_other_is_first() -> None:
    whole = season(noise=(0.1, 0.11, 0.6), events=60)
    found = present(flip(whole, "brier", (ADA, BEN, CY)))
    assert found.instead is not None
    assert 0 < len(found.events) <= MOST
    left = without(whole, found.events)
    said = {name: left.of(name) for name in (ADA, BEN, CY)}
    scores = {name: float(((f.p - f.outcome) ** 2).mean()) for name, f in said.items()}
    assert min(scores, key=lambda name: scores[name]) == found.instead


def test_the_order_of_rows_changes_nothing() -> None:
    whole = season(noise=(0.1, 0.11, 0.6), events=60)
    one, other = (present(flip(a, "brier", (ADA, BEN, CY))) for a in (whole, shuffled(whole)))
    assert (one.first, one.instead) == (other.first, other.instead)
    assert len(one.events) == len(other.events)


@given(st.lists(st.lists(st.integers(0, 10), min_size=3, max_size=3), min_size=2, max_size=6))
@settings(max_examples=60, deadline=None)
def test_no_smaller_set_does_it_where_all_forecast_the_same(said: list[list[int]]) -> None:
    whole = table(np.array(said) / 10)
    found = present(flip(whole, "brier", (ADA, BEN, CY)))
    names, fewer = whole.event.names, len(found.events) if found.instead else len(said)
    for size in range(1, fewer):
        for gone in combinations(names, size):
            left = means(without(whole, gone))
            best = min(left.values())
            assert left[found.first] == pytest.approx(best, abs=1e-9)


def test_nobody_loses_all_its_events() -> None:
    p = np.array([[0.1, np.nan], [0.5, 0.2]])
    found = rounds(p, [0, 0], names=("ada", "ben"))
    assert flip(found, "brier", (ADA, BEN)) == Flip(BEN, None, ())
