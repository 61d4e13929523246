"""Who only answered easy questions gains nothing by it."""

from dataclasses import replace

import numpy as np
import pytest

from arena.metrics.claims.adjusted import HOW, adjust, adjusted_brier
from arena.metrics.claims.adjusted_gain import adjusted_gains
from arena.records.estimate import Estimate, State
from arena.scoring.difficulty import bootstrap_effects
from arena.scoring.table import Factor, Floats, Forecasts
from tests.metrics.rounds import equals, numbered, rounds, strict
from tests.metrics.season import shuffled
from tests.present import present, some
from tests.stats.intervals import ends

RNG = np.random.default_rng
NAN = float("nan")


def scored(whole: Forecasts, level: float = 0.95) -> dict[str, Estimate]:
    found = adjusted_brier(whole, whole.contestant, level)
    strict(found)
    return dict(zip(whole.contestant.names, found, strict=True))


def gaps(seed: int = 0) -> tuple[Floats, np.ndarray[tuple[int], np.dtype[np.intp]]]:
    rng = RNG(seed)
    p, outcome = equals(rng, 60, 4)
    p[rng.random(p.shape) < 0.4] = NAN
    return p, outcome


def test_everybody_on_everything_is_the_plain_score() -> None:
    p, outcome = equals(RNG(0), 30, 3)
    found = scored(rounds(p, outcome))
    plain = ((p - outcome[:, None]) ** 2).mean(axis=0)
    assert [found[n].value for n in numbered("c", 3)] == pytest.approx(plain.tolist())


def test_three_questions_by_hand() -> None:
    p = np.array([[0.9, NAN], [0.8, 0.6], [NAN, 0.5]])
    found = scored(rounds(p, [1, 1, 1], names=("ada", "ben")))
    # Both answered the second: ben's 0.16 is 0.12 more than ada's 0.04. So the first would
    # have been 0.01 and 0.13, the third 0.13 and 0.25.
    assert found["ada"].value == pytest.approx((0.01 + 0.04 + 0.13) / 3)
    assert found["ben"].value == pytest.approx((0.13 + 0.16 + 0.25) / 3)


def test_easy_questions_alone_make_nobody_better() -> None:
    p, outcome = equals(RNG(3), 60, 2)
    same = p[:, [0, 1, 1]]
    hard = (same[:, 1] - outcome) ** 2 > 0.1
    same[hard, 2] = NAN
    found = scored(rounds(same, outcome, names=("ada", "ben", "picky")))
    raw = (same[~hard, 2] - outcome[~hard]) ** 2
    assert found["picky"].value == pytest.approx(found["ben"].value, abs=0.02)
    assert raw.mean() < 0.5 * present(found["ben"].value)


