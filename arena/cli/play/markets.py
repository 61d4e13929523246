"""`arena markets`: what a round would offer now, and why it would not offer the rest."""

import asyncio
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

import click

from arena.cli.options import json_option
from arena.cli.say import (
    MISSING,
    is_terminal,
    note,
    one_line,
    say_json,
    unknown_name,
    usage_error,
    utc,
)
from arena.cli.tables import AS_IT_IS, TableLayout, refuse_unknown, table, table_options
from arena.clock import HandClock, SystemClock
from arena.records.cohort import CohortSpec, FeeRule, Ranking, Universe
from arena.records.market import LeftOut, Market, Quote
from arena.records.settings import Settings
from arena.steps.rounds.universe import ExclusionReason

if TYPE_CHECKING:
    from arena.ports import Venue
    from arena.steps.markets.observe import VenueView

LONGEST = 60  # letters of a question that are printed
WORDS = 200  # letters of a reason
MOST_REASONS = 20

Left = tuple[Market, ExclusionReason]
Line = tuple[str, str, str]  # what is left out, the reason that it shares, and its own words


@dataclass(frozen=True, slots=True)
class Survey:
    """What a universe would choose at `at`, by rank, and what is left out.

    `left_out` are markets that the venue trades, `unfit` what else it sent.
    """

    at: datetime
    offered: tuple[tuple[Market, Quote], ...]
    left_out: tuple[Left, ...]
    unfit: tuple[LeftOut, ...]


@click.command()
@click.option(
    "--cohort",
    "name",
    metavar="NAME",
    help="A file of the cohorts folder, without its .yaml; needed where there are several.",
)
@click.option("--all", "every", is_flag=True, help="Name each market that is left out.")
@table_options
@json_option
@click.pass_context
def markets(
    context: click.Context, name: str | None, *, every: bool, layout: TableLayout, as_json: bool
) -> None:
    """Show what a cohort's next round would offer now, and why nothing else.

    Its venue is asked as it is for a round. Nothing is written, and no model is asked.
    """
    from arena.config import load_settings
    from arena.ports import Live
    from arena.wiring import KeptNowhere, build_venue

    settings = load_settings(context.obj.config)
    spec = _named(settings, name)
    clock = HandClock(SystemClock().now().replace(microsecond=0))
    (configured,) = (v for v in settings.venues if v.id == spec.venue)
    venue = build_venue(configured, clock, KeptNowhere())
    if isinstance(venue, Live) and is_terminal(sys.stderr):
        note(f"asking {spec.venue} ...")
    surveyed = asyncio.run(survey(venue, spec.universe, clock.now(), spec.rules.fees))
    if as_json:
        say_json(cohort=spec.name, venue=spec.venue, **document(surveyed, every=every))
    else:
        say_survey(spec, surveyed, layout, every=every)


async def survey(
    venue: "Venue", universe: Universe, at: datetime, fees: FeeRule = FeeRule.VENUE
) -> Survey:
    """Ask a venue what it trades, and choose from it as a round does.

    Raises:
        ArenaError: The venue cannot be read.
    """
    from arena.steps.markets.observe import Wanted, look
    from arena.steps.rounds.universe import choose

    view = await look(venue, [Wanted(universe, fees, explained=True)], at=at)
    chosen = choose(universe, view.markets, view.quotes, at, fees=fees)
    accounted = {market.id for market in chosen.markets}
    left_out: list[Left] = []
    for left in (
        chosen.left_out,
        *(first.left_out for first in view.first),
        _without_details(view),
    ):
        left_out += [(market, why) for market, why in left if market.id not in accounted]
        accounted |= {market.id for market, _ in left}
    return Survey(
        at,
        tuple((market, view.quotes[market.id]) for market in chosen.markets),
        tuple(left_out),
        tuple(left for left in view.left_out if left.what not in accounted),
    )


def _without_details(view: "VenueView") -> tuple[Left, ...]:
    """Markets that were listed, but had no details when these were asked for."""
    words = {left.what: left.why for left in view.left_out}
    traded = {market.id for market in view.markets}
    gone = [market for market in view.listed if market.id not in traded]
    why = [words.get(str(market.id), "it is not traded after all") for market in gone]
    return tuple(
        (m, ExclusionReason(reason, reason)) for m, reason in zip(gone, why, strict=True)
    )


def _named(settings: Settings, name: str | None) -> CohortSpec:
    """Find the cohort file that is meant.

    Raises:
        ArenaError: There is none, none of that name, or several and none was named.
    """
    names = [spec.name for spec in settings.cohorts]
    if not names:
        raise usage_error(
            "cohort.none",
            "there is no cohort file",
            hint="write one in the cohorts folder: docs/configuration.md explains every key",
        )
    if name is None and len(names) > 1:
        raise usage_error(
            "cohort.unclear",
            f"there are several cohort files: {', '.join(names)}",
            hint=f"say which one is meant, such as --cohort {names[0]}",
        )
    matching = [spec for spec in settings.cohorts if name in {None, spec.name}]
    if not matching:
        raise unknown_name(
            "cohort.unknown",
            f"there is no cohort file {one_line(name or '')}.yaml",
            name or "",
            names,
        )
    return matching[0]


