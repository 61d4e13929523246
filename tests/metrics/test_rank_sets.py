"""Places are what the statistics say, and never more."""

from dataclasses import replace

import numpy as np
import pytest

from arena.metrics.claims.questions import MOST
from arena.metrics.rank_sets import DRAWS, ENOUGH, SOME, League, league
from arena.records.estimate import State
from arena.scoring.table import Factor, Forecasts
from arena.stats.bootstrap import generator
from arena.stats.comparisons.joint_losses import mean_losses, resampled_means
from arena.stats.comparisons.ranks import RankOptions, model_confidence_set, rank_sets
from arena.stats.games import bradley_terry, wins_by_event
from arena.stats.mean_intervals import mean_test
from tests.metrics.rounds import equals, numbered, rounds, strict
from tests.metrics.season import shuffled
from tests.present import present, some
from tests.sizes import size

RNG = np.random.default_rng
NAN = float("nan")


def graded(seed: int = 0, questions: int = 120, contestants: int = 4) -> Forecasts:
    """Each contestant is a little worse than the one before."""
    rng = RNG(seed)
    truth = rng.random((questions, 1))
    outcome = (rng.random(questions) < truth[:, 0]).astype(np.intp)
    noise = rng.normal(0, 1, (questions, contestants)) * np.linspace(0.02, 0.4, contestants)
    return rounds(np.clip(truth + noise, 0.01, 0.99), outcome)


def names(found: League) -> list[str]:
    return [place.name for place in found.places]


def test_three_questions_by_hand() -> None:
    p = np.array([[0.9, 0.5], [0.8, 0.5], [0.3, 0.5]])
    found = league(rounds(p, [1, 1, 0], names=("ada", "ben")), "brier", elo=True)
    ada, ben = found.places
    assert (ada.name, ada.rank, ben.name, ben.rank) == ("ada", 1, "ben", 2)
    assert (ada.mean, ben.mean) == pytest.approx(((0.01 + 0.04 + 0.09) / 3, 0.25))
    assert (found.questions, found.events, found.state) == (3, 3, State.OK)
    assert (ada.first, ben.first) == (1.0, 0.0)  # better in every event
    assert present(ada.elo) > 1500 > present(ben.elo)
    assert present(ada.elo) + present(ben.elo) == pytest.approx(3000)


def test_who_won_every_game_has_no_strength() -> None:
    p = np.array([[0.9, 0.5], [0.8, 0.5], [0.3, 0.5]])
    found = league(rounds(p, [1, 1, 0]), "brier")
    assert all((p.strength, p.strength_interval) == (None, None) for p in some(found.places))


def test_means_and_rank_sets_are_those_of_the_statistics() -> None:
    whole = graded()
    found = league(whole, "brier")
    losses = ((whole.p - whole.outcome) ** 2).reshape(120, 4)
    means = mean_losses(losses, np.arange(120))
    sets = rank_sets(
        means.means,
        present(means.covariance),
        generator("league", "ranks", *numbered("c", 4)),
        RankOptions(events=120),
    )
    assert [p.mean for p in found.places] == pytest.approx(np.sort(means.means))
    assert [p.rank_low for p in found.places] == sets.low[np.argsort(means.means)].tolist()
    assert [p.rank_high for p in found.places] == sets.high[np.argsort(means.means)].tolist()


def test_the_confidence_set_counts_the_sample_as_a_draw() -> None:
    whole = graded(contestants=6)
    found = {p.name: p.mcs_p for p in league(whole, "brier").places}
    losses = ((whole.p - whole.outcome) ** 2).reshape(120, 6)
    rng = generator("league", "means", *numbered("c", 6))
    drawn = resampled_means(losses, np.arange(120), rng, DRAWS)
    plain = model_confidence_set(losses.mean(axis=0), drawn).p
    for name, p in some(zip(numbered("c", 6), plain.tolist(), strict=True)):
        added = 1.0 if p == 1.0 else (DRAWS * p + 1) / (DRAWS + 1)
        assert found[name] == pytest.approx(added, abs=1e-12)
        assert found[name] != 0


def test_it_is_the_same_again_and_for_rows_in_any_order() -> None:
    whole = graded(seed=3)
    first, again = (league(whole, "brier", elo=True) for _ in range(2))
    assert first == again
    mixed = league(shuffled(whole, 7), "brier", elo=True)
    for one, other in zip(first.places, mixed.places, strict=True):
        ranks = (other.name, other.rank, other.rank_low, other.rank_high)
        assert (one.name, one.rank, one.rank_low, one.rank_high) == ranks
        exact = (one.first, one.mcs_p, one.elo)
        assert exact == pytest.approx((other.first, other.mcs_p, other.elo), abs=1e-9)
        assert one.mean == pytest.approx(other.mean, abs=1e-12)


