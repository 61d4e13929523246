"""Scores of one forecast at one instant against a baseline, its peers or the community.

Higher is better in this module. Every function takes single numbers or arrays, whose shapes
broadcast, and answers in that shape. What is scored is what the forecast said of the outcome
that came true: `on_outcome` reads it from a yes/no forecast, `on_option` from a forecast over
options. The scores are those of Metaculus, as its scores FAQ and its open source have them.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.scoring.table import Floats

Bounds = tuple[float, float]

METACULUS: Final[Bounds] = (0.001, 0.999)  # no forecast is surer than this
OPEN_BOUND: Final = 0.05  # what the baseline puts beyond an open bound
BUCKETS: Final = 200  # in the range of a numeric question


class Logarithm(StrEnum):
    """In which base a relative score counts: bits on today's platform, nats in 2022."""

    TWO = "log2"
    NATURAL = "ln"


_LOG: dict[Logarithm, Callable[[Floats], Floats]] = {
    Logarithm.TWO: np.log2,
    Logarithm.NATURAL: np.log,
}


def confine(p: ArrayLike, bounds: Bounds | None = METACULUS) -> Floats:
    """Move a forecast to the nearest that is allowed; without bounds, leave it.

    Raises:
        ValueError: A value is NaN or outside [0, 1]; without bounds, also 0, which has no
            logarithm.

    >>> confine(1.0).item()
    0.999
    """
    probabilities = np.asarray(p, dtype=np.float64)
    if not np.all((probabilities >= 0) & (probabilities <= 1)):
        raise ValueError("a probability lies in [0, 1]")
    if bounds is None:
        return _positive(probabilities)
    return np.clip(probabilities, *bounds)


def on_outcome(p: ArrayLike, outcome: ArrayLike) -> Floats:
    """What a forecast of YES says of the outcome: p for 1, 1 - p for 0.

    Raises:
        ValueError: A probability outside [0, 1], or an outcome other than 0 and 1.
    """
    probabilities, truth = np.asarray(p, dtype=np.float64), np.asarray(outcome)
    if not np.all((probabilities >= 0) & (probabilities <= 1)):
        raise ValueError("a probability lies in [0, 1]")
    if not np.all((truth == 0) | (truth == 1)):
        raise ValueError("an outcome is 0 or 1")
    return np.where(truth == 1, probabilities, 1 - probabilities)


def on_option(options: ArrayLike, outcome: ArrayLike) -> Floats:
    """What forecasts over K options say of the option that came true.

    An option that did not exist yet is NaN, and is read as the last option, "Other".

    Args:
        options: (..., K) probabilities, the last of them of "Other" where NaN occurs.
        outcome: (...) the number of the option that came true, from 0.

    Raises:
        ValueError: No such option, or neither it nor the last option has a probability.
    """
    probabilities = np.asarray(options, dtype=np.float64)
    truth = np.asarray(outcome)
    if not np.all((truth >= 0) & (truth < probabilities.shape[-1]) & (truth % 1 == 0)):
        raise ValueError(f"an outcome is one of the {probabilities.shape[-1]} options, from 0")
    wanted = np.broadcast_to(truth.astype(np.intp), probabilities.shape[:-1])[..., None]
    likelihoods = np.take_along_axis(probabilities, wanted, axis=-1)[..., 0]
    filled = np.where(np.isnan(likelihoods), probabilities[..., -1], likelihoods)
    if not np.all((filled >= 0) & (filled <= 1)):
        raise ValueError("a probability lies in [0, 1]")
    return filled


def baseline(p: ArrayLike, options: ArrayLike = 2) -> Floats:
    """How far a forecast beats equal chances: 0 at 1/N, +100 for a certain hit.

    For a yes/no question it is 100 (log2 p + 1).

    Args:
        p: What was said of the outcome that came true.
        options: How many options the question had at that time, at least 2.

    Raises:
        ValueError: Fewer than two options, or see `confine`.

    >>> baseline([0.5, 0.8, 0.2]).round(4).tolist()
    [0.0, 67.8072, -132.1928]
    """
    n = np.asarray(options, dtype=np.float64)
    if not np.all((n >= 2) & np.isfinite(n)):  # noqa: PLR2004  a question has two sides
        raise ValueError("a question has at least two options")
    return 100 * np.log(n * confine(p)) / np.log(n)


def baseline_density(height: ArrayLike, open_bounds: ArrayLike = 0) -> Floats:
    """A numeric forecast against a flat density: 50 ln(height / base).

    Heights are over the question's range taken as [0, 1]. The base is 1, less 0.05 for each
    open bound.

    Args:
        height: The forecast's density at the value that came true.
        open_bounds: How many ends of the range are open: 0, 1 or 2.

    Raises:
        ValueError: A height is not a positive number, or a range has other than two ends.

    >>> baseline_density([1.0, 35.0, 0.01]).round(4).tolist()
    [0.0, 177.7674, -230.2585]
    """
    base = 1 - OPEN_BOUND * _ends(open_bounds)
    return 50 * np.log(_positive(np.asarray(height, dtype=np.float64)) / base)


