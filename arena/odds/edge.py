"""How far a forecast is from the market, and whether that is far enough to act on.

The gate says when a price is too restless, too thin or too old to be bet into.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from math import isfinite
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.odds import Flags, Floats, alike, books, finite, probabilities
from arena.odds.devig import OddsVenue, devig, out_of_band

GATE_DECIMALS = 9


class GateReason(StrEnum):
    """Why a leg is suppressed, in the order in which the rules are asked."""

    Z_OUT_OF_BAND = "Z_OUT_OF_BAND"
    NAMED_EVENT_6H = "NAMED_EVENT_6H"
    PRICE_DISCOVERY_INTRA_BOOK = "PRICE_DISCOVERY_INTRA_BOOK"
    PRICE_DISCOVERY_CROSS_BOOK = "PRICE_DISCOVERY_CROSS_BOOK"
    LIQUIDITY_POLYMARKET_LOW = "LIQUIDITY_POLYMARKET_LOW"
    LIQUIDITY_PINNACLE_STALE = "LIQUIDITY_PINNACLE_STALE"


@dataclass(frozen=True, slots=True)
class GateRules:
    """The thresholds; a value exactly on one passes."""

    news_within: timedelta = timedelta(hours=6)
    largest_move: float = 0.03
    largest_gap: float = 0.025
    least_volume: float = 50_000.0
    oldest_quote: timedelta = timedelta(hours=4)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is known of one leg at `at`; None where nobody looked, so that the rule abstains.

    `q` is the book's fair probability now and `q_before` half an hour ago, `q_exchange` an
    exchange's. `volume` is in dollars over 24 hours. `news` are the times of news about a
    participant: empty means that somebody looked and found none. `z` is the exponent of the
    power method, and `venue` whose odds it came from.
    """

    at: datetime
    q: float | None = None
    q_before: float | None = None
    q_exchange: float | None = None
    volume: float | None = None
    quoted_at: datetime | None = None
    news: tuple[datetime, ...] | None = None
    z: float | None = None
    venue: OddsVenue = OddsVenue.BOOKMAKER

    def __post_init__(self) -> None:
        inputs = (self.q, self.q_before, self.q_exchange, self.volume, self.z)
        if not all(isfinite(number) for number in inputs if number is not None):
            raise ValueError(f"what is not known is None, not NaN or infinite: {inputs}")


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """The first rule that fired, None for a pass, and every rule that had nothing to go by.

    A gate that knows nothing lets everything through, so abstentions are kept and counted.
    """

    fired: GateReason | None
    abstained: tuple[GateReason, ...]


def gate(leg: Snapshot, rules: GateRules | None = None) -> GateVerdict:
    """Ask five rules in their order; the first to fire wins.

    An exponent out of its band suppresses the leg before any rule is asked, because then the
    odds themselves are doubtful; without odds that check is no rule and does not abstain.
    News from after `at` is not looked at.

    Raises:
        ValueError: The quote is from after `at`: the caller is looking ahead.

    Source:
        "The 45 Percent Problem", market/volatility_gate.py; there an abstention is silent.
    """
    if leg.quoted_at is not None and leg.quoted_at > leg.at:
        raise ValueError(f"a quote of {leg.quoted_at} is from after {leg.at}")
    answers = _answers(leg, rules or GateRules())
    fired = next((reason for reason, answer in answers.items() if answer), None)
    if leg.z is not None and bool(out_of_band(leg.z, leg.venue)):
        fired = GateReason.Z_OUT_OF_BAND
    return GateVerdict(fired, tuple(r for r, answer in answers.items() if answer is None))


def abstentions(verdicts: Iterable[GateVerdict]) -> Mapping[GateReason, int]:
    """How many times each of the five rules had nothing to go by."""
    counts = Counter(reason for verdict in verdicts for reason in verdict.abstained)
    return {
        reason: counts[reason]
        for reason in GateReason
        if reason is not GateReason.Z_OUT_OF_BAND
    }


def _answers(leg: Snapshot, rules: GateRules) -> Mapping[GateReason, bool | None]:
    age = None if leg.quoted_at is None else leg.at - leg.quoted_at
    return {
        GateReason.NAMED_EVENT_6H: _news(leg, rules.news_within),
        GateReason.PRICE_DISCOVERY_INTRA_BOOK: _apart(leg.q, leg.q_before, rules.largest_move),
        GateReason.PRICE_DISCOVERY_CROSS_BOOK: _apart(leg.q, leg.q_exchange, rules.largest_gap),
        GateReason.LIQUIDITY_POLYMARKET_LOW: (
            None if leg.volume is None else leg.volume < rules.least_volume
        ),
        GateReason.LIQUIDITY_PINNACLE_STALE: None if age is None else age > rules.oldest_quote,
    }


def _news(leg: Snapshot, within: timedelta) -> bool | None:
    if leg.news is None:
        return None
    return any(timedelta(0) <= leg.at - when < within for when in leg.news)


def _apart(here: float | None, there: float | None, limit: float) -> bool | None:
    if here is None or there is None:
        return None
    return round(abs(here - there), GATE_DECIMALS) > limit


