"""When a price is too restless, too thin or too old to be bet into."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from math import isfinite

from arena.odds.power import OddsVenue, out_of_band

DECIMALS = 9


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
    return round(abs(here - there), DECIMALS) > limit
