"""What befalls an event: when it closes, whether it stops on the way, and how it ends.

Every rate is the share of events, or of markets where it says so, that meet with it. When
and how an event ends is drawn without a look at its prices, so it tells nothing about the
outcome; the outcome itself is drawn from the last price.
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

import numpy as np

from arena.records.market import Outcome, State
from arena.records.money import price
from arena.venues.simulated.paths import Floats

SHORTEST, USUAL, LONGEST = 24, 8 * 24, 14 * 24  # hours from opening to the close hint
LONG_RATE = 0.08  # lives between USUAL and LONGEST
EARLY_RATE = 0.10  # closes before the hint
HALT_RATE = 0.03  # trading stops for some hours
VOID_RATE = 0.02
FRACTION_RATE = 0.02
PROPOSED_RATE = 0.5  # its outcome is proposed before it is final
DISPUTE_RATE = 0.04
CHANGE_RATE = 0.01  # resolved, and days later resolved the other way

LONGEST_WAIT = 24  # hours from the close to the venue's word
DISPUTE_HOURS = (24, 48)
CHANGE_HOURS = (24, 72)
HALT_HOURS = (2, 12)
FRACTIONS = (Decimal("0.25"), Decimal("0.4"), Decimal("0.5"), Decimal("0.6"), Decimal("0.75"))


class Ending(StrEnum):
    """How an event comes to its final word."""

    PLAIN = "plain"
    DISPUTED = "disputed"
    CHANGED = "changed"
    VOID = "void"
    FRACTION = "fraction"


RATES = {
    Ending.DISPUTED: DISPUTE_RATE,
    Ending.CHANGED: CHANGE_RATE,
    Ending.VOID: VOID_RATE,
    Ending.FRACTION: FRACTION_RATE,
}


@dataclass(frozen=True, slots=True)
class Life:
    """An event's course in hours since it opened. `halt` is from its first to past its last."""

    hint: int
    close: int
    ending: Ending
    halt: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class LifeTurn:
    """From hour `step` on a market is in this state."""

    step: int
    state: State
    outcome: Outcome | None = None


def draw_life(rng: np.random.Generator) -> Life:
    """Draw when an event is expected to close, when it does, and how it will end."""
    lengths = (USUAL, LONGEST) if rng.random() < LONG_RATE else (SHORTEST, USUAL)
    hint = int(rng.integers(*lengths, endpoint=True))
    share = rng.uniform(0.3, 0.9)
    close = int(hint * share) if rng.random() < EARLY_RATE else hint
    return Life(hint, close, _ending(rng.random()), _halt(close, rng))


def draw_words(
    ending: Ending, chances: Floats, listed: int, rng: np.random.Generator
) -> tuple[tuple[Outcome, ...], tuple[Outcome, ...]]:
    """Draw what the venue says first and last; they differ only for `Ending.CHANGED`.

    Args:
        ending: How the event comes to its final word.
        chances: The last price of every outcome, adding up to 1; for a yes/no event those
            of YES and NO.
        listed: How many of the outcomes are markets: 1 for a yes/no event.
        rng: Where chance comes from.

    Returns:
        The first and the last outcome of each market.
    """
    true = min(int(np.searchsorted(chances.cumsum(), rng.random())), len(chances) - 1)
    other = (true + int(rng.integers(1, len(chances)))) % len(chances)
    fraction = FRACTIONS[int(rng.integers(len(FRACTIONS)))]
    right, wrong = _one_hot(true, listed), _one_hot(other, listed)
    if ending is Ending.VOID:
        right = (Outcome(None),) * listed
    elif ending is Ending.FRACTION and listed == 1:
        right = (Outcome(price(fraction)),)
    elif ending is Ending.FRACTION:
        tie = Outcome(price("0.5"))
        right = tuple(tie if i in {true, other} else word for i, word in enumerate(right))
    return (wrong if ending is Ending.CHANGED else right), right


def draw_turns(life: Life, rng: np.random.Generator) -> tuple[LifeTurn, ...]:
    """Draw the states of an event's life, with no outcome in them yet.

    The last turn is RESOLVED; for `Ending.CHANGED` so is the last but one.
    """
    turns = [LifeTurn(0, State.OPEN)]
    if life.halt is not None:
        start, end = life.halt
        turns += [LifeTurn(start, State.HALTED), LifeTurn(end, State.OPEN)]
    waiting = State.PROPOSED if rng.random() < PROPOSED_RATE else State.CLOSED_PENDING
    turns.append(LifeTurn(life.close, waiting))
    word = life.close + int(rng.integers(1, LONGEST_WAIT, endpoint=True))
    if life.ending is Ending.DISPUTED:
        turns.append(LifeTurn(word, State.DISPUTED))
        word += int(rng.integers(*DISPUTE_HOURS, endpoint=True))
    elif life.ending is Ending.CHANGED:
        turns.append(LifeTurn(word, State.RESOLVED))
        word += int(rng.integers(*CHANGE_HOURS, endpoint=True))
    return (*turns, LifeTurn(word, State.RESOLVED))


def with_outcomes(
    turns: tuple[LifeTurn, ...], first: Outcome, last: Outcome
) -> tuple[LifeTurn, ...]:
    """Say one market's outcomes at the turns that have one."""
    final = len(turns) - 1
    return tuple(
        replace(turn, outcome=last if n == final else first)
        if turn.state is State.RESOLVED
        else turn
        for n, turn in enumerate(turns)
    )


def _ending(u: float) -> Ending:
    for ending, rate in RATES.items():
        if u < rate:
            return ending
        u -= rate
    return Ending.PLAIN


def _halt(close: int, rng: np.random.Generator) -> tuple[int, int] | None:
    start = int(rng.integers(1, close - 1))
    hours = int(rng.integers(*HALT_HOURS, endpoint=True))
    halted = rng.random() < HALT_RATE
    return (start, min(start + hours, close - 1)) if halted else None


def _one_hot(winner: int, listed: int) -> tuple[Outcome, ...]:
    return tuple(Outcome(price(1 if i == winner else 0)) for i in range(listed))
