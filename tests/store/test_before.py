from collections.abc import Iterator

import pytest

from arena.records.cohort import CohortId
from arena.records.money import usd
from arena.steps.verify import before
from arena.store import Store
from tests.build import ADA, COHORT, RAIN
from tests.stage import Game, eventful

MINE = CohortId(COHORT)


@pytest.fixture(scope="module")
def game() -> Iterator[Game]:
    with eventful() as played:
        yield played


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
