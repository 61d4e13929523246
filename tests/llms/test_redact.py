import json
import time
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
        "".join(f"\\u{ord(c):04x}" for c in KEY),
        "".join(f"\\u{ord(c):04X}" if c.isalpha() else c for c in KEY),
        "".join(f"%{ord(c):02X}" for c in KEY),
        "".join(f"&#{ord(c)};" for c in KEY),
        "".join(f"&#x{ord(c):x};" for c in KEY),
        KEY.replace('"', "\\u0022").replace("+", "%2b"),
    ],
)
def test_a_key_is_found_however_it_is_written(spelling: str) -> None:
    redact = Redactor(KEY)
    assert redact.text(f"<{spelling}> is wrong") == "<[key]> is wrong"
    assert redact.data(f"<{spelling}> is wrong".encode()) == b"<[key]> is wrong"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_key_is_found_in_wide_text(encoding: str) -> None:
    wide = f"<{KEY}>".encode(encoding)
    assert KEY.encode(encoding) not in Redactor(KEY).data(wide)


@pytest.mark.parametrize("stars", ["****", "sk-****", "...", "\u2022\u2022\u2022"])
def test_the_end_of_a_key_is_found_where_stars_stand_for_the_rest(stars: str) -> None:
    assert (
        Redactor(KEY).text(f"your key {stars}4567 is wrong")
        == f"your key {stars}[key] is wrong"
    )


def test_the_end_of_a_key_alone_is_left_alone() -> None:
    assert Redactor(KEY).text("in 4567 we paid $0.4567") == "in 4567 we paid $0.4567"


def test_a_long_body_is_searched_quickly() -> None:
    body = (b'{"a": "100% \\u00e9 &#39; ' + KEY[:7].encode() + b'..."}') * 20_000
    started = time.perf_counter()
    Redactor(KEY).data(body)
    assert time.perf_counter() - started < 2


@given(st.text(alphabet='ab%u0061\\&#;x/"*.', max_size=40))
def test_nothing_else_is_taken(words: str) -> None:
    assert Redactor(KEY).text(words) == words


def test_without_a_key_nothing_changes() -> None:
    assert Redactor(None).text("a") == "a"
    assert Redactor("").data(b"a") == b"a"


def test_the_beginning_of_a_short_key_is_left_alone() -> None:
    assert Redactor("local-model").text("local-mo") == "local-mo"


def test_the_key_is_not_shown() -> None:
    assert KEY not in repr(Redactor(KEY))
