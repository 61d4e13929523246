"""Whether a profit is more than luck: its distribution if prices were right."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import fsum, prod, sqrt
from typing import Final

import numpy as np

from arena.odds.columns import Flags, Floats, alike, finite, probabilities
from arena.records.estimate import Sided, State, Test
from arena.scoring.book import Book, Lines
from arena.scoring.table import Whole
from arena.stats.spread import no_spread

LARGEST: Final = 1 << 20  # outcomes enumerated, or cells of the grid
QUANTILES: Final = (0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975)
SLACK: Final = 1e-9
FEW: Final = 12  # steps, up to which counting is the faster
ROUNDING: Final = 1e-6


class Joint(StrEnum):
    """How the markets of one event resolve together."""

    INDEPENDENT = "independent"
    EXCLUSIVE = "exclusive"  # at most one is YES
    NESTED = "nested"  # whatever makes one YES makes every likelier one YES


class How(StrEnum):
    """How a distribution was found."""

    EXACT = "exact"
    GRID = "grid"
    SIMULATED = "simulated"


@dataclass(frozen=True, slots=True, eq=False)
class Stakes:
    """What each market pays a book, net of all it cost: one row a market, dollars.

    `if_yes` and `if_no` are the P/L of all bets on the market under its two outcomes, `q`
    the fair P(YES) when they were made, `event` the event's number, `yes` the outcome.
    """

    q: Floats
    if_yes: Floats
    if_no: Floats
    event: Whole
    yes: Flags


@dataclass(frozen=True, slots=True)
class Luck:
    """A P/L against what prices made likely.

    `upper` is P(P/L at least this), `lower` P(at most this), None for no bet. `mean` and
    `sd` are exact however the distribution was found. `rounding` bounds in dollars how far
    the grid may have moved a P/L; `draws` is 0 unless it was simulated. `quantiles` go with
    `QUANTILES`.
    """

    pnl: float
    mean: float
    sd: float
    upper: float | None
    lower: float | None
    quantiles: tuple[float, ...]
    how: How
    markets: int
    events: int
    rounding: float = 0.0
    draws: int = 0

    @property
    def test(self) -> Test:
        """One-sided test that the book made more than its prices gave it."""
        state = State.OK
        if self.upper is None:
            state = State.EMPTY
        elif no_spread(self.sd, self.mean):
            state = State.DEGENERATE
        known = state is State.OK
        return Test(
            name=f"luck {self.how}",
            n=self.markets,
            events=self.events,
            estimate=None if state is State.EMPTY else self.pnl,
            se=self.sd if known else None,
            statistic=(self.pnl - self.mean) / self.sd if known else None,
            p=self.upper if known else None,
            sided=Sided.GREATER,
            state=state,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Markets that resolve together: P/L of each thing that may happen, and its chance."""

    values: Floats
    chances: Floats
    observed: float


def stakes_of(  # noqa: PLR0913  columns of one table
    market: Whole,
    event: Whole,
    on_yes: Flags,
    shares: Floats,
    outlay: Floats,
    *,
    q: Floats,
    yes: Flags,
) -> Stakes:
    """Add up the bets of each market: one row a market from one row a bet.

    Args:
        market: The market of each bet, by number.
        event: Its event, by number.
        on_yes: Which side was backed.
        shares: Shares that pay $1 if the side wins.
        outlay: Dollars paid for them, fee included.
        q: Fair P(YES) at the bet. A market with bets at several gets the one that leaves them
            together the mean they have: weighted by shares, those of NO against those of YES.
            Where both sides cancel, chance moves nothing, and it is the plain mean.
        yes: The outcome.

    Raises:
        ValueError: Columns of unequal length, or a market with two events or outcomes.
    """
    held, spent = finite(shares, "shares"), finite(outlay, "outlay")
    alike(shares=held, outlay=spent, q=probabilities(q, "q"))
    _, first, row = np.unique(market, return_index=True, return_inverse=True)
    if (event != event[first][row]).any() or (yes != yes[first][row]).any():
        raise ValueError("a market has one event and one outcome")
    size = len(first)
    signed = np.where(on_yes, held, -held)
    net = np.asarray(np.bincount(row, signed, minlength=size), np.float64)
    risky = np.abs(net) > ROUNDING * np.bincount(row, held, minlength=size)
    weighted = np.bincount(row, signed * q, minlength=size) / np.where(risky, net, 1.0)
    plain = np.bincount(row, q, minlength=size) / np.bincount(row, minlength=size)
    won: Floats = np.where(on_yes, held, 0.0)
    cost = np.bincount(row, spent, minlength=size)
    return Stakes(
        np.where(risky, np.clip(weighted, 0.0, 1.0), plain),
        np.asarray(np.bincount(row, won, minlength=size) - cost, np.float64),
        np.asarray(np.bincount(row, held - won, minlength=size) - cost, np.float64),
        event[first],
        yes[first],
    )


