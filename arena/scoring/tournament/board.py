"""A whole tournament, scored by any of the rules.

The rules of 2022: relative log scores, coverage, take.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import e, exp, nan
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.scoring import relative
from arena.scoring.relative import Logarithm
from arena.scoring.table import Flags, Floats, Whole
from arena.scoring.tournament import prizes
from arena.scoring.tournament.records import (
    Coverage,
    Crowd,
    CrowdMedian,
    Period,
    QuestionKind,
    QuestionResult,
    Stretch,
    Tournament,
    TournamentEntry,
    TournamentQuestion,
    TournamentResult,
    TournamentRule,
    check_tournament,
)
from arena.scoring.tournament.standing import (
    NOBODY,
    ForecastPanel,
    bucket,
    by_day,
    covering,
    inside,
    last_of,
    moment_of,
    on_outcome,
    options_then,
    panel_of,
    pick,
)


class Horizon(StrEnum):
    """Over which time a question's score is averaged."""

    SCHEDULED = "scheduled"  # an early close leaves the rest of the time at 0
    ACTUAL = "actual"  # until the early close: days are weighed when it is known what came


@dataclass(frozen=True, slots=True)
class RelativeScoreVariant:
    """A variant of the relative score: its logarithm, the base of its take, its horizon.

    Changing the base of the logarithm changes nothing as long as the take changes with it.
    """

    log: Logarithm
    power: float
    horizon: Horizon


PUBLISHED: Final = RelativeScoreVariant(
    Logarithm.NATURAL, e, Horizon.SCHEDULED
)  # the rules of 2022
BITS: Final = RelativeScoreVariant(Logarithm.TWO, 2.0, Horizon.SCHEDULED)  # the same in base 2
MIXED: Final = RelativeScoreVariant(
    Logarithm.TWO, e, Horizon.SCHEDULED
)  # bits raised to the power of e
PLATFORM: Final = RelativeScoreVariant(
    Logarithm.TWO, e, Horizon.ACTUAL
)  # what the platform's code computes


def relative_scores(
    panel: ForecastPanel, p: Floats, community: Floats, form: RelativeScoreVariant = PUBLISHED
) -> Floats:
    """(F, T) the logarithm of each standing forecast over the community's, 0 where none stood.

    It is 0 too where nothing is known of the community: a first forecaster is the community.

    Args:
        panel: Of which question and time.
        p: (F, T) what each gave to the outcome, NaN where none stood: the panel's own; it may
            have further rows for aggregates.
        community: (T,) what the community gave to the outcome, NaN where unknown.
        form: Which logarithm.

    Raises:
        ValueError: The community said something that is no probability or density.

    Source:
        Metaculus, tournament scoring rules (2022).
    """
    comparable = ~np.isnan(p) & ~np.isnan(community)
    both = np.where(comparable, p, 0.5), np.where(comparable, community, 0.5)
    scores = relative.relative(*both, base=form.log, continuous=panel.question.continuous)
    return np.where(comparable, scores, 0.0)


def time_average(
    panel: ForecastPanel, scores: Floats, horizon: Horizon = Horizon.SCHEDULED
) -> Floats:
    """(F,) the mean of scores over time; 0 for a question that closed as it opened.

    Over the scheduled period this is proper; until an early close it is not, because then
    the outcome decides how much each day counts.
    """
    summed = scores @ panel.lasting
    if Horizon(horizon) is Horizon.SCHEDULED:
        return np.asarray(summed / (panel.cuts[-1] - panel.cuts[0]))
    return np.asarray(summed / panel.open_time if panel.open_time else np.zeros(len(scores)))


def periods(question: TournamentQuestion, coverage: Coverage) -> tuple[Period, ...]:
    """Which times of a question count towards coverage.

    Raises:
        ValueError: It has no hidden period, or no weights of its own, and those are wanted.
    """
    coverage = Coverage(coverage)
    if coverage is Coverage.ALL:
        return (Period(question.open, question.close, 1.0),)
    if coverage is Coverage.HIDDEN:
        if question.hidden_until is None:
            raise ValueError("nothing says until when the community's forecast was hidden")
        return (Period(question.open, question.hidden_until, 1.0),)
    if not question.coverage:
        raise ValueError("it has no weights of coverage")
    return question.coverage


def take(score: float, coverage: float, form: RelativeScoreVariant = PUBLISHED) -> float:
    """What a forecaster puts into the division of the pool: coverage times e to the score.

    Raises:
        ValueError: The score is too large for a take.

    Source:
        Metaculus, tournament scoring rules (2022).

    >>> round(take(1.852571, 0.75), 6)
    4.782144
    """
    try:
        return coverage * (exp(score) if form.power == e else form.power**score)
    except OverflowError as error:
        raise ValueError(f"a score of {score:g} has no finite take") from error


