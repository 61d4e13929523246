from datetime import date

from arena.records.cohort import ContestantId, MarkRule
from arena.records.market import YES_WINS, Side
from arena.store.pages.seat_pages import Change, SqliteWorth
from tests.build import ADA, BEN, RAIN, T0, at, at_price, quote
from tests.present import some
from tests.stage import Game, Script, buys, started

FIRST = T0.date()
NEXT = date(2026, 1, 6)
BUYS: dict[ContestantId, Script] = {ADA: {1: buys((RAIN, Side.YES, 1000))}}


def test_worth_starts_with_the_capital_and_changes_with_each_day_s_last_mark() -> None:
    with started(BUYS) as game:
        for hours, price in ((20, "0.25"), (24, "0.75")):
            game.quote(at_price(price))
            game.tick(hours)
        found = SqliteWorth(game.store.db).changes(MarkRule.MID, at(24))
    assert found == [
        Change("ada", FIRST, 10_000_000_000, 0, 9_500_000_000, 0),
        Change("ada", NEXT, 0, 0, 1_000_000_000, 0),
    ]


def test_each_mark_has_its_own_price() -> None:
    with started(BUYS) as game:
        game.quote(quote("0.4", "0.6"))
        game.tick(24)
        read = SqliteWorth(game.store.db)
        last = {mark: read.changes(mark, at(24))[-1].worth for mark in MarkRule}
    assert last == {MarkRule.BID: -200_000_000, MarkRule.MID: 0}


def test_a_seat_with_a_position_without_a_price_is_counted() -> None:
    with started(BUYS) as game:
        game.quote(quote("0.4", None))
        game.tick(24 * 9)
        found = SqliteWorth(game.store.db).changes(MarkRule.MID, at(24 * 9))
    assert [change.unpriced for change in found] == [0, 1]


def test_what_was_realised_less_fees_is_what_the_books_say(game: Game) -> None:
    found = SqliteWorth(game.store.db).changes(MarkRule.BID, at(90))
    for line in some(game.store.boards.overall().standings):
        own = sum(one.realised for one in found if one.contestant == line.contestant)
        assert own == (line.realised - line.fees) * 1_000_000


def test_nothing_after_the_last_moment_is_read() -> None:
    with started(BUYS) as game:
        game.hear(RAIN, YES_WINS, 24)
        read = SqliteWorth(game.store.db)
        assert {change.day for change in read.changes(MarkRule.MID, at(1))} == {FIRST}
        assert sum(change.realised for change in read.changes(MarkRule.BID, at(1))) == 0
        assert sum(change.realised for change in read.changes(MarkRule.BID, at(24))) == 10**9


def test_marks_after_the_last_moment_of_its_day_do_not_count() -> None:
    with started(BUYS) as game:
        before = SqliteWorth(game.store.db).changes(MarkRule.MID, at(0))
        game.quote(at_price("0.25"))
        game.tick(20)
        read = SqliteWorth(game.store.db)
        assert read.changes(MarkRule.MID, at(0)) == before
        assert read.changes(MarkRule.MID, at(20)) != before


def test_latencies_are_in_seconds() -> None:
    with started({ADA: {}, BEN: {}}) as game:
        game.store.db.run("UPDATE tape_answers SET latency_ms = 1500 WHERE contestant = 'ada'")
        assert SqliteWorth(game.store.db).latencies()["ada"].tolist() == [1.5]
