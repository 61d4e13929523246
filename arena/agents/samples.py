"""Pools several samples of one contestant's answer into one decision."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal
from enum import StrEnum
from statistics import median
from typing import Final

from arena.agents.reply import write_reply
from arena.agents.reply.order_checks import CENT
from arena.plugins import PluginOptions
from arena.records.answer import Answer, Briefing, Call, Completion, Trouble, taken_by
from arena.records.decision import Action, Bet, BetId, Decision, Forecast, Sale
from arena.records.market import MarketId, Side
from arena.records.money import ZERO_USD, Usd, usd

LONGEST_DETAIL = 500
NO_STAKES = "no stakes: "  # begins why a turn failed whose probabilities were locked before


@dataclass(frozen=True, slots=True)
class Response:
    """The outcome of a question: each call that it took, and the completion that counts.

    `decision` is what its words state. `reasons` say why there is none, or why a part of it
    was left out: what a model is told that is asked once more. Without any it is not.
    `latency_ms` is the time from the first call to the last reply: calls made side by side
    count once.
    """

    calls: tuple[Call, ...]
    last: Completion
    latency_ms: int
    decision: Decision | None = None
    reasons: tuple[str, ...] = ()

    @property
    def is_pending(self) -> bool:
        """Whether the answer is still to come."""
        return self.last.trouble is Trouble.PENDING

    def answer(self) -> Answer:
        """End the turn with this: usage, attempts and latency are those of all calls."""
        completions = [call.completion for call in self.calls]
        last = replace(
            self.last,
            usage=taken_by(completions),
            attempts=tuple(
                attempt for completion in completions for attempt in completion.attempts
            ),
            latency_ms=self.latency_ms,
        )
        return Answer(last, self.calls[0].question if self.calls else None, self.calls)


def stating(decision: Decision, briefing: Briefing, calls: tuple[Call, ...]) -> Completion:
    """Put a decision that was made from several replies into words of its own."""
    completions = [call.completion for call in calls]
    return Completion(
        text=words_of(decision, briefing),
        model=_first(completion.model for completion in completions),
        route=_first(completion.route for completion in completions),
        tier=_first(completion.tier for completion in completions),
        adapted=tuple(
            dict.fromkeys(note for completion in completions for note in completion.adapted)
        ),
    )


def words_of(decision: Decision, briefing: Briefing) -> str:
    """Say a decision in the reply format, under the aliases of a briefing."""
    named = briefing.offers + briefing.sell_only
    aliases = {offer.market.id: offer.alias for offer in named}
    orders = decision.bets + decision.sales
    return write_reply(
        decision.action if orders else Action.HOLD,
        forecasts={aliases[f.market]: f.probability for f in decision.forecasts},
        bets=[
            (aliases[o.market], o.side, o.stake if isinstance(o, Bet) else o.percent)
            for o in orders
        ],
        reasoning=decision.reasoning,
    )


def unread(response: Response) -> Completion:
    """Give the completion of a question that came to nothing, marked as not to be read.

    Words that answer a part of a turn's questions must not pass for the whole turn.
    """
    last = response.last
    if last.trouble is not None:
        return last
    return replace(
        last, trouble=Trouble.UNREADABLE, detail="; ".join(response.reasons)[:LONGEST_DETAIL]
    )


def _first(words: Iterable[str]) -> str:
    return next((word for word in words if word), "")


CLIP: Final = 0.001
TRIM: Final = 0.2
EXPONENT: Final = 1.5
MOST_EXTREME: Final = 10.0


class Aggregate(StrEnum):
    """The rule by which several probabilities become one."""

    MEDIAN = "median"
    MEAN = "mean"
    TRIMMED_MEAN = "trimmed_mean"
    GEOMETRIC_MEAN_OF_ODDS = "geometric_mean_of_odds"
    EXTREMISED = "extremised"


@dataclass(frozen=True, slots=True)
class Pooling:
    """A rule, and for `extremised` the exponent of the pooled odds.

    The trimmed mean leaves out the lowest and the highest fifth, rounded down: below five
    probabilities it is the mean. Odds know no certainty: a probability counts there as one
    in [0.001, 0.999]. Whatever the rule, the order does not matter, and all but `extremised`
    stay between the lowest and the highest of what was stated.

    Source:
        Jose and Winkler (2008), International Journal of Forecasting 24, for trimming;
        Satopää, Baron, Foster, Mellers, Tetlock and Ungar (2014), International Journal of
        Forecasting 30, for the geometric mean of odds and its power, which they found best
        between 1.16 and 3.92 for a crowd of people. Why a power at all: Baron, Mellers,
        Tetlock, Stone and Ungar (2014), Decision Analysis 11. The default of 1.5 is low in
        that range, because samples of one model know the same things.
    """

    rule: Aggregate = Aggregate.MEDIAN
    exponent: float = EXPONENT

    def of(self, stated: Iterable[float]) -> float:
        """Pool one or more probabilities into one.

        Raises:
            ValueError: There is none, or one lies outside [0, 1].

        >>> round(Pooling(Aggregate.GEOMETRIC_MEAN_OF_ODDS).of([0.1, 0.5]), 9)
        0.25
        """
        probabilities = sorted(stated)
        if not probabilities or not all(0 <= p <= 1 for p in probabilities):
            raise ValueError(f"no probabilities to make one of: {probabilities}")
        if self.rule is Aggregate.EXTREMISED:
            return from_log_odds(self.exponent * _mean([log_odds(p) for p in probabilities]))
        return min(max(_plain(self.rule, probabilities), probabilities[0]), probabilities[-1])


def pooling_of(options: PluginOptions) -> Pooling:
    """Give the rule that `aggregate` names, with the exponent `extremise` if it has one."""
    rule = options.choice("aggregate", Aggregate, Aggregate.MEDIAN)
    if "extremise" in options and rule is not Aggregate.EXTREMISED:
        raise options.wrong(f"extremise goes with aggregate: extremised, not {rule}")
    exponent = options.number("extremise", EXPONENT, least=1, most=MOST_EXTREME)
    return Pooling(rule, exponent)


def log_odds(p: float) -> float:
    """Give ln p/(1 - p), of a probability that was first moved into [0.001, 0.999]."""
    inside = min(max(p, CLIP), 1 - CLIP)
    return math.log(inside / (1 - inside))


def from_log_odds(odds: float) -> float:
    """Give the probability of log-odds.

    >>> from_log_odds(0.0), from_log_odds(-800.0)
    (0.5, 0.0)
    """
    if odds >= 0:
        return 1 / (1 + math.exp(-odds))
    return math.exp(odds) / (1 + math.exp(odds))


def _plain(rule: Aggregate, ranked: Sequence[float]) -> float:
    if rule is Aggregate.MEDIAN:
        return median(ranked)
    if rule is Aggregate.GEOMETRIC_MEAN_OF_ODDS:
        return from_log_odds(_mean([log_odds(p) for p in ranked]))
    cut = int(TRIM * len(ranked)) if rule is Aggregate.TRIMMED_MEAN else 0
    return _mean(ranked[cut : len(ranked) - cut])


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


UNSTATED = 1.0  # how far a sample is from a probability that it does not state

Order = tuple[Action, MarketId, Side]


@dataclass(frozen=True, slots=True)
class _Sizes:
    """The amount of one order in each sample that states it."""

    order: Order
    amounts: tuple[Decimal, ...]


def agreed(samples: Sequence[Response], pooling: Pooling, briefing: Briefing) -> Response:
    """Pool one or more samples of a question into one response.

    One sample stands for itself. Of several, at least half must have been read. A market's
    probability is pooled over the samples that state one. An order stands where more than
    half of all samples state it, with the median of its amounts, 0 where it is absent; stakes
    that together exceed the largest are scaled down to it. Without such an order the answer
    is HOLD. The reasoning is that of the sample nearest to the pooled probabilities.
    """
    if len(samples) == 1:
        return samples[0]
    calls = tuple(call for sample in samples for call in sample.calls)
    latency = max(sample.latency_ms for sample in samples)
    late = next((sample for sample in samples if sample.is_pending), None)
    if late is not None:
        return Response(calls, late.last, latency)
    decisions = [sample.decision for sample in samples if sample.decision is not None]
    if 2 * len(decisions) < len(samples):
        return _too_few(samples, Response(calls, samples[0].last, latency))
    decision = _together(decisions, len(samples), pooling, briefing)
    return Response(calls, stating(decision, briefing, calls), latency, decision)


def _too_few(samples: Sequence[Response], response: Response) -> Response:
    lost = [sample for sample in samples if sample.decision is None]
    first = unread(lost[0])
    read = len(samples) - len(lost)
    why = f"{read} of {len(samples)} samples could be read; the first failure: {first.detail}"
    last = replace(first, detail=why[:LONGEST_DETAIL])
    return replace(response, last=last)


def _together(
    decisions: Sequence[Decision], count: int, pooling: Pooling, briefing: Briefing
) -> Decision:
    places = {o.market.id: n for n, o in enumerate(briefing.offers + briefing.sell_only)}
    pooled = _pooled(decisions, pooling)
    nearest = min(decisions, key=lambda decision: _distance(decision, pooled))
    heading = f"{pooling.rule} of {len(decisions)} samples"
    if len(decisions) < count:
        heading += f" ({count - len(decisions)} more could not be read)"
    stated = tuple(Forecast(m, pooled[m]) for m in sorted(pooled, key=places.__getitem__))
    reasoning = f"{heading}; the nearest one says: {nearest.reasoning}"
    held = Decision(Action.HOLD, stated, reasoning=reasoning)
    sizes = sorted(
        _standing(decisions, count), key=lambda size: (places[size.order[1]], size.order[2])
    )
    if not sizes:
        return held
    action = sizes[0].order[0]
    if action is Action.BET:
        return replace(held, action=action, bets=_bets(sizes, count, briefing))
    return replace(held, action=action, sales=_sales(sizes, count))


def _pooled(decisions: Sequence[Decision], pooling: Pooling) -> dict[MarketId, float]:
    stated: dict[MarketId, list[float]] = {}
    for decision in decisions:
        for forecast in decision.forecasts:
            stated.setdefault(forecast.market, []).append(forecast.probability)
    return {market: pooling.of(values) for market, values in stated.items()}


def _distance(decision: Decision, pooled: Mapping[MarketId, float]) -> float:
    own = {forecast.market: forecast.probability for forecast in decision.forecasts}
    return sum(
        abs(own[market] - p) if market in own else UNSTATED for market, p in pooled.items()
    )


def _standing(decisions: Sequence[Decision], count: int) -> list[_Sizes]:
    """Orders that more than half of the samples state: all of them of one action."""
    amounts: dict[Order, list[Decimal]] = {}
    for decision in decisions:
        for order, amount in _orders(decision).items():
            amounts.setdefault(order, []).append(amount)
    return [_Sizes(o, tuple(sizes)) for o, sizes in amounts.items() if 2 * len(sizes) > count]


def _orders(decision: Decision) -> dict[Order, Decimal]:
    bets = {(Action.BET, b.market, b.side): Decimal(b.stake) for b in decision.bets}
    return bets | {(Action.SELL, s.market, s.side): s.percent for s in decision.sales}


def _middle(sizes: _Sizes, count: int) -> Usd:
    absent = [Decimal(0)] * (count - len(sizes.amounts))
    return whole_cents(median([*absent, *sizes.amounts]))


def _bets(sizes: Sequence[_Sizes], count: int, briefing: Briefing) -> tuple[Bet, ...]:
    stakes = fitted([_middle(size, count) for size in sizes], briefing.cap, briefing.floor)
    return tuple(
        Bet(BetId(f"{n}"), size.order[1], size.order[2], stake)
        for n, (size, stake) in enumerate(zip(sizes, stakes, strict=True), start=1)
        if stake
    )


def _sales(sizes: Sequence[_Sizes], count: int) -> tuple[Sale, ...]:
    return tuple(
        Sale(BetId(f"{n}"), size.order[1], size.order[2], percent)
        for n, size in enumerate(sizes, start=1)
        if (percent := _middle(size, count))
    )


def whole_cents(amount: Decimal) -> Usd:
    """Round down to what an order can be written in: hundredths, of dollars or percent."""
    return usd(amount.quantize(CENT, rounding=ROUND_FLOOR))


def fitted(wishes: Sequence[Decimal], cap: Decimal, floor: Decimal) -> tuple[Usd, ...]:
    """Scale stakes down together until they fit.

    Stakes that fit stay as they are. Where scaling makes the smallest one less than `floor`,
    it is left out and the others are scaled anew; of equal ones the last is left out first.

    Args:
        wishes: Dollars, none below 0.
        cap: The most that all may come to.
        floor: The least that a scaled stake may be.

    Returns:
        A stake for each wish, rounded down to a cent; 0 where it is left out.

    >>> fitted([Decimal(300), Decimal(100)], cap=Decimal(200), floor=Decimal(50))
    (Decimal('150.000000'), Decimal('50.000000'))
    """
    kept = sorted(range(len(wishes)), key=lambda n: (-wishes[n], n))
    total = sum(wishes, Decimal(0))
    stakes = {n: whole_cents(wishes[n]) for n in kept}
    while kept and total > cap:
        stakes = {n: whole_cents(wishes[n] * cap / total) for n in kept}
        smallest = stakes[kept[-1]]
        if smallest >= floor and smallest > 0:
            break
        total -= wishes[kept.pop()]
        stakes = {n: whole_cents(wishes[n]) for n in kept}
    return tuple(stakes.get(n, ZERO_USD) for n in range(len(wishes)))
