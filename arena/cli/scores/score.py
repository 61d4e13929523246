"""`arena score`: scores of any forecasts, from files or from the arena itself."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from arena.cli import say
from arena.cli.options import json_option
from arena.cli.say import usage_error
from arena.cli.scores.evidence import (
    ForecastEvidence,
    ForecastSelection,
    complain_of_faults,
    gathered,
    left_out,
    level_option,
    source_options,
)
from arena.cli.tables import TableLayout, refuse_unknown, table, table_options
from arena.metrics.registry import METRICS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena.metrics.claims.board_claims import BoardClaims
    from arena.metrics.claims.questions import MarketTests
    from arena.metrics.groups import GroupBoard
    from arena.metrics.scorecard import Scorecard, ScorecardLine, ScoreReport
    from arena.scoring.published import BenchRow

MOST: Final = 10  # names in a line; --json has all
USUAL: Final = 6  # columns, where no metric is named: as far as the gain over the market

COLUMNS = """\b
A file has a row a forecast and these columns, in any order; others are ignored. Usual
other names, such as model, question, probability and resolution, are known.
  contestant   who forecast; the file's name where there is no such column
  market       what was forecast                                      required
  event        markets of one event share their news; the market itself if absent
  at           when it was forecast, ISO 8601
  p            P(YES), or p_1, p_2, ... for a question with options    required
  market_p     the market's P(YES) at that moment
  close_p      the market's last P(YES) before it closed
  outcome      1 or yes, 0 or no; the number of the option that came true;
               empty while it is open, void if it never came out       required
CSV as spreadsheets of any country write it (semicolons, tabs, 31 %, 0,31), JSON (an
array of objects), JSON lines, Parquet and ForecastBench forecast sets are read. A
contestant may forecast a market at several moments: every row counts."""


@click.command(epilog=COLUMNS)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@click.option(
    "--metric", "metrics", multiple=True, help="Only this metric; again for several, or `all`."
)
@click.option("--rank-by", help="The metric that orders the lines.")
@click.option("--by", help="Break scores down by this column or label, such as category.")
@click.option("--ordered", is_flag=True, help="The options stand in an order: compute RPS.")
@click.option(
    "--draws",
    type=click.IntRange(0, 100_000),
    default=0,
    help="Resample events so often for the intervals of what is no mean, in --json.",
)
@click.option(
    "--forecastbench",
    is_flag=True,
    help="ForecastBench's row: dataset and market questions, both together, and the index.",
)
@level_option
@source_options
@table_options
@json_option
@click.pass_context
def score(  # noqa: PLR0913  a command's options are its arguments
    context: click.Context,
    *,
    selection: ForecastSelection,
    metrics: tuple[str, ...],
    rank_by: str | None,
    by: str | None,
    level: float,
    ordered: bool,
    draws: int,
    forecastbench: bool,
    layout: TableLayout,
    as_json: bool,
) -> int:
    """Score forecasts: with intervals, and who is shown to be better than whom.

    Without FILE the arena's own forecasts are scored.
    """
    from arena.metrics.scorecard import score_report

    evidence = gathered(context, selection, [by] if by else [])
    report = score_report(
        evidence.forecasts,
        metrics,
        rank_by=rank_by,
        by=by or None,
        level=level,
        ordered=ordered,
        draws=draws,
        by_moment=evidence.by_moment,
        scope=evidence.scope,
    )
    bench = _bench(evidence) if forecastbench else None
    if as_json:
        say.say_json(**score_document(evidence, report, bench))
    elif bench is not None:
        _say_bench(evidence, bench, layout)
    else:
        _say(evidence, report, replace(layout, usual=None if metrics else USUAL))
    return complain_of_faults(evidence)


def _bench(evidence: ForecastEvidence) -> "Sequence[BenchRow]":
    """The rows of ForecastBench's board: of its files, or of an arena of its rounds."""
    from arena.scoring.published import DATASETS, MARKETS, bench_rows

    rows, sources = evidence.forecasts, MARKETS | DATASETS
    label = rows.labels.get("source") or rows.labels.get("category")
    there = set() if label is None else {label.names[code] for code in label.codes.tolist()}
    if label is None or not there <= sources or rows.options is not None:
        raise usage_error(
            "score.forecastbench",
            "these are not all questions of ForecastBench",
            hint="name its forecast sets with --resolutions, or an arena of its rounds",
        )
    return bench_rows(rows, label)


def _say_bench(
    evidence: ForecastEvidence, rows: "Sequence[BenchRow]", layout: TableLayout
) -> None:
    brier = METRICS["brier"].shown
    table(
        ["contestant", "dataset", "N dataset", "market", "N market", "overall", "N", "index"],
        [
            [
                row.contestant,
                brier(row.dataset),
                str(row.n_dataset),
                brier(row.market),
                str(row.n_market),
                brier(row.overall),
                str(row.n),
                METRICS["brier_index"].shown(row.index),
            ]
            for row in rows
        ],
        layout,
    )
    if evidence.forecasts.left_out and not evidence.faulty:
        click.echo(left_out(evidence))
    click.echo(
        "mean Brier scores; overall is the mean of both halves, and the index 100 (1 - its "
        "root); not adjusted for difficulty, and no test says who differs"
    )


