"""A board's claims: every pair of contestants, and each against the market's price.

Arms of an experiment are claims too: a contestant compared with itself in other settings.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import combinations
from typing import Final

import numpy as np
from scipy.special import stdtrit

from arena.metrics.claims.adjusted_gain import GAIN
from arena.metrics.claims.questions import (
    MOST,
    Claim,
    ClaimBoard,
    Contest,
    MarketTest,
    MarketTests,
    claim_board,
    day_number,
    day_of,
)
from arena.metrics.claims.rules import (
    ClaimFamily,
    ClaimRule,
    FamilyJudgement,
    each_of,
    endless_rule,
    every_pair,
    fixed_rule,
    judge,
    season_rule,
)
from arena.metrics.metric_values import (
    BETWEEN,
    LARGEST,
    LEVEL,
    is_mean,
    lower_is_better,
    mean_like,
)
from arena.records.claim import Caveat, ClaimBasis, Guarantee, Minimum, Scope, Source, Valuation
from arena.records.estimate import Interval, State, Test
from arena.scoring.table import Factor, Flags, Floats, Forecasts, Whole
from arena.stats.comparisons.paired_gains import (
    DAYS_OF_WEEK,
    SOURCES,
    Questions,
    Readings,
    readings,
)
from arena.stats.comparisons.sequential import spent
from arena.stats.mean_intervals import p_value

FEW_CLUSTERS: Final = 6
COPY: Final = 1e-12  # the variance of a gain that is none
ROUNDED: Final = 1e-12  # of an alpha: it stays above 0 and below 1 whatever the level


@dataclass(frozen=True, slots=True)
class BoardClaims:
    """What one board says of who is better; None where there is nobody to compare."""

    contest: Contest | None
    against: MarketTests | None
    basis: ClaimBasis


def board_claims(
    forecasts: Forecasts,
    key: str,
    *,
    level: float = LEVEL,
    by_moment: bool = False,
    scope: Scope | None = None,
) -> BoardClaims:
    """Say who is shown to be better than whom, and than the market's price.

    Pairs of those who compete are one family, their tests against the price a second, and
    what has a reference in it two more: in each the chance of any false claim, at any look, is
    at most one less the level. See `ClaimBasis` for what the claims of a board stand on.

    Args:
        forecasts: The rows.
        key: The metric of the pairs; where it is not a mean over rows, the Brier score.
        level: Confidence, in (0, 1).
        by_moment: Whether forecasts of a market at different moments are different questions,
            as in rounds where all are asked at once; if not, a contestant's are averaged.
        scope: The board; None for a file of somebody's own, which is looked at once.

    Source:
        `arena.stats.comparisons.paired_gains` for the gains and their variance,
        `arena.stats.comparisons.sequential` for the looks; Shaffer (1986), JASA 81, and
        Holm (1979), Scandinavian Journal of Statistics 6, for families.
    """
    used = mean_like(key, forecasts)
    board = claim_board(forecasts, used, by_moment=by_moment, scope=scope)
    if board is None:
        basis = ClaimBasis(caveats=(Caveat.NOTHING_RESOLVED,))
        return BoardClaims(None, None, basis)
    rule = _rule(board, scope, 1 - level)
    references = scope.references if scope else frozenset[str]()
    read = _pair_readings(board, rule, references)
    contest = _contest(board, read, (used, level), references)
    if used not in {GAIN, "brier"} and is_mean(GAIN, forecasts):
        gain_board = claim_board(forecasts, GAIN, by_moment=by_moment, scope=scope)
        if gain_board:
            board, read = gain_board, _pair_readings(gain_board, rule, references)
    against = (
        _market_tests(board, read, level, references) if is_mean(GAIN, forecasts) else None
    )
    return BoardClaims(
        contest, against, contest.basis if contest else _basis(board, rule, None)
    )


def _rule(board: ClaimBoard, scope: Scope | None, alpha: float) -> ClaimRule:
    start = int(board.asked.asked[0])
    if scope is None or not board.dated:
        rule = fixed_rule(start, board.today, dated=board.dated)
    elif scope.current is None:
        rule = endless_rule(start, board.today, board.valuation)
    else:
        first = day_number(scope.current.start)
        rule = season_rule(scope.current, first, board.today, board.valuation)
    return replace(rule, alpha=min(max(round(alpha, 12), ROUNDED), 1 - ROUNDED))


@dataclass(frozen=True, slots=True, eq=False)
class _FamilyTests:
    """The tests of a family's pairs, in their order: over all looks, and of one look."""

    looks: FamilyJudgement
    once: Readings
    p_once: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _PairReadings:
    """Every pair of a board, the market's price among them, read once for all families."""

    rule: ClaimRule
    place: Mapping[tuple[int, int], int]
    looks: Readings
    once: Readings


