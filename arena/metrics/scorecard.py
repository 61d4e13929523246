"""A table of scores: who, from how many forecasts of how many events, and how sure.

With it comes everything else that `arena score` says: claims, and parts by a label.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from arena.errors import ArenaError, did_you_mean
from arena.metrics.claims.board_claims import BoardClaims, board_claims
from arena.metrics.claims.questions import questions_of
from arena.metrics.groups import GroupBoard, groups
from arena.metrics.metric import BetterDirection
from arena.metrics.metric_values import (
    ADJUSTED,
    CELLS,
    LEVEL,
    computable,
    default_metrics,
    lower_is_better,
    measure,
    unknown_metric,
)
from arena.metrics.registry import METRICS
from arena.metrics.resampled import with_intervals
from arena.records.claim import Scope
from arena.records.estimate import Estimate
from arena.scoring.logarithmic import Clip
from arena.scoring.table import Factor, Floats, Forecasts, Whole
from arena.stats.columns import compact
from arena.stats.comparisons.ranks import ranks

MOST_PARTS: Final = 1_000


@dataclass(frozen=True, slots=True)
class ScorecardLine:
    """A contestant, or a part of one, with its scores by the metrics' keys.

    `questions` are markets at a moment: cohorts that ask the same at once ask one. `clipped`
    counts the forecasts whose log loss stopped at the smallest likelihood.
    """

    name: str
    part: str
    n: int
    questions: int
    markets: int
    events: int
    clipped: int
    rank: int | None
    scores: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class Scorecard:
    """Lines, best first within each part; a line without the value stands last, unranked."""

    rank_by: str
    level: float
    lines: tuple[ScorecardLine, ...]
    by: str = ""
    draws: int = 0

    def unranked(self) -> "Scorecard":
        """The same without ranks: there is too little to rank anyone."""
        return replace(self, lines=tuple(replace(line, rank=None) for line in self.lines))


def scorecard(  # noqa: PLR0913  what is scored, and how it is laid out
    forecasts: Forecasts,
    keys: Sequence[str] = (),
    *,
    rank_by: str | None = None,
    level: float = LEVEL,
    draws: int = 0,
    ordered: bool = False,
) -> Scorecard:
    """Score every contestant.

    Args:
        forecasts: The rows.
        keys: Metrics of the registry; a default choice if none is named.
        rank_by: The metric that orders the lines; the first that is computed, if not said.
        level: Confidence of the intervals, in (0, 1).
        draws: How often events are resampled for the intervals of what is no mean; those
            have none if 0. The draws follow from the events' names.
        ordered: Whether the options of a question stand in an order.

    Raises:
        ArenaError: A metric that these forecasts do not have.
    """
    used = tuple(keys) or default_metrics(forecasts, ordered=ordered)
    first = rank_by or used[0]
    used = used if first in used else (first, *used)
    available = computable(forecasts, ordered=ordered)
    if unknown := [key for key in used if key not in available]:
        raise unknown_metric(unknown, available)
    lines = _ranked(_lines(forecasts, used, (level, draws)), first)
    return Scorecard(first, level, lines, draws=draws)


def broken_down(
    forecasts: Forecasts, overall: Scorecard, keys: Sequence[str], by: str
) -> Scorecard:
    """Score every contestant in each part of a label, by the same metrics and order.

    Raises:
        ArenaError: There is no such label, or it has more than 1,000 values.
    """
    if by not in forecasts.labels:
        raise ArenaError(
            "score.label",
            f"there is no label {by} to break scores down by",
            hint=did_you_mean(by, forecasts.labels),
            status=2,
        )
    label = forecasts.labels[by]
    if label.used() > MOST_PARTS:
        raise ArenaError(
            "score.label",
            f"{by} has {label.used():,} values, and scores are broken down by {MOST_PARTS:,}",
            hint="take a label that says of what kind a forecast is",
            status=2,
        )
    codes = np.unique(label.codes).tolist()
    # A model of all questions is made of each part by itself.
    alone = [forecasts.take(label.codes == code) for code in codes] if ADJUSTED in keys else []
    lines: dict[str, list[ScorecardLine]] = {label.names[code]: [] for code in codes}
    for rows in alone or [forecasts]:
        crossed, pairs = _crossed(rows.contestant, rows.labels[by])
        scored = _lines(
            replace(rows, contestant=crossed), tuple(keys), (overall.level, overall.draws)
        )
        for line, (part, name) in zip(scored, pairs, strict=True):
            lines[part].append(replace(line, name=name, part=part))
    ordered = [line for part in sorted(lines) for line in _ranked(lines[part], overall.rank_by)]
    return Scorecard(overall.rank_by, overall.level, tuple(ordered), by, overall.draws)


def _crossed(who: Factor, label: Factor) -> tuple[Factor, Sequence[tuple[str, str]]]:
    """A column with a name for each contestant and part, and the pair behind each name."""
    width = len(who.names)
    there, codes = compact(label.codes * width + who.codes)
    pairs = [(label.names[code // width], who.names[code % width]) for code in there.tolist()]
    return Factor(tuple(map(str, range(len(pairs)))), codes), pairs


def _lines(
    forecasts: Forecasts, keys: tuple[str, ...], how: tuple[float, int]
) -> Sequence[ScorecardLine]:
    who, (level, draws) = forecasts.contestant, how
    estimates = measure(keys, forecasts, level=level)
    n = np.bincount(who.codes, minlength=len(who.names))
    questions = questions_of(forecasts)
    markets = _distinct(who, forecasts.market)
    events = _distinct(who, forecasts.event)
    cut = given_to_outcome(forecasts) < Clip.DEFAULT.low
    clipped = np.bincount(who.codes[cut], minlength=len(who.names))
    lines = [
        ScorecardLine(
            name=name,
            part="",
            n=int(n[code]),
            questions=int(questions[code]),
            markets=int(markets[code]),
            events=int(events[code]),
            clipped=int(clipped[code]),
            rank=None,
            scores={key: estimates[key][code] for key in keys},
        )
        for code, name in enumerate(who.names)
        if n[code]
    ]
    if not draws:
        return lines
    return [
        replace(
            line,
            scores=with_intervals(
                forecasts.of(line.name), line.scores, level=level, draws=draws
            ),
        )
        for line in lines
    ]


def _distinct(groups: Factor, column: Factor) -> Whole:
    """How many different names of a column each group has."""
    width = len(column.names)
    cell = groups.codes * width + column.codes
    if len(groups.names) * width > CELLS:
        return np.bincount(np.unique(cell) // width, minlength=len(groups.names))
    there = np.bincount(cell, minlength=len(groups.names) * width) > 0
    return (
        np.count_nonzero(there.reshape(-1, width), axis=1) if width else there.astype(np.intp)
    )


def given_to_outcome(forecasts: Forecasts) -> Floats:
    """What each forecast gave to what happened, (n,)."""
    if forecasts.options is not None:
        return forecasts.options[np.arange(len(forecasts)), forecasts.outcome]
    return np.where(forecasts.outcome == 1, forecasts.p, 1 - forecasts.p)


def _ranked(lines: Sequence[ScorecardLine], key: str) -> tuple[ScorecardLine, ...]:
    """Best first; nobody is best by a metric of which neither way is better."""
    if METRICS[key].better is BetterDirection.NEITHER:
        return tuple(sorted(lines, key=lambda line: line.name))
    valued = [line for line in lines if line.scores[key].value is not None]
    values = np.array([line.scores[key].value for line in valued], dtype=np.float64)
    order = ranks(values, higher_is_better=not lower_is_better(key))
    ranked = [replace(line, rank=int(r)) for line, r in zip(valued, order, strict=True)]
    without = [line for line in lines if line.scores[key].value is None]
    return (
        *sorted(ranked, key=lambda line: (line.rank or 0, line.name)),
        *sorted(without, key=lambda line: line.name),
    )


ALL = ("all",)


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """Scores with what may be claimed of them; `parts` and `board` where a label was named."""

    card: Scorecard
    claims: BoardClaims
    parts: Scorecard | None = None
    board: GroupBoard | None = None


def score_report(  # noqa: PLR0913  the options of a command
    forecasts: Forecasts,
    keys: Sequence[str] = (),
    *,
    rank_by: str | None = None,
    by: str | None = None,
    level: float = LEVEL,
    ordered: bool = False,
    draws: int = 0,
    by_moment: bool = False,
    scope: Scope | None = None,
) -> ScoreReport:
    """Score forecasts; below the minimum of evidence nobody has a rank.

    Args:
        forecasts: The rows.
        keys: Metrics; the usual ones if none is named, and every one for `all`.
        rank_by: The metric that orders the lines.
        by: A label to break scores down by.
        level: Confidence, in (0, 1).
        ordered: Whether the options of a question stand in an order.
        draws: How often events are resampled for the intervals of what is no mean.
        by_moment: Whether a market at another moment is another question.
        scope: The board; None for a file, which is looked at once.

    Raises:
        ArenaError: There is no such metric or label.
    """
    wanted = computable(forecasts, ordered=ordered) if tuple(keys) == ALL else keys
    card = scorecard(
        forecasts, wanted, rank_by=rank_by, level=level, draws=draws, ordered=ordered
    )
    claims = board_claims(
        forecasts, card.rank_by, level=level, by_moment=by_moment, scope=scope
    )
    if not claims.basis.minimum.met:
        card = card.unranked()
    if by is None:
        return ScoreReport(card, claims)
    used = tuple(card.lines[0].scores) if card.lines else ()
    parts = broken_down(forecasts, card, used, by)
    board = groups(forecasts, by, card.rank_by, level=card.level, by_moment=by_moment)
    return ScoreReport(card, claims, parts, board)
