"""Closing line value of a model's bets by a champion's rules, over books of K outcomes."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from arena.odds.columns import Flags, Floats, alike, probabilities
from arena.odds.edge import exceeds
from arena.odds.staking import StakeLimits
from arena.scoring.bets.clv import clv
from arena.scoring.table import Whole


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
