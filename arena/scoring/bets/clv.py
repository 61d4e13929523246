"""Closing line value: what later prices say about a bet, before its outcome does.

Also of a model's bets by a champion's rules, over books of K outcomes.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, stdtr

from arena.odds import Flags, Floats, alike, decimal_odds, finite, probabilities
from arena.odds.edge import exceeds
from arena.odds.staking import StakeLimits
from arena.records.estimate import Sided, State, Test
from arena.scoring.table import Whole
from arena.stats.columns import no_spread

ALPHA: Final = 0.05
COLUMNS: Final = ("q_open", "q_close", "price", "fee", "stake", "yes")


class Exclusion(StrEnum):
    """Why a bet has no closing line value."""

    NO_STAKE = "NO_STAKE"
    GATE_FIRED = "GATE_FIRED"
    NO_OPEN = "NO_OPEN"
    RESOLVED_BEFORE_CLOSE = "RESOLVED_BEFORE_CLOSE"
    NO_CLOSE = "NO_CLOSE"


@dataclass(frozen=True, slots=True, eq=False)
class Bets:
    """Bets on yes/no claims as columns of n rows.

    `q_open` is the fair P(YES) when the bet was decided, not the first quote of the day, and
    `q_close` the last one before the event; NaN where unknown. `price` is what a share of
    the side that was backed cost, `fee` what was charged a share on top, in dollars; `stake`
    the dollars, or the part of a bankroll, at risk; `yes` False is a bet on NO. `gated` and
    `resolved_first` (before there was a close) default to never.
    """

    q_open: Floats
    q_close: Floats
    price: Floats
    fee: Floats
    stake: Floats
    yes: Flags
    gated: Flags | None = None
    resolved_first: Flags | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ClosingLines:
    """One number a bet that could be valued, in their order; `rows` says which those are.

    `ev` is the primary one: what a dollar of stake is worth at the close, after margin and
    fees, less that dollar. `log_ratio` is NaN where the close is 0. `excluded` names each
    other row and why.
    """

    rows: Whole
    clv: Floats
    log_ratio: Floats
    difference: Floats
    ev: Floats
    stake: Floats
    excluded: Mapping[int, Exclusion] = field(default_factory=dict)

    @property
    def reasons(self) -> Mapping[Exclusion, int]:
        """How many bets each reason left out."""
        return dict(Counter(self.excluded.values()))


@dataclass(frozen=True, slots=True)
class NaiveZ:
    """Source C's Z-test as it reports it, zeros and all."""

    n: int
    mean: float
    sd: float
    z: float
    p: float
    reject: bool


def clv(q_open: ArrayLike, q_close: ArrayLike) -> Floats:
    """Ratio of fair probabilities of the outcome backed, less 1.

    Its mean is 0 when prices are a martingale. A long shot can weigh as much as all others.

    Raises:
        ValueError: A probability outside [0, 1], or an opening one of 0.

    >>> clv([0.4], [0.5]).round(6).tolist()
    [0.25]
    """
    opening, closing = _pair(q_open, q_close)
    return closing / opening - 1


def clv_log_source_c(d_open: ArrayLike, d_close: ArrayLike) -> Floats:
    """Log ratio of decimal odds with their margins in them.

    The source calls it log odds. A margin that shrinks from open to close reads as a loss,
    and even without one the mean is below 0 under a martingale (Jensen).

    Source:
        "The 45 Percent Problem", evaluation/clv_tracker.py.
    """
    opening, closing = decimal_odds(d_open), decimal_odds(d_close)
    alike(d_open=opening, d_close=closing)
    return np.asarray(np.log(opening) - np.log(closing))


def clv_log_ratio(q_open: ArrayLike, q_close: ArrayLike) -> Floats:
    """Log ratio of fair probabilities; minus infinity is refused: a close of 0 has none.

    Raises:
        ValueError: As `clv`, or a closing probability of 0.
    """
    opening, closing = _pair(q_open, q_close)
    if not (closing > 0).all():
        raise ValueError("a closing probability of 0 has no logarithm")
    return np.asarray(np.log(closing / opening))


