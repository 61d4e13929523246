"""Step 4: read the answers, judge them by the rules, and book what trades."""

from dataclasses import dataclass
from datetime import datetime

from arena.agents.reply import ReplyError, read_reply
from arena.ledger.admit import Judgement, judge
from arena.ledger.journal import book_fill, book_sale
from arena.records.answer import Answer, Trouble
from arena.records.briefing import Briefing
from arena.records.cohort import ContestantId
from arena.records.decision import Bet, Decision, Forecast, Rejection
from arena.records.money import ZERO_USD, Usd
from arena.records.trade import Entry, Refused, RoundClosed, Turn
from arena.steps.brief import Scene, Seated, brief
from arena.steps.decide import open_scenes
from arena.steps.doors import Doors


@dataclass(frozen=True, slots=True)
class Traded:
    """What the turns of a tick came to."""

    fills: int = 0
    sales: int = 0
    refused: int = 0
    failed: tuple[tuple[ContestantId, str], ...] = ()
    turns: int = 0


def trade(doors: Doors, at: datetime) -> Traded:
    """Judge every answer that has not been judged, contestant by contestant.

    A contestant's whole turn is one transaction. A round whose turns are all judged closes.
    """
    total = Traded()
    for scene in open_scenes(doors, at):
        judged = doors.store.books.judged(scene.cohort.id, scene.round.number)
        missing = False
        for contestant in scene.cohort.spec.contestants:
            if contestant in judged:
                continue
            answer = doors.store.tape.answer(scene.cohort.id, scene.round.number, contestant)
            if answer is None:
                missing = True
            else:
                total = together(total, _play_turn(doors, scene, contestant, answer))
        if not missing:
            doors.store.journal.append([_closing(scene)])
    return total


def _play_turn(doors: Doors, scene: Scene, contestant: ContestantId, answer: Answer) -> Traded:
    with doors.store.write():
        seated = brief(doors.store, scene, contestant)
        decision, failure = read_answer(answer, seated.briefing)
        found = judge(decision, seated.desk) if decision else Judgement()
        turn = _turn_entry(scene, contestant, decision, found, failure)
        doors.store.journal.append([turn, *_bookings(doors, scene, seated, found)])
    failed = ((contestant, failure),) if failure else ()
    return Traded(len(found.fills), len(found.sales), len(found.rejections), failed, 1)


def read_answer(answer: Answer, briefing: Briefing) -> tuple[Decision | None, str | None]:
    """Read an answer's words: a decision, or why there is none.

    A failed call is a failure, never a HOLD that looks like a choice.
    """
    said = answer.completion
    if said.trouble is not None or said.text is None:
        trouble = said.trouble or Trouble.EMPTY
        return None, f"{trouble}: {said.detail}" if said.detail else str(trouble)
    try:
        return read_reply(said.text, briefing), None
    except ReplyError as error:
        return None, f"{Trouble.UNREADABLE}: {error}"


def _turn_entry(
    scene: Scene,
    contestant: ContestantId,
    decision: Decision | None,
    found: Judgement,
    failure: str | None,
) -> Entry:
    return Entry(
        id=f"turn:{scene.cohort.id}:{scene.round.number}:{contestant}",
        at=scene.round.at,
        event=Turn(
            round=scene.round.number,
            action=decision.action if decision else None,
            forecasts=_scored(scene, decision) if decision else (),
            refused=tuple(_refused(r) for r in found.rejections),
            accepted=len(found.fills) + len(found.sales),
            failure=failure,
        ),
        cohort=scene.cohort.id,
        contestant=contestant,
    )


def _scored(scene: Scene, decision: Decision) -> tuple[Forecast, ...]:
    """Forecasts of the round's own markets: what everybody was asked, and nothing else."""
    offered = set(scene.round.offered)
    return tuple(f for f in decision.forecasts if f.market in offered)


def _refused(rejection: Rejection) -> Refused:
    order = rejection.order
    amount = order.stake if isinstance(order, Bet) else order.percent
    return Refused(order.market, order.side, amount, rejection.reason, rejection.detail)


def _bookings(doors: Doors, scene: Scene, seated: Seated, found: Judgement) -> list[Entry]:
    cohort, who, at = scene.cohort.id, seated.briefing.contestant, scene.round.at
    entries = [book_fill(fill, cohort, who, at) for fill in found.fills]
    if not found.sales:
        return entries
    owed = doors.store.books.purse(cohort, who).owed
    for sale in found.sales:
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
    return Traded(
        a.fills + b.fills,
        a.sales + b.sales,
        a.refused + b.refused,
        a.failed + b.failed,
        a.turns + b.turns,
    )
