import gzip
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arena.errors import ArenaError
from arena.sheets.reading import read_forecasts
from tests.sheets.written import first_rows, read, said, write

ROWS = [
    {"contestant": "ada", "market": "007", "event": "e", "at": "2026-01-05T00:00:00Z", "p": 0.7,
     "market_p": 0.6, "close_p": None, "outcome": 1, "topic": "sun"},
    {"contestant": "ben", "market": "007", "event": "e", "at": "2026-01-05T00:00:00Z", "p": 0.1,
     "market_p": None, "close_p": 0.2, "outcome": 1, "topic": "rain"},
]  # fmt: skip
PACKED = "market,p,outcome\nx,0.5,1\n"


def refusal(*files: Path, labels: Sequence[str] = ()) -> ArenaError:
    with pytest.raises(ArenaError) as refused:
        read_forecasts(files, labels=labels)
    assert refused.value.status == 2
    return refused.value


def test_all_kinds_of_files_say_the_same(tmp_path: Path) -> None:
    frame = pd.DataFrame(ROWS)
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "b.parquet")
    write(tmp_path, json.dumps(ROWS), "c.json")
    write(tmp_path, json.dumps({"forecasts": ROWS, "author": "me"}), "d.JSON")
    write(tmp_path, "\n\n".join(map(json.dumps, ROWS)), "e.jsonl")
    write(tmp_path, "\r\n".join(map(json.dumps, ROWS)), "f.ndjson")
    files = sorted(tmp_path.iterdir())
    assert len(files) == 6
    sheets = [read_forecasts([file], labels=["topic"]).forecasts for file in files]
    first = sheets[0]
    for found in sheets:
        assert said(found) == [("ada", "007", "e", 0.7, 1), ("ben", "007", "e", 0.1, 1)]
        assert (found.at == first.at).all()
        assert np.array_equal(found.market_p, [0.6, np.nan], equal_nan=True)
        assert np.array_equal(found.close_p, [np.nan, 0.2], equal_nan=True)
        assert found.labels["topic"].names == ("sun", "rain")
        assert found.left_out == {}


def test_parquet_keeps_its_own_types(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "market": pd.Categorical(["x", "y", "z"]),
            "at": pd.to_datetime(["2026-01-05T05:00:00+05:00"] * 3, utc=True),
            "p": pd.array([0.5, None, 0.25], dtype="Float64"),
            "outcome": pd.array([True, False, None], dtype="boolean"),
        }
    )
    frame.to_parquet(tmp_path / "f.pq")
    found = read_forecasts([tmp_path / "f.pq"]).forecasts
    assert said(found) == [("f", "x", "x", 0.5, 1)]
    assert found.at.astype(str).tolist() == ["2026-01-05T00:00:00.000000"]
    assert found.left_out == {"outcome_missing": 1, "p_missing": 1}


def test_several_files_are_one_table_counted_on(tmp_path: Path) -> None:
    one = write(tmp_path, "market,p,outcome\n1,0.5,1\n", "ada.csv")
    other = write(tmp_path, "outcome,market,p,contestant\n1,1,2,ben\n1,1,0.3,ben\n", "x.csv")
    found = read_forecasts([one, other])
    assert said(found.forecasts) == [("ada", "1", "1", 0.5, 1), ("ben", "1", "1", 0.3, 1)]
    assert first_rows(found) == {"p_out_of_range": 2}


