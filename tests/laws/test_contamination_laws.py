"""What was known by a cut-off is counted, and nothing else is."""

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arena.metrics.insights.leaks import memory_of
from arena.scoring.table import STATES, Memory, MemoryLedger, outcomes_known
from tests.metrics.board import START, board

DAY = np.timedelta64(1, "D")
NAT = np.datetime64("NaT", "us")


@dataclass(frozen=True, slots=True)
class Row:
    """A forecast with days since the start; None is not known."""

    asked: int
    lasts: int
    cutoff: int | None
    modelled: bool

    @property
    def memory(self) -> Memory:
        if not self.modelled:
            return Memory.NONE
        if self.cutoff is None:
            return Memory.UNKNOWN
        if self.asked + self.lasts <= self.cutoff:
            return Memory.REMEMBERED
        return Memory.PARTLY if self.asked <= self.cutoff else Memory.AFTER


ROWS = st.lists(
    st.builds(
        Row,
        st.integers(0, 30),
        st.integers(0, 30),
        st.none() | st.integers(-10, 70),
        st.booleans(),
    ),
    min_size=1,
    max_size=30,
)


def moments(days: list[int | None]) -> np.ndarray:
    start = np.datetime64(START, "us")
    return np.array([NAT if day is None else start + day * DAY for day in days])


def ledger(rows: list[Row]) -> MemoryLedger:
    known = moments([row.asked + row.lasts for row in rows])
    nothing = np.full(len(rows), NAT)
    return MemoryLedger(
        cutoff=moments([row.cutoff for row in rows]),
        released=nothing,
        opened=nothing,
        asked=moments([row.asked for row in rows]),
        closes=known,
        known=known,
        modelled=np.array([row.modelled for row in rows]),
    )


@given(rows=ROWS)
def test_every_planted_row_is_counted_once(rows: list[Row]) -> None:
    assert [STATES[code] for code in ledger(rows).states()] == [row.memory for row in rows]


@given(rows=ROWS)
def test_what_is_left_and_what_is_left_out_is_everything(rows: list[Row]) -> None:
    own = board(
        np.full((len(rows), 1), 0.5),
        [0] * len(rows),
        asked=[row.asked for row in rows],
        due=[row.asked + row.lasts for row in rows],
        names=["ada"],
    )
    every = replace(own, ledger=ledger(rows))
    left = every.after_cutoff()
    clean = [row.memory in {Memory.AFTER, Memory.NONE} for row in rows]
    assert len(left) == sum(clean)
    assert sum(left.left_out.values()) == len(rows) - sum(clean)
    counts = memory_of(every, level=0.95)
    modelled = [row for row in rows if row.modelled]
    if modelled == rows:
        found = counts["ada"]
        planted = [sum(row.memory is state for row in rows) for state in Memory]
        assert [found.remembered, found.partly, found.unknown] == [
            planted[STATES.index(s)] for s in (Memory.REMEMBERED, Memory.PARTLY, Memory.UNKNOWN)
        ]


MARKETS = st.lists(
    st.tuples(
        st.none() | st.integers(0, 50), st.none() | st.integers(0, 50), st.integers(0, 4)
    ),
    min_size=1,
    max_size=12,
)


@given(markets=MARKETS, yes=st.integers(0, 11), exclusive=st.booleans())
def test_an_outcome_is_known_by_the_first_day_that_tells_it(
    markets: list[tuple[int | None, int | None, int]], yes: int, *, exclusive: bool
) -> None:
    closes, resolved, events = (list(column) for column in zip(*markets, strict=True))
    winner = yes % len(markets)
    is_yes = np.arange(len(markets)) == winner
    is_yes &= resolved[winner] is not None
    flags = np.full(len(markets), exclusive)
    found = outcomes_known(
        moments(closes), moments(resolved), is_yes, np.array(events, np.intp), flags
    )
    for n, (close, end, event) in enumerate(markets):
        told = [day for day in (close, end) if day is not None]
        if exclusive and is_yes.any() and event == events[winner]:
            told += [day for day in (closes[winner], resolved[winner]) if day is not None]
        (expected,) = moments([min(told, default=None)])
        assert found[n] == expected or (np.isnat(found[n]) and np.isnat(expected))
