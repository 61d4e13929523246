"""Whether a profit is more than luck: its distribution if prices were right.

Profit and loss is split into forecasting, sizing, luck and costs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import fsum, prod, sqrt
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.odds import Floats, alike, finite, probabilities
from arena.records.estimate import Sided, State, Test
from arena.scoring.bets.book import BetBook, MarketLines, Stakes
from arena.scoring.table import Whole
from arena.stats.columns import no_spread


@dataclass(frozen=True, slots=True)
class Attribution:
    """Dollars of one book; `pnl` is the sum of the five parts.

    `bets` are settled bets. Every part is 0 for none.
    """

    pnl: float
    forecast: float
    sizing: float
    luck: float
    spread: float
    fees: float
    bets: int
    staked: float

    @property
    def costs(self) -> float:
        """What trading cost: spread and fees, both 0 or less as a rule."""
        return self.spread + self.fees

    @property
    def skill(self) -> float:
        """What forecasting and sizing made together, before costs."""
        return self.forecast + self.sizing


@dataclass(frozen=True, slots=True, eq=False)
class SettledBets:
    """Settled bets as columns of n rows, each in terms of the side that was backed.

    `shares` were bought at `price` with `fee` dollars in all; `fair` was the market's own
    probability of the side at that moment (the middle of its spread) and `reference` the one
    that decides what was skill and what was luck: the close. `payout` is what a share was
    paid, in [0, 1]: the outcome, or the price at which it was sold again.
    """

    shares: Floats
    price: Floats
    fee: Floats
    fair: Floats
    reference: Floats
    payout: Floats


def bought(book: BetBook, lines: MarketLines) -> SettledBets:
    """The settled bets of a book, with the close as their reference where there is one.

    Their split adds up to the book's profit. A void bet got its stake back: it has made
    nothing but its fee.
    """
    kept = ~np.isnan(book.pnl)
    rows, yes, price = book.rows[kept], book.yes[kept], book.price[kept]

    def side(column: Floats) -> Floats:
        return np.where(yes, column[rows], 1 - column[rows])

    fair, close, payout = side(lines.fair), side(lines.close), side(lines.payout)
    void = np.isnan(payout)
    return SettledBets(
        shares=book.shares[kept],
        price=price,
        fee=book.fee[kept],
        fair=np.where(void, price, fair),
        reference=np.where(void, price, np.where(np.isnan(close), fair, close)),
        payout=np.where(void, price, payout),
    )


def attribute(bets: SettledBets) -> Attribution:
    """Split the P/L of a book, exactly.

    For bet i with n shares at price c, fee f, fair probability m when it was made, reference
    q and payout o, the P/L n (o - c) - f is the sum of

        luck     n (o - q)          what the outcome gave beyond the reference
        edge     n (q - m)          what the reference moved the bettor's way
        spread  -n (c - m)          what was paid above the fair price
        fees    -f

    An edge is s e, with s = n c the dollars staked and e = (q - m)/c the gain a dollar, so
    that over N bets of S dollars in all

        forecast  S/N sum e         the same bets at equal stakes of S/N
        sizing    sum (s - S/N) e   larger stakes where the gain was larger

    and forecast + sizing + luck + spread + fees = P/L. A bet of whose reference nothing is
    known takes q = m: then all it made is luck and costs. With the forecaster's own p as the
    reference, forecast is what was hoped for and luck is the disappointment.

    Args:
        bets: Settled bets; `bought` reads them from a book.

    Raises:
        ValueError: Columns of unequal length, a price of 0, shares not above 0, or a number
            that is out of range.

    Source:
        The split into edge and outcome is that of closing line value; forecast and sizing
        are the mean and the covariance term of Brinson, Hood and Beebower (1986), Financial
        Analysts Journal 42, with equal stakes as the benchmark.
    """
    price, fair = _in_range(bets.price, "price"), _in_range(bets.fair, "fair")
    sure, payout = _in_range(bets.reference, "reference"), _in_range(bets.payout, "payout")
    shares, fee = finite(bets.shares, "shares"), finite(bets.fee, "fee")
    alike(shares=shares, price=price, fee=fee, fair=fair, reference=sure, payout=payout)
    if not ((price > 0) & (shares > 0)).all():
        raise ValueError("a bet has shares, and a price above 0")
    stake, gain = shares * price, (sure - fair) / price
    staked, count = fsum(stake), len(shares)
    forecast = staked / count * fsum(gain) if count else 0.0
    return Attribution(
        pnl=fsum(shares * (payout - price) - fee),
        forecast=forecast,
        sizing=fsum(stake * gain) - forecast,
        luck=fsum(shares * (payout - sure)),
        spread=fsum(shares * (fair - price)),
        fees=0.0 - fsum(fee),
        bets=count,
        staked=staked,
    )


def _in_range(values: ArrayLike, name: str) -> Floats:
    return np.atleast_1d(probabilities(values, name))


LARGEST: Final = 1 << 20  # outcomes enumerated, or cells of the grid
QUANTILES: Final = (0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975)
SLACK: Final = 1e-9
FEW: Final = 12  # steps, up to which counting is the faster
FEWEST_TERMS: Final = 32  # of a characteristic function
MOST_TERMS: Final = 4096
DIED_OUT: Final = 1e-8
SPREADS: Final = 12.0  # standard deviations on each side, beyond which nothing is looked at
POINTS: Final = 401  # at which the distribution is worked out for its quantiles
DIFFERENT: Final = 25  # blocks that pay each another amount
ACCURACY: Final = 1e-7


class LuckMethod(StrEnum):
    """How a distribution was found."""

    EXACT = "exact"
    GRID = "grid"
    INVERTED = "inverted"  # from its characteristic function
    SIMULATED = "simulated"


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
    how: LuckMethod
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
        testable = state is State.OK
        return Test(
            name=f"luck {self.how}",
            n=self.markets,
            events=self.events,
            estimate=None if state is State.EMPTY else self.pnl,
            se=self.sd if testable else None,
            statistic=(self.pnl - self.mean) / self.sd if testable else None,
            p=self.upper if testable else None,
            sided=Sided.GREATER,
            state=state,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Blocks:
    """Markets that resolve together: P/L of each thing that may happen, and its chance.

    `values` and `chances` are those of one block after the other, `first` is where each
    begins, and `observed` what each came to.
    """

    values: Floats
    chances: Floats
    first: Whole
    observed: Floats

    def each(self) -> list[tuple[Floats, Floats]]:
        """Values and chances block by block."""
        if not len(self.first):
            return []
        cuts = self.first[1:]
        return list(zip(np.split(self.values, cuts), np.split(self.chances, cuts), strict=True))

    def sums(self, values: Floats) -> Floats:
        """One sum a block."""
        return np.add.reduceat(values, self.first) if len(self.first) else np.zeros(0)


def luck(
    stakes: Stakes,
    rng: np.random.Generator,
    *,
    grid: float = 0.01,
    draws: int = 10_000,
) -> Luck:
    """Compare a book's P/L with its distribution if every price had been right.

    Outcomes of different events are drawn separately; the markets of one are nested: whatever
    makes one YES makes every likelier one YES. Where all outcomes together are few they are
    enumerated, each with its chance; where the P/L fits a grid its distribution is convolved
    there, event by event; where no few events decide it is found from its characteristic
    function, with p known to 1e-7; else it is simulated, and p is (1 + k)/(1 + draws). A P/L
    that ties with the book's counts as at least, and as at most, as much.

    Args:
        stakes: One row a market; `stakes_of` makes them from bets.
        rng: Chance, used only where it is simulated.
        grid: Cell of the convolution in dollars; 0 for none.
        draws: Simulated books.

    Raises:
        ValueError: Columns of unequal length, numbers out of range, or no draw.

    Source:
        The one more in p: Davison and Hinkley (1997), Bootstrap Methods, section 4.2.
    """
    _check(stakes, draws)
    blocks = _blocks(stakes)
    pnl = fsum(np.where(stakes.yes, stakes.if_yes, stakes.if_no))
    mean, sd, apart = _moments(blocks)
    distribution = (
        _distribution(blocks, grid)
        or _inverted(apart, (mean, sd, pnl))
        or _simulated(blocks, rng, draws)
    )
    on_grid = distribution.how is LuckMethod.GRID
    at = fsum(np.rint(blocks.observed / grid)) * grid if on_grid else pnl
    more, less, quantiles = distribution.known or _added(distribution, at)
    extra = float(distribution.draws > 0)
    total = distribution.draws + 1 if extra else 1.0
    none = not len(stakes.q)
    return Luck(
        pnl=pnl,
        mean=mean,
        sd=sd,
        upper=None if none else min((more + extra) / total, 1.0),
        lower=None if none else min((less + extra) / total, 1.0),
        quantiles=quantiles,
        how=distribution.how,
        markets=len(stakes.q),
        events=len(np.unique(stakes.event)),
        rounding=grid / 2 * len(blocks.first) if on_grid else 0.0,
        draws=distribution.draws,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _PnlDistribution:
    """A distribution: values in order, with chances, or with counts where it was drawn.

    `known` are the chances of at least and of at most the book's P/L, and the quantiles, where
    those are known better than by adding up.
    """

    values: Floats
    weights: Floats
    how: LuckMethod
    draws: int = 0
    known: tuple[float, float, tuple[float, ...]] | None = None


def _added(distribution: _PnlDistribution, at: float) -> tuple[float, float, tuple[float, ...]]:
    """The weight at or above a P/L, the weight at or below it, and the quantiles."""
    slack = SLACK * max(1.0, float(np.abs(distribution.values).max(initial=0.0)))
    more = float(distribution.weights[distribution.values >= at - slack].sum())
    less = float(distribution.weights[distribution.values <= at + slack].sum())
    return more, less, _quantiles(distribution)


def _check(stakes: Stakes, draws: int) -> None:
    q, if_yes = probabilities(stakes.q, "q"), finite(stakes.if_yes, "if_yes")
    alike(q=q, if_yes=if_yes, if_no=finite(stakes.if_no, "if_no"))
    if not stakes.yes.shape == stakes.event.shape == q.shape or draws < 1:
        raise ValueError("one outcome a market, and at least one draw")


def _blocks(stakes: Stakes) -> _Blocks:
    """Events as blocks. One draw decides each: a market is YES where that is below its q."""
    order = np.lexsort((-stakes.q, stakes.event))
    begins = np.diff(stakes.event[order], prepend=-1) != 0
    sums = _LuckSums(np.flatnonzero(begins), np.cumsum(begins) - 1)
    q, yes = stakes.q[order], stakes.yes[order]
    gain, none = (stakes.if_yes - stakes.if_no)[order], sums.of(stakes.if_no[order])
    chances = q.copy()
    chances[:-1] -= np.where(begins[1:], 0.0, q[1:])
    left, value = 1 - q[sums.first], sums.running(gain)
    observed = none + sums.of(np.where(yes, gain, 0.0))
    at = sums.first + np.arange(len(sums.first))
    return _Blocks(
        np.insert(none[sums.block] + value, sums.first, none),
        np.insert(chances, sums.first, left),
        at,
        observed,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _LuckSums:
    """Rows that stand block by block: where each begins, and the block of each row."""

    first: Whole
    block: Whole

    def of(self, values: Floats) -> Floats:
        """One sum a block."""
        return np.bincount(self.block, values, minlength=len(self.first)).astype(np.float64)

    def running(self, values: Floats) -> Floats:
        """Sums of each row and those before it in its block."""
        total = np.cumsum(values)
        return np.asarray(total - (total - values)[self.first][self.block])


def _moments(blocks: _Blocks) -> tuple[float, float, _Blocks]:
    """The mean and the standard deviation of all, and the blocks less their means."""
    means = blocks.sums(blocks.chances * blocks.values)
    size = np.diff(blocks.first, append=len(blocks.values))
    apart = blocks.values - np.repeat(means, size)
    sd = sqrt(fsum(blocks.chances * apart**2))
    return fsum(means), sd, replace(blocks, values=apart)


def _distribution(blocks: _Blocks, grid: float) -> _PnlDistribution | None:
    sizes = np.diff(blocks.first, append=len(blocks.values))
    if prod(sizes.tolist()) <= LARGEST:
        return _enumerated(blocks)
    return _convolved(blocks, grid) if grid > 0 else None


def _enumerated(blocks: _Blocks) -> _PnlDistribution:
    values, chances = np.zeros(1), np.ones(1)
    for more, chance in blocks.each():
        values = np.add.outer(values, more).ravel()
        chances = np.multiply.outer(chances, chance).ravel()
    order = np.argsort(values, kind="stable")
    return _PnlDistribution(values[order], chances[order], LuckMethod.EXACT)


def _convolved(blocks: _Blocks, grid: float) -> _PnlDistribution | None:
    cells = replace(blocks, values=np.rint(blocks.values / grid))
    lowest = np.minimum.reduceat(cells.values, blocks.first)
    width = int((np.maximum.reduceat(cells.values, blocks.first) - lowest).sum()) + 1
    if width > LARGEST:
        return None
    chances, used = np.zeros(width), 1
    chances[0] = 1.0
    for (cell, chance), low in zip(cells.each(), lowest, strict=True):
        now, shifts = np.zeros(width), (cell - low).astype(np.intp)
        for shift, probability in zip(shifts.tolist(), chance.tolist(), strict=True):
            now[shift : shift + used] += probability * chances[:used]
        chances, used = now, used + int(shifts.max())
    values = (np.arange(width, dtype=np.float64) + float(lowest.sum())) * grid
    return _PnlDistribution(values, chances, LuckMethod.GRID)


def _inverted(apart: _Blocks, about: tuple[float, float, float]) -> _PnlDistribution | None:
    """From the characteristic function: one product over blocks, whatever they pay.

    None where the terms do not die out, because few blocks decide, and where blocks pay so
    alike that the same P/L comes about in many ways. The error is that of the terms left
    out, and of the P/L beyond the range.

    Args:
        apart: Blocks whose values have a mean of 0.
        about: The mean and the standard deviation of the whole, and the book's P/L.

    Source:
        Davies (1973), Biometrika 60: numerical inversion of a characteristic function.
    """
    mean, sd, pnl = about
    width = np.maximum.reduceat(apart.values, apart.first)
    width -= np.minimum.reduceat(apart.values, apart.first)
    if no_spread(sd, mean) or len(np.unique(width.round(2))) < DIFFERENT:
        return None
    reach = SPREADS * sd + float(np.abs(apart.values).max()) + abs(pnl - mean)
    step, terms, done = np.pi / reach, np.zeros(0, np.complex128), 0
    while not done or np.abs(terms[done // 2 :]).max() > DIED_OUT:
        if done >= MOST_TERMS:
            return None
        more = max(FEWEST_TERMS, done)
        terms = np.append(terms, _characteristic(apart, (done + 0.5) * step, step, more))
        done = len(terms)
    turn = (np.arange(done) + 0.5) * step
    at = np.append(np.linspace(-SPREADS, SPREADS, POINTS) * sd, pnl - mean)
    waves = terms * np.exp(-1j * np.outer(at, turn))
    below = 0.5 - step / np.pi * (waves.imag / turn).sum(axis=1)
    below = np.clip(below, ACCURACY, 1 - ACCURACY)
    steps, last = np.maximum.accumulate(below[:-1]), float(below[-1])
    quantiles = tuple((mean + np.interp(QUANTILES, steps, at[:-1])).tolist())
    tails = (1 - last, last, quantiles)
    return _PnlDistribution(
        mean + at[:-1], np.diff(steps, prepend=0.0), LuckMethod.INVERTED, known=tails
    )


def _characteristic(
    blocks: _Blocks, start: float, step: float, number: int
) -> NDArray[np.complex128]:
    """The product over blocks of the mean of exp(i turn P/L), at turns a step apart."""
    waves = np.exp(1j * step * blocks.values)[None, :].repeat(number, axis=0)
    waves[0] = blocks.chances * np.exp(1j * start * blocks.values)
    np.multiply.accumulate(waves, axis=0, out=waves)
    return np.asarray(np.add.reduceat(waves, blocks.first, axis=1).prod(axis=1))


def _simulated(blocks: _Blocks, rng: np.random.Generator, draws: int) -> _PnlDistribution:
    total = np.zeros(draws)
    for values, chances in blocks.each():
        *steps, last = np.cumsum(chances).tolist()
        total += _where(rng.random(draws) * last, steps, values)
    return _PnlDistribution(np.sort(total), np.ones(draws), LuckMethod.SIMULATED, draws)


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


def _quantiles(distribution: _PnlDistribution) -> tuple[float, ...]:
    """Smallest values whose chances add up to each of `QUANTILES`."""
    steps = np.cumsum(distribution.weights)
    at = np.searchsorted(steps, np.array(QUANTILES) * steps[-1] - SLACK * steps[-1])
    return tuple(float(distribution.values[min(int(i), len(steps) - 1)]) for i in at)
