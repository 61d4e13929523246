"""`arena demo`: the whole thing, played on simulated markets in a few seconds.

The play is told step by step.
"""

import asyncio
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import say
from arena.cli.options import FOLDER, json_option, make_sure, yes_option
from arena.cli.say import progress, report_line, usage_error
from arena.clock import HandClock
from arena.records.claim import Season
from arena.records.cohort import Cadence, CohortSpec, Rules, Start, Universe
from arena.records.grade import Board
from arena.records.market import VenueId
from arena.records.settings import (
    Schedule,
    Settings,
    SiteSettings,
    VenueSettings,
)

if TYPE_CHECKING:
    from arena.steps.doors import Doors


def play_aloud(
    title: str, doors: "Doors", clock: HandClock, moments: Sequence[datetime], *, quiet: bool
) -> int:
    """Play to the end with a bar or a line a step; how many files of the site changed."""
    from arena.steps.replay import play_through, still_to_come

    done = len(moments) - len(still_to_come(doors, moments))
    with progress(title, len(moments), done=done, quiet=quiet) as step:
        played = play_through(doors, clock, moments, lambda report: step(report_line(report)))
        return asyncio.run(played)


FIRST_DAY = datetime(2026, 1, 5, tzinfo=UTC)
A_DAY = timedelta(days=1)
EVENTS_PER_DAY = 6
VENUE = VenueId("simulated")
NOTE = "demo.json"


@dataclass(frozen=True, slots=True)
class Demo:
    """What a demo is made from: the same three numbers give the same bytes."""

    days: int
    contestants: int
    seed: int


@click.command()
@click.option("--days", type=click.IntRange(1, 3650), default=98)
@click.option("--contestants", type=click.IntRange(0, 500), default=13)
@click.option("--seed", type=click.IntRange(0), default=1)
@click.option(
    "--out", type=FOLDER, default=Path("demo"), help="The folder for the database and the site."
)
@yes_option
@json_option
def demo(  # noqa: PLR0913  each is an option
    days: int, contestants: int, seed: int, out: Path, *, is_sure: bool, as_json: bool
) -> None:
    """Play weekly cohorts of invented language models on a simulated venue.

    No key and no network is needed. Four invented providers have two releases each, which
    differ in skill, price and speed. Their skill was set beforehand, so that you can see
    whether the leaderboard finds it. From best to worst: northwind-large-2; three copies of
    halcyon-pro-3 and tessera-2, nearly equal; northwind-large-1; halcyon-pro-2; tessera-1,
    which fails often, northwind-small-2 and northwind-large-2-blind, which is shown no prices,
    each about as good as the market's price; meridian-open-2; meridian-open-1.

    With fewer contestants the first of them play, with more the models play once more. Run it
    again and it finishes what was stopped; with other numbers it throws the old one away, and
    asks first.
    """
    wanted = Demo(days, contestants, seed)
    old = _noted(out / NOTE)
    if old is not None and old != wanted:
        what = f"The demo in {out}, of other numbers, is thrown away."
        make_sure(what, is_sure=is_sure, as_json=as_json)
    board, head, pages = play_demo(wanted, out, quiet=as_json)
    site = out / "site" / "index.html"
    settings = demo_settings(wanted, out)
    if as_json:
        notice = settings.publishing.notice
        say.say_json(
            leaderboard=board, journal=head, pages=pages, site=str(site), demonstration=notice
        )
        return
    _say_standing(board, settings)
    _say_true_order(board, settings)
    click.echo(f"\njournal {head}")
    click.echo(f"site    {site.resolve().as_uri()}")


def play_demo(wanted: Demo, out: Path, *, quiet: bool = False) -> tuple[Board, str, int]:
    """Play a demo into a folder.

    Returns:
        The leaderboard, the digest of the whole journal, and how many files were written.
    """
    from arena.store import locked, open_store
    from arena.wiring import build_doors

    _refuse_foreign(out)
    settings = demo_settings(wanted, out)
    moments = [FIRST_DAY + n * A_DAY for n in range(wanted.days)]
    with locked(settings.database) as lease:
        _make_room(out, wanted)
        with open_store(settings.database, lease=lease) as store:
            clock = HandClock(FIRST_DAY)
            doors = build_doors(settings, store, clock)
            pages = play_aloud("playing", doors, clock, moments, quiet=quiet)
            return store.boards.overall(), store.journal.head(), pages


