"""`arena replay`: a cohort over recorded markets."""

from contextlib import ExitStack
from pathlib import Path

import click

from arena.cli import say
from arena.cli.aloud import play_aloud
from arena.cli.database import existing
from arena.clock import HandClock
from arena.config import load_cohort, load_settings
from arena.errors import ArenaError
from arena.records.grade import Board
from arena.steps.replay import replay_moments
from arena.store import locked, open_store
from arena.venues.forecastbench import NAME, load
from arena.venues.recorded import RecordedVenue
from arena.wiring import check_keys, replay_doors


@click.command()
@click.argument("data", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--cohort",
    "cohort_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    required=True,
    help="The cohort to play, such as cohorts/replay.yaml.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("replay"),
    show_default=True,
    help="The folder for the database and the site.",
)
@click.option(
    "--answers",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Take models' answers from this arena's file; one that is not there stops the replay.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def replay(  # noqa: PLR0913  # one for each option
    context: click.Context,
    data: Path,
    cohort_file: Path,
    out: Path,
    answers: Path | None,
    *,
    as_json: bool,
) -> None:
    """Play a cohort over recorded markets: real questions, prices and outcomes.

    DATA is a folder of ForecastBench question and resolution sets. A contestant is shown
    nothing from after its moment. A replay that was stopped goes on where it was, and asks
    no model for an answer that it already has.
    """
    board, head = play_replay(
        context.obj.config, data, cohort_file, out, quiet=as_json, answers=answers
    )
    site = out / "site" / "index.html"
    if as_json:
        say.say_json(leaderboard=board, journal=head, site=str(site))
        return
    say.leaderboard(board)
    click.echo(f"\njournal {head}")
    click.echo(f"site    {site.resolve().as_uri()}")


def play_replay(  # noqa: PLR0913  # one for each option
    config: Path,
    data: Path,
    cohort_file: Path,
    out: Path,
    *,
    quiet: bool,
    answers: Path | None = None,
) -> tuple[Board, str]:
    """Play a recorded cohort to its end; the leaderboard and the journal's digest.

    With `answers` its models say what they said in that arena's file, and nobody is asked.
    """
    settings = load_settings(config)
    spec = load_cohort(cohort_file, settings, venues=[NAME])
    if spec.venue != NAME:
        raise ArenaError(
            "replay.venue",
            f"{cohort_file} is about the venue {spec.venue}, but DATA holds {NAME}",
            hint=f"write `venue: {NAME}` in it",
            status=2,
        )
    if answers is None:
        check_keys(settings, [spec])
    clock, recording, database = HandClock(spec.start.first), load(data), out / "arena.db"
    with ExitStack() as opened:
        tape = opened.enter_context(existing(config, answers)) if answers else None
        opened.enter_context(locked(database))
        store = opened.enter_context(open_store(database))
        venue = RecordedVenue(recording, clock)
        moments = replay_moments(spec, venue.news())
        doors = replay_doors(
            spec, settings, store, {spec.venue: venue}, clock, out / "site", tape=tape
        )
        play_aloud("replaying", doors, clock, moments, quiet=quiet)
        return store.boards.overall(), store.journal.head()
