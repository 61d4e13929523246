import hashlib
from pathlib import Path

import pytest

from arena.secrets import of_values
from arena.site.site_checks import CSP, Value, check_site, compare
from tests.site.conftest import Site

PAGE = (
    "<!doctype html><html><head>"
    f'<meta http-equiv="Content-Security-Policy" content="{CSP}">'
    "<title>A page</title></head><body><h1 id='top'>A page</h1>%s</body></html>"
)
SECRET = "correct-horse-battery"  # noqa: S105  no key, which is the point


def found(tmp_path: Path, more: str = "", **others: str) -> list[tuple[str, str]]:
    (tmp_path / "page.html").write_text(PAGE % more, encoding="utf-8")
    for name, text in others.items():
        (tmp_path / name.replace("_", ".")).write_text(text, encoding="utf-8")
    checked = check_site(tmp_path, of_values([SECRET]))
    return [(one.rule, one.what) for one in checked.findings]


def test_a_page_in_order_has_no_findings(tmp_path: Path) -> None:
    assert found(tmp_path, "<a href='#top'>up</a>") == []


@pytest.mark.parametrize("name", ["lively", "simulated", "empty"])
def test_a_built_site_has_no_findings_and_holds_its_budget(
    name: str, request: pytest.FixtureRequest
) -> None:
    site: Site = request.getfixturevalue(name)
    checked = check_site(site.out)
    assert checked.findings == ()
    assert checked.ok


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ("<p style='color:red'>", "policy"),
        ("<p onclick='x()'>", "policy"),
        ("<script>alert(1)</script>", "policy"),
        ("<iframe></iframe>", "policy"),
        ("<form action='JavaScript:x()'></form>", "policy"),
        ("<h1>another</h1>", "heading"),
        ("<p id='top'></p>", "id"),
        ("<a href='nowhere.html'>x</a>", "link"),
        ("<img src='https://example.org/a.png'>", "link"),
        ("<p>AKIAABCDEFGHIJKLMNOP</p>", "secret"),
        ("<p>sk-ant-api03-abcdefghijklmnopqrst</p>", "secret"),
        (f"<p>{SECRET}</p>", "secret"),
    ],
)
def test_what_must_not_be_on_a_page_is_found(tmp_path: Path, more: str, rule: str) -> None:
    assert [one for one, _ in found(tmp_path, more)] == [rule]


def test_words_that_are_no_address_may_begin_as_a_script_would(tmp_path: Path) -> None:
    assert found(tmp_path, "<meta name='description' content='javascript: is it dead?'>") == []


def test_a_secret_is_not_said_again(tmp_path: Path) -> None:
    assert SECRET not in str(found(tmp_path, SECRET))


def test_another_policy_is_found(tmp_path: Path) -> None:
    (tmp_path / "lax.html").write_text("<title>Lax</title><h1>Lax</h1>", encoding="utf-8")
    assert [rule for rule, _ in found(tmp_path)] == ["policy"]


def test_two_pages_of_one_title_are_found(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    for name in ("a", "b"):
        (tmp_path / "x" / f"{name}.html").write_text(PAGE % "", encoding="utf-8")
    assert found(tmp_path) == [("title", "has the title of x/a.html")]


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("page_json", "{", "json"),
        ("page_json", '{"value": NaN}', "json"),
        ("page_json", "{}", "json"),
        ("feed_xml", "<feed>", "xml"),
        ("feed_xml", "<!DOCTYPE a><feed/>", "xml"),
        ("card_svg", "<svg>&nbsp;</svg>", "xml"),
    ],
)
def test_what_machines_cannot_read_is_found(
    tmp_path: Path, name: str, text: str, rule: str
) -> None:
    assert [one for one, _ in found(tmp_path, **{name: text})] == [rule]


def test_a_file_that_changed_after_its_digest_was_taken_is_found(tmp_path: Path) -> None:
    digest = hashlib.sha256(b"a").hexdigest()
    (tmp_path / "SHA256SUMS").write_text(f"{digest}  a.txt\n{digest}  b.txt\n")
    assert found(tmp_path, a_txt="a") == [("digest", "b.txt is not there")]
    assert found(tmp_path, a_txt="b") == [
        ("digest", "a.txt has another digest"),
        ("digest", "b.txt is not there"),
    ]


def test_a_folder_compared_with_itself_is_the_same(lively: Site) -> None:
    assert compare(lively.out, lively.out).is_none


def test_the_numbers_that_changed_are_named(tmp_path: Path) -> None:
    for name, text in (
        ("old", '{"a": [1, {"b": 2}], "c": 3}'),
        ("new", '{"a": [1, {"b": 5}]}'),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.json").write_text(text)
        (tmp_path / name / f"{name}.txt").write_text("")
    found = compare(tmp_path / "old", tmp_path / "new")
    assert (found.added, found.removed) == (("new.txt",), ("old.txt",))
    assert found.changed[0].values == (Value("a[1].b", 2, 5), Value("c", 3, None))
