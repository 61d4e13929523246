"""What the pages load is put together from several files."""

from pathlib import Path

import pytest

from arena.render import environment
from arena.site import Document, places
from arena.site.engine.manifest import Shown
from arena.site.engine.renderer import assets

SHOWN = Shown(1, "2026-01-05T00:00:00Z", "a", "b", "c")


@pytest.fixture
def css(tmp_path: Path) -> Path:
    folder = tmp_path / "site" / "css"
    folder.mkdir(parents=True)
    return folder


def text_of(css: Path, path: str) -> str:
    env = environment(css.parents[1])
    (found,) = (one for one in assets(env, SHOWN) if one.path == path)
    assert isinstance(found, Document)
    return found.text


def test_a_style_sheet_goes_out_without_comments_and_idle_space(css: Path) -> None:
    (css / "0-a.css").write_text("/* why\n not */\na > b, i {\n  top: 1px;\n}\n")
    (css / "0-b.css").write_text("@media print {\n  .x :target { left: 2px; }\n}\n")
    assert text_of(css, places.STYLE).startswith(
        "a > b,i{top: 1px}@media print{.x :target{left: 2px}}"
    )


def test_what_a_folder_of_templates_lacks_comes_with_the_arena(css: Path) -> None:
    (css.parent / "theme.js").write_text("mine()")
    brought = css.parents[1] / "nothing" / "site" / "css"
    assert text_of(css, places.THEME) == "mine()"
    assert text_of(css, places.SCRIPT) == text_of(brought, places.SCRIPT) != ""
