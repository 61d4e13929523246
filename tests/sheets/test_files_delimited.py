"""Files as spreadsheets of several countries write them say what a plain one says."""

import re
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.sheets.files import ALIASES, plain, read_headings
from arena.sheets.reading import read_forecasts
from tests.present import present
from tests.sheets.written import read, said, write

PLAIN = [("Zoë", "Will it rain?", 0.31, 1), ("Zoë", "Schnee, viel", 0.075, 0)]
GERMANY = """\
Modell;Frage;Datum;Wahrscheinlichkeit;Ergebnis
Zoë;Will it rain?;05.01.2026 09:00;31%;WAHR
Zoë;Schnee, viel;05.01.2026 09:00;7,5%;FALSCH
;;;;
"""
FRANCE = """\
Modèle;Marché;Date;Probabilité (%);Résultat
Zoë;Will it rain?;05/01/2026 09:00;31;VRAI
Zoë;Schnee, viel;05/01/2026 09:00;7,5\xa0%;FAUX
"""
AMERICA = """\
MODEL,Question,Date,Probability,RESOLUTION
Zoë,Will it rain?,1/5/2026 9:00 AM,31%,TRUE
Zoë,"Schnee, viel",1/5/2026 9:00 AM,7.50%,FALSE
"""
TABS = AMERICA.replace('"Schnee, viel"', "Schnee; viel").replace(",", "\t").replace(";", ",")
MARKED = "sep=;\n" + GERMANY


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMANY, "cp1252"),
        (GERMANY, "utf-8-sig"),
        (MARKED, "cp1252"),
        (FRANCE, "cp1252"),
        (AMERICA, "cp1252"),
        (AMERICA, "utf-8-sig"),
        (TABS, "utf-16"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_what_spreadsheets_write_is_read(
    text: str, encoding: str, end: str, tmp_path: Path
) -> None:
    (tmp_path / "f.csv").write_bytes(text.replace("\n", end).encode(encoding))
    found = read_forecasts([tmp_path / "f.csv"])
    assert [(who, what, p, came) for who, what, _, p, came in said(found.forecasts)] == PLAIN
    assert found.forecasts.at.tolist() == [datetime(2026, 1, 5, 9)] * 2  # noqa: DTZ001  UTC
    assert found.forecasts.left_out == {}
    (line,) = found.said
    assert "contestant from 'Mod" in line.replace("MODEL", "Mod")


def test_a_plain_file_needs_no_word(tmp_path: Path) -> None:
    assert read(tmp_path, "contestant,market,p,outcome\na,x,0.5,1\n").said == ()


def test_what_was_taken_for_what_is_told(tmp_path: Path) -> None:
    found = read(tmp_path, "model;question;prob (%);outcome\na;x;31;1\n")
    (line,) = found.said
    assert line == (
        "f.csv: contestant from 'model'; market from 'question'; "
        "p from 'prob (%)', in percent; fields separated by semicolons"
    )
    assert found.forecasts.p.tolist() == [0.31]


FRACTIONS = ["prob (%)\n0.31\n0.5", "p_1 %,p_2 %\n0.4,0.6\n1,0", "market_p %,p\n0.5,1\n,1"]


@pytest.mark.parametrize("columns", FRACTIONS)
def test_fractions_under_a_sign_of_percent_are_refused(columns: str, tmp_path: Path) -> None:
    lines = columns.split("\n")
    rows = "".join(f"{line},m{n},1\n" for n, line in enumerate(lines[1:]))
    with pytest.raises(ArenaError, match="says percent, and no number is above 1"):
        read(tmp_path, f"{lines[0]},market,outcome\n{rows}")


def test_one_small_option_in_percent_is_none_that_is_a_fraction(tmp_path: Path) -> None:
    found = read(tmp_path, "market,p_1 %,p_2 %,outcome\nx,0.5,99.5,1\n").forecasts
    assert present(found.options).tolist() == [[0.005, 0.995]]


def test_a_heading_can_be_told(tmp_path: Path) -> None:
    file = write(tmp_path, "Wer,Was,Tipp,outcome\na,x,0.5,1\n")
    told = {"wer": "contestant", "Was": "market", "Tipp": "p"}
    assert said(read_forecasts([file], renames=told).forecasts) == [("a", "x", "x", 0.5, 1)]
    for wrong in ({"Wär": "contestant"}, {"Wer": "contestants"}):
        with pytest.raises(ArenaError, match="column") as refused:
            read_forecasts([file], renames=wrong)
        assert (refused.value.code, refused.value.status) == ("score.map", 2)


def test_what_is_told_goes_before_a_name(tmp_path: Path) -> None:
    file = write(tmp_path, "market,question,p,outcome\na,x,0.5,1\n")
    found = read_forecasts([file], renames={"question": "market"}).forecasts
    assert found.market.names == ("x",)


def test_prices_are_not_the_names_of_markets(tmp_path: Path) -> None:
    file = write(tmp_path, "question,market,p,outcome\nx,0.4,0.5,1\ny,1,0.5,0\n")
    with pytest.raises(ArenaError, match="'market' holds numbers from 0 to 1") as refused:
        read_forecasts([file])
    assert "--map market=market_p" in refused.value.hint
    found = read_forecasts([file], renames={"market": "market_p"}).forecasts
    assert (found.market.names, found.market_p.tolist()) == (("x", "y"), [0.4, 1])


@pytest.mark.parametrize("heading", ["Market %", "market percent"])
def test_a_heading_in_percent_is_that_of_no_names(heading: str, tmp_path: Path) -> None:
    found = read(tmp_path, f"question,{heading},p,outcome\nx,40,0.5,1\n").forecasts
    assert found.market.names == ("x",)


def test_a_column_that_is_missing_is_told_with_what_is_there(tmp_path: Path) -> None:
    with pytest.raises(
        ArenaError, match="it has 'model', 'question', 'outcome', 'probabilty'"
    ) as refused:
        read(tmp_path, "model,question,outcome,probabilty\n")
    assert refused.value.hint == "is it --map 'probabilty'=p?"


@pytest.mark.parametrize("name", [n for names in ALIASES.values() for n in names])
def test_each_usual_name_is_of_one_column_alone(name: str) -> None:
    of = [ours for ours, names in ALIASES.items() if name in (ours, *names)]
    assert (len(of), plain(name)) == (1, name)
    assert list(read_headings([f" {name.upper()} "]).places) == of


def test_our_own_name_goes_before_a_usual_one() -> None:
    names = ["Question", "forecast", "market", "P", "market_id"]
    assert read_headings(names).taken == {"market": "market", "p": "P"}


def test_labels_keep_their_own_column(tmp_path: Path) -> None:
    text = "model,market,p,outcome\na,x,0.5,1\n"
    found = read(tmp_path, text, labels=("model",)).forecasts
    assert (found.contestant.names, found.labels["model"].names) == (("a",), ("a",))


@pytest.mark.parametrize(
    ("dates", "fault"),
    [
        (("1/5/2026", "25/12/2026"), None),
        (("1/5/2026", "12/25/2026"), None),
        (("1.5.2026", "2.5.2026"), None),
        (("1/5/2026", "2/5/2026"), "at_day_or_month"),
        (("25/12/2026", "12/25/2026"), "at_day_or_month"),
        (("31.2.2026", "1.2.2026"), "at_not_a_time"),
    ],
)
def test_a_day_is_never_guessed(
    dates: tuple[str, ...], fault: str | None, tmp_path: Path
) -> None:
    rows = "".join(f"m{n},0.5,1,{date}\n" for n, date in enumerate(dates))
    found = read(tmp_path, f"market,p,outcome,at\n{rows}").forecasts
    assert set(found.left_out) == ({fault} if fault else set())


def test_another_file_does_not_decide_what_a_day_is(tmp_path: Path) -> None:
    sure = write(tmp_path, "market,p,outcome,at\nx,0.5,1,25/12/2026\n", "sure.csv")
    unsure = write(tmp_path, "market,p,outcome,at\ny,0.5,1,1/5/2026\n", "unsure.csv")
    assert read_forecasts([sure, unsure]).forecasts.left_out == {"at_day_or_month": 1}


def test_a_heading_that_nothing_takes_may_name_who_forecast(tmp_path: Path) -> None:
    (line,) = read(tmp_path, "who,market,p,outcome\na,x,0.5,1\n").said
    assert line.endswith("all rows are f's; --map 'who'=contestant would take it for one")


def test_a_field_may_be_as_long_as_the_file(tmp_path: Path) -> None:
    text = f'market,p,outcome\nx,0.5,1\n"{"y" * 200_000}",2,1\n'
    found = read(tmp_path, text)
    assert (found.faulty, len(found.forecasts)) == (1, 1)


def test_a_row_too_long_is_named_by_its_line(tmp_path: Path) -> None:
    text = 'market,p,outcome\n"two\nlines",0.5,1\n\nx,0,31,1\n'
    with pytest.raises(ArenaError, match="line 5 has 4 fields, and there are 3 headings"):
        read(tmp_path, text)


def test_an_empty_file_is_told_in_our_words(tmp_path: Path) -> None:
    for name in ("a.csv", "a.json", "a.jsonl"):
        with pytest.raises(
            ArenaError, match=re.escape(f"{name} cannot be read: there is nothing in it")
        ):
            read(tmp_path, "\n", name)


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)


HEADINGS = ("market", "p", "outcome")


@given(st.lists(CELLS.filter(str.strip), max_size=5), st.sampled_from(",;\t"))
def test_lines_are_those_of_an_editor(names: list[str], delimiter: str) -> None:
    cells = ['"' + name.replace('"', '""').replace("\r", "") + '"' for name in names]
    rows = [delimiter.join((f'"{n}-{cell[1:]}', "0.5", "1")) for n, cell in enumerate(cells)]
    heading, last = (delimiter.join(row) for row in (HEADINGS, ("last", "none", "1")))
    text = "\n".join([heading, *rows, "", last])
    with TemporaryDirectory() as folder:
        file = Path(folder) / "f.csv"
        file.write_text(text, encoding="utf-8", newline="")
        (place,) = read_forecasts([file]).first.values()
    assert place.at == f"line {1 + text.count(chr(10))}"