def clv_difference(q_open: ArrayLike, q_close: ArrayLike) -> Floats:
    """Probability points gained from decision to close."""
    opening, closing = probabilities(q_open, "q_open"), probabilities(q_close, "q_close")
    alike(q_open=opening, q_close=closing)
    return closing - opening


def ev_clv(d_taken: ArrayLike, q_close: ArrayLike) -> Floats:
    """Expected profit a dollar at the odds taken, if the close is right: d q - 1.

    Raises:
        ValueError: Odds not above 1, or a probability outside [0, 1].

    >>> ev_clv([2.44], [0.5]).round(6).tolist()
    [0.22]
    """
    odds, closing = decimal_odds(d_taken), probabilities(q_close, "q_close")
    alike(d_taken=odds, q_close=closing)
    return odds * closing - 1


def ev_clv_contract(price: ArrayLike, fee: ArrayLike, q_close: ArrayLike) -> Floats:
    """Expected profit a dollar of a share bought at `price`: (q - price - fee)/price.

    Args:
        price: Dollars paid for a share of the side backed, above 0.
        fee: Dollars charged a share on top.
        q_close: Fair probability of that side at the close.

    Raises:
        ValueError: A price or a probability outside [0, 1], a price of 0, a fee below 0.
    """
    paid, closing = _pair(price, q_close)
    charged = finite(fee, "fee")
    alike(price=paid, fee=charged)
    if (charged < 0).any():
        raise ValueError("a fee is not below 0")
    return (closing - paid - charged) / paid


def closing_lines(bets: Bets) -> ClosingLines:
    """Value every bet that can be, on the side it backed, and say why the others cannot.

    A bet on NO is valued by the probabilities of NO. The first reason of `Exclusion` that
    fits is given. A close of 0 or 1 is as a rule an outcome: name it in `resolved_first`.

    Raises:
        ValueError: Columns of unequal length, or what is known is out of range.
    """
    alike(**{name: getattr(bets, name) for name in COLUMNS})
    reasons = _reasons(bets)
    rows = np.flatnonzero(np.array([reason is None for reason in reasons], np.bool_))
    yes = bets.yes[rows]
    opening = np.where(yes, bets.q_open[rows], 1 - bets.q_open[rows])
    closing = np.where(yes, bets.q_close[rows], 1 - bets.q_close[rows])
    return ClosingLines(
        rows,
        clv(opening, closing),
        np.log(closing / opening, where=closing > 0, out=np.full(len(rows), np.nan)),
        clv_difference(opening, closing),
        ev_clv_contract(bets.price[rows], bets.fee[rows], closing),
        finite(bets.stake[rows], "stake"),
        {row: reason for row, reason in enumerate(reasons) if reason is not None},
    )


def cumulative(series: ArrayLike, stake: ArrayLike | None = None) -> Floats:
    """Running sum of a series in time order, each weighted by its stake if there is one."""
    values = finite(series, "series")
    return np.cumsum(values if stake is None else values * finite(stake, "stake"))


def stake_weighted(series: ArrayLike, stake: ArrayLike) -> float | None:
    """Mean weighted by stakes: value a dollar, not a bet. None where nothing was staked."""
    values, weights = finite(series, "series"), finite(stake, "stake")
    alike(series=values, stake=weights)
    total = float(weights.sum())
    return float(values @ weights) / total if total > 0 else None


def z_critical(alpha: float = ALPHA) -> float:
    """Normal quantile that a one-sided test of size `alpha` must exceed.

    >>> round(z_critical(), 6)
    1.644854
    """
    return float(ndtri(1 - alpha))


def clv_z_source_c(series: ArrayLike, alpha: float = ALPHA) -> NaiveZ:
    """Z = mean / (sd / sqrt n) of bets taken as independent; 0 where sd is exactly 0.

    A constant series has an sd of rounding error or of 0, whichever its length gives, so
    that Z is huge or 0; `clv_t` says that it cannot be tested.

    Source:
        "The 45 Percent Problem", evaluation/clv_tracker.py.
    """
    values = finite(series, "series")
    n = len(values)
    mean = float(values.mean()) if n else 0.0
    sd = float(values.std(ddof=1)) if n > 1 else 0.0
    z = mean / (sd / sqrt(n)) if sd > 0 else 0.0
    return NaiveZ(n, mean, sd, z, float(ndtr(-z)), z > z_critical(alpha))


