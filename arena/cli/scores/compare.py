"""`arena compare`: whether two contestants differ, and how sure that is."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from arena.cli import say
from arena.cli.options import json_option
from arena.cli.say import usage_error
from arena.cli.scores.evidence import (
    ForecastEvidence,
    ForecastSelection,
    complain_of_faults,
    file_option,
    gathered,
    level_option,
    source_options,
)
from arena.cli.tables import AS_IT_IS, Columns, TableLayout, table, table_of, table_options
from arena.metrics.figures import many
from arena.metrics.registry import METRICS, PAIRED_WORDS

if TYPE_CHECKING:
    from arena.metrics.claims.board_claims import BoardClaims
    from arena.metrics.claims.questions import Claim
    from arena.metrics.pair_test import Duel
    from arena.metrics.rank_sets import League, Place


@dataclass(frozen=True, slots=True)
class _How:
    """How a comparison is printed; `in_full` prints every number."""

    level: float
    layout: TableLayout
    in_full: bool
    as_json: bool


@click.command()
@click.argument("first", required=False)
@click.argument("second", required=False)
@file_option
@click.option(
    "--metric",
    help=f"{PAIRED_WORDS}.",
)
@click.option(
    "--all",
    "in_full",
    is_flag=True,
    help="Every interval and test, also those that find too much; of all pairs the ranks too.",
)
@level_option
@source_options
@table_options
@json_option
@click.pass_context
def compare(  # noqa: PLR0913  a command's options are its arguments
    context: click.Context,
    first: str | None,
    second: str | None,
    *,
    selection: ForecastSelection,
    metric: str | None,
    level: float,
    in_full: bool,
    layout: TableLayout,
    as_json: bool,
) -> int:
    """Compare FIRST with SECOND on the questions that both answered.

    Who is better is said by the board's rule: on the dates of its season, or on any day of a
    board without an end; of a file, for one look. Without names every pair is compared, all
    of them together: --columns, --sort and --limit shape the table of pairs. --json has all
    numbers, as --all does.
    """
    if first is not None and layout != AS_IT_IS:
        raise click.UsageError("--columns, --sort and --limit are for the table of all pairs")
    if first is not None and second is None:
        raise usage_error(
            "usage.missing",
            "a comparison needs two contestants, or none for all pairs",
            hint="arena compare FIRST SECOND",
        )
    evidence = gathered(context, selection)
    default = "brier" if evidence.forecasts.options is None else "brier_sum"
    how = _How(level, layout, in_full, as_json)
    if first is None or second is None:
        _all(evidence, metric or default, how)
    else:
        _two(evidence, (first, second), metric or default, how)
    return complain_of_faults(evidence)


def _all(evidence: ForecastEvidence, metric: str, how: _How) -> None:
    from arena.metrics.claims.board_claims import board_claims
    from arena.metrics.metric_values import LEVEL, is_mean
    from arena.metrics.pair_test import no_mean
    from arena.metrics.rank_sets import league

    forecasts, by_moment, level = evidence.forecasts, evidence.by_moment, how.level
    if not is_mean(metric, forecasts):
        raise no_mean(metric)
    claims = board_claims(
        forecasts, metric, level=level, by_moment=by_moment, scope=evidence.scope
    )
    places = (
        league(forecasts, metric, level=level, by_moment=by_moment, elo=True)
        if how.in_full or how.as_json
        else None
    )
    registered = metric == "brier" and level == LEVEL
    weighed = evidence.weighed("pairs", as_registered=registered)
    if how.as_json:
        say.say_json(**weighed, contest=claims.contest, league=places)
    elif claims.contest is None:
        click.echo("there are not between 2 and 100 contestants with resolved forecasts")
    else:
        _say_all(claims, how)
        if places:
            _say_places(places)
        click.echo(f"{weighed['words']}.")


def _say_all(claims: "BoardClaims", how: _How) -> None:
    from arena.metrics.claims.rules import basis_words

    contest = claims.contest
    if contest is None:
        return
    metric = METRICS[contest.metric]
    columns: Columns[Claim] = {
        "first": lambda claim: claim.first,
        "second": lambda claim: claim.second,
        "difference": lambda claim: metric.shown(claim.test.estimate),
        "interval": lambda claim: say.between(claim.interval, metric),
        "events": lambda claim: str(claim.test.events),
        "p": lambda claim: say.p_value(claim.p_anytime),
        "better": lambda claim: claim.better or "not known",
        "p, one look": lambda claim: say.p_value(claim.p_adjusted),
    }
    table_of(
        columns, contest.claims, how.layout if how.in_full else replace(how.layout, usual=7)
    )
    click.echo(
        f"{metric.name}, first less second. A name is given if p, corrected for all pairs and "
        f"all looks, is at most {1 - contest.level:g}; p, one look, is corrected for all pairs "
        "and for a single look at what has resolved."
    )
    click.echo(basis_words(claims.basis))


def _say_places(ranking: "League") -> None:
    if not ranking.places:
        click.echo("ranks are not given: too few events were forecast by all of them")
        return
    metric = METRICS[ranking.metric]
    share = f"{100 * ranking.level:g} %"
    columns: Columns[Place] = {
        "rank": lambda p: str(p.rank),
        "contestant": lambda p: p.name,
        metric.short: lambda p: metric.shown(p.mean),
        "rank set": lambda p: f"{p.rank_low}-{p.rank_high}",
        "first": lambda p: f"{100 * p.first:.1f}%",
        "may be best": lambda p: (
            say.MISSING if p.in_mcs is None else ("yes" if p.in_mcs else "no")
        ),
        "strength": lambda p: say.MISSING if p.strength is None else f"{p.strength:+.2f}",
        "interval": lambda p: (
            f"{p.strength_interval.low:+.2f} to {p.strength_interval.high:+.2f}"
            if p.strength_interval
            else say.MISSING
        ),
        "Elo": lambda p: say.MISSING if p.elo is None else f"{p.elo:.0f}",
    }
    table_of(columns, ranking.places)
    click.echo(
        f"{metric.short}, rank sets, first and may be best are of the {ranking.questions} "
        f"questions in {ranking.events} events that all forecast. Rank sets hold all together "
        f"({share}). first: how often it led when events were resampled, which favours "
        "the leader. may be best: in the model confidence set, from 50 events on. strength and "
        "Elo are of all questions that a pair shares, and say how often one was better, not by "
        "how much; strength has an interval from 20 events on."
    )


def _two(evidence: ForecastEvidence, names: tuple[str, str], metric: str, how: _How) -> None:
    from arena.metrics.pair_test import duel

    comparison = duel(
        evidence.forecasts,
        names,
        metric,
        level=how.level,
        by_moment=evidence.by_moment,
        scope=evidence.scope,
    )
    weighed = evidence.weighed("pairs")  # one of them alone
    if how.as_json:
        say.say_json(**weighed, comparison=comparison)
    else:
        _say_two(comparison, how.level)
        if how.in_full:
            _say_otherwise(comparison)
        click.echo(f"{weighed['words']}.")


def _say_two(comparison: "Duel", level: float) -> None:
    metric = METRICS[comparison.metric]
    first, second = say.one_line(comparison.first), say.one_line(comparison.second)
    value, between = say.with_interval(comparison.estimate, metric)
    click.echo(
        f"{metric.name}, {first} less {second}: {value}, {100 * level:g} % interval {between}, "
        f"{say.p_equals(comparison.default.p)} ({comparison.default.name}, one look)\n"
        f"{many(comparison.questions, 'question')} in {many(comparison.events, 'event')} that "
        "both forecast"
    )
    verdict = (
        f"{say.one_line(comparison.better)} is better"
        if comparison.better
        else "not significantly different"
    )
    click.echo(
        f"{verdict}, {say.p_equals(comparison.p)} over all looks; nobody else is compared"
    )


def _say_otherwise(comparison: "Duel") -> None:
    """Print other tests and intervals, anti-conservative ones among them."""
    from arena.metrics.claims.rules import basis_words
    from arena.metrics.pair_test import ANTI_CONSERVATIVE

    metric = METRICS[comparison.metric]
    click.echo(basis_words(comparison.basis))
    table(
        ["interval, otherwise made", "", "from", "to"],
        [
            [i.method, "", metric.shown(i.low), metric.shown(i.high)]
            for i in comparison.intervals
        ],
    )
    table(
        ["test, otherwise made", "", "statistic", "p"],
        [
            [t.name, "anti-conservative" if t.name in ANTI_CONSERVATIVE else "",
             say.MISSING if t.statistic is None else f"{t.statistic:.3f}", say.p_value(t.p)]
            for t in comparison.tests
        ],
    )  # fmt: skip
    if any(t.name in ANTI_CONSERVATIVE for t in comparison.tests):
        click.echo(
            "anti-conservative: it finds differences that are not there more often than its p "
            "says; naive Z ignores that questions of one event share their news, and one is "
            "corrected for a horizon by its bandwidth"
        )
    if comparison.needed is not None:
        click.echo(
            f"were this the true difference, about {comparison.needed:,} such events would "
            "show it in 80 of 100 seasons; `arena power` plans for a difference chosen "
            "beforehand"
        )
