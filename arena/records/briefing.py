"""Everything a contestant may know when it decides: nothing else is shown to it."""

from dataclasses import dataclass, replace
from datetime import datetime

from arena.records.cohort import CohortId, ContestantId, Rules
from arena.records.market import HONEYPOT, Market, MarketId, Quote, Side
from arena.records.money import Price, Shares, Usd


@dataclass(frozen=True, slots=True)
class Offer:
    """A market that can be traded now, under the short name its reply must use."""

    alias: str
    market: Market
    quote: Quote


@dataclass(frozen=True, slots=True)
class Holding:
    """A position as its owner is shown it: `worth` is the price its own side sells at now.

    `alias` is None where it cannot be sold now; `is_closed` says that its market trades no
    more and waits for its outcome.
    """

    alias: str | None
    market: MarketId
    question: str
    side: Side
    shares: Shares
    cost: Usd
    worth: Price | None
    is_closed: bool = False


@dataclass(frozen=True, slots=True)
class Briefing:
    """One contestant's view of one round, taken at `at` and never refreshed.

    `offers` are the same for every contestant of the round. `sell_only` are markets it holds
    that the round does not offer: what is held can be sold. `cap` is the largest stake and
    `floor` the smallest, in dollars. `started_at` is the cohort's start. `seed` was drawn for
    the round: offers stand in the order, and under the aliases, that it gave.
    """

    cohort: CohortId
    round: int
    contestant: ContestantId
    at: datetime
    offers: tuple[Offer, ...]
    cash: Usd
    cap: Usd
    floor: Usd
    holdings: tuple[Holding, ...]
    rules: Rules
    sell_only: tuple[Offer, ...] = ()
    started_at: datetime | None = None
    seed: str = ""

    @property
    def real(self) -> "Briefing":
        """The briefing without a made-up market, for contestants that read no texts."""
        real = tuple(o for o in self.offers if o.market.venue != HONEYPOT)
        return self if len(real) == len(self.offers) else replace(self, offers=real)
