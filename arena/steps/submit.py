"""Take in an answer from outside: a person's, or another system's."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from arena.agents.briefing_data import decision_data, reading_data, turn_document
from arena.agents.outside import SUBMITTED
from arena.agents.prompt import decision_schema
from arena.agents.reply import ReplyReading, read_reply, read_words
from arena.errors import ArenaError, nearest
from arena.ledger.order_limits import DecisionDesk, Tradable, judge
from arena.records.answer import Briefing
from arena.records.cohort import Cohort, CohortId, CohortSpec, ContestantId
from arena.records.decision import Bet, Sale, Status
from arena.records.market import MarketId
from arena.records.settings import ContestantSettings, Settings
from arena.steps.round_schedule import due_round, due_start
from arena.steps.rounds.brief import Scene, Seated, brief, set_scene
from arena.store import Store
from arena.store.journal.books import Round

LATE = "submission.late"
AGAIN = "submission.again"
UNKNOWN = "submission.unknown"


@dataclass(frozen=True, slots=True)
class Due:
    """A turn that waits for an answer from outside, and until when."""

    scene: Scene
    seated: Seated

    @property
    def briefing(self) -> Briefing:
        """What the contestant is shown."""
        return self.seated.briefing

    @property
    def deadline(self) -> datetime:
        """An answer that comes later does not count."""
        return self.scene.deadline

    def is_open(self, at: datetime) -> bool:
        """Say whether an answer may be handed in: the rules must leave time for it."""
        return bool(self.briefing.rules.answer_within) and self.scene.is_open(at)

    @property
    def closed(self) -> tuple[str, ...]:
        """Name the markets that trade no more: nothing that is said of them counts."""
        shown = self.briefing.offers + self.briefing.sell_only
        gone = {m for m, facts in self.seated.desk.markets.items() if not facts.is_open}
        return tuple(offer.alias for offer in shown if offer.market.id in gone)


@dataclass(frozen=True, slots=True)
class Coming:
    """When a contestant is asked next in a cohort, or in the next one of a cohort file."""

    cohort: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Prospect:
    """What handed-in words would come to.

    `reading` knows markets by the names that the turn gives them. `refused` says, a line
    each, which of its orders the rules would turn down.
    """

    reading: ReplyReading
    refused: tuple[str, ...] = ()


def entrant(settings: Settings, name: str) -> ContestantSettings:
    """Find a contestant whose answers are handed in.

    Raises:
        ArenaError: There is none of that name, it is several copies, or another agent answers
            for it.
    """
    taking = [c.id for c in settings.contestants if c.agent == SUBMITTED]
    there = f"contestants that answers are handed in for: {', '.join(taking)}"
    how = f"enter one in config.yaml, such as `contestants: {{me: {{agent: {SUBMITTED}}}}}`"
    hint = there if taking else how
    named = next((c for c in settings.contestants if c.id == name), None)
    if named is not None and named.agent == SUBMITTED:
        return named
    copies = [c.id for c in settings.contestants if c.copy_of == name]
    if named is not None:
        code, what = "agent.answers", f"{name} plays as {named.agent}: it answers for itself"
    elif copies:
        code, what = "agent.copies", f"{name} is entered several times"
        hint = f"name one of {', '.join(copies)}"
    else:
        code, what = "agent.unknown", f"there is no contestant {name}"
        near = nearest(name, taking)
        hint = f"did you mean {near}?" if near else hint
    raise ArenaError(code, what, hint=hint, status=2)


def turns_due(
    store: Store, contestant: ContestantId, at: datetime, cohort: str | None = None
) -> tuple[Due, ...]:
    """The turns that still wait for a contestant's answer, the most urgent first.

    Args:
        store: The arena.
        contestant: Whose turns.
        at: Now: rounds whose deadline has passed are left out.
        cohort: Only this one's, or those of the cohort file of that name; all if None.
    """
    open_turns: list[Due] = []
    for played in store.books.open_rounds():
        running = _playing_in(store, played.cohort, contestant)
        if running is None or cohort not in {None, running.id, running.spec.name}:
            continue
        due = _due(store, running, played, contestant, at)
        if due.is_open(at) and not _is_done(store, due.briefing):
            open_turns.append(due)
    return tuple(sorted(open_turns, key=lambda due: due.deadline))


def turn_at(
    store: Store, contestant: ContestantId, cohort: CohortId, number: int, at: datetime
) -> Due:
    """One turn that waits for a contestant's answer.

    Raises:
        ArenaError: There is no such turn (`submission.unknown`), it was answered already
            (`submission.again`), or its deadline has passed (`submission.late`).
    """
    running = _playing_in(store, cohort, contestant)
    played = store.books.round(cohort, number) if running else None
    if running is None or played is None:
        raise ArenaError(
            UNKNOWN,
            f"{contestant} has no turn in round {number} of {cohort}",
            hint="`arena forecast` shows the turns that are open",
        )
    due = _due(store, running, played, contestant, at)
    _refuse(store, due, at)
    return due


def handed_in(store: Store, contestant: ContestantId) -> tuple[Round, ...]:
    """The rounds for which a contestant's answer is there and is still to be judged."""
    return tuple(
        played
        for played in store.books.open_rounds()
        if contestant not in store.tape.answered(played.cohort, played.number)
        and store.tape.calls.submission(played.cohort, played.number, contestant) is not None
    )


