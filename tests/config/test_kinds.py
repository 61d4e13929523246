import pytest

from arena.config.document import WrongError
from arena.config.kinds import crontab


@pytest.mark.parametrize(
    "line", ["* * * * *", "*/10 * * * *", "0,30 9-17 1-31/2 jan-mar mon-FRI", "59 23 31 12 6"]
)
def test_a_line_of_five_fields_is_kept(line: str) -> None:
    assert crontab(line) == line


def test_spaces_between_fields_do_not_count() -> None:
    assert crontab(" 0  9 * *\t1 ") == "0 9 * * 1"


@pytest.mark.parametrize("line", ["", "* * * *", "* * * * * *", "@hourly"])
def test_a_line_must_have_five_fields(line: str) -> None:
    with pytest.raises(WrongError, match="five crontab fields"):
        crontab(line)


@pytest.mark.parametrize(
    "line",
    [
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * 7",
        "*/0 * * * *",
        "*/61 * * * *",
        "9-5 * * * *",
        "mon * * * *",
        "1,,2 * * * *",
        "-1 * * * *",
        "\u0661 * * * *",
    ],
)
def test_a_field_must_stay_within_its_range(line: str) -> None:
    with pytest.raises(WrongError, match="within"):
        crontab(line)


def test_a_list_is_no_crontab_line() -> None:
    with pytest.raises(WrongError):
        crontab(["*"])
