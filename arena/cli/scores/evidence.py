"""Where a command's forecasts come from: files, or the arena's own database."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli import say
from arena.cli.options import database_option, existing, known
from arena.cli.say import usage_error
from arena.records.claim import Scope
from arena.records.settings import Settings

if TYPE_CHECKING:
    from arena.metrics.insights.arms import Design
    from arena.records.cohort import CohortId
    from arena.records.seal import Grading
    from arena.scoring.table import Forecasts, Place
    from arena.sheets.board import PublishedBoard
    from arena.sheets.reading import ArrowTable
    from arena.store import Store

SAYINGS = ("forecast", "stated", "kelly", "linear")
CONFIRMATORY = "confirmatory"


@dataclass(frozen=True, slots=True)
class ForecastSelection:
    """Which forecasts a command is about; from Python also tables.

    `dated` ones need their contestants' cut-offs.
    """

    files: "tuple[Path | ArrowTable, ...]"
    resolutions: tuple[Path, ...] = ()
    questions: tuple[Path, ...] = ()
    database: Path | None = None
    cohort: str | None = None
    saying: str = "forecast"
    mapped: tuple[str, ...] = ()
    after_cutoff: bool = False
    dated: bool = False


@dataclass(frozen=True, slots=True)
class ForecastEvidence:
    """Forecasts, where they come from, and what may be claimed from them.

    `first` says for each reason where something was first left out, and `names` what the files
    call our columns; `said` tells what was taken for what. `standing` is
    confirmatory where tests were sealed before the first forecast; `tests` names them.
    `by_moment` says that all were asked at the same moments, as in the arena's rounds, and
    `several` that there are several files.
    `journal` is the digest of the arena's journal, None for files. `scope` says by which
    board's rule claims are made; None for files. `designs` are how its contestants are set up.
    """

    forecasts: "Forecasts"
    where: str
    first: "Mapping[str, Place]"
    faulty: int
    standing: str
    words: str
    by_moment: bool
    several: bool = False
    tests: tuple[str, ...] = ()
    journal: str | None = None
    scope: Scope | None = None
    designs: "tuple[Design, ...]" = ()
    names: Mapping[str, str] = field(default_factory=dict)
    said: tuple[str, ...] = ()

    def of(self, test: str, *, as_registered: bool) -> tuple[str, str]:
        """The standing of the result of one test, and the reason.

        A result is confirmatory where the test was registered by that name, and made just as
        it was registered.
        """
        if test in self.tests and as_registered:
            return self.standing, self.words
        return exploratory(self.standing, self.words)

    def weighed(self, test: str, *, as_registered: bool = False) -> dict[str, str]:
        """Where the numbers are from, and what the result of one test may be taken for."""
        standing, words = self.of(test, as_registered=as_registered)
        return {"where": self.where, "standing": standing, "words": words}


def exploratory(standing: str, words: str) -> tuple[str, str]:
    """The standing of a result that is not of the registered tests, and the reason."""
    if standing != CONFIRMATORY:
        return standing, words
    return "exploratory", f"exploratory: not the test that was registered ({words})"


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that name its forecasts; it gets them as one `selection`."""

    @wraps(command)
    def gather(*args: Any, files: tuple[Path, ...] = (), **rest: Any) -> Any:  # noqa: ANN401
        selection = ForecastSelection(files, **{name: rest.pop(name) for name in _NAMES})
        return command(*args, selection=selection, **rest)

    wrapped: Callable[..., Any] = gather
    for option in _OPTIONS:
        wrapped = option(wrapped)
    return wrapped


_FILE = click.Path(path_type=Path)
_NAMES = (
    *("resolutions", "questions", "database", "cohort", "saying", "mapped"),
    "after_cutoff",
)
after_cutoff_option = click.option(
    "--after-cutoff",
    is_flag=True,
    help="Only what was asked after the contestant's knowledge cut-off.",
)
map_option = click.option(
    "--map",
    "mapped",
    multiple=True,
    metavar="THEIRS=OURS",
    help="A file's name of a column, as in --map model=contestant; again for several.",
)
_OPTIONS = (
    after_cutoff_option,
    map_option,
    click.option(
        "--probability",
        "saying",
        type=click.Choice(SAYINGS),
        default="forecast",
        help="Of the arena's own: all stated forecasts, or those of bets by a mapping.",
    ),
    click.option("--cohort", help="Of the arena's own: only this cohort."),
    database_option,
    click.option(
        "--questions",
        type=_FILE,
        multiple=True,
        help="ForecastBench question sets: they hold the market's price.",
    ),
    click.option(
        "--resolutions",
        type=_FILE,
        multiple=True,
        help="ForecastBench resolution sets, for forecast sets.",
    ),
)
file_option = click.option(
    "--file",
    "files",
    multiple=True,
    type=_FILE,
    help="Forecasts of a file, as `arena score` reads them; again for several.",
)


