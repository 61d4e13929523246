"""Numbers as published sources computed them, where ours differ.

They are here so that a reader of a source finds its number again. Nothing else in the arena
uses them, and none of them is a verdict.

The row of ForecastBench's board: halves of questions, their mean, and the index.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import fsum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.odds import Flags, finite
from arena.odds.edge import MAINLINE, exceeds
from arena.scoring.leaderboard import skill_score
from arena.scoring.proper import brier_index, brier_terms, expected_log_curvature
from arena.scoring.table import Factor, Floats, Forecasts

# Only these have a price that is a probability; the others freeze a value of their series.
MARKETS: Final = frozenset({"infer", "manifold", "metaculus", "polymarket"})
DATASETS: Final = frozenset({"acled", "dbnomics", "fred", "wikipedia", "yfinance"})


@dataclass(frozen=True, slots=True)
class BenchRow:
    """A contestant's mean Brier scores of dataset and market questions, and both together.

    `overall` is the mean of both halves, each with half of the weight, `index` that as a
    percentage. Either is None where a half has no resolved question.
    """

    contestant: str
    dataset: float | None
    n_dataset: int
    market: float | None
    n_market: int
    overall: float | None
    n: int
    index: float | None


def bench_rows(forecasts: Forecasts, source: Factor) -> tuple[BenchRow, ...]:
    """Score forecasts as ForecastBench's board does, without its adjustment for difficulty.

    Args:
        forecasts: Yes/no forecasts; a question asked for several dates is a row a date.
        source: Where each row's question is from.

    Returns:
        A row a contestant, least overall score first; those without one by name, at the end.

    Source:
        ForecastBench, the leaderboard and its notes, https://forecastbench.org/leaderboards.
    """
    terms = brier_terms(forecasts.p, forecasts.outcome)
    is_market = np.array([name in MARKETS for name in source.names], np.bool_)[source.codes]
    rows = []
    for code, name in enumerate(forecasts.contestant.names):
        own = forecasts.contestant.codes == code
        if own.any():
            halves = [_half(terms, own & part) for part in (~is_market, is_market)]
            (dataset, n_dataset), (market, n_market) = halves
            both = None if dataset is None or market is None else (dataset + market) / 2
            index = None if both is None else brier_index(both)
            n = n_dataset + n_market
            rows.append(BenchRow(name, dataset, n_dataset, market, n_market, both, n, index))
    return tuple(sorted(rows, key=_order))


def _half(terms: np.ndarray, rows: Flags) -> tuple[float | None, int]:
    n = int(np.count_nonzero(rows))
    return (float(terms[rows].mean()) if n else None), n


def _order(row: BenchRow) -> tuple[bool, float, str]:
    return row.overall is None, row.overall if row.overall is not None else 0.0, row.contestant


FAIR_BELOW_DOCUMENTED: Final = 0.25
FAIR_BELOW_CODED: Final = 0.30


class PublishedBand(StrEnum):
    """What Forecaster Arena called a mean Brier score; no verdict on a forecaster."""

    PERFECT = "perfect"
    EXCELLENT = "excellent"
    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"
    VERY_POOR = "very poor"


def skill_score_or_zero(score: float, reference: float) -> float:
    """Skill that is 0.0 against a perfect reference, however much worse the forecaster was.

    `arena.scoring.leaderboard.skill_score` has no value there. The two agree everywhere else.

    Source:
        A guide to scoring rules for betting agents, its code for the Brier skill score.

    >>> skill_score_or_zero(0.3, 0.0), skill_score_or_zero(0.15, 0.25)
    (0.0, 0.4)
    """
    skill = skill_score(score, reference)
    return 0.0 if skill is None else skill


def expected_log_curvature_as_printed(f: ArrayLike, p: ArrayLike) -> Floats:
    """Second derivative of the expected log loss with a wrong sign: -p/f^2 - (1-p)/(1-f)^2.

    It is that of the expected score, which has its maximum where the loss has its minimum;
    `arena.scoring.proper.expected_log_curvature` is that of the loss.

    Raises:
        ValueError: A probability outside [0, 1], or a forecast of 0 or 1.

    Source:
        A guide to scoring rules for betting agents, on why the log score is proper.

    >>> expected_log_curvature_as_printed(0.5, 0.5).item()
    -4.0
    """
    return -expected_log_curvature(f, p)


def mean_score_or_zero(scores: ArrayLike) -> float:
    """A mean Brier score that is 0 for no score at all: what a perfect forecaster has.

    `arena.scoring.leaderboard.mean_of_picos` has no value there. The two agree everywhere else.

    Args:
        scores: (n,) Brier scores.

    Raises:
        ValueError: A score is not finite.

    Source:
        Forecaster Arena (v1), lib/scoring/brier.ts.

    >>> mean_score_or_zero([])
    0.0
    """
    values = finite(scores, "scores")
    return fsum(values.tolist()) / values.size if values.size else 0.0


def band_as_documented(score: float) -> PublishedBand:
    """The name of a mean Brier score in the documents: "fair" ends at 0.25; no verdict.

    A score of 0 is "perfect". A score on a limit belongs to the band above it. How hard the
    questions were goes unasked, so that "good" may be worse than the price.

    Raises:
        ValueError: The score is outside [0, 1].

    Source:
        Forecaster Arena (v1), docs/SCORING.md.

    >>> band_as_documented(0.27).value
    'poor'
    """
    band = _band(score, FAIR_BELOW_DOCUMENTED)
    return band if score > 0 else PublishedBand.PERFECT


def band_as_coded(score: float) -> PublishedBand:
    """The name of a mean Brier score in the code: "fair" ends at 0.30; no verdict.

    There is no "perfect" here: 0 is "excellent".

    Raises:
        ValueError: The score is outside [0, 1].

    Source:
        Forecaster Arena (v1), lib/scoring/brier.ts.

    >>> band_as_coded(0.27).value
    'fair'
    """
    return _band(score, FAIR_BELOW_CODED)


def two_legs_underpriced(edge: ArrayLike, limit: ArrayLike = MAINLINE) -> Flags:
    """Whether two legs of one book both look too cheap, by more than the threshold.

    The source's page warns of these and calls them inconsistent. They are not: the edges of
    a book add up to 0, so of three legs two may be above it whenever the third is below. Of
    two legs it is never so. The source's code warns of legs of opposite sign instead: see
    `two_sided` of `arena.odds.edge.edges`.

    Args:
        edge: p - q, shape (..., K), one book along the last axis.
        limit: What an edge must exceed.

    Returns:
        One answer a book, shape (...,).

    Raises:
        ValueError: An edge is not finite, or there is no book.

    Source:
        "The 45 Percent Problem", vault/market-layer, on two-sided flags.

    >>> bool(two_legs_underpriced([0.05, 0.05, -0.10]))
    True
    """
    edges = finite(edge, "edge")
    if edges.ndim == 0:
        raise ValueError("the edges of a book stand along an axis")
    cheap = exceeds(edges, limit) & (edges > 0)
    return np.asarray(cheap.sum(axis=-1) > 1)


def _band(score: float, fair_below: float) -> PublishedBand:
    if not 0 <= score <= 1:
        raise ValueError(f"a Brier score lies in [0, 1], not {score}")
    ends = {
        PublishedBand.EXCELLENT: 0.10,
        PublishedBand.GOOD: 0.20,
        PublishedBand.FAIR: fair_below,
        PublishedBand.POOR: 0.40,
    }
    return next((band for band, end in ends.items() if score < end), PublishedBand.VERY_POOR)
