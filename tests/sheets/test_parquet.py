import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.sheets import parquet
from arena.sheets.parquet import (
    ParquetType,
    read_parquet,
    read_parquet_columns,
    write_parquet,
)

pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("duckdb")

COLUMNS = (
    ("name", ParquetType.TEXT),
    ("price", ParquetType.PRICE),
    ("paid", ParquetType.DOLLARS),
    ("seen_at", ParquetType.MOMENT),
    ("sure", ParquetType.FLAG),
    ("size", ParquetType.COUNT),
)
ROW = ("rain", 380_000, 9_000_000_000_000_000_000, "2026-01-05T09:00:00.5+00:00", True, 2**40)
NOTHING = (None, None, None, None, None, None)


def read(file: Path) -> Any:  # noqa: ANN401  # a table of pyarrow
    return pq.read_table(file)


def test_amounts_and_moments_are_exact(tmp_path: Path) -> None:
    file = tmp_path / "a" / "rows.parquet"
    assert write_parquet(file, COLUMNS, [ROW, NOTHING]) == 2
    first, second = read(file).to_pylist()
    assert first["price"] == Decimal("0.380000")
    assert first["paid"] == Decimal(9_000_000_000_000)
    assert first["seen_at"].isoformat() == "2026-01-05T09:00:00.500000+00:00"
    assert (first["name"], first["sure"], first["size"]) == ("rain", True, 2**40)
    assert set(second.values()) == {None}


MOMENTS = st.datetimes(
    datetime(1900, 1, 1),  # noqa: DTZ001  in UTC by `timezones`
    datetime(2200, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
ROWS = st.tuples(
    st.none() | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    st.none() | st.integers(0, 10**6),
    st.none() | st.integers(-(2**63) + 1, 2**63 - 1),
    st.none() | MOMENTS.map(datetime.isoformat),
    st.none() | st.booleans(),
    st.none() | st.integers(-(2**63), 2**63 - 1),
)


@given(st.lists(ROWS, min_size=1, max_size=5))
def test_rows_are_read_as_they_were_written(rows: list[tuple[object, ...]]) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "rows.parquet"
        write_parquet(file, COLUMNS, rows)
        assert list(read_parquet([file, file], COLUMNS)) == rows + rows


def test_no_files_have_no_rows() -> None:
    assert list(read_parquet([], COLUMNS)) == []


def test_columns_have_the_types_that_were_agreed(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    write_parquet(file, COLUMNS, [NOTHING])
    assert [str(field.type) for field in read(file).schema] == [
        "string",
        "decimal128(9, 6)",
        "decimal128(24, 6)",
        "timestamp[us, tz=UTC]",
        "bool",
        "int64",
    ]


@pytest.mark.parametrize("moment", ["2026-06-01T12:00:00+02:00", "2026-06-01T10:00:00+00:00"])
def test_moments_are_in_utc(tmp_path: Path, moment: str) -> None:
    file = tmp_path / "rows.parquet"
    write_parquet(file, [("seen_at", ParquetType.MOMENT)], [(moment,)])
    assert read(file).to_pylist()[0]["seen_at"].isoformat() == "2026-06-01T10:00:00+00:00"


def test_without_a_row_nothing_is_written(tmp_path: Path) -> None:
    assert write_parquet(tmp_path / "a" / "rows.parquet", COLUMNS, []) == 0
    assert list(tmp_path.iterdir()) == []


def test_an_older_file_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    for count in (3, 1):
        write_parquet(file, COLUMNS, [ROW] * count)
    assert read(file).num_rows == 1
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]


def test_an_older_file_stands_when_rows_break_off(tmp_path: Path) -> None:
    def broken() -> Iterator[Sequence[object]]:
        yield ROW
        raise KeyError

    file = tmp_path / "rows.parquet"
    write_parquet(file, COLUMNS, [ROW])
    before = file.read_bytes()
    with pytest.raises(KeyError):
        write_parquet(file, COLUMNS, broken())
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]


def test_more_rows_than_fit_at_once_are_all_there(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    count = parquet.AT_ONCE + 5
    assert (
        write_parquet(file, [("size", ParquetType.COUNT)], ((n,) for n in range(count)))
        == count
    )
    column = read(file).column("size").to_pylist()
    assert sorted(column) == list(range(count))


def test_a_folder_may_be_called_anything(tmp_path: Path) -> None:
    file = tmp_path / "a [1]* it's?" / "rows.parquet"
    write_parquet(file, COLUMNS, [ROW])
    assert read(file).num_rows == 1


def test_pages_and_sweeps_need_no_pandas() -> None:
    modules = "arena.site.engine.build, arena.sweeps.run"
    code = f"import sys, {modules}; sys.exit('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=False)  # noqa: S603
    assert done.returncode == 0


NUMBERS = st.none() | st.floats(allow_nan=False) | st.integers(-(2**53), 2**53)


@given(st.lists(st.tuples(NUMBERS, st.none() | st.binary(max_size=9)), min_size=1, max_size=5))
def test_numbers_and_bytes_are_read_as_they_were_written(
    rows: list[tuple[object, ...]],
) -> None:
    columns = (("value", ParquetType.NUMBER), ("body", ParquetType.BYTES))
    with TemporaryDirectory() as folder:
        file = Path(folder) / "rows.parquet"
        write_parquet(file, columns, rows)
        assert repr(list(read_parquet([file], columns))) == repr(
            [(None if value is None else float(value), body) for value, body in rows]  # type: ignore[arg-type]
        )


def test_what_is_missing_in_a_column_is_nan_nat_or_none(tmp_path: Path) -> None:
    files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    write_parquet(files[0], COLUMNS, [ROW, NOTHING])
    write_parquet(files[1], COLUMNS, [ROW])
    columns = read_parquet_columns(files, ("seen_at", "size", "name"))
    moment = "2026-01-05T09:00:00.500000"
    assert list(columns) == ["seen_at", "size", "name"]
    assert columns["seen_at"].astype(str).tolist() == [moment, "NaT", moment]
    assert columns["size"].astype(str).tolist() == ["1099511627776.0", "nan", "1099511627776.0"]
    assert columns["name"].tolist() == ["rain", None, "rain"]


def test_columns_of_no_file_are_empty() -> None:
    assert [len(column) for column in read_parquet_columns([], ("a", "b")).values()] == [0, 0]
