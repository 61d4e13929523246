import json
from urllib.parse import quote

import pytest

from arena.llms.redact import Redactor

KEY = 'sk-ab/cd+ef"01234567'


@pytest.mark.parametrize(
    "spelling",
    [
        KEY,
        json.dumps(KEY)[1:-1],
        KEY.replace("/", "\\/"),
        quote(KEY, safe=""),
        KEY[:8] + "***67",
    ],
)
def test_a_key_is_found_however_it_is_written(spelling: str) -> None:
    redact = Redactor(KEY)
    assert redact.text(f"<{spelling}> is wrong") == "<[key]> is wrong"
    assert redact.data(f"<{spelling}> is wrong".encode()) == b"<[key]> is wrong"


def test_without_a_key_nothing_changes() -> None:
    assert Redactor(None).text("a") == "a"
    assert Redactor("").data(b"a") == b"a"


def test_the_beginning_of_a_short_key_is_left_alone() -> None:
    assert Redactor("local-model").text("local-mo") == "local-mo"


def test_the_key_is_not_shown() -> None:
    assert KEY not in repr(Redactor(KEY))
