"""Turns that wait for an answer from outside, for commands."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from arena.cli.database import no_cohort
from arena.cli.models.reply import lines_of
from arena.cli.say import one_line, utc
from arena.errors import ArenaError
from arena.records.cohort import CohortId, ContestantId
from arena.records.settings import Settings
from arena.steps.submit import (
    Coming,
    Due,
    Prospect,
    answer_data,
    coming,
    handed_in,
    turn_at,
    turns_due,
)
from arena.store import Store

MOST_TOLD = 3  # moments to come that are named


@dataclass(frozen=True, slots=True)
class TurnSelection:
    """Whose turns a command is about, of which cohort (None: any), and when."""

    who: ContestantId
    cohort: str | None
    at: datetime


def open_turns(store: Store, settings: Settings, asking: TurnSelection) -> tuple[Due, ...]:
    """The turns that wait for a contestant's answer, the most urgent first.

    Raises:
        ArenaError: There is no cohort, and no cohort file, of the name that was given.
    """
    cohort = asking.cohort
    named = {spec.name for spec in settings.cohorts} | {None}
    if cohort not in named and not (
        cohort and cohort.isascii() and store.books.cohort(CohortId(cohort))
    ):
        raise no_cohort(store, cohort or "", [spec.name for spec in settings.cohorts])
    return turns_due(store, asking.who, asking.at, cohort)


def one_turn(store: Store, settings: Settings, asking: TurnSelection) -> Due:
    """The turn that an answer is meant for.

    Raises:
        ArenaError: No turn is open, or turns of several cohorts are.
    """
    turns, who = open_turns(store, settings, asking), asking.who
    cohorts = list(dict.fromkeys(due.briefing.cohort for due in turns))
    if len(cohorts) > 1:
        raise ArenaError(
            "usage.cohort",
            f"{who} has open turns in {len(cohorts)} cohorts",
            hint=f"say which with --cohort: {', '.join(cohorts)}",
            status=2,
        )
    if turns:
        return turns[0]
    for played in store.books.open_rounds():
        cohort = store.books.cohort(played.cohort)
        named = {cohort.id, cohort.spec.name, None} if cohort else set()
        if cohort and who in cohort.spec.contestants and asking.cohort in named:
            turn_at(store, who, cohort.id, played.number, asking.at)  # says why it is not open
    raise ArenaError(
        "submission.none",
        f"no round waits for an answer of {who}: nothing was handed in",
        hint=next_words(coming(store, settings.cohorts, who, asking.at)),
    )


def waiting_words(store: Store, who: ContestantId) -> Iterator[str]:
    """Name the rounds that were answered and are still to be judged, a line each."""
    for played in handed_in(store, who):
        yield (f"round {played.number} of {played.cohort} is answered: the next tick judges it")


def next_words(ahead: Sequence[Coming]) -> str:
    """Say when a contestant is asked next.

    >>> next_words([])
    'no cohort that it plays in, and that waits for answers, has a round to come'
    """
    if not ahead:
        return "no cohort that it plays in, and that waits for answers, has a round to come"
    rounds = [
        f"{coming_round.cohort} at {utc(coming_round.at)}" for coming_round in ahead[:MOST_TOLD]
    ]
    return f"next round: {', '.join(rounds)}, once the arena is ticked"


def prospect_lines(outcome: Prospect) -> Iterator[str]:
    """Describe how an answer was read, and which orders the rules would refuse."""
    yield from lines_of(outcome.reading)
    if outcome.refused:
        yield "the rules would refuse:"
    for line in outcome.refused:
        yield f"  {one_line(line)}"


def answer_json(due: Due, outcome: Prospect) -> dict[str, object]:
    """Give as JSON how an answer was read, and which orders the rules would refuse."""
    return {**answer_data(due, outcome.reading), "would_refuse": list(outcome.refused)}
