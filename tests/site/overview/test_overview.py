"""What holds of every overview, and what one of a small arena says."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pytest

from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId
from arena.records.estimate import Estimate, State
from arena.records.market import NO_WINS, YES_WINS, Outcome, Side
from arena.site.overview.read import read_overview, today_of
from arena.site.overview.records import Basis, Overview
from arena.store.codec import to_plain
from arena.store.scores.evidence import SqliteEvidence
from tests.build import ADA, BEN, HAIL, RAIN, SNOW, at, spec
from tests.present import present, some
from tests.site.overview.conftest import CAST, PROVIDERS, REFERENCES, Season
from tests.stage import Game, Says, Script, buys, eventful, playing

TOO_HIGH = {"mcb", "rel", "ece"}  # never below 0: the caveat says that theirs lie too high
TOO_LOW = {"unc"}  # never above 1/4, which it is near where half of the outcomes are YES
OUTCOMES: Mapping[str, Outcome] = {RAIN: YES_WINS, SNOW: NO_WINS, HAIL: NO_WINS}


def forecast(rain: float) -> Script:
    return {1: Says(forecasts={RAIN: rain, SNOW: 0.2, HAIL: 0.4})}


def over(game: Game) -> Overview:
    """Play a day and let everything resolve."""
    game.tick(0)
    for name in (RAIN, SNOW, HAIL):
        game.say(name, OUTCOMES[name])
    game.tick(24)
    return read_overview(game.store, {})


def estimates(found: Overview) -> Iterator[tuple[str, Estimate]]:
    for profile in found.profiles.values():
        yield from profile.scores.items()
        for parts in profile.parts.values():
            for part in parts:
                yield from part.scores.items()


def test_before_anything_was_asked_everybody_stands_last() -> None:
    with playing({ADA: {}, BEN: {}}) as game:
        game.venue.listed = []
        game.tick(0)
        found = read_overview(game.store, {})
    assert (found.headline, found.order, found.tied) == ("", (ADA, BEN), ())
    assert {e.value for _, e in estimates(found)} <= {None, 0.0}


def test_one_contestant_stands_alone() -> None:
    with playing({ADA: forecast(0.7)}) as game:
        found = over(game)
    assert (found.headline, found.order) == ("alpha", (ADA,))
    assert (found.contest, found.league, found.flip) == (None, None, None)
    assert found.profiles[ADA].scores["brier"].value == pytest.approx((0.09 + 0.04 + 0.16) / 3)
    assert (found.forecasts, found.markets, found.events) == (3, 3, 3)


def test_of_three_events_nobody_is_ranked() -> None:
    with playing({ADA: forecast(0.7), BEN: forecast(0.1)}) as game:
        found = over(game)
    assert {profile.place.rank for profile in found.profiles.values()} == {None}
    assert (found.tied, found.claims.minimum.events) == ((), 3)
    assert found.contest is not None
    assert {claim.better for claim in found.contest.claims} == {None}


def test_what_nobody_knows_is_none_and_never_zero() -> None:
    with playing({ADA: {}, BEN: forecast(0.7)}) as game:
        found = over(game)
    silent = found.profiles[ADA]
    for key, estimate in silent.scores.items():
        if key not in {"max_drawdown", "volatility", "worst_day", "latency"}:
            assert (estimate.value, estimate.n) == (None, 0), key
            assert estimate.state is State.EMPTY
    assert (silent.money, silent.reliability, silent.parts) == (None, None, {})
    assert silent.place.rank is None


def test_everybody_has_the_same_scores(season: Season) -> None:
    keys = [list(profile.scores) for profile in season.overview.profiles.values()]
    assert len({frozenset(own) for own in keys}) == 1


def test_every_score_is_explained(season: Season) -> None:
    assert {key for key, _ in estimates(season.overview)} <= set(METRICS)


def test_an_interval_holds_its_point_or_the_estimate_says_why_there_is_none(
    season: Season,
) -> None:
    for key, found in some(estimates(season.overview)):
        if found.interval is not None:
            assert found.value is not None
            assert found.interval.low <= found.interval.high
            if key not in TOO_HIGH | TOO_LOW:
                assert found.interval.low <= found.value <= found.interval.high, key
        elif METRICS[key].interval:
            assert found.state is not State.OK, key
        if found.value is None:
            assert found.state is not State.OK, key


def test_what_is_resampled_says_how_often(season: Season) -> None:
    scores = season.overview.profiles[ContestantId("alder")].scores
    methods = {"mcb": "basic", "dsc": "basic", "brier_skill": "percentile", "auc": "percentile"}
    for key, method in methods.items():
        interval = present(scores[key].interval)
        assert interval.method == f"events resampled 500 times, {method}"


def test_every_place_holds_its_rank(season: Season) -> None:
    places = [profile.place for profile in season.overview.profiles.values()]
    for then in season.overview.ranks:
        places += then.places.values()
    for place in places:
        if place.rank is not None:
            assert place.low <= place.rank <= place.high
    assert {name: at.rank for name, at in season.overview.ranks[-1].places.items()} == {
        name: profile.place.rank for name, profile in season.overview.profiles.items()
    }


def test_the_order_has_everybody_best_first(season: Season) -> None:
    found = season.overview
    assert list(found.order) == list(found.profiles)
    values = [
        present(found.profiles[name].scores[found.headline].value) for name in found.order
    ]
    assert values == sorted(values, reverse=True)
    ranks = [found.profiles[name].place.rank for name in found.order]
    assert [rank for rank in ranks if rank] == [1, 2, 3, 4]


def test_references_stand_in_the_order_and_have_no_rank(season: Season) -> None:
    """Nor does one stand first, or instead of the first, in what would flip."""
    found = season.overview
    flip = present(found.flip)
    assert not {flip.first, flip.instead} & set(REFERENCES)
    assert {found.profiles[ContestantId(n)].place.rank for n in REFERENCES} == {None}
    assert found.contest is not None
    assert not set(REFERENCES) & set(found.contest.ranks)
    assert not set(REFERENCES) & set(found.tied)


def test_the_price_has_a_place_among_those_who_compete(season: Season) -> None:
    found = season.overview
    assert found.market_place is not None
    assert found.market_place.rank is not None
    above = [n for n in found.order if present(found.profiles[n].scores["alpha"].value) > 0]
    assert found.market_place.rank == 1 + len(set(above) - set(REFERENCES))
    assert found.market_place.low <= found.market_place.rank <= found.market_place.high


def test_providers_are_compared_where_two_are_named(season: Season) -> None:
    providers = present(season.overview.providers)
    assert {line.name for line in providers.lines} == set(PROVIDERS.values())
    assert season.overview.families is None
    north = {name: one for name, one in CAST.items() if one.provider != "south"}
    assert read_overview(season.store, north).providers is None


def test_it_stands_as_of_the_newest_forecast_or_resolution() -> None:
    with playing({ADA: forecast(0.7)}) as game:
        assert over(game).as_of == at(24)
    with playing({ADA: forecast(0.7)}) as game:
        game.tick(0)
        game.tick(24)
        assert read_overview(game.store, {}).as_of == at(0)


def test_what_cannot_be_scored_is_counted() -> None:
    with eventful() as game:
        assert read_overview(game.store, {}).left_out == {"outcome_void": 1}


def test_a_forecast_costs_what_all_answers_did_over_those_that_came_out() -> None:
    with playing({ADA: forecast(0.7)}) as game:
        game.tick(0)
        game.hear(RAIN, YES_WINS, 24)
        game.store.db.run("UPDATE seats SET cost_micro = 300000")
        found = read_overview(game.store, {}).profiles[ADA].scores["cost_per_forecast"]
        assert (found.value, found.n) == (0.3, 1)
        game.store.db.run("UPDATE seats SET cost_unknown = 1")
        found = read_overview(game.store, {}).profiles[ADA].scores["cost_per_forecast"]
    assert (found.value, found.state) == (None, State.NOT_ESTIMABLE)


@pytest.mark.parametrize("who", [(ADA, BEN), (BEN, ADA)])
def test_the_order_in_which_contestants_sat_down_changes_nothing(
    who: Sequence[ContestantId],
) -> None:
    scripts: dict[ContestantId, Script] = {
        ADA: {1: buys((RAIN, Side.YES, 500), rain=0.7, snow=0.2)},
        BEN: {1: buys((SNOW, Side.YES, 300), rain=0.4, snow=0.6)},
    }
    told = []
    for order in ((ADA, BEN), who):
        with playing({name: scripts[name] for name in order}, spec("c", tuple(order))) as game:
            told.append(to_plain(over(game)))
    assert told[0] == told[1]


def test_the_headline_stands_on_the_forecasts_that_have_a_price(season: Season) -> None:
    told = SqliteEvidence(season.store.db).forecasts()
    priced = told.take(~np.isnan(told.market_p))
    basis = season.overview.basis
    assert basis == Basis(len(priced), priced.market.used(), priced.event.used())
    assert 0 < basis.forecasts < season.overview.forecasts


def test_today_is_of_the_newest_moment_although_an_earlier_one_was_written_after_it() -> None:
    with playing({}) as game:
        game.tick(0)
        game.venue.clock.at = at(24 * 9)
        game.seal(spec("c"), late=True)
        game.tick(24)
        assert today_of(game.store) == at(24 * 9).date()
