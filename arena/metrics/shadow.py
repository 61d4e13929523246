"""Shadow books of an arena: everybody's forecasts under every rule, and what is behind them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from arena.errors import ArenaError
from arena.metrics.closing import Closing, Sides, closing, sharpe_of_events
from arena.metrics.offered import Offered, some, unsaid
from arena.metrics.remark import Remarked, remarked
from arena.odds.columns import Flags
from arena.odds.drawdown import Brakes
from arena.records.estimate import Estimate
from arena.scoring.attribution import Attribution, attribute, bought
from arena.scoring.book import Book, Lines, Passed
from arena.scoring.clv import Exclusion
from arena.scoring.luck import Joint, Luck, Stakes, luck, stakes_of_book
from arena.scoring.shadow import CAPITAL, POLICIES, Policy, replay, replay_own
from arena.scoring.table import Whole
from arena.stats.clusters import interval, ratio
from arena.stats.labels import Edge, edge
from arena.stats.seeds import generator

LEVEL: Final = 0.95
OWN: Final = "own"
AS_CHAMPION: Final = "champion"
CHAMPION: Final = Policy(brakes=Brakes())  # with the gate, which comes with the lines


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """One contestant's bets under one rule.

    `book` has the bets as they were placed, on `lines`; `paid` has what was settled or sold,
    on `paid_lines`: the same unless something was sold. `rows` says on which offered line
    each line of `lines` is.
    """

    contestant: str
    policy: str
    book: Book
    lines: Lines
    paid: Book
    paid_lines: Lines
    rows: Whole


@dataclass(frozen=True, slots=True)
class Judged:
    """A book and what is behind it.

    `bets`, `staked`, `ev_clv`, `remarked` and `luck` are about the bets as they were placed;
    `luck` takes each as held to the end, so that selling what looks bad cannot pass for
    luck. `profit`, `lowest` and `split` are about what was settled or sold. `passed` counts
    the lines without a bet, `excluded` the bets without a closing line value.
    """

    contestant: str
    policy: str
    capital: float
    bets: int
    events: int
    open: int
    staked: float
    profit: float
    returned: float
    lowest: float
    ev_clv: Estimate
    ev_clv_by_stake: Estimate
    clv: Estimate
    sharpe_clv: Estimate
    label: Edge
    remarked: Remarked
    luck: Luck
    split: Attribution
    passed: Mapping[Passed, int]
    excluded: Mapping[Exclusion, int]


def rules_of(offered: Offered, champion: str | None = None) -> tuple[str, ...]:
    """Every rule there is: own stakes, the sizing rules, and the champion's if there is one.

    Raises:
        ArenaError: The champion has said nothing.
    """
    if champion is None:
        return (OWN, *POLICIES)
    if champion not in offered.forecasts:
        raise ArenaError(
            "score.contestant",
            f"{champion} has no forecast to be a champion by",
            hint=f"there are {', '.join(sorted(offered.forecasts)[:20]) or 'none'}",
            status=2,
        )
    return (OWN, *POLICIES, AS_CHAMPION)


def play(
    offered: Offered,
    contestant: str,
    policy: str,
    *,
    capital: float = CAPITAL,
    champion: str | None = None,
) -> Played | None:
    """Bet a contestant's forecasts by a rule, or take its own bets.

    The champion's rule is a fraction of Kelly with caps and brakes, on those lines that the
    champion forecast and its gate let pass; only the probabilities are the contestant's.

    Args:
        offered: The market.
        contestant: Whose probabilities, or bets.
        policy: One of `rules_of`.
        capital: Dollars at the start; own bets have those of their cohorts.
        champion: Whose lines, for the champion's rule.

    Returns:
        None where the contestant has no such bets: no fill, or no forecast at all.
    """
    if policy == OWN:
        return _own(offered, contestant)
    if contestant not in offered.forecasts:
        return None
    p = offered.forecasts[contestant]
    rows, lines, rule = np.arange(len(p)), offered.lines, POLICIES.get(policy, CHAMPION)
    if policy == AS_CHAMPION:
        theirs = offered.forecasts[champion or contestant]
        rows = np.flatnonzero(~np.isnan(theirs))
        lines = some(lines, rows, gated=offered.gate.held)
    book = replay(lines, p[rows], rule, capital=capital)
    return Played(contestant, policy, book, lines, book, lines, rows)


def _own(offered: Offered, contestant: str) -> Played | None:
    placed = offered.placed.get(contestant)
    if placed is None:
        return None
    book = replay_own(placed.fills, placed.of_fill, capital=placed.capital)
    said = ~np.isnan(offered.forecasts.get(contestant, unsaid(offered.lines)))
    bet = np.zeros(len(said), np.bool_)
    bet[placed.rows] = True
    silent = {
        Passed.NO_FORECAST: int((~said & ~bet).sum()),
        Passed.NO_STAKE: int((said & ~bet).sum()),
    }
    return Played(
        contestant,
        OWN,
        replace(book, passed={why: n for why, n in silent.items() if n}),
        placed.fills,
        replay_own(placed.lots, placed.of_lot, capital=placed.capital),
        placed.lots,
        placed.rows,
    )


def judged(played: Played, offered: Offered, *, level: float = LEVEL) -> Judged:
    """Look behind a book: closing line value, luck, and the parts of its P/L.

    Args:
        played: The book.
        offered: The market it is on.
        level: Confidence of the intervals, in (0, 1).
    """
    book, lines = played.book, played.lines
    closed = book.closing_lines(lines)
    events = lines.event[book.rows]
    own = events[closed.rows]
    at = [interval(closed.ev, own, confidence) for confidence in (0.90, 0.95)]
    return Judged(
        contestant=played.contestant,
        policy=played.policy,
        capital=book.capital,
        bets=len(book),
        events=book.events(lines),
        open=played.paid.open,
        staked=book.staked,
        profit=played.paid.profit,
        returned=played.paid.returned,
        lowest=played.paid.lowest,
        ev_clv=interval(closed.ev, own, level),
        ev_clv_by_stake=ratio(closed.ev * closed.stake, closed.stake, own, level),
        clv=interval(closed.clv, own, level),
        sharpe_clv=sharpe_of_events(closed.clv, own, level),
        label=edge(*at),
        remarked=remarked(
            offered.paths, lines.market[book.rows], events, lines.at[book.rows], book.yes
        ),
        luck=luck_of(played, offered.exclusive),
        split=attribute(bought(played.paid, played.paid_lines)),
        passed=book.passed,
        excluded=closed.reasons,
    )


def valued(played: Played, offered: Offered, *, level: float = LEVEL) -> Closing:
    """Value a book at the close in every form there is."""
    book, rows = played.book, played.rows[played.book.rows]
    last = np.where(book.yes, offered.close_ask[rows], 1 - offered.close_bid[rows])
    return closing(
        book.closing_lines(played.lines),
        played.lines.event[book.rows],
        Sides(book.price, last),
        level,
    )


def luck_of(played: Played, exclusive: Flags) -> Luck:
    """A book's P/L against what prices made likely, as if every bet had been held.

    Events are independent. Of an exclusive event at most one market comes true; where its
    prices add up to more than 1 they are scaled to it. How other markets of one event hang
    together is not known: they are taken as independent and as rising together, and what
    makes the P/L the less surprising is given.

    Args:
        played: The book.
        exclusive: Whether at most one market of an event can be YES, by the event's number.
    """
    stakes = stakes_of_book(played.book, played.lines)
    one_of_many = _one_of_many(stakes, exclusive)
    together = ladders(stakes, one_of_many)
    alone = len(exclusive) + np.arange(len(stakes.event))
    apart = replace(together, event=np.where(one_of_many, stakes.event, alone))
    several = np.bincount(stakes.event[~one_of_many]).max(initial=0) > 1
    found = [
        luck(way, generator("shadow", played.contestant, played.policy), joint=Joint.NESTED)
        for way in ([together, apart] if several else [together])
    ]
    return max(found, key=lambda one: one.upper or 0.0)


def ladders(stakes: Stakes, one_of_many: Flags) -> Stakes:
    """Rewrite events of which one market at most is YES, so that nested ones stand for them.

    With v_k the P/L of all bets on the event if its k-th market comes true and v_0 if none
    does, the k-th becomes a step that adds v_k - v_(k-1), and that is taken where the k-th
    or a later one comes true. Nested steps then have the same P/L with the same chances.

    Args:
        stakes: One row a market.
        one_of_many: Whether a row's event is of that kind, with one YES at most.
    """
    q, yes = stakes.q.copy(), stakes.yes.copy()
    if_yes, if_no = stakes.if_yes.copy(), stakes.if_no.copy()
    for code in np.unique(stakes.event[one_of_many]):
        rows = np.flatnonzero(stakes.event == code)
        chance = stakes.q[rows] / max(float(stakes.q[rows].sum()), 1.0)
        none = float(stakes.if_no[rows].sum())
        worth = none + stakes.if_yes[rows] - stakes.if_no[rows]
        q[rows] = np.minimum(np.cumsum(chance[::-1])[::-1], 1.0)
        yes[rows] = np.cumsum(stakes.yes[rows][::-1])[::-1] > 0
        if_no[rows] = 0.0
        if_no[rows[0]] = none
        if_yes[rows] = if_no[rows] + np.diff(worth, prepend=none)
    return Stakes(q, if_yes, if_no, stakes.event, yes)


def _one_of_many(stakes: Stakes, exclusive: Flags) -> Flags:
    """Rows of exclusive events; one that came out YES twice is not what it was said to be."""
    came = np.bincount(stakes.event, stakes.yes, minlength=len(exclusive))
    return np.asarray(exclusive[stakes.event] & (came[stakes.event] <= 1))
