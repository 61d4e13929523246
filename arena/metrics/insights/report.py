"""What forecasts know beyond the price, how near they stay to it, and how they err together."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from arena.metrics.claims.questions import question_codes
from arena.metrics.insights.arms import Arms, Design, answers_of, arms_of, event_groups
from arena.metrics.insights.consistency import Consistency, consistency_of
from arena.metrics.metric_values import LEVEL, measure
from arena.metrics.resampled import alone
from arena.records.estimate import Estimate, State
from arena.scoring.bins import MurphyTerms, murphy
from arena.scoring.proper import brier_terms
from arena.scoring.table import STAGES, Floats, Forecasts, Whole
from arena.stats import EVENTS
from arena.stats.comparisons.joint_losses import joint_errors
from arena.stats.mean_intervals import interval
from arena.stats.regression.encompassing import PRICE_CLIP, information
from arena.stats.regression.logit import log_odds

FOLDS: Final = 5
NEAR: Final = {"within_one_point": 0.01, "within_two_points": 0.02}
ROUNDED: Final = 1e-9  # a difference of 0.02 as binary fractions have it
MOSTLY: Final = 0.5  # of a copier's forecasts are within two points of the price


@dataclass(frozen=True, slots=True)
class UpdatingPart:
    """Later forecasts of one part of the markets' lives, and each market's first beside them.

    `gain` is how much lower the Brier score of the later ones is; `frozen` and `updated` are
    the terms of both scores, None without a row.
    """

    stage: str
    gain: Estimate
    frozen: MurphyTerms | None
    updated: MurphyTerms | None


@dataclass(frozen=True, slots=True)
class ContestantInsights:
    """One contestant's values by metric. `copies` says that it repeats the price.

    It does where at least half of its forecasts are within two points of the price and no
    information beyond the price was shown; None where too little has resolved to say.
    `updating` is the value of updating by the third of its market's life, where that is known.
    """

    contestant: str
    n: int
    events: int
    values: Mapping[str, Estimate]
    copies: bool | None
    updating: tuple[UpdatingPart, ...] = ()


@dataclass(frozen=True, slots=True)
class PairInsight:
    """The correlation of two contestants' errors; None where they share too little."""

    a: str
    b: str
    correlation: float | None


@dataclass(frozen=True, slots=True)
class Insights:
    """What all forecasts of a board say; `together` counts the contestants that it is of.

    `crowd` has the Brier score of the price at the forecasts' moments and of the closing one.
    """

    level: float
    contestants: tuple[ContestantInsights, ...] = ()
    together: int = 0
    values: Mapping[str, Estimate] = field(default_factory=dict)
    pairs: tuple[PairInsight, ...] = ()
    arms: Arms = Arms()  # noqa: RUF009  frozen
    crowd: Mapping[str, Estimate] = field(default_factory=dict)


def insights(
    forecasts: Forecasts,
    references: Collection[str] = (),
    designs: Sequence[Design] = (),
    *,
    level: float = LEVEL,
) -> Insights:
    """Look at each contestant beside the price, and at all of them together.

    Rows without a price are left out of what is beside the price.

    Args:
        forecasts: Yes/no forecasts that have resolved. Those that wait count for consistency.
        references: Baselines: they have their own values and are left out of the joint ones.
        designs: How contestants are set up: which are copies and arms of one model.
        level: Confidence of the intervals, in (0, 1).
    """
    consistency = consistency_of(forecasts)
    stage = {key: forecasts.labels[key] for key in ("stage",) if key in forecasts.labels}
    rows = replace(
        forecasts, event=forecasts.event.in_order(), labels=stage, waiting=None, prices=None
    )
    names = sorted(
        rows.contestant.names[code] for code in np.unique(rows.contestant.codes).tolist()
    )
    own = tuple(_contestant(rows.of(name), name, consistency, level) for name in names)
    competing = [name for name in names if name not in references]
    values, pairs = _together(rows, competing, level)
    arms = arms_of(rows, designs, level=level)
    return Insights(level, own, len(competing), values, pairs, arms, _crowd(rows, level))


