"""A planned comparison in the numbers that its planner asks for."""

from dataclasses import dataclass, replace
from math import ceil

from arena.stats.comparisons.power import (
    ANYTIME,
    Guess,
    PowerMethod,
    PowerPlan,
    design_effect,
    detectable,
    detectable_calibrated,
    events_needed,
    power_at,
)


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
    by_event = replace(plan, deff=deff / size, form=PowerMethod.NORMAL)
    student = replace(by_event, form=PowerMethod.STUDENT)
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
        events=ceil(exact),
        student=_by_event(guess, student),
        markets=ceil(exact * size),
        anytime=(ceil(exact * ANYTIME[0]), ceil(exact * ANYTIME[1])),
        n=n,
        at_n=None if n is None else power_at(guess, n, by_event),
        least_at_n=None if n is None else _least(guess, n, by_event, chance),
    )


def _by_event(guess: Guess, plan: PowerPlan) -> int:
    """Student's form with the standard deviation of one event's mean."""
    mean_of_event = Guess(guess.effect, guess.sigma * plan.deff**0.5)
    return ceil(events_needed(mean_of_event, replace(plan, deff=1.0)))


def _least(guess: Guess, n: int, plan: PowerPlan, chance: float | None) -> float | None:
    if chance is None:
        return detectable(guess.sigma, n, plan)
    difference = detectable_calibrated(n, plan, chance)
    return difference if difference <= max(chance, 1 - chance) ** 2 else None
