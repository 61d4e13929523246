"""`arena insights`: what forecasts know beyond the price, and whether they err together."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import say
from arena.cli.options import json_option
from arena.cli.say import unknown_name, usage_error
from arena.cli.scores.evidence import (
    ForecastEvidence,
    ForecastSelection,
    complain_of_faults,
    file_option,
    gathered,
    level_option,
    source_options,
)
from arena.cli.tables import TableLayout, refuse_unknown, table, table_options
from arena.metrics.registry import METRICS
from arena.records.estimate import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.metrics.insights.arms import Arms
    from arena.metrics.insights.drift import ProbeDrift
    from arena.metrics.insights.report import ContestantInsights, Insights

COLUMNS = (
    "contestant", "n", "w", "interval", "gain", "within 2", "r price", "b", "contradicts",
    "note",
)  # fmt: skip
NOTE = (
    "w: 0 adds nothing to the price, 1 is right wherever the two differ.",
    "within 2: share of forecasts within 2 points of the price.",
    "b: how much of the difference from the price came true.",
    "contradicts: share of checks of related markets that an arbitrageur gains by.",
    "These are exploratory: `arena score` and `arena compare` make claims.",
)
REASONS = {
    State.OK: "",
    State.EMPTY: "nothing to estimate it from",
    State.SINGLE: "one event",
    State.TOO_FEW: "too few events",
    State.DEGENERATE: "no variance",
    State.PERFECT_REFERENCE: "the price made no error",
    State.NOT_ESTIMABLE: "cannot be estimated",
}


@click.command()
@click.option("--contestant", help="Only this one, with every value and its interval.")
@click.option(
    "--probes",
    type=click.Path(path_type=Path),
    help="Also a file of answers to the same questions over time: whether they drift.",
)
@file_option
@level_option
@source_options
@table_options
@json_option
@click.pass_context
def insights(  # noqa: PLR0913  a command's options are its arguments
    context: click.Context,
    *,
    contestant: str | None,
    probes: Path | None,
    selection: ForecastSelection,
    level: float,
    layout: TableLayout,
    as_json: bool,
) -> int:
    """Show what forecasts know beyond the price, and whether contestants err together.

    Is it information, or a copy of the price? Each contestant's log odds are fitted beside the
    price's, its own probabilities are checked for contradictions, and its errors are
    correlated with everybody else's. Baselines are left out of what is said of all together.
    """
    if not as_json and contestant is None:
        refuse_unknown(COLUMNS, layout)
    evidence = gathered(context, selection)
    whole = _insights_of(evidence, level)
    shown = [own for own in whole.contestants if contestant in {None, own.contestant}]
    if contestant is not None and not shown:
        raise unknown_name(
            "score.contestant",
            f"{contestant} has no resolved forecast",
            contestant,
            [own.contestant for own in whole.contestants],
        )
    drifted = _drifted(probes, contestant)
    if as_json:
        say.say_json(
            **evidence.weighed("insights"),
            left_out=dict(evidence.forecasts.left_out),
            level=whole.level,
            contestants=shown,
            together=whole.together,
            values=whole.values,
            pairs=whole.pairs,
            arms=whole.arms,
            crowd=whole.crowd,
            drift=drifted,
        )
    elif contestant is not None:
        _say_one(shown[0])
    else:
        _say_all(whole, layout)
    if probes is not None and not as_json:
        click.echo()
        _say_drift(drifted)
    return complain_of_faults(evidence)


def _insights_of(evidence: ForecastEvidence, level: float) -> "Insights":
    from arena.metrics.insights.report import insights as insights_of

    if evidence.forecasts.options is not None:
        raise usage_error(
            "insights.options",
            "insights are of yes/no forecasts, and these are over several options",
            hint="`arena score` scores them",
        )
    references = evidence.scope.references if evidence.scope else frozenset[str]()
    return insights_of(evidence.forecasts, references, evidence.designs, level=level)


def _drifted(probes: Path | None, contestant: str | None) -> "Sequence[ProbeDrift]":
    """The drift of a file's answers; a warning says what of it cannot be used."""
    if probes is None:
        return ()
    from arena.metrics.insights.drift import drifts
    from arena.sheets.reading import read_probes

    answers, left_out = read_probes(probes)
    for why, n in left_out.items():
        say.note(f"{probes.name}: {n} rows left out: {why.replace('_', ' ')}")
    return [own for own in drifts(answers) if contestant in {None, own.contestant}]


