"""`arena explain`: a published number, down to the rows it is made of."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from arena.cli import say
from arena.cli.options import existing, json_option, known
from arena.cli.say import unknown_name
from arena.cli.scores.evidence import (
    SAYINGS,
    ForecastEvidence,
    ForecastSelection,
    complain_of_faults,
    exploratory,
    file_option,
    gathered,
    level_option,
    source_options,
)
from arena.cli.tables import table
from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId, MarkRule

if TYPE_CHECKING:
    from arena.metrics.explain import Explained
    from arena.metrics.metric import Metric
    from arena.store import Store
    from arena.store.scores.explain import Accounted

KEYS = """\b
METRIC is a key as `arena score --json` writes it: brier, log, alpha, mcb and so on.
Without a file it may also be a number of the leaderboard:
  total, returned, pnl, realised, unrealised, fees   from the sums of each seat
  returned_last                                      and from the last known prices
  cost, tokens                                       from what each seat's answers took
  win_rate, break_even                               from the fills that have resolved
  forecast, stated, kelly, linear                    a Brier score, from each forecast
  ev_clv, clv, realised_return                       from each bet
  max_drawdown, volatility, worst_day                from each day
  remembered                                         from each forecast's days"""

BOOKED = (
    "total",
    "returned",
    "returned_last",
    "pnl",
    "realised",
    "unrealised",
    "fees",
    "win_rate",
    "break_even",
    "cost",
    "tokens",
)
BETS = ("ev_clv", "clv", "realised_return")
DAYS = ("max_drawdown", "volatility", "worst_day")
MEMORY = "remembered"
_Source = Mapping[str, str | None]  # where, standing, words and the journal's digest
OWN = (*BOOKED, *BETS, *DAYS, *SAYINGS, MEMORY)  # the arena's own numbers, besides


@click.command(epilog=KEYS)
@click.argument("contestant")
@click.argument("metric")
@file_option
@click.option(
    "--rows",
    type=click.IntRange(min=0),
    default=20,
    help="How many rows are printed; --json has all of them.",
)
@level_option
@source_options
@json_option
@click.pass_context
def explain(  # noqa: PLR0913  a command's options are its arguments
    context: click.Context,
    contestant: str,
    metric: str,
    *,
    selection: ForecastSelection,
    rows: int,
    level: float,
    as_json: bool,
) -> int:
    """Show what CONTESTANT's METRIC is made of: formula, inputs, rows and a digest."""
    names = tuple(METRICS) if selection.files else (*METRICS, *OWN)
    if metric not in names:
        raise unknown_name("score.metric", f"there is no metric {metric}", metric, names)
    evidence: ForecastEvidence | None = None
    source: _Source
    if metric in (*BOOKED, *BETS, *DAYS) and not selection.files:
        if replace(selection, database=None, cohort=None) != ForecastSelection(()):
            raise click.UsageError(f"{metric} is a number of all bets: choose no forecasts")
        explained, source = _of_books(context, selection, (contestant, metric), level)
    else:
        evidence, explained = _of_forecasts(context, selection, (contestant, metric), level)
        source = {**evidence.weighed("explain"), "journal": evidence.journal}
    if as_json:
        say.say_json(**source, explained=explained)
    else:
        _say(explained, source, rows, always_interval=evidence is not None)
    return complain_of_faults(evidence) if evidence else 0


def _of_forecasts(
    context: click.Context, selection: ForecastSelection, which: tuple[str, str], level: float
) -> tuple[ForecastEvidence, "Explained"]:

    from arena.metrics.explain import explain as explain_number
    from arena.metrics.explain import explain_memory, of_board

    contestant, metric = which
    if metric in SAYINGS and not selection.files:
        evidence = gathered(context, replace(selection, saying=metric))
        return evidence, of_board(evidence.forecasts, contestant, metric, level=level)
    evidence = gathered(context, replace(selection, dated=metric == MEMORY))
    if metric == MEMORY and not selection.files:
        return evidence, explain_memory(evidence.forecasts, contestant)
    return evidence, explain_number(evidence.forecasts, contestant, metric, level=level)


