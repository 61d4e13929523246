"""The adapter over real sockets: what it asks for, and what it makes of the answers.

What a market's end comes to when three services speak, or are silent, or differ.
"""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal

import pytest

from arena.ports import Historian, Live
from arena.records.market import NO_WINS, YES_WINS, FeeKind, MarketId, Outcome, Source, State
from arena.records.money import price
from arena.records.settings import VenueSettings
from arena.venues.polymarket import KINDS, from_settings
from arena.venues.polymarket.asking import PolymarketOptions
from arena.venues.polymarket.clob import clob_market as read_clob_market
from arena.venues.polymarket.outcome import resolutions
from arena.venues.polymarket.venue import needs_resolution, needs_winner, status_of
from tests.http.asking import Drawer, failure
from tests.venues.polymarket.rows import (
    DAY,
    GHOST,
    HERE,
    HOUR,
    NOW,
    ORIGIN,
    Row,
    book,
    clob_market,
    closed,
    condition_of,
    gamma,
    no_of,
    ours,
    resolution,
    seen,
    terms,
    without,
    yes_of,
)
from tests.venues.polymarket.server import (
    LIST,
    NOT_FOUND,
    Desk,
    Services,
    of,
    paged,
    refuses,
    tokens_of,
)
from tests.venues.scripted import Asked, run


@pytest.fixture
def server() -> Iterator[Services]:
    with Services() as running:
        yield running


def busy(own: str, volume: float, **changes: object) -> Row:
    return gamma(own, volume24hr=volume, **changes)


def test_it_knows_only_the_present_and_remembers_prices(server: Services) -> None:
    assert isinstance(Desk(server).venue, Live)
    assert Desk(server).venue.only_now
    server.holds()
    venue: Historian = Desk(server).venue
    assert run(venue.history(ours("1"), NOW - DAY, NOW)) == ()


def test_settings_make_it(server: Services) -> None:
    server.holds(gamma("1"))
    home = server.home
    options = tuple((name, f"{home}/{name}") for name in ("gamma", "clob", "data"))
    settings = VenueSettings(HERE, "polymarket", (*options, ("per_second", 1000)))
    venue = from_settings(settings, Desk(server).clock, Drawer())
    assert [market.id for market in run(venue.catalogue()).markets] == of("1")


# the catalogue


def test_the_list_is_asked_for_in_falling_order_page_by_page(server: Services) -> None:
    server.said[LIST] = paged((busy("1", 9), busy("2", 8)), (busy("3", 7),))
    found = run(Desk(server).venue.catalogue())
    assert [market.id for market in found.markets] == of("1", "2", "3")
    first, second = server.at(LIST)
    assert dict(first.query) == {
        "limit": "100",
        "order": "volume24hr",
        "ascending": "false",
        "closed": "false",
        "active": "true",
        "archived": "false",
        "include_tag": "true",
    }
    assert second.query == (*first.query, ("after_cursor", "1"))


def test_no_more_pages_are_read_than_wanted(server: Services) -> None:
    server.said[LIST] = paged(*((busy(str(n), 9 - n),) for n in range(5)))
    found = run(Desk(server, PolymarketOptions(pages=2)).venue.catalogue())
    assert (len(found.markets), len(server.asked)) == (2, 2)


def test_the_list_is_narrowed_by_options(server: Services) -> None:
    server.said[LIST] = paged((gamma("1"),))
    options = PolymarketOptions(
        order="volumeNum", volume_num_min=1000, liquidity_num_min=50.5, closes_within_days=7
    )
    run(Desk(server, options).venue.catalogue())
    asked = dict(server.asked[0].query)
    assert asked["order"] == "volumeNum"
    assert Decimal(asked["volume_num_min"]) == 1000
    assert Decimal(asked["liquidity_num_min"]) == Decimal("50.5")
    assert asked["end_date_min"] == "2026-09-01T12:00:00Z"
    assert asked["end_date_max"] == "2026-09-08T12:00:00Z"