def _say_one(own: "ContestantInsights") -> None:
    click.echo(f"{say.one_line(own.contestant)}: {own.n:,} forecasts of {own.events:,} events")
    table(
        ["", "value", "interval", "n", "why not"],
        [
            [
                METRICS[key].name,
                *say.with_interval(estimate, METRICS[key]),
                f"{estimate.n:,}",
                REASONS[estimate.state],
            ]
            for key, estimate in own.values.items()
        ],
    )
    if own.updating:
        click.echo()
        _say_updating(own)
    click.echo(_copies(own) or "It does not copy the price.")


def _say_updating(own: "ContestantInsights") -> None:
    """The value of updating by the share of a market's life that had gone."""
    gain, rel, res = METRICS["value_of_updating"], METRICS["rel"], METRICS["res"]
    rows = []
    for part in own.updating:
        terms = (part.frozen, part.updated)
        rows.append(
            [
                part.stage,
                *say.with_interval(part.gain, gain),
                *(rel.shown(term.reliability if term else None) for term in terms),
                *(res.shown(term.resolution if term else None) for term in terms),
                f"{part.gain.n:,}",
            ]
        )
    head = [
        "updating in the",
        "gain",
        "interval",
        "rel first",
        "rel now",
        "res first",
        "res now",
    ]
    table([*head, "n"], rows)


def _say_all(whole: "Insights", layout: TableLayout) -> None:
    if not whole.contestants:
        click.echo("no forecast has resolved yet")
        return
    rows = []
    for own in whole.contestants:
        shown = {key: say.with_interval(e, METRICS[key]) for key, e in own.values.items()}
        rows.append(
            [
                own.contestant,
                str(own.n),
                *shown["information_weight"],
                shown["information_gain"][0],
                shown["within_two_points"][0],
                shown["price_correlation"][0],
                shown["slope"][0],
                shown["broken_checks"][0],
                _copies(own),
            ]
        )
    table(COLUMNS, rows, layout)
    for line in NOTE:
        click.echo(line)
    click.echo()
    _say_together(whole)
    if whole.arms.pairs:
        click.echo()
        _say_arms(whole.arms)


def _say_together(whole: "Insights") -> None:
    brier = METRICS["brier"]
    named = {
        **{METRICS[key].name: (METRICS[key], e) for key, e in whole.values.items()},
        "Brier score of the price": (brier, whole.crowd["price"]),
        "Brier score of the closing price": (brier, whole.crowd["close"]),
        **{METRICS[key].name: (METRICS[key], e) for key, e in whole.arms.values.items()},
    }
    table(
        [f"{whole.together} contestants together", "value", "interval", "n", "why not"],
        [
            [
                name,
                *say.with_interval(estimate, metric),
                f"{estimate.n:,}",
                REASONS[estimate.state],
            ]
            for name, (metric, estimate) in named.items()
        ],
    )


def _say_drift(drifted: "Sequence[ProbeDrift]") -> None:
    """Each contestant's answers to probes: how far off they are now, and since when."""
    from arena.metrics.insights.drift import wealth_words

    distance = METRICS["drift"]
    rows = [
        [
            own.contestant,
            str(own.questions),
            str(len(own.looks)),
            distance.shown(own.looks[-1].distance if own.looks else None),
            distance.shown(own.replicates),
            wealth_words(own.looks[-1].e if own.looks else None),
            str(own.alarm or ("none" if own.looks else "needs two first answers")),
        ]
        for own in drifted
    ]
    table(["probes", "questions", "looks", "distance", "of copies", "e", "alarm"], rows)
    click.echo("distance: mean difference of log odds from the first day's answers.")
    click.echo("An alarm (e of 20) is false at most once in 20 contestants in 52 looks.")


def _say_arms(arms: "Arms") -> None:
    """Pairs of one model: copies, and those that differ in one setting."""
    distance, difference = METRICS["forecast_distance"], METRICS["difference"]
    rows = [
        [
            f"{pair.a} - {pair.b}",
            f"{pair.setting}: {pair.a_has or 'none'}, {pair.b_has or 'none'}"
            if pair.setting
            else "copies",
            *say.with_interval(pair.distance, distance),
            *say.with_interval(pair.difference, difference),
            str(pair.distance.n),
        ]
        for pair in arms.pairs
    ]
    table(["one model", "differ in", "distance", "", "Brier difference", "", "n"], rows)
    click.echo("Below 0 the first loses less. `arena compare` makes claims of pairs.")


def _copies(own: "ContestantInsights") -> str:
    return "copies the price" if own.copies else ""