MAINLINE: Final = 0.03
DERIVATIVE: Final = 0.05
MAINLINE_CLASSES: Final = frozenset(
    {"1x2", "match_winner", "group_winner", "tournament_winner"}
)
PATHS: Final = 10_000  # of the simulation that a probability was counted in
DRAWS: Final = 50
TICK: Final = 0.005
LOWEST_ODDS: Final = 1.001
DECIMALS: Final = 9
ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """One number a leg, in the shape of p; `two_sided` one a book.

    `edge` is p - q, `standardised` is edge / sqrt(sigma_p^2 + sigma_q^2), NaN where both are
    0. `two_sided` warns of flagged legs of opposite sign in one book: since the edges of a
    book add up to 0 that is ordinary, and no sign of an error.
    """

    edge: Floats
    sigma_p: Floats
    sigma_q: Floats
    standardised: Floats
    flagged: Flags
    two_sided: Flags


def threshold(
    market_class: str,
    mainline: Collection[str] = MAINLINE_CLASSES,
    limits: tuple[float, float] = (MAINLINE, DERIVATIVE),
) -> float:
    """Distance that a class of markets must exceed: the first limit for main lines.

    An unknown class counts as derivative, and has the second.

    >>> threshold("1x2"), threshold("corners")
    (0.03, 0.05)
    """
    return limits[0] if market_class.lower().strip() in mainline else limits[1]


def exceeds(edge: ArrayLike, limit: ArrayLike) -> Flags:
    """Whether |edge| > limit, both rounded to a billionth: 0.33 - 0.30 is not above 0.03.

    >>> bool(exceeds(0.33 - 0.30, 0.03))
    False
    """
    sizes = np.round(np.abs(finite(edge, "edge")), DECIMALS)
    return np.asarray(sizes > np.round(finite(limit, "limit"), DECIMALS))


def exceeds_source_c(edge: ArrayLike, limit: ArrayLike) -> Flags:
    """Whether |edge| > limit as floats are: true of 0.33 - 0.30, false of 0.48 - 0.45.

    Source:
        "The 45 Percent Problem", market/edge_calculator.py.
    """
    return np.asarray(np.abs(finite(edge, "edge")) > finite(limit, "limit"))


def sigma_p(p: ArrayLike, paths: int = PATHS) -> Floats:
    """Standard error of a probability that was counted in `paths` simulated worlds."""
    if paths < 1:
        raise ValueError("a simulation has at least one path")
    forecasts = probabilities(p, "p")
    return np.sqrt(forecasts * (1 - forecasts) / paths)


def sigma_q(
    odds: ArrayLike,
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
) -> Floats:
    """Standard deviation of fair probabilities when odds are known to a tick only.

    Each draw moves every decimal odd by U(-tick, tick), no lower than 1.001, and takes the
    margin out again by the power method; the deviation has divisor draws - 1.

    Args:
        odds: Decimal odds, shape (..., K), one book along the last axis.
        rng: Chance.
        draws: How many times, at least 2.

    Returns:
        One deviation a leg, in the shape of the odds.

    Raises:
        ValueError: As `devig`, or fewer than two draws.

    Source:
        "The 45 Percent Problem", market/edge_calculator.py (50 draws of half a tick of 0.01).
    """
    if draws < 2:  # noqa: PLR2004  draws
        raise ValueError("a deviation needs two draws")
    table = books(odds)
    moved = table + rng.uniform(-TICK, TICK, (draws, *table.shape))
    fair = devig(np.maximum(moved, LOWEST_ODDS)).q
    return np.asarray(fair.std(axis=0, ddof=1))


def sigma_q_source_c(q: ArrayLike) -> Floats:
    """The source's stand-in where the odds are not at hand: sqrt(q (1 - q) / 50)."""
    return sigma_p(q, DRAWS)


def edges(
    p: ArrayLike,
    q: ArrayLike,
    deviation_q: ArrayLike,
    *,
    limit: float = MAINLINE,
    paths: int = PATHS,
) -> Edges:
    """Edges of forecasts p over fair probabilities q.

    Args:
        p: Forecasts, shape (..., K), one book along the last axis.
        q: Fair probabilities of the same shape.
        deviation_q: How surely q is known: `sigma_q`, or half the spread of an exchange.
        limit: What |edge| must exceed to be flagged: `threshold(market_class)`.
        paths: Of the simulation that p was counted in.

    Raises:
        ValueError: A probability outside [0, 1], a negative deviation, or unequal shapes.

    >>> edges([0.5, 0.3, 0.2], [0.45, 0.3, 0.25], [0.0, 0.0, 0.0]).flagged.tolist()
    [True, False, True]
    """
    ours, theirs = probabilities(p, "p"), probabilities(q, "q")
    unsure = finite(deviation_q, "deviation_q")
    alike(p=ours, q=theirs, deviation_q=unsure)
    if (unsure < 0).any():
        raise ValueError("a deviation is not below 0")
    edge, own = ours - theirs, sigma_p(ours, paths)
    both = np.hypot(own, unsure)
    uncertain = both > ROUNDING
    flagged = exceeds(edge, limit)
    up, down = flagged & (edge > 0), flagged & (edge < 0)
    return Edges(
        edge=edge,
        sigma_p=own,
        sigma_q=unsure,
        standardised=np.where(uncertain, edge / np.where(uncertain, both, 1), np.nan),
        flagged=flagged,
        two_sided=np.asarray(up.any(axis=-1) & down.any(axis=-1)),
    )
