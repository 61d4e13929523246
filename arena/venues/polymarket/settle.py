"""Where a market is in its life, by all that its services say: money follows from it."""

from decimal import Decimal

from arena.records.market import Outcome, State, Status
from arena.records.money import price
from arena.venues.polymarket.choices import yes_index
from arena.venues.polymarket.clob import ClobMarket
from arena.venues.polymarket.gamma import GammaMarket
from arena.venues.polymarket.outcome import (
    DISPUTED,
    FINAL,
    HALF,
    PROPOSED,
    Resolution,
    decide_outcome,
    decisive,
    paid_out,
)

IN_DISPUTE = frozenset({DISPUTED, "challenged", "arbitration"})
IN_PROPOSAL = frozenset({PROPOSED, "reproposed"})
RESOLVED = "resolved"
A_DOLLAR = Decimal(1_000_000)  # of the millionths that payouts are told in
ONE, NOTHING = Decimal(1), Decimal(0)
SCALE = Decimal(10**18)  # of the oracle's own contract
ANSWERS = {ONE: ONE, HALF: HALF, NOTHING: NOTHING, SCALE: ONE, HALF * SCALE: HALF}


def needs_resolution(row: GammaMarket) -> bool:
    """Say whether the Data API is asked: for what has closed, or is about to."""
    return row.word.closed is True or row.word.oracle in (PROPOSED, DISPUTED)


def needs_winner(row: GammaMarket, resolution: Resolution | None) -> bool:
    """Say whether the CLOB is asked for its winner: where nobody else has the last word."""
    word = row.word
    silent = word.oracle not in FINAL and word.oracle != DISPUTED
    named = word.closed is True and decisive(word.payouts) is not None
    return (resolution is None or _names_none(resolution)) and silent and named


def status_of(
    row: GammaMarket,
    resolution: Resolution | None = None,
    winner: ClobMarket | None = None,
) -> Status:
    """Put together what is said of a market's life; where sources differ, nothing is final.

    Args:
        row: Gamma's word.
        resolution: The Data API's, which counts most; None where it has none.
        winner: The CLOB's, which counts where the Data API has no word.

    Source:
        Payouts of `/v2/resolutions`, else the rule of nautilus_trader's Polymarket adapter
        (https://github.com/nautechsystems/nautilus_trader): a payout vector that names one
        outcome, and the oracle or the CLOB's winner that confirms it.
    """
    state, outcome = _ending(row, resolution, winner)
    return Status(row.market.id, state, row.status.at, outcome, unconfirmed=True)


def _ending(
    row: GammaMarket, resolution: Resolution | None, winner: ClobMarket | None
) -> tuple[State, Outcome | None]:
    status = "" if resolution is None else resolution.status
    outdated = row.word.by_history and status == RESOLVED
    if status in IN_DISPUTE or (row.word.oracle == DISPUTED and not outdated):
        return State.DISPUTED, None
    if status in IN_PROPOSAL:
        return State.PROPOSED, None
    if row.word.closed is not True:
        over = status == RESOLVED
        return State.CLOSED_PENDING if over else row.status.state, None
    if resolution is not None and not _names_none(resolution):
        outcome = _paid(row, resolution) if status == RESOLVED else None
    elif winner is not None:
        outcome = decide_outcome(row.word, winner.word) if winner.word.closed else None
    else:
        outcome = decide_outcome(row.word)
    waits = State.PROPOSED if row.word.oracle == PROPOSED else State.CLOSED_PENDING
    return (State.RESOLVED, outcome) if outcome is not None else (waits, None)


def _names_none(resolution: Resolution) -> bool:
    """Say whether the Data API calls a market resolved, with no payouts and no price."""
    stated = resolution.payouts, resolution.price
    return resolution.status == RESOLVED and stated == (None, None)


def _paid(row: GammaMarket, resolution: Resolution) -> Outcome | None:
    """Read the Data API's outcome; None where it tells none, or another source another one."""
    by_payouts, by_answer = _by_payouts(row, resolution), _by_answer(row, resolution)
    by_gamma = paid_out(row.word)
    if resolution.payouts is None:
        return by_answer if by_answer == by_gamma else None
    others = {other for other in (by_answer, by_gamma) if other is not None}
    return by_payouts if others <= {by_payouts} else None


def _by_payouts(row: GammaMarket, resolution: Resolution) -> Outcome | None:
    if resolution.payouts is None or sum(resolution.payouts) != A_DOLLAR:
        return None
    yes = yes_index(row.word.choices) or 0
    return Outcome(price(resolution.payouts[yes] / A_DOLLAR))


def _by_answer(row: GammaMarket, resolution: Resolution) -> Outcome | None:
    """Read the oracle's answer: how much the first outcome is paid."""
    answer = None if resolution.price is None else ANSWERS.get(resolution.price)
    if answer is None:
        return None
    return Outcome(price(1 - answer if yes_index(row.word.choices) else answer))