def _pair_readings(
    board: ClaimBoard, rule: ClaimRule, references: Collection[str]
) -> _PairReadings:
    market = len(board.names)
    competing = np.array([name not in references for name in board.names] + [False])
    among = combinations(range(market), 2) if market <= MOST else ()
    pairs = [*among, *((n, market) for n in range(market))]
    numbers, questions = np.array(pairs, dtype=np.intp).reshape(-1, 2), board.asked
    now, resolved = [board.today], _resolved(questions, board.today)
    typical, origin = np.all(competing[numbers], axis=1, keepdims=False), rule.origin
    return _PairReadings(
        rule,
        {pair: n for n, pair in enumerate(pairs)},
        readings(questions, numbers, rule.days, rule.valuation, origin=origin, typical=typical),
        readings(resolved, numbers, now, Valuation.SETTLED, origin=origin, typical=typical),
    )


def _family_tests(read: _PairReadings, family: ClaimFamily) -> _FamilyTests:
    own = np.array([read.place[a, b] for a, b in family.pairs.tolist()], dtype=np.intp)
    once, rule = read.once.of([0], own), read.rule
    looks = read.looks.of(range(len(rule.days)), own)
    p = np.array([p_value(z) for z in once.z[0].tolist()], np.float64)
    testable = once.variance[0] > 0
    adjusted = np.full(len(p), np.nan)
    adjusted[testable] = family.adjust(p[testable])
    return _FamilyTests(judge(looks, family, rule), once, adjusted)


def _resolved(questions: Questions, today: int) -> Questions:
    """The questions that have an outcome, all of them taken as due."""
    resolved = ~np.isnan(questions.outcome[questions.market])
    return replace(
        questions,
        base=np.where(resolved, questions.base, np.nan),
        due=np.minimum(questions.due, today),
        ended=np.where(
            np.isnan(questions.outcome), questions.ended, np.minimum(questions.ended, today)
        ),
    )


def _contest(
    board: ClaimBoard, read: _PairReadings, how: tuple[str, float], references: Iterable[str]
) -> Contest | None:
    names, (metric, level) = board.names, how
    if not 1 < len(names) <= MOST:
        return None
    competing = [n for n, name in enumerate(names) if name not in set(references)]
    inner = list(combinations(competing, 2))
    outer = [pair for pair in combinations(range(len(names)), 2) if pair not in set(inner)]
    claims: dict[tuple[int, int], Claim] = {}
    among = _family_tests(read, every_pair(competing))
    for pairs, family_tests in ((inner, among), (outer, _family_tests(read, each_of(outer)))):
        for place, pair in enumerate(pairs):
            claims[pair] = _claim(board, pair, family_tests, place, (metric, level))
    ranks = _open_ranks([names[n] for n in competing], [claims[pair] for pair in inner])
    ordered = tuple(claims[pair] for pair in sorted(claims))
    return Contest(metric, level, ordered, ranks, _basis(board, read.rule, among))


def _claim(
    board: ClaimBoard,
    pair: tuple[int, int],
    family_tests: _FamilyTests,
    place: int,
    how: tuple[str, float],
) -> Claim:
    (metric, level), names = how, (board.names[pair[0]], board.names[pair[1]])
    once = (-1 if lower_is_better(metric) else 1, _largest_difference(metric))
    test, interval = _single_look(family_tests.once, place, once, level)
    adjusted, sign, p = _over_looks(family_tests, place, level)
    better = names[0 if sign > 0 else 1] if sign else None
    return Claim(*names, test, interval, adjusted, better, p)


def _over_looks(
    family_tests: _FamilyTests, place: int, level: float
) -> tuple[float | None, int, float | None]:
    """The p of one look, corrected; the sign that is shown, or 0; and the p of all looks."""
    once, looks = float(family_tests.p_once[place]), family_tests.looks
    p = float(looks.p[place])
    sign = int(looks.sign[place]) if p <= 1 - level else 0
    return None if np.isnan(once) else once, sign, p if len(looks.readings.z) else None


def _single_look(
    once: Readings, place: int, how: tuple[int, float], level: float
) -> tuple[Test, Interval | None]:
    """The test and the interval of one look; the mean is the sum over common questions.

    `how` is the sign that turns the sum into the metric's, and its largest difference.
    """
    sign, largest = how
    n, events = int(once.questions[0, place]), int(once.events[0, place])
    if not n:
        return Test("none", 0, 0, state=State.EMPTY), None
    mean = sign * float(once.total[0, place]) / n
    variance, df = float(once.variance[0, place]), float(once.df[0, place])
    name = f"t, spread by {SOURCES[once.largest[0, place]]}"
    if events == 1 or variance <= COPY or df <= 0:
        state = State.SINGLE if events == 1 else State.DEGENERATE
        p = 1.0 if state is State.DEGENERATE and abs(mean) <= COPY else None
        return Test(name, n, events, mean, p=p, state=state), None
    se = variance**0.5 / n
    reach = se * float(stdtrit(df, (1 + level) / 2))
    test = Test(name, n, events, mean, se, mean / se, (df,), p_value(mean / se, df=df))
    low, high = max(mean - reach, -largest), min(mean + reach, largest)
    return test, Interval(low, high, level, name)


