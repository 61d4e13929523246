"""The `arena` command. Each of its commands is imported only when it is used."""

import atexit
import gc
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import chdir
from dataclasses import dataclass
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from re import fullmatch, sub
from signal import SIG_DFL, SIGINT, signal
from types import TracebackType

import click
from click.core import ParameterSource

from arena import __version__
from arena.clock import SystemClock
from arena.errors import ArenaError
from arena.process import rare_collection

# `arena --help` lists these sections: the folder of each, and its commands with their lines.
SECTIONS = {
    "First steps": (
        "start",
        {
            "demo": "Play the embedded demo and build its site.",
            "init": "Make a new arena that plays at once, and can be published.",
            "doctor": "Look into everything that an arena needs, and say what is amiss.",
            "config": "Check the configuration, or describe it to an editor.",
            "completion": "Print what lets your shell complete the command.",
        },
    ),
    "Play": (
        "play",
        {
            "run": "Keep playing: tick on schedule until stopped.",
            "tick": "Do once whatever is due now, and stop.",
            "status": "Say what ran, what is due, what is stuck, how old prices are.",
            "markets": "Show what a round would offer now, and why nothing else.",
            "forecast": "Answer a round yourself, as a contestant.",
            "submit": "Hand in a contestant's answer from a file, or take them over HTTP.",
            "mcp": "Serve players and readers over the Model Context Protocol.",
            "replay": "Play a cohort over recorded markets.",
            "sweep": "Replay a cohort many times with other rules, and compare.",
            "seal": "Lay down how a cohort is graded, before its first forecast.",
        },
    ),
    "Who is better, and how sure that is": (
        "scores",
        {
            "leaderboard": "Print the leaderboard.",
            "score": "Score forecasts, the arena's own or those of a file.",
            "compare": "Compare two contestants, or every pair.",
            "calibration": "Say whether probabilities mean what they say.",
            "shadow": "Replay forecasts under every sizing rule; split P/L from luck.",
            "explain": "Show the formula and the rows that a number is made of.",
            "insights": "Is it information, or a copy of the price?",
            "review": "Show the worst and the best forecasts, and what became of them.",
            "power": "Say how many events it takes to see a difference.",
            "study": "Run a registered protocol: tests, kill rule, closing line value.",
            "tournament": "Score a tournament by Metaculus' rules, of 2022 or today.",
            "sources": "Compute the numbers that four published sources print again.",
        },
    ),
    "Venues and models": (
        "models",
        {
            "venue": "Check the venues' servers, and what is read in their answers.",
            "llm": "Check the configured models with one tiny call each.",
            "prompt": "Show what models are sent, and what it costs.",
            "reply": "Say what the arena makes of a reply.",
            "replies": "Print how contestants answer: failures, re-asks, repairs.",
            "costs": "Say what models have cost, and what is left of the budgets.",
        },
    ),
    "Pages and data": (
        "pages",
        {
            "site": "Build the folder of pages, try it out, check it, compare two.",
            "export": "Write the public data: tables, a tournament, logs of calls.",
            "tape": "Weigh, export, show and prune what venues said.",
            "schema": "Print the JSON schema of what a command prints with --json.",
        },
    ),
    "Proof": (
        "proof",
        {
            "audit": "Prove the ledger's laws over the whole database.",
            "verify": "Check a published site, a decision, files or the database for yourself.",
            "rebuild": "Make every cache anew from the tape and the journal.",
        },
    ),
    "Keep it running": (
        "operations",
        {
            "health": "Say whether the arena runs as it should, and tell of alarms.",
            "backup": "Copy the database to a folder or an object store.",
            "restore": "Put a backup in the place of the database, or try one.",
        },
    ),
}

# Each command: its module, and its line, which is shown without importing it.
COMMANDS = {
    name: (f"arena.cli.{folder}.{name}", line)
    for folder, commands in SECTIONS.values()
    for name, line in commands.items()
}

# What is asked for under another name.
ELSEWHERE = {
    "help": "--help",
    "version": "--version",
    "publish": "site build",
    "build": "site build",
    "serve": "site serve",
    "check": "config check",
}

