import pytest

from arena.config.document import Plain, WrongError
from arena.config.kinds import count

WHOLE = count(1, 1000)


@pytest.mark.parametrize("said", ["", "0", "-2", "2.5", "abc"])
def test_h7_ours_refuses_what_is_no_count_instead_of_guessing(said: str) -> None:
    with pytest.raises(WrongError):
        WHOLE(Plain(said))


@pytest.mark.parametrize(("said", "meant"), [("1", 1), ("5", 5)])
def test_h7_a_count_is_read_as_it_is_written(said: str, meant: int) -> None:
    assert WHOLE(Plain(said)) == meant
