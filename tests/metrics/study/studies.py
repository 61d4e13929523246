"""Small studies: forecasts of models over options, with quotes where a test gives some."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arena.metrics.study.protocol import (
    BootstrapPlan,
    ClosingPlan,
    EfficiencyPlan,
    GateColumns,
    StudyForecasts,
    StudyLosses,
    StudyProtocol,
    StudyScore,
)
from arena.metrics.study.report import NumberPair
from arena.scoring.table import Factor, Floats

QUICK = StudyProtocol(
    champion="star",
    baseline="base",
    market="market",
    bootstrap=BootstrapPlan(draws=200),
    efficiency=EfficiencyPlan(replicates=19),
    closing=ClosingPlan(draws=200),
)
OPTIONS = {2: ("no", "yes"), 3: ("home", "draw", "away")}


def quick(options: int = 3, **changes: Any) -> StudyProtocol:  # noqa: ANN401  any of its fields
    """The protocol with few draws, for so many options."""
    named = OPTIONS[options]
    return replace(QUICK, options=named, reference=named[1], **changes)


def study_of(
    p: Mapping[str, ArrayLike],
    outcome: Sequence[int],
    **columns: Any,  # noqa: ANN401  columns
) -> StudyForecasts:
    """Forecasts of models, (n, K) each; every question is an event of its own."""
    table = np.array([np.asarray(rows, np.float64) for rows in p.values()])
    _, n, k = table.shape
    nothing = np.full((n, k), np.nan)
    never = np.full(n, "NaT", "datetime64[us]")
    blank = StudyForecasts(
        models=tuple(p),
        questions=tuple(f"q{row}" for row in range(n)),
        event=np.arange(n),
        outcome=np.array(outcome),
        p=table,
        opening=nothing,
        closing=nothing,
        host=np.full(n, -1),
        stake=np.full(table.shape[:2], np.nan),
        backed=np.full(table.shape[:2], -1),
        day=("",) * n,
        gate=GateColumns(nothing, nothing, np.full(n, np.nan), never, never, (None,) * n),
    )
    return replace(blank, **columns)


def losing(score: StudyScore, **terms: Sequence[float]) -> StudyLosses:
    """Losses as they are given, a row a model."""
    return StudyLosses(tuple(terms), {score: np.array(list(terms.values()), np.float64)})


def even(models: Sequence[str], n: int, k: int = 3) -> StudyForecasts:
    """Models that give every option the same; only their losses are looked at."""
    return study_of({m: np.full((n, k), 1 / k) for m in models}, [0] * n)


def factor(*names: str) -> Factor:
    """A column of names."""
    known = tuple(dict.fromkeys(names))
    return Factor(known, np.array([known.index(name) for name in names]))


def betting(
    q_open: Sequence[float], q_close: Sequence[float], p: float = 0.9
) -> StudyForecasts:
    """Bets of one unit on the first of two options, at these fair prices."""
    n = len(q_open)
    return study_of(
        {"star": np.tile([p, 1 - p], (n, 1))},
        [0] * n,
        opening=two(q_open),
        closing=two(q_close),
        stake=np.ones((1, n)),
        backed=np.zeros((1, n), np.intp),
    )


def two(first: Sequence[float]) -> Floats:
    """Prices of two options, of which the first are given."""
    return np.column_stack([np.array(first), 1 - np.array(first)])


def pair(numbers: Sequence[NumberPair], name: str) -> Any:  # noqa: ANN401  see below
    """A number as published and as right, each a float or None; compared with `approx`."""
    (found,) = (each for each in numbers if each.name == name)
    return found.published, found.right