def clv_t(series: ArrayLike) -> Test:
    """One-sided t-test that the mean is above 0, with n - 1 degrees of freedom.

    It takes bets as independent, which several on one event are not: a lower bound on p.

    Source:
        Student (1908), Biometrika 6.
    """
    values = finite(series, "series")
    n = len(values)
    test = Test("clv t", n, n, sided=Sided.GREATER, state=State.EMPTY)
    if not n:
        return test
    mean = float(values.mean())
    if n == 1:
        return replace(test, estimate=mean, state=State.SINGLE)
    sd = float(values.std(ddof=1))
    if no_spread(sd, mean):
        return replace(test, estimate=mean, state=State.DEGENERATE)
    se = sd / sqrt(n)
    p = float(stdtr(n - 1, -mean / se))
    return Test("clv t", n, n, mean, se, mean / se, (n - 1.0,), p, Sided.GREATER)


def _pair(opening: ArrayLike, closing: ArrayLike) -> tuple[Floats, Floats]:
    first, last = probabilities(opening, "opening"), probabilities(closing, "closing")
    alike(opening=first, closing=last)
    if not (first > 0).all():
        raise ValueError("an opening probability of 0 has no ratio")
    return first, last


def _reasons(bets: Bets) -> list[Exclusion | None]:
    never = np.zeros(bets.stake.shape, np.bool_)
    opening = np.where(bets.yes, bets.q_open, 1 - bets.q_open)
    checks = {
        Exclusion.NO_STAKE: ~(bets.stake > 0),
        Exclusion.GATE_FIRED: never if bets.gated is None else bets.gated,
        Exclusion.NO_OPEN: ~(opening > 0),
        Exclusion.RESOLVED_BEFORE_CLOSE: (
            never if bets.resolved_first is None else bets.resolved_first
        ),
        Exclusion.NO_CLOSE: np.isnan(bets.q_close),
    }
    reasons: list[Exclusion | None] = [None] * len(never)
    for reason, fits in reversed(checks.items()):
        for row in np.flatnonzero(fits):
            reasons[row] = reason
    return reasons


class PseudoPassReason(StrEnum):
    """Why a match has no bet."""

    NO_CLOSE = "NO_CLOSE"
    GATE_FIRED = "GATE_FIRED"
    NO_EDGE = "NO_EDGE"
    BELOW_THRESHOLD = "BELOW_THRESHOLD"


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """The champion's market: n matches of K outcomes each.

    `q_open` and `q_close` (n, K) are fair probabilities, a closing row of NaN is missing;
    `gated` (n,) says where the gate fired, `limit` (n,) what an edge must exceed.
    """

    q_open: Floats
    q_close: Floats
    gated: Flags
    limit: Floats


@dataclass(frozen=True, slots=True, eq=False)
class PseudoBook:
    """One bet a match at most: its row, its outcome, its stake as a fraction, its CLV."""

    rows: Whole
    outcome: Whole
    edge: Floats
    stake: Floats
    clv: Floats
    passed: Mapping[PseudoPassReason, int]


def fair_odds_stake(edge: ArrayLike, q: ArrayLike, part: ArrayLike) -> Floats:
    """A part of full Kelly at the fair odds 1/q: part x edge/(1 - q).

    >>> fair_odds_stake(0.06, 0.4, 0.25).round(6).item()
    0.025
    """
    fair = probabilities(q, "q")
    if not (fair < 1).all():
        raise ValueError("a sure outcome pays nothing")
    return np.asarray(np.asarray(part) * np.asarray(edge) / (1 - fair))


def pseudo_stake_source_c(edge: ArrayLike, q: ArrayLike, part: ArrayLike) -> Floats:
    """What the source's replay stakes: part x edge/(1/q - 1), too little by the factor q.

    Source:
        "The 45 Percent Problem", evaluation/pseudo_clv.py.

    >>> pseudo_stake_source_c(0.06, 0.4, 0.25).round(6).item()
    0.01
    """
    return np.asarray(fair_odds_stake(edge, q, part) * np.asarray(q))


