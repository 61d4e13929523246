"""A whole tournament, scored by any of the rules."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from arena.scoring.tournament import crowd, legacy, modern, prizes
from arena.scoring.tournament.checks import check_tournament
from arena.scoring.tournament.legacy import PLATFORM, PUBLISHED, Horizon
from arena.scoring.tournament.records import (
    Coverage,
    Crowd,
    CrowdMedian,
    Period,
    QuestionKind,
    Tournament,
    TournamentQuestion,
    TournamentRule,
)
from arena.scoring.tournament.result import (
    QuestionResult,
    Stretch,
    TournamentEntry,
    TournamentResult,
)
from arena.scoring.tournament.standing import (
    Flags,
    Floats,
    ForecastPanel,
    by_day,
    covering,
    moment_of,
    panel_of,
)

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
    rows = [crowd.median(panel, each, counted) for each in tournament.aggregates]
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
        return crowd.community_likelihoods(panel)
    usual = Crowd()
    if tournament.rule == TournamentRule.RELATIVE_LEGACY:
        heights = panel.question.kind == QuestionKind.DENSITY
        usual = Crowd(CrowdMedian.VALUES if heights else CrowdMedian.FORECASTS, recent=True)
    return crowd.median(panel, tournament.crowd or usual, counted)


def _instant(
    panel: ForecastPanel, rule: TournamentRule, p: Floats, community: Floats, counted: Flags
) -> Floats:
    """(rows, T) the scores at each time: of the forecasters, and below them of aggregates."""
    if rule in BY_TAKE:
        form = PUBLISHED if rule == TournamentRule.Y2022 else PLATFORM
        return legacy.relative_scores(panel, p, community, form)
    further = len(p) - len(counted)
    if rule in BASELINES:
        options = modern.options_of(panel)
        most = options.max(axis=0, initial=2.0)
        return modern.baseline_scores(panel, p, np.vstack([options, *[most] * further]))
    members = np.concatenate([counted, np.zeros(further, dtype=bool)])
    return modern.peer_scores(panel, p, members)


def _averaged(panel: ForecastPanel, rule: TournamentRule, instant: Floats) -> Floats:
    if rule in SPOT:
        return instant[:, 0]
    horizon = Horizon.ACTUAL if rule == TournamentRule.RELATIVE_LEGACY else Horizon.SCHEDULED
    return legacy.time_average(panel, instant, horizon)


def _weights(panel: ForecastPanel, tournament: Tournament) -> Floats:
    """(T,) how much each column counts towards coverage."""
    question, rule = panel.question, tournament.rule
    if rule in SPOT:
        return np.ones(1)
    if rule == TournamentRule.RELATIVE_LEGACY and question.ended > question.open:
        return covering(panel, (Period(question.open, question.ended, 1.0),))
    coverage = tournament.coverage if rule == TournamentRule.Y2022 else Coverage.ALL
    return covering(panel, legacy.periods(question, coverage))


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
    takes = [None if rule in UNPAID else _take(rule, value) for value in values]
    paid = _paid(tournament, [take or 0.0 for take in takes], included)
    for n, (value, entrant) in enumerate(lines):
        share = paid[n] if takes[n] is not None and included[n] else None
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
        return legacy.take(entrant.total, entrant.coverage)
    if rule == TournamentRule.PEER_GLOBAL:
        return prizes.peer_global(entrant.total, entrant.coverage)
    if rule == TournamentRule.PEER_GLOBAL_BEFORE_2024:
        return prizes.peer_global_before_2024(entrant.total, entrant.questions)
    return entrant.total


def _take(rule: TournamentRule, value: float) -> float:
    return value if rule in BY_TAKE else prizes.squared_take(value)


def _paid(
    tournament: Tournament, takes: Sequence[float], included: Sequence[bool]
) -> Sequence[float | None]:
    """Each entry's share; None for all where there is nothing to divide by."""
    minimum = tournament.minimum_prize / tournament.pool if tournament.pool else 0.0
    return prizes.prize_shares(takes, included, minimum=minimum) or [None] * len(takes)


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
            _known(community[t]),
            tuple(_known(x) for x in p[:, t]),
            tuple(instant[:, t].tolist()),
        )


def _days(panel: ForecastPanel, instant: Floats) -> Iterable[Stretch]:
    edges, means = by_day(panel, instant)
    nothing = (None,) * len(instant)
    for d, scores in enumerate(means.T.tolist()):
        yield Stretch(float(edges[d]), float(edges[d + 1]), None, nothing, tuple(scores))


def _known(x: float) -> float | None:
    return None if np.isnan(x) else float(x)
