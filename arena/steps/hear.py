"""What an answer's words come to: a decision or a failure, and how the turn was conducted."""

from dataclasses import dataclass
from decimal import Decimal

from arena.agents.reply import Reading, read_forecasts, read_reply
from arena.records.answer import Answer, Call, Trouble
from arena.records.briefing import Briefing
from arena.records.decision import Decision, Dropped, Status
from arena.records.market import MarketId, Side
from arena.records.trade import Conduct
from arena.steps.honeypot import Honeypot

AGAIN = "/again"
HALF = "-half"
FORECAST = "forecast"


@dataclass(frozen=True, slots=True)
class Heard:
    """A turn understood. `failure` says why there is no decision, or only a part of one."""

    decision: Decision | None
    failure: str | None
    conduct: Conduct


def hear(answer: Answer, briefing: Briefing, honeypot: Honeypot | None = None) -> Heard:
    """Read an answer's words: a decision, or why there is none.

    A failed call is a failure, never a HOLD that looks like a choice. What is said of a
    honeypot is taken out of the decision, and noted.
    """
    said = answer.completion
    if said.trouble is not None or said.text is None:
        trouble = said.trouble or Trouble.EMPTY
        why = f"{trouble}: {said.detail}" if said.detail else str(trouble)
        return Heard(None, why, _conduct(answer, briefing, ()))
    reading = read_reply(said.text, briefing, finish=said.finish)
    decision = reading.decision
    if decision is None or reading.status is Status.REJECT:
        why = f"{Trouble.UNREADABLE}: {'; '.join(reading.reasons)}"
        return Heard(None, why, _conduct(answer, briefing, reading.dropped))
    bait = None
    if honeypot is not None:
        bait = honeypot.took(decision, briefing.cap)
        decision = honeypot.removed_from(decision)
    conduct = _conduct(
        answer,
        briefing,
        reading.dropped,
        against=against_itself(decision, briefing),
        bait=bait,
        mended=reading.status is Status.REPAIRED and not answer.calls,
    )
    return Heard(decision, said.detail or None, conduct)


def against_itself(decision: Decision, briefing: Briefing) -> tuple[MarketId, ...]:
    """Name the markets where a bet is on the side that its own probability calls too dear.

    The probability of the side is below the price that the side is bought at. It is noted,
    never mended.
    """
    stated = {f.market: Decimal(repr(f.probability)) for f in decision.forecasts}
    quotes = {offer.market.id: offer.quote for offer in briefing.offers}
    found: list[MarketId] = []
    for bet in decision.bets:
        quote, p = quotes.get(bet.market), stated.get(bet.market)
        if quote is None or p is None:
            continue
        asked = quote.buy(bet.side)
        chance = p if bet.side is Side.YES else 1 - p
        if asked is not None and chance < asked:
            found.append(bet.market)
    return tuple(dict.fromkeys(found))


def _conduct(  # noqa: PLR0913  # each is a fact of its own
    answer: Answer,
    briefing: Briefing,
    dropped: tuple[Dropped, ...],
    *,
    against: tuple[MarketId, ...] = (),
    bait: bool | None = None,
    mended: bool = False,
) -> Conduct:
    readings = [reading for call in answer.calls if (reading := _reading(call, briefing))]
    taken = [r for r in readings if r.status is not Status.REJECT]
    return Conduct(
        calls=len(answer.calls),
        reasks=sum(call.name.endswith(AGAIN) for call in answer.calls),
        repaired=sum(r.status is Status.REPAIRED for r in readings) or int(mended),
        dropped=tuple(d for r in taken for d in r.dropped) if answer.calls else dropped,
        against=against,
        halved=any(HALF in call.name for call in answer.calls),
        bait=bait,
    )


def _reading(call: Call, briefing: Briefing) -> Reading | None:
    said = call.completion
    if said.trouble is not None or said.text is None:
        return None
    read = read_forecasts if call.name.split("/")[0] == FORECAST else read_reply
    return read(said.text, briefing, finish=said.finish)
