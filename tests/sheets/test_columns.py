import json
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from arena.errors import ArenaError
from arena.metrics.metric_values import terms
from tests.present import present
from tests.sheets.written import HEAD, first_rows, read, read_rows, said

PLAIN = "contestant,market,p,outcome"
OF_EVENTS = "contestant,market,event,p,outcome"
FULL = dict.fromkeys(HEAD.split(","), "1") | {"at": "2026-01-05"}
OF_OPTIONS = "contestant,market,p_1,p_2,p_3,outcome"


def left_out(folder: Path, *rows: str, head: str = PLAIN) -> dict[str, int]:
    return dict(read(folder, "\n".join([head, *rows])).forecasts.left_out)


def test_every_column_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, f"{HEAD}\nada,rain,storm,2026-01-05T09:00:00Z,0.7,0.6,0.9,1\n")
    row = found.forecasts
    assert said(row) == [("ada", "rain", "storm", 0.7, 1)]
    assert row.at.tolist() == [datetime(2026, 1, 5, 9)]  # noqa: DTZ001  UTC, by contract
    assert (row.market_p.tolist(), row.close_p.tolist()) == ([0.6], [0.9])
    assert (row.options, row.left_out, first_rows(found), found.faulty) == (None, {}, {}, 0)


def test_three_columns_are_enough_and_the_file_is_the_contestant(tmp_path: Path) -> None:
    found = read(tmp_path, "outcome,market,p\n1,rain,0.5\n0,snow,0.25\n", "ada.csv").forecasts
    assert said(found) == [("ada", "rain", "rain", 0.5, 1), ("ada", "snow", "snow", 0.25, 0)]
    assert np.isnat(found.at).all()
    assert np.isnan(found.market_p).all()
    assert np.isnan(found.close_p).all()


def test_without_events_each_market_is_its_own(tmp_path: Path) -> None:
    found = read(tmp_path, "contestant,market,p,outcome\na,x,0.5,1\na,y,0.5,0\nb,x,0.1,1\n")
    assert found.forecasts.event is found.forecasts.market


@pytest.mark.parametrize(
    ("word", "truth"),
    [("1", 1), ("0", 0), ("yes", 1), ("NO", 0), (" True ", 1), ("false", 0), ("1.0", 1),
     ("Y", 1), ("f", 0), ("won", 1), ("Lost", 0), ("Sí", 1), ("falso", 0), ("onwaar", 0)],
)  # fmt: skip
def test_an_outcome_may_be_a_number_or_a_word(word: str, truth: int, tmp_path: Path) -> None:
    found = read(tmp_path, f"market,p,outcome\nx,0.5,{word}\ny,0.5,no\n").forecasts
    assert found.outcome.tolist() == [truth, 0]


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("", "outcome_missing"),
        ("  ", "outcome_missing"),
        ("void", "outcome_void"),
        ("N/A", "outcome_void"),
        ("Annulled", "outcome_void"),
        ("Canceled", "outcome_void"),
        ("open", "outcome_missing"),
        ("TBD", "outcome_missing"),
        ("0.5", "outcome_fractional"),
    ],
)
def test_what_has_no_truth_is_left_out_and_is_no_fault(
    word: str, reason: str, tmp_path: Path
) -> None:
    found = read(tmp_path, f"market,p,outcome\nx,0.5,{word}\ny,0.5,yes\n")
    assert (found.forecasts.left_out, first_rows(found)) == ({reason: 1}, {reason: 1})
    assert (len(found.forecasts), found.faulty) == (1, 0)


@pytest.mark.parametrize("word", ["2", "-1", "maybe", "none", "inf", "1_0"])
def test_an_outcome_that_says_nothing_is_a_fault(word: str, tmp_path: Path) -> None:
    found = read(tmp_path, f"market,p,outcome\ny,0.5,yes\nx,0.5,{word}\n")
    assert found.forecasts.left_out == {"outcome_not_0_or_1": 1}
    assert (first_rows(found), found.faulty) == ({"outcome_not_0_or_1": 2}, 1)


@pytest.mark.parametrize(
    ("p", "reason"),
    [
        ("", "p_missing"),
        ("likely", "p_not_a_number"),
        ("NaN", "p_missing"),
        ("inf", "p_not_a_number"),
        ("1e999", "p_not_a_number"),
        ("5%0", "p_not_a_number"),
        ('"1,2,3"', "p_not_a_number"),
        ("50%%", "p_not_a_number"),
        ("True", "p_not_a_number"),
        ("-0.01", "p_out_of_range"),
        ("1.0000001", "p_out_of_range"),
    ],
)
def test_what_is_no_probability_is_a_fault(p: str, reason: str, tmp_path: Path) -> None:
    assert left_out(tmp_path, f"ada,x,{p},1", "ada,y,0.5,1") == {reason: 1}
    assert left_out(tmp_path, f"ada,x,{p},1") == {reason: 1}


