"""Forecasts with their outcomes, as columns: what every score is computed from.

Rows are refused, not repaired: a NaN, a probability outside [0, 1], options that do not sum to
1, an outcome that is none, or columns of different lengths raise a ValueError.

A part of them may be about days that a model's training holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


Floats = NDArray[np.float64]
Whole = NDArray[np.intp]

ROW_SUM_TOLERANCE: Final = 1e-6
STAGES: Final = ("first third", "second third", "last third")  # of a market's life: `stage`


def probabilities(p: ArrayLike) -> Floats:
    """A column of probabilities, as it is.

    Raises:
        ValueError: A value that is NaN or outside [0, 1], or not one column.
    """
    column = np.asarray(p, dtype=np.float64)
    if column.ndim != 1:
        raise ValueError(f"forecasts come in one column, not in {column.ndim} dimensions")
    _within(column)
    return column


def yes_no(p: ArrayLike, outcome: ArrayLike) -> tuple[Floats, Floats]:
    """Forecasts of YES with their outcomes, 0 or 1, as columns of floats.

    Raises:
        ValueError: See the module.
    """
    forecasts, truth = checked(p, outcome)
    return forecasts, truth.astype(np.float64)


def over_options(options: ArrayLike, outcome: ArrayLike) -> tuple[Floats, Whole]:
    """Forecasts over K options, (n, K), with the numbers of those that came true, from 0.

    Raises:
        ValueError: See the module; also fewer than two options.
    """
    forecasts = np.asarray(options, dtype=np.float64)
    if forecasts.ndim != 2 or forecasts.shape[1] < 2:  # noqa: PLR2004  rows and options, two at least
        raise ValueError("forecasts over options come in rows of at least two")
    _within(forecasts)
    if not np.all(np.abs(forecasts.sum(axis=1) - 1) <= ROW_SUM_TOLERANCE):
        raise ValueError("the options of a forecast sum to 1")
    return forecasts, chosen(outcome, *forecasts.shape)


def chosen(outcome: ArrayLike, n: int, options: int) -> Whole:
    """The numbers of the options that came true, from 0; `n` of them.

    Raises:
        ValueError: Another count, a fraction, or an option that does not exist.
    """
    truth = np.asarray(outcome)
    if truth.shape != (n,):
        raise ValueError(f"{n} forecasts need as many outcomes, not {truth.size}")
    with np.errstate(invalid="ignore"):
        numbers = truth.astype(np.intp)
    if not np.all((numbers == truth) & (numbers >= 0) & (numbers < options)):
        raise ValueError(f"an outcome is one of the {options} options, from 0")
    return numbers


def _within(p: Floats) -> None:
    if p.size and not (p.min() >= 0 and p.max() <= 1):  # NaN is the least and the greatest
        raise ValueError("a probability lies in [0, 1]")


Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """A column of names: `names[codes[i]]` is the name in row i."""

    names: tuple[str, ...]
    codes: Whole

    def code(self, name: str) -> int | None:
        """Where a name stands; None if no row could have it."""
        return self.names.index(name) if name in self.names else None

    def used(self) -> int:
        """How many of the names some row has."""
        return int(np.count_nonzero(np.bincount(self.codes)))

    def take(self, rows: Whole | Flags) -> "Factor":
        """Only some rows. The names stay, so that codes keep their meaning."""
        return Factor(self.names, self.codes[rows])

    def in_order(self) -> "Factor":
        """The same column with its names sorted, and only those that some row has.

        Random draws go by such codes, so that they do not depend on the order of
        rows.
        """
        there = np.flatnonzero(np.bincount(self.codes, minlength=len(self.names)))
        used = sorted(there.tolist(), key=self.names.__getitem__)
        place = np.zeros(len(self.names), dtype=np.intp)
        place[used] = np.arange(len(used))
        return Factor(tuple(self.names[code] for code in used), place[self.codes])


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row stands: its number over all files from 1, its file, and where in that.

    `against` is where the row stands that says otherwise.
    """

    row: int
    file: str
    at: str
    against: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class DailyPrices:
    """What markets were worth at the end of days, in the order of markets and days.

    `market` are codes of the forecasts' markets, `day` days since 1970, `price` the last
    middle price of that day: NaN where it was read again that day and had not moved.
    """

    market: Whole
    day: Whole
    price: Floats


class LadderKind(StrEnum):
    """What the questions of a ladder differ in."""

    THRESHOLD = "threshold"
    DEADLINE = "deadline"


