"""Tables of other libraries as data frames, and the other way round: the door to pyarrow."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from pandas import DataFrame

from arena.errors import ArenaError
from arena.sheets.files import SheetSource, source_of_columns, with_index

__all__ = ["ArrowTable", "DataFrame", "frame_of", "frame_source"]


class ArrowTable(Protocol):
    """A table of pandas, Polars, PyArrow or DuckDB, by Arrow's PyCapsule protocol."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand the rows over."""


def frame_source(
    table: ArrowTable, labels: Sequence[str], renames: Mapping[str, str]
) -> SheetSource:
    """Read the columns of a table that scoring knows, and the labels that were asked for.

    Raises:
        ArenaError: It is no table, or two columns have one name.
    """
    return source_of_columns("table", _pandas(table), labels, renames)


def frame_of(columns: Mapping[str, str | None], rows: Iterable[Sequence[Any]]) -> DataFrame:
    """Rows as a data frame; a column with a type of numpy is of that type."""
    frame = DataFrame(list(rows), columns=list(columns))
    return frame.astype({name: kind for name, kind in columns.items() if kind is not None})


def no_forecasts(what: str) -> ArenaError:
    """The error about something that was given for forecasts, and holds none."""
    hint = "give a table of pandas, Polars or PyArrow, a path, several, or an Arena"
    return ArenaError("score.table", f"forecasts are no {what}", hint=hint, status=2)


def _pandas(table: ArrowTable) -> DataFrame:
    if isinstance(table, DataFrame):
        return with_index(table)
    if not hasattr(table, "__arrow_c_stream__"):
        is_lazy = hasattr(table, "collect")
        raise no_forecasts(type(table).__name__ + ": call its .collect() first" * is_lazy)
    try:
        import pyarrow as pa  # noqa: PLC0415  an extra
    except ImportError as error:
        raise ArenaError(
            "score.parquet",
            f"reading a table of {type(table).__module__.partition('.')[0]} needs pyarrow",
            hint="pip install 'paper-arena[parquet]'",
            status=2,
        ) from error
    return with_index(pa.table(table).to_pandas())
