"""Step 3: ask every contestant, all at once, and keep each answer as it comes.

The words of an answer come to a decision or a failure.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal

from arena.agents.reply import ReplyReading, read_forecasts, read_reply
from arena.errors import ArenaError, ForeignError, StopError, error_words, foreign
from arena.plugins import misfit
from arena.records.answer import (
    TOKEN_COUNTS,
    Answer,
    Briefing,
    Call,
    Completion,
    Task,
    Trouble,
    Usage,
)
from arena.records.cohort import Cohort, ContestantId, FillRule
from arena.records.decision import Decision, Status
from arena.records.market import MarketId, Quote, Side
from arena.records.money import Usd, usd_down
from arena.records.trade import Conduct
from arena.steps.doors import Doors
from arena.steps.rounds.brief import Scene, brief, set_scene
from arena.steps.rounds.universe import Honeypot

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


LONGEST_TURN = timedelta(minutes=30)  # a model's own deadline comes long before

_log = logging.getLogger(__name__)

Seat = tuple[Scene, ContestantId]


@dataclass(frozen=True, slots=True)
class Asked:
    """How many answers are new on the tape, and how many are still to come."""

    answers: int
    pending: int = 0


async def decide(
    doors: Doors,
    at: datetime,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Asked:
    """Ask whoever has not answered an open round yet.

    An answer that is on the tape is never asked for again. The time taken is that of the
    slowest answer, not their sum; an answer that cannot be kept does not cost the others.
    Those who are made from others' answers are asked once these are there.

    Args:
        doors: The store and the contestants.
        at: The moment of the tick.
        since: Rounds laid out before this moment are left alone; None leaves none alone.
        until: Rounds laid out after this moment wait; None is the tick's own.
    """
    waiting = [
        (scene, contestant)
        for scene in open_scenes(doors, at, until=until or at)
        if since is None or scene.round.at >= since
        for contestant in _silent(doors, scene)
    ]
    left = await _ask_all(doors, waiting, at)
    if left and doors.flush is not None and await doors.flush():
        left = await _ask_all(doors, left, at)
    return Asked(len(waiting) - len(left), len(left))


async def _ask_all(doors: Doors, waiting: Sequence[Seat], at: datetime) -> list[Seat]:
    """Ask, wave after wave; those who have not decided yet come back."""
    left: list[Seat] = []
    for wave in _waves(doors, waiting):
        requests = (_ask(doors, scene, contestant, at) for scene, contestant in wave)
        outcomes = await asyncio.gather(*requests, return_exceptions=True)
        for seat, outcome in zip(wave, outcomes, strict=True):
            if isinstance(outcome, BaseException):
                raise outcome
            if not outcome:
                left.append(seat)
    return left


def open_scenes(
    doors: Doors, at: datetime, *, until: datetime | None = None
) -> Iterable[Scene]:
    """The rounds up to a moment in which somebody's turn is still to be judged."""
    books = doors.store.books
    for played in books.open_rounds():
        cohort: Cohort | None = books.cohort(played.cohort)
        if cohort and played.at <= (until or at):
            yield set_scene(doors.store, cohort, played, at)


def _silent(doors: Doors, scene: Scene) -> list[ContestantId]:
    answered = doors.store.tape.answered(scene.cohort.id, scene.round.number)
    return [who for who in scene.cohort.spec.contestants if who not in answered]


def _waves(doors: Doors, waiting: Sequence[Seat]) -> Iterable[Sequence[Seat]]:
    """Put each contestant after those it is made from; the others are all in the first wave."""
    left = list(waiting)
    while left:
        silent = {(scene.round.cohort, who) for scene, who in left}
        ready = [
            (scene, who)
            for scene, who in left
            if not any((scene.round.cohort, other) in silent for other in _before(doors, who))
        ]
        yield ready or left  # a circle: somebody has to begin
        done = {(id(scene), who) for scene, who in ready or left}
        left = [(scene, who) for scene, who in left if (id(scene), who) not in done]


def _before(doors: Doors, contestant: ContestantId) -> Sequence[ContestantId]:
    return doors.after.get(contestant, ())


