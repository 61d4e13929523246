"""Contestants made from others: ensembles, blends with the price, and recalibrated ones.

Each factory here is an entry point of the group `arena.agents`. They read what the
contestants that they are made `of` said in the same round, and what came of earlier
forecasts by then; nothing from after the round. They bet a fraction of Kelly on it, at no
cost, and say so in the words of everybody else.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

import numpy as np

from arena.agents.reply import write_reply
from arena.agents.reply.order_checks import CENT
from arena.agents.samples import CLIP, fitted, from_log_odds, log_odds, pooling_of, whole_cents
from arena.errors import ArenaError
from arena.ledger.fees import taker_fee
from arena.ledger.price import trouble_with
from arena.odds.staking import kelly, net_of_contract
from arena.plugins import PluginOptions
from arena.ports import Agent, Archive, Backstage
from arena.records.answer import FREE, Answer, Briefing, Completion, Offer, Trouble
from arena.records.cohort import ContestantId, FeeRule, FillRule, Rules
from arena.records.decision import Action
from arena.records.estimate import State
from arena.records.market import FeeModel, MarketId, Quote, Side
from arena.records.money import ONE, Price, Usd, usd_down
from arena.records.settings import ContestantSettings
from arena.scoring.corp import corp
from arena.stats.columns import Floats
from arena.stats.regression.logit import Design, fit
from arena.stats.regression.logit import log_odds as log_odds_within

ENOUGH = 30

Curve = Callable[[float], float]


class RecalibrationMethod(StrEnum):
    """The method by which probabilities are recalibrated to outcomes."""

    PLATT = "platt"
    ISOTONIC = "isotonic"


def recalibration(
    past: Sequence[tuple[float, float]], method: RecalibrationMethod
) -> Curve | None:
    """Fit a curve from stated to recalibrated probabilities.

    Args:
        past: What was stated and what came true, 0 or 1, of resolved markets.
        method: PLATT fits an intercept and a slope in log-odds, to outcomes that are drawn in
            from 0 and 1 as far as their number deserves; what it gives lies in [0.001, 0.999].
            ISOTONIC fits the rising frequencies, with straight lines between them; of n
            forecasts it makes nothing surer than 1/(n + 2) away from 0 and 1, which is what n
            failures in a row would show.

    Returns:
        The curve, or None where the past cannot show one: it is empty, or PLATT has only
        forecasts of one probability.

    Source:
        Platt (1999), Probabilistic outputs for support vector machines; Zadrozny and Elkan
        (2002), KDD 8, for isotonic regression; Laplace's rule of succession.
    """
    if not past:
        return None
    stated, came = np.array(sorted(past)).T  # one order, so one result to the last bit
    return (
        _platt(stated, came) if method is RecalibrationMethod.PLATT else _isotonic(stated, came)
    )


def _platt(stated: Floats, came: Floats) -> Curve | None:
    yes = came.sum()
    target = np.where(came == 1, (yes + 1) / (yes + 2), 1 / (len(came) - yes + 2))
    x = np.column_stack((np.ones_like(stated), log_odds_within(stated, CLIP)))[:, None, :]
    fitted = fit(Design(x, np.zeros((len(x), 1)), target[:, None]))
    if fitted.state is not State.OK:
        return None
    intercept, slope = fitted.beta.tolist()

    def curve(p: float) -> float:
        odds = intercept + slope * log_odds_within(np.array([p]), CLIP)
        return _within(float(1 / (1 + np.exp(-np.clip(odds, -700, 700)))[0]), CLIP)

    return curve


def _isotonic(stated: Floats, came: Floats) -> Curve:
    frequencies = corp(stated, came).curve
    least = 1 / (len(stated) + 2)
    return lambda p: _within(frequencies.interpolated([p]).item(), least)


def _within(p: float, least: float) -> float:
    return min(max(p, least), 1 - least)


LOT = Decimal(1_000_000)  # shares, so many that the rounding of their fee does not show

Leg = tuple[str, Side, Usd]


@dataclass(frozen=True, slots=True)
class _KellyOption:
    """A side worth buying: the part of the bankroll that Kelly gives it, fee counted in."""

    alias: str
    side: Side
    part: float
    fee: Decimal  # dollars of fee for a dollar staked


def kelly_stakes(
    briefing: Briefing, beliefs: Mapping[str, float], fraction: float
) -> tuple[Leg, ...]:
    """Stake a fraction of Kelly on every side that is worth more than it costs.

    The price is what a buyer pays by the rules, with the fee: the ask, or the middle where they
    fill there. A stake is that fraction of Kelly times the cash, in whole cents, and none below
    the smallest stake; together they are scaled down to the largest. A market in which
    something is held already is passed over, as is one whose quote the rules do not trade on.

    Args:
        briefing: The offers, and the limits.
        beliefs: P(YES) by alias; a market that is not among them is passed over.
        fraction: How much of Kelly, above 0 and at most 1.

    Returns:
        Alias, side and dollars, in the order of the offers; empty where nothing is worth it.
    """
    held = {holding.market for holding in briefing.holdings}
    chances = [
        chance
        for offer in briefing.offers
        if offer.alias in beliefs and offer.market.id not in held
        for chance in _chances(offer, beliefs[offer.alias], briefing)
    ]
    wishes = [_wish(chance, briefing.cash, fraction) for chance in chances]
    large = [
        (c, w) for c, w in zip(chances, wishes, strict=True) if w >= max(briefing.floor, CENT)
    ]
    dearest = max((chance.fee for chance, _ in large), default=Decimal(0))
    room = min(briefing.cap, usd_down(briefing.cash / (1 + dearest)))
    stakes = fitted([wish for _, wish in large], room, briefing.floor)
    return tuple(
        (chance.alias, chance.side, stake)
        for (chance, _), stake in zip(large, stakes, strict=True)
        if stake
    )


def _chances(offer: Offer, yes: float, briefing: Briefing) -> Iterable[_KellyOption]:
    if trouble_with(offer.quote, briefing.rules, briefing.at):
        return
    fees = offer.market.fee if briefing.rules.fees is FeeRule.VENUE else FeeModel()
    for side, belief in ((Side.YES, yes), (Side.NO, 1 - yes)):
        ask = _buying_price(offer.quote, side, briefing.rules)
        if ask is None or not 0 < ask < 1:
            continue
        fee = taker_fee(fees, LOT, ask) / LOT
        if ask + fee < 1:
            part = kelly(belief, net_of_contract(float(ask + fee))).item()
            if part > 0:
                yield _KellyOption(offer.alias, side, part, fee / ask)


def _buying_price(quote: Quote, side: Side, rules: Rules) -> Price | None:
    if rules.fill is not FillRule.MID or quote.mid is None:
        return quote.buy(side)
    return quote.mid if side is Side.YES else Price(ONE - quote.mid)


def _wish(chance: _KellyOption, cash: Decimal, fraction: float) -> Usd:
    part = Decimal(f"{fraction * chance.part:.12f}")  # what a float cannot tell apart
    return whole_cents(cash * part)


QUARTER = 0.25
LEAST_KELLY = 0.01
MOST_PAST = 100_000

Said = Mapping[ContestantId, Mapping[MarketId, float]]


@dataclass(frozen=True, slots=True)
class DerivedForecasts:
    """P(YES) by market, and a sentence that says how it was derived."""

    probabilities: Mapping[MarketId, float]
    reasoning: str


Rule = Callable[[Said, Briefing], DerivedForecasts]


@dataclass(frozen=True, slots=True)
class DerivedAgent:
    """A contestant made from others by a rule. `kelly` is the part of Kelly that it stakes."""

    name: str
    of: tuple[ContestantId, ...]
    archive: Archive
    rule: Rule
    kelly: float = QUARTER

    async def answer(self, briefing: Briefing) -> Answer:
        """Apply the rule to what the others said; wait for those who have not answered.

        One whose answer holds no probability of this round's markets is left out.
        """
        turn = briefing.cohort, briefing.round
        statements = {who: self.archive.said(*turn, who) for who in self.of}
        if silent := [who for who, words in statements.items() if words is None]:
            return self._without_words(Trouble.PENDING, f"it waits for {', '.join(silent)}")
        offered = [offer.market.id for offer in briefing.offers]
        offered_by_contestant = {
            who: {market: words[market] for market in offered if market in words}
            for who, words in statements.items()
            if words
        }
        stated = {who: words for who, words in offered_by_contestant.items() if words}
        if not stated:
            names = ", ".join(self.of)
            return self._without_words(Trouble.EMPTY, f"no probability was stated by {names}")
        words = self._words(self.rule(stated, briefing), briefing)
        return Answer(Completion(text=words, model=self._model, usage=FREE))

    @property
    def _model(self) -> str:
        return f"derived/{self.name}"

    def _words(self, view: DerivedForecasts, briefing: Briefing) -> str:
        stated = view.probabilities
        beliefs = {
            o.alias: stated[o.market.id] for o in briefing.offers if o.market.id in stated
        }
        legs = kelly_stakes(briefing, beliefs, self.kelly)
        action = Action.BET if legs else Action.HOLD
        return write_reply(action, forecasts=beliefs, bets=legs, reasoning=view.reasoning)

    def _without_words(self, trouble: Trouble, detail: str) -> Answer:
        return Answer(
            Completion(None, model=self._model, usage=FREE, trouble=trouble, detail=detail)
        )


def ensemble(settings: ContestantSettings, backstage: Backstage) -> Agent:
    """Pool the probabilities of several contestants.

    Options: `aggregate` (median by default) and `extremise`, as of a prompted contestant's
    samples, and `kelly`.

    Raises:
        ArenaError: An option is wrong, or it is made of fewer than two.
    """
    options = PluginOptions(settings, names=("aggregate", "extremise", "kelly"))
    others = len(set(settings.of))
    if others < 2:  # noqa: PLR2004  one is no ensemble
        raise options.wrong(f"it is made of two or more, not of {others}")
    pooling = pooling_of(options)

    def rule(stated_by: Said, _: Briefing) -> DerivedForecasts:
        values_by_market: dict[MarketId, list[float]] = {}
        for words in stated_by.values():
            for market, p in words.items():
                values_by_market.setdefault(market, []).append(p)
        pooled = {market: pooling.of(values) for market, values in values_by_market.items()}
        return DerivedForecasts(pooled, f"The {pooling.rule} of {', '.join(stated_by)}.")

    return _derived(options, settings, backstage, rule)


def blend(settings: ContestantSettings, backstage: Backstage) -> Agent:
    """Mix one contestant's probabilities with the market's mid price, in log-odds.

    Options: `weight`, the contestant's part in [0, 1], one half by default; `kelly`. A market
    without a mid price has no probability.

    Raises:
        ArenaError: An option is wrong, or it is not made of exactly one.
    """
    options = PluginOptions(settings, names=("kelly", "weight"))
    _refuse_single_source(options, settings)
    weight = options.number("weight", 0.5, least=0, most=1)

    def rule(stated_by: Said, briefing: Briefing) -> DerivedForecasts:
        ((who, words),) = stated_by.items()
        mids = {offer.market.id: offer.quote.mid for offer in briefing.offers}
        mixed = {
            market: from_log_odds(weight * log_odds(p) + (1 - weight) * log_odds(float(mid)))
            for market, p in words.items()
            if (mid := mids[market]) is not None
        }
        return DerivedForecasts(
            mixed, f"{weight:g} parts {who}, {1 - weight:g} parts the market's price."
        )

    return _derived(options, settings, backstage, rule)


def recalibrated(settings: ContestantSettings, backstage: Backstage) -> Agent:
    """Bend one contestant's probabilities to what came of its earlier ones.

    Options: `method` (platt or isotonic), `minimum`, the resolved markets below which they
    pass through unchanged (30 by default), and `kelly`. The curve is fitted anew each round,
    on markets that were resolved by then; those that paid a part are left out.

    Raises:
        ArenaError: An option is wrong, or it is not made of exactly one.
    """
    options = PluginOptions(settings, names=("kelly", "method", "minimum"))
    _refuse_single_source(options, settings)
    method = options.choice("method", RecalibrationMethod, RecalibrationMethod.PLATT)
    minimum = options.whole("minimum", ENOUGH, least=1, most=MOST_PAST)
    archive = _archive(settings, backstage)

    def rule(stated_by: Said, briefing: Briefing) -> DerivedForecasts:
        ((who, words),) = stated_by.items()
        graded = archive.graded(who, briefing.at)
        past = [(p, paid) for p, paid in graded if paid in {0, 1}]
        if len(past) < minimum:
            why = f"{len(past)} of its markets are resolved, {minimum} are needed"
            return DerivedForecasts(words, f"{who} unchanged: {why}.")
        curve = recalibration(past, method)
        if curve is None:
            return DerivedForecasts(
                words, f"{who} unchanged: its past shows no {method} curve."
            )
        bent = {market: curve(p) for market, p in words.items()}
        return DerivedForecasts(
            bent, f"{who} by a {method} curve over {len(past)} resolved markets."
        )

    return _derived(options, settings, backstage, rule)


def _derived(
    options: PluginOptions, settings: ContestantSettings, backstage: Backstage, rule: Rule
) -> Agent:
    kelly = options.number("kelly", QUARTER, least=LEAST_KELLY, most=1)
    return DerivedAgent(settings.agent, settings.of, _archive(settings, backstage), rule, kelly)


def _refuse_single_source(options: PluginOptions, settings: ContestantSettings) -> None:
    if len(settings.of) != 1:
        raise options.wrong(f"it is made of one contestant, not of {len(settings.of)}")


def _archive(settings: ContestantSettings, backstage: Backstage) -> Archive:
    if backstage.archive is None:
        what = f"{settings.id}: nothing is kept here of what others said"
        raise ArenaError("agent.archive", what, status=2)
    return backstage.archive
