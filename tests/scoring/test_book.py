import numpy as np
import pytest

from arena.scoring.bets.book import PassReason
from arena.scoring.bets.clv import Exclusion
from arena.scoring.bets.shadow import OwnBets, replay_own
from tests.scoring.markets import HOUR, NEVER, START, lines


def test_totals_are_of_the_bets_that_are_settled() -> None:
    market = lines(settled=[START + HOUR, NEVER, START + HOUR], payout=[1.0, np.nan, 0.0])
    book = replay_own(market, OwnBets(np.ones(3, np.bool_), np.array([41.0, 41.0, 82.0])))
    assert (len(book), book.open, book.staked) == (3, 1, 164)
    assert book.profit == pytest.approx(59 - 82)
    assert book.returned == pytest.approx(-23 / 10_000)
    assert book.events(market) == 3
    assert book.lowest == pytest.approx(10_000 - 23)


def test_no_bet_has_no_profit_a_dollar() -> None:
    book = replay_own(lines(), OwnBets(np.ones(1, np.bool_), np.zeros(1)))
    assert (book.profit, book.lowest) == (0, 10_000)
    assert book.passed == {PassReason.NO_STAKE: 1}


def test_clv_is_of_the_side_and_after_fees() -> None:
    market = lines(
        close=[0.45, 0.45, np.nan, np.nan],
        fee_yes=0.01,
        settled=[START + HOUR] * 3 + [NEVER],
        payout=[1.0, 1.0, 1.0, np.nan],
    )
    own = OwnBets(np.array([True, False, True, True]), np.full(4, 10.0))
    found = replay_own(market, own).closing_lines(market)
    assert found.clv == pytest.approx([0.125, 0.55 / 0.6 - 1])
    assert found.ev == pytest.approx([(0.45 - 0.42) / 0.41, (0.55 - 0.61) / 0.61])
    assert found.excluded == {2: Exclusion.RESOLVED_BEFORE_CLOSE, 3: Exclusion.NO_CLOSE}


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("bid", 1.2, "lies in"),
        ("payout", -0.1, "lies in"),
        ("fee_yes", np.nan, "a fee"),
        ("fee_no", -0.1, "a fee"),
        ("at", NEVER, "a moment"),
        ("settled", START - HOUR, "a moment"),
    ],
)
def test_impossible_lines_are_refused(column: str, value: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lines(**{column: value})