def stakes_of_book(book: Book, lines: Lines) -> Stakes:
    """The bets of a book on lines that came out YES or NO, at the prices of their moment.

    Open, void and fractional ones are left out: no price says how likely those were. Where
    the fair price is not known, what was paid stands for it.

    Raises:
        ValueError: As `stakes_of`.
    """
    payout = lines.payout[book.rows]
    kept = ~np.isnan(book.pnl) & ((payout == 0) | (payout == 1))
    rows, yes = book.rows[kept], book.yes[kept]
    paid = np.where(yes, book.price[kept], 1 - book.price[kept])
    return stakes_of(
        lines.market[rows],
        lines.event[rows],
        yes,
        book.shares[kept],
        book.stake[kept] + book.fee[kept],
        q=np.where(np.isnan(lines.fair[rows]), paid, lines.fair[rows]),
        yes=payout[kept] == 1,
    )


def luck(
    stakes: Stakes,
    rng: np.random.Generator,
    *,
    joint: Joint = Joint.INDEPENDENT,
    grid: float = 0.01,
    draws: int = 10_000,
) -> Luck:
    """Compare a book's P/L with its distribution if every price had been right.

    Outcomes of different events are drawn separately; the markets of one resolve together as
    `joint` says. Where all outcomes together are few they are enumerated, each with its chance;
    where the P/L fits a grid its distribution is convolved there, event by event; else it
    is simulated, and p is (1 + k)/(1 + draws). A P/L that ties with the book's counts as at
    least, and as at most, as much.

    Args:
        stakes: One row a market; `stakes_of` makes them from bets.
        rng: Chance, used only where it is simulated.
        joint: How the markets of one event resolve. Exclusive ones of which none may come
            true have q that add up to less than 1.
        grid: Cell of the convolution in dollars; 0 for none.
        draws: Simulated books.

    Raises:
        ValueError: Columns of unequal length, exclusive q that add up to more than 1 or two
            exclusive YES, numbers out of range, or no draw.

    Source:
        The one more in p: Davison and Hinkley (1997), Bootstrap Methods, section 4.2.
    """
    _check(stakes, draws)
    blocks = _blocks(stakes, joint)
    moments = [_moments(block) for block in blocks]
    pnl = fsum(np.where(stakes.yes, stakes.if_yes, stakes.if_no))
    mean, sd = fsum(m for m, _ in moments), sqrt(fsum(v for _, v in moments))
    found = _distribution(blocks, grid) or _simulated(blocks, rng, draws)
    at = pnl if found.how is not How.GRID else fsum(_cells(b, grid)[1] for b in blocks) * grid
    slack = SLACK * max(1.0, float(np.abs(found.values).max(initial=0.0)))
    more = float(found.weights[found.values >= at - slack].sum())
    less = float(found.weights[found.values <= at + slack].sum())
    extra = float(found.draws > 0)
    total = found.draws + 1 if extra else 1.0
    none = not len(stakes.q)
    return Luck(
        pnl=pnl,
        mean=mean,
        sd=sd,
        upper=None if none else min((more + extra) / total, 1.0),
        lower=None if none else min((less + extra) / total, 1.0),
        quantiles=_quantiles(found),
        how=found.how,
        markets=len(stakes.q),
        events=len(np.unique(stakes.event)),
        rounding=grid / 2 * len(blocks) if found.how is How.GRID else 0.0,
        draws=found.draws,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """A distribution: values in order, with chances, or with counts where it was drawn."""

    values: Floats
    weights: Floats
    how: How
    draws: int = 0


def _check(stakes: Stakes, draws: int) -> None:
    q, if_yes = probabilities(stakes.q, "q"), finite(stakes.if_yes, "if_yes")
    alike(q=q, if_yes=if_yes, if_no=finite(stakes.if_no, "if_no"))
    if not stakes.yes.shape == stakes.event.shape == q.shape or draws < 1:
        raise ValueError("one outcome a market, and at least one draw")


def _blocks(stakes: Stakes, joint: Joint) -> list[_Block]:
    joint = Joint(joint)
    keys = np.arange(len(stakes.q)) if joint is Joint.INDEPENDENT else stakes.event
    build = _exclusive if joint is Joint.EXCLUSIVE else _nested
    order = np.argsort(keys, kind="stable")
    cuts = np.flatnonzero(np.diff(keys[order])) + 1
    return [build(stakes, rows) for rows in np.split(order, cuts) if len(rows)]


def _exclusive(stakes: Stakes, rows: Whole) -> _Block:
    q, yes = stakes.q[rows], stakes.yes[rows]
    rest = 1 - fsum(q)
    if rest < -ROUNDING or yes.sum() > 1:
        raise ValueError("of exclusive markets at most one is YES, with q of 1 at most")
    none = fsum(stakes.if_no[rows])
    values = none + stakes.if_yes[rows] - stakes.if_no[rows]
    chances = np.append(q, max(rest, 0.0))
    seen = float(values[yes][0]) if yes.any() else none
    return _Block(np.append(values, none), chances / chances.sum(), seen)


def _nested(stakes: Stakes, rows: Whole) -> _Block:
    """One draw decides all: a market is YES where it falls below its q."""
    order = rows[np.argsort(-stakes.q[rows], kind="stable")]
    q, gain = stakes.q[order], stakes.if_yes[order] - stakes.if_no[order]
    values = fsum(stakes.if_no[order]) + np.concatenate([[0.0], np.cumsum(gain)])
    chances = -np.diff(np.concatenate([[1.0], q, [0.0]]))
    seen = fsum(np.where(stakes.yes[order], stakes.if_yes[order], stakes.if_no[order]))
    return _Block(values, chances, seen)


def _moments(block: _Block) -> tuple[float, float]:
    mean = float(block.chances @ block.values)
    return mean, float(block.chances @ (block.values - mean) ** 2)


def _distribution(blocks: list[_Block], grid: float) -> _Found | None:
    if prod(len(block.values) for block in blocks) <= LARGEST:
        return _enumerated(blocks)
    return _convolved(blocks, grid) if grid > 0 else None


def _enumerated(blocks: list[_Block]) -> _Found:
    values, chances = np.zeros(1), np.ones(1)
    for block in blocks:
        values = np.add.outer(values, block.values).ravel()
        chances = np.multiply.outer(chances, block.chances).ravel()
    order = np.argsort(values, kind="stable")
    return _Found(values[order], chances[order], How.EXACT)


def _cells(block: _Block, grid: float) -> tuple[Whole, int]:
    return np.rint(block.values / grid).astype(np.intp), round(block.observed / grid)


def _convolved(blocks: list[_Block], grid: float) -> _Found | None:
    cells = [_cells(block, grid)[0] for block in blocks]
    low = sum(int(c.min()) for c in cells)
    width = sum(int(c.max()) for c in cells) - low + 1
    if width > LARGEST:
        return None
    chances, used = np.zeros(width), 1
    chances[0] = 1.0
    for cell, block in zip(cells, blocks, strict=True):
        now, shifts = np.zeros(width), cell - cell.min()
        for shift, chance in zip(shifts.tolist(), block.chances.tolist(), strict=True):
            now[shift : shift + used] += chance * chances[:used]
        chances, used = now, used + int(shifts.max())
    values = np.arange(low, low + width, dtype=np.float64) * grid
    return _Found(values, chances, How.GRID)


def _simulated(blocks: list[_Block], rng: np.random.Generator, draws: int) -> _Found:
    total = np.zeros(draws)
    for block in blocks:
        *steps, last = np.cumsum(block.chances).tolist()
        total += _where(rng.random(draws) * last, steps, block.values)
    return _Found(np.sort(total), np.ones(draws), How.SIMULATED, draws)


def _where(drawn: Floats, steps: Sequence[float], values: Floats) -> Floats:
    """The value of the step that each draw fell on; a few are counted and not searched."""
    if len(steps) == 1:
        return np.asarray(np.where(drawn >= steps[0], values[1], values[0]))
    if len(steps) > FEW:
        return np.asarray(values[np.searchsorted(steps, drawn, side="right")])
    fell = np.zeros(len(drawn), np.uint8)
    for step in steps:
        fell += drawn >= step
    return np.asarray(values[fell])


def _quantiles(found: _Found) -> tuple[float, ...]:
    """Smallest values whose chances add up to each of `QUANTILES`."""
    steps = np.cumsum(found.weights)
    at = np.searchsorted(steps, np.array(QUANTILES) * steps[-1] - SLACK * steps[-1])
    return tuple(float(found.values[min(int(i), len(steps) - 1)]) for i in at)