def _largest_difference(metric: str) -> float:
    """By how much two forecasters' means of a metric can differ."""
    least, most = BETWEEN.get(metric, (0.0, LARGEST.get(metric, float("inf"))))
    return most - least


def _open_ranks(names: Sequence[str], claims: Iterable[Claim]) -> dict[str, tuple[int, int]]:
    low, high = dict.fromkeys(names, 1), dict.fromkeys(names, len(names))
    for claim in claims:
        if claim.better is not None:
            worse = claim.second if claim.better == claim.first else claim.first
            low[worse] += 1
            high[claim.better] -= 1
    return {name: (low[name], high[name]) for name in names}


def _market_tests(
    board: ClaimBoard, read: _PairReadings, level: float, references: Iterable[str]
) -> MarketTests | None:
    market, baselines = len(board.names), set(references)
    everybody = [(n, market) for n in range(market)]
    all_said = _family_tests(read, each_of(everybody))
    there = all_said.once.questions[0] > 0
    copied = (
        there & (all_said.once.variance[0] <= COPY) & (np.abs(all_said.once.total[0]) <= COPY)
    )
    by_contestant: dict[int, MarketTest] = {}
    for wanted in (False, True):
        pairs = [
            (n, market)
            for n in range(market)
            if there[n] and not copied[n] and (board.names[n] in baselines) is wanted
        ]
        family_tests = _family_tests(read, each_of(pairs))
        for place, (n, _) in enumerate(pairs):
            by_contestant[n] = _market_test(board.names[n], family_tests, place, level)
    if not by_contestant:
        return None
    copies = tuple(board.names[n] for n in np.flatnonzero(copied).tolist())
    tests = tuple(by_contestant[n] for n in sorted(by_contestant))
    return MarketTests(level, tests, copies, _basis(board, read.rule, all_said))


def _market_test(name: str, family_tests: _FamilyTests, place: int, level: float) -> MarketTest:
    test, interval = _single_look(family_tests.once, place, (1, LARGEST["brier"]), level)
    adjusted, sign, p = _over_looks(family_tests, place, level)
    verdict = {1: "better", -1: "worse"}.get(sign)
    return MarketTest(name, test, adjusted, verdict, interval, p)


def _basis(board: ClaimBoard, rule: ClaimRule, family_tests: _FamilyTests | None) -> ClaimBasis:
    questions, last = board.asked, rule.days[-1] if rule.days else None
    answered = ~np.isnan(questions.base[:-1]).all(axis=0) & (questions.asked <= board.today)
    due = answered & (questions.due <= board.today)
    need = _minimum_reached(questions, answered, due, rule)
    largest, clusters, effect = _spread(family_tests)
    return ClaimBasis(
        guarantee=rule.guarantee,
        valuation=rule.valuation,
        alpha=rule.alpha,
        minimum=need,
        season=rule.season,
        last_look=None if last is None else day_of(last + 1),
        next_look=None if rule.next_day is None else day_of(rule.next_day + 1),
        spent=_spent(rule),
        questions=int(np.count_nonzero(due)),
        markets=len(np.unique(questions.market[due])),
        events=need.events,
        largest=largest,
        clusters=clusters,
        design_effect=effect,
        caveats=_caveats(need, rule, clusters, board),
    )


def _spent(rule: ClaimRule) -> float | None:
    if rule.guarantee is not Guarantee.SEASON:
        return rule.alpha
    return spent(rule.fractions[len(rule.days) - 1], rule.alpha) if rule.days else 0.0


def _minimum_reached(
    questions: Questions, answered: Flags, due: Flags, rule: ClaimRule
) -> Minimum:
    """Events, weeks and cohorts against their minimum, and the earliest day that meets it."""
    weeks = (questions.due - rule.origin) // DAYS_OF_WEEK
    asking = (questions.asked - rule.origin) // DAYS_OF_WEEK
    minimum = replace(
        rule.minimum,
        events=len(np.unique(questions.event[due])),
        weeks=len(np.unique(weeks[due])),
        cohorts=len(np.unique(asking[due])),
    )
    if minimum.met or rule.next_day is None or not answered.any():
        return minimum
    return replace(minimum, ready_on=_ready_date(questions, answered, minimum))


