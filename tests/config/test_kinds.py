import pytest

from arena.config.document import WrongError
from arena.config.kinds import crontab


@pytest.mark.parametrize(
    "line",
    [
        "* * * * *",
        "*/10 * * * *",
        "0,30 9-17 1-31/2 jan-mar mon-FRI",
        "59 23 31 12 6",
        "* * * * sun-tue,sat-mon,5-7",
    ],
)
def test_a_line_of_five_fields_is_kept_and_spaces_between_them_do_not_count(line: str) -> None:
    assert crontab(line) == crontab(f" {line.replace(' ', '  ')}\t") == line


@pytest.mark.parametrize("line", ["", "* * * *", "* * * * * *", "@hourly"])
def test_a_line_must_have_five_fields(line: str) -> None:
    with pytest.raises(WrongError, match="five crontab fields"):
        crontab(line)


OUT_OF_RANGE = (
    "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "*/0 * * * *",
    "*/61 * * * *", "9-5 * * * *", "mon * * * *", "1,,2 * * * *", "-1 * * * *",
    "\u0661 * * * *",
)  # fmt: skip


@pytest.mark.parametrize("line", OUT_OF_RANGE)
def test_a_field_must_stay_within_its_range(line: str) -> None:
    with pytest.raises(WrongError, match="within"):
        crontab(line)