class _Level(click.FloatRange):
    """A number below 1, so that the middle between it and 1 is below 1 too.

    "nan" is a float to click, and in every range.
    """

    def convert(
        self, value: float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        level: float = super().convert(value, param, ctx)
        if not (1 + level) / 2 < 1:
            self.fail(f"{value} is not in the range 0<x<1.", param, ctx)
        return level


level_option = click.option(
    "--level",
    type=_Level(0, 1, min_open=True, max_open=True),
    default=0.95,
    help="Confidence of the intervals.",
)


def gathered(
    context: click.Context, selection: ForecastSelection, labels: Sequence[str] = ()
) -> ForecastEvidence:
    """Read the forecasts that a command is about.

    Raises:
        ArenaError: A file cannot be read, there is no database, or nothing of that name.
    """
    evidence = evidence_of_selection(context.obj.config, selection, labels)
    for line in () if context.obj.as_json else evidence.said:
        say.note(line)
    return evidence


def evidence_of_selection(
    config: Path, selection: ForecastSelection, labels: Sequence[str] = ()
) -> ForecastEvidence:
    """Read forecasts from files or tables, or from the arena that a configuration names.

    Raises:
        ArenaError: As `gathered`.
    """
    if selection.files:
        return _from_files(selection, labels)
    if selection.resolutions or selection.questions or selection.mapped:
        raise usage_error(
            "score.source",
            "resolution sets, question sets and --map go with files, and no file is named",
            hint="name the files of forecasts too",
        )
    return _from_arena(config, selection)


def left_out(evidence: ForecastEvidence) -> str:
    """Say how many rows were left out, and why; empty for none."""
    counts = evidence.forecasts.left_out
    if not counts:
        return ""
    reasons = (f"{n} {_why(evidence, why)}{_first(evidence, why)}" for why, n in counts.items())
    return f"left out: {', '.join(reasons)}"


def complain_of_faults(evidence: ForecastEvidence) -> int:
    """Say on standard error what was faulty in a file; the exit code that it means."""
    if not evidence.faulty:
        return 0
    from arena.sheets.columns import REPAIRS

    click.echo(f"warning: {say.one_line(left_out(evidence))}", err=True)
    for why in evidence.forecasts.left_out:
        if why in REPAIRS:
            click.echo(f"  hint: {REPAIRS[why]}", err=True)
    return 3


def _why(evidence: ForecastEvidence, why: str) -> str:
    """A reason in words, with the column as the file calls it."""
    ours = max(
        (key for key in evidence.names if why.startswith(f"{key}_")), key=len, default=""
    )
    return evidence.names.get(ours, ours) + why.removeprefix(ours).replace("_", " ")


def _first(evidence: ForecastEvidence, why: str) -> str:
    place = evidence.first.get(why)
    if place is None:
        return ""
    file = f"{place.file}, " * evidence.several
    against = f", which contradicts {place.against}" * bool(place.against)
    return f" (first in {file}{place.at}{against})"


def _from_files(selection: ForecastSelection, labels: Sequence[str]) -> ForecastEvidence:
    from arena.sheets.reading import read_forecasts

    own = selection.cohort or selection.database or selection.after_cutoff
    if own or selection.saying != SAYINGS[0]:
        raise usage_error(
            "score.source",
            "a file of forecasts has no cohort, no database, no cut-offs and one probability a "
            "row",
            hint="name files, or leave them out to read the arena's own forecasts",
        )
    sheet = read_forecasts(
        selection.files,
        resolutions=selection.resolutions,
        questions=selection.questions,
        labels=labels,
        renames=column_by_heading(selection.mapped),
    )
    where = ", ".join(str(f) if isinstance(f, Path) else "table" for f in selection.files)
    board = sheet.board
    words = "exploratory: nobody sealed beforehand what would be tested"
    return ForecastEvidence(
        sheet.forecasts,
        where,
        sheet.first,
        sheet.faulty,
        board.standing if board else "exploratory",
        say.one_line(board.words) if board else words,
        by_moment=board is not None,
        several=len(selection.files) > 1,
        tests=board.tests if board else (),
        journal=board.journal if board else None,
        scope=board.scope if board else None,
        names=sheet.names,
        said=sheet.said,
    )


def column_by_heading(mapped: Sequence[str]) -> Mapping[str, str]:
    """Our column by a heading of the file, as --map says.

    Raises:
        click.BadParameter: One of them does not say so.
    """
    pairs = [text.rpartition("=") for text in mapped]
    for text, (theirs, _, ours) in zip(mapped, pairs, strict=True):
        if not (theirs and ours):
            raise click.BadParameter(f"{text!r} is not THEIRS=OURS", param_hint="--map")
    return {theirs: ours for theirs, _, ours in pairs}


def _from_arena(config: Path, selection: ForecastSelection) -> ForecastEvidence:
    from arena.config import load_settings
    from arena.metrics.insights.arms import designs_of
    from arena.store.scores.evidence import Saying, SqliteEvidence, with_prices
    from arena.store.tape.taped import with_ladders
    from arena.wiring import cast

    settings = named = settings_of(config, selection.database)
    if named is None and (selection.after_cutoff or selection.dated):
        named = load_settings(config)  # a replay's file has the cut-offs of whoever asks
    with existing(config, selection.database) as store:
        cohort = known(store, selection.cohort)
        forecasts = SqliteEvidence(store.db).forecasts(
            Saying(selection.saying), cohort, cast(named) if named else {}
        )
        forecasts = forecasts.after_cutoff() if selection.after_cutoff else forecasts
        forecasts = with_ladders(store.db, with_prices(store.db, forecasts))
        board, where = board_of_arena(store, settings, cohort), str(store.db.path)
    as_sealed = selection.saying == "forecast" and not selection.after_cutoff
    return ForecastEvidence(
        forecasts,
        where,
        {},
        0,
        board.standing,
        board.words,
        by_moment=True,
        tests=board.tests if as_sealed else (),
        journal=board.journal,
        scope=board.scope,
        designs=designs_of(cast(settings).values()) if settings else (),
    )


def board_of_arena(
    store: "Store", settings: Settings | None, cohort: "CohortId | None" = None
) -> "PublishedBoard":
    """By which rule claims of an arena's forecasts are made, and what they may be taken for."""
    from arena.sheets.board import PublishedBoard
    from arena.site.overview.read import today_of
    from arena.steps.seal import evidence_of

    weight = evidence_of(store, cohort, grader(settings))
    scope = _scope(settings, today_of(store))
    return PublishedBoard(
        scope, weight.standing, weight.words, weight.tests, store.journal.head()
    )


def grader(settings: Settings | None) -> "Callable[[], Grading]":
    """A function that gives the grading in force, with the looks of a configured board."""
    from arena.steps.seal import grading_now, grading_of

    if settings is None:
        return grading_now
    return partial(grading_of, settings.season)


def _scope(settings: Settings | None, today: date) -> Scope:
    """The board that the configuration lays down; an endless one of a file without one."""
    from arena.wiring import cast

    if settings is None:
        return Scope(today)
    who = cast(settings)
    references = frozenset(name for name, entrant in who.items() if entrant.reference)
    return Scope(today, settings.season, references)


def settings_of(config: Path, database: Path | None) -> Settings | None:
    """What an arena is configured with; None of a file that has no configuration.

    A file that is named is a demo's, or that of the configuration, or of one in its folder.

    Raises:
        ArenaError: A configuration cannot be read.
    """
    from arena.cli.start.demo import settings_beside
    from arena.config import load_settings

    if database is None:
        return load_settings(config)
    if demonstrated := settings_beside(database):
        return demonstrated
    folders = database.resolve().parents[:2]  # `data/arena.db` is of the folder above
    for file in (config, *(folder / config.name for folder in folders)):
        if file.is_file():
            settings = load_settings(file)
            if database.resolve() == Path(settings.database).resolve():
                return settings
    return None
