from io import BytesIO

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageFont

from arena.picture import BAND, HEIGHT, WIDTH, PictureRow, drawable, preview
from tests.present import present

ROWS = [
    PictureRow("Ada", "+0.02", 0.02, 0.01, 0.03),
    PictureRow("Ben", "n/a", None, None, None),
]


def drawn(rows: list[PictureRow]) -> bytes:
    return present(preview("Paper Arena", "Ada leads.", "alpha", rows))


def test_a_preview_is_a_picture_of_the_size_that_sites_ask_for() -> None:
    with Image.open(BytesIO(drawn(ROWS))) as image:
        assert (image.format, image.size) == ("PNG", (WIDTH, HEIGHT))


def test_the_same_words_give_the_same_bytes() -> None:
    assert drawn(ROWS) == drawn(ROWS)


def test_other_values_give_another_picture() -> None:
    assert drawn(ROWS) != drawn([PictureRow("Ada", "+0.02", 0.02, -0.01, 0.03)])


def test_nobody_and_endless_words_are_drawn() -> None:
    found = present(preview("x" * 500, "word " * 400, "y" * 300, []))
    with Image.open(BytesIO(found)) as image:
        assert image.size == (WIDTH, HEIGHT)


def test_a_notice_is_drawn_on_a_band_along_the_foot() -> None:
    found = present(preview("Paper Arena", "Ada leads.", "alpha", ROWS, notice="Invented."))
    with Image.open(BytesIO(found)) as image, Image.open(BytesIO(drawn(ROWS))) as other:
        marked, plain = (one.convert("RGB") for one in (image, other))
        foot, above = (WIDTH - 5, HEIGHT - 5), (WIDTH - 5, HEIGHT - BAND - 5)
        assert plain.getpixel(foot) == plain.getpixel(above) == marked.getpixel(above)
        assert marked.getpixel(foot) != plain.getpixel(foot)


@given(st.text())
def test_no_letter_that_is_drawn_is_the_box_of_a_missing_one(text: str) -> None:
    font = ImageFont.load_default(26)
    box = bytes(font.getmask("\uffff"))
    shown = {letter for letter in drawable(f"\u2212\u2026{text}") if letter.isprintable()}
    assert {letter for letter in shown if bytes(font.getmask(letter)) == box} == set()


def test_a_minus_is_drawn() -> None:
    minus, hyphen = (
        drawn([PictureRow("Ada", f"{sign}0.02", None, None, None)]) for sign in "\u2212-"
    )
    assert minus == hyphen
