"""Step 4: read the answers, judge them by the rules, and book what trades."""

from dataclasses import dataclass, fields
from datetime import datetime

from arena.ledger.journal import book_fill, book_sale
from arena.ledger.order_limits import Judgement, judge
from arena.records.answer import Answer, Trouble
from arena.records.cohort import CohortId, ContestantId
from arena.records.decision import Bet, Decision, Forecast, Rejection
from arena.records.market import VenueId
from arena.records.money import ZERO_USD, Usd
from arena.records.trade import Entry, Refused, RoundClosed, Turn
from arena.steps.doors import Doors
from arena.steps.rounds.brief import Scene, Seated, brief
from arena.steps.rounds.decide import Heard, hear, open_scenes
from arena.store import Store


@dataclass(frozen=True, slots=True)
class Traded:
    """What the turns of a tick came to."""

    fills: int = 0
    sales: int = 0
    refused: int = 0
    failed: tuple[tuple[ContestantId, str], ...] = ()
    turns: int = 0
    withdrawn: tuple[ContestantId, ...] = ()


def trade(
    doors: Doors,
    at: datetime,
    *,
    until: datetime | None = None,
    silent: frozenset[VenueId] = frozenset(),
) -> Traded:
    """Judge every answer that has not been judged, contestant by contestant.

    A contestant's whole turn is one transaction. A round whose turns are all judged closes.
    Rounds laid out after `until` wait; None is `at`. Late answers about the markets of
    `silent` venues wait too: an outcome may be known that those have not told.
    """
    total = Traded()
    for scene in open_scenes(doors, at, until=until):
        if scene.is_late(at) and scene.cohort.spec.venue in silent:
            continue
        judged = doors.store.books.judged(scene.cohort.id, scene.round.number)
        answered = doors.store.tape.answered(scene.cohort.id, scene.round.number)
        missing = False
        for contestant in scene.cohort.spec.contestants:
            if contestant in judged:
                continue
            if contestant not in answered:
                missing = True
            else:
                total = together(total, _play_turn(doors, scene, contestant, at))
        if not missing:
            doors.store.journal.append([_closing(scene)])
    return total


def _play_turn(doors: Doors, scene: Scene, contestant: ContestantId, at: datetime) -> Traded:
    with doors.store.write():
        answer = doors.store.tape.answer(scene.cohort.id, scene.round.number, contestant)
        if answer is None:
            return Traded()
        turn = judged_turn(doors.store, scene, contestant, answer, at)
        doors.store.journal.append(turn.entries)
    if Trouble.of(turn.failure) is Trouble.WITHDRAWN:
        return Traded(withdrawn=(contestant,))
    failed = ((contestant, turn.failure),) if turn.failure else ()
    judgement = turn.found
    return Traded(
        len(judgement.fills), len(judgement.sales), len(judgement.rejections), failed, 1
    )


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """What an answer comes to: the turn's entry first, then one for each fill and sale."""

    entries: tuple[Entry, ...]
    found: Judgement
    failure: str | None


def judged_turn(
    store: Store, scene: Scene, contestant: ContestantId, answer: Answer, at: datetime
) -> JudgedTurn:
    """Read an answer and judge it by the rules; nothing is written.

    Args:
        store: The books as they are before the turn.
        scene: Its round.
        contestant: Whose turn it is.
        answer: What the tape has of it.
        at: Now: what has closed since the round was laid out does not trade.
    """
    seated = brief(store, scene, contestant, at)
    reading = hear(answer, seated.briefing, scene.honeypot)
    judgement = judge(reading.decision, seated.desk) if reading.decision else Judgement()
    turn = _turn_entry(scene, contestant, reading, judgement)
    entries = (turn, *_bookings(store, scene, seated, judgement))
    return JudgedTurn(entries, judgement, reading.failure)


def turn_id(cohort: CohortId, number: int, contestant: ContestantId) -> str:
    """Name the journal's entry of a turn that was judged."""
    return f"turn:{cohort}:{number}:{contestant}"


def _turn_entry(
    scene: Scene, contestant: ContestantId, reading: Heard, judgement: Judgement
) -> Entry:
    decision = reading.decision
    return Entry(
        id=turn_id(scene.cohort.id, scene.round.number, contestant),
        at=scene.round.at,
        event=Turn(
            round=scene.round.number,
            action=decision.action if decision and not reading.failure else None,
            forecasts=_scored(scene, decision) if decision else (),
            refused=tuple(_refused(r) for r in judgement.rejections),
            accepted=len(judgement.fills) + len(judgement.sales),
            failure=reading.failure,
            conduct=reading.conduct,
        ),
        cohort=scene.cohort.id,
        contestant=contestant,
    )


def _scored(scene: Scene, decision: Decision) -> tuple[Forecast, ...]:
    """Forecasts of the round's own markets: what everybody was asked, and nothing else.

    What has closed since the question was put is left out: its outcome may have been known.
    """
    offered = set(scene.round.offered) - scene.closed
    return tuple(f for f in decision.forecasts if f.market in offered)


def _refused(rejection: Rejection) -> Refused:
    order = rejection.order
    amount = order.stake if isinstance(order, Bet) else order.percent
    return Refused(order.market, order.side, amount, rejection.reason, rejection.detail)


def _bookings(store: Store, scene: Scene, seated: Seated, judgement: Judgement) -> list[Entry]:
    cohort, who, at = scene.cohort.id, seated.briefing.contestant, scene.round.at
    entries = [book_fill(fill, cohort, who, at) for fill in judgement.fills]
    if not judgement.sales:
        return entries
    owed = store.books.purse(cohort, who).owed
    for sale in judgement.sales:
        entry = book_sale(sale, cohort, who, at, owed=owed)
        owed = Usd(max(owed - sale.proceeds + sale.fee, ZERO_USD))
        entries.append(entry)
    return entries


def _closing(scene: Scene) -> Entry:
    number = scene.round.number
    return Entry(
        f"close:{scene.cohort.id}:{number}",
        scene.round.at,
        RoundClosed(number),
        scene.cohort.id,
    )


def together(a: Traded, b: Traded) -> Traded:
    """Add up what two sets of turns came to."""
    return Traded(*(getattr(a, f.name) + getattr(b, f.name) for f in fields(Traded)))