COMPLETES = "_ARENA_COMPLETE"  # the variable that a shell sets to have a line completed
JSON = {"--json", "--jsonl"}
LONGEST, NARROW, NARROWEST = 100, 50, 38  # columns of the help
FAILED, FINDINGS, NO_KEY, LIMIT, PARTIAL = 1, 3, 4, 5, 6
EXITS = """\b
Exit codes:
  0  done
  1  failed
  2  wrong usage or configuration
  3  done, with findings
  4  credentials are missing
  5  a limit was reached
  6  done in part: some contestants, venues or replays failed, state is saved
  7  the database lacks what was published: nothing was done
  130  interrupted"""


@dataclass(slots=True)
class Globals:
    """What the global options say, and whether the command was asked for JSON.

    It is filled in while the command line is read, and still there when the command is over.
    `color` is None where each stream decides for itself.
    """

    config: Path = Path("config.yaml")
    quiet: bool = False
    verbose: bool = False
    color: bool | None = None
    bar: bool = True
    debug: bool = False
    as_json: bool = False


class Formatter(click.HelpFormatter):
    """Help for terminals down to 40 columns; click goes on as if there were always 50."""

    def __init__(
        self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None
    ) -> None:
        from shutil import get_terminal_size

        room = min(get_terminal_size().columns, max_width or LONGEST) - 2
        super().__init__(indent_increment, width or max(room, NARROWEST), max_width)

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """List terms with their words, which a narrow terminal has below the terms."""
        super().write_dl(rows, 4 if self.width < NARROW else col_max, col_spacing)


class Context(click.Context):
    """A command's context, whose help goes by the terminal."""

    formatter_class = Formatter


class CommandGroup(click.Group):
    """A group that answers a command which is not there with the nearest one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; where there is none of that name, offer the nearest."""
        name, commands = args[0], self.list_commands(ctx)
        if name in commands or name.startswith("-"):
            return super().resolve_command(ctx, args)
        from difflib import get_close_matches

        from arena.cli.say import NoSuchCommandError

        there = ELSEWHERE.get(name) if ctx.parent is None else None
        near = [there] if there else get_close_matches(name, commands, n=1)
        after = f" Did you mean {near[0]!r}?" if near else ""
        raise NoSuchCommandError(f"No such command {name!r}.{after}", ctx)


class LazyGroup(CommandGroup):
    """A group that knows its commands by name and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Name every command."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(COMMANDS[cmd_name][0])
        command: click.Command = getattr(module, cmd_name)
        _tell_variables(command, _variable("ARENA", cmd_name))
        if COMPLETES in os.environ:
            from arena.cli.start.completion import offer

            offer(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands by what they are for, without importing them."""
        longest = max(map(len, COMMANDS))
        for words, (_, names) in SECTIONS.items():
            with formatter.section(words):
                formatter.write_dl([(name.ljust(longest), COMMANDS[name][1]) for name in names])


def _tell_variables(command: click.Command, prefix: str) -> None:
    """Bind each option to a variable of its own name; help tells it, and fits the terminal."""
    command.context_class = Context
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.name != "version":
            name = max(parameter.opts, key=len).lstrip("-")
            parameter.envvar = parameter.envvar or _variable(prefix, name)
            parameter.show_envvar = True
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            _tell_variables(inner, _variable(prefix, name))


def _variable(prefix: str, name: str) -> str:
    return f"{prefix}_{name}".replace("-", "_").upper()


