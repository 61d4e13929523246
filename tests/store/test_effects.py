from arena.ledger.journal import reverse, settle
from arena.records.market import YES_WINS
from arena.records.money import usd
from arena.records.trade import Entry, Resolved
from arena.steps.play import opening
from arena.store import Store
from tests.build import ADA, COHORT, RAIN, T0, spec
from tests.store.test_board import fill


def touched(store: Store) -> int:
    """The newest entry that changed what is shown of the cohort; 0 for none."""
    of_cohorts = "SELECT coalesce(max(entry), 0) FROM touched WHERE kind = 'cohort'"
    return int(store.db.value(of_cohorts))


def test_a_settlement_and_its_reversal_change_what_is_shown_of_a_cohort(store: Store) -> None:
    store.journal.append(opening(spec(str(COHORT)), T0))
    store.journal.append(
        [fill(COHORT, 1, 0.1), Entry("resolve:rain:1", T0, Resolved(RAIN, 1, YES_WINS))]
    )
    (held,) = store.books.held_by(COHORT, ADA)
    paid = settle(held, YES_WINS, 1, T0, owed=usd(0))
    before = touched(store)
    for entry in (paid, reverse(paid, 2, T0, cash=usd(20_000))):
        store.journal.append([entry])
        assert touched(store) == store.db.value("SELECT max(seq) FROM journal_entries") > before
        before = touched(store)