@pytest.mark.parametrize("p", [0.0, 1.0, 5e-324, 1 - 2**-53])
def test_the_ends_are_probabilities(p: float, tmp_path: Path) -> None:
    found = read(tmp_path, f"market,p,outcome\nx,{p!r},1\n").forecasts
    assert found.p == pytest.approx([p], rel=1e-15, abs=0)  # pandas 2 misreads the last digit


@pytest.mark.parametrize("key", ["market_p", "close_p"])
def test_a_price_may_be_missing_and_not_be_wrong(key: str, tmp_path: Path) -> None:
    found = read(tmp_path, f"market,p,outcome,{key}\nw,.5,1,\nx,.5,1,.2\ny,.5,1,2\nz,.5,1,a\n")
    assert np.isnan(getattr(found.forecasts, key)).tolist() == [True, False]
    assert found.forecasts.left_out == {f"{key}_not_a_number": 1, f"{key}_out_of_range": 1}
    assert first_rows(found) == {f"{key}_not_a_number": 4, f"{key}_out_of_range": 3}


@pytest.mark.parametrize(
    ("word", "moment"),
    [
        ("2026-01-05", datetime(2026, 1, 5)),  # noqa: DTZ001  UTC, by contract
        ("2026-01-05 10:30", datetime(2026, 1, 5, 10, 30)),  # noqa: DTZ001
        ("2026-01-05T10:00:00+05:00", datetime(2026, 1, 5, 5)),  # noqa: DTZ001
        ("2026-01-05T00:00:00.123456789Z", datetime(2026, 1, 5, 0, 0, 0, 123456)),  # noqa: DTZ001
    ],
)
def test_a_moment_is_read_as_utc(word: str, moment: datetime, tmp_path: Path) -> None:
    found = read(tmp_path, f"market,p,outcome,at\nx,0.5,1,{word}\n").forecasts
    assert found.at.tolist() == [moment]


@pytest.mark.parametrize(
    "word",
    [
        "soon",
        "now",
        "today",
        "2026-13-01",
        "1767571200",
        "9-1-2026",
        "9999-12-31",
        "0001-01-01",
    ],
)
def test_what_is_no_moment_is_a_fault(word: str, tmp_path: Path) -> None:
    found = read(tmp_path, f"market,p,outcome,at\nx,0.5,1,\ny,0.5,1,{word}\n").forecasts
    assert found.left_out == {"at_not_a_time": 1}
    assert np.isnat(found.at).tolist() == [True]


def test_a_name_may_hold_the_line_ends_that_json_may(tmp_path: Path) -> None:
    row = {"market": "rain\u2028snow\x85hail", "p": 0.5, "outcome": 1}
    text = json.dumps(row, ensure_ascii=False) + "\n"
    found = read(tmp_path, text, "f.jsonl").forecasts
    assert found.market.names == (row["market"],)


def test_half_a_character_is_named_by_its_line(tmp_path: Path) -> None:
    text = '{"market": "x", "p": 0.5, "outcome": 1}\n\n{"market": "\\ud83d"}\n'
    with pytest.raises(ArenaError, match="line 3, market: half of a surrogate pair is no text"):
        read(tmp_path, text, "f.jsonl")


def test_names_that_look_like_numbers_stay_as_written(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "contestant,market,event,p,outcome,round\n007,0010,1e3,0.5,1,01\n7,10,1000,0.5,0,1\n",
        labels=("round",),
    ).forecasts
    assert said(found) == [("007", "0010", "1e3", 0.5, 1), ("7", "10", "1000", 0.5, 0)]
    assert found.labels["round"].names == ("01", "1")


def test_blanks_around_a_name_are_no_part_of_it(tmp_path: Path) -> None:
    rows = ("a ,\tx,e,0.5,1", " a,y,\xa0e,0.5,0", "a,x\xa0,e ,0.5,1")
    found = read(tmp_path, "\n".join([OF_EVENTS, *rows])).forecasts
    assert said(found) == [("a", "x", "e", 0.5, 1), ("a", "y", "e", 0.5, 0)]


@pytest.mark.parametrize("word", ["NA", "#N/A", "NaN", " null ", "nan"])
@pytest.mark.parametrize("key", HEAD.split(","))
def test_a_word_for_nothing_is_an_empty_cell(key: str, word: str, tmp_path: Path) -> None:
    empty, worded = (
        read(tmp_path, f"{HEAD}\n{','.join(({**FULL, key: cell}).values())}\n").forecasts
        for cell in ("", word)
    )
    assert (said(worded), worded.left_out) == (said(empty), empty.left_out)


def test_a_word_for_nothing_is_a_text_where_nothing_is_null(tmp_path: Path) -> None:
    found = read_rows(tmp_path, {"contestant": "NA", "market": "x", "p": 0.5, "outcome": 1})
    assert said(found.forecasts) == [("NA", "x", "x", 0.5, 1)]


