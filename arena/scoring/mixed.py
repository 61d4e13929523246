"""Contestants and questions as random draws: effects shrunk by how little was seen."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.records.estimate import State
from arena.scoring.difficulty import Panel
from arena.scoring.table import Floats

TIGHT: Final = 1e-11
STEPS: Final = 4000
ENOUGH: Final = 3


@dataclass(frozen=True, slots=True)
class Variances:
    """How much contestants, questions and single answers vary."""

    agent: float
    question: float
    residual: float

    def __post_init__(self) -> None:
        """Refuse what is no variance, and a residual variance of 0."""
        found = (self.agent, self.question, self.residual)
        if not (np.isfinite(found).all() and min(found) >= 0 and self.residual > 0):
            raise ValueError(f"variances are 0 or more, and the residual's is positive: {self}")


@dataclass(frozen=True, slots=True, eq=False)
class Shrunken:
    """Best linear unbiased predictions of the effects of contestants and of questions.

    `effect` says how far a contestant is from the average one, `sd` its standard deviation
    given the intercept and the variances, and `full_sd` with the intercept's own error.
    """

    intercept: float
    intercept_se: float
    effect: Floats
    sd: Floats
    full_sd: Floats
    difficulty: Floats
    variances: Variances


@dataclass(frozen=True, slots=True)
class Reml:
    """Variances that are likeliest given the scores, and the criterion that they minimise.

    `criterion` is minus twice the restricted log likelihood. `state` is TOO_FEW for fewer
    than three scores and DEGENERATE for scores that are all alike; `variances` is None then.
    """

    variances: Variances | None
    criterion: float | None
    state: State


def predict(found: Panel, variances: Variances) -> Shrunken | None:
    """Shrink contestants' effects towards 0 by the variances given; None for no scores.

    A contestant with few scores, or lucky ones, moves less than by least squares.

    Source:
        Henderson (1975), Biometrics 31.
    """
    if not len(found.score):
        return None
    ratio = variances.question / variances.residual
    cross = _cross_products(found, ratio)
    share = variances.agent / variances.residual
    size = len(found.agents)
    root = np.ones(1 + size)
    root[1:] = np.sqrt(share)
    system = cross[: 1 + size, : 1 + size] * np.outer(root, root)
    system[1:, 1:] += np.eye(size)
    solved = root * np.linalg.solve(system, root * cross[: 1 + size, -1])
    inverse = np.linalg.inv(system) * np.outer(root, root)
    given = np.linalg.inv(system[1:, 1:]) * share
    intercept, effect = float(solved[0]), solved[1:]
    number = found.times.sum(axis=0)
    left = found.sums.sum(axis=0) - number * intercept - effect @ found.times
    return Shrunken(
        intercept,
        float(np.sqrt(variances.residual * inverse[0, 0])),
        effect,
        np.sqrt(variances.residual * np.diag(given)),
        np.sqrt(variances.residual * np.diag(inverse)[1:]),
        ratio * left / (1 + ratio * number),
        variances,
    )


def reml(found: Panel) -> Reml:
    """Estimate the variances by restricted maximum likelihood.

    A variance may come out as 0: contestants, or questions, then differ no more than noise.

    Source:
        Patterson and Thompson (1971), Biometrika 58; Bates, Maechler, Bolker and Walker
        (2015), Journal of Statistical Software 67, for the criterion and its profile.
    """
    if len(found.score) < ENOUGH:
        return Reml(None, None, State.TOO_FEW)
    if np.ptp(found.score) <= TIGHT * max(1.0, float(np.abs(found.score).max())):
        return Reml(None, None, State.DEGENERATE)
    from scipy.optimize import minimize  # noqa: PLC0415  slow to import, and needed only here

    def criterion(theta: Floats) -> float:
        return _profile(found, float(theta[0]), float(theta[1]))[0]

    best = min(
        (
            minimize(
                criterion,
                start,
                method="Nelder-Mead",
                bounds=((0, None), (0, None)),
                options={"xatol": TIGHT, "fatol": TIGHT, "maxiter": STEPS},
            )
            for start in ((1.0, 1.0), (0.1, 0.1))
        ),
        key=lambda tried: float(tried.fun),
    )
    agent, question = (float(value) for value in best.x)
    value, residual = _profile(found, agent, question)
    return Reml(
        Variances(agent**2 * residual, question**2 * residual, residual), value, State.OK
    )


def _cross_products(found: Panel, ratio: float) -> Floats:
    """Products of (1, contestant dummies, scores) under the inverse of the questions' part.

    (agents + 2, agents + 2); `ratio` is the variance of questions over the residual one.
    """
    per_agent, per_question = found.times.sum(axis=1), found.times.sum(axis=0)
    size = len(per_agent)
    plain = np.empty((size + 2, size + 2))
    plain[0, 0], plain[-1, -1] = len(found.score), found.score @ found.score
    plain[0, 1:-1] = plain[1:-1, 0] = per_agent
    plain[0, -1] = plain[-1, 0] = found.score.sum()
    plain[1:-1, 1:-1] = np.diag(per_agent)
    plain[1:-1, -1] = plain[-1, 1:-1] = found.sums.sum(axis=1)
    totals = np.vstack((per_question, found.times, found.sums.sum(axis=0)))
    return np.asarray(plain - (totals * (ratio / (1 + ratio * per_question))) @ totals.T)


def _profile(found: Panel, agent: float, question: float) -> tuple[float, float]:
    """The restricted criterion at relative standard deviations, and its residual variance."""
    ratio, size, n = question**2, len(found.agents), len(found.score)
    cross = _cross_products(found, ratio)
    within = np.eye(size) + agent**2 * cross[1:-1, 1:-1]
    ends = cross[np.ix_((0, -1), range(1, size + 1))]
    outer = cross[np.ix_((0, -1), (0, -1))]
    outer = outer - agent**2 * ends @ np.linalg.solve(within, ends.T)
    squares = outer[1, 1] - outer[0, 1] ** 2 / outer[0, 0]
    if squares <= 0:
        return np.inf, 0.0
    logs = np.linalg.slogdet(within)[1] + np.log1p(ratio * found.times.sum(axis=0)).sum()
    spread = (n - 1) * (1 + np.log(2 * np.pi * squares / (n - 1)))
    return float(logs + np.log(outer[0, 0]) + spread), float(squares / (n - 1))