def recency_weights(n: int) -> Floats:
    """What each of n standing forecasts weighs in the community's median, oldest first.

    exp(sqrt(i) - sqrt(n)) for i = 1..n; up to two forecasts weigh the same.

    Raises:
        ValueError: n is negative.

    >>> recency_weights(3).round(4).tolist()
    [0.4809, 0.7277, 1.0]
    """
    if n < 0:
        raise ValueError("there cannot be fewer than no forecasts")
    if n <= 2:  # noqa: PLR2004  the rule's own number
        return np.ones(n)
    return np.asarray(np.exp(np.sqrt(np.arange(1, n + 1)) - np.sqrt(n)))


def weighted_median(values: ArrayLike, weights: ArrayLike) -> Floats:
    """The value with half of the weight on either side; the mean of two on an exact tie.

    Args:
        values: (n, ...) numbers; each further axis has its own median.
        weights: (n,) not negative, and not all 0.

    Raises:
        ValueError: Nothing to take a median of, a value that is not finite, or weights that
            are negative, not finite, all 0 or not as many as the values.

    >>> weighted_median([0.1, 0.2, 0.9], [1, 1, 2]).item()
    0.55
    """
    numbers = np.asarray(values, dtype=np.float64)
    weight = np.asarray(weights, dtype=np.float64)
    if numbers.ndim == 0 or weight.shape != numbers.shape[:1] or not numbers.size:
        raise ValueError("a median needs values, and a weight for each")
    if not np.all(np.isfinite(numbers)):
        raise ValueError("a value is a finite number")
    if not (np.all((weight >= 0) & np.isfinite(weight)) and weight.sum() > 0):
        raise ValueError("weights are finite and not negative, and some are positive")
    kept = numbers[weight > 0]
    order = np.argsort(kept, axis=0, kind="stable")
    ranked = np.take_along_axis(kept, order, axis=0)
    summed = np.cumsum(weight[weight > 0][order], axis=0)
    half, last = summed[-1:] / 2, len(kept) - 1
    tie = 1e-12 * summed[-1:]
    low = np.minimum((summed < half - tie).sum(axis=0, keepdims=True), last)
    high = np.minimum((summed < half + tie).sum(axis=0, keepdims=True), last)
    middle = np.take_along_axis(ranked, low, axis=0) + np.take_along_axis(ranked, high, axis=0)
    return np.asarray(middle[0] / 2)


def community_likelihoods(panel: ForecastPanel) -> Floats:
    """(T,) what the question's record of the community gave to the outcome; NaN if nothing.

    Raises:
        ValueError: See `on_outcome`.
    """
    history = panel.question.community
    rows = list(range(len(history)))
    likelihoods = pick(
        on_outcome(panel.question, history), last_of(history, rows, panel.cuts[:-1])
    )
    return np.where(panel.cuts[:-1] < panel.question.ended, likelihoods, nan)


def median(panel: ForecastPanel, crowd: Crowd, counted: Flags) -> Floats:
    """(T,) what the median of the standing forecasts gave to the outcome; NaN if none stood.

    Args:
        panel: Whose forecasts.
        crowd: Of what the median is taken: of what each forecast says of the outcome (for a
            numeric question, the median height), or of whole forecasts (the median at each
            edge of the cumulative distributions, the median of each option scaled to sum to
            1); and whether newer forecasts weigh more.
        counted: (F,) whose forecasts count.

    Raises:
        ValueError: Whole forecasts are wanted, and the question has heights only.

    Source:
        Metaculus, tournament scoring rules (2022): the median of heights; the open source of
        its platform: recency weights, and the median of whole forecasts.
    """
    medians = np.full(panel.p.shape[1], nan)
    for t in range(panel.p.shape[1]):
        here = np.flatnonzero(counted & (panel.which[:, t] != NOBODY))
        if here.size:
            rows = _oldest_first(panel, here, t) if crowd.recent else here
            medians[t] = _middle(panel, crowd, rows, t)
    return medians


def _oldest_first(panel: ForecastPanel, here: Whole, t: int) -> Whole:
    rows = panel.which[here, t]
    made = [panel.question.forecasts[n].at for n in rows]
    return np.asarray(here[np.lexsort((rows, made))])