def test_a_catalogue_has_the_lists_own_prices_and_says_how_old_they_are(
    server: Services,
) -> None:
    server.holds(gamma("1"), gamma("2", bestBid=None, bestAsk=None))
    server.headers = (("Age", "240"),)
    (quote,) = run(Desk(server).venue.catalogue()).quotes
    assert (quote.market, quote.bid, quote.source) == (ours("1"), Decimal("0.4"), Source.LIST)
    assert quote.at == NOW - timedelta(seconds=240)


def test_a_market_on_two_pages_is_listed_once(server: Services) -> None:
    server.said[LIST] = paged((busy("1", 9), busy("2", 8)), (busy("2", 8), busy("3", 7)))
    found = run(Desk(server).venue.catalogue())
    assert [market.id for market in found.markets] == of("1", "2", "3")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([busy(str(n), float(str(n)[::-1])) for n in range(1, 90)], "not in the order"),
        ([busy(str(n), 1, question=None) for n in range(1, 9)], "question"),
        ([without(gamma("1"), "volume24hr")], "not in the order"),
        ([busy(str(n), 1, bestBid=None, bestAsk=None) for n in range(1, 9)], "has a price"),
        ([without(busy(str(n), 1), "acceptingOrders") for n in range(1, 9)], "takes orders"),
        ([], "no market at all"),
    ],
    ids=[
        "sorted as text",
        "a field is gone",
        "no volumes",
        "no prices",
        "no orders",
        "nothing",
    ],
)
def test_a_list_that_is_not_what_it_was_is_not_used(
    server: Services, rows: list[Row], said: str
) -> None:
    server.said[LIST] = {"markets": rows}
    told = failure(Desk(server).venue.catalogue())
    assert told.code == "venue.format"
    assert said in told.message


@pytest.mark.parametrize(
    "payload",
    [
        [],
        {"data": []},
        {"error": "we are sorry"},
        {"markets": [busy("1", 1)], "next_cursor": 7},
    ],
)
def test_an_answer_of_another_shape_is_not_used(server: Services, payload: object) -> None:
    server.said[LIST] = payload
    assert failure(Desk(server).venue.catalogue()).code == "venue.format"


# looking markets up


def test_an_open_market_is_looked_up_at_once_and_a_closed_one_with_a_second_question(
    server: Services,
) -> None:
    server.holds(gamma("1"), closed("2"))
    run(Desk(server).venue.statuses(of("1", "2")))
    first, second = server.at(LIST)
    assert (first.all("id"), first.one("closed")) == (("1", "2"), None)
    assert (second.all("id"), second.one("closed")) == (("2",), "true")


def test_many_markets_are_looked_up_in_pieces(server: Services) -> None:
    server.holds(*(gamma(str(n)) for n in range(1, 121)))
    statuses = run(Desk(server).venue.statuses(of(*(str(n) for n in range(1, 121)))))
    assert len(statuses) == 120
    assert [len(asked.all("id")) for asked in server.at(LIST)] == [50, 50, 20]


def test_a_market_that_is_missing_in_lists_is_asked_for_alone(server: Services) -> None:
    server.said[LIST] = {"markets": []}
    server.said["/gamma/markets/1"] = gamma("1")
    statuses = run(Desk(server).venue.statuses(of("1", "2")))
    assert statuses[ours("1")].state is State.OPEN
    assert statuses[ours("2")].state is State.UNKNOWN


def test_what_is_of_no_market_here_is_not_asked_about(server: Services) -> None:
    strangers = [MarketId(one) for one in ("kalshi:1", "polymarket:", "polymarket:a/..", "x")]
    assert run(Desk(server).venue.statuses(strangers)) == {}
    assert run(Desk(server).venue.quotes(strangers)) == {}
    assert server.asked == []


def test_a_server_that_ignores_what_is_asked_is_not_believed(server: Services) -> None:
    server.said[LIST] = {"markets": [gamma("8"), gamma("9")]}
    told = failure(Desk(server).venue.statuses(of("1")))
    assert (told.code, "not asked for" in told.message) == ("venue.format", True)
    assert len(server.asked) == 1


