"""Make `docs/cli.md`: every command with its help, as the command tree has it.

Options that several commands share are told once. Run it like this, and a test says when it is
due:

    python docs/cli.py
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from arena.cli import COMMANDS, arena

PAGE = Path(__file__).parent / "cli.md"
WIDTH = 96
SEVERAL = 3  # commands, from which on an option of theirs is told once
HEAD = """\
# The command line

This page is made by `python docs/cli.py` from the commands' own help, which `--help` prints.

- **Output.** Results go to standard output; progress, notes and errors to standard error.
  With `--json` a command prints one JSON document and nothing else, whose schema `arena schema`
  prints.
- **Errors** read `error[code]: what` and `hint: what to do`; with `--json` they are
  `{"schema_version": 1, "error": {"code", "message", "hint", "details"}}` on standard error.
- **Tables** show the columns that a terminal has room for; `--columns`, `--sort` and
  `--limit` choose, and `--json` has all.
- **Questions.** What deletes or replaces something that cannot be had again asks first on a
  terminal; elsewhere, and with `--json`, it does nothing without `--yes` (`usage.confirm`).
- **Ctrl-C** ends a command when what it writes is written, a second one at once; what was
  done is kept.
- **Variables.** Each option has a variable: ARENA, the command and the option in capitals,
  joined by `_`. `ARENA_SCORE_BY` is `--by` of `arena score`, `ARENA_CONFIG` the global
  `--config`.

## Options of several commands

Each command names those it has after "Also".

"""


def page() -> str:
    """The whole page."""
    top = click.Context(arena, info_name="arena", **_SETTINGS)
    found = [(arena, top)]
    for name in COMMANDS:
        command = arena.get_command(top, name)
        if command is not None:
            found.extend(_tree(command, click.Context(command, top, name, **_WIDE)))
    counts = Counter(record for _, context in found for record in _records(context))
    frequent = [record for record, count in counts.items() if count >= SEVERAL]
    names = Counter(_name(record) for record in frequent)
    shared = {record for record in frequent if names[_name(record)] == 1}
    options = click.HelpFormatter(width=WIDTH)
    options.write_dl(sorted(shared))
    sections = (_section(command, context, shared) for command, context in found)
    return "\n".join([f"{HEAD}{_block(options.getvalue())}", *sections]).rstrip() + "\n"


def _tree(
    command: click.Command, context: click.Context
) -> Iterator[tuple[click.Command, click.Context]]:
    yield command, context
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from _tree(inner, click.Context(inner, context, name, **_WIDE))


def _records(context: click.Context) -> list[tuple[str, str]]:
    """The options of a command, each with its help, without the name of its variable."""
    records = []
    for parameter in context.command.get_params(context):
        if isinstance(parameter, click.Option):
            parameter.show_envvar = False
            record = parameter.get_help_record(context)
            if record is not None:
                records.append(record)
    return records


def _name(record: tuple[str, str]) -> str:
    return re.split(r"[ ,]", record[0])[0]


def _section(
    command: click.Command, context: click.Context, shared: set[tuple[str, str]]
) -> str:
    records = _records(context)
    own = [record for record in records if record not in shared]
    also = [_name(record) for record in records if record in shared]
    text = context.make_formatter()
    command.format_usage(context, text)
    command.format_help_text(context, text)
    if own:
        with text.section("Options"):
            text.write_dl(own)
    if also != ["-h"]:
        text.write_paragraph()
        text.write_text(f"Also: {', '.join(word for word in also if word != '-h')}")
    command.format_epilog(context, text)
    level = max(2, len(context.command_path.split()))
    return f"{'#' * level} `{context.command_path}`\n\n{_block(text.getvalue())}"


def _block(text: str) -> str:
    trimmed = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).rstrip()
    return f"```text\n{trimmed}\n```\n"


_WIDE = {"terminal_width": WIDTH, "max_content_width": WIDTH}
_SETTINGS = {**arena.context_settings, **_WIDE}

if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
