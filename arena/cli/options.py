"""Options that several commands have, each told the same way everywhere."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.cli import Globals

F = TypeVar("F", bound=Callable[..., Any])


def json_option(command: F) -> F:
    """Let a command print one JSON document, and say its errors as one."""
    option = click.option(
        "--json",
        "as_json",
        is_flag=True,
        is_eager=True,
        callback=remembered,
        help="Print one JSON document.",
    )
    return option(command)


def remembered(context: click.Context, _: click.Parameter, value: bool) -> bool:  # noqa: FBT001  click's order
    """Remember that JSON is wanted for errors, which are said when the command is over."""
    told = context.find_root().obj
    if value and isinstance(told, Globals):
        told.as_json = True
    return value


def database_option(command: F) -> F:
    """Let a command read another file than the configured one."""
    option = click.option(
        "--database", type=click.Path(path_type=Path), help="Another arena's file."
    )
    return option(command)
