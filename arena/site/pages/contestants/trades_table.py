"""Bets and sales as lines of a table."""

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.market import Outcome
from arena.scoring.leaderboard import brier_score
from arena.site.pages.parts.parts import Cell, Link, TradeRow
from arena.site.reading import Reading, cohort_link, outcome_words, shown_moment
from arena.store.pages.cards import Deal


def deal_row(deal: Deal, about: Link, reading: Reading, root: str) -> TradeRow:
    """Show a deal; `about` is its market, or on a market's page the contestant."""
    outcome = reading.outcome(deal.market)
    return TradeRow(
        at=shown_moment(deal.at),
        cohort=cohort_link(deal.cohort, root),
        about=about,
        deed="sold" if deal.sold else "bought",
        side=deal.side.value,
        price=METRICS["price"].shown(deal.price),
        shares=METRICS["shares"].shown(deal.shares),
        amount=Cell(
            METRICS["amount"].shown(deal.dollars),
            f"fee {METRICS['fees'].shown(deal.fee)}" if deal.fee else "",
            deal.dollars,
        ),
        confidence=METRICS["confidence"].shown(deal.confidence),
        implied=(
            implied("stated_p", deal.stated, outcome),
            implied("kelly_p", deal.kelly, outcome),
            implied("linear_p", deal.linear, outcome),
        ),
        outcome="" if outcome is None else outcome_words(outcome),
    )


def implied(key: str, probability: float | None, outcome: Outcome | None) -> Cell:
    """Show a probability of YES, and its Brier score once the truth is known."""
    score = brier(probability, outcome)
    note = "" if score == figures.MISSING else f"Brier {score}"
    return Cell(METRICS[key].shown(probability), note, probability)


def brier(probability: float | None, outcome: Outcome | None) -> str:
    """The Brier score of a forecast, or n/a where there is nothing to score."""
    truth = None if outcome is None else outcome.truth
    if probability is None or truth is None:
        return figures.MISSING
    return METRICS["brier"].shown(brier_score(probability, truth))
