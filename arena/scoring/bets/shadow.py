"""Shadow books: the same lines and the same rules, with somebody else's probabilities."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import fsum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.odds import Flags, Floats, finite
from arena.odds.edge import MAINLINE, exceeds
from arena.odds.staking import (
    MULTIPLIER,
    Brakes,
    Crra,
    Drawdown,
    EdgeProportional,
    Flat,
    FractionalKelly,
    Mode,
    Sizing,
    StakeLimits,
    after,
    opened,
    within,
)
from arena.scoring.bets.book import BetBook, MarketLines, PassReason
from arena.scoring.table import Times, Whole

CAPITAL: Final = 10_000.0
SMALLEST: Final = 1e-6  # dollars: the grid of the ledger
NEVER: Final = np.iinfo(np.int64).max
_TICKS: Final = "datetime64[us]"


@dataclass(frozen=True, slots=True)
class Policy:
    """A champion's way from a probability to a stake; only the probability is another's.

    A line is bet on where |p - fair| > `threshold` and a side is worth its price and fee.
    `limits` caps what an event and a UTC day may take, None for no such caps; `brakes` halve
    and stop after losses, None for none.
    """

    sizing: Sizing = field(default_factory=FractionalKelly)
    threshold: float = MAINLINE
    limits: StakeLimits | None = field(default_factory=StakeLimits)
    brakes: Brakes | None = None


@dataclass(frozen=True, slots=True, eq=False)
class OwnBets:
    """What a contestant itself did, one row a line: dollars staked, 0 for no bet."""

    yes: Flags
    stake: Floats


POLICIES: Final[Mapping[str, Policy]] = {
    "flat": Policy(Flat()),
    "kelly_quarter": Policy(FractionalKelly()),
    **{f"crra_{a:g}": Policy(Crra(a)) for a in (1.0, 2.0, 4.0, 8.0)},
    "edge_proportional": Policy(EdgeProportional()),
}


def replay(
    lines: MarketLines, p: ArrayLike, policy: Policy | None = None, *, capital: float = CAPITAL
) -> BetBook:
    """Bet a forecaster's probabilities on the lines by a policy.

    Moments follow each other; bets of one moment are sized by one bankroll, which is the
    capital and the P/L of what was settled by then, open bets at what they cost. They are
    sized alone, cut to the event's cap, then to the day's, then together to the cash that is
    not tied up; less than a millionth of a dollar is no bet. Nothing that comes later is
    looked at.

    Args:
        lines: The market of n lines, in any order.
        p: P(YES), one a line; NaN where there is no forecast.
        policy: The champion's; a quarter of Kelly if none is given.
        capital: Dollars at the start.

    Raises:
        ValueError: Columns of unequal length, a probability outside [0, 1], or no capital.
    """
    rule = policy or Policy()
    belief = np.asarray(p, np.float64)
    if belief.shape != (len(lines),):
        raise ValueError(f"{belief.shape} forecasts for {len(lines)} lines")
    if not (np.isnan(belief) | ((belief >= 0) & (belief <= 1))).all():
        raise ValueError("a probability lies in [0, 1]")
    wish = _wishes(lines, belief, rule)
    bankrolls, stakes = np.full(len(lines), np.nan), np.zeros(len(lines))
    purse = _Purse(lines, wish, capital)
    wanted = np.flatnonzero(wish.passed < 0)
    wanted = wanted[np.argsort(lines.at[wanted], kind="stable")]
    moments, starts = np.unique(_ticks(lines.at[wanted]), return_index=True)
    parts_of_moments = np.split(wanted, starts[1:])  # one, and empty, where nothing is wanted
    for moment, rows in zip(moments.tolist(), parts_of_moments, strict=False):
        base, mode = purse.at(moment, rule.brakes)
        parts = purse.cut(rows, wish.fraction[rows] * MULTIPLIER[mode], rule.limits)
        outlay = parts * base
        total, free = float(outlay.sum()), max(base - purse.tied, 0.0)
        outlay = outlay * (free / total if total > free else 1.0)
        stake = outlay * wish.price[rows] / wish.paid[rows]
        stakes[rows] = np.where(stake >= SMALLEST, stake, 0.0)
        bankrolls[rows] = base
        purse.buy(rows, stakes[rows])
    return _book(lines, wish, stakes, bankrolls, capital)


def replay_own(lines: MarketLines, own: OwnBets, *, capital: float = CAPITAL) -> BetBook:
    """The book of bets as they were placed: no gate, threshold, cap or brake applies.

    Args:
        lines: The market of n lines.
        own: Sides and dollars, one a line.
        capital: Dollars at the start.

    Raises:
        ValueError: Columns of unequal length, a stake below 0, or a bet that has no price.
    """
    stake = finite(own.stake, "stake")
    if not stake.shape == own.yes.shape == (len(lines),) or (stake < 0).any():
        raise ValueError("one stake a line, none below 0")
    price = np.where(own.yes, lines.ask, 1 - lines.bid)
    bet = stake > 0
    if not ((price > 0) & (price <= 1))[bet].all():
        raise ValueError("a bet without a price")
    why = np.where(bet, -1, _CODES[PassReason.NO_STAKE])
    fee = np.where(own.yes, lines.fee_yes, lines.fee_no)
    wish = _Wishes(own.yes, price, price + fee, stake, why)
    bankrolls = _bankrolls(lines, wish, np.flatnonzero(bet), capital)
    return _book(lines, wish, stake, bankrolls, capital)


def _bankrolls(lines: MarketLines, wish: "_Wishes", rows: Whole, capital: float) -> Floats:
    """The capital and the P/L of what was settled by the moment of each bet; NaN of no bet.

    A bet that is settled at its own moment is paid out at the next one.
    """
    if not 0 < capital < float("inf"):
        raise ValueError(f"capital is above 0, not {capital}")
    bankrolls = np.full(len(lines), np.nan)
    moments, turn = np.unique(lines.at[rows], return_inverse=True)
    pnl, _ = _outcome(lines, wish, rows, wish.fraction[rows])
    settled = np.flatnonzero(~np.isnan(pnl))
    paid = np.searchsorted(moments, lines.settled[rows][settled])
    paid = np.maximum(paid, turn[settled] + 1)
    order = np.argsort(paid, kind="stable")
    ends = np.searchsorted(paid[order], np.arange(len(moments)), side="right").tolist()
    due = pnl[settled][order].tolist()
    worth, by_moment = [capital], []
    for start, end in pairwise([0, *ends]):
        worth = _exact_partials([*worth, *due[start:end]])
        by_moment.append(max(fsum(worth), 0.0))
    bankrolls[rows] = np.array(by_moment)[turn]
    return bankrolls


def _exact_partials(values: Sequence[float]) -> list[float]:
    """A few floats with exactly the sum of all these."""
    partials: list[float] = []
    while rest := fsum([*values, *(-part for part in partials)]):
        partials.append(rest)
    return partials


@dataclass(frozen=True, slots=True, eq=False)
class _Wishes:
    """Side, price without and with fee, part of the bankroll, and why not (-1: a bet)."""

    yes: Flags
    price: Floats
    paid: Floats
    fraction: Floats
    passed: Whole


_CODES: Final = {reason: number for number, reason in enumerate(PassReason)}


def _wishes(lines: MarketLines, p: Floats, rule: Policy) -> _Wishes:
    """What would be bet on each line by itself."""
    on_yes, on_no = lines.ask + lines.fee_yes, 1 - lines.bid + lines.fee_no
    yes = np.nan_to_num(p - on_yes, nan=-1.0) >= np.nan_to_num(1 - p - on_no, nan=-1.0)
    price = np.where(yes, lines.ask, 1 - lines.bid)
    paid = np.where(yes, on_yes, on_no)
    side = np.where(yes, p, 1 - p)
    fair = np.where(yes, lines.fair, 1 - lines.fair)
    tradable = (price > 0) & (paid < 1) & ~np.isnan(fair)
    sane = ~np.isnan(p) & tradable
    net = np.where(sane, 1 / np.where(sane, paid, 0.5) - 1, 1.0)
    belief, market = np.where(sane, side, 0.0), np.where(sane, fair, 0.5)
    checks = {
        PassReason.NO_FORECAST: np.isnan(p),
        PassReason.GATE_FIRED: lines.gated,
        PassReason.NO_PRICE: ~tradable,
        PassReason.NO_EDGE: ~(belief > paid),
        PassReason.BELOW_THRESHOLD: ~exceeds(belief - market, rule.threshold),
    }
    why = np.select(list(checks.values()), [_CODES[reason] for reason in checks], -1)
    fraction = np.where(why < 0, rule.sizing.fraction(belief, net, market), 0.0)
    return _Wishes(yes, price, paid, fraction, why)


class _Purse:
    """The bankroll as it goes along: settled by time, with what is still tied up."""

    def __init__(self, lines: MarketLines, wish: _Wishes, capital: float) -> None:
        if not 0 < capital < float("inf"):
            raise ValueError(f"capital is above 0, not {capital}")
        self._lines, self._wish = lines, wish
        self._state: Drawdown = opened(capital)
        self._settled = [capital]
        self._open: list[tuple[int, float, float]] = []
        self._events = np.zeros(int(lines.event.max(initial=-1)) + 1)
        self._day = lines.at.astype("datetime64[D]").astype(np.int64)
        self._used: defaultdict[int, float] = defaultdict(float)  # of each day
        self._settles = np.where(np.isnat(lines.settled), NEVER, _ticks(lines.settled))
        self.tied = 0.0

    def at(self, now: int, brakes: Brakes | None) -> tuple[float, Mode]:
        """Bankroll and mode once all that settled by a moment has been paid out."""
        due = [bet for bet in self._open if bet[0] <= now]
        self._open = [bet for bet in self._open if bet[0] > now]
        self._settled = _exact_partials([*self._settled, *(pnl for _, pnl, _ in due)])
        bankroll = fsum(self._settled)
        self.tied = fsum(outlay for _, _, outlay in self._open)
        self._state = after(self._state, bankroll, brakes)
        return max(bankroll, 0.0), self._state.mode if brakes else Mode.NORMAL

    def cut(self, rows: Whole, parts: Floats, limits: StakeLimits | None) -> Floats:
        """Cut what is wished for at one moment to what its events and its day still allow."""
        if limits is None:
            return parts
        day = int(self._day[rows[0]])
        each = self._lines.event[rows].tolist()
        number = {event: n for n, event in enumerate(dict.fromkeys(each))}
        events, group = [*number], np.array([number[event] for event in each], np.intp)
        kept = within(parts, group, limits.event_cap, self._events[events])
        kept = within(kept, np.zeros(len(rows), np.intp), limits.day_cap, self._used[day])
        self._used[day] += float(kept.sum())
        self._events[events] += np.bincount(group, kept, minlength=len(events))
        return kept

    def buy(self, rows: Whole, stakes: Floats) -> None:
        """Take on bets of one moment."""
        pnl, fee = _outcome(self._lines, self._wish, rows, stakes)
        outlay = (stakes + fee).tolist()
        self._open += zip(self._settles[rows].tolist(), pnl.tolist(), outlay, strict=True)
        self.tied += fsum(outlay)


def _ticks(moments: Times) -> Whole:
    return moments.astype(_TICKS).astype(np.int64)


def _outcome(
    lines: MarketLines, wish: _Wishes, rows: Whole, stakes: Floats
) -> tuple[Floats, Floats]:
    """P/L of bets, NaN while open, and their fees."""
    price = wish.price[rows]
    fee = stakes / price * (wish.paid[rows] - price)
    paid = np.where(wish.yes[rows], lines.payout[rows], 1 - lines.payout[rows])
    pnl = np.where(np.isnan(paid), 0.0, stakes / price * paid - stakes) - fee
    return np.where(np.isnat(lines.settled[rows]), np.nan, pnl), fee


def _book(
    lines: MarketLines, wish: _Wishes, stakes: Floats, bankrolls: Floats, capital: float
) -> BetBook:
    why = np.where((wish.passed < 0) & ~(stakes > 0), _CODES[PassReason.NO_STAKE], wish.passed)
    rows = np.flatnonzero(why < 0)
    pnl, fee = _outcome(lines, wish, rows, stakes[rows])
    shares = stakes[rows] / wish.price[rows]
    settled = ~np.isnan(pnl)
    when, turn = np.unique(lines.settled[rows][settled], return_inverse=True)
    path = capital + np.cumsum(np.bincount(turn, pnl[settled], minlength=len(when)))
    return BetBook(
        rows=rows,
        yes=wish.yes[rows],
        price=wish.price[rows],
        stake=stakes[rows],
        shares=shares,
        fee=fee,
        bankroll=bankrolls[rows],
        pnl=pnl,
        capital=capital,
        lowest=float(path.min(initial=capital)),
        passed={r: int((why == n).sum()) for r, n in _CODES.items() if (why == n).any()},
    )
