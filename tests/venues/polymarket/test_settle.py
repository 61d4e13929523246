"""What a market's end comes to when three services speak, or are silent, or differ."""

import pytest

from arena.records.market import NO_WINS, YES_WINS, Outcome, State
from arena.records.money import price
from arena.venues.polymarket.clob import clob_market as read_clob_market
from arena.venues.polymarket.outcome import resolutions
from arena.venues.polymarket.venue import needs_resolution, needs_winner, status_of
from tests.venues.polymarket.rows import Row, clob_market, closed, gamma, resolution, seen

HALVES = Outcome(price("0.5"))
PENDING = (State.CLOSED_PENDING, None)


def spoken(row: Row) -> Row:
    return {**row, "umaResolutionStatus": "resolved"}


def ended(
    row: Row, data: Row | None = None, clob: Row | None = None
) -> tuple[State, Outcome | None]:
    told = resolutions([] if data is None else [data]).rows
    named = () if clob is None else read_clob_market(clob).rows
    found = status_of(seen(row), next(iter(told), None), next(iter(named), None))
    assert found.unconfirmed
    return found.state, found.outcome


@pytest.mark.parametrize(
    ("paid", "outcome"),
    [
        ([1_000_000, 0], YES_WINS),
        ([0, 1_000_000], NO_WINS),
        ([500_000, 500_000], HALVES),
        (["250000", "750000"], Outcome(price("0.25"))),
    ],
)
def test_the_payouts_of_the_data_api_count(paid: list[object], outcome: Outcome) -> None:
    row = closed(paid=("0.6", "0.4"))
    told = resolution(payouts=paid, price="69")
    assert ended(row, told) == (State.RESOLVED, outcome)


def test_where_no_comes_first_payouts_and_answers_are_turned_round() -> None:
    row = closed(paid=("1", "0"), outcomes='["No", "Yes"]')
    assert ended(row, resolution()) == (State.RESOLVED, NO_WINS)
    assert ended(row, resolution(payouts=None)) == (State.RESOLVED, NO_WINS)


@pytest.mark.parametrize("paid", [[0, 0], [1_000_000, 1_000_000], [999_999, 0], [1, 0]])
def test_payouts_that_are_not_one_dollar_together_settle_nothing(paid: list[int]) -> None:
    assert ended(spoken(closed(paid=("1", "0"))), resolution(payouts=paid)) == PENDING


@pytest.mark.parametrize(
    ("row", "data"),
    [
        (spoken(closed(paid=("0", "1"))), resolution()),
        (spoken(closed(paid=("0.5", "0.5"))), resolution()),
        (closed(), resolution(price="0")),
        (closed(paid=("0", "1")), resolution(payouts=None)),
        (closed(paid=("0.6", "0.4")), resolution(payouts=None)),
        (closed(), resolution(payouts=None, price="69")),
        (spoken(closed()), resolution(payouts=None, price="0.3")),
        (spoken(closed()), resolution(payouts=[0, 0], price="69")),
        (spoken(closed()), resolution(status="posed", payouts=None, price="69")),
        (spoken(closed()), resolution(status="something new")),
    ],
    ids=[
        "gamma names the other",
        "gamma halves",
        "its answer is not its payouts",
        "without payouts gamma differs",
        "without payouts gamma is silent",
        "without payouts and answer",
        "an answer on no scale that is known",
        "payouts of nothing",
        "only posed",
        "an unknown word",
    ],
)
def test_where_sources_differ_nothing_is_settled(row: Row, data: Row) -> None:
    assert ended(row, data) == PENDING


@pytest.mark.parametrize(
    ("answer", "paid", "outcome"),
    [
        ("1", ("1", "0"), YES_WINS),
        ("0", ("0", "1"), NO_WINS),
        ("0.5", ("0.5", "0.5"), HALVES),
        ("1000000000000000000", ("1", "0"), YES_WINS),
        ("500000000000000000", ("0.5", "0.5"), HALVES),
    ],
)
def test_an_answer_without_payouts_counts_where_gamma_says_the_same(
    answer: str, paid: tuple[str, str], outcome: Outcome
) -> None:
    told = resolution(payouts=None, price=answer)
    assert ended(closed(paid=paid), told) == (State.RESOLVED, outcome)


