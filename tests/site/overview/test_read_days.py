from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records.cohort import MarkRule
from arena.records.market import NO_WINS, YES_WINS, Side, State
from arena.site.overview.read import DAILY, OLDER, days_of, fallen, path_scores, thinned
from arena.site.overview.records import Worth
from tests.build import ADA, BEN, RAIN, T0, at, at_price, quote, spec
from tests.present import some
from tests.site.overview.conftest import Season
from tests.stage import Game, buys, playing

DAY = timedelta(days=1)


def days(game: Game, hours: float = 0, mark: MarkRule = MarkRule.MID) -> Sequence[Worth]:
    return days_of(game.store, mark, at(hours))[ADA]


def test_a_bet_that_wins_is_worth_its_price_until_it_is_settled() -> None:
    with playing({ADA: {1: buys((RAIN, Side.YES, 1000))}}) as game:
        game.tick(0)
        game.quote(at_price("0.75"))
        game.tick(24)
        game.hear(RAIN, YES_WINS, 48)
        found = days(game, 48)
    assert found == (
        Worth(T0, 10_000, 10_000, 10_000),
        Worth(T0 + DAY, 10_000, 10_000, 10_500),
        Worth(T0 + 2 * DAY, 10_000, 11_000, 11_000),
    )


def test_what_is_taken_back_is_taken_back_on_its_day() -> None:
    with playing({ADA: {1: buys((RAIN, Side.YES, 1000))}}) as game:
        game.tick(0)
        game.hear(RAIN, YES_WINS, 24)
        game.hear(RAIN, State.DISPUTED, 48)
        game.hear(RAIN, NO_WINS, 72)
        found = days(game, 72)
    assert [day.settled for day in found] == [10_000, 11_000, 10_000, 9_000]


def test_without_a_price_the_worth_is_not_known_and_never_its_cost() -> None:
    with playing(
        {ADA: {1: buys((RAIN, Side.YES, 1000))}}, quotes=[quote("0.5", "0.5")]
    ) as game:
        game.tick(0)
        game.quote(quote("0.5", None))
        game.tick(24 * 5)
        found = days(game, 24 * 5)
    assert found[0].worth == 10_000
    assert found[-1].worth is None
    assert found[-1].settled == 10_000


def test_capital_comes_in_with_each_cohort_and_a_complete_seat_keeps_its_worth() -> None:
    with playing(
        {ADA: {}, BEN: {}}, spec("one", (ADA, BEN)), spec("two", (ADA,), days=3)
    ) as game:
        for hours in (0, 24, 48):
            game.tick(hours)
        found = days(game, 48)
        other = days_of(game.store, MarkRule.BID, at(48))[BEN]
    assert [(day.capital, day.worth) for day in found] == [(20_000, 20_000)] * 3
    assert [(day.capital, day.worth) for day in other] == [(10_000, 10_000)] * 3


def test_nothing_after_the_last_moment_counts() -> None:
    with playing({ADA: {1: buys((RAIN, Side.YES, 1000))}}) as game:
        game.tick(0)
        before = days(game)
        game.quote(at_price("0.75"))
        game.tick(24)
        assert days(game) == before


def test_the_last_day_is_what_the_books_say(season: Season) -> None:
    for line in some(season.store.boards.overall().standings):
        last = season.overview.profiles[line.contestant].days[-1]
        assert last.capital == float(line.capital)
        assert last.worth == (None if line.total is None else float(line.total))
        assert last.settled == float(line.capital + line.realised - line.fees)


@given(st.integers(0, 5000))
def test_a_long_path_is_thinned_and_its_newest_days_are_kept(n: int) -> None:
    path = [Worth(T0 + k * DAY, 1.0, 1.0, 1.0) for k in range(n)]
    found = thinned(path)
    assert len(found) <= DAILY + OLDER
    assert list(found[-DAILY:]) == path[-DAILY:]
    assert [day.at for day in found] == sorted(day.at for day in found)
    gaps = {(b.at - a.at).days for a, b in pairwise(found)}
    assert all(gap % 7 == 0 or gap == 1 for gap in gaps)


def test_two_years_are_thinned_to_weeks() -> None:
    path = [Worth(T0 + k * DAY, 1.0, 1.0, 1.0) for k in range(730)]
    found = thinned(path)
    older = found[:-DAILY]
    assert {b.at - a.at for a, b in pairwise(older)} == {7 * DAY}


def test_a_path_s_drawdown_is_that_of_every_day() -> None:
    path = [Worth(T0 + k * DAY, 100, 100, w) for k, w in enumerate((100, 120, None, 90, 99))]
    assert path_scores(path)["max_drawdown"].value == pytest.approx(-0.25)


@given(st.lists(st.none() | st.floats(1, 300), max_size=300))
def test_falls_are_those_of_every_day_and_the_deepest_stays(worths: list[float | None]) -> None:
    path = [Worth(T0 + k * DAY, 100, 100, w) for k, w in enumerate(worths)]
    told = path_scores(path)["max_drawdown"].value
    drawn = [day.fall for day in thinned(fallen(path)) if day.fall is not None]
    assert told is None or min(drawn) == pytest.approx(told)
