"""What holds for every drawing: it can be read, shown anywhere, and made again.

Every kind of chart, as it is drawn today.
"""

import os
import re
from itertools import chain
from pathlib import Path

import pytest

from arena.site.charts.drawing import escaped, fitted, polyline, stairs, wide_is
from arena.site.pages.parts import Figure
from tests.conftest import UPDATE
from tests.present import some
from tests.site.charts.reading import every_svg, parsed, places, size, sure
from tests.site.charts.samples import SAMPLES


@pytest.fixture(scope="module")
def figures() -> dict[str, Figure]:
    return {name: sure(draw()) for name, draw in SAMPLES.items()}


def test_every_coordinate_is_whole(figures: dict[str, Figure]) -> None:
    for figure in some(figures.values()):
        for svg in (figure.wide, figure.narrow):
            for name, value in re.findall(r' (d|x|y|viewBox|data-b)="([^"]*)"', svg):
                assert "." not in value, (figure.key, name, value)


def test_no_drawing_has_a_style_attribute_or_a_script(figures: dict[str, Figure]) -> None:
    for figure in some(figures.values()):
        for svg in every_svg(figure):
            for element in parsed(svg).iter():
                assert not [a for a in element.attrib if a == "style" or a.startswith("on")]
                assert not element.tag.endswith("script")


def test_ids_on_one_page_are_all_different(figures: dict[str, Figure]) -> None:
    page = "".join(f.wide + f.narrow for f in figures.values())
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids))


def test_a_drawing_is_named_by_its_title_and_described(figures: dict[str, Figure]) -> None:
    for figure in some(figures.values()):
        for svg in every_svg(figure):
            tree = parsed(svg)
            named = tree.attrib["aria-labelledby"].split()
            ids = {e.attrib["id"]: e.text for e in tree.iter() if "id" in e.attrib}
            assert tree.attrib["role"] == "img"
            assert ids[named[0]] == figure.title
            assert (ids[named[1]] or "").startswith(figure.caption)


def test_everything_stays_on_its_paper(figures: dict[str, Figure]) -> None:
    for figure in some(figures.values()):
        for svg in (figure.wide, figure.narrow):
            if svg:
                wide, high = size(svg)
                data = re.findall(r' d="([^"]*)"', svg)
                for x, y in chain.from_iterable(places(d) for d in data):
                    assert 0 <= x <= wide, figure.key
                    assert 0 <= y <= high, figure.key


def test_a_file_of_its_own_has_its_colours_in_it(figures: dict[str, Figure]) -> None:
    for figure in some(figures.values()):
        assert "<style>" in figure.alone
        assert "prefers-color-scheme:dark" in figure.alone
        assert "var(" not in figure.alone
        assert "http" not in figure.alone.replace("http://www.w3.org/2000/svg", "")


def test_what_xml_has_no_place_for_is_replaced() -> None:
    assert escaped("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#x27;"
    assert escaped("\x00\ufffe\ud800") == "\ufffd\ufffd\ufffd"


def test_a_polyline_passes_over_places_that_are_the_same() -> None:
    assert polyline([(1, 2), (1, 2), (4, 0)]) == "M1 2l3-2"
    assert polyline([(1, 2)]) == "M1 2h0"
    assert polyline([]) == ""


def test_stairs_hold_a_value_until_the_next() -> None:
    assert stairs([(0, 5), (4, 9), (8, 9), (12, 3)]) == "M0 5h4v4h8v-6"
    assert stairs([(0, 5), (4, 5)]) == "M0 5h4"
    assert stairs([]) == ""


def test_text_is_cut_to_its_room() -> None:
    assert fitted("Alder", 1000, 25) == "Alder"
    cut = fitted("Alder the First and the Last", 200, 25)
    assert cut.endswith("…")
    assert wide_is(cut, 25) <= 200


def test_wide_letters_take_more_room() -> None:
    assert wide_is("日本", 25) == 50
    assert wide_is("ii", 25) < wide_is("WW", 25)


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
