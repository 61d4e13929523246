import csv
import gzip
import json
from hashlib import sha256
from io import StringIO
from pathlib import Path

import pytest

from arena.site.datafiles import FileFormat, sums_of, text_of, write_dataset
from arena.store import open_store
from arena.store.exports.datasets import Cells, ColumnDoc, ColumnKind, Dataset

WICKED = ("=1+1", "@SUM(A1)", "rain\u202e?", 'a "b",\nc', "")


def dataset(*rows: Cells) -> Dataset:
    columns = (
        ColumnDoc("word", ColumnKind.TEXT, "A word."),
        ColumnDoc("worth", ColumnKind.DOLLARS, "Dollars."),
        ColumnDoc("share", ColumnKind.NUMBER, "A number."),
    )
    return Dataset("words", "A word.", ("word",), columns, read=lambda *_: iter(rows))


def written(folder: Path, form: FileFormat, *rows: Cells) -> bytes:
    with open_store(None) as store:
        file = write_dataset(dataset(*rows), store, folder, form)
    content = (folder / file.name).read_bytes()
    assert (file.rows, file.size) == (len(rows), len(content))
    assert file.sha256 == sha256(content).hexdigest()
    return content


def sqlite_cells() -> Dataset:
    """Whole millionths, as a query gives them."""
    found = dataset()
    return Dataset(
        found.name,
        found.words,
        found.key,
        found.columns,
        "SELECT 'a', 1234500000, 0.1 UNION ALL SELECT 'b', -1, NULL UNION ALL "
        "SELECT 'c', 0, 1e-9",
    )


def test_amounts_are_exact_and_what_is_missing_is_empty() -> None:
    with open_store(None) as store:
        text, rows = text_of(sqlite_cells(), store)
    assert (rows, text) == (3, "word,worth,share\na,1234.5,0.1\nb,-0.000001,\nc,0,1e-09\n")


def test_in_json_amounts_are_text_and_what_is_missing_is_null(tmp_path: Path) -> None:
    with open_store(None) as store:
        write_dataset(sqlite_cells(), store, tmp_path, FileFormat.JSON)
    lines = (tmp_path / "words.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines][:2] == [
        {"word": "a", "worth": "1234.5", "share": 0.1},
        {"word": "b", "worth": "-0.000001", "share": None},
    ]


@pytest.mark.parametrize("word", WICKED)
def test_no_word_is_a_formula_or_hides_in_csv_and_json_has_it_as_it_is(
    word: str, tmp_path: Path
) -> None:
    row: Cells = (word, None, 1.0)
    text = written(tmp_path, FileFormat.CSV, row).decode()
    ((told, *_),) = list(csv.reader(StringIO(text)))[1:]
    assert not told.startswith(("=", "@"))
    assert "\u202e" not in told
    assert json.loads(written(tmp_path, FileFormat.JSON, row))["word"] == word


@pytest.mark.parametrize(
    ("packed", "plain"),
    [(FileFormat.CSV_PACKED, FileFormat.CSV), (FileFormat.JSON_PACKED, FileFormat.JSON)],
)
def test_a_packed_file_holds_the_plain_one_and_the_same_bytes_each_time(
    packed: FileFormat, plain: FileFormat, tmp_path: Path
) -> None:
    row: Cells = ("a", None, 1.0)
    once = written(tmp_path / "1", packed, row)
    assert gzip.decompress(once) == written(tmp_path, plain, row)
    assert written(tmp_path / "2", packed, row) == once


def test_a_table_that_cannot_be_written_leaves_the_older_one(tmp_path: Path) -> None:
    written(tmp_path, FileFormat.JSON, ("a", None, 1.0))
    with pytest.raises(ValueError, match="Out of range"):
        written(tmp_path, FileFormat.JSON, ("b", None, float("nan")))
    assert [file.name for file in tmp_path.iterdir()] == ["words.jsonl"]
    assert b'"a"' in (tmp_path / "words.jsonl").read_bytes()


def test_digests_stand_by_name(tmp_path: Path) -> None:
    with open_store(None) as store:
        forms = (FileFormat.JSON, FileFormat.CSV)
        files = [write_dataset(dataset(), store, tmp_path, form) for form in forms]
    names = [line.split("  ")[1] for line in sums_of(files).splitlines()]
    assert names == ["words.csv", "words.jsonl"]
