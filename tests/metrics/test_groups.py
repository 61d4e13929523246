"""Groups are compared by what their entrants can do on average, never by their best."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from arena.metrics.groups import ENOUGH, GroupBoard, groups
from arena.records.estimate import State
from arena.scoring.table import Factor, Floats, Forecasts, Whole
from arena.stats.comparisons.joint_losses import mean_losses
from arena.stats.shrinkage import compare_groups
from tests.metrics.rounds import equals, labelled, rounds, strict
from tests.metrics.season import shuffled
from tests.present import present
from tests.sizes import size

RNG = np.random.default_rng
OF = ("north", "north", "south", "south", "west", "west")


def six(seed: int = 0, questions: int = 80) -> Forecasts:
    return of(*equals(RNG(seed), questions, 6), OF, priced=True)


def told(whole: Forecasts, key: str = "brier") -> GroupBoard:
    found = present(groups(whole, "provider", key))
    strict(found)
    return found


def of(
    p: Floats, outcome: Whole, provider: Sequence[str], *, priced: bool = False
) -> Forecasts:
    """Each contestant of a provider; with a price of a half where it says so."""
    price = np.full(len(p), 0.5) if priced else None
    return labelled(rounds(p, outcome, market_p=price), "provider", provider)


def test_own_means_are_those_of_the_entrants_by_hand() -> None:
    p, outcome = equals(RNG(1), 40, 3)
    whole = of(p, outcome, "aab")
    scores = ((p - outcome[:, None]) ** 2).mean(axis=0)
    found = {line.name: line for line in told(whole).lines}
    assert found["a"].own == pytest.approx(scores[:2].mean())
    assert found["b"].own == pytest.approx(scores[2])
    assert found["a"].best == pytest.approx(scores[:2].min())
    assert (found["a"].entrants, found["b"].entrants, found["b"].luck) == (2, 1, 0.0)


def test_abilities_are_those_of_the_statistics() -> None:
    whole = six()
    losses = ((whole.p - whole.outcome) ** 2).reshape(80, 6)
    means = mean_losses(losses, np.arange(80))
    plain = compare_groups(means.means, present(means.covariance), np.repeat([0, 1, 2], 2))
    found = {line.name: line.ability for line in told(whole).lines}
    for name, group in zip(("north", "south", "west"), plain.groups, strict=True):
        assert found[name].value == pytest.approx(group.ability.value)
        assert found[name].se == pytest.approx(group.ability.se)


def test_an_ability_says_how_many_forecasts_and_events_it_is_of() -> None:
    whole = replace(six(), event=Factor(tuple("abcdefghijklmnopqrst"), six().event.codes % 20))
    assert {(line.ability.n, line.ability.events) for line in told(whole).lines} == {(160, 20)}
    p, outcome = equals(RNG(0), 90, 3)
    p[:40, 2] = np.nan
    p[50:, :2] = np.nan
    gaps = of(p, outcome, "aab", priced=True)
    found = {line.name: line.ability for line in told(gaps).lines}
    assert (found["a"].n, found["a"].events) == (100, 50)
    assert (found["b"].n, found["b"].events) == (50, 50)


def test_more_is_better_where_the_metric_says_so() -> None:
    rng = RNG(3)
    truth = rng.random((100, 1))
    outcome = (rng.random(100) < truth[:, 0]).astype(int)
    noise = rng.normal(0, 1, (100, 6)) * np.repeat([0.02, 0.25, 0.6], 2)
    p = np.clip(truth + noise, 0.01, 0.99)
    whole = of(p, outcome, OF, priced=True)
    for key in ("brier", "log", "spherical", "alpha"):
        found = told(whole, key)
        assert [line.name for line in found.lines] == ["north", "south", "west"]
        high = key in {"spherical", "alpha"}
        own = [line.own for line in found.lines]
        assert own == sorted(own, reverse=high)
        assert all((line.best > line.own) is high for line in found.lines)
        counts = (found.metric, found.common, found.questions, found.events)
        assert counts == (key, True, 100, 100)


def test_twenty_equals_win_no_more_often_than_two() -> None:
    rng, by_ability, by_best, trials = RNG(7), 0, 0, size(30, 60)
    for _ in range(trials):
        found = told(of(*equals(rng, 30, 22), ["many"] * 20 + ["few"] * 2))
        lines = {line.name: line for line in found.lines}
        first = min(lines.values(), key=lambda line: present(line.ability.value))
        by_ability += first.name == "many"
        by_best += lines["many"].best < lines["few"].best
    assert abs(by_ability - trials / 2) <= 2 * (trials / 4) ** 0.5
    assert by_best > 0.75 * trials


def test_a_best_entrant_stands_beside_its_luck() -> None:
    rng, over = RNG(8), []
    for _ in range(40):
        found = told(of(*equals(rng, 40, 11), ["many"] * 10 + ["one"]))
        many = next(line for line in found.lines if line.name == "many")
        over.append(many.own - many.best - many.luck)
    assert abs(np.mean(over)) < 3 * np.std(over) / 40**0.5


def test_the_order_of_rows_changes_nothing() -> None:
    one, other = told(six()), told(shuffled(six(), 5))
    assert [line.name for line in one.lines] == [line.name for line in other.lines]
    for a, b in zip(one.lines, other.lines, strict=True):
        assert a.ability.value == pytest.approx(b.ability.value, abs=1e-10)
        assert a.luck == pytest.approx(b.luck, abs=1e-10)


def test_two_groups_are_not_drawn_together() -> None:
    found = told(of(*equals(RNG(0), 40, 4), "aabb"))
    assert found.state is State.TOO_FEW
    assert all(line.ability.value == pytest.approx(line.own) for line in found.lines)


def test_identical_entrants_tie_their_errors() -> None:
    p, outcome = equals(RNG(0), 40, 3)
    found = told(of(p[:, [0, 0, 1, 2]], outcome, "abcd"))
    assert found.state is State.NOT_ESTIMABLE


def test_constant_forecasters_have_no_error_to_be_drawn_by() -> None:
    constant = of(np.tile([0.9, 0.8, 0.7], (30, 1)), np.ones(30, int), "abc")
    assert groups(constant, "provider", "brier") is None


def test_options_are_compared() -> None:
    rng = RNG(0)
    p = rng.dirichlet(np.ones(3), (40, 4))
    assert told(of(p, rng.integers(0, 3, 40), "aabb")).metric == "brier_sum"


def test_who_answered_other_questions_is_compared_by_alpha() -> None:
    p, outcome = equals(RNG(0), 90, 4)
    p[:45, 2:] = np.nan
    p[45:, :2] = np.nan
    found = told(of(p, outcome, "abcd", priced=True))
    assert (found.metric, found.common, found.questions) == ("alpha", False, 90)
    assert groups(of(p, outcome, "abcd"), "provider", "brier") is None


def test_a_newcomer_with_few_events_is_left_out_of_that() -> None:
    p, outcome = equals(RNG(0), 60, 4)
    p[ENOUGH - 1 :, 3] = np.nan
    whole = of(p, outcome, "abcc", priced=True)
    found = {line.name: line.entrants for line in told(whole).lines}
    assert found == {"a": 1, "b": 1, "c": 1}


def test_rounds_are_questions_where_all_are_asked_at_once() -> None:
    p, outcome = equals(RNG(0), 40, 3)
    whole = rounds(p, outcome)
    twice = whole.take(np.tile(np.arange(len(whole)), 2))
    day = np.repeat(np.array([0, 1], dtype="timedelta64[D]"), len(whole))
    both = labelled(replace(twice, at=twice.at + day), "provider", ("a", "b", "c"))
    found = present(groups(both, "provider", "brier", by_moment=True))
    assert (told(both).questions, found.questions) == (40, 80)


@pytest.mark.parametrize(("provider", "questions"), [("aaa", 40), ("abc", ENOUGH - 1)])
def test_nothing_is_compared_in_one_group_or_of_few_events(
    provider: str, questions: int
) -> None:
    whole = of(*equals(RNG(0), questions, 3), provider)
    assert groups(whole, "provider", "brier") is None


def test_a_label_of_rows_is_none_of_contestants() -> None:
    whole = six()
    mixed = Factor(("x", "y"), np.arange(len(whole)) // 7 % 2)
    assert groups(replace(whole, labels={"provider": mixed}), "provider", "brier") is None
    assert groups(whole, "family", "brier") is None
    assert groups(whole.take(np.zeros(len(whole), dtype=bool)), "provider", "brier") is None


def test_a_copy_of_the_price_keeps_nobody_from_being_drawn_together() -> None:
    p, outcome = equals(RNG(2), 80, 6)
    alone = of(p, outcome, OF, priced=True)
    price = np.column_stack([p, np.full(80, 0.5)])
    copied = of(price, outcome, (*OF, "none"), priced=True)
    found = told(copied, "alpha")
    assert found.state is State.OK
    assert found == told(alone, "alpha")