def _ready_date(questions: Questions, answered: Flags, need: Minimum) -> date | None:
    """The earliest day by which the questions asked so far can meet the minimum."""
    first_due = _first_of(questions.event[answered], questions.due[answered])
    if len(first_due) < need.events_needed:
        return None
    first = int(questions.due[answered].min())
    weeks = max(need.weeks_needed - 1, need.cohorts_needed - 1, 0)
    enough = max(int(first_due[need.events_needed - 1]), first + DAYS_OF_WEEK * weeks)
    return day_of(enough + 1)


def _first_of(events: Whole, due: Whole) -> Whole:
    """The days on which events are due first, in order."""
    codes = np.unique(events, return_inverse=True)[1]
    first = np.full(int(codes.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, codes, due)
    return np.sort(first)


def _spread(family_tests: _FamilyTests | None) -> tuple[Source | None, int, float | None]:
    """The largest source of variance of most pairs, its clusters, and the design effect.

    The design effect is the median of the variances over those by event alone.
    """
    if family_tests is None:
        return None, 0, None
    looked = (
        family_tests.looks.readings if len(family_tests.looks.readings.z) else family_tests.once
    )
    estimable = (looked.variance[-1] > COPY) & (looked.by_event[-1] > COPY)
    if not estimable.any():
        return None, 0, None
    largest = int(np.argmax(np.bincount(looked.largest[-1][estimable])))
    those = estimable & (looked.largest[-1] == largest)
    ratio = looked.variance[-1][estimable] / looked.by_event[-1][estimable]
    clusters = int(np.median(looked.clusters[-1][those]))
    return SOURCES[largest], clusters, float(np.median(ratio))


def _caveats(
    need: Minimum, rule: ClaimRule, clusters: int, board: ClaimBoard
) -> tuple[Caveat, ...]:
    """What a reader must know before the claims, what matters most first."""
    conditions = {
        Caveat.TOO_FEW_EVENTS: need.events < need.events_needed,
        Caveat.TOO_FEW_WEEKS: need.weeks < need.weeks_needed,
        Caveat.TOO_FEW_COHORTS: need.cohorts < need.cohorts_needed,
        Caveat.ONE_WEEK: board.dated and need.cohorts == 1,
        Caveat.BEFORE_FIRST_LOOK: not rule.days,
        Caveat.STALE_PRICES: rule.guarantee is not Guarantee.FIXED
        and rule.valuation is Valuation.SETTLED,
        Caveat.FEW_CLUSTERS: 0 < clusters < FEW_CLUSTERS,
        Caveat.UNDATED: board.undated,
    }
    return tuple(caveat for caveat, applies in conditions.items() if applies)


METRIC = "brier"


@dataclass(frozen=True, slots=True)
class ArmClaim:
    """A pair of arms by one contestant's forecasts of the questions that it has in both.

    `claim` names the arms: its `better` and `p_anytime` hold over all pairs of all
    contestants, its `test` and `interval` are of this pair alone.
    """

    contestant: str
    claim: Claim


def arm_claims(
    forecasts: Forecasts, arms: Factor, *, level: float = LEVEL
) -> tuple[ArmClaim, ...]:
    """Compare every pair of arms by each contestant, at one look.

    Forecasts of one question in one arm are replicates: they are averaged. Pairs of a
    contestant are corrected by Shaffer's steps, contestants by Bonferroni's. A contestant that
    says the same in all arms is no part of the family.

    Args:
        forecasts: The rows of all arms; a market at another moment is another question.
        arms: (n,) the arm of each row; more than 100 are not compared.
        level: Confidence, in (0, 1).

    Returns:
        Nothing where no contestant has two arms that differ.

    Source:
        Holm (1979), Scandinavian Journal of Statistics 6; Shaffer (1986), JASA 81.
    """
    claims_by_contestant: dict[str, tuple[Claim, ...]] = {}
    for code, name in enumerate(forecasts.contestant.names):
        rows = forecasts.contestant.codes == code
        own = replace(forecasts.take(rows), contestant=arms.take(rows))
        contest = board_claims(own, METRIC, level=level, by_moment=True).contest
        if contest and any(claim.test.se is not None for claim in contest.claims):
            claims_by_contestant[name] = contest.claims
    many = len(claims_by_contestant)
    return tuple(
        ArmClaim(name, _corrected(claim, many, 1 - level))
        for name, claims in sorted(claims_by_contestant.items())
        for claim in claims
    )


def _corrected(claim: Claim, contestants: int, alpha: float) -> Claim:
    """The claim of one of so many contestants, each with pairs of its own."""
    if claim.p_anytime is None:
        return claim
    p = min(1.0, contestants * claim.p_anytime)
    adjusted = claim.p_adjusted
    return replace(
        claim,
        p_anytime=p,
        p_adjusted=None if adjusted is None else min(1.0, contestants * adjusted),
        better=claim.better if p <= alpha else None,
    )
