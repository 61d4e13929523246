"""How much of a contestant's past is read, and how."""

from arena.records.cohort import CohortId, ContestantId
from arena.records.decision import Forecast
from arena.records.market import MarketId
from arena.records.money import usd
from arena.records.trade import Entry, Turn
from arena.steps.verify import before
from arena.store import Store
from arena.store.codec import moment
from arena.store.journal.books import TURNS
from tests.build import ADA, BEN, COHORT, RAIN, at
from tests.plans import listening, plans
from tests.stage import Game


def write_turns(store: Store, who: ContestantId, count: int, start: int = 1) -> None:
    """Write turns with one forecast of a market of their own, each of which came out YES."""
    with store.write():
        for n in range(start, start + count):
            write_turn(store, who, n, Forecast(MarketId(f"m{n}"), 0.5))
            store.db.run(
                "INSERT INTO resolutions VALUES (?, 1, ?, 0, 1000000)", f"m{n}", moment(at(n))
            )


def write_turn(store: Store, who: ContestantId, n: int, *forecasts: Forecast) -> None:
    turn = Turn(n, None, forecasts, (), 0)
    store.journal.append([Entry(f"turn:{n}", at(n), turn, COHORT, who)])


def test_the_last_turns_are_read_and_no_more(store: Store) -> None:
    write_turns(store, ADA, TURNS + 3)
    assert len(store.books.graded(ADA, at(10**4))) == TURNS
    assert len(store.books.graded(ADA, at(3))) == 0
    assert len(store.books.graded(ADA, at(4))) == 1


def test_others_turns_do_not_push_out_ones_own(store: Store) -> None:
    write_turns(store, ADA, 2)
    write_turns(store, BEN, TURNS, start=3)
    assert len(store.books.graded(ADA, at(10**4))) == 2


def test_a_market_that_was_first_said_something_of_before_counts_as_it_is_seen(
    store: Store,
) -> None:
    """Its first forecast among the turns that are read, not of all time."""
    later = TURNS + 1
    write_turns(store, ADA, 1)
    again = Forecast(MarketId("m1"), 0.9)
    write_turn(store, ADA, 2, again)
    write_turns(store, ADA, TURNS - 2, start=3)
    assert store.books.graded(ADA, at(10**4))[0] == (0.5, 1.0)
    write_turns(store, ADA, 1, start=later)
    assert store.books.graded(ADA, at(10**4))[0] == (0.9, 1.0)


def test_the_past_is_found_by_its_index_and_nothing_is_read_through(store: Store) -> None:
    write_turns(store, ADA, 3)
    with listening(store) as said:
        store.books.graded(ADA, at(9))
    steps = [detail for detail, _ in plans(store, said)]
    assert any("journal_turns_by_contestant" in step for step in steps)
    tables = ("entry_index", "forecast_index", "resolutions", "ruled")
    assert not [step for step in steps if step.startswith("SCAN") and step.endswith(tables)]


def test_a_base_rate_looks_at_the_newest_markets_alone(store: Store) -> None:
    with listening(store) as said:
        store.books.base_rate(at(9), "", "")
    steps = [detail for detail, _ in plans(store, said)]
    assert any("watched_by_end" in step for step in steps)
    tables = ("watched", "resolutions", "ruled", "tape_markets", "told")
    assert not [step for step in steps if step.startswith("SCAN") and step.endswith(tables)]


MINE = CohortId(COHORT)


def first(game: Game, kind: str) -> int:
    sql = "SELECT min(seq) FROM journal_entries WHERE kind = ? AND contestant = ?"
    return int(game.store.db.value(sql, kind, ADA))


def past(game: Game, kind: str) -> Store:
    return before(game.store, first(game, kind), MINE, ADA)


def test_before_its_first_bet_a_seat_has_its_capital_and_holds_nothing(game: Game) -> None:
    books = past(game, "fill").books
    assert books.purse(MINE, ADA).cash == usd(10_000) != game.store.books.purse(MINE, ADA).cash
    assert books.held_by(MINE, ADA) == []


def test_before_its_first_sale_it_holds_what_it_bought(game: Game) -> None:
    held = past(game, "sale").books.held_by(MINE, ADA)
    assert [(p.market, p.cost) for p in held if p.market == RAIN] == [(RAIN, usd(500))]
    assert len(held) == 2


def test_after_the_last_entry_it_is_as_the_books_have_it(game: Game) -> None:
    newest = int(game.store.db.value("SELECT max(seq) FROM journal_entries"))
    found = before(game.store, newest + 1, MINE, ADA).books
    assert found.purse(MINE, ADA) == game.store.books.purse(MINE, ADA)
    assert found.held_by(MINE, ADA) == game.store.books.held_by(MINE, ADA)


def test_the_journal_knows_nothing_of_what_comes_later(game: Game) -> None:
    then = past(game, "sale").journal.after(f"fund:{COHORT}:{ADA}", MINE, ADA)
    now = game.store.journal.after(f"fund:{COHORT}:{ADA}", MINE, ADA)
    assert 0 < len(then) < len(now)
    assert list(then) == list(now)[len(now) - len(then) :]
