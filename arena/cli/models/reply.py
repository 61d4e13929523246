"""`arena reply`: what the arena would make of a model's words."""

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path

import click

from arena.agents.briefing_data import orders_of, reading_data
from arena.agents.reply import MAX_BYTES, Budget, ReplyReading, read_words
from arena.cli import FINDINGS, CommandGroup, say
from arena.cli.options import FILE_OR_DASH, json_option
from arena.records.decision import Status
from arena.records.market import MarketId
from arena.records.money import bare, usd

TOO_MUCH = Decimal(10) ** 12


def dollars(text: str) -> Decimal:
    """Read an amount of money that can be judged by."""
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise click.BadParameter(f"{text!r} is not an amount of dollars.") from None
    if not amount.is_finite() or not 0 <= amount < TOO_MUCH:
        raise click.BadParameter(f"{text!r} dollars cannot be judged by.")
    return amount


@click.group(cls=CommandGroup)
def reply() -> None:
    """Try out what the arena makes of a model's words."""


@reply.command()
@click.argument("file", type=FILE_OR_DASH)
@click.option(
    "--markets",
    required=True,
    metavar="NAMES",
    help="The market_ids on offer, with commas between them: m1,m2.",
)
@click.option("--cash", type=dollars, required=True, help="The cash that bets are paid from.")
@click.option("--cap", type=dollars, help="The largest bet; any if left out.")
@click.option(
    "--finish-reason",
    "finish",
    default="",
    metavar="WORD",
    help="Why the model stopped, in its server's word: length, stop, ...",
)
@json_option
@click.pass_context
def check(  # noqa: PLR0913  each is an option
    context: click.Context,
    file: Path,
    *,
    markets: str,
    cash: Decimal,
    cap: Decimal | None,
    finish: str,
    as_json: bool,
) -> None:
    """Read the reply in FILE, and say what it would do and what was wrong with it.

    FILE holds a model's words as they came; - reads them from standard input. The status is
    ok, repaired (it was mended, or orders were dropped) or reject (nothing would be done).
    Bets are judged in their order by the cash alone, in whole cents, and by --cap where it is
    given; prices, fees and the smallest bet are for the arena's ledger. It exits with 3 when
    the reply is rejected.
    """
    names = [name.strip() for name in markets.split(",") if name.strip()]
    if not names:
        raise click.BadParameter("no market is named", param_hint="--markets")
    text = words_in(file)
    budget = Budget(usd(cash), None if cap is None else usd(cap))
    markets_by_name = {name: MarketId(name) for name in names}
    reading = read_words(text, markets_by_name, finish=finish, budget=budget)
    if as_json:
        say.say_json(**reading_data(reading))
    else:
        for line in lines_of(reading):
            click.echo(line)
    if reading.status is Status.REJECT:
        context.exit(FINDINGS)


def words_in(file: Path) -> str:
    """Read a reply's words from a file, or from standard input for -: all that is looked at."""
    with click.open_file(str(file), "rb") as stream:
        text: str = stream.read(MAX_BYTES + 1).decode("utf-8", errors="replace")
    return text


def lines_of(reading: ReplyReading) -> Iterator[str]:
    """Say in lines what would be done, what would not, and what was mended or is wrong."""
    yield f"status: {reading.status}"
    decision = reading.decision
    if decision is not None:
        yield f"action: {decision.action}"
        unit = "dollars" if decision.bets else "percent of the position"
        for market, side, amount in orders_of(reading):
            yield f"  {say.one_line(market)} {side} {bare(amount)} {unit}"
        if decision.forecasts:
            yield "forecasts:"
        for forecast in decision.forecasts:
            yield f"  {say.one_line(forecast.market)} {forecast.probability:g}"
    if reading.dropped:
        yield "dropped:"
    for drop in reading.dropped:
        yield f"  {drop.reason}: {drop.detail}"
    dropped_details = {drop.detail for drop in reading.dropped}
    reasons = [reason for reason in reading.reasons if reason not in dropped_details]
    if reasons:
        yield "mended:" if decision is not None else "rejected, because:"
    for reason in reasons:
        yield f"  {reason}"
