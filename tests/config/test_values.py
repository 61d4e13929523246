from collections.abc import Callable, Mapping
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


MINUTES = {"90s": 1.5, "10m": 10, "1h": 60, "7d": 10_080, "007d": 10_080}


@pytest.mark.parametrize(("said", "minutes"), MINUTES.items())
def test_a_duration_is_a_number_and_a_unit(said: str, minutes: float) -> None:
    assert kinds.duration(Plain(said)) == timedelta(minutes=minutes)


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


@pytest.mark.parametrize("said", ["a", "0", "gpt-5-mini", "a" * 64])
def test_a_name_is_of_small_letters_digits_and_dashes(said: str) -> None:
    assert kinds.identifier(said) == said


@pytest.mark.parametrize(
    "said", ["https://x.example/v1", "http://127.0.0.1:8080", "http://[::1]"]
)
def test_an_address_is_kept(said: str) -> None:
    assert kinds.url(said) == said


def test_a_choice_offers_the_nearest_word() -> None:
    with pytest.raises(WrongError) as caught:
        kinds.enum_reader(FillRule)(Plain("midd"))
    assert caught.value.suggestion == "did you mean mid?"


def test_options_are_sorted_pairs_all_the_way_down() -> None:
    said = {"b": [Plain("1"), {"z": Plain("true"), "y": "7"}], "a": None}
    read = kinds.options(said)
    assert read == (("a", None), ("b", (1, (("y", "7"), ("z", True)))))


LOOKS_LIKE = {"0.3": 0.3, "-2": -2, "1e2": 100.0, "no": "no", "007": "007", "1e999": "1e999"}


@pytest.mark.parametrize(("said", "meant"), LOOKS_LIKE.items())
def test_an_option_without_quotes_is_what_it_looks_like(said: str, meant: object) -> None:
    ((_, read),) = kinds.options({"x": Plain(said)})
    assert (read, type(read)) == (meant, type(meant))


Read = Callable[[object], object]
ADDRESSES = (
    "ftp://x.example",
    "x.example",
    "https://",
    "http://[",
    "http://x:port",
    "http://a@b",
)
NOT_WRITTEN_SO: Mapping[str, tuple[Read, tuple[str, ...]]] = {
    "number": (kinds.exact("a number"), (
        "-1", "1e3", "1_000", "1,000", "0x10", ".", "", ".nan", ".inf", "0.0000001", "\u0661",
    )),
    "number up to 1": (kinds.exact("", most=Decimal(1)), ("1.000001",)),
    "number above 0": (kinds.exact("", positive=True), ("0.0",)),
    "count": (kinds.count(1, 10), ("0", "11", "1.0", "-2", "2.5", "abc", "", "9" * 5000)),
    "duration": (kinds.duration, (
        "10", "1w", "1 h", "1.5h", "-1h", "0d", "000s", "36501d", "9" * 40 + "s", "1h\n", "",
    )),
    "time": (kinds.moment, (
        "2026-13-01", "2026-02-30", "20260105", "2026-W02-1", "0001-01-01", "9999-12-31",
        "monday",
    )),
    "flag": (kinds.flag, ("yes", "on", "1", "tru", "")),
    "name": (kinds.identifier, (
        "", "A", "-a", "a_b", "a.b", "../a", "a\n", "\u00e4", "a" * 65,
    )),
    "address": (kinds.url, (*ADDRESSES, "http://a b\n")),
    "path": (kinds.file_path, ("", "  ", "a\0b", "a\x1b[31m")),
}  # fmt: skip


@pytest.mark.parametrize(
    ("read", "said"),
    [
        pytest.param(read, said, id=f"{name} {said[:20]!r}")
        for name, (read, every) in NOT_WRITTEN_SO.items()
        for said in every
    ],
)
def test_what_is_not_written_as_its_kind_is_refused(read: Read, said: str) -> None:
    with pytest.raises(WrongError):
        read(Plain(said))


@pytest.mark.parametrize(
    ("read", "said"),
    [(kinds.count(1, 10), "5"), (kinds.flag, "true"), (kinds.crontab, ["*"])],
)
def test_what_is_in_quotes_or_a_list_is_another_kind(read: Read, said: object) -> None:
    with pytest.raises(WrongError):
        read(said)


@pytest.mark.parametrize(("said", "meant"), [("1", 1), ("5", 5), ("1000", 1000)])
def test_h7_a_count_is_read_as_it_is_written(said: str, meant: int) -> None:
    assert kinds.count(1, 1000)(Plain(said)) == meant
