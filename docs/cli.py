"""Make `docs/cli.md`: every command with its help, as the command tree has it.

Run it like this, and a test says when it is due:

    python docs/cli.py
"""

import re
from collections.abc import Iterator
from pathlib import Path

import click

from arena.cli import COMMANDS, arena

PAGE = Path(__file__).parent / "cli.md"
WIDTH = 96
HEAD = """\
# The command line

This page is made by `python docs/cli.py` from the commands' own help.

Results go to standard output; progress, notes and errors go to standard error. With `--json` a
command prints one JSON document and nothing else, and says an error as
`{"schema_version": 1, "error": {"code", "message", "hint", "details"}}` on standard error;
`arena schema COMMAND` prints the schema of each document. An error is otherwise
`error[code]: what` and a line `  hint: what to do`. Where in the program something was raised
is shown with `--debug` alone.

Tables are plain aligned text. A terminal is shown the columns it has room for and told of the
others; `--columns`, `--sort` and `--limit` choose, where a command has them, and `--json` has
all of it. What deletes or replaces something that cannot be had again asks first on a
terminal; elsewhere, and with `--json`, it does nothing without `--yes` (`usage.confirm`).
Colours mind `--color`, `NO_COLOR`, `FORCE_COLOR` and `TERM=dumb`; a bar is drawn on a terminal
only, and not with `--no-progress` or the variable `CI`. The first Ctrl-C ends a command when
what it writes is written, the second at once; what was done is kept.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *_sections()]).rstrip() + "\n"


def _sections() -> Iterator[str]:
    top = click.Context(arena, info_name="arena", **_SETTINGS)
    yield from _section(arena, top, 2)
    for name in COMMANDS:
        command = arena.get_command(top, name)
        if command is not None:
            yield from _tree(command, _inside(command, top, name), 2)


def _tree(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    yield from _section(command, context, level)
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from _tree(inner, _inside(inner, context, name), level + 1)


def _inside(command: click.Command, parent: click.Context, name: str) -> click.Context:
    return click.Context(command, parent=parent, info_name=name, **_WIDE)


def _section(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    text = re.sub(r"[ \t]+$", "", command.get_help(context), flags=re.MULTILINE)
    yield f"{'#' * level} `{context.command_path}`\n\n```text\n{text}\n```\n"


_WIDE = {"terminal_width": WIDTH, "max_content_width": WIDTH}
_SETTINGS = {**arena.context_settings, **_WIDE}

if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