async def _ask(doors: Doors, scene: Scene, contestant: ContestantId, at: datetime) -> bool:
    """Ask one contestant and keep its answer; False where it has not decided yet."""
    answer = await _answer(doors, scene, contestant, at)
    if answer.completion.trouble is Trouble.PENDING:
        if scene.is_open(at):
            return False
        answer = _missed(scene)
    with doors.store.write():
        doors.store.tape.record_answer(scene.cohort.id, scene.round.number, contestant, answer)
    return True


async def _answer(doors: Doors, scene: Scene, contestant: ContestantId, at: datetime) -> Answer:
    if not _may_answer(doors, scene, contestant, at):
        return _missed(scene)
    answer = await _turn(doors, brief(doors.store, scene, contestant, at).briefing)
    if answer.calls:  # they went through the exchange, and their questions are the arena's own
        return replace(answer, completion=doors.secrets.record(answer.completion))
    clean: Answer = doors.secrets.record(answer)
    return clean


def _may_answer(doors: Doors, scene: Scene, contestant: ContestantId, at: datetime) -> bool:
    """Whether words are there already, or are made from others' words without later news.

    After the deadline no model is asked any more: what it said before then still counts.
    """
    if scene.is_open(at) or contestant in doors.after:
        return True
    seat = (scene.cohort.id, scene.round.number, contestant)
    calls = doors.store.tape.calls
    return calls.submission(*seat) is not None or calls.has_any(*seat)


async def _turn(doors: Doors, briefing: Briefing) -> Answer:
    """One contestant's turn: whatever goes wrong in it is its own, and is recorded.

    Raises:
        ArenaError: What it heard cannot be kept: that is the arena's own matter (`store.full`).
    """
    agent = doors.agents.get(briefing.contestant)
    if agent is None:
        return _without_words(Trouble.WITHDRAWN, "it is not configured any more")
    if isinstance(agent, ArenaError):
        return _without_words(Trouble.NOT_SET_UP, agent.message)
    try:
        with foreign(TimeoutError):
            async with asyncio.timeout(LONGEST_TURN.total_seconds()):
                answer: object = await agent.answer(briefing)
    except TimeoutError:
        return _without_words(Trouble.TIMEOUT, f"no answer within {LONGEST_TURN}")
    except asyncio.CancelledError:
        if _is_cancelled():
            raise
        return _without_words(Trouble.CRASHED, "it gave up on itself")
    except ArenaError as error:
        if isinstance(error, StopError) or error.code.startswith("store."):
            raise
        return _crashed(doors, briefing, error)
    except ForeignError as error:
        return _crashed(doors, briefing, error.__cause__ or error)
    return _kept(answer)


def _kept(answer: object) -> Answer:
    """The answer, if it can be written and read back."""
    if not isinstance(answer, Answer):
        what = f"it gave a value of type {type(answer).__name__}, no answer"
        return _without_words(Trouble.CRASHED, what)
    wrong = misfit(answer, Answer) or _below_0(answer.completion.usage)
    if wrong:
        return _without_words(Trouble.CRASHED, f"its answer cannot be kept: {wrong}")
    return answer


def _below_0(usage: Usage) -> str:
    """Which count or cost is below 0; empty where none is."""
    names = ("cost", *TOKEN_COUNTS)
    return next((f"{name} is below 0" for name in names if (getattr(usage, name) or 0) < 0), "")


def _crashed(doors: Doors, briefing: Briefing, error: BaseException) -> Answer:
    words = doors.secrets.text(error_words(error))
    _log.warning("%s crashed in %s: %s", briefing.contestant, briefing.cohort, words)
    return _without_words(Trouble.CRASHED, type(error).__name__)


def _is_cancelled() -> bool:
    """Whether the play itself is being stopped, and not one contestant alone."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _missed(scene: Scene) -> Answer:
    waited = scene.cohort.spec.rules.answer_within
    return _without_words(Trouble.MISSED, _TOO_LATE if waited else _INTERRUPTED)


def _without_words(trouble: Trouble, detail: str) -> Answer:
    return Answer(Completion(None, trouble=trouble, detail=detail[:500]))


_INTERRUPTED = "the round was interrupted, and its prices are too old to ask about"
_TOO_LATE = "no answer came before the round's deadline"
