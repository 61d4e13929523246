from dataclasses import replace

import numpy as np
import pytest

from arena.metrics.contest import Contest, contest, panel_of
from arena.metrics.measures import terms
from arena.scoring.table import Forecasts
from arena.stats.multiple import holm
from arena.stats.pairs import paired
from tests.metrics.season import NAMES, frame, over_options, renamed, season, shuffled, twice

FOUND = season(events=60)


def held(found: Forecasts = FOUND, key: str = "brier", *, by_moment: bool = False) -> Contest:
    made = contest(found, key, by_moment=by_moment)
    assert made is not None
    return made


def test_every_pair_is_tested_on_what_both_answered() -> None:
    rows = frame(FOUND)
    rows["loss"] = (rows.p - rows.o) ** 2
    wide = rows.pivot_table(index=["event", "market"], columns="who", values="loss")
    claims = held().claims
    assert [(c.first, c.second) for c in claims] == [
        ("ada", "ben"),
        ("ada", "cy"),
        ("ben", "cy"),
    ]
    for claim in claims:
        both = wide[[claim.first, claim.second]].dropna()
        event = both.index.get_level_values("event").factorize()[0]
        expected = paired(both[claim.first], both[claim.second], event)
        assert claim.test.n == len(both)
        assert (claim.test.estimate, claim.test.p) == pytest.approx(
            (expected.test.estimate, expected.test.p), rel=1e-9
        )
        assert claim.interval is not None
        assert expected.interval is not None
        assert claim.interval.low == pytest.approx(expected.interval.low, rel=1e-9)


def test_claims_are_corrected_for_all_pairs() -> None:
    claims = held().claims
    p = np.array([claim.test.p for claim in claims], dtype=np.float64)
    assert [c.p_adjusted for c in claims] == pytest.approx(holm(p).tolist())


def test_who_is_told_apart_is_better_by_the_sign_of_the_metric() -> None:
    lower, higher = held().claims, held(key="spherical").claims
    assert any(claim.better for claim in lower)
    for claim in lower:
        if claim.better:
            assert (claim.better == claim.first) == ((claim.test.estimate or 0) < 0)
            assert (claim.p_adjusted or 1) < 0.05
    assert {c.better for c in higher} == {c.better for c in lower}


def test_ranks_are_what_claims_leave_open() -> None:
    found = held()
    for name, (low, high) in found.ranks.items():
        beaten_by = sum(
            c.better not in {None, name} and name in {c.first, c.second} for c in found.claims
        )
        beats = sum(c.better == name for c in found.claims)
        assert (low, high) == (1 + beaten_by, len(NAMES) - beats)


def test_equals_are_not_told_apart() -> None:
    alike = replace(FOUND, p=np.full(len(FOUND), 0.3))
    found = held(alike)
    assert {claim.better for claim in found.claims} == {None}
    assert set(found.ranks.values()) == {(1, 3)}


def test_a_constant_gap_is_no_claim() -> None:
    gap = np.where(FOUND.contestant.codes == 0, 0.2, 0.1)
    away = np.where(FOUND.outcome == 1, 1 - gap, gap)
    for claim in held(replace(FOUND, p=away)).claims:
        assert (claim.better, claim.interval) == (None, None)


def test_the_order_of_rows_changes_nothing() -> None:
    one, other = held(), held(shuffled(FOUND))
    assert (one.ranks, len(one.claims)) == (other.ranks, len(other.claims))
    for first, second in zip(one.claims, other.claims, strict=True):
        assert (first.first, first.second, first.better) == (
            second.first,
            second.second,
            second.better,
        )
        assert second.test.p == pytest.approx(first.test.p, rel=1e-8)


def test_other_names_are_only_other_names() -> None:
    one, other = held(), held(renamed(FOUND, ada="zoe"))
    assert other.ranks["zoe"] == one.ranks["ada"]
    p = {frozenset((c.first, c.second)): c.test.p for c in one.claims}
    again = {frozenset((c.first, c.second)): c.test.p for c in other.claims}
    assert again[frozenset(("ben", "zoe"))] == pytest.approx(p[frozenset(("ada", "ben"))])


def test_doubling_every_event_makes_claims_surer() -> None:
    for one, other in zip(held().claims, held(twice(FOUND)).claims, strict=True):
        assert other.test.estimate == pytest.approx(one.test.estimate)
        assert (other.test.se or 0) < (one.test.se or 0)


def test_a_market_asked_twice_is_two_questions_only_where_moments_are_shared() -> None:
    later = replace(FOUND, at=FOUND.at + np.timedelta64(1, "h"), p=1 - FOUND.p)
    both = FOUND.take(np.concatenate([np.arange(len(FOUND))] * 2))
    asked = replace(
        both,
        at=np.concatenate([FOUND.at, later.at]),
        p=np.concatenate([FOUND.p, later.p]),
    )
    one, other = held(asked), held(asked, by_moment=True)
    for by_market, by_moment in zip(one.claims, other.claims, strict=True):
        assert by_moment.test.n == 2 * by_market.test.n
        assert by_moment.test.events == by_market.test.events
        assert by_moment.test.estimate == pytest.approx(by_market.test.estimate)


def test_several_forecasts_of_a_market_are_averaged_where_moments_differ() -> None:
    ada = FOUND.of("ada")
    two = replace(ada, at=ada.at + np.timedelta64(1, "D"), p=np.zeros(len(ada)))
    rows = np.concatenate([np.arange(len(FOUND)), np.flatnonzero(FOUND.contestant.codes == 0)])
    asked = replace(
        FOUND.take(rows),
        at=np.concatenate([FOUND.at, two.at]),
        p=np.concatenate([FOUND.p, two.p]),
    )
    table = panel_of(
        asked,
        terms("brier", asked),
        np.arange(len(asked)),
        asked.contestant.codes,
        by_moment=False,
    )
    market = asked.market.codes[0]
    place = np.flatnonzero(table.there[0])[0]
    own = asked.of("ada")
    first = own.market.codes == market
    assert first.sum() == 2
    assert terms("brier", own)[first].mean() == pytest.approx(table.losses[0, place])


def test_options_are_compared_by_their_own_score() -> None:
    found = held(over_options(), "rps")
    assert found.metric == "rps"
    assert held(over_options(), "ece").metric == "brier_sum"


def test_what_is_no_mean_is_compared_by_the_brier_score() -> None:
    assert held(key="ece").metric == "brier"


def test_only_rows_with_a_price_are_compared_by_alpha() -> None:
    bare = FOUND.contestant.codes == FOUND.contestant.code("ada")
    holed = replace(FOUND, market_p=np.where(bare, np.nan, FOUND.market_p))
    assert list(held(holed, "alpha").ranks) == ["ben", "cy"]


@pytest.mark.parametrize("number", [0, 1, 101])
def test_too_few_or_too_many_contestants_have_no_contest(number: int) -> None:
    names = [f"c{n}" for n in range(max(number, 1))]
    found = season(names=names, events=2, missing=0)
    assert contest(found.take(found.p > 2) if not number else found, "brier") is None


def test_a_hundred_contestants_have_one() -> None:
    found = held(season(names=[f"c{n}" for n in range(100)], events=12, markets=1, missing=0))
    assert len(found.claims) == 4950


def test_pairs_without_a_common_question_claim_nothing() -> None:
    apart = FOUND.take((FOUND.contestant.codes == 0) == (FOUND.event.codes < 30))
    claims = held(apart).claims
    assert [c.test.n for c in claims][:2] == [0, 0]
    assert [(c.test.p, c.p_adjusted, c.better) for c in claims][:2] == [(None, None, None)] * 2
