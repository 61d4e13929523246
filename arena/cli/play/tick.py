"""`arena tick`: do once whatever is due."""

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import FAILED, LIMIT, PARTIAL
from arena.cli.options import NEW_FILE, json_option
from arena.cli.say import (
    is_terminal,
    note,
    one_line,
    report_line,
    say_json,
    say_line,
    usage_error,
)
from arena.clock import HandClock, SystemClock
from arena.errors import ArenaError
from arena.records.answer import Trouble
from arena.records.market import VenueId
from arena.records.report import Failure, TickReport

if TYPE_CHECKING:
    from arena.ports import Clock, Venue
    from arena.records.settings import Settings
    from arena.steps.doors import Doors
    from arena.store import Store

    DoorsOf = Callable[[Settings, Store, Clock], Doors]

FIRST_YEAR, LAST_YEAR = 1970, 9000
PRESENT = timedelta(hours=1)


@click.command()
@click.option(
    "--at",
    metavar="TIME",
    help="The moment to play, such as 2026-01-05T09:00Z; now if left out.",
)
@click.option(
    "--dry-run", is_flag=True, help="Say what would be done; no model is asked for that."
)
@click.option(
    "--plan", type=NEW_FILE, help="Keep to this plan, or stop; with --dry-run, save it here."
)
@click.option(
    "--accept-rollback",
    is_flag=True,
    help="Go on from an older database than the site shows; the journal says so.",
)
@json_option
@click.pass_context
def tick(  # noqa: PLR0913  each is an option
    context: click.Context,
    at: str | None,
    *,
    dry_run: bool,
    plan: Path | None,
    accept_rollback: bool,
    as_json: bool,
) -> None:
    """Do once whatever is due: start cohorts, read prices, ask, trade, settle, publish.

    Safe to run twice, late, or in two processes at once: while another one ticks, this one
    leaves it the work. What a tick was killed in the middle of, the next one finishes.

    Where the site shows more than the database holds, because an older copy of it was put
    back, nothing is asked or written and the exit code is 7. --accept-rollback goes on all
    the same: the journal and the page of changes say which head was published and lost.

    With --dry-run it is played on a copy of the database, as large as it is, that stands in
    TMPDIR and is thrown away. Venues are asked, models are not: their first questions are
    listed with tokens and dollars, and what a budget would refuse if each took its worst. A
    plan that was saved holds until the configuration, the prompts, the books or what is due
    change.
    """
    when = None if at is None else moment(at)
    if dry_run:
        _rehearse(context.obj.config, when, plan, as_json=as_json)
        return
    try:
        report = tick_once(
            context.obj.config,
            when,
            plan,
            aloud=is_terminal(sys.stderr),
            accept_rollback=accept_rollback,
        )
    except ArenaError as error:
        if not left_to_another(error, as_json=as_json):
            raise
        return
    if as_json:
        say_json(report=report)
    else:
        click.echo(report_line(report))
        complain(report)
    context.exit(exit_code(report))


def _rehearse(config: Path, at: datetime | None, file: Path | None, *, as_json: bool) -> None:
    from arena.cli.play.plan import plan_of, save, say_plan
    from arena.config import load_settings

    settings = load_settings(config)
    now = (at or SystemClock().now()).replace(microsecond=0)
    plan = plan_of(settings, now)
    if file is not None:
        save(plan, file)
    if as_json:
        say_json(report=None, plan=plan)
        return
    say_plan(plan)
    if file is not None:
        note(f"saved to {file}: `arena tick --plan {file}` does this, or stops")


def left_to_another(error: ArenaError | OSError, *, as_json: bool) -> bool:
    """Whether another process holds the arena already; this is printed and is no failure."""
    if not isinstance(error, ArenaError) or error.code != "tick.busy":
        return False
    if as_json:
        say_line(report=None, busy=error.message)
    else:
        click.echo(f"{one_line(error.message)}: it does the work, nothing is left to do here")
    return True


def tick_once(  # noqa: PLR0913  each is an option of the command, but for the last
    config: Path,
    at: datetime | None,
    plan: Path | None = None,
    *,
    aloud: bool = False,
    accept_rollback: bool = False,
    doors_of: "DoorsOf | None" = None,
) -> TickReport:
    """Open an arena, play one moment, and close it; `aloud` names whose servers are asked.

    `doors_of` builds other doors than the configuration's: whoever names it answers for what
    their venues say at the moment that is played.

    Raises:
        ArenaError: Among others, what would be done is not what the saved `plan` says, or the
            site shows what is not in the journal, and that is not accepted.
    """
    from arena.config import load_settings
    from arena.watch.alarms import after_failure, after_tick
    from arena.watch.logs import logged
    from arena.wiring import secrets_of

    settings = load_settings(config)
    now = (at or SystemClock().now()).replace(microsecond=0)
    with logged(settings.watch.log, secrets_of(settings), f"{now:%Y-%m-%dT%H:%M:%SZ}"):
        try:
            report = _ticked(
                settings, now, plan, doors_of, aloud=aloud, accept_rollback=accept_rollback
            )
        except (ArenaError, OSError) as error:
            if getattr(error, "code", "") != "tick.busy":
                after_failure(settings, error, now)
            raise
        return after_tick(settings, report, now)


