"""Who a contestant is, as the configuration tells the pages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from arena.records.claim import Season
from arena.records.cohort import ContestantId
from arena.records.settings import SiteSettings


@dataclass(frozen=True, slots=True)
class BaselineText:
    """What a page says of a baseline: its label, and what it is there for."""

    label: str
    purpose: str


BASELINES: Mapping[str, BaselineText] = {
    "market": BaselineText(
        "Market price",
        "It says the market's own price and never bets: a forecast must beat it.",
    ),
    "always_no": BaselineText(
        "Always NO", "It calls every market too dear for YES and bets NO on each."
    ),
    "favourite": BaselineText("Favourite", "It bets on the side that the price favours."),
    "longshot": BaselineText("Longshot", "It bets on the side that the price disfavours."),
    "coin_flip": BaselineText(
        "Coin flip", "It says one half everywhere and lets a fair coin choose its side."
    ),
    "equal_weight": BaselineText("Equal weight", "It buys YES everywhere, as much of each."),
    "hold_cash": BaselineText("Hold cash", "It never bets: a return above zero must beat it."),
}
"""The baselines that come with the arena, by the name of their agent: references everywhere."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A contestant as it is introduced; empty text where nobody said.

    `model` is what its provider calls the model. A `reference` is there to be compared with:
    a baseline that knows nothing but prices. Prices are dollars a million tokens. `copy_of` is
    the name that several identical contestants were entered under, `of` are those that a
    derived one is made from. `options` are what its agent was set to, as text. `price_blind`
    says that it is never shown a price.
    """

    id: ContestantId
    label: str = ""
    agent: str = ""
    prompt: str = ""
    provider: str = ""
    family: str = ""
    model: str = ""
    release: str = ""
    reference: bool = False
    price_in: Decimal | None = None
    price_out: Decimal | None = None
    retires_on: date | None = None
    copy_of: str = ""
    of: tuple[ContestantId, ...] = ()
    options: str = ""
    price_blind: bool = False


@dataclass(frozen=True, slots=True)
class Edition:
    """What a site is made for: who plays, and how it is published.

    A contestant that is not in the cast goes by its id. `season` is the first of the board's
    seasons; None for a board without an end.
    """

    cast: Mapping[ContestantId, Entrant] = field(default_factory=dict)
    site: SiteSettings = field(default_factory=SiteSettings)
    season: Season | None = None
