"""Every kind of chart, as it is drawn today."""

import os
from pathlib import Path

import pytest

from tests.conftest import UPDATE
from tests.present import some
from tests.site.charts.reading import sure
from tests.site.charts.samples import SAMPLES

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", SAMPLES)
def test_a_chart_is_drawn_as_before(name: str) -> None:
    figure = sure(SAMPLES[name]())
    drawn = [("wide", figure.wide), ("narrow", figure.narrow)]
    for look in figure.looks[1:]:
        drawn += [(f"{look.key}.wide", look.wide), (f"{look.key}.narrow", look.narrow)]
    for kind, found in some(drawn):
        path = GOLDEN / f"{name}.{kind}.svg"
        lines = found.replace("><", ">\n<") + "\n"
        if os.environ.get(UPDATE):
            path.parent.mkdir(exist_ok=True)
            path.write_text(lines, encoding="utf-8")
        assert lines == path.read_text(encoding="utf-8"), f"{UPDATE}=1 accepts it"