@pytest.mark.parametrize("word", ["-", " ", "N/A"])
def test_a_price_that_is_not_there_may_be_a_dash(word: str, tmp_path: Path) -> None:
    found = read(tmp_path, f"market,p,outcome,market_p\nx,.5,1,{word}\ny,.5,1,.2\n").forecasts
    assert np.isnan(found.market_p).tolist() == [True, False]


def test_numbers_in_json_are_the_names_that_their_digits_are(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"contestant": 7, "market": 1, "p": 0.5, "outcome": True},
        {"contestant": "7", "market": None, "p": 0.5, "outcome": False},
        {"contestant": "7", "market": 2, "p": 0.25, "outcome": "no"},
    ]
    found = read_rows(tmp_path, *rows).forecasts
    assert said(found) == [("7", "1", "1", 0.5, 1), ("7", "2", "2", 0.25, 0)]
    assert (found.contestant.names, found.left_out) == (("7",), {"market_missing": 1})


@pytest.mark.parametrize("p", [True, "0.5x", [0.5], {"yes": 0.5}, 10**400])
def test_what_is_no_number_in_json_is_a_fault(p: object, tmp_path: Path) -> None:
    found = read_rows(
        tmp_path,
        {"market": "x", "p": p, "outcome": 1},
        {"market": "y", "p": 0.5, "outcome": [1]},
        {"market": "z", "p": "0.5", "outcome": 1},
    )
    assert found.forecasts.p.tolist() == [0.5]
    assert found.faulty == 2


@pytest.mark.parametrize("key", ["contestant", "market", "event"])
@pytest.mark.parametrize("blank", ["", '" "'])
def test_a_row_without_a_name_is_a_fault(key: str, blank: str, tmp_path: Path) -> None:
    row = {"contestant": "a", "market": "x", "event": "e", key: blank}
    found = read(tmp_path, f"{','.join(row)},p,outcome\n{','.join(row.values())},0.5,1\n")
    assert (found.forecasts.left_out, found.faulty) == ({f"{key}_missing": 1}, 1)


def test_the_same_forecast_again_counts_once(tmp_path: Path) -> None:
    head = "contestant,market,at,p,outcome"
    rows = (
        "a,x,2026-01-01,0.1,1",
        "a,x,2026-01-01T00:00Z,0.1,1",
        "a,x,2026-01-02,0.3,1",
        "b,x,2026-01-01,0.4,1",
    )
    found = read(tmp_path, "\n".join([head, *rows]))
    assert found.forecasts.p.tolist() == [0.1, 0.3, 0.4]
    assert (first_rows(found), found.faulty) == ({"repeated": 2}, 1)


def test_forecasts_that_contradict_each_other_are_not_repetitions(tmp_path: Path) -> None:
    found = read(tmp_path, "contestant,market,p,outcome\na,x,.1,1\nb,x,.1,1\n\na,x,.2,1\n")
    assert found.forecasts.left_out == {"p_contradicted": 2}
    (place,) = found.first.values()
    assert (place.file, place.at, place.against) == ("f.csv", "line 2", "line 5")
    options = ("x,0.5,0.5,1", "x,0.4,0.6,1", "y,0.5,0.5,1", "y,0.5,0.5,1")
    assert left_out(tmp_path, *options, head="market,p_1,p_2,outcome") == {
        "p_contradicted": 2,
        "repeated": 1,
    }


def test_a_faulty_row_does_not_hide_the_good_one_that_says_it_again(tmp_path: Path) -> None:
    found = read(tmp_path, "contestant,market,p,outcome\na,x,nine,1\na,x,0.9,1\n").forecasts
    assert (found.p.tolist(), found.left_out) == ([0.9], {"p_not_a_number": 1})


def test_repetitions_are_found_among_many_names(tmp_path: Path) -> None:
    rows = [f"c{n},m{n},0.5,1" for n in range(60)] * 2
    assert left_out(tmp_path, *rows) == {"repeated": 60}