def document(surveyed: Survey, *, every: bool) -> dict[str, object]:
    """The survey for a machine; with `every` each market that is left out is in it."""
    one_by_one = {
        "each_left_out": [
            {"market": market.id, "question": market.question, "why": why.said}
            for market, why in surveyed.left_out
        ],
        "each_unfit": surveyed.unfit,
    }
    return {
        "at": surveyed.at,
        "offered": [_row(n, *pair) for n, pair in enumerate(surveyed.offered, 1)],
        "left_out": _counted(why.rule for _, why in surveyed.left_out),
        "unfit": _counted(_why(left) for left in surveyed.unfit),
        **(one_by_one if every else {}),
    }


def _counted(reasons: Iterable[str]) -> list[dict[str, object]]:
    """Each reason with its count, the most frequent first."""
    ranked = sorted(Counter(reasons).items(), key=lambda item: (-item[1], item[0]))
    return [{"why": why, "count": count} for why, count in ranked]


def _row(rank: int, market: Market, quote: Quote) -> dict[str, object]:
    return {
        "rank": rank,
        "market": market.id,
        "question": market.question,
        "event": market.event,
        "category": market.category,
        "url": market.url,
        "bid": quote.bid,
        "ask": quote.ask,
        "mid": quote.mid,
        "spread": _spread(quote),
        "unit": market.unit,
        "volume": quote.volume,
        "volume_24h": quote.volume_24h,
        "liquidity": quote.liquidity,
        "opens_at": market.opens_at,
        "closes_at": market.closes_at,
        "price_at": quote.at,
    }


def say_survey(
    spec: CohortSpec, surveyed: Survey, layout: TableLayout = AS_IT_IS, *, every: bool
) -> None:
    """Print a survey as text; with `every` each market that is left out has its line."""
    listed = len(surveyed.offered) + len(surveyed.left_out)
    by_day = spec.universe.by is Ranking.VOLUME_24H
    unit = surveyed.offered[0][0].unit if surveyed.offered else ""
    size = f"{'24 h ' if by_day else ''}volume ({unit})"
    head = ("rank", "question", "mid", "spread", size, "closes", "market")
    if surveyed.offered:
        refuse_unknown(head, layout)
    click.echo(
        f"{spec.name} on {spec.venue} at {utc(surveyed.at)}: a round would offer "
        f"{len(surveyed.offered)} of {listed} markets"
    )
    if surveyed.offered:
        rows = [_cells(n, *pair, by_day=by_day) for n, pair in enumerate(surveyed.offered, 1)]
        table(head, rows, layout)
    left_out = [(m.id, why.rule, f"{_cut(m.question)} ({why})") for m, why in surveyed.left_out]
    unfit = [(left.what, _why(left), _why(left)) for left in surveyed.unfit]
    _say_groups("left out", left_out, every=every)
    _say_groups("sent by the venue, and nothing to bet on", unfit, every=every)


def _cells(rank: int, market: Market, quote: Quote, *, by_day: bool) -> Sequence[str]:
    closes = market.closes_at
    return (
        str(rank),
        _cut(market.question),
        _number(_short(quote.mid)),
        _number(_short(_spread(quote))),
        _number(quote.volume_24h if by_day else quote.volume),
        MISSING if closes is None else f"{closes:%Y-%m-%d %H:%M}",
        market.id,
    )


def _say_groups(title: str, lines: Iterable[Line], *, every: bool) -> None:
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(line[1], []).append(line)
    if not groups:
        return
    ranked = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    shown = ranked if every else ranked[:MOST_REASONS]
    click.echo(f"{title}: {sum(map(len, groups.values())):,}")
    for rule, sharing in shown:
        click.echo(f"{len(sharing):7,}  {_cut(rule, WORDS)}")
        for what, _, detail in sharing if every else ():
            click.echo(f"{'':9}{_cut(what)}  {_cut(detail, WORDS)}")
    if len(ranked) > len(shown):
        rest = sum(len(sharing) for _, sharing in ranked[len(shown) :])
        click.echo(f"{rest:7,}  for {len(ranked) - len(shown)} other reasons (see --all)")


def _why(left: LeftOut) -> str:
    return f"cannot be read: {left.why}" if left.malformed else left.why


def _cut(text: str, most: int = LONGEST) -> str:
    line = one_line(text)
    return line if len(line) <= most else f"{line[: most - 3]}..."


def _spread(quote: Quote) -> Decimal | None:
    return None if quote.bid is None or quote.ask is None else quote.ask - quote.bid


def _short(price: Decimal | None) -> Decimal | None:
    """A price as it is shown: a curve's has six decimals; --json has them all."""
    return None if price is None else round(price, 4)


def _number(value: Decimal | None) -> str:
    return MISSING if value is None else f"{value.normalize():,f}"