def _middle(panel: ForecastPanel, crowd: Crowd, rows: Whole, t: int) -> float:
    question = panel.question
    weights = recency_weights(len(rows)) if crowd.recent else np.ones(len(rows))
    if crowd.middle == CrowdMedian.VALUES or question.kind == QuestionKind.BINARY:
        if not crowd.recent:
            return float(np.median(panel.p[rows, t]))
        return float(weighted_median(panel.p[rows, t], weights))
    if question.kind == QuestionKind.DENSITY:
        raise ValueError("heights at the outcome alone have no median of whole forecasts")
    values = [question.forecasts[n].value for n in panel.which[rows, t]]
    return _of_whole(question, np.array(values, dtype=np.float64), weights)


def _of_whole(question: TournamentQuestion, values: Floats, weights: Floats) -> float:
    if question.kind == QuestionKind.NUMERIC:
        return bucket(question, weighted_median(values, weights))
    there = ~np.isnan(values)
    medians = np.array(
        [
            weighted_median(column[answered], weights[answered]) if answered.any() else nan
            for column, answered in zip(values.T, there.T, strict=True)
        ]
    )
    total = np.nansum(medians)
    if total <= 0:
        return nan
    return float(relative.confine(relative.on_option(medians / total, question.outcome)))


def options_of(panel: ForecastPanel) -> Floats:
    """(F, T) how many options there were when each standing forecast was made; 2 for none."""
    counts = pick(options_then(panel.question), panel.which)
    return np.where(panel.stands, counts, 2.0)


def baseline_scores(panel: ForecastPanel, p: Floats, options: Floats) -> Floats:
    """(F, T) how far each standing forecast beats equal chances, 0 where none stood.

    Args:
        panel: Of which question and time.
        p: (F, T) what each gave to the outcome, NaN where none stood: the panel's own, or an
            aggregate's.
        options: (F, T) how many options there were for that forecast.

    Raises:
        ValueError: A forecast says something that is no probability or density.

    Source:
        Metaculus, scores FAQ and open source: 100 ln(N p) / ln N; for numbers
        50 ln(p / base).
    """
    question, stood = panel.question, ~np.isnan(p)
    filled = np.where(stood, p, 0.5)
    if question.kind == QuestionKind.DENSITY:
        scores = relative.baseline_density(filled, question.open_bounds)
    elif question.kind == QuestionKind.NUMERIC:
        scores = relative.baseline_bucket(
            filled,
            inside=inside(question),
            open_bounds=question.open_bounds,
            buckets=question.buckets,
        )
    else:
        scores = relative.baseline(filled, options)
    return np.where(stood, scores, 0.0)


def peer_scores(panel: ForecastPanel, p: Floats, counted: Flags) -> Floats:
    """(F, T) how far each standing forecast beats the others' mean log score, times 100.

    Who is not counted is compared with those who are, with the same factor N / (N - 1).
    Fewer than two counted forecasts at a time leave everybody at 0.

    Args:
        panel: Of which question and time.
        p: (F, T) what each gave to the outcome, NaN where none stood; it may have further
            rows for aggregates.
        counted: (F,) who is one of the N.

    Raises:
        ValueError: A forecast says something that is no probability or density.

    Source:
        Metaculus, scores FAQ and open source.
    """
    stood, continuous = ~np.isnan(p), panel.question.continuous
    members = stood & counted[:, None]
    filled = np.where(stood, p, 0.5)
    scores = relative.peer(filled.T, present=members.T, continuous=continuous).T
    guests = stood & ~counted[:, None]
    for t in np.flatnonzero(guests.any(axis=0)):
        rows = np.flatnonzero(guests[:, t])
        others = filled[members[:, t], t]
        scores[rows, t] = relative.peer_of_aggregate(
            filled[rows, t], others, continuous=continuous
        )
    return np.asarray(scores)


SPOT = frozenset({TournamentRule.SPOT_PEER, TournamentRule.SPOT_BASELINE})
BASELINES = frozenset(
    {TournamentRule.BASELINE, TournamentRule.SPOT_BASELINE, TournamentRule.BASELINE_GLOBAL}
)
BY_TAKE = frozenset({TournamentRule.Y2022, TournamentRule.RELATIVE_LEGACY})
UNPAID = frozenset(
    {
        TournamentRule.PEER_GLOBAL,
        TournamentRule.PEER_GLOBAL_BEFORE_2024,
        TournamentRule.BASELINE_GLOBAL,
    }
)
PLATFORM_TIES = (1e-5, 1e-8)  # how near the platform's ties are: relative, absolute
OUR_TIES = (1e-9, 0.0)


