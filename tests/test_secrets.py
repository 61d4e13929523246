import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.secrets import Redactor
from tests.hangs import grows_in_proportion

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
    piece = b'{"a": "100% \\u00e9 &#39; ' + KEY[:7].encode() + b'..."}'
    assert grows_in_proportion(lambda n: Redactor(KEY).data(piece * n), 20_000)


@given(st.text(alphabet='ab%u0061\\&#;x/"*.', max_size=40))
def test_nothing_else_is_taken(words: str) -> None:
    assert Redactor(KEY).text(words) == words


def test_without_a_key_nothing_changes() -> None:
    assert Redactor(None).text("a") == "a"
    assert Redactor("").data(b"a") == b"a"


def test_the_beginning_of_a_short_key_is_left_alone() -> None:
    assert Redactor("local-model").text("local-mo") == "local-mo"


LONG_KEY = "sk-proj-Ab3dEf6hIj9lMn2pQr5tUv8xYz1Bc4Fg"


@pytest.mark.parametrize(
    ("said", "left"),
    [
        (LONG_KEY[8:], "[key]"),
        (f"token {LONG_KEY[3:]} is unknown", "token [key] is unknown"),
        (f'["{LONG_KEY[:10]}", "{LONG_KEY[10:]}"]', '["[key]", "[key]"]'),
        (f"{LONG_KEY[12:30]}, {LONG_KEY[20:]}", "[key], [key]"),
        (LONG_KEY[12:] + LONG_KEY[12:], "[key]"),
    ],
)
def test_a_larger_part_of_a_long_key_is_found(said: str, left: str) -> None:
    redact = Redactor(LONG_KEY)
    assert redact.text(said) == left
    assert redact.data(said.encode()) == left.encode()


@given(st.integers(0, 23), st.integers(15, 40), st.text(alphabet="x3 ,", max_size=5))
def test_no_part_of_fifteen_characters_is_left(start: int, length: int, beside: str) -> None:
    part = LONG_KEY[start : start + length]
    said = Redactor(LONG_KEY).text(f"{beside}{part}{beside}")
    assert part[:8] not in said
    assert part[-8:] not in said


@pytest.mark.parametrize("words", ["is required", "no-key", "4b3dEf6h", "Ab3dEf6", "key"])
def test_words_and_crumbs_of_a_long_key_are_left_alone(words: str) -> None:
    assert Redactor(LONG_KEY).text(words) == words
    assert Redactor("sk-no-key-required").text(words) == words


@pytest.mark.parametrize("key", ["1", "none", "EMPTY", "ollama", "content"])
def test_a_placeholder_is_no_secret_and_changes_no_answer(key: str) -> None:
    said = f'{{"content": "none of EMPTY, ollama: 1 {key}"}}'
    assert Redactor(key).text(said) == said
    assert Redactor(key).data(said.encode()) == said.encode()


def test_a_body_full_of_pieces_is_searched_quickly() -> None:
    long, short = LONG_KEY[10:].encode(), LONG_KEY[16:24].encode()

    def searched(n: int) -> None:
        assert Redactor(LONG_KEY).data(long * n + b" " + short * n) == b"[key] [key]"

    assert grows_in_proportion(searched, 30_000)


def test_the_key_is_not_shown() -> None:
    assert KEY not in repr(Redactor(KEY))