def score_document(
    evidence: ForecastEvidence, report: "ScoreReport", bench: "Sequence[BenchRow] | None" = None
) -> dict[str, object]:
    """What `arena score --json` prints."""
    card, claims, parts, board = report.card, report.claims, report.parts, report.board
    forecasts, pairs = evidence.forecasts, claims.contest
    keys = list(card.lines[0].scores) if card.lines else [card.rank_by]
    ranks = open_ranks(card, claims)
    return {
        **evidence.weighed("pairs", as_registered=_is_registered(claims)),
        "read_as": evidence.said,
        "forecasts": len(forecasts),
        "left_out": {
            why: {"rows": n, "first_row": place and place.row, "first": place}
            for why, n in forecasts.left_out.items()
            for place in [evidence.first.get(why)]
        },
        "level": card.level,
        "rank_by": card.rank_by,
        "metrics": {key: METRICS[key] for key in keys},
        "contestants": [_line(line, ranks) for line in card.lines],
        "pairs": pairs,
        "market": _market_document(evidence, claims, card.level),
        "breakdown": parts
        and {"by": parts.by, "lines": [_line(line, {}) for line in parts.lines]},
        "groups": board,
        "forecastbench": bench,
    }


def open_ranks(card: "Scorecard", claims: "BoardClaims") -> "Mapping[str, tuple[int, int]]":
    """The ranks that claims leave open; nothing where they are of another metric."""
    contest = claims.contest
    if contest is None or contest.metric != card.rank_by or not claims.basis.minimum.met:
        return {}
    return contest.ranks


def _is_registered(claims: "BoardClaims") -> bool:
    """Registered pairs are of Brier scores of all that was stated, at the usual level."""
    from arena.metrics.metric_values import LEVEL

    contest = claims.contest
    return contest is not None and (contest.metric, contest.level) == ("brier", LEVEL)


def _of_market(evidence: ForecastEvidence, level: float) -> tuple[str, str]:
    """The standing of tests against the market's price."""
    from arena.metrics.metric_values import LEVEL

    return evidence.of("market", as_registered=level == LEVEL)


def _market_document(
    evidence: ForecastEvidence, claims: "BoardClaims", level: float
) -> dict[str, object] | None:
    if claims.against is None:
        return None
    standing, words = _of_market(evidence, level)
    return {**say.as_plain(claims.against), "standing": standing, "words": words}


def _say_market(
    evidence: ForecastEvidence, market_tests: "MarketTests | None", last: str
) -> None:
    """One line; it says what it may be taken for where that is not what the last line says."""
    if market_tests is None:
        return
    words = _of_market(evidence, market_tests.level)[1]
    shown = [f"{test.contestant} {test.verdict}" for test in market_tests.tests if test.verdict]
    named = _first_of(shown)
    click.echo(
        f"{len(shown)} of {len(market_tests.tests)} contestants are shown to be better or "
        f"worse than the market's price at the decision ({100 * market_tests.level:g} %)"
        + (f": {say.one_line(named)}" if named else "")
        + ("" if words == last else f"; {words}")
    )


def _line(line: "ScorecardLine", ranks: "Mapping[str, tuple[int, int]]") -> dict[str, object]:
    low, high = ranks.get(line.name, (None, None))
    return {
        "contestant": line.name,
        "part": line.part or None,
        "rank": line.rank,
        "rank_low": low,
        "rank_high": high,
        "n": line.n,
        "questions": line.questions,
        "markets": line.markets,
        "events": line.events,
        "clipped": line.clipped,
        "scores": dict(line.scores),
    }


def _say(evidence: ForecastEvidence, report: "ScoreReport", layout: TableLayout) -> None:
    from arena.metrics.claims.rules import basis_words

    card, claims, parts, board = report.card, report.claims, report.parts, report.board
    forecasts = evidence.forecasts
    if card.lines:
        refuse_unknown(_head(card.lines, card.rank_by, open_ranks(card, claims)), layout)
    markets, events = (f.used() for f in (forecasts.market, forecasts.event))
    click.echo(f"{len(forecasts)} forecasts of {markets} markets in {events} events")
    if markets and markets == events:
        click.echo(
            "each market counts as an event of its own: where several hang on the same news, "
            "intervals are too narrow"
            + ("; a column event says which do" if evidence.journal is None else "")
        )
    if forecasts.left_out and not evidence.faulty:
        click.echo(left_out(evidence))
    if not card.lines:
        click.echo(f"nothing to score: {_why_nothing(evidence)}")
        return
    _table(card.lines, card.rank_by, open_ranks(card, claims), layout)
    clipped = sum(line.clipped for line in card.lines)
    if clipped and "log" in card.lines[0].scores:
        click.echo(f"log loss: {clipped} likelihoods below 1e-6 were counted as 1e-6")
    _say_fewer(card.lines)
    _say_pairs(card, claims)
    words = evidence.of("pairs", as_registered=_is_registered(claims))[1]
    _say_market(evidence, claims.against, words)
    if len(card.lines) > 1 or claims.against:
        click.echo(basis_words(claims.basis))
    if parts:
        for part in dict.fromkeys(line.part for line in parts.lines):
            click.echo(f"\n{say.one_line(f'{parts.by}: {part}')}")
            mine = [line for line in parts.lines if line.part == part]
            _table(mine, parts.rank_by, {}, layout)
        click.echo("the order within a part is not tested, and its questions may be others")
    if board:
        _groups(board)
    click.echo(f"{words}.")


