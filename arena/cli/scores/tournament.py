"""`arena tournament`: score a tournament, or cohorts, by the rules of 2022, or of now."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import say
from arena.cli.options import EXISTING_FILE, database_option, existing, json_option, known
from arena.cli.say import usage_error

if TYPE_CHECKING:
    from arena.cli.scores.tournament_file import TournamentFile
    from arena.scoring.tournament.records import Tournament, TournamentResult

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
@click.argument("file", type=EXISTING_FILE, required=False)
@click.option("--cohort", help="Score this cohort of the arena instead of a file.")
@click.option("--all", "whole", is_flag=True, help="Score all cohorts of the arena together.")
@database_option
@click.option(
    "--rules",
    type=click.Choice(RULES),
    help="By which rules; the file's if left out, and peer for cohorts.",
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
    type=EXISTING_FILE,
    help="A CSV file with further forecasts: question, forecaster, at, value.",
)
@click.option(
    "--each",
    type=click.Choice(EACH),
    help="How much to print of each question: its scores, also by day or between changes. "
    "For a file it is day if left out, for cohorts none.",
)
@json_option
@click.pass_context
def tournament(  # noqa: PLR0913  one argument for each option
    context: click.Context,
    file: Path | None,
    *,
    cohort: str | None,
    whole: bool,
    database: Path | None,
    rules: str | None,
    coverage: str | None,
    pool: float | None,
    minimum_prize: float | None,
    forecasts: Path | None,
    each: str | None,
    as_json: bool,
) -> None:
    """Score a tournament: every question, the leaderboard, the prizes.

    FILE has questions, how they resolved, and who forecast what and when; its format is
    described in docs/tournaments.md. Without one, --cohort or --all scores the arena's own
    forecasts: a question a market, baselines in brackets. The rules are those of Metaculus: of
    2022 (relative log score, coverage, take), or of now (peer, baseline, at all times or at
    one).
    """
    from arena.cli.scores.tournament_file import document, in_words, read_tournament
    from arena.scoring.tournament.records import Coverage, TournamentRule

    _refuse_several(file, cohort, forecasts, whole=whole)
    if file is not None:
        read = read_tournament(file, forecasts)
    else:
        read = of_cohorts(context, database, cohort)
    written = read.tournament
    wanted = replace(
        written,
        rule=TournamentRule(rules) if rules else written.rule,
        coverage=Coverage(coverage) if coverage else written.coverage,
        pool=written.pool if pool is None else pool,
        minimum_prize=written.minimum_prize if minimum_prize is None else minimum_prize,
    )
    if coverage and wanted.rule is not TournamentRule.Y2022:
        raise usage_error(
            "tournament.coverage",
            f"the rules {wanted.rule} have no weights of coverage",
            hint="leave --coverage out, or use it with --rules 2022",
        )
    result = _scored(wanted)
    if as_json:
        say.say_json(**document(result, dated=read.dated))
    else:
        in_words(result, each or ("day" if file else "none"), dated=read.dated)


def _scored(wanted: "Tournament") -> "TournamentResult":
    from arena.scoring.tournament.board import score_tournament

    try:
        return score_tournament(wanted)
    except ValueError as error:
        raise usage_error(
            "tournament.rules",
            str(error),
            hint="docs/tournaments.md says what each of the rules asks for",
        ) from error


def _refuse_several(
    file: Path | None, cohort: str | None, forecasts: Path | None, *, whole: bool
) -> None:
    if (file is not None) + (cohort is not None) + whole != 1:
        raise click.UsageError("name a FILE, or --cohort NAME, or --all.")
    if file is None and forecasts is not None:
        raise click.UsageError("--forecasts adds to a FILE: leave it out here.")


def of_cohorts(
    context: click.Context, database: Path | None, cohort: str | None
) -> "TournamentFile":
    """The forecasts of one cohort, or of all."""
    from arena.cli.scores.evidence import settings_of
    from arena.cli.scores.tournament_file import TournamentFile
    from arena.store.exports.other_formats import tournament_of
    from arena.wiring import cast

    config = context.obj.config
    settings = settings_of(config, database)
    who = cast(settings) if settings else {}
    references = [name for name, entrant in who.items() if entrant.reference]
    with existing(config, database) as store:
        return TournamentFile(
            tournament_of(store.db, known(store, cohort), references), dated=True
        )