def _of_books(
    context: click.Context, selection: ForecastSelection, which: tuple[str, str], level: float
) -> tuple["Explained | Accounted", _Source]:
    """A number of the arena's own books, bets or days."""
    from arena.metrics.explain import explain_bets
    from arena.steps.seal import evidence_of
    from arena.store.scores.explain import account
    from arena.store.scores.offered_markets import SqliteLines

    contestant, metric = which
    explained: Explained | Accounted
    with existing(context.obj.config, selection.database) as store:
        cohort = known(store, selection.cohort)
        if metric in BOOKED:
            explained = account(store.db, ContestantId(contestant), metric, cohort)
        elif metric in DAYS:
            explained = _of_days(store, contestant, metric, cohort)
        else:
            offered = SqliteLines(store.db).offered(cohort)
            explained = explain_bets(offered, contestant, metric, level=level)
        weight = evidence_of(store, cohort)
        journal, where = store.journal.head(), str(store.db.path)
    standing, words = exploratory(weight.standing, weight.words)
    source = {"where": where, "standing": standing, "words": words, "journal": journal}
    return explained, source


def _of_days(store: "Store", contestant: str, metric: str, cohort: str | None) -> "Explained":

    from arena.metrics.explain import Day, explain_days
    from arena.site.overview.read import days_of, newest_change

    if cohort is not None:
        raise click.UsageError(f"{metric} is of all cohorts together: leave --cohort out.")
    newest, spec = newest_change(store), store.boards.newest_spec()
    mark = spec.rules.mark if spec else MarkRule.BID
    days_by_contestant = days_of(store, mark, newest.at) if newest else {}
    if contestant not in days_by_contestant:
        raise unknown_name(
            "score.contestant",
            f"{contestant} has no seat in any cohort",
            contestant,
            days_by_contestant,
        )
    days = [
        Day(f"{day.at:%Y-%m-%d}", day.capital, day.worth)
        for day in days_by_contestant[contestant]
    ]
    return explain_days(contestant, days, metric)


def _say(
    explained: "Explained | Accounted", source: _Source, rows: int, *, always_interval: bool
) -> None:
    """Print an explanation; `always_interval` says also of a missing interval that it is."""
    from arena.metrics.explain import Explained

    metric, how = explained.metric, ""
    if isinstance(explained, Explained):
        value, interval = say.with_interval(explained.estimate, metric)
        how = explained.estimate.interval.method if explained.estimate.interval else ""
        value += f" ({interval})" * (always_interval or bool(how))
    else:
        value = metric.shown(explained.value)
    click.echo(f"{metric.name} of {say.one_line(explained.contestant)}: {value}")
    _define(metric, how)
    for name, number in explained.inputs.items():
        click.echo(f"{name}: {_cell(number)}")
    table(explained.columns, [[_cell(cell) for cell in row] for row in explained.rows[:rows]])
    if len(explained.rows) > rows:
        click.echo(f"({len(explained.rows) - rows} more rows: --rows, or --json for all)")
    click.echo(f"rows  sha256 {explained.digest}")
    if source["journal"]:
        click.echo(f"journal  sha256 {source['journal']}")
    click.echo(f"{say.one_line(str(source['words']))}.")


def _cell(value: object) -> str:
    """A value for people: JSON has the digits that a sum of binary fractions ends in.

    >>> _cell(0.1 + 0.2), _cell(None), _cell("rain")
    ('0.3', 'n/a', 'rain')
    """
    if isinstance(value, float):
        return f"{value:.12g}"
    return say.MISSING if value is None else str(value)


def _define(metric: "Metric", interval: str) -> None:
    for formula in metric.formulas:
        click.echo(f"  {formula}")
    click.echo(metric.words)
    for label, words in (
        ("interval", interval),
        ("against", metric.reference),
        ("source", metric.source),
        ("caveat", metric.caveat),
    ):
        if words:
            click.echo(f"{label}: {words}")