def _why_nothing(evidence: ForecastEvidence) -> str:
    if evidence.faulty:
        return "no row could be used"
    is_empty = not evidence.forecasts.left_out and evidence.journal is None
    return "there are no rows" if is_empty else "no forecast has come out yet"


def _first_of(names: "Sequence[str]") -> str:
    more = f" and {len(names) - MOST} more" * (len(names) > MOST)
    return ", ".join(names[:MOST]) + more


def _say_fewer(lines: "Sequence[ScorecardLine]") -> None:
    """The scores of fewer rows than their line's n, with how many."""
    metrics: dict[tuple[str, ...], list[str]] = {}
    for key in lines[0].scores:
        estimates = [(line, line.scores[key]) for line in lines]
        fewer = tuple(f"{line.name} {e.n}" for line, e in estimates if 0 < e.n < line.n)
        metrics.setdefault(fewer, []).append(METRICS[key].name)
    for fewer, names in metrics.items():
        if fewer:
            click.echo(
                f"of fewer rows than n ({say.one_line(_first_of(fewer))}): {', '.join(names)}"
            )


def _say_pairs(card: "Scorecard", board: "BoardClaims") -> None:
    if board.contest is None:
        if len(card.lines) > 1:
            click.echo("pairs are compared of 2 to 100 contestants that have a value")
        return
    claims, level = board.contest.claims, board.contest.level
    shown = sum(claim.better is not None for claim in claims)
    ranks = (
        "ranks are what that leaves open" if open_ranks(card, board) else "no ranks are given"
    )
    if board.contest.metric != card.rank_by:
        ranks = f"that is of the {METRICS[board.contest.metric].name}, and the ranks are not"
    has_baselines = any({one.first, one.second} - board.contest.ranks.keys() for one in claims)
    apart = "; pairs with a baseline are a separate family" * has_baselines
    click.echo(
        f"{shown} of {len(claims)} pairs are significantly different on their common questions "
        f"({100 * level:g} %, all pairs and all looks together{apart}); {ranks}"
    )


def _groups(board: "GroupBoard") -> None:
    metric = METRICS[board.metric]
    questions = (
        f"{board.questions} questions in {board.events} events that all forecast"
        if board.common
        else "each entrant's own questions, against the market's price"
    )
    label = say.one_line(board.label)
    click.echo(f"\n{label}, by the mean of its entrants' {metric.short}: {questions}")
    table(
        [label, "entrants", "drawn together", "interval", "own mean", "best", "luck"],
        [
            [
                line.name,
                str(line.entrants),
                *say.with_interval(line.ability, metric),
                metric.shown(line.own),
                metric.shown(line.best),
                metric.shown(line.luck),
            ]
            for line in board.lines
        ],
    )
    click.echo("luck: how far the best of so many equals stands out by chance alone")
    if board.state != "ok":
        click.echo("the means could not be drawn together: their errors are tied or too few")


def _columns(lines: "Sequence[ScorecardLine]", rank_by: str) -> "tuple[str, ...]":
    """The metrics in the order of their columns: what ranks, the gain over the market, more."""
    from arena.metrics.claims.adjusted_gain import GAIN

    first = (rank_by, GAIN)
    places = {key: n for n, key in enumerate(first)}
    return tuple(sorted(lines[0].scores, key=lambda key: places.get(key, len(first))))


def _head(
    lines: "Sequence[ScorecardLine]", rank_by: str, ranks: "Mapping[str, tuple[int, int]]"
) -> "list[str]":
    first, *others = (METRICS[key].short for key in _columns(lines, rank_by))
    order = "rank" if ranks else "order"
    return [order, "contestant", first, "interval", "events", *others, "questions", "n"]


def _table(
    lines: "Sequence[ScorecardLine]",
    rank_by: str,
    ranks: "Mapping[str, tuple[int, int]]",
    layout: TableLayout,
) -> None:
    keys = _columns(lines, rank_by)
    rows = []
    for line in lines:
        order = (None, None) if ranks else (line.rank, line.rank)  # a reference has no rank
        low, high = ranks.get(line.name, order)
        rank = str(low or "-") if low == high else f"{low}-{high}"
        first = say.with_interval(line.scores[rank_by], METRICS[rank_by])
        rest = [METRICS[key].shown(line.scores[key].value) for key in keys[1:]]
        counts = [str(line.questions), str(line.n)]
        rows.append([rank, line.name, *first, str(line.events), *rest, *counts])
    table(_head(lines, rank_by, ranks), rows, layout)
