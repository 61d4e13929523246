"""One seat's books as they were before an entry of the journal was written."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from arena.ledger.positions import all_positions, balances
from arena.records.cohort import CohortId, ContestantId
from arena.records.money import ZERO_USD, Usd
from arena.records.trade import Book, Entry, Position, PositionState
from arena.store import Store
from arena.store.journal.books import SeatPurse, SqliteBooks
from arena.store.journal.entries import SqliteJournal


@dataclass(frozen=True, slots=True)
class BooksBefore(SqliteBooks):
    """The books of a file, those of one seat folded from its own early entries."""

    past: tuple[Entry, ...] = ()

    def purse(self, cohort: CohortId, contestant: ContestantId) -> SeatPurse:
        """The seat's cash and debts as they were."""
        past_balances, seat = balances(self.past), (cohort, contestant)
        owed = -past_balances.get((seat, Book.OWED), ZERO_USD)
        return SeatPurse(Usd(past_balances.get((seat, Book.CASH), ZERO_USD)), Usd(owed))

    def held_by(self, cohort: CohortId, contestant: ContestantId) -> Sequence[Position]:
        """The seat's open positions as they were, by market and side."""
        mine = [
            p
            for p in all_positions(self.past)
            if (p.cohort, p.contestant, p.state) == (cohort, contestant, PositionState.OPEN)
        ]
        return sorted(mine, key=lambda p: (p.market, p.side))


@dataclass(frozen=True, slots=True)
class JournalBefore(SqliteJournal):
    """The journal of a file up to before an entry."""

    past: tuple[Entry, ...] = ()

    def after(
        self, entry_id: str, cohort: CohortId, contestant: ContestantId
    ) -> Sequence[Entry]:
        """Read what was written about the seat after an entry, newest first."""
        later = {entry.id for entry in SqliteJournal.after(self, entry_id, cohort, contestant)}
        return [entry for entry in reversed(self.past) if entry.id in later]


def before(store: Store, seq: int, cohort: CohortId, contestant: ContestantId) -> Store:
    """Give a store in which a seat is as it was before entry `seq`; all else is as it is.

    What it reads of the tape must be asked for a moment of then.
    """
    past = tuple(
        entry
        for row in store.db.rows(
            "SELECT id FROM journal_entries WHERE cohort = ? AND contestant = ? AND seq < ? "
            "ORDER BY seq",
            cohort,
            contestant,
            seq,
        )
        if (entry := store.journal.entry(row["id"]))
    )
    return replace(
        store,
        books=BooksBefore(store.db, past),
        journal=JournalBefore(store.db, past),
    )
