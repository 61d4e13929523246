"""Step 3: ask every contestant, all at once, and keep each answer as it comes."""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from arena.errors import ArenaError, ForeignError, StopError, error_words, foreign
from arena.records.answer import Answer, Briefing, Completion, Trouble
from arena.records.cohort import Cohort, ContestantId
from arena.steps.doors import Doors
from arena.steps.rounds.brief import Scene, brief, set_scene

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
    if isinstance(answer, Answer):
        return answer
    return _without_words(Trouble.CRASHED, f"it gave a {type(answer).__name__}, no answer")


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
