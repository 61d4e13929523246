"""`arena venue`: what servers of prediction markets say, and what is made of it."""

import asyncio
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli import FAILED, FINDINGS, PARTIAL, CommandGroup
from arena.cli.options import FILE_OR_DASH, json_option
from arena.cli.say import is_terminal, note, one_line, say_json, unknown_name, usage_error, utc
from arena.clock import SystemClock
from arena.records.market import MarketId, PricePoint
from arena.records.settings import VenueSettings

if TYPE_CHECKING:
    from arena.cli.models.venue_check import VenueCheck
    from arena.venues.reading import Read

NONE = "No live venue is configured: docs/venues.md shows how."
A_DAY = timedelta(days=1)


@click.group(cls=CommandGroup)
def venue() -> None:
    """Look at what servers of prediction markets say, and at what is made of it."""


@venue.command()
@click.argument("name", metavar="VENUE")
@click.argument("kind", metavar="KIND")
@click.argument("file", type=FILE_OR_DASH)
@click.option(
    "--at", metavar="TIME", help="When it was sent, such as 2026-01-05T09:00Z; now if left out."
)
@json_option
@click.pass_context
def parse(  # noqa: PLR0913  each is an argument or an option
    context: click.Context, name: str, kind: str, file: Path, *, at: str | None, as_json: bool
) -> None:
    """Read an answer of VENUE's server in FILE, and print the records field by field.

    VENUE is an adapter, such as kalshi; a KIND that is not there names those that are.
    FILE holds the body of the answer; - reads it from standard input. What is left out is
    named with the reason. It exits with 3 when something could not be read, and with 1 when
    nothing could.
    """
    from arena.cli.models.venue_check import read_file, say_read
    from arena.cli.play.tick import moment

    when = SystemClock().now() if at is None else moment(at)
    read = read_file(name, kind, file, when)
    if as_json:
        say_json(venue=name, kind=kind, rows=read.rows, left_out=read.left_out)
    else:
        say_read(read)
    context.exit(_how_well(read))


@venue.command()
@click.argument("names", metavar="[VENUE]...", nargs=-1)
@json_option
@click.pass_context
def check(context: click.Context, names: tuple[str, ...], *, as_json: bool) -> None:
    """Ask each live VENUE of the configuration one of each question.

    It says what came of it, how many answers that took, and what was left out and why. It
    compares the fields of the answers with those that such answers have always had: a field
    that the arena needs and that is gone is an alarm, a new one is news. Nothing is written.
    Without VENUE all live ones are asked. It exits with 3 when something should be looked
    at, with 1 when a venue cannot be read, and with 6 when only a part of it can.
    """
    from arena.cli.models.venue_check import check_all, live, plain_check, say_check
    from arena.config import load_settings
    from arena.wiring import secrets_of

    settings = load_settings(context.obj.config)
    configured, secrets = settings.venues, secrets_of(settings)
    if names:
        chosen = [_named(name, configured) for name in dict.fromkeys(names)]
    else:
        chosen = live(configured, SystemClock())
    if chosen and is_terminal(sys.stderr):
        note(f"asking {', '.join(venue.id for venue in chosen)} ...")
    checks = check_all(chosen, SystemClock(), secrets)
    if as_json:
        say_json(venues=[plain_check(checked) for checked in checks])
    elif checks:
        for checked in checks:
            say_check(checked)
    else:
        click.echo(NONE)
    context.exit(_exit_code(checks))


@venue.command()
@click.argument("name", metavar="VENUE")
@click.argument("market", metavar="MARKET")
@click.option("--since", metavar="TIME", help="The first moment; a day ago if left out.")
@click.option("--until", metavar="TIME", help="The last moment; now if left out.")
@json_option
@click.pass_context
def history(  # noqa: PLR0913  each is an argument or an option
    context: click.Context,
    name: str,
    market: str,
    *,
    since: str | None,
    until: str | None,
    as_json: bool,
) -> None:
    """Ask VENUE for the past prices of YES of a MARKET, and print them.

    MARKET is the market's name in the arena, or its own at the venue. Nothing is written.
    """
    from arena.cli.play.tick import moment
    from arena.config import load_settings

    settings = _named(name, load_settings(context.obj.config).venues)
    last = SystemClock().now() if until is None else moment(until)
    first = last - A_DAY if since is None else moment(since)
    if first >= last:
        span = f"{utc(first)} is not before {utc(last)}"
        hint = "--since is the first moment, --until the last"
        raise usage_error("usage.time", span, hint=hint)
    points = _history(settings, market, first, last)
    if as_json:
        say_json(venue=settings.id, market=market, points=points)
        return
    for point in points:
        click.echo(f"{utc(point.at)}  {point.price}")
    span = f"{utc(first)} to {utc(last)}"
    many = f"{len(points) or 'no'} price{'' if len(points) == 1 else 's'}"
    doubt = "" if points else f" It may be younger, or no market of {settings.id}."
    click.echo(f"{many} of {one_line(market)}, {span}.{doubt}")


def _history(
    settings: VenueSettings, market: str, since: datetime, until: datetime
) -> Sequence[PricePoint]:
    from arena.cli.models.venue_check import history_of, probe_of
    from arena.venues.reading import market_id, own_id

    probe = probe_of(settings, SystemClock())
    market_asked = MarketId(market)
    if own_id(settings.id, market_asked) is None:
        if ":" in market:
            no_market = f"{one_line(market)} is no market of {settings.id}"
            hint = "`arena markets --json` names a market and its venue"
            raise usage_error("venue.market", no_market, hint=hint)
        market_asked = market_id(settings.id, market)
    remember = history_of(probe.venue)
    if remember is None:
        message = f"{settings.id} does not remember its prices"
        raise usage_error("venue.no_history", message)

    async def ask() -> Sequence[PricePoint]:
        return await remember(market_asked, since, until)

    return asyncio.run(ask())


def _named(name: str, configured: Sequence[VenueSettings]) -> VenueSettings:
    venue_by_id = {candidate.id: candidate for candidate in configured}
    venue = next((candidate for candidate in configured if candidate.id == name), None)
    if venue is None:
        message = f"no venue {one_line(name)} is configured"
        raise unknown_name("venue.unknown", message, name, venue_by_id)
    return venue


def _how_well(read: "Read[Any]") -> int:
    malformed = any(left.malformed for left in read.left_out)
    return 0 if not malformed else FINDINGS if read.rows else FAILED


def _exit_code(checks: "Sequence[VenueCheck]") -> int:
    if checks and all(checked.cannot_be_read for checked in checks):
        return FAILED
    if any(checked.is_partly_broken for checked in checks):
        return PARTIAL
    return FINDINGS if any(checked.has_findings for checked in checks) else 0