@click.group(
    cls=LazyGroup,
    epilog=EXITS,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": "ARENA",
        "max_content_width": LONGEST,
        "show_default": True,
    },
)
@click.version_option(__version__, prog_name="arena")
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("config.yaml"),
    help="The configuration file.",
)
@click.option(
    "-C",
    "--directory",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Go to this folder first.",
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but results and errors.")
@click.option("-v", "--verbose", is_flag=True, help="Say what is used, and how long it took.")
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="When to colour; auto minds NO_COLOR, FORCE_COLOR and TERM=dumb.",
)
@click.option(
    "--no-progress", is_flag=True, help="Plain lines instead of a bar; so does the variable CI."
)
@click.option("--debug", is_flag=True, help="Show where in the program an error was raised.")
@click.pass_context
def arena(
    context: click.Context, /, *, config: Path, directory: Path | None, **_: object
) -> None:
    """Find out, honestly, which language model forecasts and bets best.

    Models bet paper money on prediction markets; the books are exact, the scores can be
    recomputed, and the leaderboard is a folder of plain pages.

    Each option can be given by the variable that its help names. A flag on the command line
    goes before a variable, a variable before the configuration file, and the file before the
    default: `arena config show --origin` says which of them it was. A file .env beside the
    configuration may set variables, keys of models among them, but not ARENA_CONFIG and
    ARENA_DIRECTORY. `arena completion` sets a shell up to complete all of this; docs/cli.txt
    has every command on one page.
    """
    global_options: Globals = context.obj
    if directory is not None:
        context.with_resource(chdir(directory))
    _take_variables(config.parent / ".env")
    said = context.params
    for option in context.command.params:  # what the file may have set by now
        name = option.name or ""
        unsaid = context.get_parameter_source(name) is ParameterSource.DEFAULT
        if unsaid and name in said.keys() - {"config", "directory"}:
            said[name] = option.handle_parse_result(context, {}, [])[0]
    global_options.config, global_options.debug = config, said["debug"]
    global_options.quiet, global_options.verbose = said["quiet"], said["verbose"]
    global_options.bar = not (said["no_progress"] or os.environ.get("CI"))
    global_options.color = context.color = _color(said["color"])


def _take_variables(file: Path) -> None:
    """Set what a file of NAME=VALUE lines says; a variable that is set already stands.

    Raises:
        ArenaError: A line says nothing of the kind; it may hold a key, and is not shown.
    """
    if not file.is_file():
        return
    try:
        lines = file.read_text("utf-8-sig", "replace").splitlines()
    except OSError as error:
        raise ArenaError(
            "config.env",
            f"{file} cannot be read: {error.strerror}",
            hint="give this user the right to read it",
            status=2,
        ) from error
    for number, line in enumerate(lines, 1):
        text = line.strip().removeprefix("export ")
        if not text or text.startswith("#"):
            continue
        name, sign, value = text.partition("=")
        if not (sign and name.strip().isidentifier()):
            raise ArenaError(
                "config.env",
                f"{file}, line {number}: expected NAME=VALUE",
                hint="write one variable a line; a remark begins with #",
                status=2,
            )
        quoted = fullmatch(r"""\s*(['"])(.*?)\1\s*(?:\s#.*)?""", value)
        plain = sub(r"\s#.*", "", value).strip()
        os.environ.setdefault(name.strip(), quoted[2] if quoted else plain)


def _color(wanted: str) -> bool | None:
    """Whether to colour; None leaves it to whether a stream is a terminal."""
    if wanted != "auto":
        return wanted == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in {"", "0"}:
        return True
    return False if os.environ.get("TERM") == "dumb" else None


_tell_variables(arena, "ARENA")


def _end_without_search() -> None:
    """At the end of the process nothing is looked through once more.

    Of objects that are then left DuckDB would print that they leaked.
    """
    if "duckdb" not in sys.modules:
        gc.freeze()


def _show_uncaught(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    """Of a second Ctrl-C while the first is handled nothing is said: it ends the process."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, traceback)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    atexit.register(_end_without_search)
    sys.excepthook = _show_uncaught
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a locale may lack a letter
    global_options = Globals(debug="--debug" in given, as_json=not JSON.isdisjoint(given))
    started = SystemClock().now()
    code: object
    try:
        with rare_collection():  # what imports make is no garbage
            code = arena.main(
                given, prog_name="arena", standalone_mode=False, obj=global_options
            )
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  a defect is told in words too
        if isinstance(error, KeyboardInterrupt | click.Abort):
            signal(SIGINT, SIG_DFL)  # only words are left to say: a second Ctrl-C cuts them off
        from arena.cli.say import explain

        code = explain(error, global_options)
    if global_options.verbose:
        seconds = (SystemClock().now() - started).total_seconds()
        click.echo(f"configuration {global_options.config}; {seconds:.2f} s", err=True)
    sys.exit(code if isinstance(code, int) else 0)
