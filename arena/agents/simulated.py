"""Contestants whose skill is known, to show the arena at work and to check what it finds.

A simulated contestant sees the fair price that a simulated market will have some days later
(its lead), blurs it with noise, leans on it with a bias, and bets where its forecast is far
from what it would pay. It answers in words, and sometimes fails to, like a language model.

Nothing here is drawn from a shared stream of chance: every number follows from a SHA-256 of
the seed, the contestant, the cohort, the round and what it is for. The same briefing gets
the same answer, whoever was asked before.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_DOWN, Decimal
from statistics import NormalDist
from typing import Protocol, runtime_checkable

from arena.agents.options import Options
from arena.agents.reply import write_reply
from arena.ports import Backstage
from arena.records.answer import Answer, Attempt, Completion, Trouble, Usage
from arena.records.briefing import Briefing, Holding, Offer
from arena.records.cohort import ContestantId
from arena.records.decision import Action
from arena.records.market import MarketId, Side, VenueId
from arena.records.money import Usd, usd
from arena.records.settings import ContestantSettings

MOST_LEGS = 4
ALL = Decimal(100)  # percent
SURE = 0.002  # a signal this near to 0 or 1 counts as no nearer
PRICE_IN, PRICE_OUT = Decimal(1), Decimal(4)  # invented, in dollars a million tokens
LATENCY_MS = (600, 6_000)
DEADLINE_MS = 300_000
CUT = 0.6  # the share of a broken reply that arrives
REFUSAL = "I cannot help with betting decisions."

TREES = (
    "alder", "birch", "cedar", "damson", "elm", "fir", "ginkgo", "hazel", "juniper", "larch",
    "maple", "oak", "pine", "quince", "rowan", "spruce", "teak", "walnut", "willow", "yew",
)  # fmt: skip
TOP_LEAD_DAYS = 2.0  # the ladder's best contestant; the worst has no lead
TOP_NOISE, BOTTOM_NOISE = 0.10, 1.20
BOTTOM_BIAS = 0.80
LADDER_EDGE = 0.15  # strict enough that a contestant sometimes holds or sells
FAILURES = ((0.01, 0.0, 0.01), (0.0, 0.02, 0.0), (0.02, 0.01, 0.02), (0.03, 0.0, 0.01))

_LIMITS = {
    "lead_days": (0.0, 0.0, 30.0),
    "noise": (0.0, 0.0, 10.0),
    "bias": (0.0, -10.0, 10.0),
    "edge": (0.03, 0.0, 1.0),
    "kelly": (0.5, 0.0, 1.0),
    "bad_json": (0.0, 0.0, 1.0),
    "refusal": (0.0, 0.0, 1.0),
    "timeout": (0.0, 0.0, 1.0),
}  # default, least, most
_OPTIONS = ("venue", "seed", *_LIMITS)


@runtime_checkable
class Oracle(Protocol):
    """A venue that can tell the fair price to come."""

    def signal(self, market: MarketId, ahead: timedelta) -> float | None:
        """Tell P(YES) as it will be `ahead` from now; None for a market it does not know."""


@dataclass(frozen=True, slots=True)
class Skill:
    """What a contestant can do and how it behaves: its options, checked.

    `lead_days` is how far it sees ahead; `noise` (a standard deviation) and `bias` are in
    log-odds. It bets where its forecast beats the price by more than `edge` dollars a share,
    and stakes the part `kelly` of the Kelly fraction, times its largest stake. The last
    three are chances, per turn, of a reply cut short, a refusal and no reply at all.
    """

    seed: int
    lead_days: float
    noise: float
    bias: float
    edge: float
    kelly: float
    bad_json: float
    refusal: float
    timeout: float


@dataclass(frozen=True, slots=True)
class _Chance:
    """One side of an offer that looks cheap: what it costs and how likely it pays."""

    alias: str
    side: Side
    price: float
    probability: float

    @property
    def edge(self) -> float:
        return self.probability - self.price

    @property
    def kelly(self) -> float:
        return self.edge / (1 - self.price)


class SimulatedContestant:
    """An agent of known skill. It implements the `Agent` port."""

    def __init__(self, contestant: ContestantId, skill: Skill, oracle: Oracle) -> None:
        self._id = contestant
        self._skill = skill
        self._oracle = oracle

    async def answer(self, briefing: Briefing) -> Answer:
        """Forecast every offer, bet or sell or hold, and say so; or fail as often as stated."""
        skill, turn = self._skill, self._turn(briefing)
        u = _uniform(*turn, "failure")
        if u < skill.timeout:
            return Answer(_timed_out(self._model))
        if u < skill.timeout + skill.refusal:
            return Answer(self._said(REFUSAL, briefing, refused=True))
        words = self._words(briefing)
        if u < skill.timeout + skill.refusal + skill.bad_json:
            words = words[: int(CUT * len(words))]
        return Answer(self._said(words, briefing))

    @property
    def _model(self) -> str:
        return f"simulated/{self._id}"

    def _turn(self, briefing: Briefing) -> tuple[object, ...]:
        return (self._skill.seed, self._id, briefing.cohort, briefing.round)

    def _words(self, briefing: Briefing) -> str:
        beliefs = self._beliefs(briefing, briefing.offers)
        all_beliefs = beliefs | self._beliefs(briefing, briefing.sell_only)
        bets = _bets(briefing, beliefs, self._skill)
        sales = _sales(briefing.holdings, all_beliefs, self._skill)
        if sales and (not bets or any(percent == ALL for _, _, percent in sales)):
            why = "Simulated: these positions sell for more than I think they are worth."
            return write_reply(Action.SELL, forecasts=beliefs, bets=sales, reasoning=why)
        if bets:
            why = "Simulated: these prices are further from my forecast than my edge."
            return write_reply(Action.BET, forecasts=beliefs, bets=bets, reasoning=why)
        why = "Simulated: no price is far enough from my forecast."
        return write_reply(Action.HOLD, forecasts=beliefs, reasoning=why)

    def _beliefs(self, briefing: Briefing, offers: Iterable[Offer]) -> dict[str, float]:
        skill, turn = self._skill, self._turn(briefing)
        ahead = timedelta(days=skill.lead_days)
        beliefs = {}
        for offer in offers:
            signal = self._oracle.signal(offer.market.id, ahead)
            if signal is not None:
                z = NormalDist().inv_cdf(_uniform(*turn, "noise", offer.market.id))
                beliefs[offer.alias] = _forecast(signal, skill.bias + skill.noise * z)
        return beliefs

    def _said(self, text: str, briefing: Briefing, *, refused: bool = False) -> Completion:
        least, most = LATENCY_MS
        spread = _uniform(*self._turn(briefing), "latency") ** 2
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
    of `Skill`, with defaults of 0 except `seed` 1, `edge` 0.03 and `kelly` 0.5.

    Raises:
        ArenaError: `agent.option`: an option is unknown, missing or has a wrong value.
    """
    skill = skill_of(settings)
    name = dict(settings.options).get("venue")
    venue = backstage.venues.get(VenueId(name)) if isinstance(name, str) else None
    if not isinstance(venue, Oracle):
        what = f"it needs a simulated venue, and {name!r} is none"
        raise Options(settings, _OPTIONS).wrong(what)
    return SimulatedContestant(settings.id, skill, venue)


