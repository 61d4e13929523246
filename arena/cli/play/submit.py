"""`arena submit`: an answer from a file, or answers over HTTP."""

import asyncio
import signal
from contextlib import suppress
from pathlib import Path

import click

from arena.cli import FINDINGS
from arena.cli.options import FILE_OR_DASH, existing, json_option
from arena.cli.say import one_line, plain, say_json
from arena.clock import SystemClock
from arena.records.decision import Status

LOOPBACK = "127.0.0.1"
PORT = 8377
LONGEST_PATH = 200  # characters of what a stranger asked for, as a line shows them

FROM_AFAR = (
    "this address may be reached from elsewhere, and tokens travel as they are: "
    "put a reverse proxy that speaks TLS in front of it"
)


@click.command()
@click.argument("file", type=FILE_OR_DASH, required=False)
@click.option("--agent", help="The contestant that it answers for.")
@click.option("--cohort", help="A cohort, or a file of the cohorts folder; any if left out.")
@click.option("--yes", is_flag=True, help="Hand it in although it had to be mended.")
@json_option
@click.option("--serve", is_flag=True, help="Take answers over HTTP, until stopped.")
@click.option("--host", default=LOOPBACK, help="Where to listen.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    help="The port to listen on; 0 takes any that is free.",
)
@click.pass_context
def submit(  # noqa: PLR0913  each is an option
    context: click.Context,
    file: Path | None,
    agent: str | None,
    cohort: str | None,
    *,
    yes: bool,
    as_json: bool,
    serve: bool,
    host: str,
    port: int,
) -> None:
    """Hand in the answer in FILE to the round that waits for AGENT, or take answers over HTTP.

    FILE holds words in the format of a model's reply; - reads them from standard input. It
    prints what was made of them, and exits with 3 when they are rejected, or had to be mended
    and --yes was not given: then nothing was kept, and they may be mended and handed in again
    until the round's deadline. An answer cannot be changed once it is handed in.

    With --serve, every contestant whose option token_env names a variable with its token may
    ask for its open turns (GET /v1/turns/AGENT) and answer them (POST
    /v1/turns/AGENT/COHORT/ROUND), with the header Authorization: Bearer TOKEN. It speaks
    plain HTTP: a reverse proxy in front of it adds TLS.
    """
    from arena.cli.models.reply import words_in
    from arena.cli.play.turns import TurnSelection, answer_json, one_turn, prospect_lines
    from arena.config import load_settings
    from arena.steps.submit import entrant, prospect
    from arena.steps.submit import submit as submit_answer

    config = context.obj.config
    if serve:
        if file or agent or cohort or as_json or yes:
            raise click.UsageError("--serve goes with --host and --port alone")
        asyncio.run(_serve(config, host, port))
        return
    if file is None or agent is None:
        raise click.UsageError("name a FILE and an --agent, or take answers with --serve")
    settings, now = load_settings(config), SystemClock().now()
    who = entrant(settings, agent).id
    text = words_in(file)
    with existing(config, None) as store:
        due = one_turn(store, settings, TurnSelection(who, cohort, now))
        outcome = prospect(due, text)
        status = outcome.reading.status
        is_meant = yes or status is not Status.REPAIRED
        is_kept = is_meant and submit_answer(store, due, text, now).status is not Status.REJECT
    if as_json:
        say_json(**{**answer_json(due, outcome), "handed_in": is_kept})
    else:
        for line in prospect_lines(outcome):
            click.echo(plain(line))
        briefing = due.briefing
        became = "handed in" if is_kept else "nothing was handed in"
        turn = f"round {briefing.round} of {briefing.cohort} for {briefing.contestant}"
        click.echo(one_line(f"{became}: {turn}"))
        if not is_meant:
            click.echo("mend it, or hand it in as it is read above with --yes")
    context.exit(0 if is_kept else FINDINGS)


async def _serve(config: Path, host: str, port: int) -> None:
    from arena.config import load_settings
    from arena.http import is_loopback
    from arena.inbox import InboxHandler, listening
    from arena.wiring import tokens_of

    settings = load_settings(config)
    tokens = tokens_of(settings)
    counter = InboxHandler(settings.database, SystemClock(), tokens, settings.cohorts)
    stop = asyncio.Event()
    with suppress(NotImplementedError):  # Windows: Ctrl-C alone stops it there
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with listening(counter, host, port, on_reply=_tell) as taken:
        where = f"[{host}]" if ":" in host else host
        whose = one_line(", ".join(tokens))
        click.echo(
            f"listening on http://{where}:{taken} for {whose}; stop with Ctrl-C", err=True
        )
        if not is_loopback(f"http://{where}"):
            click.echo(FROM_AFAR, err=True)
        await stop.wait()
    click.echo("stopped", err=True)


def _tell(method: str, path: str, status: int) -> None:
    click.echo(one_line(f"{status} {method} {path[:LONGEST_PATH]}"), err=True)