def test_a_row_that_cannot_be_read_is_neither_gone_nor_told(server: Services) -> None:
    server.holds(gamma("1"), gamma("2", question=None), gamma("3", version="v2"))
    statuses = run(Desk(server).venue.statuses(of("1", "2", "3")))
    assert set(statuses) == set(of("1"))


# quotes


def test_a_quote_is_the_book_of_the_yes_token_with_gammas_volumes(server: Services) -> None:
    server.holds(gamma("1"), gamma("2", outcomes='["No", "Yes"]', bestBid=0.6, bestAsk=0.62))
    server.has_books(book("1"), book("2", asset_id=no_of("2")))
    quotes = run(Desk(server, PolymarketOptions(depth=1)).venue.quotes(of("1", "2")))
    assert tokens_of(server.asked[-1]) == (yes_of("1"), no_of("2"))
    assert set(quotes) == set(of("1", "2"))
    one = quotes[ours("1")]
    assert (one.bid, one.ask, one.source) == (Decimal("0.4"), Decimal("0.42"), Source.BOOK)
    assert (one.volume, one.at, len(one.bids)) == (Decimal("1200.5"), NOW, 1)


def test_a_market_without_a_book_or_with_an_empty_one_has_no_quote(server: Services) -> None:
    server.holds(gamma("1"), gamma("2"))
    server.has_books(book("2", bids=[], asks=[]))
    assert run(Desk(server).venue.quotes(of("1", "2"))) == {}
    server.said["/clob/books"] = NOT_FOUND
    assert run(Desk(server).venue.quotes(of("1", "2"))) == {}


@pytest.mark.parametrize(
    "row", [closed("1"), gamma("1", acceptingOrders=False), gamma("1", clobTokenIds="[]")]
)
def test_what_takes_no_orders_has_no_quote(server: Services, row: Row) -> None:
    server.holds(row)
    server.has_books(book("1"))
    assert run(Desk(server).venue.quotes(of("1"))) == {}


def test_a_book_of_another_market_is_not_used(server: Services) -> None:
    server.holds(gamma("1"))
    server.has_books(book("1", market=condition_of("2")))
    assert run(Desk(server).venue.quotes(of("1"))) == {}


def test_a_ghost_of_a_book_is_no_quote(server: Services) -> None:
    server.holds(gamma("1"), gamma("2", bestBid=None, bestAsk=None), gamma("3"))
    server.has_books(book("1", **GHOST), book("2", **GHOST), book("3"))
    server.said["/clob/midpoints"] = {}
    server.said["/clob/midpoint"] = {"mid": "0.2"}
    assert set(run(Desk(server).venue.quotes(of("1", "2", "3")))) == set(of("3"))


def test_a_wide_book_that_the_midpoint_confirms_is_a_quote(server: Services) -> None:
    server.holds(gamma("1", bestBid=0.01, bestAsk=0.99))
    server.has_books(book("1", **GHOST))
    server.said["/clob/midpoints"] = {yes_of("1"): "0.5"}
    assert set(run(Desk(server).venue.quotes(of("1")))) == set(of("1"))
    assert server.at("/clob/midpoint") == []


def test_many_books_are_asked_for_in_pieces(server: Services) -> None:
    server.holds(*(gamma(str(n)) for n in range(1, 121)))
    server.has_books(*(book(str(n)) for n in range(1, 121)))
    quotes = run(Desk(server).venue.quotes(of(*(str(n) for n in range(1, 121)))))
    assert len(quotes) == 120
    assert [len(tokens_of(asked)) for asked in server.at("/clob/books")] == [100, 20]


def test_books_that_cannot_be_read_are_an_error(server: Services) -> None:
    server.holds(gamma("1"), gamma("2"))
    server.has_books(book("1", bids=None), book("2", bids=None))
    assert failure(Desk(server).venue.quotes(of("1", "2"))).code == "venue.format"


# statuses


