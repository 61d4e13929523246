"""Tests for few events: signs of whole events flipped, and the wild cluster bootstrap."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.records.estimate import Estimate, Interval, Sided, State, Test
from arena.stats.clusters import Kind, fit
from arena.stats.columns import Floats, codes, finite, level_of, tally
from arena.stats.replicates import beyond
from arena.stats.spread import ROUNDING, no_spread

DRAWS: Final = 9_999
_CLOSE: Final = 1e-10
_STEPS: Final = 60
_FARTHEST: Final = 1e3
_CELLS: Final = 2_000_000


class Points(StrEnum):
    """What the deviation of an event is multiplied by: mean 0, variance 1."""

    RADEMACHER = "Rademacher"  # -1 or 1
    WEBB = "Webb"  # six points, for fewer than some ten events


@dataclass(frozen=True, slots=True)
class Wild:
    """What multiplies, how often, and which departures count.

    All multipliers are listed where they are no more than `draws`.
    """

    points: Points = Points.RADEMACHER
    draws: int = DRAWS
    sided: Sided = Sided.TWO


_VALUES: Final = {
    Points.RADEMACHER: (-1.0, 1.0),
    Points.WEBB: tuple(float(s * np.sqrt(k / 2)) for k in (1, 2, 3) for s in (-1, 1)),
}


def multipliers(
    events: int, draws: int, rng: np.random.Generator, points: Points = Points.RADEMACHER
) -> tuple[Floats, bool]:
    """One multiplier for each event: (B, events), and whether these are all that there are.

    All of them are listed if they are not more than `draws`; else so many are drawn.

    Source:
        Webb (2023), Canadian Journal of Economics 56; Davidson and Flachaire (2008),
        Journal of Econometrics 146.
    """
    values = _VALUES[points]
    if len(values) ** events <= draws:
        return np.array(list(product(values, repeat=events))), True
    return np.asarray(values)[rng.integers(0, len(values), size=(draws, events))], False


def sign_flip(
    differences: ArrayLike,
    rng: np.random.Generator,
    *,
    events: ArrayLike | None = None,
    sided: Sided = Sided.TWO,
    draws: int = DRAWS,
) -> Test:
    """Whether differences are as likely to have the other sign: a randomisation test.

    The signs of whole events are flipped, all rows of one together. It is exact at any
    number of events where each event's sum is symmetric about 0. Up to 13 events every
    assignment of signs is counted; else `draws` are, with the observed one added.

    Args:
        differences: (n,) paired differences.
        rng: Where chance comes from.
        events: (n,) codes of the events; one row each if not given.
        sided: Which departures count.
        draws: How many assignments are drawn.

    Returns:
        The statistic is the sum of the differences. EMPTY for none; SINGLE and without a p
        for one event, whose sign alone says nothing; with all of them 0, p is 1.

    Raises:
        ValueError: A number is not finite, or a code is missing.

    Source:
        Fisher (1935), The Design of Experiments, section 21; Phipson and Smyth (2010),
        Statistical Applications in Genetics and Molecular Biology 9.

    >>> sign_flip([1.0, 2.0, 3.0], np.random.default_rng(0)).p
    0.25
    """
    column = finite(differences, "differences")
    n = column.size
    found = codes(np.arange(n) if events is None else events, n)
    if n == 0:
        return Test("sign-flip", 0, 0, sided=sided, state=State.EMPTY)
    sums, _ = tally(column, found)
    g, total = sums.size, float(sums.sum())
    if g == 1:
        mean = total / n
        return Test("sign-flip", n, 1, mean, statistic=total, sided=sided, state=State.SINGLE)
    exact = 2**g <= draws
    beat, count = 0, 0
    for signs in _signs(g, draws, rng, exact=exact):
        beat += int(np.count_nonzero(beyond(signs @ sums, total, sided)))
        count += len(signs)
    p = beat / count if exact else (beat + 1) / (count + 1)
    name = f"sign-flip over events{', exact' if exact else ''}"
    return Test(name, n, g, total / n, statistic=total, p=p, sided=sided)


def _signs(g: int, draws: int, rng: np.random.Generator, *, exact: bool) -> Iterator[Floats]:
    if exact:
        yield multipliers(g, draws, rng)[0]
        return
    step = max(1, _CELLS // g)
    for start in range(0, draws, step):
        drawn = rng.integers(0, 2, size=(min(step, draws - start), g))
        yield drawn.astype(np.float64) * 2 - 1


class _Draws:
    """Bootstrap t statistics under any null mean, from the same multipliers.

    Multiplied deviations w (S - null W) are linear in the null, and so are the sums that t
    is made of; they are kept, one row a power of the null.
    """

    def __init__(self, sums: Floats, weights: Floats, w: Floats) -> None:
        self.sums, self.weights, self.total = sums, weights, float(weights.sum())
        squares = w**2
        self.shift = w @ sums, w @ weights
        self.cross = w @ (sums * weights), w @ weights**2
        self.square = squares @ sums**2, squares @ (sums * weights), squares @ weights**2

    def extreme(self, null: float, sided: Sided) -> NDArray[np.bool_]:
        """Which draws go at least as far as the sample does when the mean is `null`."""
        u = self.sums - null * self.weights
        shift, cross = float(u.sum()), float(u @ self.weights)
        spread = float(self._spread(np.array([shift]), np.array([cross]), np.array([u @ u]))[0])
        drawn = self.shift[0] - null * self.shift[1]
        drawn_spread = self._spread(
            drawn,
            self.cross[0] - null * self.cross[1],
            self.square[0] - 2 * null * self.square[1] + null**2 * self.square[2],
        )
        reached, needed = drawn * spread, shift * drawn_spread
        room = _CLOSE * max(1.0, float(np.abs(needed).max()), float(np.abs(reached).max()))
        found: NDArray[np.bool_]
        sided = Sided(sided)
        if sided is Sided.TWO:
            found = np.abs(reached) >= np.abs(needed) - room
        elif sided is Sided.GREATER:
            found = reached >= needed - room
        else:
            found = reached <= needed + room
        return found

    def _spread(self, shift: Floats, cross: Floats, square: Floats) -> Floats:
        """The root of the sum of squares about the mean, which stands below each t."""
        move = shift / self.total
        squares = square - 2 * move * cross + move**2 * (self.weights @ self.weights)
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def wild_cluster(
    values: ArrayLike,
    events: ArrayLike,
    rng: np.random.Generator,
    null: float = 0.0,
    wild: Wild = Wild(),
) -> Test:
    """Whether a mean is `null`, for few events: CR1 t statistics of multiplied events.

    The deviations from the null, event by event, are multiplied by random signs (or by
    Webb's points), and the t statistic of the sample is found its place among theirs. With
    G events and signs no p is below 2 ** (1 - G), or half of it for one side.

    Args:
        values: (n,) numbers.
        events: (n,) codes of the events.
        rng: Where chance comes from.
        null: The mean under the null hypothesis, which is imposed.
        wild: The multipliers, and which departures count.

    Returns:
        EMPTY, SINGLE and DEGENERATE as for `clusters.mean_test`.

    Raises:
        ValueError: A number is not finite, or a code is missing.

    Source:
        Cameron, Gelbach and Miller (2008), Review of Economics and Statistics 90.
    """
    column = finite(values)
    sums, weights = tally(column, codes(events, column.size))
    n, g = column.size, sums.size
    whole = fit(sums, weights, kind=Kind.CR1)
    if g < 2 or bool(whole.degenerate):  # noqa: PLR2004  one event says nothing of spread
        state = (State.EMPTY, State.SINGLE, State.DEGENERATE)[min(g, 2)]
        point = float(whole.mean) if n else None
        same = state is State.DEGENERATE and abs((point or 0.0) - null) <= ROUNDING
        p = 1.0 if same else None
        return Test("wild cluster bootstrap", n, g, point, p=p, sided=wild.sided, state=state)
    w, exact = multipliers(g, wild.draws, rng, wild.points)
    far = np.count_nonzero(_Draws(sums, weights, w).extreme(null, wild.sided))
    p = float(far / len(w) if exact else (far + 1) / (len(w) + 1))
    mean, se = float(whole.mean), float(whole.se)
    name = f"wild cluster bootstrap, {wild.points}{', exact' if exact else ''}"
    return Test(name, n, g, mean, se, (mean - null) / se, p=p, sided=wild.sided)


def wild_interval(
    values: ArrayLike,
    events: ArrayLike,
    rng: np.random.Generator,
    level: float = 0.95,
    wild: Wild = Wild(),
) -> Estimate:
    """The means that the wild cluster bootstrap does not reject.

    Too few events to reject anything at that level leave no interval: TOO_FEW (fewer than 6
    for signs at 95 %).

    Args:
        values: (n,) numbers.
        events: (n,) codes of the events.
        rng: Where chance comes from; one set of multipliers serves all means.
        level: Confidence in (0, 1).
        wild: The multipliers; the interval has two sides whatever it says.

    Raises:
        ValueError: A number is not finite, a code is missing, or the level is wrong.

    Source:
        Cameron, Gelbach and Miller (2008), Review of Economics and Statistics 90;
        MacKinnon (2015), on inverting it.
    """
    level_of(level)
    column = finite(values)
    sums, weights = tally(column, codes(events, column.size))
    n, g = column.size, sums.size
    whole = fit(sums, weights, kind=Kind.CR1)
    mean, se = float(whole.mean), float(whole.se)
    if g < 2 or no_spread(se * float(np.sqrt(g)), mean):  # noqa: PLR2004  as above
        state = (State.EMPTY, State.SINGLE, State.DEGENERATE)[min(g, 2)]
        return Estimate(mean if n else None, n, g, state=state)
    w, exact = multipliers(g, wild.draws, rng, wild.points)
    if exact and len(_VALUES[wild.points]) ** (1 - g) > 1 - level:
        return Estimate(mean, n, g, se, state=State.TOO_FEW)
    drawn = _Draws(sums, weights, w)

    def rejected(null: float) -> bool:
        far = np.count_nonzero(drawn.extreme(null, Sided.TWO))
        return bool((far if exact else far + 1) / (len(w) + (not exact)) <= 1 - level)

    ends = [_edge(rejected, mean, side * se) for side in (-1, 1)]
    if ends[0] is None or ends[1] is None:
        return Estimate(mean, n, g, se, state=State.TOO_FEW)
    name = f"wild cluster bootstrap, {wild.points}{', exact' if exact else ''}"
    return Estimate(mean, n, g, se, interval=Interval(ends[0], ends[1], level, name))


def _edge(rejected: Callable[[float], bool], mean: float, step: float) -> float | None:
    """Where rejection begins: doubled steps away from the mean, then halves."""
    reach = step
    while not rejected(mean + reach):
        reach *= 2
        if abs(reach) > _FARTHEST * abs(step):
            return None
    inside, outside = 0.0, reach
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        if rejected(mean + middle):
            outside = middle
        else:
            inside = middle
    return mean + outside
