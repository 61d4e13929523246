"""Logit models of which of K outcomes comes, fitted by maximum likelihood.

Every model here is one design: `x[i, k]` holds the regressors of outcome k's log odds against
a reference outcome, k = 1..K-1, so that these are `offset[i, k] + x[i, k] @ beta`. A
regressor may serve one outcome or several.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.records.estimate import State
from arena.stats.columns import Floats, Whole

STEPS: Final = 100
SMALL_STEP: Final = 1e-13
FLAT: Final = 1e-9
COLLINEAR: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """A model to fit: regressors (n, K-1, m), offsets (n, K-1) and which outcome came.

    `came` (n, K-1) has a 1 at the outcome, or a row of zeros for the reference.
    """

    x: Floats
    offset: Floats
    came: Floats

    def __len__(self) -> int:
        """How many questions there are."""
        return len(self.x)

    def only(self, parameters: Whole) -> "Design":
        """The same outcomes explained by some of the parameters."""
        return Design(self.x[:, :, parameters], self.offset, self.came)


@dataclass(frozen=True, slots=True, eq=False)
class LogitFit:
    """A fitted model: m parameters, their information matrix, and each row's residuals.

    `state` is OK; NOT_ESTIMABLE if an outcome never came or the data are separated, so that
    the best parameters are infinite; DEGENERATE if the regressors are collinear, of a `rank`
    below m. In the last two cases `loglik` is still the best there is.
    """

    beta: Floats
    loglik: float
    information: Floats
    residual: Floats
    fitted: Floats
    rank: int
    state: State

    @property
    def covariance(self) -> Floats:
        """The inverse of the information matrix."""
        return np.asarray(np.linalg.inv(self.information), np.float64)


def log_odds(p: Floats, clip: float) -> Floats:
    """Log odds ln p/(1 - p), with p first moved into [clip, 1 - clip].

    >>> log_odds(np.array([0.5, 0.0]), 1e-6).round(4).tolist()
    [0.0, -13.8155]
    """
    inside = np.clip(p, clip, 1 - clip)
    odds: Floats = np.log(inside / (1 - inside))
    return odds


def own_parameters(blocks: list[Floats]) -> Floats:
    """A design in which each outcome has its own regressors and parameters.

    Args:
        blocks: One (n, m_k) a non-reference outcome.

    Returns:
        (n, K-1, sum of m_k), the parameters of the first outcome first.
    """
    n, width = len(blocks[0]), sum(b.shape[1] for b in blocks)
    x = np.zeros((n, len(blocks), width))
    start = 0
    for k, block in enumerate(blocks):
        x[:, k, start : start + block.shape[1]] = block
        start += block.shape[1]
    return x


def indicators(outcome: Whole, others: list[int]) -> Floats:
    """(n, K-1) with a 1 where the outcome is that one of the non-reference outcomes."""
    return np.asarray(outcome[:, None] == np.array(others), np.float64)


def likelihood(design: Design, beta: Floats) -> tuple[float, Floats]:
    """Log likelihood at given parameters, and the probabilities (n, K-1) there."""
    utility = design.offset + (design.x.reshape(-1, len(beta)) @ beta).reshape(
        design.came.shape
    )
    top = np.maximum(utility.max(axis=1, initial=0.0), 0.0)
    odds = np.exp(utility - top[:, None])
    total = odds.sum(axis=1) + np.exp(-top)
    loglik = float((design.came * utility).sum() - (top + np.log(total)).sum())
    return loglik, odds / total[:, None]


def fit(design: Design) -> LogitFit:
    """Maximise the likelihood by Newton's method with halved steps.

    Source:
        McFadden (1974), Conditional logit analysis of qualitative choice behavior.
    """
    m = design.x.shape[2]
    rows = design.x.reshape(-1, m)
    gram = rows.T @ rows
    rank = int((np.linalg.eigvalsh(_unit_scaled(gram)) > COLLINEAR).sum())
    beta = np.zeros(m)
    loglik, fitted = likelihood(design, beta)
    for _ in range(STEPS):
        score = rows.T @ (design.came - fitted).ravel()
        step = _solved(_information(design.x, fitted), score)
        gain = float(score @ step)
        beta, loglik, fitted = _line_search(design, beta, step, loglik)
        if gain <= SMALL_STEP * max(1.0, abs(loglik)):
            break
    information = _information(design.x, fitted)
    state = State.DEGENERATE if rank < m else State.OK
    if _runs_away(information, gram):
        state = State.NOT_ESTIMABLE
    return LogitFit(beta, loglik, information, design.came - fitted, fitted, rank, state)


def _information(x: Floats, fitted: Floats) -> Floats:
    """Sum over rows of sum_k f_k x_k x_k' - (sum_k f_k x_k)(sum_k f_k x_k)'."""
    rows = x.reshape(-1, x.shape[2])
    weighted = fitted.reshape(-1, 1) * rows
    mean = weighted[:: x.shape[1]].copy()
    for k in range(1, x.shape[1]):
        mean += weighted[k :: x.shape[1]]
    information: Floats = rows.T @ weighted - mean.T @ mean
    return information


def _line_search(
    design: Design, beta: Floats, step: Floats, loglik: float
) -> tuple[Floats, float, Floats]:
    """Halve the step until it does not lower the likelihood."""
    share = 1.0
    while True:
        tried = beta + share * step
        reached, fitted = likelihood(design, tried)
        if reached >= loglik - 1e-12 * max(1.0, abs(loglik)) or share < 1e-6:  # noqa: PLR2004
            return tried, reached, fitted
        share /= 2


def _solved(information: Floats, score: Floats) -> Floats:
    """The Newton step; the shortest one where the information is singular."""
    scale = np.sqrt(np.maximum(np.diag(information), np.finfo(float).tiny))
    even = information / np.outer(scale, scale)
    step: Floats = np.linalg.lstsq(even, score / scale, rcond=1e-13)[0] / scale
    return step


def _unit_scaled(gram: Floats) -> Floats:
    """The Gram matrix with every regressor scaled to a sum of squares of one."""
    scale = np.sqrt(np.maximum(np.diag(gram), np.finfo(float).tiny))
    scaled: Floats = gram / np.outer(scale, scale)
    return scaled


def _runs_away(information: Floats, gram: Floats) -> bool:
    """Whether the likelihood is flat along a direction in which the regressors do vary."""
    scale = np.sqrt(np.maximum(np.diag(gram), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(_unit_scaled(gram))
    kept = values > COLLINEAR
    if not kept.any():
        return False
    whitened = vectors[:, kept] / np.sqrt(values[kept]) / scale[:, None]
    return bool(np.linalg.eigvalsh(whitened.T @ information @ whitened)[0] < FLAT)
