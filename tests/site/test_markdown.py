"""A page as Markdown says all that its twin does, and strangers' words stay words."""

import re
from pathlib import Path

import pytest

from arena.site import places
from arena.site.engine.markdown_page import escaped, markdown
from arena.site.pages.leaderboard.view import BoardRow, BoardView
from arena.site.pages.parts.notices import NotFoundPage
from arena.site.pages.parts.parts import Cell, Column, Head, Link
from tests.present import some
from tests.site.conftest import Site
from tests.site.folders import parse
from tests.site.truth.twins import cells_in, said_by, words_with_digits

ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
LINK = re.compile(r"\[((?:[^\\\[\]]|\\.)*)\]\((?:[A-Za-z0-9./#_-]+|https://[!-'*-~]+)\)")
NAME = re.compile(r"- \*\*[A-Z][\w ,-]*:\*\* ")


def pages_of(out: Path) -> list[Path]:
    return [page for page in sorted(out.rglob("*.html")) if not page.match("decisions/*/*/*")]


def text_of(page: Path) -> str:
    return page.with_suffix(".md").read_text(encoding="utf-8")


def test_every_page_but_a_decision_leads_to_its_markdown(simulated: Site) -> None:
    for page in simulated.out.rglob("*.html"):
        decided = page.relative_to(simulated.out).parts[0] == "decisions"
        assert page.with_suffix(".md").exists() is not decided
    root = parse((simulated.out / "index.html").read_text(encoding="utf-8"))
    named = [e.attributes for e in root.all("link") if e.attributes["rel"] == "alternate"]
    assert ("text/markdown", "index.md") in {(e["type"], e["href"]) for e in named}


@pytest.mark.parametrize("name", ["simulated", "lively", "attacked"])
def test_every_number_of_the_twin_is_there(name: str, request: pytest.FixtureRequest) -> None:
    site: Site = request.getfixturevalue(name)
    for page in some(pages_of(site.out)):
        there = words_with_digits(ESCAPE.sub(r"\1", LINK.sub(r"\1", text_of(page))))
        for cell in cells_in(said_by(page)):
            between = cell.get("between") or {"text": ""}
            said = (cell["text"], cell.get("note", ""), between["text"])
            assert words_with_digits(" ".join(said)) <= there, page


def test_no_word_of_a_stranger_is_markup(attacked: Site) -> None:
    for page in some(pages_of(attacked.out)):
        columns = 0
        for line in text_of(page).splitlines():
            plain = NAME.sub("", LINK.sub("", ESCAPE.sub("", line)))
            assert not re.search(r"[<>`~\[\]*]", plain.lstrip("- ")), line
            assert "://" not in plain
            assert "#" not in plain.lstrip("#")
            found = plain.count("|")
            assert found in {0, columns} or columns == 0, line
            columns = found


def test_llms_lists_the_front_pages_as_markdown(simulated: Site) -> None:
    listed = LINK.findall((simulated.out / "llms.txt").read_text(encoding="utf-8"))
    assert listed[0] == places.INDEX
    assert all((simulated.out / path).with_suffix(".md").exists() for path in listed)


def test_cells_stand_below_the_labels_of_their_columns() -> None:
    columns = (Column("a", "Alpha", "", ""), Column("b", "Brier", "", ""))
    row = BoardRow(Link("Ada", "a.html"), (Cell("0.1", "n 3"), Cell("n/a")))
    board = BoardView((), columns, (row,), "")
    lines = markdown(board).splitlines()
    assert "| Contestant | Alpha | Brier |" in lines
    assert "| [Ada](a.html) | 0.1 (n 3) | n/a |" in lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a | b\n# c", r"a \| b \# c"),
        ("<img src=x>", r"\<img src=x\>"),
        ("see https://evil.example", r"see https\://evil.example"),
        ("www.evil.example", r"www\.evil.example"),
        ("`$x$` ~~y~~ a@b", r"\`\$x\$\` \~\~y\~\~ a\@b"),
    ],
)
def test_what_means_something_is_escaped(text: str, shown: str) -> None:
    assert escaped(text) == shown


@pytest.mark.parametrize("text", ["- a", "+ a", "1. a", "12) a", "= a"])
def test_a_line_of_a_stranger_starts_nothing(text: str) -> None:
    head = Head("Page", "", words=text)
    assert markdown(NotFoundPage(head)).splitlines()[2] in {
        f"\\{text}",
        re.sub(r"^(\d+)", r"\1\\", text),
    }
