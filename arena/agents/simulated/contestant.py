"""A simulated contestant: it is told the fair prices to come, and asked without a prompt."""

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from typing import Protocol, runtime_checkable

from arena.agents.options import PluginOptions
from arena.agents.reply import write_reply
from arena.agents.simulated.stance import (
    LIMITS,
    BuyableShare,
    SellableShare,
    SimulatedSkill,
    TradeLimits,
    forecast,
    skill_of,
    stance,
    uniform,
)
from arena.ports import Backstage
from arena.records.answer import Answer, Attempt, Briefing, Completion, Offer, Trouble, Usage
from arena.records.cohort import ContestantId
from arena.records.decision import Action
from arena.records.market import MarketId, Side, VenueId
from arena.records.money import usd
from arena.records.settings import ContestantSettings

PRICE_IN, PRICE_OUT = Decimal(1), Decimal(4)  # invented, in dollars a million tokens
LATENCY_MS = (600, 6_000)
DEADLINE_MS = 300_000
CUT = 0.6  # the share of a broken reply that arrives
REFUSAL = "I cannot help with betting decisions."

WHY = {
    Action.SELL: "Simulated: these positions sell for more than I think they are worth.",
    Action.BET: "Simulated: these prices are further from my forecast than my edge.",
    Action.HOLD: "Simulated: no price is far enough from my forecast.",
}


@runtime_checkable
class Oracle(Protocol):
    """A venue that can tell the fair price to come."""

    def signal(self, market: MarketId, ahead: timedelta) -> float | None:
        """Tell P(YES) as it will be `ahead` from now; None for a market it does not know."""


class SimulatedContestant:
    """An agent of known skill. It implements the `Agent` port."""

    def __init__(self, contestant: ContestantId, skill: SimulatedSkill, oracle: Oracle) -> None:
        self._id = contestant
        self._skill = skill
        self._oracle = oracle

    async def answer(self, briefing: Briefing) -> Answer:
        """Forecast every offer, bet or sell or hold, and say so; or fail as often as stated."""
        skill, turn = self._skill, self._turn(briefing)
        u = uniform(*turn, "failure")
        if u < skill.timeout:
            return Answer(_timed_out(self._model))
        if u < skill.timeout + skill.refusal:
            return Answer(self._completion(REFUSAL, briefing, refused=True))
        words = self._words(briefing)
        if u < skill.timeout + skill.refusal + skill.bad_json:
            words = words[: int(CUT * len(words))]
        return Answer(self._completion(words, briefing))

    @property
    def _model(self) -> str:
        return f"simulated/{self._id}"

    def _turn(self, briefing: Briefing) -> tuple[object, ...]:
        return (self._skill.seed, self._id, briefing.cohort, briefing.round)

    def _words(self, briefing: Briefing) -> str:
        beliefs = self._beliefs(briefing, briefing.offers)
        everything = beliefs | self._beliefs(briefing, briefing.sell_only)
        action, legs = stance(_purse(briefing), everything, self._skill)
        return write_reply(action, forecasts=beliefs, bets=legs, reasoning=WHY[action])

    def _beliefs(self, briefing: Briefing, offers: Iterable[Offer]) -> dict[str, float]:
        turn, ahead = self._turn(briefing), timedelta(days=self._skill.lead_days)
        beliefs = {}
        for offer in offers:
            signal = self._oracle.signal(offer.market.id, ahead)
            if signal is not None:
                key = (*turn, "noise", offer.market.id)
                beliefs[offer.alias] = forecast(signal, self._skill, *key)
        return beliefs

    def _completion(
        self, text: str, briefing: Briefing, *, refused: bool = False
    ) -> Completion:
        least, most = LATENCY_MS
        spread = uniform(*self._turn(briefing), "latency") ** 2
        latency = least + int((most - least) * spread)
        trouble = Trouble.REFUSAL if refused else None
        return Completion(
            text=text,
            raw=text.encode(),
            model=self._model,
            finish="refusal" if refused else "stop",
            usage=_usage(text, briefing),
            latency_ms=latency,
            attempts=(Attempt(latency, status=200, trouble=trouble, billed=True),),
            trouble=trouble,
        )


def from_settings(settings: ContestantSettings, backstage: Backstage) -> SimulatedContestant:
    """Build a simulated contestant.

    Options: `venue`, the id of a configured simulated venue, is needed; the others are those
    of `SimulatedSkill`, with defaults of 0 except `seed` 1, `edge` 0.03 and `kelly` 0.5.

    Raises:
        ArenaError: `agent.option`: an option is unknown, missing or has a wrong value.
    """
    skill = skill_of(settings)
    name = dict(settings.options).get("venue")
    venue = backstage.venues.get(VenueId(name)) if isinstance(name, str) else None
    if not isinstance(venue, Oracle):
        what = f"it needs a simulated venue, and {name!r} is none"
        raise PluginOptions(settings, ("venue", "seed", *LIMITS)).wrong(what)
    return SimulatedContestant(settings.id, skill, venue)


def _purse(briefing: Briefing) -> TradeLimits:
    prices = (
        (offer, side, offer.quote.buy(side)) for offer in briefing.offers for side in Side
    )
    return TradeLimits(
        tuple(
            BuyableShare(o.alias, side, float(paid))
            for o, side, paid in prices
            if paid is not None
        ),
        tuple(
            SellableShare(held.alias, held.side, float(held.worth))
            for held in briefing.holdings
            if held.alias is not None and held.worth is not None
        ),
        briefing.cap,
        briefing.floor,
        frozenset((held.alias, held.side) for held in briefing.holdings if held.alias),
    )


def _usage(text: str, briefing: Briefing) -> Usage:
    tokens_in = 600 + 90 * len(briefing.offers) + 30 * len(briefing.holdings)
    tokens_out = 40 + len(text) // 4
    cost = (tokens_in * PRICE_IN + tokens_out * PRICE_OUT) / 1_000_000
    return Usage(tokens_in, tokens_out, usd(cost))


def _timed_out(model: str) -> Completion:
    detail = f"no answer within {DEADLINE_MS // 1000} seconds"
    attempt = Attempt(DEADLINE_MS, trouble=Trouble.TIMEOUT, detail=detail)
    return Completion(
        text=None,
        model=model,
        latency_ms=DEADLINE_MS,
        attempts=(attempt,),
        trouble=Trouble.TIMEOUT,
        detail=detail,
    )