def pseudo_clv(p: ArrayLike, matches: Matches, limits: StakeLimits | None = None) -> PseudoBook:
    """Back each match's largest edge above its threshold, at fair-odds Kelly, capped.

    Args:
        p: The model's probabilities, shape (n, K).
        matches: The champion's lines, gate and thresholds; only p is the model's own.
        limits: Fractions and caps; a long shot is one by q, never by p.

    Raises:
        ValueError: A probability outside [0, 1], or unequal shapes.

    Source:
        The pseudo-CLV of "The 45 Percent Problem" as its methods page describes it, but for
        what a long shot is: see `pseudo_clv_longshot_by_p`.
    """
    best = _best(p, matches)
    return _capped(matches, best, limits or StakeLimits(), held_against=best.q)


def pseudo_clv_longshot_by_p(
    p: ArrayLike, matches: Matches, limits: StakeLimits | None = None
) -> PseudoBook:
    """`pseudo_clv`, but a long shot is one by the model's own p, as the source's page says.

    A model that believes in an outsider then stakes a whole part of Kelly on it; the
    source's code, and its page on sizing, go by q.

    Source:
        "The 45 Percent Problem", vault/evaluation, on pseudo-CLV: long shots have p < 0.10.
    """
    best = _best(p, matches)
    return _capped(matches, best, limits or StakeLimits(), held_against=best.p)


def pseudo_clv_source_c(
    p: ArrayLike, matches: Matches, limits: StakeLimits | None = None
) -> PseudoBook:
    """The replay as the source's code runs it: its stakes, no caps, and >= the threshold.

    Its book is not the champion's own even for the champion's own p.

    Source:
        "The 45 Percent Problem", evaluation/pseudo_clv.py.
    """
    best = _best(p, matches)
    stake = pseudo_stake_source_c(best.edge, best.q, _part(best.q, limits or StakeLimits()))
    return _book(matches, best, stake, best.edge >= matches.limit)


@dataclass(frozen=True, slots=True, eq=False)
class _Best:
    outcome: Whole
    edge: Floats
    q: Floats
    p: Floats


def _best(p: ArrayLike, matches: Matches) -> _Best:
    model, fair = probabilities(p, "p"), probabilities(matches.q_open, "q_open")
    alike(p=model, q_open=fair, q_close=matches.q_close)
    edge = np.where((fair > 0) & (model > fair), model - fair, 0.0)
    outcome = edge.argmax(axis=1) if edge.size else np.zeros(len(edge), np.intp)
    at = np.arange(len(edge)), outcome
    return _Best(outcome, edge[at], np.where(edge[at] > 0, fair[at], 0.0), model[at])


def _capped(
    matches: Matches, best: _Best, rule: StakeLimits, *, held_against: Floats
) -> PseudoBook:
    """The right stakes and caps, with long shots told by one of two probabilities."""
    stake = fair_odds_stake(best.edge, best.q, _part(held_against, rule))
    cap = np.where(held_against < rule.longshot_below, rule.longshot_cap, rule.cap)
    return _book(matches, best, np.minimum(stake, cap), exceeds(best.edge, matches.limit))


def _part(p: Floats, limits: StakeLimits) -> Floats:
    return np.where(p < limits.longshot_below, limits.longshot_fraction, limits.fraction)


def _book(matches: Matches, best: _Best, stake: Floats, far: Flags) -> PseudoBook:
    closing = matches.q_close[np.arange(len(far)), best.outcome]
    checks = {
        PseudoPassReason.NO_CLOSE: np.isnan(closing),
        PseudoPassReason.GATE_FIRED: matches.gated,
        PseudoPassReason.NO_EDGE: ~(best.edge > 0),
        PseudoPassReason.BELOW_THRESHOLD: ~far,
    }
    why = np.select(list(checks.values()), list(range(1, len(checks) + 1)), 0)
    rows = np.flatnonzero(why == 0)
    passed = Counter(list(checks)[code - 1] for code in why[why > 0])
    return PseudoBook(
        rows,
        best.outcome[rows],
        best.edge[rows],
        stake[rows],
        clv(best.q[rows], closing[rows]),
        dict(passed),
    )