def test_other_names_change_what_is_drawn_by_its_error_only() -> None:
    whole = graded(seed=4)
    other = replace(whole, contestant=Factor(("w", "x", "y", "z"), whole.contestant.codes))
    both = (league(found, "brier", elo=True).places for found in (whole, other))
    for one, two in some(zip(*both, strict=True)):
        assert (one.mean, one.rank, one.strength) == (two.mean, two.rank, two.strength)
        assert one.first == pytest.approx(two.first, abs=4 * 0.5 / DRAWS**0.5 * 2**0.5)
        assert one.mcs_p == pytest.approx(two.mcs_p, abs=0.03)
        assert one.elo == pytest.approx(two.elo, abs=15)


@pytest.mark.parametrize("key", ["alpha", "spherical"])
def test_where_more_is_better_the_largest_comes_first(key: str) -> None:
    whole = graded()
    whole = replace(whole, market_p=np.full(len(whole), 0.5))
    found = league(whole, key)
    means = [place.mean for place in found.places]
    assert (found.metric, means) == (key, sorted(means, reverse=True))
    assert names(found) == names(league(whole, "brier"))


def test_options_are_compared_by_what_they_have() -> None:
    rng = RNG(5)
    sharp = rng.dirichlet(np.ones(3), 60)
    outcome = np.array([rng.choice(3, p=row) for row in sharp])
    p = np.stack([sharp, np.full((60, 3), 1 / 3)], axis=1)
    whole = rounds(p, outcome, names=("sharp", "flat"))
    for key, used in (("brier", "brier_sum"), ("log", "log"), ("rps", "rps")):
        found = league(whole, key)
        assert (found.metric, found.places[0].name) == (used, "sharp")
        strict(found)


def test_a_metric_that_is_no_mean_ranks_by_the_brier_score() -> None:
    assert league(graded(), "auc").metric == "brier"


@pytest.mark.parametrize("events", [1, 2])
def test_fewer_than_three_events_give_no_places(events: int) -> None:
    p, outcome = equals(RNG(0), 12, 3)
    found = league(rounds(p, outcome, event=np.arange(12) % events), "brier")
    assert (found.places, found.state, found.events) == ((), State.NOT_ESTIMABLE, events)


@pytest.mark.parametrize("contestants", [0, 1, MOST + 1])
def test_one_contestant_or_too_many_give_no_places(contestants: int) -> None:
    p, outcome = equals(RNG(0), 4, contestants)
    found = league(rounds(p, outcome), "brier")
    assert (found.places, found.state) == ((), State.TOO_FEW)


def test_a_hundred_contestants_are_ranked() -> None:
    p, outcome = equals(RNG(0), 60, size(10, MOST))
    found = league(rounds(p[:, np.arange(MOST) % p.shape[1]], outcome), "brier")
    assert (len(found.places), found.draws) == (MOST, 2500)


def test_fewer_events_than_contestants_are_no_reason_to_fail() -> None:
    p, outcome = equals(RNG(2), 5, 12)
    found = league(rounds(p, outcome), "brier")
    assert len(found.places) == 12
    assert all((p.rank_low, p.rank_high) == (1, 12) for p in found.places)
    strict(found)


def test_what_needs_more_events_is_left_unsaid() -> None:
    for events, has_set, has_interval in (
        (SOME - 1, False, False),
        (SOME, False, True),
        (ENOUGH - 1, False, True),
        (ENOUGH, True, True),
    ):
        p, outcome = equals(RNG(1), events, 3)
        first = league(rounds(p, outcome), "brier").places[0]
        assert (first.mcs_p is not None, first.in_mcs is not None) == (has_set, has_set)
        assert (first.strength_interval is not None) is has_interval


def test_the_same_contestant_twice_shares_everything() -> None:
    p, outcome = equals(RNG(3), 60, 2)
    found = league(rounds(p[:, [0, 1, 0]], outcome, names=("a", "b", "twin")), "brier")
    one, twin = (next(p for p in found.places if p.name == n) for n in ("a", "twin"))
    assert (one.rank, one.rank_low, one.rank_high) == (twin.rank, twin.rank_low, twin.rank_high)
    assert (one.first, one.mcs_p) == (twin.first, twin.mcs_p)
    assert one.strength == pytest.approx(twin.strength)