def test_a_mark_of_utf_8_is_no_part_of_the_first_column(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("\ufeffmarket,p,outcome\nx,0.5,1\n".encode())
    (tmp_path / "b.json").write_bytes(("\ufeff" + json.dumps(ROWS)).encode())
    assert said(read_forecasts([tmp_path / "a.csv"]).forecasts) == [("a", "x", "x", 0.5, 1)]
    assert len(read_forecasts([tmp_path / "b.json"]).forecasts) == 2


def test_names_may_hold_commas_quotes_and_lines(tmp_path: Path) -> None:
    text = 'contestant,market,p,outcome\r\n"Smith, J","a ""b""\nc",0.5,1\r\n\r\nζ,x,0.5,0\r\n'
    assert said(read(tmp_path, text).forecasts) == [
        ("Smith, J", 'a "b"\nc', 'a "b"\nc', 0.5, 1),
        ("ζ", "x", "x", 0.5, 0),
    ]


@pytest.mark.parametrize(
    "rows", ["a,b,0.5,1\nc,0.5,1", "c,0.5,1\na,b,0.5,1", "a,0.5,1,\nb,0.5,1,"]
)
def test_a_row_with_more_fields_than_the_heading_shifts_nothing(
    rows: str, tmp_path: Path
) -> None:
    error = refusal(write(tmp_path, f"market,p,outcome\n{rows}\n"))
    assert error.code == "score.unreadable"
    assert "fields" in error.message


def test_a_mark_that_is_astray_swallows_no_rows(tmp_path: Path) -> None:
    rows = ('ada,"rain,0.8,1', "ada,snow,0.6,1", 'ada,"hail",0.6,1', "ben,rain,0.5,1")
    error = refusal(write(tmp_path, "\n".join(["contestant,market,p,outcome", *rows])))
    assert "astray in the row of line 2 (line 4:" in error.message
    assert error.hint == ""


def test_a_packed_file_is_read_as_what_is_in_it(tmp_path: Path) -> None:
    for name, text in (("ada.csv.gz", PACKED), ("ben.jsonl.gz", json.dumps(ROWS[1]))):
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    found = read_forecasts([tmp_path / "ada.csv.gz", tmp_path / "ben.jsonl.gz"]).forecasts
    assert found.contestant.names == ("ada", "ben")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"PK\x03\x04\x81", "is an Excel, LibreOffice or zip file"),
        (gzip.compress(b"PK\x03\x04", mtime=0), "is an Excel, LibreOffice or zip file"),
        (b"\xd0\xcf\x11\xe0\x81", "is an old Excel file, and no text"),
        (b"\x1f\x8b\x08", "cannot be read"),
    ],
)
def test_what_is_no_text_is_told_by_its_kind(content: bytes, what: str, tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(content)
    assert what in refusal(tmp_path / "a.xlsx").message


def test_a_line_of_json_that_is_none_is_named(tmp_path: Path) -> None:
    error = refusal(write(tmp_path, '{"market": 1}\n\n{"market": }\n', "a.jsonl"))
    assert "line 3: Expecting value at column 12" in error.message


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_a_key_that_comes_twice_is_not_guessed(name: str, tmp_path: Path) -> None:
    error = refusal(write(tmp_path, '{"market": 1, "p": 0.5, "p": 0.6}', name))
    assert "the key 'p' comes twice in {'market': 1" in error.message


@pytest.mark.parametrize("keys", [["market"], ["market", "contestant"]])
def test_an_index_with_a_name_is_a_column(keys: list[str], tmp_path: Path) -> None:
    frame = pd.DataFrame(ROWS).set_index(keys)
    frame.to_parquet(tmp_path / "a.parquet")
    for each in (tmp_path / "a.parquet", frame):
        assert read_forecasts([each]).forecasts.contestant.names == ("ada", "ben")


def test_an_index_without_a_name_numbers_no_row(tmp_path: Path) -> None:
    frame = pd.DataFrame([ROWS[0], ROWS[1] | {"p": 2}], index=["x", "y"])
    frame.to_parquet(tmp_path / "a.parquet")
    assert first_rows(read_forecasts([tmp_path / "a.parquet"])) == {"p_out_of_range": 2}


@pytest.mark.parametrize(("name", "is_told"), [("a.csv", False), ("a.json", True)])
def test_how_files_end_is_told_where_the_kind_is_wrong(
    name: str, *, is_told: bool, tmp_path: Path
) -> None:
    error = refusal(write(tmp_path, "market,p,p,outcome\nx,0,1,1", name))
    assert ("Parquet in .parquet" in error.hint) is is_told


def test_a_column_that_is_there_twice_is_not_guessed(tmp_path: Path) -> None:
    assert (
        "several columns p" in refusal(write(tmp_path, "market,p,p,outcome\nx,0,1,1")).message
    )
    found = read(tmp_path, "market,note,p,note,outcome\nx,a,0.5,b,1\n")
    assert len(found.forecasts) == 1


def test_a_word_among_very_many_numbers_is_found_without_a_warning(tmp_path: Path) -> None:
    notes = "," * 600  # pandas reads 2^20 cells at once, here those of about 1,000 rows
    rows = "".join(f"m{n},0.{n % 10}25,1{notes}\n" for n in range(2000))
    found = read(tmp_path, f"market,p,outcome{notes}\n{rows}last,none,yes{notes}\n")
    assert found.forecasts.left_out == {"p_not_a_number": 1}
    assert first_rows(found) == {"p_not_a_number": 2001}
    assert found.forecasts.p[:3].tolist() == [0.025, 0.125, 0.225]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b""),
        ("a.csv", b"\n\n"),
        ("a.csv", b'market,p,outcome\n"x,0.5,1\n'),
        ("a.csv", b"market,p,outcome\nx\x81\xe9,0.5,1\n"),
        ("a.csv", b"market,p,outcome\n\0\n"),
        ("a.json", b""),
        ("a.json", b"market,p,outcome\nx,0.5,1\n"),
        ("a.json", b"3"),
        ("a.json", b'[{"market": 1}, 2]'),
        ("a.json", b'{"rows": []}'),
        ("a.json", b"\xff\xfe"),
        ("a.json", b"[" * 100_000),
        ("a.jsonl", b'{"market": 1}\n[]'),
        ("a.jsonl", b'{"market":'),
        ("a.parquet", b"market,p,outcome\n"),
        ("a.parquet", b""),
    ],
)
def test_a_file_that_cannot_be_read_is_named(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    error = refusal(tmp_path / name)
    assert error.code == "score.unreadable"
    assert str(tmp_path / name) in error.message


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.jsonl", "a.parquet", "-"])
def test_a_file_that_is_not_there_is_named(name: str, tmp_path: Path) -> None:
    assert refusal(tmp_path / name).code == "score.no_file"


def test_no_file_at_all_is_refused() -> None:
    assert refusal().code == "score.no_file"


def test_json_in_a_csv_lacks_columns(tmp_path: Path) -> None:
    assert refusal(write(tmp_path, json.dumps(ROWS))).code in {
        "score.columns",
        "score.unreadable",
    }


def test_an_empty_array_has_no_columns(tmp_path: Path) -> None:
    assert refusal(write(tmp_path, "[]", "a.json")).code == "score.columns"


def test_without_its_library_parquet_says_what_to_install(tmp_path: Path) -> None:
    pd.DataFrame(ROWS).to_parquet(tmp_path / "f.parquet")
    script = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from pathlib import Path\n"
        "from arena.errors import ArenaError\n"
        "from arena.sheets.reading import read_forecasts\n"
        "try: read_forecasts([Path('f.parquet')])\n"
        "except ArenaError as error: print(error.code, error.hint, error.status)\n"
    )
    done = subprocess.run(  # noqa: S603  our own words
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "score.parquet pip install 'paper-arena[parquet]' 2\n"