def _say_standing(board: Board, settings: Settings) -> None:
    """Print what the front page says: who leads, how sure that is, and the books."""
    from arena.cli.scores.leaderboard import say_standing, sure_of
    from arena.store import open_store

    with open_store(settings.database) as store:
        sure, news = sure_of(store, board, settings)
    say_standing(board, sure, news)


def _say_true_order(board: Board, settings: Settings) -> None:
    """Say what was set beforehand, and whether the Brier scores found it."""
    from arena.agents.simulated import known_scores

    click.echo(settings.publishing.notice)
    expected = known_scores(settings.contestants, settings.models)
    score_by_contestant = {s.contestant: s.forecast.value for s in board.standings}
    scores = {
        who: value for who in expected if (value := score_by_contestant.get(who)) is not None
    }
    pairs = [(a, b) for a, b in combinations(scores, 2) if expected[a] < expected[b]]
    if not pairs:
        return
    best, *_, worst = scores
    right = sum(scores[better] < scores[worse] for better, worse in pairs)
    click.echo(
        f"\nThe skill of the models was set beforehand: {best} is the best and "
        f"{worst} the worst.\nThe Brier scores put {right} of {len(pairs)} pairs of "
        "unequal models in the order that was set.\nOpen the site for the ranking, prompts "
        "and replies, prices and costs."
    )


def demo_settings(wanted: Demo, out: Path) -> Settings:
    """What a demo's configuration file would say."""
    from arena.agents import simulated
    from arena.bundle import templates
    from arena.records.settings import baseline_contestants

    cast = simulated.cast(wanted.contestants, wanted.seed, events_per_day=EVENTS_PER_DAY)
    playing = baseline_contestants() + cast.contestants
    spec = CohortSpec(
        name="weekly",
        title="Weekly demo cohort",
        venue=VENUE,
        start=Start(Cadence.WEEKLY, FIRST_DAY),
        decide_every=timedelta(days=2),
        decide_for=timedelta(days=6),
        universe=Universe(top=24, per_event=2),
        contestants=tuple(c.id for c in playing),
        rules=Rules(max_mark_age=timedelta(days=7)),
    )
    return Settings(
        root=out,
        database=out / "arena.db",
        site=out / "site",
        templates=templates(),
        venues=(
            VenueSettings(
                VENUE, "simulated", (("seed", wanted.seed), ("events_per_day", EVENTS_PER_DAY))
            ),
        ),
        models=cast.models,
        contestants=playing,
        schedule=Schedule(),
        cohorts=(spec,),
        publishing=SiteSettings(demonstration=True),
        season=_season(wanted.days),
    )


def settings_beside(database: Path) -> Settings | None:
    """What a database was played with that a demo made; None for any other."""
    made = _noted(database.parent / NOTE)
    return demo_settings(made, database.parent) if made else None


def _season(days: int) -> Season:
    """A season that ends with the demo's last tick, or a year of seasons."""
    length = min(max(1, days - 1), 364)
    return Season(FIRST_DAY.date(), timedelta(days=length), timedelta(days=min(30, length)))


def _refuse_foreign(out: Path) -> None:
    """Only an empty folder, or one that a demo was played in, is a demo's to write to."""
    ours = {NOTE, "arena.db-tick"}
    if _noted(out / NOTE) or not out.exists():
        return
    if any(file.name not in ours for file in out.iterdir()):
        raise usage_error(
            "demo.folder", f"{out} holds something else", hint="name an empty folder with --out"
        )


def _make_room(out: Path, wanted: Demo) -> None:
    """Keep a demo of the same numbers and clear one of others, while nobody plays there."""
    note = out / NOTE
    if _noted(note) == wanted:
        return
    for name in ("arena.db", "arena.db-wal", "arena.db-shm"):
        (out / name).unlink(missing_ok=True)
    for folder in ("site", ".site.cache"):
        shutil.rmtree(out / folder, ignore_errors=True)
    note.write_text(json.dumps(asdict(wanted)) + "\n", encoding="utf-8")


def _noted(note: Path) -> Demo | None:
    """The numbers a demo was made from; None where no demo wrote this note."""
    try:
        note_content = json.loads(note.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    names = {f.name for f in fields(Demo)}
    return (
        Demo(**note_content)
        if isinstance(note_content, dict) and note_content.keys() == names
        else None
    )
