"""Which forecasts are about days that a model's training may hold."""

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.datetime64]
Codes = NDArray[np.intp]

YEAR: Final = np.timedelta64(365, "D")  # after its release, in which a model counts


class Memory(StrEnum):
    """What a contestant may remember of a forecast's market."""

    AFTER = "asked after the cut-off"
    PARTLY = "asked before the cut-off, ended after it"
    REMEMBERED = "ended before the cut-off"
    UNKNOWN = "cut-off not known"
    NONE = "no model"


STATES: Final = tuple(Memory)
CLEAN: Final = (Memory.AFTER, Memory.NONE)


@dataclass(frozen=True, slots=True, eq=False)
class MemoryLedger:
    """A row a forecast, NaT where nobody said.

    `cutoff` is the end of the last day that the contestant's training may hold, `released` the
    day its model came out. `opened` and `closes` are what the venue says of the market,
    `asked` when it was forecast. `known` is when its outcome was known at the latest: its
    close, its resolution, or that of a market that excludes it, whichever came first.
    `modelled` says who has a model: a baseline has nothing to remember.
    """

    cutoff: Times
    released: Times
    opened: Times
    asked: Times
    closes: Times
    known: Times
    modelled: NDArray[np.bool_]

    def take(self, rows: NDArray[np.generic]) -> "MemoryLedger":
        """Only some rows."""
        return MemoryLedger(*(getattr(self, column.name)[rows] for column in fields(self)))

    def states(self) -> Codes:
        """What may be remembered of each row, as codes of `STATES`: contaminated is REMEMBERED.

        >>> day = lambda text: np.array([text], "datetime64[us]")
        >>> asked, known = day("2025-01-01"), day("2025-03-01")
        >>> model = np.array([True])
        >>> ledger = MemoryLedger(day("2025-04-01"), asked, asked, asked, known, known, model)
        >>> str(STATES[ledger.states()[0]])
        'ended before the cut-off'
        """
        held = [~self.modelled, np.isnat(self.cutoff), self.known <= self.cutoff]
        codes = [Memory.NONE, Memory.UNKNOWN, Memory.REMEMBERED, Memory.PARTLY]
        choices = [STATES.index(state) for state in codes]
        return np.select(
            [*held, self.asked <= self.cutoff], choices, STATES.index(Memory.AFTER)
        ).astype(np.intp)

    def in_first_year(self) -> NDArray[np.bool_]:
        """Whether each row was asked within a year of the release; False where that is unknown.

        Rows without a model are in it.
        """
        return ~self.modelled | (self.asked < self.released + YEAR)


def outcomes_known(
    closes: Times,
    resolved: Times,
    yes: NDArray[np.bool_],
    event: Codes,
    exclusive: NDArray[np.bool_],
) -> Times:
    """When the outcome of each market was known: by its close, its end, or another's YES.

    Args:
        closes: (n,) when each was to close, NaT where it has no such day.
        resolved: (n,) when each resolved, NaT where it has not.
        yes: (n,) whether it resolved YES.
        event: (n,) codes of events.
        exclusive: (n,) whether at most one market of its event can be YES.
    """
    known = np.fmin(closes, resolved)
    first = np.full(int(event.max(initial=-1)) + 1, np.datetime64("NaT", "us"), known.dtype)
    decided = yes & exclusive
    np.fmin.at(first, event[decided], known[decided])
    return np.where(exclusive, np.fmin(known, first[event]), known)
