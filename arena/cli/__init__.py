"""The `arena` command. Each of its commands is imported only when it is used."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path

import click

from arena import __version__
from arena.errors import ArenaError

# Each command: its module, and the line that `arena --help` shows without importing it.
COMMANDS = {
    "demo": ("demo", "Play the embedded demo and build its site."),
    "replay": ("replay", "Play a cohort over recorded markets."),
    "run": ("run", "Keep playing: tick on schedule until stopped."),
    "tick": ("tick", "Do once whatever is due now, and stop."),
    "status": ("status", "Say what ran, what is due, what is stuck, how old prices are."),
    "markets": ("markets", "Show what a round would offer now, and why nothing else."),
    "leaderboard": ("leaderboard", "Print the leaderboard."),
    "score": ("score", "Score forecasts, the arena's own or those of a file."),
    "compare": ("compare", "Compare two contestants, or every pair."),
    "calibration": ("calibration", "Say whether probabilities mean what they say."),
    "shadow": ("shadow", "Replay forecasts under every sizing rule; split P/L from luck."),
    "explain": ("explain", "Show the formula and the rows that a number is made of."),
    "power": ("power", "Say how many events it takes to see a difference."),
    "tournament": ("tournament", "Score a tournament by Metaculus' rules, of 2022 or today."),
    "replies": ("replies", "Print how contestants answer: failures, re-asks, repairs."),
    "costs": ("costs", "Say what models have cost, and what is left of the budgets."),
    "venue": ("venue", "Check the venues' servers, and what is read in their answers."),
    "llm": ("llm", "Check the configured models with one tiny call each."),
    "prompt": ("prompt", "Show what models are sent, and what it costs."),
    "reply": ("reply", "Say what the arena makes of a reply."),
    "forecast": ("forecast", "Answer a round yourself, as a contestant."),
    "submit": ("submit", "Hand in a contestant's answer from a file, or take them over HTTP."),
    "audit": ("audit", "Prove the ledger's laws over the whole database."),
    "rebuild": ("rebuild", "Make every cache anew from the tape and the journal."),
    "tape": ("tape", "Weigh, export, show and prune what venues said."),
    "publish": ("publish", "Build the site again, whole."),
    "config": ("config", "Check the configuration, or describe it to an editor."),
    "seal": ("seal", "Lay down how a cohort is graded, before its first forecast."),
}

FAILED, FINDINGS, NO_KEY, LIMIT, PARTIAL = 1, 3, 4, 5, 6
EXITS = """\b
Exit codes:
  0  done
  1  failed
  2  wrong usage or configuration
  3  done, with findings
  4  credentials are missing
  5  a limit was reached
  6  done in part: some contestants or venues failed, state is saved
  130  interrupted"""


@dataclass(frozen=True, slots=True)
class Globals:
    """What the global options say."""

    config: Path


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Name every command."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"arena.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; where there is none of that name, offer the nearest."""
        name = args[0]
        if name in COMMANDS or name.startswith("-"):
            return super().resolve_command(ctx, args)
        from difflib import get_close_matches  # noqa: PLC0415  only a mistake needs it

        from arena.cli.failure import NoSuchCommandError  # noqa: PLC0415

        near = get_close_matches(name, COMMANDS, n=1)
        after = f" Did you mean {near[0]!r}?" if near else ""
        raise NoSuchCommandError(f"No such command {name!r}.{after}", ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    epilog=EXITS,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": "ARENA",
        "max_content_width": 100,
    },
)
@click.version_option(__version__, prog_name="arena")
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("config.yaml"),
    envvar="ARENA_CONFIG",
    show_default=True,
    show_envvar=True,
    help="The configuration file.",
)
@click.pass_context
def arena(context: click.Context, config: Path) -> None:
    """Find out, honestly, which language model forecasts and bets best.

    Models bet paper money on prediction markets; the books are exact, the scores can be
    recomputed, and the leaderboard is a folder of plain pages.
    """
    context.obj = Globals(config)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a locale may lack a letter
    code: object
    try:
        code = arena.main(given, prog_name="arena", standalone_mode=False)
    except (click.ClickException, click.Abort, KeyboardInterrupt, ArenaError, OSError) as error:
        from arena.cli.failure import explain  # noqa: PLC0415  only a failure needs it

        code = explain(error, as_json="--json" in given)
    sys.exit(code if isinstance(code, int) else 0)
