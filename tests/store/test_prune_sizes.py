from arena.records.answer import Payload
from arena.records.market import VenueId
from arena.store import Store
from arena.store.tape.prune import Size, sizes
from tests.build import HERE, RAIN, SNOW, at, market, quote


def of(store: Store, table: str) -> list[Size]:
    return [size for size in sizes(store.db).tables if size.table == f"tape_{table}"]


def keep(store: Store, venue: str, body: bytes) -> None:
    store.payloads.keep(Payload(VenueId(venue), at(0), "GET", "https://a", 200, body))


def test_an_empty_tape_has_no_quote_to_weigh(store: Store) -> None:
    found = sizes(store.db)
    assert (found.quote, found.readings, found.answers) == (None, 0, 0)
    assert {size.rows for size in found.tables} == {0}


def test_rows_are_counted_by_venue(store: Store) -> None:
    store.tape.record_poll(HERE, at(0))
    store.tape.record_markets([market(RAIN), market(SNOW)], at(0))
    for hours in range(3):
        store.tape.record_quotes([quote(hours=hours), quote(name=SNOW)], at(hours))
    assert [(s.venue, s.rows) for s in of(store, "quotes")] == [("here", 2)]
    assert [(s.venue, s.rows) for s in of(store, "repeats")] == [("here", 2)]
    assert sizes(store.db).readings == 4


def test_bytes_are_divided_as_what_rows_hold(store: Store) -> None:
    keep(store, "here", bytes(range(256)) * 4)
    keep(store, "there", bytes(reversed(range(256))) * 40)
    here, there = of(store, "bodies")
    assert (here.venue, there.venue) == ("here", "there")
    assert 0 < here.bytes < there.bytes
    assert sizes(store.db).answers == 44 * 256


def test_all_tables_together_are_no_larger_than_the_file(store: Store) -> None:
    keep(store, "here", b"x" * 10_000)
    found = sizes(store.db)
    assert 0 < sum(size.bytes for size in found.tables) <= found.file
