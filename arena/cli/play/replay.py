"""`arena replay`: a cohort over recorded markets."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import say
from arena.cli.options import EXISTING_FILE, FOLDER, NEW_FILE, json_option
from arena.records.grade import Board

if TYPE_CHECKING:
    from arena.site.overview.records import Overview


@click.command()
@click.argument("data", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--cohort",
    "cohort_file",
    type=NEW_FILE,
    required=True,
    help="The cohort to play, such as cohorts/replay.yaml, which comes with the arena.",
)
@click.option(
    "--out",
    type=FOLDER,
    default=Path("replay"),
    help="The folder for the database and the site.",
)
@click.option(
    "--answers",
    type=EXISTING_FILE,
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
    from arena.bundle import here_or_bundled
    from arena.cli.scores.leaderboard import document, say_standing

    config, cohort_file = map(here_or_bundled, (context.obj.config, cohort_file))
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
            may_remember=played.leaks,
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
    to know of a recording, `leaks` who may remember how its markets ended.
    """

    board: Board
    sure: "Overview | None"
    news: str
    head: str
    same: bool | None = None
    differs: str | None = None
    notes: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()


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
    from arena.cli.scores.leaderboard import sure_of
    from arena.cli.start.demo import play_aloud
    from arena.config import load_settings
    from arena.replay import ReplayTask, recorded_cohort, replayed
    from arena.store.tape.taped import EXPORTED, first_difference

    spec, settings = recorded_cohort(load_settings(config), data, cohort_file)
    task = ReplayTask(spec, settings, data, out, answers, pages)
    words: list[str] = []

    def warn(leak: str) -> None:
        words.append(leak)
        if not quiet:
            say.note(f"warning: {leak}")

    with replayed(task, partial(play_aloud, "replaying", quiet=quiet), warn) as played:
        store, source = played.store, played.source
        board, head = store.boards.overall(), store.journal.head()
        sure, news = sure_of(store, board, replace(settings, site=out / "site"))
        leaks = tuple(words)
        if source is None:
            return ReplayOutcome(board, sure, news, head, notes=played.notes, leaks=leaks)
        same = head == source.journal.head()
        kinds = EXPORTED if data.is_dir() else None
        differs = None if same else first_difference(store.db, source.db, spec.name, kinds)
        return ReplayOutcome(board, sure, news, head, same, differs, leaks=leaks)