def rulings(*rows: Row) -> object:
    def answer(asked: Asked) -> object:
        named = (asked.one("condition_id") or "").split(",")
        found = [row for row in rows if row["condition_id"] in named]
        return {"data": found, "pagination": {"has_more": False, "next_cursor": None}}

    return answer


def test_the_data_api_is_asked_about_what_ends_and_nobody_about_what_is_open(
    server: Services,
) -> None:
    server.holds(gamma("1"), closed("2"), gamma("3", umaResolutionStatus="proposed"))
    server.said["/data/v2/resolutions"] = rulings(resolution("2"))
    statuses = run(Desk(server).venue.statuses(of("1", "2", "3")))
    states = [statuses[one].state for one in of("1", "2", "3")]
    assert states == [State.OPEN, State.RESOLVED, State.PROPOSED]
    (asked,) = server.at("/data/v2/resolutions")
    assert set((asked.one("condition_id") or "").split(",")) == {
        condition_of("2"),
        condition_of("3"),
    }
    assert all(status.unconfirmed for status in statuses.values())


def test_at_most_20_resolutions_are_asked_for_at_once(server: Services) -> None:
    own = [str(n) for n in range(1, 46)]
    server.holds(*(closed(one) for one in own))
    server.said["/data/v2/resolutions"] = rulings(*(resolution(one) for one in own))
    statuses = run(Desk(server).venue.statuses(of(*own)))
    assert {status.state for status in statuses.values()} == {State.RESOLVED}
    asked = server.at("/data/v2/resolutions")
    assert [len((one.one("condition_id") or "").split(",")) for one in asked] == [20, 20, 5]


def test_the_clob_confirms_where_the_data_api_has_no_row(server: Services) -> None:
    server.holds(closed("1"), closed("2"))
    server.said["/data/v2/resolutions"] = NOT_FOUND
    server.said[f"/clob/markets/{condition_of('1')}"] = clob_market("1")
    statuses = run(Desk(server).venue.statuses(of("1", "2")))
    assert statuses[ours("1")].state is State.RESOLVED
    assert statuses[ours("2")].state is State.CLOSED_PENDING


def test_a_single_row_that_cannot_be_read_settles_nothing_and_stops_nothing(
    server: Services,
) -> None:
    spoken = {"umaResolutionStatus": "resolved"}
    server.holds(
        {**closed("1"), **spoken}, {**closed("2"), **spoken}, {**closed("3"), **spoken}
    )
    server.said["/data/v2/resolutions"] = rulings(
        resolution("1"), resolution("2", payouts=[1]), resolution("3")
    )
    statuses = run(Desk(server).venue.statuses(of("1", "2", "3")))
    states = [statuses[one].state for one in of("1", "2", "3")]
    assert states == [State.RESOLVED, State.CLOSED_PENDING, State.RESOLVED]


@pytest.mark.parametrize("said", [{"error": "x"}, [resolution("1", status=7)] * 2])
def test_resolutions_of_another_shape_are_an_error(server: Services, said: object) -> None:
    server.holds(closed("1"))
    server.said["/data/v2/resolutions"] = said
    assert failure(Desk(server).venue.statuses(of("1"))).code == "venue.format"


def test_a_service_that_cannot_be_read_is_an_error(server: Services) -> None:
    server.holds(closed("1"))
    server.said["/data/v2/resolutions"] = refuses(500)
    assert failure(Desk(server).venue.statuses(of("1"))).code == "venue.silent"


# details