@dataclass(frozen=True, slots=True)
class _Sum:
    """What one forecaster has over all questions."""

    name: str
    total: float
    coverage: float
    questions: int


def score_tournament(tournament: Tournament) -> TournamentResult:
    """Score every question, rank, and divide the pool.

    Questions without an outcome, or of weight 0, are left out and named. Who had no standing
    forecast on any other question is in no line.

    Raises:
        ValueError: The tournament cannot be scored; a question is named where it is at fault.

    Source:
        Metaculus, tournament scoring rules (2022); scores FAQ, medals FAQ and open source.
    """
    check_tournament(tournament)
    scored = [q for q in tournament.questions if q.void is None]
    results = tuple(_scored_question(tournament, question) for question in scored)
    sums = _sums(tournament, results)
    present = {entrant.name for entrant in sums}
    everybody = dict.fromkeys(
        forecast.forecaster
        for question in tournament.questions
        for forecast in question.forecasts
    )
    return TournamentResult(
        tournament,
        tuple(_entries(tournament, sums, len(scored))),
        results,
        {q.id: q.void for q in tournament.questions if q.void is not None},
        tuple(name for name in everybody if name not in present),
    )


def score_question(tournament: Tournament, question: TournamentQuestion) -> QuestionResult:
    """Score one question by the rules of its tournament.

    Raises:
        ValueError: The question has no outcome, or lacks what the rules ask for.
    """
    rule = tournament.rule
    if rule is TournamentRule.RELATIVE_LEGACY and question.kind is QuestionKind.NUMERIC:
        raise ValueError(
            "the platform's relative scores of numeric questions cannot be computed from "
            "forecasts: those it has published differ"
        )
    panel = moment_of(question) if rule in SPOT else panel_of(question)
    counted = np.array([n not in tournament.uncounted for n in panel.forecasters], dtype=bool)
    community = _community(panel, tournament, counted)
    rows = [median(panel, each, counted) for each in tournament.aggregates]
    p = np.vstack([panel.p, *rows])
    instant = _instant(panel, rule, p, community, counted)
    stood = np.logical_not(np.isnan(p))
    weights = _weights(panel, tournament)
    scores = _averaged(panel, rule, instant)
    names = panel.forecasters + tuple(each.name for each in tournament.aggregates)
    return QuestionResult(
        question.id,
        question.kind,
        question.weight,
        names,
        tuple(np.any(stood, axis=1).tolist()),
        tuple(scores.tolist()),
        tuple((stood @ weights).tolist()),
        tuple(_intervals(panel, community, p, instant)),
        () if rule in SPOT else tuple(_days(panel, instant)),
    )


def _scored_question(tournament: Tournament, question: TournamentQuestion) -> QuestionResult:
    try:
        return score_question(tournament, question)
    except ValueError as error:
        raise ValueError(f"question {question.id}: {error}") from error


def _community(panel: ForecastPanel, tournament: Tournament, counted: Flags) -> Floats:
    """What the question's record says of the community, else the median of its forecasts.

    Only the relative scores ask for it.
    """
    if tournament.rule not in BY_TAKE:
        return np.full(panel.p.shape[1], np.nan)
    if panel.question.community and tournament.crowd is None:
        return community_likelihoods(panel)
    usual = Crowd()
    if tournament.rule == TournamentRule.RELATIVE_LEGACY:
        heights = panel.question.kind == QuestionKind.DENSITY
        usual = Crowd(CrowdMedian.VALUES if heights else CrowdMedian.FORECASTS, recent=True)
    return median(panel, tournament.crowd or usual, counted)


def _instant(
    panel: ForecastPanel, rule: TournamentRule, p: Floats, community: Floats, counted: Flags
) -> Floats:
    """(rows, T) the scores at each time: of the forecasters, and below them of aggregates."""
    if rule in BY_TAKE:
        form = PUBLISHED if rule == TournamentRule.Y2022 else PLATFORM
        return relative_scores(panel, p, community, form)
    further = len(p) - len(counted)
    if rule in BASELINES:
        options = options_of(panel)
        most = options.max(axis=0, initial=2.0)
        return baseline_scores(panel, p, np.vstack([options, *[most] * further]))
    members = np.concatenate([counted, np.zeros(further, dtype=bool)])
    return peer_scores(panel, p, members)


def _averaged(panel: ForecastPanel, rule: TournamentRule, instant: Floats) -> Floats:
    if rule in SPOT:
        return instant[:, 0]
    horizon = Horizon.ACTUAL if rule == TournamentRule.RELATIVE_LEGACY else Horizon.SCHEDULED
    return time_average(panel, instant, horizon)


