import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.metrics.claims.board_claims import board_claims
from arena.metrics.claims.questions import MarketTest, MarketTests
from arena.records.cohort import ContestantId
from arena.records.estimate import Estimate, State, Test
from arena.scoring.table import Forecasts
from arena.site.overview.profiles import (
    MOMENTS,
    Standings,
    Times,
    headline_of,
    over_time,
    place_of_price,
    placed,
    questions_by,
    values_of,
)
from arena.site.overview.records import RankPlace
from tests.metrics.rounds import rounds
from tests.metrics.season import season
from tests.present import present, some


def names(*of: str) -> list[ContestantId]:
    return [ContestantId(name) for name in of]


EVERYBODY = names("ada", "ben", "cy")


def worth(value: float | None) -> Estimate:
    state = State.OK if value is not None else State.EMPTY
    return Estimate(value, 1, 1, state=state)


def came(found: Forecasts) -> Times:
    """A day after each was forecast."""
    return found.at + np.timedelta64(1, "D")


def ranked(found: Forecasts, headline: str) -> Standings:
    """Places with the ranks that claims of a file leave open."""
    said = board_claims(found, headline or "brier", by_moment=True)
    left = said.contest.ranks if said.contest else {}
    return placed(EVERYBODY, values_of(found, headline), left, headline)


def test_without_a_forecast_there_is_no_headline() -> None:
    nobody = season().take(np.zeros(len(season()), np.bool_))
    assert headline_of(nobody) == ""
    assert ranked(nobody, "").tied == ()


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
        "ada": RankPlace(2, 1, 2),
        "ben": RankPlace(1, 1, 2),
        "cy": RankPlace(None, 1, 2),
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
    found = season(events=120)
    said = present(board_claims(found, "brier", by_moment=True).contest)
    worse = {
        claim.second if claim.better == claim.first else claim.first
        for claim in said.claims
        if claim.better
    }
    assert worse
    assert set(ranked(found, "brier").tied) == set(EVERYBODY) - worse


def test_references_stand_by_their_value_without_a_rank_and_count_for_none() -> None:
    values = {"ada": worth(0.3), "ben": worth(0.1), "cy": worth(0.2)}
    found = placed(EVERYBODY, values, {}, "brier", ["cy"])
    assert found.order == ("ben", "cy", "ada")
    assert found.places == {
        "ada": RankPlace(2, 1, 2), "ben": RankPlace(1, 1, 2), "cy": RankPlace(None, 1, 2)
    }  # fmt: skip
    assert found.tied == ("ben", "ada")


def test_of_too_little_evidence_nobody_is_ranked_and_the_order_stays() -> None:
    values = {"ada": worth(0.3), "ben": worth(0.1), "cy": worth(0.2)}
    found = placed(EVERYBODY, values, {}, "brier", enough=False)
    assert found.order == ("ben", "cy", "ada")
    assert {place.rank for place in found.places.values()} == {None}
    assert found.tied == ()


def market(**verdicts: str | None) -> MarketTests:
    return MarketTests(
        0.95,
        tuple(MarketTest(name, Test("t", 1, 1), None, said) for name, said in verdicts.items()),
    )


def test_the_price_stands_below_those_who_gained_on_it() -> None:
    values = {"ada": worth(0.1), "ben": worth(-0.1), "cy": worth(0.2)}
    order = placed(EVERYBODY, values, {}, "alpha")
    unsure = market(ada=None, ben=None, cy=None)
    assert place_of_price(unsure, order, values, ()) == RankPlace(3, 1, 4)
    sure = market(ada=None, ben="worse", cy="better")
    assert place_of_price(sure, order, values, ()) == RankPlace(3, 2, 3)


def test_references_move_no_rank_of_the_price() -> None:
    values = {"ada": worth(0.1), "ben": worth(-0.1), "cy": worth(0.2)}
    order = placed(EVERYBODY, values, {}, "alpha", ["cy"])
    found = place_of_price(market(ada=None, ben=None, cy="better"), order, values, ["cy"])
    assert found == RankPlace(2, 1, 3)


def test_without_a_price_it_has_no_place() -> None:
    assert place_of_price(None, placed(EVERYBODY, {}, {}, "brier"), {}, ()) is None


def test_the_last_of_the_places_over_time_are_those_of_now_by_value_alone() -> None:
    whole = season()
    found = over_time(EVERYBODY, whole, "alpha", came(whole))
    now = placed(EVERYBODY, values_of(whole, "alpha"), {}, "alpha").places
    assert {n: p.rank for n, p in found[-1].places.items()} == {
        n: p.rank for n, p in now.items()
    }
    assert all(p.low == p.rank == p.high for p in found[-1].places.values())
    assert len(found) == MOMENTS
    assert [at.at for at in found] == sorted({at.at for at in found})


def test_places_stand_on_what_had_resolved_by_then() -> None:
    whole = season(events=4)
    when = came(whole)
    for then in some(over_time(EVERYBODY, whole, "brier", when)):
        until = when <= np.datetime64(then.at.replace(tzinfo=None))
        made = placed(EVERYBODY, values_of(whole.take(until), "brier"), {}, "brier").places
        assert {n: p.rank for n, p in then.places.items()} == {
            n: p.rank for n, p in made.items()
        }


def test_references_have_no_rank_at_any_time() -> None:
    whole = season()
    for then in some(over_time(EVERYBODY, whole, "alpha", came(whole), ["ben"])):
        assert then.places[EVERYBODY[1]].rank is None
        ranked = [p.rank for name, p in then.places.items() if name != EVERYBODY[1]]
        assert max(map(present, ranked)) <= 2


@pytest.mark.parametrize("headline", ["alpha", ""])
def test_where_nothing_resolved_there_is_no_moment(headline: str) -> None:
    nothing = season().take(np.zeros(len(season()), np.bool_))
    assert over_time(EVERYBODY, nothing, headline, came(nothing)) == ()


def test_a_question_counts_once_for_a_contestant_that_two_cohorts_asked() -> None:
    found = season()
    once = questions_by(found, "alpha")
    twice = found.take(np.tile(np.arange(len(found)), 2))
    assert questions_by(twice, "alpha") == once
    counts = values_of(twice, "alpha")
    assert {name: 2 * n for name, n in once.items()} == {n: e.n for n, e in counts.items()}
    assert (len(once), questions_by(found, "")) == (3, {})