@pytest.mark.parametrize(
    ("head", "rows", "reasons"),
    [
        pytest.param(PLAIN, ["a,x,0.1,1"] * 3, {"repeated": 2}, id="once-without-moments"),
        pytest.param(
            PLAIN,
            ["a,x,0.1,1", "b,x,0.2,0", "a,y,0.3,1", "b,y,0.4,yes"],
            {"outcome_contradicted": 2},
            id="two-outcomes",
        ),
        pytest.param(
            OF_EVENTS,
            ["a,x,e,0.1,1", "b,x,f,0.2,1", "a,y,e,0.3,1"],
            {"event_contradicted": 2},
            id="two-events",
        ),
        pytest.param(
            OF_OPTIONS,
            ["ada,x,0.2,0.3,0.5,1", "ben,x,0.6,0.4,,1"],
            {"options_contradicted": 2},
            id="two-numbers-of-options",
        ),
        pytest.param(
            OF_OPTIONS, ["ada,x,0.333333,0.333333,0.333334,2"], {}, id="rounded-options"
        ),
        pytest.param(
            PLAIN,
            [",x,2,9", "a,x,2,9"],
            {"contestant_missing": 1, "p_out_of_range": 1},
            id="the-first-fault-alone",
        ),
    ],
)
def test_rows_in_any_order_are_left_out_for_what_they_contradict(
    head: str, rows: list[str], reasons: dict[str, int], tmp_path: Path
) -> None:
    assert left_out(tmp_path, *rows, head=head) == reasons
    assert left_out(tmp_path, *reversed(rows), head=head) == reasons


def test_options_are_rows_of_probabilities(tmp_path: Path) -> None:
    found = read(tmp_path, "market,p_2,p_1,p_3,outcome\nx,0.3,0.2,0.5,3\ny,0,1,0,1\n").forecasts
    assert present(found.options).tolist() == [[0.2, 0.3, 0.5], [1, 0, 0]]
    assert found.outcome.tolist() == [2, 0]
    assert np.isnan(found.p).all()


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("0.2,0.3,0.4,1", "p_sum_not_1"),
        ("0.2,0.3,0.500002,1", "p_sum_not_1"),
        ("0.2,,0.8,1", "p_missing"),
        ("0.2,x,0.8,1", "p_not_a_number"),
        ("-0.2,0.7,0.5,1", "p_out_of_range"),
        ("0.2,0.3,0.5,0", "outcome_not_an_option"),
        ("0.2,0.3,0.5,4", "outcome_not_an_option"),
        ("0.2,0.3,0.5,1.5", "outcome_not_an_option"),
        ("0.2,0.3,0.5,yes", "outcome_not_an_option"),
        ("0.2,0.3,0.5,", "outcome_missing"),
        ("0.2,0.3,0.5,void", "outcome_void"),
        ("0.6,0.4,,3", "outcome_not_an_option"),
        ("1,,,1", "p_missing"),
        (",,,1", "p_missing"),
        ("0.6,0.3,,1", "p_sum_not_1"),
    ],
)
def test_options_have_their_own_faults(row: str, reason: str, tmp_path: Path) -> None:
    head = "market,p_1,p_2,p_3,outcome"
    assert left_out(tmp_path, "w,0.2,0.3,0.5,3", f"x,{row}", head=head) == {reason: 1}


def test_a_blank_after_the_last_option_is_no_option(tmp_path: Path) -> None:
    head, two, three = "market,p_1,p_2,p_3,outcome", "y,0.6,0.4,,1", "x,0.2,0.3,0.5,3"
    found = read(tmp_path, f"{head}\n{three}\n{two}\n{two}\n")
    assert found.forecasts.left_out == {"repeated": 1}
    alone = read(tmp_path, "market,p_1,p_2,outcome\ny,0.6,0.4,1\n").forecasts
    keys = ("brier_sum", "log", "spherical", "rps")
    for key in keys:
        assert terms(key, found.forecasts)[1] == terms(key, alone)[0]


@pytest.mark.parametrize(
    ("head", "said_of_it"),
    [
        ("contestant,p,outcome", "there is no column market"),
        ("market,outcome", "there is no column p (or p_1, p_2, ...)"),
        ("market,p", "there is no column outcome"),
        ("who,guess,truthful", "it has 'who', 'guess', 'truthful'"),
        ("market,p,p_1,p_2,outcome", "both p and p_1 are there"),
        ("market,p_1,outcome", "there is no column p_2"),
        ("market,p_1,p_3,outcome", "there is no column p_2"),
    ],
)
def test_columns_that_are_needed_are_named(head: str, said_of_it: str, tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="there") as refused:
        read(tmp_path, f"{head}\n")
    assert said_of_it in refused.value.message
    assert refused.value.status == 2


def test_a_label_is_a_column_that_was_asked_for(tmp_path: Path) -> None:
    text = "market,p,outcome,topic\nx,0.5,1,sun\ny,0.5,0,\nz,0.5,0,(none)\n"
    found = read(tmp_path, text, labels=("topic",)).forecasts.labels["topic"]
    assert (found.names, found.codes.tolist()) == (("sun", "(none)"), [0, 1, 1])
    assert read(tmp_path, text).forecasts.labels == {}
    with pytest.raises(ArenaError, match="there is no column kind"):
        read(tmp_path, text, labels=("kind",))


def test_a_heading_alone_is_no_forecast(tmp_path: Path) -> None:
    found = read(tmp_path, HEAD + "\n")
    assert (len(found.forecasts), found.faulty) == (0, 0)
