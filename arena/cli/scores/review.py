"""`arena review`: a contestant's worst and best forecasts, and what became of them."""

from collections.abc import Iterable
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

import click

from arena.cli import say
from arena.cli.options import database_option, existing, json_option, known

if TYPE_CHECKING:
    from arena.store.scores.reviewed import ReviewedBet, ReviewedForecast

NOTE = (
    "These were chosen by how they ended, so they prove no skill and no fault:\n"
    "`arena score` has the mean of all, with its interval."
)
EXCERPT = 240  # characters of a reply


@click.command()
@click.argument("contestant")
@click.option("--cohort", help="Only this cohort.")
@click.option(
    "-n",
    "--number",
    type=click.IntRange(min=1),
    default=10,
    help="How many of the worst, and of the best.",
)
@database_option
@json_option
@click.pass_context
def review(  # noqa: PLR0913  a command's options are its arguments
    context: click.Context,
    contestant: str,
    *,
    cohort: str | None,
    number: int,
    database: Path | None,
    as_json: bool,
) -> None:
    """Show the forecasts of CONTESTANT that lost and gained most against the price.

    Of each: what was asked, what was said and staked, what was paid, and how it ended. They
    are ordered by the Brier score of the market's price less that of the forecast; each market
    counts once in each list. --json has every reply whole.
    """
    from arena.store.scores.reviewed import review as review_of

    with existing(context.obj.config, database) as store:
        found = review_of(store.db, contestant, number=number, cohort=known(store, cohort))
        where = str(store.db.path)
    if as_json:
        say.say_json(where=where, review=found)
        return
    click.echo(
        f"{say.one_line(found.contestant)}: {found.forecasts:,} resolved forecasts with a "
        f"price, of {found.markets:,} markets"
    )
    for title, forecasts in (("Worst", found.worst), ("Best", found.best)):
        click.echo(f"\n{title}")
        if not forecasts:
            click.echo("  none")
        for place, forecast in enumerate(forecasts, 1):
            for line in _lines(forecast):
                click.echo(f"{f'{place}.' if line[0] != ' ' else '':>4} {line.lstrip()}")
    click.echo(f"\n{NOTE}")


def _lines(forecast: "ReviewedForecast") -> Iterable[str]:
    """A forecast in lines; all but the first begin with a blank."""
    yield f"{forecast.gain:+.4f}  {say.one_line(forecast.question)}"
    yield (
        f" {forecast.at:%Y-%m-%d %H:%M}, {say.one_line(forecast.cohort)} "
        f"round {forecast.round}, {say.one_line(forecast.market)}"
    )
    outcome = "YES" if forecast.outcome else "NO"
    yield (
        f" price {say.percent(forecast.price)}, forecast {say.percent(forecast.forecast)}, "
        f"resolved {outcome}"
    )
    for bet in forecast.bets:
        yield f" {_bet(bet)}"
    if not forecast.bets:
        yield " no bet"
    if forecast.reply:
        yield f" reply: {shorten(say.one_line(forecast.reply), EXCERPT, placeholder=' ...')}"


def _bet(bet: "ReviewedBet") -> str:
    return (
        f"staked ${bet.stake:,.2f} on {bet.side} for {bet.shares:,.2f} shares, "
        f"fee ${bet.fee:,.2f}; the position paid ${bet.paid:,.2f}, "
        f"realised {bet.realised:+,.2f}"
    )
