"""`arena score`: scores of any forecasts, from files or from the arena itself."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from arena.cli import later, say
from arena.cli.evidence import (
    Asked,
    Evidence,
    complain_of_faults,
    gathered,
    left_out,
    level_option,
    source_options,
)
from arena.cli.options import json_option
from arena.cli.tables import Look, refuse_unknown, table, table_options
from arena.metrics.registry import METRICS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena.metrics.against_market import MarketTests
    from arena.metrics.contest import Contest
    from arena.metrics.groups import GroupBoard
    from arena.metrics.scorecard import Line, Scorecard

    Broken = tuple[Scorecard | None, GroupBoard | None]

MOST: Final = 10  # names in a line; --json has all

COLUMNS = """\b
A file has a row a forecast and these columns, in any order; others are ignored.
  contestant   who forecast; the file's name where there is no such column
  market       what was forecast                                      required
  event        markets of one event share their news; the market itself if absent
  at           when it was forecast, ISO 8601
  p            P(YES), or p_1, p_2, ... for a question with options    required
  market_p     the market's P(YES) at that moment
  close_p      the market's last P(YES) before it closed
  outcome      1 or yes, 0 or no; the number of the option that came true;
               empty while it is open, void if it never came out       required
CSV, JSON (an array of objects), JSON lines, Parquet and ForecastBench forecast sets
are read. A contestant may forecast a market at several moments: every row counts."""


@click.command(epilog=COLUMNS)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@click.option(
    "--metric", "metrics", multiple=True, help="Only this metric; again for several, or `all`."
)
@click.option("--rank-by", help="The metric that orders the lines.")
@click.option("--by", help="Break scores down by this column or label, such as category.")
@click.option("--ordered", is_flag=True, help="The options stand in an order: compute RPS.")
@click.option(
    "--daily/--no-daily",
    default=None,
    help="Also say what holds however often one looks; of the arena's own, by default.",
)
@click.option(
    "--draws",
    type=click.IntRange(0, 100_000),
    default=0,
    show_default=True,
    help="Resample events so often for the intervals of what is no mean, in --json.",
)
@level_option
@source_options
@table_options
@json_option
@click.pass_context
def score(  # noqa: PLR0913  a command's options are its arguments
    context: click.Context,
    *,
    asked: Asked,
    metrics: tuple[str, ...],
    rank_by: str | None,
    by: str | None,
    level: float,
    ordered: bool,
    draws: int,
    daily: bool | None,
    look: Look,
    as_json: bool,
) -> int:
    """Score forecasts: with intervals over events, and who can be told apart.

    Without FILE the arena's own forecasts are scored.
    """
    evidence = gathered(context, asked, [by] if by else [])
    forecasts = evidence.forecasts
    keys = (
        later.measures.computable(forecasts, ordered=ordered)
        if metrics == ("all",)
        else metrics
    )
    whole = later.scorecard.scorecard(
        forecasts, keys, rank_by=rank_by, level=level, draws=draws, ordered=ordered
    )
    used = tuple(whole.lines[0].scores) if whole.lines else ()
    parts = later.scorecard.broken_down(forecasts, whole, used, by) if by else None
    board = _grouped(evidence, by, whole) if by else None
    pairs = later.contest.contest(
        forecasts, whole.rank_by, level=level, by_moment=evidence.by_moment
    )
    if pairs and (evidence.by_moment if daily is None else daily):
        pairs = later.daily.with_daily(pairs, forecasts, by_moment=evidence.by_moment)
    if as_json:
        say.say_json(**_document(evidence, whole, pairs, (parts, board)))
    else:
        _say(evidence, whole, pairs, (parts, board), look)
    return complain_of_faults(evidence)


def _grouped(evidence: Evidence, by: str, whole: "Scorecard") -> "GroupBoard | None":

    key, moments = whole.rank_by, evidence.by_moment
    return later.groups.groups(
        evidence.forecasts, by, key, level=whole.level, by_moment=moments
    )


def _document(
    evidence: Evidence,
    whole: "Scorecard",
    pairs: "Contest | None",
    broken: "Broken",
) -> dict[str, object]:
    found = evidence.forecasts
    parts, board = broken
    keys = list(whole.lines[0].scores) if whole.lines else [whole.rank_by]
    open_ranks = _open_ranks(whole, pairs)
    standing, words = _standing(evidence, pairs)
    return {
        "where": evidence.where,
        "forecasts": len(found),
        "left_out": {
            why: {"rows": n, "first_row": evidence.first.get(why)}
            for why, n in found.left_out.items()
        },
        "standing": standing,
        "words": words,
        "level": whole.level,
        "rank_by": whole.rank_by,
        "metrics": {key: METRICS[key] for key in keys},
        "contestants": [_line(line, open_ranks) for line in whole.lines],
        "pairs": pairs,
        "market": _market_document(evidence, whole),
        "breakdown": parts
        and {"by": parts.by, "lines": [_line(line, {}) for line in parts.lines]},
        "groups": board,
    }


def _open_ranks(whole: "Scorecard", pairs: "Contest | None") -> "Mapping[str, tuple[int, int]]":
    """What pairs leave open of the ranks; nothing where they are of another metric."""
    return pairs.ranks if pairs and pairs.metric == whole.rank_by else {}


def _standing(evidence: Evidence, pairs: "Contest | None") -> tuple[str, str]:
    """Of the pairs: registered are Brier scores of all that was stated, at the usual level."""
    usual = pairs is not None and (pairs.metric, pairs.level) == ("brier", later.measures.LEVEL)
    return evidence.of("pairs", as_registered=usual)


def _market(evidence: Evidence, whole: "Scorecard") -> "tuple[MarketTests | None, str, str]":
    """Who differs from the price, and what that may be taken for."""
    found = later.against_market.against_market(evidence.forecasts, level=whole.level)
    return found, *evidence.of("market", as_registered=whole.level == later.measures.LEVEL)


def _market_document(evidence: Evidence, whole: "Scorecard") -> dict[str, object] | None:
    found, standing, words = _market(evidence, whole)
    if found is None:
        return None
    return {**say.as_plain(found), "standing": standing, "words": words}


def _say_market(evidence: Evidence, whole: "Scorecard", last: str) -> None:
    """One line; it says what it may be taken for where that is not what the last line says."""
    found, _, words = _market(evidence, whole)
    if found is None:
        return
    apart = [f"{one.contestant} {one.verdict}" for one in found.tests if one.verdict]
    named = ", ".join(apart[:MOST]) + (f" and {len(apart) - MOST} more" * (len(apart) > MOST))
    click.echo(
        f"{len(apart)} of {len(found.tests)} contestants differ from the market's price at the "
        f"decision ({100 * found.level:g} %, t over events, Holm)"
        + (f": {say.one_line(named)}" if named else "")
        + ("" if words == last else f"; {words}")
    )


def _line(line: "Line", ranks: "Mapping[str, tuple[int, int]]") -> dict[str, object]:
    low, high = ranks.get(line.name, (None, None))
    return {
        "contestant": line.name,
        "part": line.part or None,
        "rank": line.rank,
        "rank_low": low,
        "rank_high": high,
        "n": line.n,
        "markets": line.markets,
        "events": line.events,
        "clipped": line.clipped,
        "scores": dict(line.scores),
    }


def _say(
    evidence: Evidence,
    whole: "Scorecard",
    pairs: "Contest | None",
    broken: "Broken",
    look: Look,
) -> None:
    found = evidence.forecasts
    parts, board = broken
    _refuse_unknown(whole, pairs, look)
    markets, events = (f.used() for f in (found.market, found.event))
    click.echo(f"{len(found)} forecasts of {markets} markets in {events} events")
    if found.left_out and not evidence.faulty:
        click.echo(left_out(evidence))
    if not whole.lines:
        why = "no row could be used" if evidence.faulty else "no forecast has come out yet"
        click.echo(f"nothing to score: {why}")
        return
    _table(whole.lines, whole.rank_by, _open_ranks(whole, pairs), look)
    clipped = sum(line.clipped for line in whole.lines)
    if clipped and "log" in whole.lines[0].scores:
        click.echo(f"log loss: {clipped} likelihoods below 1e-6 were counted as 1e-6")
    if pairs:
        apart = sum(claim.better is not None for claim in pairs.claims)
        ranks = "ranks are what that leaves open" if _open_ranks(whole, pairs) else ""
        click.echo(
            f"{apart} of {len(pairs.claims)} pairs are told apart on their common questions "
            f"({100 * pairs.level:g} %, t over events, Holm); "
            + (ranks or f"that is of the {METRICS[pairs.metric].name}, and the ranks are not")
        )
        if any(claim.p_anytime is not None for claim in pairs.claims):
            always = sum(claim.better_anytime is not None for claim in pairs.claims)
            click.echo(
                f"{always} of them however often the board is looked at (e-values of Brier "
                "scores, each event once, as it was first forecast)"
            )
    elif len(whole.lines) > 1:
        click.echo("pairs are tested of 2 to 100 contestants that have a value: not of these")
    _say_market(evidence, whole, _standing(evidence, pairs)[1])
    if parts:
        for part in dict.fromkeys(line.part for line in parts.lines):
            click.echo(f"\n{say.one_line(f'{parts.by}: {part}')}")
            mine = [line for line in parts.lines if line.part == part]
            _table(mine, parts.rank_by, {}, look)
        click.echo("the order within a part is not tested, and its questions may be others")
    if board:
        _groups(board)
    click.echo(f"{_standing(evidence, pairs)[1]}.")


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
        [
            label,
            "entrants",
            "drawn together",
            "interval",
            "own mean",
            "best",
            "luck",
        ],
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


def _refuse_unknown(whole: "Scorecard", pairs: "Contest | None", look: Look) -> None:
    if whole.lines:
        refuse_unknown(_head(whole.lines, whole.rank_by, _open_ranks(whole, pairs)), look)


def _head(
    lines: "Sequence[Line]", rank_by: str, ranks: "Mapping[str, tuple[int, int]]"
) -> "list[str]":
    others = [METRICS[key].short for key in lines[0].scores if key != rank_by]
    order = "rank" if ranks else "order"
    return [order, "contestant", METRICS[rank_by].short, "interval", "n", "events", *others]


def _table(
    lines: "Sequence[Line]", rank_by: str, ranks: "Mapping[str, tuple[int, int]]", look: Look
) -> None:
    keys = sorted(lines[0].scores, key=lambda key: key != rank_by)
    rows = []
    for line in lines:
        low, high = ranks.get(line.name, (line.rank, line.rank))
        rank = str(low or "-") if low == high else f"{low}-{high}"
        first = say.with_interval(line.scores[rank_by], METRICS[rank_by])
        rest = [METRICS[key].shown(line.scores[key].value) for key in keys[1:]]
        rows.append([rank, line.name, *first, str(line.n), str(line.events), *rest])
    table(_head(lines, rank_by, ranks), rows, look)