def skill_of(settings: ContestantSettings) -> Skill:
    """Read a contestant's options.

    Raises:
        ArenaError: `agent.option`: an option is unknown or has a wrong value.
    """
    options = Options(settings, _OPTIONS)
    limits = _LIMITS.items()
    numbers = (options.number(n, start, least=a, most=b) for n, (start, a, b) in limits)
    skill = Skill(options.seed(1), *numbers)
    if skill.bad_json + skill.refusal + skill.timeout > 1:
        raise options.wrong("it fails more often than always")
    return skill


def cast(count: int, venue: VenueId, seed: int) -> tuple[ContestantSettings, ...]:
    """Make contestants on a ladder of skill, the best first.

    Step by step the lead shrinks, and noise and a bias towards YES grow. Failures differ
    from one to the next, but are too rare to change the order.

    Args:
        count: How many, 0 or more.
        venue: The simulated venue that they play on.
        seed: Names the chance that all of them draw from.
    """
    return tuple(_rung(n, count, venue, seed) for n in range(count))


def known_order(settings: Iterable[ContestantSettings]) -> tuple[ContestantId, ...]:
    """Give simulated contestants from best to worst expected Brier score, ties by id."""
    ranked = sorted(settings, key=lambda one: (expected_brier(skill_of(one)), one.id))
    return tuple(one.id for one in ranked)


