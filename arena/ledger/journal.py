"""From events to balanced entries: the only module that writes postings."""

from datetime import datetime

from arena.records.cohort import CohortId, ContestantId
from arena.records.market import Outcome
from arena.records.money import Shares, Usd, usd
from arena.records.trade import (
    Account,
    Book,
    Entry,
    Fill,
    Funded,
    Position,
    Posting,
    Reversed,
    Settled,
    SoldFill,
)


def fund(cohort: CohortId, contestant: ContestantId, amount: Usd, at: datetime) -> Entry:
    """Give a contestant its opening cash."""
    return Entry(
        id=f"fund:{cohort}:{contestant}",
        at=at,
        event=Funded(amount),
        cohort=cohort,
        contestant=contestant,
        postings=(
            Posting(Account(Book.CASH), amount),
            Posting(Account(Book.CAPITAL), Usd(-amount)),
        ),
    )


def book_fill(fill: Fill, cohort: CohortId, contestant: ContestantId, at: datetime) -> Entry:
    """Turn cash into shares at cost, and charge the fee."""
    held = Account(Book.POSITION, fill.market, fill.side)
    return Entry(
        id=f"fill:{fill.bet}",
        at=at,
        event=fill,
        cohort=cohort,
        contestant=contestant,
        postings=(
            Posting(Account(Book.CASH), Usd(-fill.cost - fill.fee)),
            Posting(held, fill.cost, fill.shares),
            *_unless_zero(Book.FEES, fill.fee),
        ),
    )


def book_sale(
    sale: SoldFill, cohort: CohortId, contestant: ContestantId, at: datetime, *, owed: Usd
) -> Entry:
    """Turn shares back into cash; what they brought above their cost is profit.

    `owed` is what the contestant owes before the sale; proceeds repay it first.
    """
    held = Account(Book.POSITION, sale.market, sale.side)
    return Entry(
        id=f"sell:{sale.bet}",
        at=at,
        event=sale,
        cohort=cohort,
        contestant=contestant,
        postings=(
            *_paid_in(Usd(sale.proceeds - sale.fee), owed),
            Posting(held, Usd(-sale.basis), Shares(-sale.shares)),
            *_unless_zero(Book.FEES, sale.fee),
            *_unless_zero(Book.PROFIT, Usd(sale.basis - sale.proceeds)),
        ),
    )


def payout(position: Position, outcome: Outcome) -> Usd:
    """Dollars that a position is paid: a share's worth each, or its cost back if VOID."""
    pays = outcome.pays(position.side)
    return position.cost if pays is None else usd(position.shares * pays)


def settle(
    position: Position, outcome: Outcome, revision: int, at: datetime, *, owed: Usd
) -> Entry:
    """Close a position on its market's outcome; a payout repays what is owed first."""
    paid = payout(position, outcome)
    claim = (position.market, position.side)
    held = Account(Book.POSITION, *claim)
    return Entry(
        id=f"settle:{position.cohort}:{position.contestant}:{':'.join(claim)}:{revision}",
        at=at,
        event=Settled(*claim, revision, position.shares, position.cost, paid, outcome),
        cohort=position.cohort,
        contestant=position.contestant,
        postings=(
            *_paid_in(paid, owed),
            Posting(held, Usd(-position.cost), Shares(-position.shares)),
            *_unless_zero(Book.PROFIT, Usd(position.cost - paid)),
        ),
    )


def reverse(settled: Entry, revision: int, at: datetime, *, cash: Usd) -> Entry:
    """Take a settlement back, because its venue changed its mind.

    The payout leaves cash as far as it reaches; what has been spent already is owed.

    Raises:
        TypeError: The entry is not a settlement.
    """
    event = settled.event
    if not isinstance(event, Settled) or not settled.cohort or not settled.contestant:
        raise TypeError(f"{settled.id} is not a settlement")
    back = Usd(min(cash, event.payout))
    claim = (event.market, event.side)
    held = Account(Book.POSITION, *claim)
    return Entry(
        id=f"reverse:{settled.cohort}:{settled.contestant}:{':'.join(claim)}:{revision}",
        at=at,
        event=Reversed(*claim, revision, event.shares, event.cost, event.payout),
        cohort=settled.cohort,
        contestant=settled.contestant,
        postings=(
            Posting(Account(Book.CASH), Usd(-back)),
            *_unless_zero(Book.OWED, Usd(back - event.payout)),
            Posting(held, event.cost, event.shares),
            *_unless_zero(Book.PROFIT, Usd(event.payout - event.cost)),
        ),
    )


def _paid_in(amount: Usd, owed: Usd) -> tuple[Posting, ...]:
    """Dollars that come in, what is owed first."""
    repaid = Usd(min(amount, owed))
    return (Posting(Account(Book.CASH), Usd(amount - repaid)), *_unless_zero(Book.OWED, repaid))


def _unless_zero(book: Book, amount: Usd) -> tuple[Posting, ...]:
    return (Posting(Account(book), amount),) if amount else ()
