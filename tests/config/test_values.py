from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.config import kinds
from arena.config.document import Plain, WrongError
from arena.records.cohort import FillRule

MICROS = st.integers(0, 10**18)


@given(MICROS)
def test_every_amount_on_the_grid_is_read_exactly(micros: int) -> None:
    whole, part = divmod(micros, 10**6)
    assert kinds.exact("")(Plain(f"{whole}.{part:06}")) == Decimal(micros).scaleb(-6)


@pytest.mark.parametrize("said", ["0.25", ".25", "0.250000"])
def test_a_quarter_is_a_quarter_however_it_is_written(said: str) -> None:
    assert kinds.exact("")(Plain(said)) == Decimal("0.25")


@pytest.mark.parametrize(
    "said",
    ["-1", "1e3", "1_000", "1,000", "0x10", ".", "", ".nan", ".inf", "0.0000001", "\u0661"],
)
def test_what_is_no_plain_number_is_refused(said: str) -> None:
    with pytest.raises(WrongError):
        kinds.exact("a number")(Plain(said))


def test_a_number_above_the_most_is_refused() -> None:
    with pytest.raises(WrongError):
        kinds.exact("", most=Decimal(1))(Plain("1.000001"))


def test_nought_is_refused_where_more_is_needed() -> None:
    with pytest.raises(WrongError):
        kinds.exact("", positive=True)(Plain("0.0"))


@pytest.mark.parametrize("said", ["0", "11", "1.0", "-1", "x", "9" * 5000])
def test_a_count_outside_its_range_is_refused(said: str) -> None:
    with pytest.raises(WrongError):
        kinds.count(1, 10)(Plain(said))


def test_a_count_in_quotes_is_text() -> None:
    with pytest.raises(WrongError):
        kinds.count(1, 10)("5")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("90s", timedelta(seconds=90)),
        ("10m", timedelta(minutes=10)),
        ("1h", timedelta(hours=1)),
        ("7d", timedelta(days=7)),
        ("007d", timedelta(days=7)),
    ],
)
def test_a_duration_is_a_number_and_a_unit(said: str, meant: timedelta) -> None:
    assert kinds.duration(Plain(said)) == meant


@pytest.mark.parametrize(
    "said",
    ["10", "1w", "1 h", "1.5h", "-1h", "0d", "000s", "36501d", "9" * 40 + "s", "1h\n", ""],
)
def test_what_is_no_duration_is_refused(said: str) -> None:
    with pytest.raises(WrongError):
        kinds.duration(Plain(said))


@given(st.integers(1, 3_153_600_000))
def test_a_duration_is_read_as_it_is_written(seconds: int) -> None:
    span = timedelta(seconds=seconds)
    assert kinds.duration(kinds.duration_text(span)) == span


@pytest.mark.parametrize(
    "said", ["2026-01-05T09:00Z", "2026-01-05 09:00:00Z", "2026-01-05T10:30+01:30"]
)
def test_a_time_is_read_with_its_zone(said: str) -> None:
    read = kinds.moment(Plain(said))
    assert (read, read.tzinfo) == (datetime(2026, 1, 5, 9, tzinfo=UTC), UTC)


def test_a_plain_date_is_its_midnight_in_utc() -> None:
    assert kinds.moment(Plain("2026-01-05")) == datetime(2026, 1, 5, tzinfo=UTC)


def test_a_time_without_a_zone_is_refused_with_the_reason() -> None:
    with pytest.raises(WrongError) as caught:
        kinds.moment(Plain("2026-01-05T09:00"))
    assert caught.value.found.endswith("which has no time zone")
    assert caught.value.suggestion == "add a Z for UTC"


@pytest.mark.parametrize(
    "said",
    [
        "2026-13-01",
        "2026-02-30",
        "20260105",
        "2026-W02-1",
        "0001-01-01",
        "9999-12-31",
        "monday",
    ],
)
def test_what_is_no_time_is_refused(said: str) -> None:
    with pytest.raises(WrongError):
        kinds.moment(Plain(said))


@pytest.mark.parametrize("said", ["yes", "on", "1", "tru", ""])
def test_only_true_and_false_are_truth_values(said: str) -> None:
    with pytest.raises(WrongError):
        kinds.flag(Plain(said))


def test_true_in_quotes_is_a_word() -> None:
    with pytest.raises(WrongError):
        kinds.flag("true")


@pytest.mark.parametrize("said", ["a", "0", "gpt-5-mini", "a" * 64])
def test_a_name_is_of_small_letters_digits_and_dashes(said: str) -> None:
    assert kinds.identifier(said) == said


@pytest.mark.parametrize(
    "said", ["", "A", "-a", "a_b", "a.b", "../a", "a\n", "\u00e4", "a" * 65]
)
def test_any_other_name_is_refused(said: str) -> None:
    with pytest.raises(WrongError):
        kinds.identifier(said)


@pytest.mark.parametrize(
    "said", ["https://x.example/v1", "http://127.0.0.1:8080", "http://[::1]"]
)
def test_an_address_is_kept(said: str) -> None:
    assert kinds.url(said) == said


@pytest.mark.parametrize(
    "said",
    [
        "ftp://x.example",
        "x.example",
        "https://",
        "http://[",
        "http://x:port",
        "http://a@b",
        "http://a b\n",
    ],
)
def test_any_other_address_is_refused(said: str) -> None:
    with pytest.raises(WrongError):
        kinds.url(said)


@pytest.mark.parametrize("said", ["", "  ", "a\0b", "a\x1b[31m"])
def test_a_path_that_no_file_should_have_is_refused(said: str) -> None:
    with pytest.raises(WrongError):
        kinds.file_path(said)


def test_a_choice_offers_the_nearest_word() -> None:
    with pytest.raises(WrongError) as caught:
        kinds.enum_reader(FillRule)(Plain("midd"))
    assert caught.value.suggestion == "did you mean mid?"


def test_options_are_sorted_pairs_all_the_way_down() -> None:
    said = {"b": [Plain("1"), {"z": Plain("true"), "y": "7"}], "a": None}
    read = kinds.options(said)
    assert read == (("a", None), ("b", (1, (("y", "7"), ("z", True)))))


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("0.3", 0.3),
        ("-2", -2),
        ("1e2", 100.0),
        ("no", "no"),
        ("007", "007"),
        ("1e999", "1e999"),
    ],
)
def test_an_option_without_quotes_is_what_it_looks_like(said: str, meant: object) -> None:
    ((_, read),) = kinds.options({"x": Plain(said)})
    assert (read, type(read)) == (meant, type(meant))
