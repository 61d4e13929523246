from pathlib import Path

import pytest

from tests.site.folders import broken_links


def site(tmp_path: Path, link: str, *, tag: str = "a", attribute: str = "href") -> list[str]:
    out = tmp_path / "out"
    (out / "deep").mkdir(parents=True)
    (tmp_path / "secret.html").write_text("", encoding="utf-8")
    other = "<h1 id='top'>x</h1><a href='../index.html'>up</a>"
    (out / "deep" / "page.html").write_text(other, encoding="utf-8")
    text = f"<p id='here'></p><{tag} {attribute}='{link}'>x</{tag}>"
    (out / "index.html").write_text(text, encoding="utf-8")
    return broken_links(out)


@pytest.mark.parametrize(
    "link",
    ["deep/page.html", "deep/page.html#top", "#here", "index.html", "https://example.org/a"],
)
def test_a_link_that_leads_somewhere_is_fine(tmp_path: Path, link: str) -> None:
    assert site(tmp_path, link) == []


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ("missing.html", "leads to no file"),
        ("deep/", "leads to no file"),
        ("deep/page.html#nowhere", "leads to no such place on the page"),
        ("#nowhere", "leads to no such place on the page"),
        ("../secret.html", "leads out of the site"),
        ("/index.html", "is not relative"),
        ("//example.org/", "is not relative"),
        ("http://example.org/", "is not relative"),
        ("javascript:alert(1)", "is not relative"),
        ("https://[half", "is no address"),
    ],
)
def test_a_broken_link_is_named_with_its_page(tmp_path: Path, link: str, problem: str) -> None:
    assert site(tmp_path, link) == [f"index.html: {link} {problem}"]


def test_nothing_may_be_loaded_from_the_web(tmp_path: Path) -> None:
    link = "https://example.org/a.css"
    found = site(tmp_path, link, tag="link")
    assert found == [f"index.html: {link} is loaded from the web"]
