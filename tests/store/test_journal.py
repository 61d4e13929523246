from dataclasses import replace
from datetime import timedelta, timezone

import pytest

from arena.ledger.journal import fund, reverse, settle
from arena.ledger.positions import LedgerError
from arena.records.decision import BetId, Forecast
from arena.records.market import YES_WINS, Side
from arena.records.money import Shares, price, shares, usd
from arena.records.trade import KINDS, Entry, Resolved, RoundOpened, SoldFill, Turn
from arena.steps.play import opening
from arena.store import Store
from arena.store.journal.entries import chain
from arena.store.journal.pieces import GENESIS
from tests.build import ADA, BEN, COHORT, RAIN, SNOW, T0, spec
from tests.present import present
from tests.stage import Game
from tests.store.test_board import fill

FUNDED = fund(COHORT, ADA, usd(10000), T0)
WORTH = (shares(1), price("0.5"), usd("0.5"), usd("0.5"), usd(0))
SELLS_NOTHING = SoldFill(BetId("c/1/ada/1"), 1, RAIN, Side.YES, *WORTH)


def test_an_empty_journal_has_the_first_digest_of_all(store: Store) -> None:
    assert store.journal.head() == GENESIS


def test_writing_an_entry_again_leaves_the_journal_as_it_was(store: Store) -> None:
    assert store.journal.append([FUNDED, FUNDED]) == 1
    before = store.journal.head(), store.books.purse(COHORT, ADA)
    assert store.journal.append([FUNDED]) == 0
    assert (store.journal.head(), store.books.purse(COHORT, ADA)) == before


def test_an_entry_that_was_never_written_is_not_there(store: Store) -> None:
    store.journal.append([FUNDED])
    assert store.journal.has(FUNDED.id)
    assert not store.journal.has("fund:nobody")
    assert store.journal.entry("fund:nobody") is None


def test_entries_are_kept_in_the_order_they_were_written(store: Store) -> None:
    entries = [*opening(spec(), T0), fund(COHORT, BEN, usd(1), T0)]
    store.journal.append(entries)
    assert [(n, e.id) for n, _, e in store.journal.entries()] == [
        (n, e.id) for n, e in enumerate(entries, 1)
    ]


def test_of_entries_that_go_together_all_are_written_or_none(store: Store) -> None:
    broken = Entry("sell:1", T0, SELLS_NOTHING, COHORT, ADA)
    with pytest.raises(LedgerError):
        store.journal.append([FUNDED, broken])
    assert store.journal.head() == GENESIS
    with pytest.raises(KeyError):
        store.books.purse(COHORT, ADA)


def test_the_order_of_entries_is_part_of_the_digest() -> None:
    other = fund(COHORT, BEN, usd(1), T0)
    one_way = chain(chain(GENESIS, FUNDED), other)
    assert one_way != chain(chain(GENESIS, other), FUNDED)


def test_the_zone_that_a_moment_is_told_in_is_no_part_of_the_digest() -> None:
    elsewhere = FUNDED.at.astimezone(timezone(timedelta(hours=-9)))
    assert chain(GENESIS, replace(FUNDED, at=elsewhere)) == chain(GENESIS, FUNDED)


def test_an_amount_that_was_changed_breaks_the_chain(store: Store) -> None:
    store.journal.append([FUNDED])
    store.db.run("UPDATE journal_lines SET head = replace(head, '10000', '20000')")
    ((_, digest, changed),) = store.journal.entries()
    assert chain(GENESIS, changed) != digest


def test_hostile_text_comes_back_letter_by_letter(store: Store) -> None:
    hostile = "a'b\"c\n\x00\u202e\N{PILE OF POO}"
    entry = Entry("x:" + hostile, T0, Turn(1, None, (), (), 0, hostile), COHORT, ADA)
    store.journal.append([FUNDED, entry])
    assert store.journal.entry(entry.id) == entry


def test_forecasts_come_back_in_the_order_they_were_said(store: Store) -> None:
    said = (Forecast(SNOW, 0.25), Forecast(RAIN, 1.0))
    entry = Entry("turn:1", T0, Turn(1, None, said, (), 0), COHORT, ADA)
    store.journal.append([FUNDED, entry])
    assert store.journal.entry("turn:1") == entry


def test_an_entry_without_a_contestant_comes_back_without_one(store: Store) -> None:
    entries = opening(spec(COHORT), T0)
    laid_out = Entry("round:1", T0, RoundOpened(1, (), "0"), COHORT)
    store.journal.append([*entries, laid_out])
    assert store.journal.entry("round:1") == laid_out


def test_every_kind_of_event_is_kept(game: Game) -> None:
    rows = game.store.db.rows("SELECT DISTINCT kind FROM journal_entries")
    of_an_operator = {"restored", "adapter set"}
    assert {row["kind"] for row in rows} == set(KINDS) - of_an_operator


def test_a_played_journal_is_chained_from_its_first_entry_to_its_last(game: Game) -> None:
    digest = GENESIS
    for _, kept, entry in game.store.journal.entries():
        digest = chain(digest, entry)
        assert kept == digest, entry.id
    assert digest == game.store.journal.head()


def test_a_journal_that_was_read_writes_the_same_books(game: Game, store: Store) -> None:
    for table in ("tape_quotes", "tape_answers"):  # marks and costs are read from the tape
        for row in game.store.db.rows(f"SELECT * FROM {table}"):  # noqa: S608
            holes = ", ".join("?" * len(tuple(row)))
            store.db.run(f"INSERT INTO {table} VALUES ({holes})", *row)  # noqa: S608
    for entry in game.entries:
        store.journal.append([entry])
    assert store.journal.head() == game.store.journal.head()
    for table in ("seats", "totals", "positions", "fills", "marks", "resolutions"):
        sql = f"SELECT * FROM {table}"  # noqa: S608
        kept = [tuple(row) for row in game.store.db.rows(sql)]
        assert [tuple(row) for row in store.db.rows(sql)] == kept, table


def test_shares_are_kept_with_their_postings(game: Game) -> None:
    fill = present(game.store.journal.entry("fill:c/1/ada/1"))
    assert sum(p.shares for p in fill.postings) == Shares(shares(1000))


def touched(store: Store) -> int:
    """The newest entry that changed what is shown of the cohort; 0 for none."""
    of_cohorts = "SELECT coalesce(max(entry), 0) FROM touched WHERE kind = 'cohort'"
    return int(store.db.value(of_cohorts))


def test_a_settlement_and_its_reversal_change_what_is_shown_of_a_cohort(store: Store) -> None:
    store.journal.append(opening(spec(str(COHORT)), T0))
    ruled = Entry("resolve:rain:1", T0, Resolved(RAIN, 1, YES_WINS))
    store.journal.append([fill(COHORT, 1, 0.1), ruled])
    (held,) = store.books.held_by(COHORT, ADA)
    paid = settle(held, YES_WINS, 1, T0, owed=usd(0))
    before = touched(store)
    for entry in (paid, reverse(paid, 2, T0, cash=usd(20_000))):
        store.journal.append([entry])
        assert touched(store) == store.db.value("SELECT max(seq) FROM journal_entries") > before
        before = touched(store)
