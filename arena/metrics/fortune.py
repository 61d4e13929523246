"""A book's P/L against what the prices of its bets made likely."""

from dataclasses import replace
from typing import Final

import numpy as np

from arena.odds.columns import Flags
from arena.scoring.book import Book, Lines
from arena.scoring.luck import Joint, Luck, luck
from arena.scoring.stakes import Stakes, stakes_of_book

ROUNDING: Final = 1e-9


def fortune(book: Book, lines: Lines, exclusive: Flags, rng: np.random.Generator) -> Luck:
    """Test a book's P/L, of bets that were held until their markets resolved YES or NO.

    Each market comes true with the chance that leaves the bets on it the mean they had if
    every price was right: minus what they cost in spread and fees. For bets on one side that
    is the mean of their prices, weighted by shares. Bets on both sides may leave nothing to
    chance: their P/L is then taken as it is.

    Outcomes of different events are drawn separately. Of an exclusive event one market at most
    resolves YES, if its chances allow that. How the markets of any other event depend on each
    other is not known: they are drawn separately, and as rising together, and the larger p is
    given.

    Args:
        book: Bets as they were placed.
        lines: The lines they are on, with the markets' outcomes.
        exclusive: Whether at most one market of an event can be YES, by the event's number.
        rng: Chance, for where it must be simulated.
    """
    stakes = stakes_of_book(book, lines)
    one_of_many = _one_of_many(stakes, exclusive)
    together = ladders(stakes, one_of_many)
    alone = len(exclusive) + np.arange(len(stakes.event))
    apart = replace(together, event=np.where(one_of_many, stakes.event, alone))
    several = np.bincount(stakes.event[~one_of_many]).max(initial=0) > 1
    found = [
        luck(way, rng, joint=Joint.NESTED)
        for way in ([together, apart] if several else [apart])
    ]
    return max(found, key=lambda one: one.upper or 0.0)


def ladders(stakes: Stakes, one_of_many: Flags) -> Stakes:
    """Rewrite events of which one market at most is YES, so that nested ones stand for them.

    With v_k the P/L of all bets on the event if its k-th market comes true and v_0 if none
    does, the k-th becomes a step that adds v_k - v_(k-1), and that is taken where the k-th
    or a later one comes true. Nested steps then have the same P/L with the same chances.

    Args:
        stakes: One row a market.
        one_of_many: Whether a row's event is of that kind: one YES at most, and chances that
            add up to 1 at most.
    """
    q, yes = stakes.q.copy(), stakes.yes.copy()
    if_yes, if_no = stakes.if_yes.copy(), stakes.if_no.copy()
    size = np.bincount(stakes.event)
    several = np.flatnonzero(one_of_many & (size[stakes.event] > 1))
    several = several[np.argsort(stakes.event[several], kind="stable")]
    cuts = np.flatnonzero(np.diff(stakes.event[several])) + 1
    for rows in np.split(several, cuts) if several.size else ():
        none = float(stakes.if_no[rows].sum())
        worth = none + stakes.if_yes[rows] - stakes.if_no[rows]
        q[rows] = np.minimum(np.cumsum(stakes.q[rows][::-1])[::-1], 1.0)
        yes[rows] = np.cumsum(stakes.yes[rows][::-1])[::-1] > 0
        if_no[rows] = 0.0
        if_no[rows[0]] = none
        if_yes[rows] = if_no[rows] + np.diff(worth, prepend=none)
    return Stakes(q, if_yes, if_no, stakes.event, yes)


def _one_of_many(stakes: Stakes, exclusive: Flags) -> Flags:
    """Rows of exclusive events; one with two YES is not what it was said to be."""
    came = np.bincount(stakes.event, stakes.yes, minlength=len(exclusive))
    chance = np.bincount(stakes.event, stakes.q, minlength=len(exclusive))
    fits = exclusive & (came <= 1) & (chance <= 1 + ROUNDING)
    return np.asarray(fits[stakes.event])