def expected_brier(skill: Skill) -> float:
    """Tell about which Brier score a skill earns on all open markets of the default world.

    Leaning towards YES costs more than leaning towards NO: less than half of the markets
    come true.

    Source: a curve fitted to one look a day at every market of 2,400 simulated events, within
    0.007 of what was measured for leads up to 6 days, noise up to 1.2 and bias up to 1.
    """
    sharp = 0.09 + 0.0465 * math.exp(-skill.lead_days / 2.7)
    error = skill.noise**2 + skill.bias**2 * math.exp(0.41 * skill.bias)
    return sharp * (1 + 0.163 * error / (1 + 0.057 * error))


def _bets(
    briefing: Briefing, beliefs: Mapping[str, float], skill: Skill
) -> list[tuple[str, Side, Decimal]]:
    """Stake on the largest edges first, while the stakes together stay within the cap.

    Betting against what it holds would be a dearer way to sell: such a chance is passed over.
    """
    held = {(one.alias, one.side) for one in briefing.holdings}
    chances = [
        chance
        for offer in briefing.offers
        for chance in _chances(offer, beliefs)
        if chance.edge > skill.edge and (chance.alias, chance.side.other) not in held
    ]
    chances.sort(key=lambda chance: -chance.edge)
    left, bets = briefing.cap, []
    for chance in chances[:MOST_LEGS]:
        wish = briefing.cap * Decimal(f"{skill.kelly * chance.kelly:.6f}")
        stake = max(min(wish, left).quantize(Decimal(1), ROUND_DOWN), briefing.floor)
        if stake <= left:
            bets.append((chance.alias, chance.side, stake))
            left = Usd(left - stake)
    return bets


def _chances(offer: Offer, beliefs: Mapping[str, float]) -> Iterable[_Chance]:
    yes = beliefs.get(offer.alias)
    if yes is None:
        return
    for side, probability in ((Side.YES, yes), (Side.NO, 1 - yes)):
        price = offer.quote.buy(side)
        if price is not None and 0 < price < 1:
            yield _Chance(offer.alias, side, float(price), probability)


def _sales(
    holdings: Iterable[Holding], beliefs: Mapping[str, float], skill: Skill
) -> list[tuple[str, Side, Decimal]]:
    """Sell what is worth more to others: half of it, or all where the gap is twice the edge."""
    gaps = []
    for held in holdings:
        yes = beliefs.get(held.alias) if held.alias is not None else None
        if held.alias is None or yes is None or held.worth is None:
            continue
        own = yes if held.side is Side.YES else 1 - yes
        gap = float(held.worth) - own
        if gap > skill.edge:
            gaps.append((gap, held.alias, held.side))
    gaps.sort(key=lambda one: -one[0])
    return [
        (alias, side, ALL if gap > 2 * skill.edge else ALL / 2)
        for gap, alias, side in gaps[:MOST_LEGS]
    ]


def _forecast(signal: float, shift: float) -> float:
    sound = min(max(signal, SURE), 1 - SURE)
    return round(1 / (1 + math.exp(-math.log(sound / (1 - sound)) - shift)), 4)


def _uniform(*key: object) -> float:
    """Give a number strictly between 0 and 1 that follows from the key alone."""
    digest = hashlib.sha256(json.dumps([str(part) for part in key]).encode()).digest()
    return ((int.from_bytes(digest[:8]) >> 12) + 0.5) / 2**52


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


def _rung(n: int, count: int, venue: VenueId, seed: int) -> ContestantSettings:
    down = n / max(count - 1, 1)
    lead = round(TOP_LEAD_DAYS * (1 - down), 3)
    noise = round(TOP_NOISE + (BOTTOM_NOISE - TOP_NOISE) * down, 3)
    bias = round(BOTTOM_BIAS * down, 3)
    bad_json, refusal, timeout = FAILURES[n % len(FAILURES)]
    lap, tree = divmod(n, len(TREES))
    name = TREES[tree] + (f"-{lap + 1}" if lap else "")
    return ContestantSettings(
        id=ContestantId(name),
        agent="simulated",
        label=name.capitalize(),
        options=(
            ("venue", str(venue)),
            ("seed", seed),
            ("lead_days", lead),
            ("noise", noise),
            ("bias", bias),
            ("edge", LADDER_EDGE),
            ("bad_json", bad_json),
            ("refusal", refusal),
            ("timeout", timeout),
        ),
    )