def baseline_bucket(
    p: ArrayLike, *, inside: ArrayLike, open_bounds: ArrayLike = 0, buckets: int = BUCKETS
) -> Floats:
    """A numeric forecast against equal buckets: 50 ln(p / base).

    The base is (1 - 0.05 open bounds) / buckets for a bucket of the range, and 0.05 for what
    lies beyond an open bound.

    Args:
        p: What the forecast gave to the bucket that came true.
        inside: Whether that bucket is in the range.
        open_bounds: How many ends of the range are open: 0, 1 or 2.
        buckets: How many buckets the range has.

    Raises:
        ValueError: A probability is not in (0, 1], there is no bucket, a range has other
            than two ends, or the outcome lies beyond a closed bound.
    """
    ends, within = _ends(open_bounds), np.asarray(inside, dtype=np.bool_)
    if buckets < 1:
        raise ValueError("a range has at least one bucket")
    if not np.all(within | (ends > 0)):
        raise ValueError("nothing lies beyond a closed bound")
    base = np.where(within, (1 - OPEN_BOUND * ends) / buckets, OPEN_BOUND)
    return 50 * np.log(confine(p, bounds=None) / base)


def peer(p: ArrayLike, *, present: ArrayLike | None = None, continuous: bool = False) -> Floats:
    """How far each forecaster beats the others' mean log score, times 100.

    Equal to 100 N / (N - 1) ln(p / geometric mean of all); sums to 0 over the forecasters.
    A lone forecaster scores 0, and so does one without a standing forecast.

    Args:
        p: (..., N) what each of N forecasters said of the outcome that came true.
        present: (..., N) who has a standing forecast; all, if not said.
        continuous: `p` are densities or buckets of a numeric question: the score is halved
            and nothing is confined.

    Raises:
        ValueError: See `confine`; a density is not a positive number.

    >>> peer([0.1, 0.5, 0.9]).round(4).tolist()
    [-190.3331, 51.0826, 139.2506]
    """
    likelihoods = np.asarray(p, dtype=np.float64)
    here = np.broadcast_to(True if present is None else present, likelihoods.shape)
    filled = np.where(here, likelihoods, 1.0)
    logs = np.log(_positive(filled) if continuous else confine(filled))
    return (50 if continuous else 100) * peer_of_logs(logs, present=here)


def peer_of_logs(logs: ArrayLike, *, present: ArrayLike | None = None) -> Floats:
    """Each log score less the mean of the others': 0 for one alone, and for who is not there.

    Args:
        logs: (..., N) positively oriented log scores of N forecasters at one instant.
        present: (..., N) who has a standing forecast; all, if not said.

    Raises:
        ValueError: The log score of somebody present is not finite.

    >>> peer_of_logs([-1, 1, 2]).tolist()
    [-2.5, 0.5, 2.0]
    """
    scores = np.asarray(logs, dtype=np.float64)
    here = np.broadcast_to(True if present is None else present, scores.shape)
    counted = np.where(here, scores, 0.0)
    if not np.all(np.isfinite(counted)):
        raise ValueError("a log score is a finite number")
    n = here.sum(axis=-1, keepdims=True)
    others = (counted.sum(axis=-1, keepdims=True) - counted) / np.maximum(n - 1, 1)
    return np.where(here & (n > 1), counted - others, 0.0)


def peer_of_aggregate(
    p: ArrayLike, forecasters: ArrayLike, *, continuous: bool = False
) -> Floats:
    """What an aggregate that is none of the N forecasters scores against them.

    100 N / (N - 1) ln(p / geometric mean of the N): the factor of a forecaster, by
    convention, although the aggregate is not among them. 0 with fewer than two forecasters.

    Args:
        p: (...) what the aggregate said of the outcome that came true.
        forecasters: (..., N) what each forecaster said.
        continuous: As for `peer`.

    Raises:
        ValueError: See `peer`.
    """
    others = np.asarray(forecasters, dtype=np.float64)
    n = others.shape[-1]
    own = np.asarray(p, dtype=np.float64)
    if n < 2:  # noqa: PLR2004  nobody to be compared with
        return np.zeros(own.shape)
    logs = [np.log(_positive(v) if continuous else confine(v)) for v in (own, others)]
    gap = logs[0] - logs[1].mean(axis=-1)
    return np.asarray((50 if continuous else 100) * n / (n - 1) * gap)


def relative(
    p: ArrayLike,
    community: ArrayLike,
    *,
    base: Logarithm = Logarithm.NATURAL,
    continuous: bool = False,
    bounds: Bounds | None = METACULUS,
) -> Floats:
    """The logarithm of a forecast over the community's: 0 for who says the same.

    Args:
        p: What the forecast said of the outcome that came true.
        community: What the community's median said of it.
        base: Natural in the rules of 2022; base 2 in the platform's legacy score.
        continuous: Both are densities: nothing is confined.
        bounds: Where probabilities are confined to; None takes them as they are.

    Raises:
        ValueError: See `confine`; a density is not a positive number.

    Source:
        Metaculus, tournament scoring rules (2022).

    >>> relative(0.8, 0.4, base=Logarithm.TWO).item()
    1.0
    """
    log = _LOG[base]
    own, theirs = (np.asarray(v, dtype=np.float64) for v in (p, community))
    if continuous:
        return np.asarray(log(_positive(own) / _positive(theirs)))
    return log(confine(own, bounds) / confine(theirs, bounds))


def _positive(values: Floats) -> Floats:
    if not np.all((values > 0) & np.isfinite(values)):
        raise ValueError("what has a logarithm is a positive, finite number")
    return values


def _ends(open_bounds: ArrayLike) -> Floats:
    ends = np.asarray(open_bounds, dtype=np.float64)
    if not np.all((ends == 0) | (ends == 1) | (ends == 2)):  # noqa: PLR2004  low and high
        raise ValueError("a range has 0, 1 or 2 open bounds")
    return ends
