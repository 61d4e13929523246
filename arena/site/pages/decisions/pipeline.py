"""The way of a turn from its prompt to its fills, and where it ended."""

from arena.metrics import figures
from arena.records.answer import Trouble
from arena.records.decision import Action
from arena.site.pages.decisions.view import Step
from arena.site.sanitize import one_line
from arena.store.pages.turns import TurnCard

DONE, PART, FAILED, IDLE = "done", "part", "failed", "idle"
REASON = 300

_UNSENT = frozenset({
    Trouble.BUDGET, Trouble.MISSED, Trouble.NOT_SET_UP, Trouble.WITHDRAWN,
})  # fmt: skip


def verdict(card: TurnCard) -> tuple[str, str]:
    """The outcome of a turn in one line, and its tone: done, part, failed or idle."""
    turn = card.turn
    refused, dropped = len(turn.refused), len(turn.conduct.dropped)
    if turn.is_withdrawn:
        return one_line(turn.failure or "", REASON), IDLE
    if turn.failure and not turn.accepted:
        return f"failed: {one_line(turn.failure, REASON)}", FAILED
    words = []
    if card.bought:
        words.append(f"{figures.many(len(card.bought), 'bet')} executed")
    if card.sold:
        words.append(f"{figures.many(len(card.sold), 'sale')} executed")
    if refused:
        words.append(f"{refused} refused by the rules")
    if dropped:
        words.append(f"{dropped} left out")
    if turn.failure:
        words.append(f"the rest failed: {one_line(turn.failure, REASON)}")
    if not words:
        return ("held" if turn.action is Action.HOLD else "no order was stated"), IDLE
    is_whole = not (refused or dropped or turn.failure)
    return ", ".join(words), DONE if is_whole else PART if turn.accepted else FAILED


def steps(card: TurnCard, prompt: str, reply: str) -> tuple[Step, ...]:
    """The stages of a turn; stages after a failed one were not reached.

    Args:
        card: The turn.
        prompt: How long its prompt is; empty where it had none.
        reply: How long its reply is.
    """
    stages = [_prompt(card, prompt), _reply(card, reply), _parsed(card)]
    stages += _orders(card)
    ended = next((n for n, step in enumerate(stages) if step.state == FAILED), len(stages))
    return tuple(
        step if n <= ended else Step(step.name, IDLE, "not reached")
        for n, step in enumerate(stages)
    )


def _prompt(card: TurnCard, prompt: str) -> Step:
    answer = card.answer
    if answer is None or prompt:
        return Step("Prompt", DONE, prompt or "not on the tape")
    if answer.trouble in _UNSENT:
        return Step("Prompt", FAILED, "never sent", answer.trouble.value)
    return Step("Prompt", IDLE, "none", "it plays without one")


def _reply(card: TurnCard, reply: str) -> Step:
    answer = card.answer
    if answer is None:
        return Step("Reply", FAILED, "not on the tape")
    if answer.text is None:
        return Step("Reply", FAILED, answer.trouble.value if answer.trouble else "no words")
    tokens = answer.usage.tokens_out
    return Step("Reply", DONE, reply, figures.many(tokens, "token") if tokens else "")


def _parsed(card: TurnCard) -> Step:
    turn = card.turn
    if turn.failure:
        reason = one_line(turn.failure, REASON)
        is_partial = turn.accepted or turn.forecasts
        return Step(
            "Parsed", PART if is_partial else FAILED, "in part" if is_partial else "no", reason
        )
    mended = turn.conduct.repaired
    note = f"syntax mended in {figures.many(mended, 'reply', 'replies')}" if mended else ""
    if turn.conduct.dropped:
        left = f"{figures.many(len(turn.conduct.dropped), 'order')} left out"
        return Step("Parsed", PART, "in part", f"{note}, {left}" if note else left)
    return Step("Parsed", DONE, "ok", note)


def _orders(card: TurnCard) -> list[Step]:
    turn = card.turn
    wanted, refused = turn.accepted + len(turn.refused), len(turn.refused)
    filled = len(card.bought) + len(card.sold)
    if not wanted:
        nothing = "no order to check"
        return [
            Step("Validated", IDLE, nothing),
            Step("Orders", IDLE, "none"),
            Step("Fills", IDLE, "none"),
        ]
    checked = f"{turn.accepted} of {wanted} passed"
    state = DONE if not refused else PART if turn.accepted else FAILED
    return [
        Step("Validated", state, checked, f"{refused} refused" if refused else ""),
        Step("Orders", DONE, figures.many(turn.accepted, "order")),
        Step("Fills", DONE, figures.many(filled, "fill")),
    ]
