"""Take in an answer from outside: a person's, or another system's."""

from dataclasses import dataclass
from datetime import datetime

from arena.agents.reply import Reading, read_reply
from arena.errors import ArenaError
from arena.records.briefing import Briefing
from arena.records.cohort import CohortId, ContestantId
from arena.records.decision import Status
from arena.steps.brief import Scene, brief, set_scene
from arena.store import Store


@dataclass(frozen=True, slots=True)
class Due:
    """A turn that waits for an answer from outside, and until when."""

    scene: Scene
    briefing: Briefing

    @property
    def deadline(self) -> datetime:
        """An answer that comes later does not count."""
        return self.scene.deadline


def turns_due(
    store: Store, contestant: ContestantId, at: datetime, cohort: CohortId | None = None
) -> tuple[Due, ...]:
    """The turns that still wait for a contestant's answer, oldest first.

    Args:
        store: The arena.
        contestant: Whose turns.
        at: Now: rounds whose deadline has passed are left out.
        cohort: Only this one's; all cohorts' if None.
    """
    found: list[Due] = []
    for played in store.books.open_rounds():
        running = store.books.cohort(played.cohort)
        if running is None or contestant not in running.spec.contestants:
            continue
        seat = (played.cohort, played.number, contestant)
        if (cohort or played.cohort) != played.cohort or _is_done(store, *seat):
            continue
        scene = set_scene(store, running, played, at)
        if scene.is_open(at):
            found.append(Due(scene, brief(store, scene, contestant, at).briefing))
    return tuple(found)


def submit(store: Store, due: Due, text: str, at: datetime) -> Reading:
    """Hand in the words of a turn; the next tick judges them like everybody else's.

    They are read by the same reader, and kept only where it finds a decision in them. What is
    kept cannot be changed.

    Returns:
        How the words read; with the status `reject` nothing was kept.

    Raises:
        ArenaError: The deadline has passed (`submission.late`), or an answer is there already
            (`submission.again`).
    """
    briefing = due.briefing
    if not due.scene.is_open(at):
        raise ArenaError(
            "submission.late",
            f"round {briefing.round} of {briefing.cohort} took answers until "
            f"{due.deadline:%Y-%m-%d %H:%M} UTC",
            hint="the next round is listed by `arena status`",
        )
    reading = read_reply(text, briefing)
    if reading.status is Status.REJECT:
        return reading
    seat = (briefing.cohort, briefing.round, briefing.contestant)
    with store.write():
        kept = not _is_done(store, *seat) and store.tape.calls.record_submission(
            *seat, at, text
        )
    if not kept:
        raise ArenaError(
            "submission.again",
            f"{briefing.contestant} has answered round {briefing.round} of "
            f"{briefing.cohort} already",
            hint="an answer cannot be changed once it was handed in",
        )
    return reading


def _is_done(store: Store, cohort: CohortId, number: int, contestant: ContestantId) -> bool:
    answered = contestant in store.tape.answered(cohort, number)
    return answered or store.tape.calls.submission(cohort, number, contestant) is not None
