from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from arena.metrics.against_market import MarketTests, against_market
from arena.metrics.measures import measure, terms
from arena.scoring.table import Forecasts
from arena.stats.clusters import mean_test
from arena.stats.multiple import holm
from tests.metrics.rounds import rounds
from tests.metrics.season import among_many, frame, over_options, season, shuffled, twice

FOUND = season(events=60)


def held(found: Forecasts = FOUND, level: float = 0.95) -> MarketTests:
    made = against_market(found, level=level)
    assert made is not None
    return made


def copying(found: Forecasts, name: str) -> Forecasts:
    """The same rows, where one contestant says the price."""
    copies = found.contestant.codes == found.contestant.code(name)
    return replace(found, p=np.where(copies, found.market_p, found.p))


def test_each_contestant_s_alpha_is_held_against_zero_as_it_was_registered() -> None:
    rows = frame(FOUND)
    rows["alpha"] = (rows.m - rows.o) ** 2 - (rows.p - rows.o) ** 2
    made = held()
    assert [one.contestant for one in made.tests] == ["ada", "ben", "cy"]
    for one in made.tests:
        own = rows[rows.who == one.contestant]
        expected = mean_test(own.alpha, np.unique(own.event, return_inverse=True)[1])
        assert one.test.p == pytest.approx(expected.p)
        assert one.test.estimate == pytest.approx(own.alpha.mean())


def test_the_estimates_are_those_of_the_table() -> None:
    names = FOUND.contestant.names
    expected = dict(zip(names, measure(["alpha"], FOUND)["alpha"], strict=True))
    for one in held().tests:
        assert one.test.estimate == pytest.approx(expected[one.contestant].value)
        assert one.test.se == pytest.approx(expected[one.contestant].se)


def test_one_market_an_event_is_student_s_test() -> None:
    alone = season(events=40, markets=1, missing=0)
    values = terms("alpha", alone)
    for one in held(alone).tests:
        own = values[alone.contestant.codes == alone.contestant.code(one.contestant)]
        assert one.test.p == pytest.approx(ttest_1samp(own, 0).pvalue)


def test_p_values_are_adjusted_over_the_contestants_by_holm() -> None:
    made = held()
    p = np.array([one.test.p for one in made.tests])
    assert [one.p_adjusted for one in made.tests] == pytest.approx(holm(p).tolist())


def test_who_knows_less_than_the_price_is_worse_and_who_knows_more_is_better() -> None:
    sure = season(events=1200, noise=(0.0, 0.1, 0.6))
    assert [one.verdict for one in held(sure).tests] == ["better", None, "worse"]


def test_a_higher_level_claims_less() -> None:
    cy = held().tests[2]
    assert cy.p_adjusted is not None
    assert held(level=1 - cy.p_adjusted * 1.01).tests[2].verdict == "worse"
    assert held(level=1 - cy.p_adjusted * 0.99).tests[2].verdict is None


def test_who_says_the_price_is_no_part_of_the_family() -> None:
    made = held(copying(FOUND, "ben"))
    assert ([one.contestant for one in made.tests], made.copies) == (["ada", "cy"], ("ben",))
    p = np.array([one.test.p for one in made.tests])
    assert [one.p_adjusted for one in made.tests] == pytest.approx(holm(p).tolist())


def test_rows_without_a_price_count_for_nothing() -> None:
    known = FOUND.event.codes % 3 > 0
    hidden = replace(FOUND, market_p=np.where(known, FOUND.market_p, np.nan))
    for one, other in zip(held(hidden).tests, held(FOUND.take(known)).tests, strict=True):
        assert one.test.n == other.test.n
        assert one.test.p == pytest.approx(other.test.p)


@pytest.mark.parametrize(
    "found",
    [
        replace(FOUND, market_p=np.full(len(FOUND), np.nan)),
        replace(FOUND, p=FOUND.market_p),
        FOUND.take(np.zeros(len(FOUND), dtype=bool)),
        over_options(),
    ],
    ids=["no price", "copies", "no row", "options"],
)
def test_without_a_deviation_from_a_price_there_is_nothing_to_test(found: Forecasts) -> None:
    assert against_market(found) is None


def test_a_single_event_and_a_constant_gap_are_no_claim() -> None:
    price = np.full(12, 0.5)
    one = rounds(np.full((12, 1), 0.9), [1] * 12, event=[0] * 12, market_p=price)
    same = rounds(np.full((12, 1), 0.9), [1] * 12, market_p=price)
    for found, state in ((one, "single"), (same, "degenerate")):
        (told,) = held(found).tests
        assert (told.test.state.value, told.test.p, told.p_adjusted) == (state, None, None)
        assert told.verdict is None


def test_the_order_of_rows_and_names_nobody_uses_change_nothing() -> None:
    for other in (shuffled(FOUND), among_many(FOUND)):
        for one, again in zip(held().tests, held(other).tests, strict=True):
            assert (one.contestant, one.verdict) == (again.contestant, again.verdict)
            assert one.test.p == pytest.approx(again.test.p)


def test_a_season_that_happens_twice_is_surer() -> None:
    once, again = held().tests[2].test, held(twice(FOUND)).tests[2].test
    assert once.p is not None
    assert again.p is not None
    assert again.p < once.p
