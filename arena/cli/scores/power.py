"""`arena power`: how many events a claim needs before it can be made."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from arena.cli import say
from arena.cli.options import FiniteNumber, json_option

if TYPE_CHECKING:
    from arena.stats.comparisons.power import Study


OPEN = FiniteNumber(0, 1, min_open=True, max_open=True)
POSITIVE = FiniteNumber(0, min_open=True)


@click.command()
@click.option(
    "--effect",
    type=POSITIVE,
    required=True,
    help="The true difference of mean Brier scores to be shown, as 0.02.",
)
@click.option("--power", type=OPEN, default=0.8, help="Chance to show it.")
@click.option("--alpha", type=OPEN, default=0.05, help="Level of the test.")
@click.option(
    "--sides",
    type=click.IntRange(1, 2),
    default=2,
    help="1 if who is better was named beforehand.",
)
@click.option("--sigma", type=POSITIVE, help="Standard deviation of one event's difference.")
@click.option(
    "--chance",
    type=OPEN,
    help="True probability of the questions; the spread is largest at 0.5. Instead of --sigma."
    "  [default: 0.5]",
)
@click.option(
    "--events-size",
    "size",
    type=FiniteNumber(1),
    default=1.0,
    help="Markets in an event.",
)
@click.option(
    "--icc",
    type=FiniteNumber(0, 1),
    default=1.0,
    help="Correlation of two markets of one event.",
)
@click.option(
    "--comparisons", type=click.IntRange(1), default=1, help="Tests that share the level."
)
@click.option("--n", "given", type=click.IntRange(2), help="What so many events can show.")
@json_option
def power(  # noqa: PLR0913  each is an option
    *,
    effect: float,
    power: float,
    alpha: float,
    sides: int,
    sigma: float | None,
    chance: float | None,
    size: float,
    icc: float,
    comparisons: int,
    given: int | None,
    as_json: bool,
) -> None:
    """Say how many resolved events it takes to show that one forecaster beats another."""
    from arena.stats.comparisons.power import USUAL, events_for

    if power <= alpha:
        raise click.BadParameter("the power must be above --alpha", param_hint="--power")
    try:
        sample_size = events_for(
            effect,
            power=power,
            alpha=alpha,
            sides=sides,
            sigma=sigma,
            chance=chance,
            size=size,
            icc=icc,
            comparisons=comparisons,
            n=given,
        )
    except ValueError as e:
        raise click.UsageError(str(e)) from e
    right = None if sigma else chance or USUAL
    if as_json:
        say.say_json(power=sample_size, chance=right)
    else:
        for line in _lines(sample_size, right):
            click.echo(line)


def _lines(s: "Study", chance: float | None) -> Iterator[str]:
    """The answer for a reader who knows no statistics."""
    yield f"{s.events:,} resolved events are needed to show a difference of {s.effect:g}."
    claims = "any difference" if s.sided == "two-sided" else "one in the named direction"
    among = f" in any of {s.comparisons} comparisons" if s.comparisons > 1 else ""
    yield (
        f"A true difference of this size is then found {s.power:.0%} of the time; where "
        f"there is none, {claims} is claimed{among} {100 * s.alpha:g}% of the time."
    )
    yield (
        "The test is of the mean difference of two forecasters' Brier scores, paired, one "
        f"value an event, and looked at once. As a t test it needs {s.student:,} events."
    )
    why = _why(s, chance)
    yield f"Assumed: the difference on one market has a standard deviation of {why}."
    if s.markets_per_event > 1:
        yield (
            f"Each event has {s.markets_per_event:g} markets, which move together with a "
            f"correlation of {s.icc:g}: {s.markets:,} markets in all."
        )
    if s.n is not None:
        least = (
            f"the least difference that is found {s.power:.0%} of the time is "
            f"{s.least_at_n:.4g}"
            if s.least_at_n is not None
            else f"no difference that there can be is found {s.power:.0%} of the time"
        )
        yield f"With {s.n:,} events it is found {s.at_n:.0%} of the time, and {least}."
    yield (
        f"To look whenever one likes takes a sequential test and, as a rule of thumb, "
        f"{s.anytime[0]:,} to {s.anytime[1]:,} events."
    )


def _why(s: "Study", chance: float | None) -> str:
    if chance is None:
        return f"{s.sigma:.4g}, as given"
    points = 100 * s.effect**0.5
    return (
        f"{s.sigma:.4g}, which is that of a forecaster who is right about questions of "
        f"probability {chance:g}, where the price is {points:.3g} points away"
    )
