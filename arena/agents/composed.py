"""The answer of a turn that took several calls: its reply, tokens, attempts and latency."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from arena.agents.reply import write_reply
from arena.records.answer import Answer, Briefing, Call, Completion, Trouble, taken_by
from arena.records.decision import Action, Bet, Decision

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
