"""Scores compared as if everybody had answered the same questions.

A score is read as contestant + question + noise, and the contestants' parts are estimated
by least squares: who only answered easy questions gains nothing by it. The codes of
contestants and questions are whole numbers; only differences between contestants mean
something, and only between those whom a chain of shared questions connects.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.scoring.table import Floats, Whole
from arena.stats.columns import codes, compact, finite


@dataclass(frozen=True, slots=True, eq=False)
class ScorePanel:
    """Scores of contestants on questions, numbered anew, with what least squares needs.

    `agents` and `questions` are the codes that occur, in order; `agent` and `question` say
    where in them a row stands. `times` (agents, questions) counts rows, `sums` adds up their
    scores. `group` numbers the connected contestants: those of different groups cannot be
    compared.
    """

    agents: Whole
    questions: Whole
    agent: Whole
    question: Whole
    score: Floats
    times: Floats
    sums: Floats
    group: Whole

    @property
    def groups(self) -> int:
        """How many groups of connected contestants there are; in one, all can be compared."""
        return int(self.group.max()) + 1 if len(self.group) else 0


@dataclass(frozen=True, slots=True, eq=False)
class TwoWay:
    """Effects of contestants and of questions; `effect` + `difficulty` is what is expected.

    An effect is the mean score that is expected on all questions of the contestant's connected
    group, so difficulties have mean 0 in each. `raw` is the plain mean score. `df` counts the
    degrees of freedom: 0 where the effects explain everything, and no error can be given.
    """

    panel: ScorePanel
    effect: Floats
    difficulty: Floats
    raw: Floats
    df: int


def panel(agent: ArrayLike, question: ArrayLike, score: ArrayLike) -> ScorePanel:
    """Line up scores, one a row: whose, on which question. A pair may have several.

    Raises:
        ValueError: Columns of different lengths, a code that is negative or not whole, or a
            score that is not finite.
    """
    scores = finite(score, "scores")
    agents, who = _numbered(agent, len(scores), "agents")
    questions, which = _numbered(question, len(scores), "questions")
    shape = (len(agents), len(questions))
    cell, cells = who * shape[1] + which, shape[0] * shape[1]
    times = np.bincount(cell, minlength=cells).reshape(shape).astype(np.float64)
    sums = np.asarray(np.bincount(cell, scores, cells), np.float64).reshape(shape)
    return ScorePanel(agents, questions, who, which, scores, times, sums, _groups(times))


def two_way(panel: ScorePanel) -> TwoWay | None:
    """Fit contestant and question effects by least squares; None for no scores.

    Questions are eliminated first, so that the equations are as many as contestants. A
    question with one score, and a question that one contestant alone answered, say nothing
    about contestants and are kept all the same.

    Source:
        Abowd, Kramarz and Margolis (1999), Econometrica 67, for the model and its connected
        groups; Karger et al. (2025), ForecastBench, ICLR, for its use on Brier scores.

    >>> fit = two_way(panel([0, 0, 1, 1], [0, 1, 1, 2], [0.1, 0.2, 0.1, 0.3]))
    >>> fit.effect.round(6).tolist()
    [0.233333, 0.133333]
    """
    if not len(panel.score):
        return None
    matrix, right = normal_equations(panel)
    joined = (panel.group[:, None] == panel.group).astype(np.float64)
    effect = np.linalg.solve(matrix + joined, right)
    per_question = panel.times.sum(axis=0)
    difficulty = (panel.sums.sum(axis=0) - effect @ panel.times) / per_question
    question_group = panel.group[panel.times.argmax(axis=0)]
    shift = np.bincount(question_group, difficulty) / np.bincount(question_group)
    parameters = len(effect) + len(difficulty) - panel.groups
    return TwoWay(
        panel,
        effect + shift[panel.group],
        difficulty - shift[question_group],
        panel.sums.sum(axis=1) / panel.times.sum(axis=1),
        len(panel.score) - parameters,
    )


def normal_equations(panel: ScorePanel) -> tuple[Floats, Floats]:
    """What contestants' effects x solve after questions are eliminated: matrix x = right.

    The matrix is singular: effects are free to move together in every connected group.
    """
    number = panel.times.sum(axis=0)
    matrix = np.diag(panel.times.sum(axis=1)) - (panel.times / number) @ panel.times.T
    mean = panel.sums.sum(axis=0) / number
    return matrix, panel.sums.sum(axis=1) - panel.times @ mean


def effect_covariance(fit: TwoWay, cluster: ArrayLike | None = None) -> Floats | None:
    """Covariance of the effects less the first one's in their group, (agents, agents).

    Noise may depend on other noise of its cluster; the factor HC1 corrects for a small number
    of clusters and of rows. The variance of a difference is V[i, i] + V[j, j] - 2 V[i, j].
    None where rows or clusters are too few.

    Args:
        fit: The effects.
        cluster: Codes of the rows' clusters, (n,); questions if not given. Events are the
            better choice where questions share their news.

    Raises:
        ValueError: A cluster code is negative or not whole, or there is not one a row.

    Source:
        Liang and Zeger (1986), Biometrika 73; Zeileis, Koell and Graham (2020), Journal of
        Statistical Software 95, for the factors.
    """
    panel = fit.panel
    matrix, _ = normal_equations(panel)
    free = np.ones(len(fit.effect), dtype=np.bool_)
    free[np.unique(panel.group, return_index=True)[1]] = False
    bread = np.zeros_like(matrix)
    bread[np.ix_(free, free)] = np.linalg.inv(matrix[np.ix_(free, free)])
    pulls = _pulls(fit, cluster)
    n, groups = len(panel.score), len(pulls)
    if groups <= 1 or fit.df <= 0:
        return None
    covariance = bread @ (pulls.T @ pulls) @ bread
    small = groups / (groups - 1) * (n - 1) / fit.df
    return np.asarray(covariance * small)


def _pulls(fit: TwoWay, cluster: ArrayLike | None) -> Floats:
    """Summed residuals times centred dummies, by cluster and contestant."""
    panel = fit.panel
    (width, questions), n = panel.times.shape, len(panel.score)
    given = panel.question if cluster is None else codes(cluster, n, "clusters")
    names, which = compact(given)
    residual = panel.score - fit.effect[panel.agent] - fit.difficulty[panel.question]
    cells = len(names) * width
    own = np.bincount(which * width + panel.agent, weights=residual, minlength=cells)
    met, pair = compact(which * questions + panel.question)
    left = np.bincount(pair, weights=residual)
    shares = panel.times / panel.times.sum(axis=0)
    home, on = np.divmod(met, questions)
    centre = [np.bincount(home, left * share[on], minlength=len(names)) for share in shares]
    return np.asarray(own.reshape(len(names), width) - np.column_stack(centre))


def _numbered(given: ArrayLike, n: int, name: str) -> tuple[Whole, Whole]:
    codes(given, n, name)
    if n == 0:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    labels, place = np.unique(np.asarray(given), return_inverse=True)
    return labels.astype(np.intp), place.astype(np.intp)


def _groups(times: Floats) -> Whole:
    """Number the groups of contestants whom chains of shared questions connect."""
    meet = times @ times.T > 0
    group = np.full(len(times), -1, dtype=np.intp)
    for start in range(len(times)):
        if group[start] >= 0:
            continue
        reached = meet[start]
        while not np.array_equal(wider := meet[reached].any(axis=0), reached):
            reached = wider
        group[reached] = group.max() + 1
    return group


REPLICATES: Final = 1000
CHUNK: Final = 4096
SINGULAR: Final = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Replicates:
    """Effects of contestants in each replicate, (replicates, agents), of mean 0 in a group.

    `dropped` counts the replicates that lost the questions which connect a group, and are
    not among the rows: contestants cannot be compared in them.
    """

    effects: Floats
    dropped: int


def bootstrap_effects(
    panel: ScorePanel, event: ArrayLike, rng: np.random.Generator, replicates: int = REPLICATES
) -> Replicates:
    """Resample whole events with replacement and fit all effects anew.

    Args:
        panel: The scores.
        event: The event of each row, whole numbers from 0, (n,); a question has one event.
        rng: Where the draws come from.
        replicates: How many.

    Raises:
        ValueError: A bad code, a question of two events, or no replicate.
    """
    if replicates < 1:
        raise ValueError(f"there is at least one replicate, not {replicates}")
    given = codes(event, len(panel.score))
    number = int(given.max()) + 1 if len(given) else 0
    there = np.unique(given)
    drawn = rng.integers(len(there), size=(replicates, len(there))) if len(there) else there
    place = np.repeat(np.arange(replicates), len(there)) * number
    cells = place + there[drawn].ravel() if len(there) else place
    weights = np.bincount(cells, minlength=replicates * number)
    return weighted_effects(panel, given, weights.reshape(replicates, number))


def weighted_effects(panel: ScorePanel, event: ArrayLike, weights: ArrayLike) -> Replicates:
    """Fit effects with each event counted as often as a row of weights says.

    Weights multiply whole questions, so that the equations of a replicate are a weighted sum
    of what each question puts into them: one matrix product serves all replicates.

    Args:
        panel: The scores.
        event: The event of each row, whole numbers from 0, (n,); a question has one event.
        weights: How often each event counts, 0 or more, (replicates, events).

    Raises:
        ValueError: A bad code or weight, or a question of two events.
    """
    of_question = _event_of_question(panel, codes(event, len(panel.score)))
    given = np.asarray(weights, dtype=np.float64)
    if given.ndim != 2 or (len(of_question) and given.shape[1] <= of_question.max()):  # noqa: PLR2004  a row a replicate
        raise ValueError("weights have a row a replicate and a column an event")
    if not np.isfinite(given).all() or np.any(given < 0):
        raise ValueError("a weight is 0 or more")
    size = len(panel.agents)
    first, second = np.triu_indices(size)
    matrices = np.zeros((len(given), size, size))
    halves, right = np.zeros((len(given), len(first))), np.zeros((len(given), size))
    for start in range(0, len(of_question), CHUNK):
        part = slice(start, start + CHUNK)
        weight = given[:, of_question[part]]
        times, sums = panel.times[:, part], panel.sums[:, part]
        number = times.sum(axis=0)
        shares = times / number
        pieces = -times[first] * shares[second]
        pieces[first == second] += times
        halves += weight @ pieces.T
        right += weight @ (sums - times * (sums.sum(axis=0) / number)).T
    matrices[:, first, second] = halves
    matrices[:, second, first] = halves
    return _solved(matrices, right, panel)


def _solved(matrices: Floats, right: Floats, panel: ScorePanel) -> Replicates:
    joined = (panel.group[:, None] == panel.group).astype(np.float64)
    if not right.size:
        return Replicates(right, 0)
    scale = np.maximum(np.trace(matrices, axis1=1, axis2=2) / len(joined), SINGULAR)
    full = matrices / scale[:, None, None] + joined
    connected = np.linalg.eigvalsh(full)[:, 0] > SINGULAR
    effects = np.linalg.solve(full[connected], (right / scale[:, None])[connected, :, None])
    return Replicates(effects[:, :, 0], int(np.count_nonzero(~connected)))


def _event_of_question(panel: ScorePanel, event: Whole) -> Whole:
    of_question = np.zeros(len(panel.questions), dtype=np.intp)
    of_question[panel.question] = event
    if np.any(of_question[panel.question] != event):
        raise ValueError("a question belongs to one event")
    return of_question
