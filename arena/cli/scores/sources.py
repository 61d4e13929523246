"""`arena sources`: the numbers that four published sources print, computed again."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from arena.cli import say
from arena.cli.options import json_option
from arena.cli.tables import AS_IT_IS, TableLayout, refuse_unknown, table, table_options

if TYPE_CHECKING:
    from arena.metrics.sources.examples import SourceExample

COLUMNS = ("example", "formula", "as published", "right", "your data")
SHOWN_VALUES = 1  # of an example, in a table
SHOWN_ITEMS = 3  # of a list


@click.command()
@click.argument("example", required=False)
@click.option("--source", type=click.Choice("ABCD"), help="Only the examples of this source.")
@table_options
@json_option
def sources(
    *, example: str | None, source: str | None, layout: TableLayout, as_json: bool
) -> None:
    """Compute the worked examples of four published sources again.

    Each formula stands as its source prints it, and as it is right. EXAMPLE shows one of
    them with its input and all its values.
    """
    from arena.metrics.sources.examples import SOURCES, source_example, source_examples

    if example is None:
        refuse_unknown(COLUMNS, layout)
        shown = [each for each in source_examples() if source in {None, each.source}]
    elif source or layout != AS_IT_IS:
        raise click.UsageError("--source, --columns, --sort and --limit are for the list")
    else:
        shown = [source_example(example)]
    if as_json:
        say.say_json(sources=SOURCES, examples=shown)
    elif example is not None:
        _say_example(shown[0], SOURCES[shown[0].source])
    else:
        table(COLUMNS, [table_row(each) for each in shown], layout, names=len(COLUMNS))
        for letter, title in SOURCES.items():
            if source in {None, letter}:
                click.echo(f"{letter}: {title}")


def table_row(example: "SourceExample") -> list[str]:
    """An example as one row: its first values as published, and as they are right."""
    same = example.published == example.right
    published = example.printed or ("the same" if same else _first(example.published))
    return [
        example.id,
        f"{example.source}: {example.formula}",
        published,
        _first(example.right),
        "" if example.command == "sources" else f"arena {example.command}",
    ]


def _first(values: Mapping[str, object]) -> str:
    few = list(values.items())[:SHOWN_VALUES]
    return ", ".join(f"{name} {_short(value)}" for name, value in few) or say.MISSING


def _short(value: object) -> str:
    if value is None:
        return say.MISSING
    if isinstance(value, float):
        return f"{round(value, 15) + 0.0:.6g}"  # what rounding left is 0, and 0 has no sign
    if isinstance(value, list):
        more = " ..." if len(value) > SHOWN_ITEMS else ""
        return " ".join(_short(item) for item in value[:SHOWN_ITEMS]) + more
    if isinstance(value, Mapping):
        return " ".join(f"{name} {_short(item)}" for name, item in value.items())
    return str(value)


def _say_example(example: "SourceExample", title: str) -> None:
    click.echo(f"{example.id}: {example.formula}")
    click.echo(f"source {example.source}: {title}")
    if example.printed:
        click.echo(f"printed there: {example.printed}")
    parts = (("input", example.input), ("as published", example.published))
    for name, values in (*parts, ("right", example.right)):
        click.echo(f"{name}:" if values else f"{name}: {say.MISSING}")
        for key, value in values.items():
            click.echo(f"  {key}: {_whole(value)}")


def _whole(value: object) -> str:
    """A value with all its items, on one line."""
    if isinstance(value, list):
        return "[" + ", ".join(_whole(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {_whole(item)}" for name, item in value.items()) + "}"
    return f"{value:.10g}" if isinstance(value, float) else _short(value)
