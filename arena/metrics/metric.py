"""What a number of the arena is, and how it is written."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from arena.metrics import figures

_PERSONS = frozenset({"Brier", "Sharpe"})


class MetricUnit(StrEnum):
    """What a number counts."""

    DOLLARS = "dollars"
    PERCENT = "percent"
    SCORE = "score from 0 to 1"
    LOSS = "score"
    POINTS = "points of 100"
    PROBABILITY = "probability"
    PRICE = "dollars a share"
    SHARES = "shares"
    COUNT = "count"
    SECONDS = "seconds"
    NONE = "no unit"


class BetterDirection(StrEnum):
    """Which way is good."""

    HIGHER = "higher is better"
    LOWER = "lower is better"
    NEITHER = "neither way is better"


@dataclass(frozen=True, slots=True)
class Metric:
    """A number of the arena. `short` heads its column, `formulas` are read by `mathml`.

    `interval` says how its interval is made, if it has one, and `reference` what it is measured
    against. `source` says where the definition comes from, `caveat` what it must not be taken
    for.
    """

    key: str
    name: str
    short: str
    words: str
    symbol: str = ""
    formulas: tuple[str, ...] = ()
    unit: MetricUnit = MetricUnit.NONE
    better: BetterDirection = BetterDirection.NEITHER
    decimals: int = 0
    signed: bool = False
    interval: str = ""
    reference: str = ""
    source: str = "this arena"
    caveat: str = ""

    @property
    def spoken(self) -> str:
        """The name inside a sentence: with a capital only where it begins with a person's."""
        begins, _, rest = self.name.partition(" ")
        kept = begins in _PERSONS or not begins[1:].islower()
        return self.name if kept else f"{begins.lower()} {rest}".strip()

    def shown(self, value: Decimal | float | None) -> str:
        """Write a value of this metric; None is `n/a`."""
        if self.unit is MetricUnit.PERCENT:
            return figures.percent(value, self.decimals, signed=self.signed)
        if self.unit is MetricUnit.DOLLARS:
            return figures.dollars(value, self.decimals, signed=self.signed)
        text = figures.number(value, self.decimals, signed=self.signed)
        return text if value is None or self.unit is not MetricUnit.SECONDS else f"{text} s"
