"""A board looked at every day: each event once, on a day that its outcome cannot move."""

from dataclasses import replace

import numpy as np
import pytest

from arena.metrics.contest import Contest, contest
from arena.metrics.daily import daily_of, with_daily
from arena.metrics.duel import duel
from arena.scoring.table import Factor, Forecasts
from arena.stats.promotion import bounded_wealth, daily_board, daily_gains
from tests.metrics.rounds import DAY, START, equals, numbered, rounds, strict
from tests.metrics.season import shuffled

RNG = np.random.default_rng
TWO = ("ada", "ben")


def board(whole: Forecasts, *, by_moment: bool = True) -> Contest:
    found = contest(whole, "brier", by_moment=by_moment)
    assert found is not None
    return with_daily(found, whole, by_moment=by_moment)


def told(whole: Forecasts, *, by_moment: bool = True) -> set[str | None]:
    return {c.better_anytime for c in board(whole, by_moment=by_moment).claims}


def skilled(days: int = 120, names: tuple[str, ...] = TWO) -> Forecasts:
    """The first knows more than the others, of two events a day."""
    rng = RNG(0)
    truth = rng.random(2 * days)
    outcome = (rng.random(2 * days) < truth).astype(np.intp)
    p = np.column_stack([truth, *np.full((len(names) - 1, 2 * days), 0.5)])
    return rounds(p, outcome, names=names, day=np.arange(2 * days) // 2)


def split(whole: Forecasts, out: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Forecasts:
    """Only what is out by now; the rest is waiting."""
    return replace(whole.take(out), waiting=whole.take(~out))


def test_two_days_by_hand() -> None:
    p = np.array([[0.8, 0.5], [0.4, 0.5], [0.3, 0.5]])
    whole = rounds(p, [1, 0, 0], names=TWO, day=[0, 0, 1])
    daily = daily_of(whole, TWO, by_moment=True)
    assert daily is not None
    own, other = np.array([0.04, 0.16, 0.09]), 0.25
    assert daily.gains[:, 0] == pytest.approx([(other - own[:2]).mean(), other - own[2]])
    assert daily.events[:, 0].tolist() == [2, 1]
    found = duel(whole, TWO, "brier", by_moment=True).sequential
    assert found is not None
    wealth = bounded_wealth(daily.gains[:, 0], daily.bounds[:, 0])
    assert found.days == 2
    assert found.e_first == pytest.approx(wealth.e[-1])


def test_the_board_is_that_of_the_statistics() -> None:
    rng = RNG(1)
    p, outcome = equals(rng, 60, 3)
    day = np.arange(60) // 4
    found = board(rounds(p, outcome, day=day))
    daily = daily_gains(p, outcome, np.arange(60), day)
    levels = daily_board(daily, 3).p[-1]
    for claim, (i, j) in zip(found.claims, ((0, 1), (0, 2), (1, 2)), strict=True):
        assert claim.p_anytime == min(levels[i, j], levels[j, i])


def test_who_knows_more_is_told_apart_after_some_time() -> None:
    assert told(skilled()) == {"ada"}
    assert told(skilled(days=5)) == {None}
    strict(board(skilled(days=5)))


def test_an_event_counts_with_its_first_forecasts_only() -> None:
    p, outcome = equals(RNG(2), 30, 2)
    first = rounds(p, outcome, names=TWO)
    later = replace(rounds(1 - p, outcome, names=TWO), at=first.at + DAY)
    both = _stacked(first, later)
    for by_moment in (True, False):
        whole, alone = (daily_of(f, TWO, by_moment=by_moment) for f in (both, first))
        assert whole is not None
        assert alone is not None
        assert whole.gains.tolist() == alone.gains.tolist()


def test_later_rounds_of_the_first_day_do_not_count_where_all_are_asked_at_once() -> None:
    p, outcome = equals(RNG(2), 30, 2)
    first = rounds(p, outcome, names=TWO)
    later = replace(rounds(1 - p, outcome, names=TWO), at=first.at + np.timedelta64(6, "h"))
    whole, alone = (daily_of(f, TWO, by_moment=True) for f in (_stacked(first, later), first))
    assert whole is not None
    assert alone is not None
    assert whole.gains.tolist() == alone.gains.tolist()


def test_an_event_waits_for_two_who_forecast_it_at_the_same_time() -> None:
    p = np.array([[0.9, np.nan], [0.8, 0.5]])
    whole = replace(
        rounds(p, [1, 1], names=TWO, day=[0, 1]),
        market=Factor(("m",), np.zeros(3, dtype=np.intp)),
        event=Factor(("e",), np.zeros(3, dtype=np.intp)),
    )
    daily = daily_of(whole, TWO, by_moment=True)
    assert daily is not None
    assert daily.gains.tolist() == [[pytest.approx(0.25 - 0.04)]]


def test_files_need_no_common_moments_but_a_common_day() -> None:
    whole = skilled()
    apart = replace(whole, at=whole.at + np.timedelta64(1, "s") * whole.contestant.codes)
    assert told(apart, by_moment=False) == {"ada"}
    assert {c.p_anytime for c in board(apart, by_moment=True).claims} == {None}
    two_days = replace(whole, at=whole.at + DAY * whole.contestant.codes)
    assert {c.p_anytime for c in board(two_days, by_moment=False).claims} == {None}


def test_of_a_day_it_is_what_each_said_first() -> None:
    first = rounds(np.array([[0.9, 0.5]]), [1], names=TWO)
    again = replace(first, at=first.at + np.timedelta64(2, "h"), p=np.array([0.1, 0.2]))
    whole = shuffled(_stacked(first, again), 3)
    daily = daily_of(whole, TWO)
    assert daily is not None
    assert daily.gains.tolist() == [[pytest.approx(0.25 - 0.01)]]


def test_somebody_who_is_not_compared_changes_nobodys_forecasts() -> None:
    whole = skilled(names=("ada", "ben", "zoe"))
    zoe = whole.contestant.codes == 2
    price = np.where(zoe, np.nan, 0.5)
    found = contest(replace(whole, market_p=price), "alpha", by_moment=True)
    assert found is not None
    assert list(found.ranks) == ["ada", "ben"]
    (claim,) = with_daily(found, whole, by_moment=True).claims
    (alone,) = board(whole.take(~zoe)).claims
    assert claim.p_anytime == alone.p_anytime


def test_the_order_of_rows_changes_nothing() -> None:
    p, outcome = equals(RNG(4), 40, 3)
    whole = rounds(p, outcome, day=np.arange(40) // 3)
    one, other = board(whole), board(shuffled(whole, 1))
    for a, b in zip(one.claims, other.claims, strict=True):
        assert (a.first, a.second) == (b.first, b.second)
        assert a.p_anytime == pytest.approx(b.p_anytime, rel=1e-12)


def test_other_names_change_nothing() -> None:
    p, outcome = equals(RNG(4), 40, 3)
    whole = rounds(p, outcome, day=np.arange(40) // 3)
    other = replace(whole, contestant=Factor(("z", "y", "x"), whole.contestant.codes))
    levels = [sorted(c.p_anytime or 0 for c in board(f).claims) for f in (whole, other)]
    assert levels[0] == pytest.approx(levels[1], rel=1e-12)


@pytest.mark.parametrize("days", [1, 2])
def test_a_day_or_two_say_nothing_yet(days: int) -> None:
    assert told(skilled(days=days)) == {None}


def test_contestants_who_say_the_same_are_never_told_apart() -> None:
    flat = rounds(np.full((60, 2), 0.5), RNG(0).integers(0, 2, 60), day=np.arange(60))
    (claim,) = board(flat).claims
    assert (claim.p_anytime, claim.better_anytime) == (1.0, None)


def test_a_perfect_forecaster_stays_finite() -> None:
    outcome = RNG(0).integers(0, 2, 400)
    p = np.column_stack([outcome, 1 - outcome]).astype(float)
    (claim,) = board(rounds(p, outcome, names=TWO, day=np.arange(400))).claims
    assert claim.better_anytime == "ada"
    assert claim.p_anytime is not None
    assert 0 < claim.p_anytime < 1e-100
    strict(claim)


def test_options_and_unknown_moments_have_no_days() -> None:
    p = np.full((4, 2, 3), 1 / 3)
    assert daily_of(rounds(p, [0, 1, 2, 0]), numbered("c", 2)) is None
    whole = skilled()
    at = whole.at.copy()
    at[5] = np.datetime64("NaT")
    assert daily_of(replace(whole, at=at), TWO) is None
    assert daily_of(whole.take(np.zeros(len(whole), dtype=bool)), TWO) is None


def by_december(rng: np.random.Generator, events: int = 60) -> Forecasts:
    """Who says 0.6 and who says 0.4 of coins that can only come up heads early."""
    outcome = rng.integers(0, 2, events)
    whole = rounds(np.tile([0.6, 0.4], (events, 1)), outcome, names=TWO, day=np.arange(events))
    last = START + DAY * (30 + np.arange(events) // 2)[whole.market.codes]
    early = (whole.outcome == 1) & (whole.market.codes % 2 == 0)
    return split(replace(whole, due=last), early)


def test_what_happened_early_is_not_counted_before_the_rest_could_have() -> None:
    whole = by_december(RNG(0))
    assert len(whole) > 20  # all of them YES
    assert daily_of(whole, TWO, by_moment=True) is None
    blind = replace(whole, waiting=None)
    assert told(blind) == {"ada"}  # a false claim: they are equally good


def test_days_count_up_to_the_first_that_waits() -> None:
    p, outcome = equals(RNG(5), 40, 2)
    whole = rounds(p, outcome, names=TWO, day=np.arange(40))
    found = daily_of(split(whole, whole.market.codes != 25), TWO, by_moment=True)
    assert found is not None
    assert len(found.days) == 25


def test_what_waits_without_having_been_named_ends_all_claims() -> None:
    whole = replace(skilled(), left_out={"outcome_missing": 3})
    assert {c.p_anytime for c in board(whole).claims} == {None}
    assert told(replace(skilled(), left_out={"outcome_void": 3})) == {"ada"}


def test_a_question_that_only_one_forecast_keeps_nobody_waiting() -> None:
    p, outcome = equals(RNG(5), 10, 2)
    p[3, 1] = np.nan
    whole = rounds(p, outcome, names=TWO, day=np.arange(10))
    found = daily_of(split(whole, whole.market.codes != 3), TWO, by_moment=True)
    assert found is not None
    assert len(found.days) == 9


def test_days_are_those_on_which_markets_were_to_close() -> None:
    p, outcome = equals(RNG(6), 6, 2)
    whole = rounds(p, outcome, names=TWO)
    due = replace(whole, due=START + DAY * (whole.market.codes // 2))
    found = daily_of(due, TWO, by_moment=True)
    assert found is not None
    assert found.events[:, 0].tolist() == [2, 2, 2]
    nowhere = np.full(len(whole), np.datetime64("NaT"), dtype="datetime64[us]")
    assert daily_of(replace(whole, due=nowhere), TWO, by_moment=True) is None


def test_of_an_event_the_markets_that_close_first_count() -> None:
    p, outcome = equals(RNG(6), 6, 2)
    whole = rounds(p, outcome, names=TWO, event=[0, 0, 0, 1, 1, 1])
    due = replace(whole, due=START + DAY * (whole.market.codes % 3))
    found = daily_of(due, TWO, by_moment=True)
    assert found is not None
    own, other = ((p[:, n] - outcome) ** 2 for n in (0, 1))
    assert found.gains.tolist() == [[pytest.approx((other - own)[[0, 3]].mean())]]


@pytest.mark.parametrize("contestants", [2, 4])
def test_false_claims_on_any_day_are_rarer_than_the_level(contestants: int) -> None:
    rng, wrong = RNG(contestants), 0
    for _ in range(100):
        p, outcome = equals(rng, 120, contestants)
        wrong += told(rounds(p, outcome, day=np.arange(120) // 3)) != {None}
    assert wrong <= 5


def _stacked(one: Forecasts, other: Forecasts) -> Forecasts:
    """Rows of two tables of the same contestants and questions."""
    twice = one.take(np.tile(np.arange(len(one)), 2))
    at, p = np.concatenate([one.at, other.at]), np.concatenate([one.p, other.p])
    return replace(twice, at=at, p=p)
