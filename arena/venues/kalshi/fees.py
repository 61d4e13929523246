"""What Kalshi charges a taker in a market: its series' terms, as its event changes them.

Source:
    https://kalshi.com/docs/kalshi-fee-schedule.pdf and the fields of
    https://docs.kalshi.com/python-sdk/models/Series: a taker pays 0.07 x multiplier x
    contracts x price x (1 - price).
"""

from dataclasses import dataclass
from decimal import Decimal

from arena.records.market import FeeKind, FeeModel
from arena.records.money import usd
from arena.venues.kalshi.fields import Row
from arena.venues.reading import moment, number, text
from arena.venues.rows import Origin

GENERAL_RATE = Decimal("0.07")
# A fee is a multiple of 0.0001, and then the balance of whoever trades through a broker is
# brought to a cent (https://docs.kalshi.com/getting_started/fee_rounding): the dearer of two.
STEP = usd("0.01")
MOST = 100  # times the general rate: beyond it no multiplier is meant
FREE = FeeModel()
NOT_KNOWN = FeeModel(FeeKind.UNKNOWN)


@dataclass(frozen=True, slots=True)
class KalshiFeeTerms:
    """How a fee is counted; None is what this series, or this event, says nothing about."""

    kind: str | None = None
    multiplier: Decimal | None = None

    def changed_by(self, other: "KalshiFeeTerms") -> "KalshiFeeTerms":
        """Give these terms with what others say in their place."""
        return KalshiFeeTerms(
            self.kind if other.kind is None else other.kind,
            self.multiplier if other.multiplier is None else other.multiplier,
        )

    @property
    def model(self) -> FeeModel:
        """The fee, where it is of the one form that is known: quadratic in the price."""
        kind, times = self.kind or "", self.multiplier
        if kind != "quadratic" and not kind.startswith("quadratic_with_"):
            return NOT_KNOWN
        if times is None or not 0 <= times <= MOST:
            return NOT_KNOWN
        return FeeModel(FeeKind.QUADRATIC, GENERAL_RATE * times, step=STEP) if times else FREE


NOTHING_SAID = KalshiFeeTerms()


def series_terms(series: Row) -> KalshiFeeTerms:
    """Read the terms of a series."""
    return _terms(series.get("fee_type"), series.get("fee_multiplier"))


def event_terms(event: Row) -> KalshiFeeTerms:
    """Read what an event changes about the terms of its series."""
    return _terms(event.get("fee_type_override"), event.get("fee_multiplier_override"))


def fee_of(market: Row, terms: KalshiFeeTerms, origin: Origin) -> FeeModel:
    """Give a market's fee at the origin's moment: there is none while it is waived."""
    waived = moment(market.get("fee_waiver_expiration_time"))
    return FREE if waived is not None and waived > origin.at else terms.model


def _terms(kind: object, multiplier: object) -> KalshiFeeTerms:
    return KalshiFeeTerms(text(kind) or None, number(multiplier))
