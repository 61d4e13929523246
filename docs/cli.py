"""Make `docs/cli.txt`, the whole help of every command.

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

FOLDER = Path(__file__).parent
WIDTH = 96
Found = dict[str, list[tuple[click.Command, click.Context]]]
SEVERAL = 3  # commands, from which on an option of theirs is told once
APPENDIX = """\
The help of every command, made by `python docs/cli.py` from the commands themselves. Options
that several commands have are told once, here; each command names those it has after "Also".
The variable of each option follows from its name: docs/cli.md.

"""


def page() -> str:
    """The text of the file."""
    top = click.Context(arena, info_name="arena", **_SETTINGS)
    found = {"arena": [(arena, top)]}
    for name in COMMANDS:
        command = arena.get_command(top, name)
        if command is not None:
            found[name] = list(_tree(command, click.Context(command, top, name, **_WIDE)))
    return _appendix(found)


def _appendix(found: Found) -> str:
    every = [one for tree in found.values() for one in tree]
    counts = Counter(record for _, context in every for record in _records(context))
    frequent = [record for record, count in counts.items() if count >= SEVERAL]
    names = Counter(_name(record) for record in frequent)
    shared = {record for record in frequent if names[_name(record)] == 1}
    options = click.HelpFormatter(width=WIDTH)
    options.write_dl(sorted(shared))
    sections = (_section(command, context, shared) for command, context in every)
    return APPENDIX + "\n\n".join([options.getvalue().rstrip(), *sections]) + "\n"


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
    return f"== {context.command_path}\n\n{_trimmed(text.getvalue())}"


def _trimmed(text: str) -> str:
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).rstrip()


_WIDE = {"terminal_width": WIDTH, "max_content_width": WIDTH}
_SETTINGS = {**arena.context_settings, **_WIDE}

if __name__ == "__main__":
    (FOLDER / "cli.txt").write_text(page(), encoding="utf-8")