def coming(
    store: Store, specs: Iterable[CohortSpec], contestant: ContestantId, at: datetime
) -> tuple[Coming, ...]:
    """When a contestant can answer next, in each cohort that it plays in; the soonest first.

    Cohorts whose rules leave no time to answer from outside are left out. A moment that has
    come already is a round that the next tick lays out.
    """
    running = [c for c in store.books.running() if _takes(c.spec, contestant)]
    rounds = [
        Coming(cohort.id, moment)
        for cohort in running
        if (moment := _next_round(store, cohort, at)) is not None
    ]
    starts = [
        Coming(spec.name, moment)
        for spec in specs
        if _takes(spec, contestant) and (moment := _next_start(store, spec, at)) is not None
    ]
    return tuple(
        sorted(rounds + starts, key=lambda next_turn: (next_turn.at, next_turn.cohort))
    )


def prospect(due: Due, text: str) -> Prospect:
    """Say what words would come to, without handing them in.

    An order for a made-up market is judged like any other, or it would be given away.
    """
    reading = _read(due, text)
    decision = read_reply(text, due.briefing).decision
    if decision is None:
        return Prospect(reading)
    offers = due.briefing.offers + due.briefing.sell_only
    names = {offer.market.id: offer.alias for offer in offers}
    refused: list[str] = []
    for no in judge(decision, _open_to_bait(due)).rejections:
        why = f"{no.reason}, {no.detail}" if no.detail else str(no.reason)
        refused.append(f"{names[no.order.market]} {_wish(no.order)}: {why}")
    return Prospect(reading, tuple(refused))


def submit(store: Store, due: Due, text: str, at: datetime) -> ReplyReading:
    """Hand in the words of a turn; the next tick judges them like everybody else's.

    They are read by the same reader, and kept only where it finds a decision in them. What is
    kept cannot be changed.

    Args:
        store: The arena.
        due: The turn.
        text: The words, in the reply format.
        at: Now.

    Returns:
        How the words read, with the markets named as the turn names them; with the status
        `reject` nothing was kept.

    Raises:
        ArenaError: The deadline has passed (`submission.late`), or an answer is there already
            (`submission.again`).
    """
    _refuse(store, due, at)
    reading = _read(due, text)
    if reading.status is Status.REJECT:
        return reading
    briefing = due.briefing
    with store.write():
        _refuse(store, due, at)
        store.tape.calls.record_submission(
            briefing.cohort, briefing.round, briefing.contestant, at, text
        )
    store.db.make_last()
    return reading


def turn_data(due: Due) -> dict[str, object]:
    """Write a turn down as plain data: what models are shown of it, and how to answer.

    `closed` names markets that trade no more, of which nothing counts; `schema` is the JSON
    schema of an answer.
    """
    briefing = due.briefing
    schema = decision_schema([offer.alias for offer in briefing.offers])
    data = decision_data(briefing, prices=True).text
    document = turn_document((briefing.cohort, briefing.round), due.deadline, data, schema)
    return {**document, "closed": list(due.closed)}