@dataclass(frozen=True, slots=True, eq=False)
class Ladders:
    """A row a rung: `market` is its code, `ladder` the ladder's, and P must rise with `rung`.

    `kinds` has the kind of each ladder, by its code. A market may stand in several ladders.
    """

    kinds: tuple[LadderKind, ...]
    market: Whole
    ladder: Whole
    rung: Floats

    def of(self, kind: LadderKind) -> "Ladders":
        """Only the ladders of one kind, under the same codes."""
        codes = [code for code, own in enumerate(self.kinds) if own is kind]
        rows = np.isin(self.ladder, codes)
        return Ladders(self.kinds, self.market[rows], self.ladder[rows], self.rung[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Forecasts:
    """One row a forecast of a resolved question; all columns have n rows.

    `event` is the unit of dependence: markets of one event share their news. `at` is when
    the forecast was made, NaT where nobody said. A yes/no forecast has its P(YES) in `p` and
    0 or 1 in `outcome`. A forecast over K options has its row in `options` (n, K), NaN after
    the last where its question has fewer, NaN in `p`, and the number of the option that came
    true, from 0, in `outcome`. `market_p` is the
    market's P(YES) when the forecast was made and `close_p` the last one before the market
    closed, NaN where unknown. `labels` are further columns to break scores down by.
    `left_out` counts by reason the rows that were refused and are in no column. `due` is the
    moment at which the market was to close when it was first seen, NaT where it had none;
    `waiting` are the rows of what has not come out yet, by the same codes, whose outcomes
    mean nothing. `ended` is when the outcome was known, NaT where it is not, `exclusive`
    whether at most one market of an event can be YES, `prices` what markets were worth day by
    day, `ladders` which markets imply which, `ledger` what a contestant may remember of each
    row. All seven are None where nobody said.
    """

    contestant: Factor
    market: Factor
    event: Factor
    at: NDArray[np.datetime64]
    p: Floats
    outcome: Whole
    market_p: Floats
    close_p: Floats
    options: Floats | None = None
    labels: Mapping[str, Factor] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    due: NDArray[np.datetime64] | None = None
    waiting: "Forecasts | None" = None
    ended: NDArray[np.datetime64] | None = None
    exclusive: Flags | None = None
    prices: DailyPrices | None = None
    ladders: Ladders | None = None
    ledger: MemoryLedger | None = None

    def __len__(self) -> int:
        """How many forecasts there are."""
        return len(self.outcome)

    def take(self, rows: Whole | Flags) -> "Forecasts":
        """Only some rows, under the same names."""
        return replace(
            self,
            contestant=self.contestant.take(rows),
            market=self.market.take(rows),
            event=self.event.take(rows),
            at=self.at[rows],
            p=self.p[rows],
            outcome=self.outcome[rows],
            market_p=self.market_p[rows],
            close_p=self.close_p[rows],
            options=None if self.options is None else self.options[rows],
            labels={key: label.take(rows) for key, label in self.labels.items()},
            due=None if self.due is None else self.due[rows],
            ended=None if self.ended is None else self.ended[rows],
            exclusive=None if self.exclusive is None else self.exclusive[rows],
            ledger=None if self.ledger is None else self.ledger.take(rows),
        )

    def after_cutoff(self) -> "Forecasts":
        """What was asked after the contestants' cut-offs, or of those who have no model.

        The rest is in `left_out`, by what may be remembered of it.
        """
        if self.ledger is None:
            return self
        states = self.ledger.states()
        clean = np.isin(states, [STATES.index(state) for state in CLEAN])
        counts = zip(STATES, np.bincount(states, minlength=len(STATES)).tolist(), strict=True)
        gone = {str(state): n for state, n in counts if n and state not in CLEAN}
        waiting = None if self.waiting is None else self.waiting.after_cutoff()
        left_out = {**self.left_out, **gone}
        return replace(self.take(clean), left_out=left_out, waiting=waiting)

    def of(self, contestant: str) -> "Forecasts":
        """One contestant's forecasts; none if nobody has that name."""
        code = self.contestant.code(contestant)
        return self.take(self.contestant.codes == (-1 if code is None else code))


Outcomes = NDArray[np.integer]


def checked(p: ArrayLike, outcome: ArrayLike) -> tuple[Floats, Outcomes]:
    """Forecasts as float64 and outcomes as integers, one of each a row.

    Nothing is copied that has the right type, and a whole column is refused for one bad row:
    who wants to drop rows does so before, and counts them.

    Raises:
        ValueError: The columns differ in length or are not one-dimensional, a forecast is
            outside [0, 1] or not a number, or an outcome is neither 0 nor 1.

    >>> checked([0.2, 1], [False, True])
    (array([0.2, 1. ]), array([0, 1], dtype=int8))
    """
    forecasts = probabilities(p)
    came = _outcomes(outcome)
    if forecasts.shape != came.shape:
        raise ValueError(f"{len(forecasts)} forecasts, but {len(came)} outcomes")
    return forecasts, came


def _outcomes(outcome: ArrayLike) -> Outcomes:
    outcomes = np.asarray(outcome)
    if outcomes.ndim != 1:
        raise ValueError(f"outcomes come in one column, not in {outcomes.ndim} dimensions")
    if outcomes.dtype.kind == "b" or not outcomes.size:
        return outcomes.astype(np.int8)
    if outcomes.dtype.kind == "i":
        right = np.bitwise_or.reduce(outcomes) in {0, 1}  # a bit of any other number shows
    else:
        right = outcomes.dtype.kind in "uf" and bool(np.all((outcomes == 0) | (outcomes == 1)))
    if not right:
        raise ValueError("an outcome is 0 or 1")
    return outcomes if outcomes.dtype.kind == "i" else outcomes.astype(np.int8)