def test_details_ask_the_clob_only_for_a_fee_that_gamma_does_not_state(
    server: Services,
) -> None:
    silent = [without(gamma(n), "feesEnabled", "feeSchedule") for n in ("2", "3", "4", "6")]
    server.holds(gamma("1"), *silent, gamma("5", feeSchedule=None))
    server.said |= {
        f"/clob/clob-markets/{condition_of('2')}": terms("2", fd={"r": 0.07, "e": 1}),
        f"/clob/clob-markets/{condition_of('3')}": terms("3", tbf=0),
        f"/clob/clob-markets/{condition_of('6')}": terms("6"),
        f"/clob/clob-markets/{condition_of('5')}": terms("5"),
    }
    venue = Desk(server).venue
    listed = run(venue.catalogue()).markets
    found = run(venue.details(listed))
    assert [(market.id, market.fee.kind) for market in found] == [
        (ours("1"), FeeKind.QUADRATIC),
        (ours("2"), FeeKind.QUADRATIC),
        (ours("3"), FeeKind.NONE),
        (ours("6"), FeeKind.UNKNOWN),
        (ours("5"), FeeKind.UNKNOWN),
    ]
    assert found[1].fee.rate == Decimal("0.07")
    assert server.at(f"/clob/clob-markets/{condition_of('1')}") == []


@pytest.mark.parametrize(
    "changes",
    [{"ao": False}, {"t": [{"t": "1", "o": "Yes"}, {"t": "2", "o": "No"}]}, {"c": "?"}],
)
def test_a_market_whose_terms_do_not_fit_is_not_offered(server: Services, changes: Row) -> None:
    server.holds(without(gamma("1"), "feesEnabled", "feeSchedule"))
    venue = Desk(server).venue
    listed = run(venue.catalogue()).markets
    server.said[f"/clob/clob-markets/{condition_of('1')}"] = terms("1", **changes)
    if "c" in changes:
        assert failure(venue.details(listed)).code == "venue.format"
    else:
        assert run(venue.details(listed)) == ()


def test_a_market_that_has_closed_since_it_was_listed_is_not_offered(server: Services) -> None:
    server.holds(gamma("1"), gamma("2"))
    venue = Desk(server).venue
    listed = run(venue.catalogue()).markets
    server.holds(closed("1"), gamma("2"))
    assert [market.id for market in run(venue.details(listed))] == of("2")


# history


def told(asked: Asked, *, every: timedelta = 6 * HOUR) -> list[Row]:
    start, end = (int(asked.one(name) or "0") for name in ("startTs", "endTs"))
    step = int(every.total_seconds())
    return [{"t": t, "p": 0.25} for t in range(-(-start // step) * step, end + 1, step)]


def test_history_is_asked_for_in_windows_and_told_once(server: Services) -> None:
    server.holds(gamma("1", outcomes='["No", "Yes"]'))
    server.said["/clob/prices-history"] = lambda asked: {"history": told(asked)}
    since, until = NOW - 40 * DAY, NOW
    found = run(Desk(server).venue.history(ours("1"), since, until))
    asked = server.at("/clob/prices-history")
    assert len(asked) == 3
    assert {one.one("market") for one in asked} == {no_of("1")}
    assert [point.at for point in found] == [since + 6 * HOUR * n for n in range(161)]


def test_what_the_clob_has_forgotten_the_data_api_may_know(server: Services) -> None:
    server.holds(closed("1"))
    server.said["/clob/prices-history"] = {"history": []}
    at = int((NOW - HOUR).timestamp())
    server.said["/data/v2/prices-history"] = {"data": [{"timestamp": at, "price": 0.3}]}
    (point,) = run(Desk(server).venue.history(ours("1"), NOW - DAY, NOW))
    assert (point.at, point.price) == (NOW - HOUR, Decimal("0.3"))
    (asked,) = server.at("/data/v2/prices-history")
    assert asked.one("token_id") == yes_of("1")


def test_history_ends_now(server: Services) -> None:
    server.holds(gamma("1"))
    late = int((NOW + DAY).timestamp())
    server.said["/clob/prices-history"] = {"history": [{"t": late, "p": 0.3}]}
    assert run(Desk(server).venue.history(ours("1"), NOW - DAY, NOW + 9 * DAY)) == ()
    assert server.asked[-1].one("endTs") == str(int(NOW.timestamp()))


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


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_error_says_is_told(kind: str) -> None:
    read = KINDS[kind]({"type": "internal error", "error": "it rains in"}, ORIGIN)
    assert not read.rows
    assert [left.malformed for left in read.left_out] == [True]
    assert "it rains in" in read.left_out[0].why