def answer_data(due: Due, reading: ReplyReading) -> dict[str, object]:
    """Write down what became of an answer that was handed in, as plain data."""
    briefing = due.briefing
    return {
        "contestant": briefing.contestant,
        "cohort": briefing.cohort,
        "round": briefing.round,
        "deadline": due.deadline.isoformat(),
        "handed_in": reading.status is not Status.REJECT,
        **reading_data(reading),
    }


def coming_data(moments: Sequence[Coming]) -> list[dict[str, object]]:
    """Write down when a contestant is asked next, as plain data."""
    return [{"cohort": moment.cohort, "at": moment.at.isoformat()} for moment in moments]


def _read(due: Due, text: str) -> ReplyReading:
    """Read words as the round's judge will, and keep the names that they use."""
    offers = due.briefing.offers + due.briefing.sell_only
    return read_words(text, {offer.alias: MarketId(offer.alias) for offer in offers})


def _wish(order: Bet | Sale) -> str:
    if isinstance(order, Bet):
        return f"{order.side} ${order.stake:.2f}"
    return f"{order.side} {order.percent.normalize():f}%"


def _open_to_bait(due: Due) -> DecisionDesk:
    desk, bait = due.seated.desk, due.scene.honeypot
    if bait is None:
        return desk
    made_up = {bait.market.id: Tradable(bait.market, bait.quote)}
    return replace(desk, markets={**desk.markets, **made_up})


def _due(
    store: Store, cohort: Cohort, played: Round, contestant: ContestantId, at: datetime
) -> Due:
    scene = set_scene(store, cohort, played, at)
    return Due(scene, brief(store, scene, contestant, at))


def _takes(spec: CohortSpec, contestant: ContestantId) -> bool:
    return contestant in spec.contestants and bool(spec.rules.answer_within)


def _playing_in(store: Store, cohort: CohortId, contestant: ContestantId) -> Cohort | None:
    running = store.books.cohort(cohort)
    return running if running and contestant in running.spec.contestants else None


def _refuse(store: Store, due: Due, at: datetime) -> None:
    briefing = due.briefing
    turn = f"round {briefing.round} of {briefing.cohort}"
    if _is_done(store, briefing, missed=due.is_open(at)):
        raise ArenaError(
            AGAIN,
            f"{briefing.contestant} has answered {turn} already",
            hint="an answer cannot be changed once it was handed in",
        )
    if not briefing.rules.answer_within:
        raise ArenaError(
            LATE,
            f"{turn} takes no answers from outside: its rules leave no time for them",
            hint="write `rules: {answer_within: 4h}` into the file of the next cohort",
        )
    if not due.is_open(at):
        raise ArenaError(
            LATE,
            f"{turn} took answers until {due.deadline:%Y-%m-%d %H:%M:%S} UTC",
            hint="`arena forecast` says when the next round is",
        )


def _is_done(store: Store, briefing: Briefing, *, missed: bool = True) -> bool:
    """Say whether a turn has its answer; with `missed`, a missed answer counts as one."""
    seat = (briefing.cohort, briefing.round)
    is_there = store.tape.calls.submission(*seat, briefing.contestant) is not None
    return is_there or (missed and briefing.contestant in store.tape.answered(*seat))


def _next_round(store: Store, cohort: Cohort, at: datetime) -> datetime | None:
    last = store.books.last_round(cohort.id)
    every = cohort.spec.decide_every
    number = due_round(cohort, last.number if last else 0, at)
    if number is None:
        number = max(0, (at - cohort.started_at) // every + 1) + 1
    moment = cohort.started_at + every * (number - 1)
    return moment if moment < cohort.window_ends_at else None


def _next_start(store: Store, spec: CohortSpec, at: datetime) -> datetime | None:
    first, step = spec.start.first, spec.start.cadence.step
    start = due_start(spec, at, store.books.last_start(spec.name))
    if start is not None:
        return start
    if at < first:
        return first
    return None if step is None else first + ((at - first) // step + 1) * step
