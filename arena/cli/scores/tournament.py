"""`arena tournament`: score a forecasting tournament by the rules of 2022, or of now."""

from dataclasses import replace
from pathlib import Path

import click

from arena.cli import say
from arena.cli.options import json_option
from arena.errors import ArenaError

RULES = (
    "2022",
    "peer",
    "baseline",
    "spot-peer",
    "spot-baseline",
    "relative-legacy",
    "peer-global",
    "peer-global-before-2024",
    "baseline-global",
)
COVERAGES = ("all", "hidden", "given")
EACH = ("none", "question", "day", "interval")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--rules", type=click.Choice(RULES), help="By which rules; the file's if left out."
)
@click.option(
    "--coverage",
    type=click.Choice(COVERAGES),
    help="Which times count towards coverage (rules of 2022); the file's if left out.",
)
@click.option("--pool", type=float, help="The prize pool; the file's if left out.")
@click.option(
    "--minimum-prize", type=float, help="Smaller prizes are not paid; the file's if left out."
)
@click.option(
    "--forecasts",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A CSV file with further forecasts: question, forecaster, at, value.",
)
@click.option(
    "--each",
    type=click.Choice(EACH),
    default="day",
    show_default=True,
    help="How much to print of each question: its scores, also by day or between changes.",
)
@json_option
def tournament(  # noqa: PLR0913  one argument for each option
    file: Path,
    *,
    rules: str | None,
    coverage: str | None,
    pool: float | None,
    minimum_prize: float | None,
    forecasts: Path | None,
    each: str,
    as_json: bool,
) -> None:
    """Score the tournament in FILE: every question, the leaderboard, the prizes.

    FILE has questions, how they resolved, and who forecast what and when; its format is
    described in docs/tournaments.md. The rules are those of Metaculus: of 2022 (relative log
    score, coverage, take), or of now (peer, baseline, at all times or at one).
    """
    from arena.cli.scores.tournament_file import read_tournament
    from arena.cli.scores.tournament_json import document, in_words
    from arena.scoring.tournament.board import score_tournament
    from arena.scoring.tournament.records import Coverage, TournamentRule

    read = read_tournament(file, forecasts)
    written = read.tournament
    wanted = replace(
        written,
        rule=TournamentRule(rules) if rules else written.rule,
        coverage=Coverage(coverage) if coverage else written.coverage,
        pool=written.pool if pool is None else pool,
        minimum_prize=written.minimum_prize if minimum_prize is None else minimum_prize,
    )
    if coverage and wanted.rule is not TournamentRule.Y2022:
        raise ArenaError(
            "tournament.coverage",
            f"the rules {wanted.rule} have no weights of coverage",
            hint="leave --coverage out, or use it with --rules 2022",
            status=2,
        )
    try:
        result = score_tournament(wanted)
    except ValueError as error:
        raise ArenaError(
            "tournament.rules",
            str(error),
            hint="docs/tournaments.md says what each of the rules asks for",
            status=2,
        ) from error
    if as_json:
        say.say_json(**document(result, dated=read.dated))
    else:
        in_words(result, each, dated=read.dated)