@pytest.mark.parametrize("said", ["challenged", "disputed", "arbitration"])
def test_a_dispute_settles_nothing_whoever_tells_of_it(said: str) -> None:
    disputed = (State.DISPUTED, None)
    assert ended(spoken(closed()), resolution(status=said)) == disputed
    assert ended(closed(umaResolutionStatus="disputed"), resolution()) == disputed
    assert ended(closed(umaResolutionStatus="disputed"), None, clob_market()) == disputed


@pytest.mark.parametrize("answer", ["69", None])
def test_resolved_without_a_word_on_how_is_as_good_as_no_row(answer: object) -> None:
    told = resolution(payouts=None, price=answer)
    assert ended(spoken(closed()), told) == (State.RESOLVED, YES_WINS)
    assert ended(closed(), told) == PENDING
    assert ended(closed(), told, clob_market()) == (State.RESOLVED, YES_WINS)
    assert needs_winner(seen(closed()), next(iter(resolutions([told]).rows)))


def test_a_history_that_ends_in_a_dispute_gives_way_to_the_data_api_alone() -> None:
    row = closed(umaResolutionStatuses='["proposed", "disputed"]')
    assert ended(row, resolution(was_disputed=True)) == (State.RESOLVED, YES_WINS)
    assert ended(row, resolution(status="posed"))[0] is State.DISPUTED
    assert ended(row, None, clob_market()) == (State.DISPUTED, None)


@pytest.mark.parametrize("said", ["proposed", "reproposed"])
def test_a_proposal_settles_nothing(said: str) -> None:
    assert ended(closed(), resolution(status=said)) == (State.PROPOSED, None)
    assert ended(gamma(), resolution(status=said)) == (State.PROPOSED, None)


def test_an_open_market_is_not_settled_by_anybody() -> None:
    assert ended(spoken(gamma()), resolution(), clob_market()) == PENDING
    assert ended(gamma()) == (State.OPEN, None)


@pytest.mark.parametrize("said", ["resolved", "settled"])
def test_without_a_row_gammas_vector_counts_once_its_oracle_has_spoken(said: str) -> None:
    assert ended(closed(umaResolutionStatus=said)) == (State.RESOLVED, YES_WINS)
    halves = closed(paid=("0.5", "0.5"), umaResolutionStatus=said)
    assert ended(halves) == (State.RESOLVED, HALVES)


def test_where_the_oracle_is_silent_the_clobs_winner_confirms() -> None:
    open_for_orders = closed(acceptingOrders=True, bestBid=0.69, bestAsk=0.71)
    assert ended(open_for_orders) == PENDING
    assert ended(open_for_orders, None, clob_market()) == (State.RESOLVED, YES_WINS)


@pytest.mark.parametrize(
    "clob",
    [clob_market(winner="No"), clob_market(winner=None), clob_market(closed=False)],
    ids=["another", "none", "not closed there"],
)
def test_a_winner_that_the_clob_does_not_name_settles_nothing(clob: Row) -> None:
    assert ended(closed(), None, clob) == PENDING


@pytest.mark.parametrize("paid", [("0", "0"), ("0.584", "0.416"), ("1", "1")])
def test_old_markets_that_name_no_winner_wait_for_a_person(paid: tuple[str, str]) -> None:
    assert ended(closed(paid=paid), None, clob_market(winner=None)) == PENDING


def test_only_what_is_ending_is_asked_about() -> None:
    assert needs_resolution(seen(closed()))
    assert needs_resolution(seen(gamma(umaResolutionStatus="proposed")))
    assert not needs_resolution(seen(gamma()))


def test_the_clob_is_asked_only_where_nobody_else_has_the_last_word() -> None:
    (told,) = resolutions([resolution()]).rows
    assert needs_winner(seen(closed()), None)
    assert not needs_winner(seen(closed()), told)
    assert not needs_winner(seen(spoken(closed())), None)
    assert not needs_winner(seen(closed(paid=("0.6", "0.4"))), None)
    assert not needs_winner(seen(closed(umaResolutionStatus="disputed")), None)
    assert not needs_winner(seen(gamma(outcomePrices='["1", "0"]')), None)
