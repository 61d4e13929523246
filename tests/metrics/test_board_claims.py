"""Who is shown to be better than whom, and than the price: each board by its own rule.

Pairs of arms: what is one family, and what is none.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import combinations

import numpy as np
import pytest

from arena.metrics.claims.board_claims import ArmClaim, BoardClaims, arm_claims, board_claims
from arena.metrics.claims.questions import Claim, Contest, MarketTest, MarketTests, panel_of
from arena.metrics.metric_values import terms
from arena.records.claim import Caveat, Guarantee, Season, Valuation
from arena.scoring.table import Factor, Floats, Forecasts
from arena.stats.comparisons.multiple import holm, shaffer
from tests.metrics.board import DAY, START, YEAR, apart, board, in_weeks, on, priced, weekly
from tests.metrics.rounds import rounds
from tests.metrics.season import (
    NAMES,
    among_many,
    frame,
    over_options,
    renamed,
    season,
    shuffled,
    timeless,
    twice,
)
from tests.present import present, some
from tests.stats.intervals import ends

FOUND = season(events=100)


def pairs_of(
    found: Forecasts = FOUND,
    key: str = "brier",
    *,
    level: float = 0.95,
    by_moment: bool = False,
) -> Contest:
    return present(board_claims(found, key, level=level, by_moment=by_moment).contest)


def against(found: Forecasts = FOUND, level: float = 0.95) -> MarketTests:
    return present(board_claims(found, "brier", level=level).against)


def all_of(found: Forecasts = FOUND, level: float = 0.95) -> list[Claim | MarketTest]:
    """Every pair, and everybody against the price."""
    return [*pairs_of(found, level=level).claims, *against(found, level).tests]


def claims_of(said: BoardClaims) -> Sequence[Claim]:
    return present(said.contest).claims


def copying(found: Forecasts, name: str) -> Forecasts:
    """The same rows, where one contestant says the price."""
    copies = found.contestant.codes == found.contestant.code(name)
    return replace(found, p=np.where(copies, found.market_p, found.p))


def test_every_pair_is_compared_on_what_both_answered() -> None:
    rows = frame(FOUND)
    rows["loss"] = (rows.p - rows.o) ** 2
    wide = rows.pivot_table(index=["event", "market"], columns="who", values="loss")
    claims = pairs_of().claims
    assert [(c.first, c.second) for c in claims] == [
        ("ada", "ben"), ("ada", "cy"), ("ben", "cy")
    ]  # fmt: skip
    for claim in claims:
        both = wide[[claim.first, claim.second]].dropna()
        assert (claim.test.n, claim.test.events) == (
            len(both),
            both.index.get_level_values("event").nunique(),
        )
        assert claim.test.estimate == pytest.approx(
            (both[claim.first] - both[claim.second]).mean()
        )


def test_an_interval_is_the_estimate_with_t_times_its_error() -> None:
    for one in some(all_of(level=0.9)):
        assert present(one.interval).level == 0.9
        low, high = ends(one.interval)
        assert (low + high) / 2 == pytest.approx(one.test.estimate)
        assert (high - low) / 2 > present(one.test.se)
        assert (present(one.test.p) > 0.1) == (low < 0 < high)


def test_no_interval_is_wider_than_scores_can_differ() -> None:
    few = season(events=3, missing=0.0)
    wrong = few.contestant.codes == few.contestant.code("ada")
    found = replace(few, p=np.where(wrong, 1.0 - few.outcome, few.outcome))
    assert ends(pairs_of(found).claims[0].interval)[1] == 1
    assert ends(against(found).tests[0].interval)[0] == -1


def test_p_at_one_look_is_corrected_by_shaffers_steps_and_against_the_price_by_holms() -> None:
    p = np.array([claim.test.p for claim in pairs_of().claims])
    assert [c.p_adjusted for c in pairs_of().claims] == pytest.approx(shaffer(p, 3).tolist())
    p = np.array([one.test.p for one in against().tests])
    assert [t.p_adjusted for t in against().tests] == pytest.approx(holm(p).tolist())


def test_who_is_better_goes_by_the_sign_of_the_metric() -> None:
    lower, higher = pairs_of().claims, pairs_of(key="spherical").claims
    assert [c.better for c in lower] == [None, "ada", "ben"]
    for claim in lower:
        if claim.better:
            assert (claim.better == claim.first) == (present(claim.test.estimate) < 0)
            assert present(claim.p_anytime) <= 0.05
    assert [c.better for c in higher] == [c.better for c in lower]


def test_ranks_are_what_claims_leave_open() -> None:
    found = pairs_of()
    for name, (low, high) in some(found.ranks.items()):
        beaten_by = sum(
            c.better not in {None, name} and name in {c.first, c.second} for c in found.claims
        )
        beats = sum(c.better == name for c in found.claims)
        assert (low, high) == (1 + beaten_by, len(NAMES) - beats)


@pytest.mark.parametrize("p", [0.3, 0.5])
def test_equals_are_not_significantly_different(p: float) -> None:
    found = pairs_of(replace(FOUND, p=np.full(len(FOUND), p)))
    assert {claim.better for claim in found.claims} == {None}
    assert {claim.test.p for claim in found.claims} == {1.0}
    assert set(found.ranks.values()) == {(1, 3)}


def test_the_order_of_rows_changes_nothing() -> None:
    one, other = pairs_of(), pairs_of(shuffled(FOUND))
    assert (one.ranks, len(one.claims)) == (other.ranks, len(other.claims))
    for first, second in zip(one.claims, other.claims, strict=True):
        names = (second.first, second.second, second.better)
        assert (first.first, first.second, first.better) == names
        assert second.test.p == pytest.approx(first.test.p, rel=1e-8)
        assert second.p_anytime == pytest.approx(first.p_anytime, rel=1e-8)


def test_other_names_are_only_other_names() -> None:
    one, other = pairs_of(), pairs_of(renamed(FOUND, ada="zoe"))
    assert other.ranks["zoe"] == one.ranks["ada"]
    p = {frozenset((c.first, c.second)): c.test.p for c in one.claims}
    again = {frozenset((c.first, c.second)): c.test.p for c in other.claims}
    assert again[frozenset(("ben", "zoe"))] == pytest.approx(p[frozenset(("ada", "ben"))])


def test_doubling_every_event_makes_tests_surer() -> None:
    once, again = all_of(timeless(FOUND)), all_of(twice(timeless(FOUND)))
    for one, other in some(zip(once, again, strict=True)):
        assert other.test.estimate == pytest.approx(one.test.estimate)
        assert present(other.test.se) < present(one.test.se)


def test_a_market_asked_twice_is_two_questions_only_where_moments_are_shared() -> None:
    both = FOUND.take(np.tile(np.arange(len(FOUND)), 2))
    later = np.repeat([0, 1], len(FOUND))
    asked = replace(both, at=both.at + later * np.timedelta64(1, "h"), p=np.abs(later - both.p))
    one, other = pairs_of(asked), pairs_of(asked, by_moment=True)
    for by_market, by_moment in some(zip(one.claims, other.claims, strict=True)):
        assert by_moment.test.n == 2 * by_market.test.n
        assert by_moment.test.events == by_market.test.events
        assert by_moment.test.estimate == pytest.approx(by_market.test.estimate)


def test_several_forecasts_of_a_market_are_averaged_where_moments_differ() -> None:
    again = FOUND.contestant.codes == FOUND.contestant.code("ada")
    rows = np.concatenate([np.arange(len(FOUND)), np.flatnonzero(again)])
    later = np.arange(rows.size) >= len(FOUND)
    asked = FOUND.take(rows)
    asked = replace(
        asked, at=asked.at + later * np.timedelta64(1, "D"), p=np.where(later, 0.0, asked.p)
    )
    every = np.arange(len(asked))
    losses = terms("brier", asked)
    table = panel_of(asked, losses, every, asked.contestant.codes, by_moment=False)
    own = asked.of("ada")
    first = own.market.codes == asked.market.codes[0]
    assert first.sum() == 2
    place = np.flatnonzero(table.there[0])[0]
    assert terms("brier", own)[first].mean() == pytest.approx(table.losses[0, place])
    mine, other = table.losses[:2, table.there[:2].all(axis=0)]
    assert pairs_of(asked).claims[0].test.estimate == pytest.approx((mine - other).mean())


def test_options_are_compared_by_their_own_score() -> None:
    found = pairs_of(over_options(), "rps")
    assert found.metric == "rps"
    assert np.isfinite(terms("rps", over_options())).all()
    assert {c.test.state.value for c in found.claims} == {"ok"}


def test_what_is_no_mean_is_compared_by_the_brier_score() -> None:
    metrics = [pairs_of(found, "ece").metric for found in (FOUND, over_options())]
    assert metrics == ["brier", "brier_sum"]


def test_only_rows_with_a_price_are_compared_by_the_gain_over_it() -> None:
    bare = FOUND.contestant.codes == FOUND.contestant.code("ada")
    holed = replace(FOUND, market_p=np.where(bare, np.nan, FOUND.market_p))
    assert list(pairs_of(holed, "alpha").ranks) == ["ben", "cy"]


@pytest.mark.parametrize("number", [0, 1, 100, 101])
def test_two_to_a_hundred_contestants_are_compared(number: int) -> None:
    names = [f"c{n}" for n in range(max(number, 1))]
    found = season(names=names, events=2, missing=0)
    said = board_claims(found.take(found.p > 2) if not number else found, "brier")
    claims = said.contest.claims if said.contest else ()
    assert len(claims) == (4950 if number == 100 else 0)
    assert (said.basis.caveats == (Caveat.NOTHING_RESOLVED,)) == (number == 0)


def test_pairs_without_a_common_question_claim_nothing() -> None:
    claims = pairs_of(
        FOUND.take((FOUND.contestant.codes == 0) == (FOUND.event.codes < 50))
    ).claims
    assert [c.test.n for c in claims][:2] == [0, 0]
    told = [(c.test.p, c.p_adjusted, c.better, c.interval) for c in claims][:2]
    assert told == [(None, None, None, None)] * 2


def test_each_contestant_s_gain_is_that_over_the_price() -> None:
    rows = frame(FOUND)
    rows["alpha"] = (rows.m - rows.o) ** 2 - (rows.p - rows.o) ** 2
    made = against()
    assert [one.contestant for one in made.tests] == ["ada", "ben", "cy"]
    for one in made.tests:
        assert one.test.estimate == pytest.approx(rows[rows.who == one.contestant].alpha.mean())


def test_who_knows_less_than_the_price_is_worse_and_who_knows_more_is_better() -> None:
    sure = season(events=1500, noise=(0.0, 0.1, 0.6), markets=1, missing=0)
    assert [one.verdict for one in against(sure).tests] == ["better", None, "worse"]


def test_a_higher_level_claims_less() -> None:
    p = present(against().tests[2].p_anytime)
    assert against(level=1 - p * 1.01).tests[2].verdict == "worse"
    assert against(level=1 - p * 0.99).tests[2].verdict is None


def test_who_says_the_price_is_no_part_of_the_family() -> None:
    made = against(copying(FOUND, "ben"))
    assert ([one.contestant for one in made.tests], made.copies) == (["ada", "cy"], ("ben",))
    p = np.array([one.test.p for one in made.tests])
    assert [one.p_adjusted for one in made.tests] == pytest.approx(holm(p).tolist())


def test_rows_without_a_price_count_for_nothing_against_it() -> None:
    known = FOUND.event.codes % 3 > 0
    hidden = replace(FOUND, market_p=np.where(known, FOUND.market_p, np.nan))
    for one, other in some(
        zip(against(hidden).tests, against(FOUND.take(known)).tests, strict=True)
    ):
        assert one.test.n == other.test.n
        assert one.test.estimate == pytest.approx(other.test.estimate)


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
    assert board_claims(found, "brier").against is None


def test_a_single_event_is_no_claim() -> None:
    price = np.full(12, 0.5)
    one = rounds(np.full((12, 1), 0.9), [1] * 12, event=[0] * 12, market_p=price)
    (told,) = against(one).tests
    assert (told.verdict, told.test.events) == (None, 1)


def test_names_that_nobody_uses_change_nothing() -> None:
    for one, again in some(zip(against().tests, against(among_many(FOUND)).tests, strict=True)):
        assert (one.contestant, one.verdict) == (again.contestant, again.verdict)
        assert one.test.p == pytest.approx(again.test.p)


@pytest.mark.parametrize(("events", "claimed"), [(2, False), (9, False), (10, True)])
def test_a_file_without_dates_claims_nothing_below_ten_events(
    *, events: int, claimed: bool
) -> None:
    came = np.arange(events) % 2
    good = 0.1 + 0.8 * came + 0.01 * (np.arange(events) % 3)
    said = np.stack([good, 1 - good], axis=1)
    found = rounds(said, came, market_p=np.full(events, 0.5))
    said_of = board_claims(timeless(found), "brier")
    assert (claims_of(said_of)[0].better is not None) is claimed
    assert (Caveat.TOO_FEW_EVENTS in said_of.basis.caveats) is not claimed
    assert said_of.basis.guarantee is Guarantee.FIXED
    assert (present(said_of.against).tests[1].verdict == "worse") is claimed


@pytest.mark.parametrize(("weeks", "claimed"), [(1, False), (5, False), (6, True)])
def test_a_file_with_dates_claims_nothing_below_six_weeks(*, weeks: int, claimed: bool) -> None:
    said, came = apart(1, weeks, each=6)
    days = weekly(weeks, each=6)
    found = board(said, came, asked=[7 * (d // 7) for d in days], due=days)
    told = board_claims(found, "brier")
    assert (claims_of(told)[0].better == "c000") is claimed
    assert (Caveat.TOO_FEW_WEEKS in told.basis.caveats) is not claimed
    assert (Caveat.ONE_WEEK in told.basis.caveats) is (weeks == 1)


def test_twenty_long_shots_of_which_none_came_show_nothing() -> None:
    price = np.linspace(0.02, 0.08, 20)
    said = np.stack([price / 2, price * 1.5], axis=1)
    told = board_claims(timeless(rounds(said, np.zeros(20, int), market_p=price)), "brier")
    assert claims_of(told)[0].better is None
    assert {one.verdict for one in present(told.against).tests} == {None}


def test_a_season_claims_only_on_its_looks_and_claims_stand_until_the_next() -> None:
    said, came = apart(2, 16)
    days = weekly(16)
    made: dict[int, Claim] = {}
    for day in range(20, 112, 7):
        known = np.where(np.array(days) + 1 < day, came, np.nan)
        asked = np.array(days) < day
        shown = board(
            said[asked], known[asked], asked=np.array(days)[asked].tolist(),
            due=(np.array(days)[asked] + 1).tolist(),
        )  # fmt: skip
        told = board_claims(shown, "brier", scope=on(day))
        made[day] = claims_of(told)[0]
        last = None if day < 30 else START + (day // 30) * 30 * DAY
        assert told.basis.last_look == last
        assert told.basis.next_look == START + (day // 30 + 1) * 30 * DAY
        assert (Caveat.BEFORE_FIRST_LOOK in told.basis.caveats) is (day < 30)
    assert [day for day, claim in made.items() if claim.better] == [
        day for day in made if day >= 60
    ]
    between = {claim.p_anytime for day, claim in made.items() if 60 <= day < 90}
    assert len(between) == 1
    assert made[20].p_anytime is None


def test_what_was_asked_before_the_season_is_left_out() -> None:
    found = in_weeks(3, 16)
    late = Season(START + 28 * DAY, timedelta(days=100))
    told = board_claims(found, "brier", scope=on(120, late))
    assert told.basis.season == late
    assert told.basis.questions == np.count_nonzero(np.array(weekly(16)) >= 28)
    none = board_claims(found, "brier", scope=on(20, Season(START + 200 * DAY)))
    assert (none.contest, none.basis.caveats) == (None, (Caveat.NOTHING_RESOLVED,))


def test_the_last_look_of_a_season_is_read_on_its_end() -> None:
    found = in_weeks(4, 12)
    short = Season(START, timedelta(days=84), timedelta(days=84))
    assert claims_of(board_claims(found, "brier", scope=on(83, short)))[0].p_anytime is None
    told = board_claims(found, "brier", scope=on(84, short))
    assert claims_of(told)[0].better == "c000"
    assert (told.basis.last_look, told.basis.next_look) == (short.end, None)
    assert told.basis.spent == pytest.approx(0.05)


def test_an_endless_board_is_looked_at_every_second_week() -> None:
    found = in_weeks(5, 12)
    told = board_claims(found, "brier", scope=on(85, None))
    assert told.basis.guarantee is Guarantee.ENDLESS
    assert claims_of(told)[0].better == "c000"
    assert (told.basis.last_look, told.basis.next_look) == (START + 84 * DAY, START + 98 * DAY)
    first = board_claims(found, "brier", scope=on(30, None))
    assert claims_of(first)[0].better is None


def test_references_are_in_no_family_of_pairs_and_have_no_rank() -> None:
    found, scope = in_weeks(6, 12, k=4, names=("a", "b", "c", "ref")), on(95, YEAR, ["ref"])
    told = board_claims(found, "brier", scope=scope)
    contest = present(told.contest)
    assert set(contest.ranks) == {"a", "b", "c"}
    assert len(contest.claims) == 6
    assert contest.ranks["a"] == (1, 1)
    without = board_claims(found.take(found.contestant.codes < 3), "brier", scope=scope)
    alone = {(c.first, c.second): c.p_anytime for c in claims_of(without)}
    among = {(c.first, c.second): c.p_anytime for c in contest.claims}
    assert {pair: among[pair] for pair in alone} == pytest.approx(alone)
    mine = [t.p_anytime for t in present(told.against).tests if t.contestant != "ref"]
    assert mine == pytest.approx([t.p_anytime for t in present(without.against).tests])


def test_families_are_all_pairs_by_shaffer_and_all_gains_over_the_price_by_holm() -> None:
    found = in_weeks(7, 12, k=4)

    def told(*contestants: int) -> BoardClaims:
        part = found.take(np.isin(found.contestant.codes, contestants))
        return board_claims(part, "brier", scope=on(95))

    whole = told(0, 1, 2, 3)
    alone = [claims_of(told(*pair))[0].p_anytime for pair in combinations(range(4), 2)]
    p = np.array(alone, dtype=np.float64)
    assert [c.p_anytime for c in claims_of(whole)] == pytest.approx(shaffer(p, 4).tolist())
    prices = [present(told(n).against).tests[0].p_anytime for n in range(4)]
    expected = holm(np.array(prices, dtype=np.float64)).tolist()
    assert [t.p_anytime for t in present(whole.against).tests] == pytest.approx(expected)


def test_with_fresh_prices_open_questions_count_at_them() -> None:
    found = in_weeks(8, 14, lasting=9, until=98)
    fresh = board_claims(priced(found, 98), "brier", scope=on(98))
    stale = board_claims(priced(found, 98, every=9), "brier", scope=on(98))
    bare = board_claims(found, "brier", scope=on(98))
    assert fresh.basis.valuation is Valuation.MARKET
    assert {stale.basis.valuation, bare.basis.valuation} == {Valuation.SETTLED}
    assert Caveat.STALE_PRICES in stale.basis.caveats
    assert fresh.basis.minimum.cohorts_needed == 0
    assert stale.basis.minimum.cohorts_needed == 6


@pytest.mark.parametrize("season", [None, YEAR])
def test_a_level_next_to_nothing_is_a_level(season: Season | None) -> None:
    for level in (1e-300, 0.5, 0.999999999999999):
        told = board_claims(in_weeks(9, 12), "brier", level=level, scope=on(95, season))
        assert told.contest is not None


def test_when_there_will_be_enough_is_said_where_it_can_be_known() -> None:
    found = in_weeks(10, 8, until=30)
    assert board_claims(found, "brier", scope=on(60)).basis.minimum.met
    early = found.take(np.array(weekly(8))[found.market.codes] < 30)
    nothing = present(early.waiting).take(np.zeros(len(present(early.waiting)), bool))
    asked = replace(early, waiting=nothing)
    told = board_claims(asked, "brier", scope=on(30)).basis.minimum
    assert (told.met, told.ready_on) == (False, START + (1 + 7 * 5 + 1) * DAY)
    ended = board_claims(asked, "brier", scope=on(30, Season(START, 30 * DAY, 10 * DAY)))
    assert ended.basis.minimum.ready_on is None  # nothing is claimed after the last look


WEEKS, EACH = 12, 4


def in_arms(
    p: Floats, outcome: Floats, contestants: tuple[str, ...]
) -> tuple[Forecasts, Factor]:
    """Each column of forecasts is an arm; every contestant says them all."""
    asked = weekly(WEEKS, EACH)
    rows = board(p, outcome, asked=asked, due=[day + 3 for day in asked])
    n, k = len(rows), len(contestants)
    every = rows.take(np.tile(np.arange(n), k))
    who = Factor(contestants, np.repeat(np.arange(k), n))
    return replace(every, contestant=who), every.contestant


def claims_of_arms(*contestants: str) -> tuple[ArmClaim, ...]:
    p, outcome = apart(3, WEEKS, EACH)
    return arm_claims(*in_arms(p, outcome, contestants))


def test_an_arm_that_knows_more_is_named() -> None:
    (found,) = claims_of_arms("ada")
    assert (found.contestant, found.claim.better) == ("ada", "c000")
    assert present(found.claim.test.estimate) < 0


def test_one_contestant_in_two_arms_is_judged_as_two_of_a_file() -> None:
    p, outcome = apart(3, WEEKS, EACH)
    forecasts, arms = in_arms(p, outcome, ("ada",))
    alone = board_claims(replace(forecasts, contestant=arms), "brier", by_moment=True)
    (found,) = arm_claims(forecasts, arms)
    assert found.claim == present(alone.contest).claims[0]


def test_p_is_multiplied_by_the_contestants_that_are_compared() -> None:
    (alone,), (first, second) = claims_of_arms("ada"), claims_of_arms("ada", "bea")
    assert present(first.claim.p_anytime) == pytest.approx(2 * present(alone.claim.p_anytime))
    assert first.claim == second.claim


def test_who_says_the_same_in_every_arm_is_no_part_of_the_family() -> None:
    p, outcome = apart(3, WEEKS, EACH)
    forecasts, arms = in_arms(p, outcome, ("ada", "bea"))
    same = np.where(forecasts.contestant.codes == 1, 0.5, forecasts.p)
    (found,) = arm_claims(replace(forecasts, p=same), arms)
    (alone,) = claims_of_arms("ada")
    assert found == alone


def test_replicates_of_an_arm_are_averaged() -> None:
    p, outcome = apart(3, WEEKS, EACH)
    forecasts, arms = in_arms(p, outcome, ("ada",))
    twice = np.tile(np.arange(len(forecasts)), 2)
    (once,) = arm_claims(forecasts, arms)
    (found,) = arm_claims(forecasts.take(twice), arms.take(twice))
    assert found.claim.test == once.claim.test


def test_nothing_is_compared_of_a_single_arm() -> None:
    p, outcome = apart(3, WEEKS, EACH)
    assert arm_claims(*in_arms(p[:, :1], outcome, ("ada",))) == ()
