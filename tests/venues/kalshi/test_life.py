"""States and outcomes: by a market's own fields, and never by its price."""

import pytest

from arena.records.market import NO_WINS, YES_WINS, MarketId, Outcome, State, Status
from arena.records.money import price
from arena.venues.kalshi.parse import status_of
from tests.venues.kalshi.rows import NOW, ORIGIN, Row, decided, market

HERE = MarketId("kalshi:m")


def status(row: Row) -> Status:
    return status_of(row, HERE, ORIGIN)


@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("initialized", State.HALTED),
        ("inactive", State.HALTED),
        ("paused", State.HALTED),
        ("active", State.OPEN),
        ("closed", State.CLOSED_PENDING),
        ("determined", State.CLOSED_PENDING),
        ("amended", State.CLOSED_PENDING),
        ("disputed", State.DISPUTED),
        ("settled", State.UNKNOWN),
        ("ACTIVE", State.UNKNOWN),
    ],
)
def test_each_word_is_a_state_and_an_unknown_one_is_unknown(word: str, state: State) -> None:
    assert status(market(status=word)) == Status(HERE, state, NOW, unconfirmed=True)


@pytest.mark.parametrize("word", ["determined", "amended"])
@pytest.mark.parametrize("result", ["yes", "no", "scalar"])
def test_a_result_that_is_not_final_is_proposed(word: str, result: str) -> None:
    told = status(decided(result, "1.0000", status=word))
    assert (told.state, told.outcome) == (State.PROPOSED, None)


@pytest.mark.parametrize("result", [None, "", [], ["yes"], {}, 1])
def test_a_result_of_another_type_is_no_result(result: object) -> None:
    told = status(decided(result, "1.0000", status="determined"))
    assert (told.state, told.outcome) == (State.CLOSED_PENDING, None)


@pytest.mark.parametrize("word", ["active", "closed", "disputed"])
def test_nothing_else_has_an_outcome_whatever_its_fields_say(word: str) -> None:
    told = status(decided("yes", "1.0000", status=word))
    assert told.outcome is None
    assert told.state is not State.PROPOSED


@pytest.mark.parametrize(
    ("result", "value", "outcome"),
    [
        ("yes", "1.0000", YES_WINS),
        ("no", "0.0000", NO_WINS),
        ("scalar", "0.5000", Outcome(price("0.5"))),
        ("scalar", "0.2400", Outcome(price("0.24"))),
        ("scalar", "0.0000", NO_WINS),
        ("yes", "0.9000", Outcome(price("0.9"))),
        ("no", "0.3000", Outcome(price("0.3"))),
    ],
)
def test_a_final_market_pays_its_settlement_value(
    result: str, value: str, outcome: Outcome
) -> None:
    told = status(decided(result, value))
    assert (told.state, told.outcome) == (State.RESOLVED, outcome)


@pytest.mark.parametrize(
    ("result", "value"),
    [
        ("yes", "0.0000"),
        ("no", "1.0000"),
        ("yes", None),
        ("yes", 1),
        ("yes", "100"),
        ("scalar", None),
        ("scalar", "1.5000"),
        ("", "1.0000"),
        ("YES", "1.0000"),
        ("void", "0.0000"),
        (None, "1.0000"),
        (["yes"], "1.0000"),
    ],
)
def test_a_final_market_whose_fields_do_not_agree_waits(result: object, value: object) -> None:
    told = status(decided(result, value))
    assert (told.state, told.outcome) == (State.CLOSED_PENDING, None)


def test_a_price_of_one_is_no_result() -> None:
    told = status(
        market(status="closed", yes_bid_dollars="0.9900", last_price_dollars="1.0000")
    )
    assert told.outcome is None


def test_every_word_wants_to_be_heard_twice() -> None:
    assert status(decided("yes", "1.0000")).unconfirmed
    assert status(market()).unconfirmed
