"""What holds of gains of pairs, of looks and of families, whatever was asked and answered."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from arena.metrics.claims.rules import ClaimRule, each_of, every_pair
from arena.records.claim import Guarantee, Minimum, Valuation
from arena.stats.comparisons.multiple import holm, shaffer
from arena.stats.comparisons.paired_gains import Questions, Readings, readings
from tests.sizes import size
from tests.stats.asked import LAST, judged, questions, take

Floats = NDArray[np.float64]

few = settings(max_examples=size(12, 40))
seeds = st.integers(0, 2**32 - 1)
priced = st.booleans()
days = st.integers(5, LAST)
valuations = st.sampled_from(list(Valuation))
ALL = np.array([(0, 1), (0, 2), (1, 2)])
FIELDS = tuple(Readings.__slots__)
LOOKS = (20, 40, 60, LAST)


def same(one: Readings, other: Readings) -> bool:
    return all(
        np.allclose(getattr(one, f), getattr(other, f), rtol=1e-9, atol=1e-9) for f in FIELDS
    )


def brier_gain(asked: Questions, first: int, second: int) -> float:
    """The sum of Brier differences of the questions that both answered."""
    outcome = asked.outcome[asked.market]
    loss = [-(asked.base[n] + asked.swing[n] * outcome) for n in (first, second)]
    return float(np.nansum(loss[1] - loss[0]))


@few
@given(seed=seeds, known=priced, moments=st.integers(1, 4))
def test_at_the_end_gains_marked_to_market_are_the_sum_of_brier_differences(
    seed: int, *, known: bool, moments: int
) -> None:
    asked = questions(seed, priced=known, moments=moments)
    found = readings(asked, ALL, [30, LAST], Valuation.MARKET)
    for place, (first, second) in enumerate(ALL.tolist()):
        assert np.isclose(found.total[-1, place], brier_gain(asked, first, second))


@few
@given(seed=seeds, day=days, how=valuations, known=priced, exclusive=st.booleans())
def test_no_reading_hangs_on_what_is_not_known_yet(
    seed: int, day: int, how: Valuation, *, known: bool, exclusive: bool
) -> None:
    asked = questions(seed, priced=known, exclusive=exclusive)
    unknown = asked.ended > day
    rng = np.random.default_rng(seed)
    paths = asked.paths
    if paths is not None:
        paths = np.where(np.arange(paths.shape[1]) > day, 1 - paths, paths)
    otherwise = replace(
        asked,
        outcome=np.where(unknown, 1 - asked.outcome, asked.outcome),
        ended=np.where(unknown, rng.integers(day + 1, LAST + 9, unknown.size), asked.ended),
        paths=paths,
    )
    assert same(readings(asked, ALL, [day], how), readings(otherwise, ALL, [day], how))


@few
@given(seeds, days, valuations)
def test_a_later_look_changes_nothing_of_an_earlier_one(
    seed: int, day: int, how: Valuation
) -> None:
    alone = readings(questions(seed), ALL, [day], how)
    among = readings(questions(seed), ALL, [min(day, 4), day, LAST + 3], how)
    for name in FIELDS:
        assert np.allclose(getattr(among, name)[1], getattr(alone, name)[0])


@few
@given(seed=seeds, day=days, how=valuations, exclusive=st.booleans())
def test_the_order_of_two_contestants_turns_the_sign_and_nothing_else(
    seed: int, day: int, how: Valuation, *, exclusive: bool
) -> None:
    asked = questions(seed, exclusive=exclusive, missing=0.3 * (seed % 2))
    one, other = (readings(asked, pairs, [day], how) for pairs in (ALL, ALL[:, ::-1]))
    turned = replace(other, z=-other.z, total=-other.total)
    assert same(one, turned)


@few
@given(seeds, days, valuations)
def test_only_questions_that_both_answered_count(seed: int, day: int, how: Valuation) -> None:
    asked = questions(seed, missing=0.5)
    both = ~np.isnan(asked.base[0] + asked.base[1])
    if both.any():
        pair = ALL[:1]
        common = readings(take(asked, both), pair, [day], how)
        assert same(readings(asked, pair, [day], how), common)


@few
@given(seeds, valuations, st.floats(0.1, 10))
def test_a_scale_of_the_score_changes_no_z(seed: int, how: Valuation, scale: float) -> None:
    asked = questions(seed)
    scaled = replace(asked, base=scale * asked.base, swing=scale * asked.swing)
    one, other = (readings(q, ALL, [50, LAST], how) for q in (asked, scaled))
    assert np.allclose(one.z, other.z, atol=1e-7)
    assert np.allclose(other.variance, scale**2 * one.variance)


@few
@given(seeds, days)
def test_the_variance_is_at_least_that_by_event(seed: int, day: int) -> None:
    for how in Valuation:
        found = readings(questions(seed), ALL, [day], how)
        assert np.all(found.variance >= found.by_event)
        assert np.all(found.df <= np.maximum(found.clusters - 1, 0) + 1e-9)


@few
@given(seeds, valuations)
def test_a_claim_that_was_made_stands_at_every_later_look(seed: int, how: Valuation) -> None:
    asked = leaning(seed)
    rule = ClaimRule(
        Guarantee.SEASON, how, (), tuple(d / LAST for d in LOOKS), 0, Minimum(0, 0, 0, 3, 2)
    )
    made: dict[int, int] = {}
    for looks in range(1, len(LOOKS) + 1):
        found = judged(asked, every_pair([0, 1, 2]), replace(rule, days=LOOKS[:looks]))
        claimed = {
            place: int(found.sign[place]) for place in np.flatnonzero(found.p <= 0.2).tolist()
        }
        assert made.items() <= claimed.items()
        made = claimed


def leaning(seed: int) -> Questions:
    """The first says half of what the others do, so that some claims are made by chance."""
    asked = questions(seed, missing=0.05, markets=80, priced=False)
    half = asked.swing / np.array([[4.0], [2.0], [1.5]])
    return replace(asked, base=-(half**2), swing=2 * half)


@few
@given(arrays(np.float64, st.integers(1, 15), elements=st.floats(0, 1)))
def test_shaffer_lies_between_the_p_values_and_holm(p: Floats) -> None:
    found, by_holm = shaffer(p, 6), holm(p)
    assert np.all(found <= by_holm + 1e-12)
    assert np.all(found >= p)
    assert np.all(np.diff(found[np.argsort(p, kind="stable")]) >= 0)


@few
@given(seeds)
def test_a_family_of_more_pairs_claims_no_more_of_each(seed: int) -> None:
    asked = leaning(seed)
    rule = ClaimRule(
        Guarantee.FIXED, Valuation.SETTLED, (LAST,), (1.0,), 0, Minimum(0, 0, 0, 3, 2)
    )
    few_pairs = judged(asked, each_of([(0, 1)]), rule)
    many = judged(asked, each_of([(0, 1), (0, 2), (1, 2)]), rule)
    assert many.p[0] >= few_pairs.p[0] * (1 - 1e-9)
    assert many.sign[0] == few_pairs.sign[0]
