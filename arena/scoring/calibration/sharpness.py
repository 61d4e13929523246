"""How bold forecasts are, and how well they tell YES from NO, calibrated or not."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr

from arena.records.estimate import State
from arena.scoring.calibration.corp import levels
from arena.scoring.table import probabilities


@dataclass(frozen=True, slots=True)
class Sharpness:
    """How far forecasts are from saying nothing; the outcomes play no part.

    `variance` is around the mean forecast with divisor n, `distance` the mean of |p - 1/2|,
    `entropy` the mean entropy in nats: 0 for certainty, 0.693 for one half.
    """

    n: int
    variance: float
    distance: float
    entropy: float


@dataclass(frozen=True, slots=True)
class Discrimination:
    """Whether what came true was forecast higher than what did not.

    `auc` is the probability that a YES was forecast above a NO, ties counting half, and
    `mann_whitney` the number of such pairs. `slope` is how much higher the mean forecast was
    when the answer was YES. All but the means of what there was are None while all outcomes
    are alike (`state` is NOT_ESTIMABLE) or there are none (EMPTY).
    """

    n: int
    yes: int
    mean_if_yes: float | None
    mean_if_no: float | None
    slope: float | None
    auc: float | None
    mann_whitney: float | None
    state: State


def sharpness(p: ArrayLike) -> Sharpness | None:
    """Variance, distance from one half and entropy of forecasts; None for none.

    Raises:
        ValueError: A number is no probability.

    Source:
        Gneiting, Balabdaoui and Raftery (2007), Journal of the Royal Statistical Society B 69.
    """
    forecasts = probabilities(p)
    if not len(forecasts):
        return None
    entropy = float(np.mean(entr(forecasts) + entr(1 - forecasts)))
    distance = float(np.mean(np.abs(forecasts - 0.5)))
    return Sharpness(len(forecasts), float(np.var(forecasts)), distance, entropy)


def discrimination(p: ArrayLike, outcome: ArrayLike) -> Discrimination:
    """Area under the ROC curve, Mann-Whitney's count, and the discrimination slope.

    None of them changes if all forecasts are recalibrated by a rising function, but the slope.

    Raises:
        ValueError: A bad forecast or outcome.

    Source:
        Mann and Whitney (1947), Annals of Mathematical Statistics 18; Yates (1982),
        Organizational Behavior and Human Performance 30, for the slope.

    >>> discrimination([0.2, 0.6, 0.6, 0.9], [0, 0, 1, 1]).auc
    0.875
    """
    by_level = levels(p, outcome)
    no = by_level.number - by_level.yes
    many, true = int(by_level.number.sum()), int(by_level.yes.sum())
    if_yes = float(by_level.yes @ by_level.value) / true if true else None
    if_no = float(no @ by_level.value) / (many - true) if many > true else None
    if if_yes is None or if_no is None:
        state = State.NOT_ESTIMABLE if many else State.EMPTY
        return Discrimination(many, true, if_yes, if_no, None, None, None, state)
    below = np.cumsum(no) - no
    above = int(by_level.yes @ (2 * below + no)) / 2
    area = above / (true * (many - true))
    return Discrimination(many, true, if_yes, if_no, if_yes - if_no, area, above, State.OK)
