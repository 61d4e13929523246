"""What the pages load is put together from several files."""

from pathlib import Path

import pytest

from arena.site import places
from arena.site.makers import assets
from arena.site.manifest import Shown
from arena.site.page import Document

SHOWN = Shown(1, "2026-01-05T00:00:00Z", "a", "b", "c")


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    for folder in ("css", "js"):
        (tmp_path / folder).mkdir()
    for name in ("front.css", "theme.js"):
        (tmp_path / name).write_text("")
    return tmp_path


def text_of(templates: Path, path: str) -> str:
    (found,) = (one for one in assets(templates, SHOWN) if one.path == path)
    assert isinstance(found, Document)
    return found.text


def test_a_style_sheet_goes_out_without_comments_and_idle_space(templates: Path) -> None:
    (templates / "css" / "1-a.css").write_text("/* why\n not */\na > b, i {\n  top: 1px;\n}\n")
    (templates / "css" / "2-b.css").write_text(
        "@media print {\n  .x :target { left: 2px; }\n}\n"
    )
    assert text_of(templates, places.STYLE) == (
        "a > b,i{top: 1px}@media print{.x :target{left: 2px}}\n"
    )


def test_what_a_style_sheet_has_in_quotes_is_left_as_it_is(templates: Path) -> None:
    (templates / "css" / "1-a.css").write_text('a::before { content: " ;  } "; }\n')
    assert text_of(templates, places.STYLE) == 'a::before{content: " ;  } "}\n'
