"""`arena replay`: a cohort over recorded markets."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import say
from arena.cli.options import json_option
from arena.clock import HandClock
from arena.errors import ArenaError
from arena.records.cohort import CohortSpec
from arena.records.grade import Board
from arena.records.market import VenueId
from arena.records.settings import Settings

INVENTED = "simulated"  # the adapter and the agent of models that are not real

if TYPE_CHECKING:
    from datetime import datetime

    from arena.ports import Venue
    from arena.site.overview import Overview
    from arena.store import Store


@click.command()
@click.argument("data", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--cohort",
    "cohort_file",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The cohort to play, such as cohorts/replay.yaml, which comes with the arena.",
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
@click.option("--no-site", is_flag=True, help="Write no pages: play and score alone.")
@json_option
@click.pass_context
def replay(  # noqa: PLR0913  # one for each option
    context: click.Context,
    data: Path,
    cohort_file: Path,
    out: Path,
    answers: Path | None,
    *,
    no_site: bool,
    as_json: bool,
) -> None:
    """Play a cohort over recorded markets: real questions, prices and outcomes.

    DATA is ForecastBench's folder of question and resolution sets, whole or in part (a round
    that has no resolutions yet is played, and its markets stay open), or an arena's own file
    or what `arena tape export` wrote of it: what its venue said is then said again, moment by
    moment, and the same cohort has the same journal. A contestant is shown nothing from after
    its moment. A replay that was stopped goes on where it was, and asks no model for an answer
    that it already has. Where there is no config.yaml, the contestants are those that come
    with the arena.
    """
    from arena.cli.scores.leaderboard import document, say_standing

    config, cohort_file = map(_there_or_shipped, (context.obj.config, cohort_file))
    played = play_replay(
        config, data, cohort_file, out, quiet=as_json, answers=answers, pages=not no_site
    )
    site = None if no_site else out / "site" / "index.html"
    if as_json:
        comparison = (
            {} if played.same is None else {"same": played.same, "differs": played.differs}
        )
        overview = document(played.sure, played.news)
        say.say_json(
            leaderboard=played.board,
            overview=overview,
            journal=played.head,
            site=None if site is None else str(site),
            recording=played.notes,
            **comparison,
        )
        return
    say_standing(played.board, played.sure, played.news)
    for note in played.notes:
        click.echo(say.one_line(note))
    click.echo(f"\njournal {played.head}")
    _say_whether_the_same(played, data)
    if site is not None:
        click.echo(f"site    {site.resolve().as_uri()}")


def _there_or_shipped(file: Path) -> Path:
    """A file that is there, or one of the same name and place that comes with the arena."""
    from arena.bundle import bundled

    shipped = bundled(file.as_posix())
    return file if file.exists() or file.is_absolute() or not shipped.is_file() else shipped


def _say_whether_the_same(played: "ReplayOutcome", data: Path) -> None:
    if played.same is None:
        return
    if played.same:
        click.echo(f"the same as in {data}")
    elif played.differs is None and data.is_dir():
        click.echo(f"every round and mark of its cohorts is as in {data}, which has no trades")
    elif played.differs is None:
        click.echo(f"every entry of its cohorts is as in {data}, which holds more than those")
    else:
        click.echo(
            f"not as in {data}: {say.one_line(played.differs)} is the first that differs"
        )


@dataclass(frozen=True, slots=True)
class ReplayOutcome:
    """How a replay ended; over an arena's own file, `same` says whether it went as there.

    `sure` is what is sure of the order, and `news` the site's first sentence. `differs` names
    the first entry of its cohorts that did not go the same way. `notes` say what a reader has
    to know of a recording.
    """

    board: Board
    sure: "Overview | None"
    news: str
    head: str
    same: bool | None = None
    differs: str | None = None
    notes: tuple[str, ...] = ()


def play_replay(  # noqa: PLR0913  # one for each option
    config: Path,
    data: Path,
    cohort_file: Path,
    out: Path,
    *,
    quiet: bool,
    answers: Path | None = None,
    pages: bool = True,
) -> ReplayOutcome:
    """Play a recorded cohort to its end.

    With `answers` its models say what they said in that arena's file, and nobody is asked.
    """
    from arena.cli.database import existing
    from arena.cli.scores.leaderboard import sure_of
    from arena.cli.start.demo_log import play_aloud
    from arena.config import load_cohort, load_settings
    from arena.store import locked, open_store
    from arena.store.tape.taped import EXPORTED, SqliteRecording, first_difference
    from arena.venues.forecastbench import NAME
    from arena.wiring import check_keys, replay_doors

    settings, database = load_settings(config), out / "arena.db"
    with ExitStack() as opened:
        source = _opened(opened, config, data, database)
        recorded = [NAME] if source is None else SqliteRecording(source.db).venues()
        spec = load_cohort(cohort_file, settings, venues=_venues(settings, recorded, data))
        _refuse_another_venue(spec, recorded, cohort_file, data)
        if source is None and not _invents(settings, spec):
            real = replace(settings.publishing, demonstration=False)
            settings = replace(settings, publishing=real)
        if answers is None:
            check_keys(settings, [spec])
        clock = HandClock(spec.start.first)
        venue, moments, notes = _playback(spec, source, data, clock)
        tape = opened.enter_context(existing(config, answers)) if answers else None
        lease = opened.enter_context(locked(database))
        store = opened.enter_context(open_store(database, lease=lease))
        doors = replay_doors(
            spec,
            settings,
            store,
            {spec.venue: venue},
            clock,
            out / "site",
            tape=tape,
            source=source,
        )
        if not pages:
            doors = replace(doors, publish=None)
        play_aloud("replaying", doors, clock, moments, quiet=quiet)
        board, head = store.boards.overall(), store.journal.head()
        sure, news = sure_of(store, board, replace(settings, site=out / "site"))
        if source is None:
            return ReplayOutcome(board, sure, news, head, notes=notes)
        same = head == source.journal.head()
        kinds = EXPORTED if data.is_dir() else None
        differs = None if same else first_difference(store.db, source.db, spec.name, kinds)
        return ReplayOutcome(board, sure, news, head, same, differs)


def _invents(settings: Settings, spec: CohortSpec) -> bool:
    """Whether anybody who plays is an invented model."""
    models = {model.name for model in settings.models if model.adapter == INVENTED}
    playing = [who for who in settings.contestants if who.id in spec.contestants]
    return any(who.agent == INVENTED or who.model in models for who in playing)


def _opened(opened: ExitStack, config: Path, data: Path, database: Path) -> "Store | None":
    """The recording of an arena, from its file or its export; None of a folder of questions."""
    from arena.cli.database import existing
    from arena.store.tape.taped import is_export

    if is_export(data):
        from arena.store.exports.tape_reading import recorded_store  # brings pandas

        return opened.enter_context(recorded_store(data))
    if data.is_dir():
        return None
    if data.resolve() == database.resolve():
        raise ArenaError(
            "replay.itself",
            f"{data} would be played into itself",
            hint="name another folder with --out",
            status=2,
        )
    return opened.enter_context(existing(config, data))


def _venues(settings: Settings, recorded: Sequence[VenueId], data: Path) -> list[VenueId]:
    """The venues that a cohort may name: those of a folder alone, or any that is known."""
    if data.is_dir():
        return list(recorded)
    return sorted({*recorded, *(venue.id for venue in settings.venues)})


def _refuse_another_venue(
    spec: CohortSpec, recorded: Sequence[VenueId], cohort_file: Path, data: Path
) -> None:
    if spec.venue not in recorded:
        raise ArenaError(
            "replay.venue",
            f"{cohort_file} is about the venue {spec.venue}, but DATA holds "
            f"{', '.join(recorded) or 'none'}",
            hint=f"write `venue: {recorded[0]}` in it"
            if recorded
            else f"{data} never asked a venue: `arena tick` does",
            status=2,
        )


def _playback(
    spec: CohortSpec, source: "Store | None", data: Path, clock: HandClock
) -> "tuple[Venue, Sequence[datetime], tuple[str, ...]]":
    """What answers in a venue's place, the moments to play, and what to say of them."""
    from arena.steps.replay import TapedVenue, replay_moments
    from arena.store.tape.taped import SqliteRecording
    from arena.venues.forecastbench import load
    from arena.venues.recorded import RecordedVenue

    if source is None:
        recording = load(data)
        recorded = RecordedVenue(recording, clock)
        return recorded, replay_moments(spec, recorded.news()), recording.notes
    recorded_moments = SqliteRecording(source.db).moments(spec.venue, spec.name)
    moments = [at for at in recorded_moments if at >= spec.start.first]
    return TapedVenue(source, spec.venue, spec.name, clock), moments, ()
