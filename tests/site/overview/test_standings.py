from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.metrics.contest import MOST
from arena.records.cohort import ContestantId
from arena.records.estimate import Estimate, State
from arena.scoring.table import Forecasts
from arena.site.overview.records import Place
from arena.site.overview.standings import (
    MOMENTS,
    Times,
    headline_of,
    over_time,
    placed,
    standings,
)
from tests.metrics.rounds import rounds
from tests.metrics.season import season, shuffled


def names(*of: str) -> list[ContestantId]:
    return [ContestantId(name) for name in of]


EVERYBODY = names("ada", "ben", "cy")


def worth(value: float | None) -> Estimate:
    state = State.OK if value is not None else State.EMPTY
    return Estimate(value, 1, 1, state=state)


def came(found: Forecasts) -> Times:
    """A day after each was forecast."""
    return found.at + np.timedelta64(1, "D")


def test_without_a_forecast_there_is_no_headline() -> None:
    nobody = season().take(np.zeros(len(season()), np.bool_))
    assert headline_of(nobody) == ""
    assert standings(EVERYBODY, nobody, "").tied == ()


def test_the_headline_is_alpha_where_a_price_is_known_and_else_the_brier_score() -> None:
    p, outcome = np.array([[0.2, 0.4]]), [0]
    assert headline_of(rounds(p, outcome, market_p=np.array([0.3]))) == "alpha"
    assert headline_of(rounds(p, outcome)) == "brier"


def test_equals_share_a_rank_and_who_has_no_value_has_none_and_stands_last() -> None:
    values = {"ada": worth(0.2), "ben": worth(0.1), "cy": worth(0.1), "dan": worth(None)}
    found = placed(names("dan", "cy", "ben", "ada"), values, {}, "brier")
    assert found.order == ("ben", "cy", "ada", "dan")
    assert [found.places[name].rank for name in found.order] == [1, 1, 3, None]


def test_of_alpha_more_is_better() -> None:
    found = placed(EVERYBODY, {"ada": worth(0.2), "ben": worth(0.1)}, {}, "alpha")
    assert found.order == ("ada", "ben", "cy")


def test_without_tests_all_ranks_are_open_and_all_who_are_ranked_are_tied() -> None:
    found = placed(EVERYBODY, {"ada": worth(0.2), "ben": worth(0.1)}, {}, "brier")
    assert found.places == {
        "ada": Place(2, 1, 2),
        "ben": Place(1, 1, 2),
        "cy": Place(None, 1, 3),
    }
    assert found.tied == ("ben", "ada")


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 6), st.integers(0, 5)), max_size=6))
def test_a_place_holds_its_rank_and_somebody_is_tied_for_first(
    drawn: list[tuple[float, int, int]],
) -> None:
    who = [ContestantId(f"c{n}") for n in range(len(drawn))]
    values: dict[str, Estimate] = {}
    left: dict[str, tuple[int, int]] = {}
    for name, (value, low, more) in zip(who, drawn, strict=True):
        values[name], left[name] = worth(value), (low, low + more)
    found = placed(who, values, left, "brier")
    for place in found.places.values():
        assert place.rank is not None
        assert place.low <= place.rank <= place.high
    assert bool(found.tied) == bool(who)
    assert set(found.tied) == {name for name in who if found.places[name].low == 1}


def test_nobody_was_shown_to_be_better_than_those_who_are_tied() -> None:
    found = standings(EVERYBODY, season(events=120), "brier")
    assert found.contest is not None
    worse = {
        claim.second if claim.better == claim.first else claim.first
        for claim in found.contest.claims
        if claim.better
    }
    assert worse
    assert set(found.tied) == set(EVERYBODY) - worse


def test_the_order_of_rows_and_names_changes_nothing() -> None:
    one = standings(EVERYBODY, season(), "alpha")
    other = standings(EVERYBODY[::-1], shuffled(season()), "alpha")
    assert (one.places, one.order, one.tied) == (other.places, other.order, other.tied)


def test_of_more_contestants_than_are_tested_every_rank_is_open() -> None:
    rng = np.random.default_rng(1)
    many = [f"c{n:03}" for n in range(MOST + 100)]
    p = rng.random((5, len(many)))
    found = standings(names(*many), rounds(p, [0, 1, 0, 1, 1], names=many), "brier")
    assert found.contest is None
    assert {(place.low, place.high) for place in found.places.values()} == {(1, len(many))}
    assert len(found.tied) == len(many)


def by_rank(places: Mapping[ContestantId, Place]) -> Mapping[str, int | None]:
    """Over time there are ranks alone: nothing was tested then."""
    return {name: place.rank for name, place in places.items()}


def test_the_last_of_the_places_over_time_are_those_of_now() -> None:
    whole = season()
    found = over_time(EVERYBODY, whole, "alpha", came(whole))
    assert by_rank(found[-1].places) == by_rank(standings(EVERYBODY, whole, "alpha").places)
    assert len(found) == MOMENTS
    assert [at.at for at in found] == sorted({at.at for at in found})


def test_places_stand_on_what_had_resolved_by_then() -> None:
    whole = season(events=4)
    when = came(whole)
    for then in over_time(EVERYBODY, whole, "brier", when):
        until = when <= np.datetime64(then.at.replace(tzinfo=None))
        now = standings(EVERYBODY, whole.take(until), "brier").places
        assert by_rank(then.places) == by_rank(now)


@pytest.mark.parametrize("headline", ["alpha", ""])
def test_where_nothing_resolved_there_is_no_moment(headline: str) -> None:
    nothing = season().take(np.zeros(len(season()), np.bool_))
    assert over_time(EVERYBODY, nothing, headline, came(nothing)) == ()
