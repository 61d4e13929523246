"""How many events a comparison needs, and what a given number of them can show.

An effect is a true mean difference of a score, sigma the standard deviation of one event's
difference. All sizes count events that share no news: multiply by `design_effect` for markets
that share one. A plan holds what is decided beforehand; the functions answer from it.
"""

from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import Final

import numpy as np
from scipy.special import nctdtr, ndtr, ndtri, stdtrit

from arena.records.estimate import Sided

ANYTIME: Final = (1.5, 2.5)
USUAL: Final = 0.5  # the probability at which questions' differences spread most
ROUNDING: Final = 1e-12
MOST: Final = 10**12
EXACT: Final = 10**5  # from here on noncentral t is less exact than the normal form


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """A test that is planned: its level, how many there are of it, and what is to be shown.

    `alpha` is shared by `comparisons` tests after Bonferroni. `sided` is TWO, or one of the
    others for a test whose direction is named beforehand. `deff` is how many rows are worth
    one event that shares no news with another.

    Raises:
        ValueError: A level or a power is not in (0, 1), the power is not above the level,
            there is no comparison, or `deff` is not positive.
    """

    alpha: float = 0.05
    power: float = 0.8
    sided: Sided = Sided.TWO
    comparisons: int = 1
    deff: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a plan that no test has."""
        Sided(self.sided)
        if not 0 < self.alpha < 1 or not self.alpha < self.power < 1:
            raise ValueError(f"no test of level {self.alpha} has power {self.power}")
        if self.comparisons < 1 or not 0 < self.deff < float("inf"):
            raise ValueError(f"no {self.comparisons} comparisons, design effect {self.deff}")

    @property
    def tail(self) -> float:
        """The chance of a false claim on one side of one test."""
        return self.alpha / self.comparisons / (2 if self.sided == Sided.TWO else 1)


@dataclass(frozen=True, slots=True)
class Guess:
    """A true mean difference and the standard deviation of one event's.

    Raises:
        ValueError: One of them is not a positive number.
    """

    effect: float
    sigma: float

    def __post_init__(self) -> None:
        """Refuse what cannot be planned for."""
        if not (0 < self.effect < float("inf") and 0 < self.sigma < float("inf")):
            raise ValueError(f"no test of an effect of {self.effect}, sigma {self.sigma}")


def from_effect(effect: float, price: float = 0.5) -> Guess:
    """The same by its effect, delta^2.

    Raises:
        ValueError: The effect is not in (0, 1], or the price is not in (0, 1).
    """
    if not 0 < effect <= 1:
        raise ValueError(f"a Brier difference of who is right is in (0, 1], not {effect}")
    return Guess(effect, calibrated_sigma(sqrt(effect), price))


def information(delta: float, price: float = 0.5) -> Guess:
    """The test whether outcomes follow the agent's deviation: a slope, or the sign of P/L.

    The mean of (o - m)(f - m) has the same effect as the Brier difference and half its
    sigma, and so needs a quarter of the events.

    Raises:
        ValueError: The effect is 0 or too large, or the price is not in (0, 1).
    """
    return Guess(delta**2, calibrated_sigma(delta, price) / 2)


def calibrated_sigma(delta: float, price: float = 0.5) -> float:
    """2 |delta| sqrt(p(1 - p)): of a Brier difference when the agent is right.

    Raises:
        ValueError: delta is 0 or above 1 in size, or the price is not in (0, 1).
    """
    if not 0 < abs(delta) <= 1 or not 0 < price < 1:
        raise ValueError(f"no deviation of {delta} at a price of {price}")
    return 2 * abs(delta) * sqrt(price * (1 - price))


def design_effect(size: float, icc: float) -> float:
    """How many rows of events of this size count as one row of an event of its own.

    1 + (m - 1) icc.

    Args:
        size: Mean number m of markets in an event.
        icc: Correlation of the differences of two markets of one event.

    Raises:
        ValueError: The size is below 1 or above 10^12, or the correlation outside [0, 1].

    Source:
        Kish (1965), Survey Sampling.

    >>> design_effect(5, 0.5)
    3.0
    """
    if not 1 <= size <= MOST or not 0 <= icc <= 1:
        raise ValueError(f"no events of size {size}, correlation {icc}")
    return 1 + (size - 1) * icc


def z_sum(plan: PowerPlan) -> float:
    """By how many standard errors the effect must exceed 0.

    >>> round(z_sum(PowerPlan()), 6), round(z_sum(PowerPlan(sided=Sided.GREATER)), 6)
    (2.801585, 2.486475)
    """
    return float(ndtri(plan.power) - ndtri(plan.tail))


def events_needed(guess: Guess, plan: PowerPlan) -> float:
    """How many events show an effect, deff (z sigma / effect)^2; round it up.

    Raises:
        ValueError: More than 10^12 would be needed.

    Source:
        Cohen (1988), Statistical Power Analysis for the Behavioral Sciences.

    >>> round(events_needed(Guess(0.02, 0.15), PowerPlan(sided=Sided.GREATER)), 4)
    347.7688
    """
    normal = (z_sum(plan) * guess.sigma / guess.effect) ** 2
    if normal > MOST:
        raise ValueError(f"an effect of {guess.effect} needs more than {MOST} events")
    return normal * plan.deff


def events_for_t(guess: Guess, plan: PowerPlan) -> int:
    """The least whole number of events without shared news with which a t test has the power.

    Raises:
        ValueError: As `events_needed`.
    """
    normal = events_needed(guess, replace(plan, deff=1.0))
    low = 1 if normal < EXACT else ceil(normal) - 1
    high = max(2, ceil(normal))
    while power_of_t(guess, high, plan) < plan.power:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if power_of_t(guess, middle, plan) < plan.power:
            low = middle
        else:
            high = middle
    return high


def power_at(guess: Guess, events: float, plan: PowerPlan) -> float:
    """How likely so many events are to show the effect.

    A two-sided test also rejects on the wrong side, which counts here as in any rejection.

    Raises:
        ValueError: There is no event.
    """
    effective = events / plan.deff
    if not effective > 0:
        raise ValueError(f"a test needs events, not {events}")
    away = sqrt(effective) * guess.effect / guess.sigma
    cut = -float(ndtri(plan.tail))
    wrong = float(ndtr(-cut - away)) if plan.sided == Sided.TWO else 0.0
    return float(ndtr(away - cut)) + wrong


def power_of_t(guess: Guess, events: int, plan: PowerPlan) -> float:
    """As `power_at`, of two independent events or more and a spread that the test estimates."""
    df = events - 1
    away = sqrt(events) * guess.effect / guess.sigma
    cut = -float(stdtrit(df, plan.tail))
    wrong = float(nctdtr(df, away, -cut)) if plan.sided == Sided.TWO else 0.0
    beyond = 1.0 - float(nctdtr(df, away, cut))
    return beyond + (wrong if np.isfinite(wrong) else 0.0)


def detectable(sigma: float, events: float, plan: PowerPlan) -> float:
    """The least effect that so many events show with the plan's power.

    Raises:
        ValueError: Sigma is not positive, or there is no event.
    """
    effective = events / plan.deff
    if not sigma > 0 or not effective > 0:
        raise ValueError(f"nothing shows with {events} events and sigma {sigma}")
    return z_sum(plan) * sigma / sqrt(effective)


def detectable_calibrated(events: float, plan: PowerPlan, price: float = 0.5) -> float:
    """The least effect of an agent who is right: sigma grows with it.

    effect = 4 p(1 - p) z^2 / n.

    Raises:
        ValueError: There is no event, or the price is not in (0, 1).
    """
    effective = events / plan.deff
    if not effective > 0 or not 0 < price < 1:
        raise ValueError(f"nothing shows with {events} events at a price of {price}")
    return 4 * price * (1 - price) * z_sum(plan) ** 2 / effective


@dataclass(frozen=True, slots=True)
class Study:
    """How many events and markets a comparison needs, whole and rounded up.

    `exact` is before rounding and by the normal form, `student` what a t test needs.
    `anytime` is a rule of thumb for one that is looked at whenever one likes. `at_n` and
    `least_at_n` are the power of `n` events and the least effect that they show with the
    plan's power, None without `n`; `least_at_n` also where no price is as far away as that.
    """

    effect: float
    sigma: float
    alpha: float
    power: float
    sided: str
    comparisons: int
    markets_per_event: float
    icc: float
    design_effect: float
    exact: float
    events: int
    student: int
    markets: int
    anytime: tuple[int, int]
    n: int | None = None
    at_n: float | None = None
    least_at_n: float | None = None


def study(  # noqa: PLR0913  a guess, a plan and named options
    guess: Guess,
    plan: PowerPlan,
    *,
    size: float = 1.0,
    icc: float = 1.0,
    n: int | None = None,
    chance: float | None = None,
) -> Study:
    """Plan a comparison of two forecasters over events of several markets.

    Sigma is one market's; the mean of an event of m markets has the variance
    sigma^2 (1 + (m - 1) icc) / m.

    Args:
        guess: The effect and sigma.
        plan: The test; its `deff` is left out of account.
        size: Markets in an event, m.
        icc: Correlation of the differences of two markets of one event.
        n: Events whose power is asked for.
        chance: The true probability of the questions, where the agent is right and sigma
            grows with the effect; without it the least effect of `n` events is that for the
            sigma of the guess.

    Raises:
        ValueError: As `design_effect`, `events_needed` and `power_at`.
    """
    deff = design_effect(size, icc)
    by_event = replace(plan, deff=deff / size)
    mean_of_event = Guess(guess.effect, guess.sigma * by_event.deff**0.5)
    exact = events_needed(guess, by_event)
    return Study(
        effect=guess.effect,
        sigma=guess.sigma,
        alpha=plan.alpha,
        power=plan.power,
        sided=plan.sided.value,
        comparisons=plan.comparisons,
        markets_per_event=size,
        icc=icc,
        design_effect=deff,
        exact=exact,
        events=max(1, ceil(exact)),
        student=events_for_t(mean_of_event, plan),
        markets=max(1, ceil(exact * size)),
        anytime=(max(1, ceil(exact * ANYTIME[0])), max(1, ceil(exact * ANYTIME[1]))),
        n=n,
        at_n=None if n is None else power_at(guess, n, by_event),
        least_at_n=None if n is None else _least(guess, n, by_event, chance),
    )


def events_for(  # noqa: PLR0913  the options of a command
    effect: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    sides: int = 2,
    sigma: float | None = None,
    chance: float | None = None,
    size: float = 1.0,
    icc: float = 1.0,
    comparisons: int = 1,
    n: int | None = None,
) -> Study:
    """Plan a comparison by its options, as `arena power` does.

    Args:
        effect: The true difference of mean Brier scores to be shown.
        power: The chance to show it, above `alpha`.
        alpha: The level of the test.
        sides: 1 if who is better was named beforehand, else 2.
        sigma: The standard deviation of one event's difference.
        chance: The true probability of the questions, instead of `sigma`; 0.5 without both.
        size: Markets in an event.
        icc: Correlation of two markets of one event.
        comparisons: Tests that share the level.
        n: Events whose power is asked for.

    Raises:
        ValueError: `sigma` and `chance` are both given, no price is as far away as the effect,
            or as `study`.
    """
    if sigma is not None and chance is not None:
        raise ValueError("--sigma and --chance are two ways to say one thing: give one")
    plan = PowerPlan(alpha, power, Sided.GREATER if sides == 1 else Sided.TWO, comparisons)
    if sigma is not None:
        return study(Guess(effect, sigma), plan, size=size, icc=icc, n=n)
    right = USUAL if chance is None else chance
    furthest = max(right, 1 - right)
    if effect > (furthest + ROUNDING) ** 2:
        raise ValueError(
            f"a difference of {effect:g} is out of reach: who is right about questions of "
            f"probability {right:g} gains the squared distance of the price, and no price is "
            f"further than {100 * furthest:g} points away: at most {furthest**2:.4g}"
        )
    return study(from_effect(effect, right), plan, size=size, icc=icc, n=n, chance=right)


def _least(guess: Guess, n: int, plan: PowerPlan, chance: float | None) -> float | None:
    if chance is None:
        return detectable(guess.sigma, n, plan)
    difference = detectable_calibrated(n, plan, chance)
    return difference if difference <= max(chance, 1 - chance) ** 2 else None