def _contestant(
    rows: Forecasts, name: str, consistency: Consistency, level: float
) -> ContestantInsights:
    priced = rows.take(~np.isnan(rows.market_p))
    event = priced.event.codes
    said, price = priced.p, priced.market_p
    fitted = information(
        said, price, priced.outcome, event, fold=event_groups(priced.event, FOLDS), level=level
    )
    values = {"information_weight": fitted.weight, "information_gain": fitted.gain}
    for key, width in NEAR.items():
        near = (np.abs(said - price) <= width + ROUNDED).astype(np.float64)
        values[key] = interval(near, event, level).within(0.0, 1.0)
    values["price_correlation"] = _correlation(
        log_odds(said, PRICE_CLIP), log_odds(price, PRICE_CLIP), event, level
    )
    values["slope"] = measure(("slope",), alone(priced), level=level)["slope"][0]
    values["close_gain"] = _gain_over_close(rows, level)
    later, first = _revisions(rows)
    gains = brier_terms(first.p, first.outcome) - brier_terms(later.p, later.outcome)
    values["value_of_updating"] = interval(gains, later.event.codes, level).within(-1.0, 1.0)
    values |= consistency.of(rows.contestant.names.index(name), level)
    return ContestantInsights(
        name,
        len(rows),
        rows.event.used(),
        values,
        _copies(values),
        _updating_parts(later, first, gains, level),
    )


def _gain_over_close(rows: Forecasts, level: float) -> Estimate:
    """The Brier score of the closing price less that of the forecasts."""
    known = rows.take(~np.isnan(rows.close_p))
    gains = brier_terms(known.close_p, known.outcome) - brier_terms(known.p, known.outcome)
    return interval(gains, known.event.codes, level).within(-1.0, 1.0)


def _crowd(rows: Forecasts, level: float) -> Mapping[str, Estimate]:
    """The Brier score of both prices over the questions of which both are known."""
    known = rows.take(~np.isnan(rows.market_p) & ~np.isnan(rows.close_p))
    _, first = np.unique(question_codes(known, by_moment=True), return_index=True)
    once = known.take(first)
    return {
        key: interval(brier_terms(price, once.outcome), once.event.codes, level).within(
            0.0, 1.0
        )
        for key, price in (("price", once.market_p), ("close", once.close_p))
    }


def _revisions(rows: Forecasts) -> tuple[Forecasts, Forecasts]:
    """Each later forecast of a market, and beside it the first one."""
    order = np.lexsort((rows.at, rows.market.codes))
    market = rows.market.codes[order]
    starts = np.flatnonzero(np.diff(market, prepend=-1))
    first = order[np.repeat(starts, np.diff(starts, append=len(order)))]
    later = rows.at[order] > rows.at[first]
    return rows.take(order[later]), rows.take(first[later])


def _updating_parts(
    later: Forecasts, first: Forecasts, gains: Floats, level: float
) -> tuple[UpdatingPart, ...]:
    """By the third of its market's life in which each later forecast was made."""
    stage = later.labels.get("stage")
    if stage is None:
        return ()
    parts = []
    for name in STAGES:
        own = stage.codes == stage.code(name)
        if own.any():
            outcome = later.outcome[own]
            gain = interval(gains[own], later.event.codes[own], level).within(-1.0, 1.0)
            terms = (murphy(part.p[own], outcome).terms for part in (first, later))
            parts.append(UpdatingPart(name, gain, *terms))
    return tuple(parts)


def _correlation(a: Floats, b: Floats, event: Whole, level: float) -> Estimate:
    """Pearson's correlation, with the interval of its influence values by event."""
    spread = float(np.std(a) * np.std(b)) if len(a) else 0.0
    if spread <= ROUNDED:
        state = State.DEGENERATE if len(a) else State.EMPTY
        return Estimate(None, len(a), len(np.unique(event)), state=state)
    za, zb = (a - a.mean()) / np.std(a), (b - b.mean()) / np.std(b)
    r = float(np.mean(za * zb))
    influence = za * zb - r * (za**2 + zb**2) / 2
    return interval(r + influence, event, level).within(-1.0, 1.0)


def _copies(values: Mapping[str, Estimate]) -> bool | None:
    near, weight = values["within_two_points"], values["information_weight"]
    if near.value is None or near.events < EVENTS:
        return None
    shown = weight.interval is not None and weight.interval.low > 0
    return near.value >= MOSTLY and not shown


def _together(
    rows: Forecasts, competing: list[str], level: float
) -> tuple[Mapping[str, Estimate], tuple[PairInsight, ...]]:
    """The errors of all competitors as a matrix of contestants by questions."""
    answers = answers_of(rows, competing)
    errors = answers.p - answers.outcome
    joint = joint_errors(errors, answers.event, answers.group, level=level)
    pairs = tuple(
        PairInsight(a, b, None if np.isnan(r) else float(r))
        for i, a in enumerate(competing)
        for j, b in enumerate(competing[i + 1 :], i + 1)
        for r in (joint.pairs[i, j],)
    )
    return {"error_correlation": joint.mean, "effective_number": joint.effective}, pairs
