"""Shadow books of an arena: everybody's forecasts under every rule, and what is behind them.

They bet on the markets that were offered in the arena's rounds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Final

import numpy as np

from arena.metrics.closing import Closing, Sides, closing, sharpe_of_events
from arena.metrics.metric_values import LEVEL, unknown_contestant
from arena.odds import Flags, Floats
from arena.odds.edge import GateReason
from arena.odds.staking import Brakes
from arena.records.estimate import Estimate
from arena.scoring.bets.book import (
    COLUMNS,
    BetBook,
    MarketLines,
    PassReason,
    Stakes,
    stakes_of_book,
)
from arena.scoring.bets.clv import Exclusion
from arena.scoring.bets.luck import Attribution, Luck, attribute, bought, luck
from arena.scoring.bets.shadow import CAPITAL, POLICIES, OwnBets, Policy, replay, replay_own
from arena.scoring.table import Times, Whole
from arena.stats import Edge, edge
from arena.stats.bootstrap import generator
from arena.stats.comparisons.sequential import betting_wealth, plugin_bets
from arena.stats.mean_intervals import growth_interval, ratio


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Middle prices of m markets at t moments, from one round to the next and to the end.

    `mids` (m, t) stays at the close from the first moment at which a market has closed, whose
    place is `ended`; t for a market that has not.
    """

    moments: Times
    mids: Floats
    ended: Whole


