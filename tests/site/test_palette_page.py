import re

import pytest

from tests.site.charts.test_palette import DARK, LIGHT, LINES, contrast
from tests.site.folders import TEMPLATES

CSS = TEMPLATES / "site/css"
TOKEN = re.compile(r"--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")
SHADES = {
    name: (light, dark)
    for name, light, dark in TOKEN.findall((CSS / "1-page.css").read_text(encoding="utf-8"))
}

# What is written on what.
TEXT = [
    ("ink", "paper"), ("ink", "raised"), ("ink", "lit"), ("ink", "warn-paper"),
    ("quiet", "paper"), ("quiet", "raised"), ("quiet", "lit"),
    ("link", "paper"), ("link", "raised"), ("link", "lit"), ("link", "warn-paper"),
    ("paper", "link"), ("yes", "paper"), ("no", "paper"), ("yes", "lit"), ("no", "lit"),
]  # fmt: skip
# What must be seen to use a page: edges of controls, the focus, marks.
GRAPHICS = [("edge", "paper"), ("link", "paper"), ("warn", "warn-paper"), ("link", "raised")]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), TEXT)
def test_text_can_be_read(text: str, ground: str, theme: int) -> None:
    assert contrast(SHADES[text][theme], SHADES[ground][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("mark", "ground"), GRAPHICS)
def test_controls_can_be_seen(mark: str, ground: str, theme: int) -> None:
    assert contrast(SHADES[mark][theme], SHADES[ground][theme]) >= 3


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "raised"])
def test_lines_of_charts_can_be_read(ground: str, theme: int) -> None:
    for line in LINES:
        assert contrast((LIGHT, DARK)[theme][line], SHADES[ground][theme]) >= 4.5, line


def test_every_colour_that_is_used_is_there() -> None:
    rules = "".join(sheet.read_text(encoding="utf-8") for sheet in CSS.glob("*.css"))
    used = set(re.findall(r"var\(--([a-z0-9-]+)\)", rules))
    named = set(re.findall(r"--([a-z0-9-]+):", rules))
    assert used <= named
