"""Step 3: ask every contestant, all at once, and keep each answer as it comes."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from arena.records.answer import Answer, Completion, Trouble
from arena.records.briefing import Briefing
from arena.records.cohort import Cohort, ContestantId
from arena.steps.brief import Scene, brief, set_scene
from arena.steps.doors import Doors

LONGEST_TURN = timedelta(minutes=30)  # a model's own deadline comes long before


@dataclass(frozen=True, slots=True)
class Asked:
    """How many answers are new on the tape."""

    answers: int


async def decide(doors: Doors, at: datetime, *, rounds_until: datetime | None = None) -> Asked:
    """Ask whoever has not answered an open round yet.

    An answer that is on the tape is never asked for again. The time taken is that of the
    slowest answer, not their sum; an answer that cannot be kept does not cost the others.

    Args:
        doors: The store and the contestants.
        at: The moment of the tick.
        rounds_until: Rounds laid out after this moment wait; None is the tick's own.
    """
    waiting = [
        _ask(doors, scene, contestant, at)
        for scene in open_scenes(doors, rounds_until or at)
        for contestant in _silent(doors, scene)
    ]
    for kept in await asyncio.gather(*waiting, return_exceptions=True):
        if kept is not None:
            raise kept
    return Asked(len(waiting))


def open_scenes(doors: Doors, at: datetime) -> Iterable[Scene]:
    """The rounds up to a moment in which somebody's turn is still to be judged."""
    books = doors.store.books
    for played in books.open_rounds():
        cohort: Cohort | None = books.cohort(played.cohort)
        if cohort and played.at <= at:
            yield set_scene(doors.store, cohort, played)


def _silent(doors: Doors, scene: Scene) -> list[ContestantId]:
    answered = doors.store.tape.answered(scene.cohort.id, scene.round.number)
    return [who for who in scene.cohort.spec.contestants if who not in answered]


async def _ask(doors: Doors, scene: Scene, contestant: ContestantId, at: datetime) -> None:
    briefing = brief(doors.store, scene, contestant).briefing
    answer = await _turn(doors, briefing) if scene.is_fresh(at) else _MISSED
    with doors.store.write():
        doors.store.tape.record_answer(scene.cohort.id, scene.round.number, contestant, answer)


async def _turn(doors: Doors, briefing: Briefing) -> Answer:
    """One contestant's turn: whatever goes wrong in it is its own, and is recorded."""
    agent = doors.agents.get(briefing.contestant)
    if agent is None:
        return _without_words(Trouble.CRASHED, "it is not configured any more")
    try:
        async with asyncio.timeout(LONGEST_TURN.total_seconds()):
            answer: object = await agent.answer(briefing)
    except TimeoutError:
        return _without_words(Trouble.TIMEOUT, f"no answer within {LONGEST_TURN}")
    except Exception as error:  # noqa: BLE001  # contestants cannot hurt each other
        return _without_words(Trouble.CRASHED, f"{type(error).__name__}: {error}")
    if isinstance(answer, Answer):
        return answer
    return _without_words(Trouble.CRASHED, f"it gave a {type(answer).__name__}, no answer")


def _without_words(trouble: Trouble, detail: str) -> Answer:
    return Answer(Completion(None, trouble=trouble, detail=detail[:500]))


_MISSED = _without_words(
    Trouble.MISSED, "the round was interrupted, and its prices are too old to ask about"
)
