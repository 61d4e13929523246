from collections.abc import Iterator

import pytest

from arena.errors import ArenaError
from arena.records.cohort import CohortId
from arena.records.market import NO_WINS, YES_WINS, Side
from arena.store.scores.reviewed import Review, review
from arena.store.sqlite import Connection
from tests.build import ADA, BEN, COHORT, RAIN, SNOW, spec
from tests.stage import buys, started

SAID = buys((RAIN, Side.YES, 60), rain=0.9, snow=0.9, hail=0.1)


@pytest.fixture(scope="module")
def db() -> Iterator[Connection]:
    """Ada was right about rain and wrong about snow; hail is open."""
    scripts = {ADA: {1: SAID, 2: SAID}, BEN: {}}
    with started(scripts, spec(COHORT, (ADA, BEN), days=2)) as game:
        game.tick(24)
        game.say(RAIN, YES_WINS)
        game.hear(SNOW, NO_WINS, 48)
        yield game.store.db


@pytest.fixture(scope="module")
def reviewed(db: Connection) -> Review:
    return review(db, "ada")


def test_each_market_stands_once_in_the_list_it_belongs_to(reviewed: Review) -> None:
    assert [forecast.market for forecast in reviewed.worst] == ["snow"]
    assert [forecast.market for forecast in reviewed.best] == ["rain"]
    assert (reviewed.forecasts, reviewed.markets) == (4, 2)


def test_a_gain_is_the_brier_score_of_the_price_less_that_of_the_forecast(
    reviewed: Review,
) -> None:
    (rain,) = reviewed.best
    assert rain.gain == pytest.approx((rain.price - 1) ** 2 - 0.1**2)
    assert (rain.forecast, rain.outcome, rain.cohort) == (0.9, 1, COHORT)


def test_a_bet_has_what_it_cost_and_what_its_position_paid(reviewed: Review) -> None:
    (rain,) = reviewed.best
    (bet,) = rain.bets
    assert bet.side is Side.YES
    assert float(bet.stake) == pytest.approx(60, abs=0.01)
    assert float(bet.paid) >= bet.shares
    assert reviewed.worst[0].bets == ()


def test_a_reply_is_kept_whole(reviewed: Review) -> None:
    assert "0.9" in (reviewed.best[0].reply or "")


def test_no_more_are_shown_than_were_asked_for(db: Connection) -> None:
    found = review(db, "ada", number=1, cohort=COHORT)
    assert (len(found.worst), len(found.best)) == (1, 1)


@pytest.mark.parametrize(("name", "cohort"), [("ben", None), ("ada", "another")])
def test_who_has_no_resolved_forecast_is_refused(
    db: Connection, name: str, cohort: str | None
) -> None:
    with pytest.raises(ArenaError, match="no resolved forecast"):
        review(db, name, cohort=CohortId(cohort) if cohort else None)
