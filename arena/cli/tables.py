"""Tables as aligned text: which columns, which rows, and what a terminal has room for."""

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from itertools import accumulate
from shutil import get_terminal_size
from typing import Any, TypeVar

import click

from arena.cli.say import MISSING, is_terminal, one_line
from arena.errors import nearest
from arena.metrics.figures import MINUS

T = TypeVar("T")
Columns = Mapping[str, Callable[[T], str]]  # by its name what makes the cells of a column
_NUMBER = re.compile(r"[+-]?\$?[\d,]*\.?\d+")


@dataclass(frozen=True, slots=True)
class TableLayout:
    """How a table is laid out: columns by name, the column it is sorted by, most rows.

    `usual` is how many columns are shown where none are named; all of them if None.
    """

    columns: tuple[str, ...] = ()
    sort: str = ""
    limit: int | None = None
    usual: int | None = None


AS_IT_IS = TableLayout()
ALL = ("all",)


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that shape its table; it gets them as one `layout`."""

    @wraps(command)
    def gather(
        *args: Any,  # noqa: ANN401  whatever the command takes
        columns: str | None,
        sort: str | None,
        limit: int | None,
        **rest: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        names = tuple(name.strip() for name in (columns or "").split(",") if name.strip())
        return command(*args, layout=TableLayout(names, sort or "", limit), **rest)

    wrapped: Callable[..., Any] = gather
    for option in _OPTIONS:
        wrapped = option(wrapped)
    return wrapped


_OPTIONS = (
    click.option("--limit", type=click.IntRange(1), help="Print no more rows than this."),
    click.option(
        "--sort",
        metavar="COLUMN",
        help="Sort the table by this column; -COLUMN for the largest first.",
    ),
    click.option(
        "--columns",
        metavar="NAMES",
        help="Print only these columns, with commas between; all of them with `all`.",
    ),
)


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    layout: TableLayout = AS_IT_IS,
    *,
    names: int = 2,
    total: Sequence[str] | None = None,
) -> None:
    """Print a table as aligned text.

    A terminal is shown as many columns from the left as it has room for, and told of the
    others; nothing is cut short. The first `names` columns are names and stand to the left.

    Args:
        head: The names of the columns.
        rows: A cell for each column; text from outside is made harmless here.
        layout: Columns, order and length of the table. A missing cell sorts last in any order.
        names: How many columns hold no numbers.
        total: A last row, which no wish moves or takes away.

    Raises:
        click.BadParameter: `layout` names a column that is not there.
    """
    hidden = len(head[layout.usual :]) if layout.usual and not layout.columns else 0
    if hidden:
        layout = replace(layout, columns=tuple(head[: layout.usual]))
    head, rows, left = _chosen(head, rows, [] if total is None else [total], layout, names)
    grid = [list(head), *([one_line(cell) for cell in row] for row in rows)]
    if not is_utf8():
        grid = [[cell.replace(MINUS, "-") for cell in row] for row in grid]
    widths = [max(len(row[n]) for row in grid) for n in range(len(head))]
    fits = _columns_in(get_terminal_size().columns, widths)
    shown = fits if is_terminal(sys.stdout) else len(head)
    for row in grid:
        cells = [
            cell.ljust(width) if n in left else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row[:shown], widths, strict=False))
        ]
        click.echo("  ".join(cells).rstrip())
    if shown < len(head):
        left_out = len(head) - shown + hidden
        more = f"{left_out} more column{'s' if left_out > 1 else ''}"
        click.echo(f"({more}: widen the terminal, or use --json)")
    elif hidden:
        click.echo(f"(--columns all shows {hidden} more)")


def table_of(
    columns: Columns[T],
    records: Iterable[T],
    layout: TableLayout = AS_IT_IS,
    *,
    names: int = 2,
    total: T | None = None,
) -> None:
    """Print a table of records, a row each, as `table` does."""

    def row(record: T) -> list[str]:
        return [cell(record) for cell in columns.values()]

    rows = [row(record) for record in records]
    last = None if total is None else row(total)
    table([*columns], rows, layout, names=names, total=last)


def refuse_unknown(head: Sequence[str], layout: TableLayout) -> None:
    """Make sure that a table has the columns that are wanted, before anything is printed.

    Raises:
        click.BadParameter: `layout` names a column that is not there.
    """
    if layout.sort:
        _place(head, layout.sort.removeprefix("-"), "--sort")
    for name in layout.columns if layout.columns != ALL else ():
        _place(head, name, "--columns")


def is_utf8() -> bool:
    """Whether the output has letters beyond the plain ones."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    return bool(encoding.lower().replace("-", "") == "utf8")


def _chosen(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    last: Sequence[Sequence[str]],
    layout: TableLayout,
    names: int,
) -> tuple[Sequence[str], Sequence[Sequence[str]], set[int]]:
    """The columns and rows that are wanted, and which columns stand to the left."""
    if layout.sort:
        by = _place(head, layout.sort.removeprefix("-"), "--sort")
        rows = _sorted(rows, by, down=layout.sort.startswith("-"))
    rows = [*rows[: layout.limit], *last]
    if layout.columns in {(), ALL}:
        return head, rows, set(range(names))
    places = [_place(head, name, "--columns") for name in layout.columns]
    left = {n for n, place in enumerate(places) if place < names}
    return [head[p] for p in places], [[row[p] for p in places] for row in rows], left


def _place(head: Sequence[str], name: str, option: str) -> int:
    for n, column in enumerate(head):
        if name.casefold() == column.casefold():
            return n
    there = [column for column in head if column]
    meant = nearest(name, there)
    near = f"did you mean {meant}? " if meant else ""
    raise click.BadParameter(
        f"there is no column {name!r}; {near}there are {', '.join(there)}", param_hint=option
    )


def _sorted(rows: Sequence[Sequence[str]], by: int, *, down: bool) -> Sequence[Sequence[str]]:
    """Sort rows by a cell as it is read: by its first number, else by its letters."""
    there = [row for row in rows if row[by] not in {MISSING, ""}]
    gone = [row for row in rows if row[by] in {MISSING, ""}]
    return [*sorted(there, key=lambda row: _value(row[by]), reverse=down), *gone]


def _value(cell: str) -> tuple[bool, float, str]:
    match = _NUMBER.match(cell.replace(MINUS, "-").lstrip("<"))
    number = float(match[0].replace(",", "").replace("$", "")) if match else 0.0
    return match is None, number, cell.casefold()


def _columns_in(room: int, widths: Sequence[int]) -> int:
    """How many columns fit, with two spaces between them; the first two always do.

    >>> _columns_in(20, [4, 10, 6, 3])
    2
    >>> _columns_in(24, [4, 10, 6, 3])
    3
    """
    ends = accumulate(width + 2 for width in widths)
    return max(2, sum(end - 2 <= room for end in ends))
