"""Recalibration: curves from stated probabilities to the frequencies of past outcomes."""

from collections.abc import Callable, Sequence
from enum import StrEnum

import numpy as np

from arena.agents.samples import CLIP
from arena.records.estimate import State
from arena.scoring.calibration.corp import corp
from arena.stats.regression.logit import Design, Floats, fit, log_odds

ENOUGH = 30

Curve = Callable[[float], float]


class RecalibrationMethod(StrEnum):
    """The method by which probabilities are recalibrated to outcomes."""

    PLATT = "platt"
    ISOTONIC = "isotonic"


def recalibration(
    past: Sequence[tuple[float, float]], method: RecalibrationMethod
) -> Curve | None:
    """Fit a curve from stated to recalibrated probabilities.

    Args:
        past: What was stated and what came true, 0 or 1, of resolved markets.
        method: PLATT fits an intercept and a slope in log-odds, to outcomes that are drawn in
            from 0 and 1 as far as their number deserves; what it gives lies in [0.001, 0.999].
            ISOTONIC fits the rising frequencies, with straight lines between them; of n
            forecasts it makes nothing surer than 1/(n + 2) away from 0 and 1, which is what n
            failures in a row would show.

    Returns:
        The curve, or None where the past cannot show one: it is empty, or PLATT has only
        forecasts of one probability.

    Source:
        Platt (1999), Probabilistic outputs for support vector machines; Zadrozny and Elkan
        (2002), KDD 8, for isotonic regression; Laplace's rule of succession.
    """
    if not past:
        return None
    stated, came = np.array(sorted(past)).T  # one order, so one result to the last bit
    return (
        _platt(stated, came) if method is RecalibrationMethod.PLATT else _isotonic(stated, came)
    )


def _platt(stated: Floats, came: Floats) -> Curve | None:
    yes = came.sum()
    target = np.where(came == 1, (yes + 1) / (yes + 2), 1 / (len(came) - yes + 2))
    x = np.column_stack((np.ones_like(stated), log_odds(stated, CLIP)))[:, None, :]
    fitted = fit(Design(x, np.zeros((len(x), 1)), target[:, None]))
    if fitted.state is not State.OK:
        return None
    intercept, slope = fitted.beta.tolist()

    def curve(p: float) -> float:
        odds = intercept + slope * log_odds(np.array([p]), CLIP)
        return _within(float(1 / (1 + np.exp(-np.clip(odds, -700, 700)))[0]), CLIP)

    return curve


def _isotonic(stated: Floats, came: Floats) -> Curve:
    frequencies = corp(stated, came).curve
    least = 1 / (len(stated) + 2)
    return lambda p: _within(frequencies.interpolated([p]).item(), least)


def _within(p: float, least: float) -> float:
    return min(max(p, least), 1 - least)
