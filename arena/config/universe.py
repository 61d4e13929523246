"""The keys of a cohort's universe, and the record they become."""

from typing import Annotated

from pydantic import Field

from arena.config.form import Form
from arena.config.kinds import Count, Dollars, Duration, Flag, Fraction, Title, choice
from arena.records.cohort import Quota, Ranking, Universe

UNIVERSE = Universe()


class UniverseForm(Form):
    """Which markets a round offers."""

    top: Count = UNIVERSE.top
    """How many markets, the largest first."""
    by: Annotated[Ranking, choice(Ranking)] = UNIVERSE.by
    """What the largest is: by volume to date, or of the last 24 hours."""
    min_volume: Dollars = UNIVERSE.min_volume
    """The smallest volume to date, in dollars or the market's own unit."""
    min_volume_24h: Dollars = UNIVERSE.min_volume_24h
    """The smallest volume of the last 24 hours, in the same unit."""
    min_liquidity: Dollars = UNIVERSE.min_liquidity
    """The least that stands in the book, in the same unit."""
    closes_after: Duration | None = UNIVERSE.closes_after
    """How long a market must stay open, counted from the round; without it, however short."""
    closes_within: Duration | None = UNIVERSE.closes_within
    """How soon a market must close, counted from the round; without it, whenever."""
    min_age: Duration | None = UNIVERSE.min_age
    """How long ago a market must have opened; without it, it may be new."""
    max_age: Duration | None = UNIVERSE.max_age
    """How long ago it may have opened at most; without it, whenever."""
    categories: tuple[Title, ...] = UNIVERSE.categories
    """The venue's categories to choose from, capitals or not; with none, all."""
    quotas: dict[Title, Count] = Field(default_factory=dict)
    """How many markets of a category at most, by category; any other has no limit."""
    include: tuple[Title, ...] = UNIVERSE.include
    """Patterns of which a question must hold one; with none, any question will do."""
    exclude: tuple[Title, ...] = UNIVERSE.exclude
    """Patterns of which a question may hold none."""
    per_event: Count | None = UNIVERSE.per_event
    """How many markets of one event at most; without it, any number."""
    distinct: Flag = UNIVERSE.distinct
    """Whether of markets that ask nearly the same only the largest is offered."""
    price_from: Fraction = UNIVERSE.price_from
    """The lowest price of YES, in the middle of the spread."""
    price_to: Fraction = UNIVERSE.price_to
    """The highest price of YES, in the middle of the spread."""
    not_started: Flag = UNIVERSE.not_started
    """Whether a game is left out once it has begun, where the venue says when."""

    def record(self) -> Universe:
        """Give the universe."""
        said = dict(self)
        quotas = (Quota(category, most) for category, most in sorted(self.quotas.items()))
        return Universe(**{**said, "quotas": tuple(quotas)})