def _ticked(  # noqa: PLR0913  those of `tick_once`
    settings: "Settings",
    now: datetime,
    plan: Path | None,
    doors_of: "DoorsOf | None" = None,
    *,
    aloud: bool,
    accept_rollback: bool,
) -> TickReport:
    """Play one moment of an arena under its lease, then make the backups that are due."""
    from arena.cli.operations.backup import backups_due
    from arena.cli.play.plan import refuse_another
    from arena.site import heads
    from arena.site.heads import refuse_rollback
    from arena.steps.play import tick_and_publish
    from arena.store import locked, open_store
    from arena.wiring import build_doors

    with (
        locked(settings.database) as lease,
        open_store(settings.database, lease=lease) as store,
    ):
        store.db.refuse_damaged()
        clock = HandClock(now)
        if accept_rollback:
            heads.accept_rollback(store, Path(settings.site), clock.now())
        refuse_rollback(store, Path(settings.site))
        if plan is not None:
            refuse_another(plan, settings, store, clock.now())
        doors = (doors_of or build_doors)(settings, store, clock)
        live = () if doors_of else refuse_another_time(doors.venues, clock.now())
        if live and aloud:
            note(f"asking {', '.join(live)} ...")
        report = asyncio.run(lease.during(tick_and_publish(doors, clock.now())))
        if other := lease.taken_from:
            gone = f"{other} gave no sign for too long: taken over, it writes nothing more"
            report = replace(report, notes=(gone, *report.notes))
    done, failed = backups_due(settings, now)  # a drill may take long: the lease has ended
    stamped, unstamped = _stamp_due(settings)
    return replace(
        report,
        notes=report.notes + done + stamped,
        failures=report.failures + failed + unstamped,
    )


def _stamp_due(settings: "Settings") -> tuple[tuple[str, ...], tuple[Failure, ...]]:
    """Have the newest published head stamped where that is wanted; the tick stands anyway."""
    if not settings.publishing.stamps:
        return (), ()
    from arena.site.bundle.time_stamps import stamp_newest

    try:
        done = stamp_newest(
            Path(settings.site), settings.publishing.stamps, Path(settings.database)
        )
    except ArenaError as error:
        return (), (Failure(error.message, "the time stamp", error.hint),)
    return (done,) if done else (), ()


def refuse_another_time(
    venues: "Mapping[VenueId, Venue | ArenaError]", at: datetime
) -> Sequence[VenueId]:
    """Make sure that prices of today are not kept as those of another day.

    Returns:
        The venues that only know today's prices.

    Raises:
        ArenaError: There are any, and `at` is not now.
    """
    from arena.ports import Live

    live = sorted(name for name, venue in venues.items() if isinstance(venue, Live))
    if live and abs(SystemClock().now() - at) > PRESENT:
        raise usage_error(
            "tick.not_now",
            f"{', '.join(live)} can only say what is true now, not at {at:%Y-%m-%d %H:%M} UTC",
            hint="leave out --at; `arena replay` plays the past from a recorded tape",
        )
    return live


def moment(text: str) -> datetime:
    """Read a moment; without a zone it is refused, for it would mean two things.

    Raises:
        ArenaError: The text is not a moment in ISO 8601 with a zone.
    """
    at = None
    with suppress(ValueError):
        at = datetime.fromisoformat(text)
    if at is None or at.tzinfo is None or not FIRST_YEAR <= at.year < LAST_YEAR:
        hint = "write it like 2026-01-05T09:00Z"
        raise usage_error("usage.time", f"not a moment with a time zone: {text!r}", hint=hint)
    return at.astimezone(UTC)


_HINTS = {
    Trouble.UNREACHABLE: "is the server running? its address in config.yaml is the model's "
    "base_url, or the agent's url; this turn is spent, the next round asks again",
    Trouble.CREDENTIALS: "check the variable that the model's key_env, or the agent's "
    "token_env, names; this turn is spent, the next round asks again",
    Trouble.COUNTRY: "its provider does not serve the country that this machine asks from: "
    "name another provider in config.yaml",
    Trouble.QUOTA: "the provider's account is used up; the next round asks again",
    Trouble.BUDGET: "caps are under budgets in config.yaml, prices under models; `arena costs` "
    "says what is left; this turn is spent",
    Trouble.NOT_SET_UP: "`arena doctor` says what is amiss and what to do; this turn is spent, "
    "the next round asks again",
    Trouble.REQUEST: "check the model's name and options, or the agent's url, in config.yaml",
    Trouble.TOO_LONG: "offer fewer markets (universe.top in the cohort's file), or lower the "
    "model's max_tokens, which some servers count with the question",
}


def complain(report: TickReport) -> None:
    """Name each thing that failed, a line each, on standard error."""
    for failure in report.failures:
        named_twice = f"{failure.where.removeprefix('venue ')}: "
        what = failure.what.removeprefix(named_twice)
        click.echo(f"failed: {one_line(failure.where)}: {one_line(what)}", err=True)
        if failure.hint:
            click.echo(f"  hint: {one_line(failure.hint)}", err=True)
    for line in report.notes:
        note(f"note: {one_line(line)}")
    for contestant, why in report.failed_turns:
        click.echo(f"failed: contestant {one_line(contestant)}: {one_line(why)}", err=True)
        trouble = next((t for t in _HINTS if _is(t, why)), None)
        if trouble:
            click.echo(f"  hint: {_HINTS[trouble]}", err=True)


def _is(trouble: Trouble, why: str) -> bool:
    """Whether a turn, or the question for its stakes, failed with this trouble."""
    from arena.agents.samples import NO_STAKES

    return why.removeprefix(NO_STAKES).startswith(trouble)


def exit_code(report: TickReport) -> int:
    """0 when all went well, 6 when a part failed, 1 when every turn did, 5 for a budget.

    Who did not answer in time is a part: nothing here is broken.
    """
    limited = [_is(Trouble.BUDGET, why) for _, why in report.failed_turns]
    if limited and all(limited) and not report.failures:
        return LIMIT
    missed = [_is(Trouble.MISSED, why) for _, why in report.failed_turns]
    if report.turns and len(missed) == report.turns and not all(missed):
        return FAILED
    return PARTIAL if report.failed_turns or report.failures else 0