@dataclass(frozen=True, slots=True, eq=False)
class Gate:
    """Where a gate holds a line back, how often each rule fired and how often it knew nothing.

    `held` has one row a line.
    """

    held: Flags
    fired: Mapping[GateReason, int] = field(default_factory=dict)
    abstained: Mapping[GateReason, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class PlacedBets:
    """What one contestant bet itself, priced as its ledger did.

    `fills` has a line a fill: its own price and fee, and what came of the market. `lots` has
    a line a part of a fill that was sold or held together: a part that was sold was paid the
    price of its sale, then, and its fee holds that of the sale. `of_fill` and `of_lot` are
    the sides and dollars. `rows` says on which offered line each fill is, `capital` adds up
    the cohorts' opening cash, `sold` flags the lots that were sold.
    """

    fills: MarketLines
    of_fill: OwnBets
    lots: MarketLines
    of_lot: OwnBets
    rows: Whole
    sold: Flags
    capital: float


@dataclass(frozen=True, slots=True, eq=False)
class OfferedMarket:
    """The market of an arena: one line a market at one moment, whatever cohorts were shown it.

    `markets` and `events` are what the numbers in the lines stand for; `exclusive` says of
    each event that at most one of its markets can be YES. `close_bid` and `close_ask` are
    the sides of the close. `forecasts` has P(YES) for each line, NaN where a contestant said
    nothing; where it spoke in several cohorts at once, what it said in the one that started
    first, and `repeated` counts the others. `placed` has who has bet, `capital` who took
    part.
    """

    lines: MarketLines
    markets: tuple[str, ...]
    events: tuple[str, ...]
    exclusive: Flags
    close_bid: Floats
    close_ask: Floats
    gate: Gate
    paths: Paths
    forecasts: Mapping[str, Floats]
    repeated: Mapping[str, int]
    placed: Mapping[str, PlacedBets]
    capital: Mapping[str, float]


def some(lines: MarketLines, rows: Whole | Flags, *, gated: Flags | None = None) -> MarketLines:
    """Only some of the lines, in their order; with another gate if one is given."""
    columns = {name: getattr(lines, name)[rows] for name in COLUMNS}
    if gated is not None:
        columns["gated"] = gated[rows]
    return MarketLines(**columns)


def unsaid(lines: MarketLines) -> Floats:
    """NaN for each line: the forecasts of a contestant that made none."""
    return np.full(len(lines), np.nan)


@dataclass(frozen=True, slots=True)
class Remarked:
    """Wealth from betting that what was bet on gains, after so many steps with a bet open.

    While prices are a martingale it exceeds 1/a at any time with probability a at most, so
    that `p`, one over the largest, holds however often one looks.
    """

    steps: int
    e: float
    p: float


def remarked(paths: Paths, market: Whole, event: Whole, at: Times, yes: Flags) -> Remarked:
    """Bet on bets: how the prices of what was backed moved from each round to the next.

    From one moment to the next a dollar is spread evenly over the events with an open bet,
    and within an event over its bets; its return is the mean of q'/q - 1, where q is the
    middle price of the side backed. These returns follow each other without overlapping, so
    their wealth needs no assumption on how bets or events depend on each other. How much is
    risked on the next return follows from those before.

    Args:
        paths: Middle prices.
        market: The market of each bet, by number.
        event: Its event, by number.
        at: When it was made: one of the paths' moments.
        yes: Which side.

    Source:
        Ville (1939); Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical
        Society B 86, for the size of the bets.
    """
    series = returns(paths, market, event, at, yes)
    if not series.size:
        return Remarked(0, 1.0, 1.0)
    wealth = betting_wealth(series, plugin_bets(series))
    return Remarked(series.size, float(wealth.e[-1]), float(wealth.p[-1]))


def returns(paths: Paths, market: Whole, event: Whole, at: Times, yes: Flags) -> Floats:
    """The mean return of each step in which a bet was open, in the order of time."""
    first = np.searchsorted(paths.moments, at)
    last = np.minimum(paths.ended[market], paths.mids.shape[1] - 1)
    steps = np.maximum(last - first, 0)
    bet = np.repeat(np.arange(len(market)), steps)
    t = np.arange(len(bet)) + np.repeat(first - (np.cumsum(steps) - steps), steps)
    before, after = paths.mids[market[bet], t], paths.mids[market[bet], t + 1]
    before, after = (np.where(yes[bet], q, 1 - q) for q in (before, after))
    held = (before > 0) & ~np.isnan(after)
    if not held.any():
        return np.zeros(0)
    gain, bet, t = after[held] / before[held] - 1, bet[held], t[held]
    width = int(event.max()) + 1
    key, unit = np.unique(t * width + event[bet], return_inverse=True)
    means = np.bincount(unit, gain) / np.bincount(unit)
    cuts = np.flatnonzero(np.diff(key // width)) + 1
    return np.array([own.mean() for own in np.split(means, cuts)], np.float64)


ROUNDING: Final = 1e-9


def fortune(
    book: BetBook, lines: MarketLines, exclusive: Flags, rng: np.random.Generator
) -> Luck:
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
    candidates = [luck(way, rng) for way in ([together, apart] if several else [apart])]
    return max(candidates, key=lambda candidate: candidate.upper or 0.0)


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
    """Rows of exclusive events, less those events that have two YES."""
    came = np.bincount(stakes.event, stakes.yes, minlength=len(exclusive))
    chance = np.bincount(stakes.event, stakes.q, minlength=len(exclusive))
    fits = exclusive & (came <= 1) & (chance <= 1 + ROUNDING)
    return np.asarray(fits[stakes.event])


OWN: Final = "own"
AS_CHAMPION: Final = "champion"
CHAMPION: Final = Policy(brakes=Brakes())  # with the gate, which comes with the lines


@dataclass(frozen=True, slots=True, eq=False)
class PlayedBook:
    """One contestant's bets under one rule.

    `book` has the bets as they were placed, on `lines`; `paid` has what was settled or sold,
    on `paid_lines`: the same unless something was sold. `rows` says on which offered line
    each line of `lines` is.
    """

    contestant: str
    policy: str
    book: BetBook
    lines: MarketLines
    paid: BetBook
    paid_lines: MarketLines
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
    passed: Mapping[PassReason, int]
    excluded: Mapping[Exclusion, int]


@dataclass(frozen=True, slots=True)
class Sum:
    """What one rule made of one contestant's forecasts, in short."""

    bets: int
    profit: float
    returned: float


@dataclass(frozen=True, slots=True)
class ShadowBoard:
    """Everybody under some rules in full, best first, and under all in short, by name."""

    judged: tuple[Judged, ...]
    sums: Mapping[str, Mapping[str, Sum]]


@dataclass(frozen=True, slots=True)
class Detail:
    """One contestant under every rule, and its bets under some valued in every form.

    `forecasts` counts the lines it forecast.
    """

    contestant: str
    forecasts: int
    repeated: int
    judged: tuple[Judged, ...]
    valued: Mapping[str, Closing]


@dataclass(frozen=True, slots=True)
class Terms:
    """How books are made: dollars at the start, whose lines, and confidence of intervals."""

    capital: float = CAPITAL
    champion: str | None = None
    level: float = LEVEL


def board(
    offered: OfferedMarket, rules: Sequence[str], terms: Terms | None = None
) -> ShadowBoard:
    """Play everybody who took part under every rule, and judge some.

    Args:
        offered: The market.
        rules: Which rules are judged; their lines stand by expected value at the close.
        terms: How books are made.
    """
    how = terms or Terms()
    made = {
        (name, rule): played
        for name in offered.capital
        for rule in rules_of(offered, how.champion)
        if (played := _play(offered, name, rule, how))
    }
    judgements = [
        judged(played, offered, level=how.level)
        for rule in rules
        for (_, other), played in made.items()
        if other == rule
    ]

    def order(one: Judged) -> tuple[int, float, str]:
        value = one.ev_clv.value
        return rules.index(one.policy), inf if value is None else -value, one.contestant

    judgements.sort(key=order)
    sums: dict[str, dict[str, Sum]] = {name: {} for name in offered.capital}
    for (name, rule), played in made.items():
        paid = played.paid
        sums[name][rule] = Sum(len(played.book), paid.profit, paid.returned)
    return ShadowBoard(tuple(judgements), sums)


def detail(
    offered: OfferedMarket, contestant: str, rules: Sequence[str], terms: Terms | None = None
) -> Detail:
    """Play and judge one contestant under every rule.

    Args:
        offered: The market.
        contestant: Who took part.
        rules: Under which rules bets are valued in every form; those without are left out.
        terms: How books are made.

    Raises:
        ArenaError: Nobody of that name took part.
    """
    if contestant not in offered.capital:
        raise unknown_contestant(contestant, offered.capital, "has taken no part")
    how = terms or Terms()
    made = {
        rule: played
        for rule in rules_of(offered, how.champion)
        if (played := _play(offered, contestant, rule, how))
    }
    forecasts = offered.forecasts.get(contestant, unsaid(offered.lines))
    return Detail(
        contestant,
        int((~np.isnan(forecasts)).sum()),
        offered.repeated.get(contestant, 0),
        tuple(judged(played, offered, level=how.level) for played in made.values()),
        {rule: valued(made[rule], offered, level=how.level) for rule in rules if rule in made},
    )


def _play(
    offered: OfferedMarket, contestant: str, rule: str, terms: Terms
) -> PlayedBook | None:
    return play(offered, contestant, rule, capital=terms.capital, champion=terms.champion)


def rules_of(offered: OfferedMarket, champion: str | None = None) -> tuple[str, ...]:
    """Every rule there is: own stakes, the sizing rules, and the champion's if there is one.

    Raises:
        ArenaError: The champion has said nothing.
    """
    if champion is None:
        return (OWN, *POLICIES)
    if champion not in offered.forecasts:
        lacks = "has no forecast to be a champion by"
        raise unknown_contestant(champion, offered.forecasts, lacks)
    return (OWN, *POLICIES, AS_CHAMPION)


def play(
    offered: OfferedMarket,
    contestant: str,
    policy: str,
    *,
    capital: float = CAPITAL,
    champion: str | None = None,
) -> PlayedBook | None:
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
    return PlayedBook(contestant, policy, book, lines, book, lines, rows)


def _own(offered: OfferedMarket, contestant: str) -> PlayedBook | None:
    placed = offered.placed.get(contestant)
    if placed is None:
        return None
    book = replay_own(placed.fills, placed.of_fill, capital=placed.capital)
    has_forecast = ~np.isnan(offered.forecasts.get(contestant, unsaid(offered.lines)))
    bet = np.zeros(len(has_forecast), np.bool_)
    bet[placed.rows] = True
    silent = {
        PassReason.NO_FORECAST: int((~has_forecast & ~bet).sum()),
        PassReason.NO_STAKE: int((has_forecast & ~bet).sum()),
    }
    return PlayedBook(
        contestant,
        OWN,
        replace(book, passed={why: n for why, n in silent.items() if n}),
        placed.fills,
        replay_own(placed.lots, placed.of_lot, capital=placed.capital),
        placed.lots,
        placed.rows,
    )


def judged(played: PlayedBook, offered: OfferedMarket, *, level: float = LEVEL) -> Judged:
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
    at = [growth_interval(closed.ev, own, confidence) for confidence in (0.90, 0.95)]
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
        ev_clv=growth_interval(closed.ev, own, level),
        ev_clv_by_stake=ratio(closed.ev * closed.stake, closed.stake, own, level),
        clv=growth_interval(closed.clv, own, level),
        sharpe_clv=sharpe_of_events(closed.clv, own, level),
        label=edge(*at),
        remarked=remarked(
            offered.paths, lines.market[book.rows], events, lines.at[book.rows], book.yes
        ),
        luck=fortune(
            book,
            lines,
            offered.exclusive,
            generator("shadow", played.contestant, played.policy),
        ),
        split=attribute(bought(played.paid, played.paid_lines)),
        passed=book.passed,
        excluded=closed.reasons,
    )


def valued(played: PlayedBook, offered: OfferedMarket, *, level: float = LEVEL) -> Closing:
    """Value a book at the close in every form there is."""
    book, rows = played.book, played.rows[played.book.rows]
    last = np.where(book.yes, offered.close_ask[rows], 1 - offered.close_bid[rows])
    return closing(
        book.closing_lines(played.lines),
        played.lines.event[book.rows],
        Sides(book.price, last),
        level,
    )
