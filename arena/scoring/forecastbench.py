"""The row of ForecastBench's board: halves of questions, their mean, and the index."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.scoring.proper import brier_index, brier_terms
from arena.scoring.table import Factor, Flags, Forecasts

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