def _weights(panel: ForecastPanel, tournament: Tournament) -> Floats:
    """(T,) how much each column counts towards coverage."""
    question, rule = panel.question, tournament.rule
    if rule in SPOT:
        return np.ones(1)
    if rule == TournamentRule.RELATIVE_LEGACY and question.ended > question.open:
        return covering(panel, (Period(question.open, question.ended, 1.0),))
    coverage = tournament.coverage if rule == TournamentRule.Y2022 else Coverage.ALL
    return covering(panel, periods(question, coverage))


def _sums(tournament: Tournament, results: Sequence[QuestionResult]) -> list[_Sum]:
    """Weighted sums for everybody who had a standing forecast, in order of appearance."""
    rows: dict[str, list[tuple[float, float, float]]] = {}
    for result in results:
        for n, name in enumerate(result.names):
            if result.stood[n]:
                row = (result.weight, result.scores[n], result.coverage[n])
                rows.setdefault(name, []).append(row)
    total_weight = sum(r.weight for r in results) if tournament.rule in BY_TAKE else 1.0
    return [
        _Sum(
            name,
            sum(w * score for w, score, _ in mine),
            sum(w * share for w, _, share in mine) / total_weight,
            len(mine),
        )
        for name, mine in rows.items()
    ]


def _entries(
    tournament: Tournament, sums: Iterable[_Sum], count: int
) -> Iterable[TournamentEntry]:
    rule = tournament.rule
    lines = sorted(
        ((_standing_by(rule, entrant), entrant) for entrant in sums),
        key=lambda line: (-line[0], line[1].name),
    )
    outside = tournament.excluded | {each.name for each in tournament.aggregates}
    included = [entrant.name not in outside for _, entrant in lines]
    near = OUR_TIES if rule == TournamentRule.Y2022 else PLATFORM_TIES
    values = [value for value, _ in lines]
    places = prizes.ranks(values, included, relative=near[0], absolute=near[1])
    won = (
        [None] * len(lines) if rule == TournamentRule.Y2022 else prizes.medals(places, included)
    )
    takes = [
        None if rule in UNPAID else value if rule in BY_TAKE else prizes.squared_take(value)
        for value in values
    ]
    minimum = tournament.minimum_prize / tournament.pool if tournament.pool else 0.0
    paid = prizes.prize_shares([take or 0.0 for take in takes], included, minimum=minimum)
    for n, (value, entrant) in enumerate(lines):
        share = paid[n] if paid and takes[n] is not None and included[n] else None
        yield TournamentEntry(
            rank=places[n],
            name=entrant.name,
            included=included[n],
            score=entrant.total if rule in BY_TAKE else value,
            total=entrant.total,
            coverage=entrant.coverage,
            questions=entrant.questions,
            completion=entrant.questions / count,
            take=takes[n],
            share=share,
            prize=_prize(tournament, takes[n], share, here=included[n]),
            medal=won[n],
        )


def _standing_by(rule: TournamentRule, entrant: _Sum) -> float:
    """What an entry is ranked by."""
    if rule in BY_TAKE:
        return take(entrant.total, entrant.coverage)
    if rule == TournamentRule.PEER_GLOBAL:
        return prizes.peer_global(entrant.total, entrant.coverage)
    if rule == TournamentRule.PEER_GLOBAL_BEFORE_2024:
        return prizes.peer_global_before_2024(entrant.total, entrant.questions)
    return entrant.total


def _prize(
    tournament: Tournament, take: float | None, share: float | None, *, here: bool
) -> float | None:
    """An amount; 0 where nobody has taken anything, and None where there is none to be had."""
    if tournament.pool is None or take is None or not here:
        return None
    return tournament.pool * (share or 0.0)


def _intervals(
    panel: ForecastPanel, community: Floats, p: Floats, instant: Floats
) -> Iterable[Stretch]:
    for t in range(p.shape[1]):
        yield Stretch(
            float(panel.cuts[t]),
            float(panel.cuts[t + 1]),
            _number_or_none(community[t]),
            tuple(_number_or_none(x) for x in p[:, t]),
            tuple(instant[:, t].tolist()),
        )


def _days(panel: ForecastPanel, instant: Floats) -> Iterable[Stretch]:
    edges, means = by_day(panel, instant)
    nothing = (None,) * len(instant)
    for d, scores in enumerate(means.T.tolist()):
        yield Stretch(float(edges[d]), float(edges[d + 1]), None, nothing, tuple(scores))


def _number_or_none(x: float) -> float | None:
    return None if np.isnan(x) else float(x)