def test_nobody_who_always_says_the_same_is_told_apart_from_himself() -> None:
    flat = np.full((60, 2), 0.5)
    found = league(rounds(flat, RNG(0).integers(0, 2, 60)), "brier")
    assert [(p.rank, p.rank_low, p.rank_high) for p in found.places] == [(1, 1, 2)] * 2
    assert {p.first for p in found.places} == {0.5}
    assert {p.mcs_p for p in found.places} == {1.0}
    assert {p.strength for p in found.places} == {0.0}


def test_a_constant_gap_is_never_told_apart() -> None:
    p = np.tile([0.9, 0.8], (60, 1))
    found = league(rounds(p, np.ones(60, dtype=int)), "brier")
    assert [(p.rank, p.rank_low, p.rank_high) for p in found.places] == [(1, 1, 2), (2, 1, 2)]
    assert all((p.mcs_p, p.in_mcs) == (None, None) for p in found.places)


def test_a_perfect_forecaster_comes_first_in_strict_json() -> None:
    p, outcome = equals(RNG(3), 60, 3)
    p[:, 1] = outcome
    found = league(rounds(p, outcome), "brier")
    assert (found.places[0].name, found.places[0].mean, found.places[0].rank_high) == (
        ("c001", 0.0, 1)
    )
    assert strict(found)["places"][0]["strength"] is None


def test_without_moments_questions_are_markets_and_with_them_rounds() -> None:
    p, outcome = equals(RNG(3), 40, 2)
    whole = rounds(p, outcome)
    twice = replace(
        rounds(np.vstack([p, p]), np.tile(outcome, 2), day=np.repeat([0, 1], 40)),
        market=Factor(numbered("m", 40), np.tile(whole.market.codes, 2)),
        event=Factor(numbered("e", 40), np.tile(whole.event.codes, 2)),
    )
    assert league(twice, "brier").questions == 40
    assert league(twice, "brier", by_moment=True).questions == 80


@pytest.mark.parametrize(("contestants", "events"), [(2, 3), (4, 10), (8, 15)])
def test_equals_are_seldom_told_apart(contestants: int, events: int) -> None:
    rng, wrong, trials = RNG(contestants), 0, size(60, 120)
    options = RankOptions(draws=1000, events=events)
    for _ in range(trials):
        p, outcome = equals(rng, events, contestants)
        means = mean_losses((p - outcome[:, None]) ** 2, np.arange(events))
        found = rank_sets(means.means, present(means.covariance), rng, options)
        wrong += bool(found.better.any())
    assert wrong <= trials * 0.05 + 2 * (trials * 0.05 * 0.95) ** 0.5


def test_two_contestants_are_told_apart_where_t_tells_them_apart() -> None:
    rng = RNG(11)
    for _ in range(30):
        difference = rng.normal(0.2, 0.3, 12)
        p = present(mean_test(difference, np.arange(12)).p)
        losses = np.stack([np.zeros(12), difference], axis=1)
        means = mean_losses(losses, np.arange(12))
        sets = rank_sets(means.means, present(means.covariance), rng, RankOptions(events=12))
        if abs(p - 0.05) > 0.01:
            assert bool(sets.better.any()) is (p < 0.05)


def test_estimated_spreads_ask_for_two_events() -> None:
    with pytest.raises(ValueError, match="two events at least"):
        rank_sets(np.zeros(2), np.eye(2), RNG(0), RankOptions(events=1))


def test_strengths_are_of_everybodys_games() -> None:
    whole = graded()
    losses = ((whole.p - whole.outcome) ** 2).reshape(120, 4)
    own = bradley_terry(wins_by_event(losses, np.zeros(120, int)).sum(axis=0))
    found = {p.name: p.strength for p in league(whole, "brier").places}
    expected = present(own.log_strength).tolist()
    assert [found[name] for name in numbered("c", 4)] == pytest.approx(expected)


def test_games_use_questions_that_not_everybody_answered() -> None:
    p, outcome = equals(RNG(1), 60, 3)
    p[40:, 2] = NAN
    found = league(rounds(p, outcome), "brier")
    made = ~np.isnan(p)
    losses = np.square(np.where(made, p, 0.0) - outcome[:, None])
    own = bradley_terry(wins_by_event(losses, np.zeros(60, int), made).sum(axis=0))
    strengths = {place.name: place.strength for place in found.places}
    assert found.questions == 40
    expected = present(own.log_strength).tolist()
    assert [strengths[name] for name in numbered("c", 3)] == pytest.approx(expected)
