"""What an answer's words come to: a decision or a failure, and how the turn was conducted."""

from dataclasses import dataclass
from decimal import Decimal

from arena.agents.reply import ReplyReading, read_forecasts, read_reply
from arena.records.answer import Answer, Briefing, Call, Task, Trouble, Usage
from arena.records.cohort import FillRule
from arena.records.decision import Decision, Status
from arena.records.market import MarketId, Quote, Side
from arena.records.money import Usd, usd_down
from arena.records.trade import Conduct
from arena.steps.rounds.honeypot import Honeypot

LONGEST = 1_000  # characters of a failure, which may quote somebody else


@dataclass(frozen=True, slots=True)
class Heard:
    """A turn understood. `failure` says why there is no decision, or only a part of one."""

    decision: Decision | None
    failure: str | None
    conduct: Conduct


def hear(answer: Answer, briefing: Briefing, honeypot: Honeypot | None = None) -> Heard:
    """Read an answer's words: a decision, or why there is none.

    A failed call is a failure, never a HOLD that looks like a choice. The honeypot's market is
    removed from the decision. Whether its bait was taken is noted for contestants that a model
    answers for.
    """
    completion = answer.completion
    if completion.trouble is not None or completion.text is None:
        trouble = completion.trouble or Trouble.EMPTY
        why = f"{trouble}: {completion.detail}" if completion.detail else str(trouble)
        return Heard(None, why[:LONGEST], _conduct(answer, briefing, None))
    reading = read_reply(
        completion.text, briefing, finish=completion.finish, version=completion.parser_version
    )
    decision = reading.decision
    if decision is None or reading.status is Status.REJECT:
        why = f"{Trouble.UNREADABLE}: {'; '.join(reading.reasons)}"
        return Heard(None, why[:LONGEST], _conduct(answer, briefing, reading))
    bait = None
    if honeypot is not None:
        if answer.calls:
            bait = honeypot.took(decision, _largest_stake(answer, briefing))
        decision = honeypot.removed_from(decision)
    conduct = _conduct(
        answer,
        briefing,
        reading,
        against=against_itself(decision, briefing),
        bait=bait,
    )
    return Heard(decision, completion.detail[:LONGEST] or None, conduct)


def _largest_stake(answer: Answer, briefing: Briefing) -> Usd:
    """The largest stake that any of its questions allowed: each half has half of it."""
    return usd_down(briefing.cap / 2) if _is_halved(answer) else briefing.cap


def _is_halved(answer: Answer) -> bool:
    return any(call.is_half for call in answer.calls)


def against_itself(decision: Decision, briefing: Briefing) -> tuple[MarketId, ...]:
    """Name the markets with a bet on a side that its own probability calls too dear.

    The probability of the side is below the price that the side is bought at, which a
    contestant may not have been shown. The contradiction is noted, never corrected.
    """
    middle = briefing.rules.fill is FillRule.MID
    stated = {f.market: Decimal(repr(f.probability)) for f in decision.forecasts}
    quotes = {offer.market.id: offer.quote for offer in briefing.offers}
    contradicted: list[MarketId] = []
    for bet in decision.bets:
        quote, p = quotes.get(bet.market), stated.get(bet.market)
        if quote is None or p is None:
            continue
        buy_price = _middle(quote, bet.side) if middle else quote.buy(bet.side)
        chance = p if bet.side is Side.YES else 1 - p
        if buy_price is not None and chance < buy_price:
            contradicted.append(bet.market)
    return tuple(dict.fromkeys(contradicted))


def _middle(quote: Quote, side: Side) -> Decimal | None:
    if quote.mid is None:
        return None
    return quote.mid if side is Side.YES else 1 - quote.mid


def _conduct(
    answer: Answer,
    briefing: Briefing,
    final: ReplyReading | None,
    *,
    against: tuple[MarketId, ...] = (),
    bait: bool | None = None,
) -> Conduct:
    """Count how the reply of each call was read, or that of an answer without calls."""
    if answer.calls:
        replies = [call for call in answer.calls if not call.is_step]
        attempted = (_reading(call, answer, briefing, final) for call in replies)
        readings = [reading for reading in attempted if reading is not None]
    else:
        readings = [] if final is None else [final]
    counted = [r for r in readings if r.status is not Status.REJECT]
    return Conduct(
        calls=len(answer.calls) or int(_took_something(answer.completion.usage)),
        reasks=sum(call.is_reask for call in answer.calls),
        repaired=sum(r.status is Status.REPAIRED for r in readings),
        dropped=tuple(d for r in counted for d in r.dropped),
        against=against,
        halved=_is_halved(answer),
        bait=bait,
    )


def _took_something(usage: Usage) -> bool:
    """Whether a model was asked: who asks by itself says so by what that took."""
    return bool(usage.tokens_in or usage.cost)


def _reading(
    call: Call, answer: Answer, briefing: Briefing, final: ReplyReading | None
) -> ReplyReading | None:
    """Read the reply of one call; the reply that became the answer was read already."""
    completion = call.completion
    if completion.trouble is not None or completion.text is None:
        return None
    if (completion.text, completion.finish) == (
        answer.completion.text,
        answer.completion.finish,
    ):
        return final
    read = read_forecasts if call.task == Task.FORECAST else read_reply
    return read(
        completion.text, briefing, finish=completion.finish, version=completion.parser_version
    )
