"""What is asked, over real sockets, where a single answer is odd."""

from collections.abc import Iterator

import pytest

from arena.errors import ArenaError
from arena.http.reader import LONGEST_CURSOR
from arena.records.settings import VenueSettings
from arena.venues.polymarket.asking import PolymarketOptions, options_of
from tests.http.asking import failure
from tests.venues.polymarket.rows import GHOST, HERE, Row, book, gamma, yes_of
from tests.venues.polymarket.server import LIST, Desk, Services, of, refuses
from tests.venues.scripted import run


@pytest.fixture
def server() -> Iterator[Services]:
    with Services() as running:
        yield running


def test_a_market_that_is_not_the_one_that_was_asked_for_is_not_believed(
    server: Services,
) -> None:
    server.holds(gamma("2"))
    server.said["/gamma/markets/1"] = gamma("2")
    told = failure(Desk(server).venue.statuses(of("1", "2")))
    assert (told.code, "not asked for" in told.message) == ("venue.format", True)


def test_a_cursor_too_long_to_send_back_is_an_error_of_format(server: Services) -> None:
    server.said[LIST] = {"markets": [gamma()], "next_cursor": "%" * 3_999}
    assert failure(Desk(server).venue.catalogue()).code == "venue.format"


def test_the_longest_cursor_still_fits_into_an_address(server: Services) -> None:
    first: Row = {"markets": [gamma("1")], "next_cursor": "%" * LONGEST_CURSOR}
    second: Row = {"markets": [gamma("2")]}
    server.said[LIST] = lambda asked: second if asked.one("after_cursor") else first
    assert len(run(Desk(server).venue.catalogue()).markets) == 2


@pytest.mark.parametrize("status", [500, 422])
def test_a_single_market_on_which_the_server_fails_stops_no_other(
    server: Services, status: int
) -> None:
    server.holds(gamma("1"))
    server.said["/gamma/markets/2"] = refuses(status, "cannot get the information")
    assert set(run(Desk(server).venue.statuses(of("1", "2")))) == set(of("1"))
    server.said["/gamma/markets/3"] = refuses(status)
    code = failure(Desk(server).venue.statuses(of("1", "2", "3"))).code
    assert code == ("venue.silent" if status == 500 else "venue.refused")


def test_a_single_held_market_that_cannot_be_read_stops_nothing(server: Services) -> None:
    server.holds(gamma("1", question=""))
    assert run(Desk(server).venue.statuses(of("1"))) == {}
    server.holds(*(gamma(own, question="") for own in ("1", "2")))
    assert failure(Desk(server).venue.statuses(of("1", "2"))).code == "venue.format"


def test_an_id_that_gamma_would_not_write_is_not_asked_for(server: Services) -> None:
    server.holds(gamma("7"))
    assert run(Desk(server).venue.statuses(of("007", "+7", "7.0"))) == {}
    assert server.asked == []


def test_a_single_book_that_cannot_be_read_is_no_quote(server: Services) -> None:
    server.holds(gamma("1"))
    server.has_books(book("1", bids=[{"price": "1.5", "size": "3"}]))
    assert run(Desk(server).venue.quotes(of("1"))) == {}


def test_a_midpoint_that_is_null_is_asked_for_singly(server: Services) -> None:
    server.holds(gamma("1", bestBid=0.01, bestAsk=0.99))
    server.has_books(book("1", **GHOST))
    server.said["/clob/midpoints"] = {yes_of("1"): None}
    server.said["/clob/midpoint"] = {"mid": "0.5"}
    assert set(run(Desk(server).venue.quotes(of("1")))) == set(of("1"))


def options(**given: object) -> PolymarketOptions:
    return options_of(VenueSettings(HERE, "polymarket", tuple(given.items())))


def test_without_options_the_venue_itself_is_asked() -> None:
    assert options() == PolymarketOptions()
    assert options().gamma == "https://gamma-api.polymarket.com"


def test_an_option_that_is_given_counts() -> None:
    assert options(pages=3, order="volumeNum").pages == 3


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gamma", "gamma-api.polymarket.com"),
        ("clob", "https://"),
        ("data", "https://[::1"),
        ("clob", "https://clob.polymarket.com?x=1"),
        ("clob", "https://me:secret@clob.polymarket.com"),
        ("clob", "https://:secret@clob.polymarket.com"),
        ("clob", "https://clob.polymarket.com:99999"),
        ("clob", "https://clob.polymarket.com:port"),
        ("clob", "https://clob.polymarket.com/\x7f"),
        ("clob", f"https://clob.polymarket.com/{'a' * 200}"),
        ("order", "volume"),
        ("order", ["volumeNum"]),
        ("pages", 0),
        ("pages", True),
        ("pages", 2.0),
        ("per_second", 0),
        ("per_second", float("nan")),
        ("per_second", "4"),
        ("volume_num_min", -1),
        ("volume_num_min", 10**400),
        ("liquidity_num_min", float("inf")),
        ("closes_within_days", 0),
        ("depth", 0),
        ("seed", 1),
    ],
)
def test_a_wrong_option_is_an_error_of_configuration(name: str, value: object) -> None:
    with pytest.raises(ArenaError) as caught:
        options(**{name: value})
    assert (caught.value.code, caught.value.status) == ("venue.option", 2)
    assert name in caught.value.message
    assert "closes_within_days" in caught.value.hint
