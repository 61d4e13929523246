"""The page on the ledger says what the ledger does."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from enum import Enum

from arena.records.cohort import Rules
from arena.records.decision import Refusal
from arena.records.market import NO_WINS, VOIDED, YES_WINS, FeeKind, FeeModel, Side
from arena.records.money import usd
from arena.records.trade import Book, Entry, PositionState
from arena.store import open_store
from arena.store.audit import audit
from tests.build import SNOW, Books, bet, deciding, quote, sale
from tests.docs.pages import bare, page, tables
from tests.present import some

PAGE = page("docs/ledger.md")
OF_MONEY = 7  # laws, which an audit checks first
FEE = FeeModel(FeeKind.QUADRATIC, Decimal("0.04"))

Row = Mapping[str, str]


def table(section: str, which: int = 0) -> list[Row]:
    """A table of a section, each row by the names of its columns."""
    head, *rows = tables(PAGE.section(section))[which]
    return [dict(zip(head, map(bare, row), strict=True)) for row in rows]


def worked_example() -> Books:
    """Play what the page tells, with the ledger's own functions."""
    books = Books(Rules(capital=usd(1000), max_bet_fraction=Decimal(1)), FEE)
    books.decide(deciding(bet(400)), quote("0.38", "0.40"))
    books.decide(deciding(sale(25)), quote("0.50", "0.52"))
    books.settle(YES_WINS)
    books.decide(deciding(bet(1200, Side.NO, SNOW)), quote("0.40", "0.42", name=SNOW))
    books.take_back()
    books.decide(deciding(sale(10, Side.NO, SNOW)), quote("0.30", "0.32", name=SNOW))
    books.settle(NO_WINS, revision=2)
    books.settle(VOIDED, name=SNOW)
    return books


def amounts(row: Row) -> dict[Book, Decimal]:
    """The amounts of a row; a cell that is empty moves nothing."""
    return {book: Decimal(row[book] or "0") for book in Book}


def moved(entries: Sequence[Entry]) -> dict[Book, Decimal]:
    total = dict.fromkeys(Book, Decimal(0))
    for entry in entries:
        for posting in entry.postings:
            total[posting.account.book] += posting.amount
    return total


def test_the_accounts_are_those_of_the_ledger() -> None:
    told = [row["account"] for row in table("Accounts and postings")]
    assert sorted(told) == sorted(Book)


def test_every_entry_of_the_example_posts_what_the_page_says() -> None:
    *rows, _ = table("A worked example")
    entries = worked_example().entries
    assert [amounts(row) for row in rows] == [moved([entry]) for entry in entries]


def test_every_row_of_the_example_adds_up_to_nothing() -> None:
    assert {sum(amounts(row).values()) for row in table("A worked example")} == {0}


def test_the_sums_of_the_example_are_those_of_its_entries() -> None:
    *_, sums = table("A worked example")
    assert amounts(sums) == moved(worked_example().entries)


def test_the_example_ends_with_these_positions() -> None:
    told = [
        (r["market"], r["side"], r["state"], Decimal(r["proceeds"]), Decimal(r["realised"]))
        for r in table("A worked example", 1)
    ]
    found = worked_example().positions
    assert told == [(p.market, p.side, p.state, p.proceeds, p.realised) for p in found]


def test_the_example_names_the_dollars_that_it_talks_about() -> None:
    books = worked_example()
    prose = PAGE.section("A worked example")
    for amount in (books.cash, abs(books.realised), books.fees):
        assert f"{amount.normalize():f}" in prose
    assert books.cash == 1000 + books.realised - books.fees
    assert not books.owed


def test_a_rule_with_a_choice_explains_every_choice() -> None:
    rules = tables(page("docs/configuration.md").section("Cohort files"))[0]
    told = {key: " ".join(cells) for key, *cells in map(tuple, rules)}
    for name in some([f.name for f in fields(Rules)]):
        default = getattr(Rules(), name)
        if isinstance(default, Enum):
            row = told[f"`rules.{name}`"]
            assert all(f"`{choice.value}`" in row for choice in type(default))


def test_the_reasons_of_refusal_are_those_that_are_given() -> None:
    told = {row["name"]: row["reason"] for row in table("Reasons of refusal")}
    assert told == {refusal.name: refusal.value for refusal in Refusal}


def test_the_states_are_those_of_a_position() -> None:
    told = [row["state"] for row in table("What becomes of a position")]
    assert told == [state.value for state in PositionState]


def test_the_laws_of_money_are_those_that_an_audit_checks() -> None:
    lines = PAGE.section("The laws").splitlines()
    with open_store(None) as store:
        checked = [law for law, _ in audit(store.db).checked]
    told = [line.removeprefix("- ") for line in lines if line.startswith("- ")]
    assert told == checked[: len(told)]
    assert len(told) == OF_MONEY