def test_rows_and_events_are_its_own() -> None:
    p, outcome = gaps()
    whole = rounds(p, outcome, event=np.arange(60) // 3)
    found = scored(whole)
    for name in some(whole.contestant.names):
        own = whole.of(name)
        assert (found[name].n, found[name].events) == (len(own), own.event.used())


def test_an_interval_is_about_its_value_and_says_how_it_was_made() -> None:
    found = scored(rounds(*gaps()))
    narrow = scored(rounds(*gaps()), level=0.5)
    for name, one in some(found.items()):
        assert present(one.interval).method == HOW
        low, high = ends(one.interval)
        assert low < present(one.value) < high
        inner_low, inner_high = ends(narrow[name].interval)
        assert low < inner_low < inner_high < high


def test_draws_in_parts_are_the_same_draws() -> None:
    whole = rounds(*gaps())
    fitted = present(adjust(whole, whole.contestant))
    at_once = bootstrap_effects(fitted.found, whole.event.codes, RNG(0), 100).effects
    rng = RNG(0)
    parts = [
        bootstrap_effects(fitted.found, whole.event.codes, rng, n).effects for n in (7, 93)
    ]
    assert np.allclose(np.concatenate(parts), at_once, rtol=0, atol=1e-12)


def test_it_is_the_same_again_and_for_rows_in_any_order() -> None:
    whole = rounds(*gaps())
    assert scored(whole) == scored(whole)
    one, other = scored(whole), scored(shuffled(whole, 2))
    for name, found in one.items():
        same = other[name]
        assert (found.n, found.events) == (same.n, same.events)
        assert found.value == pytest.approx(same.value, abs=1e-12)
        assert ends(found.interval) == pytest.approx(ends(same.interval), abs=1e-12)


def test_other_names_move_no_value_and_no_interval() -> None:
    whole = rounds(*gaps())
    other = replace(whole, contestant=Factor(("z", "y", "x", "w"), whole.contestant.codes))
    for one, two in some(zip(scored(whole).values(), scored(other).values(), strict=True)):
        assert one.value == pytest.approx(two.value, abs=1e-12)
        assert ends(one.interval) == pytest.approx(ends(two.interval), abs=1e-9)


def test_who_is_connected_with_nobody_has_no_value() -> None:
    p, outcome = equals(RNG(0), 40, 3)
    p[:20, 2] = NAN
    p[20:, :2] = NAN
    found = scored(rounds(p, outcome))
    assert (found["c002"].value, found["c002"].state) == (None, State.NOT_ESTIMABLE)
    assert found["c000"].interval is not None


def test_of_two_sets_as_large_the_first_name_says_which() -> None:
    p, outcome = equals(RNG(0), 40, 4)
    p[:20, 2:] = NAN
    p[20:, :2] = NAN
    whole = rounds(p, outcome, names=("x", "y", "a", "b"))
    for seed in range(3):
        found = scored(shuffled(whole, seed))
        assert {n for n, one in found.items() if one.value is not None} == {"a", "b"}


@pytest.mark.parametrize("events", [1, 2])
def test_one_event_gives_no_interval_and_two_do(events: int) -> None:
    p, outcome = equals(RNG(0), 20, 2)
    found = scored(rounds(p, outcome, event=np.arange(20) % events))
    for one in some(found.values()):
        assert (one.value is not None, one.interval is not None) == (True, events == 2)


def test_one_contestant_has_nobody_to_be_measured_against() -> None:
    p, outcome = equals(RNG(0), 20, 1)
    (found,) = scored(rounds(p, outcome)).values()
    assert (found.state, found.interval) == (State.SINGLE, None)
    assert found.value == pytest.approx(((p[:, 0] - outcome) ** 2).mean())


def test_the_same_contestant_twice_has_no_spread() -> None:
    p, outcome = equals(RNG(0), 20, 1)
    found = scored(rounds(p[:, [0, 0]], outcome))
    assert {(one.state, one.interval) for one in found.values()} == {(State.DEGENERATE, None)}


def test_no_rows_are_empty() -> None:
    p, outcome = equals(RNG(0), 5, 2)
    whole = rounds(p, outcome)
    none = whole.take(np.zeros(len(whole), dtype=bool))
    assert {e.state for e in scored(none).values()} == {State.EMPTY}
    assert adjust(none, none.contestant) is None
    without = replace(whole.take(whole.contestant.codes == 0))
    assert scored(without)["c001"].state is State.EMPTY


def answered(seed: int, new: int, whole: int = 120) -> Forecasts:
    """Three who answer all and one who answers the last `new`, no better than a price."""
    rng = RNG(seed)
    truth = rng.uniform(0.3, 0.7, whole)
    said = np.clip(truth[:, None] + rng.normal(0, 0.1, (whole, 5)), 0.01, 0.99)
    said[: whole - new, 3] = NAN
    outcome = (rng.random(whole) < truth).astype(np.intp)
    return rounds(said[:, :4], outcome, names=("a", "b", "c", "new"), market_p=said[:, 4])


def test_a_copy_of_the_price_gains_nothing_whatever_it_leaves_out() -> None:
    rng = RNG(5)
    truth = rng.random(200)
    price = np.clip(truth + rng.normal(0, 0.2, 200), 0.01, 0.99)
    hard = np.abs(price - 0.5) < 0.3
    p = np.column_stack([truth, np.where(hard, NAN, price)])
    found = adjusted_gains(rounds(p, (rng.random(200) < truth).astype(np.intp), market_p=price))
    assert present(found["c000"].value) > 0
    assert (found["c001"].value, found["c001"].interval) == (0.0, None)
    assert found["c001"].state is State.DEGENERATE


def test_one_event_gives_a_gain_no_interval() -> None:
    found = adjusted_gains(answered(1, 1))["new"]
    assert found.value is not None
    assert (found.interval, found.state) == (None, State.SINGLE)


@pytest.mark.parametrize("new", [3, 10])
def test_an_interval_of_few_answers_among_many_holds_the_truth_as_often_as_it_says(
    new: int,
) -> None:
    found = [adjusted_gains(answered(seed, new))["new"] for seed in range(200)]
    assert {estimate.df for estimate in found} == {new - 1}
    held = [low <= 0 <= high for low, high in (ends(one.interval) for one in found)]
    assert 0.92 <= np.mean(held) <= 1.0
