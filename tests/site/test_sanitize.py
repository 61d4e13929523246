"""Words of strangers are shown as words, whatever they try."""

from dataclasses import replace
from gzip import decompress
from pathlib import Path

import pytest

from arena.records.market import MarketId
from arena.site import places
from arena.site.engine.renderer import BUILD
from arena.site.sanitize import (
    address,
    file_name,
    folder_name,
    one_line,
    shorten,
    slug,
    visible,
)
from arena.site.site_checks import check_site
from tests.build import ADA
from tests.present import some
from tests.site.attack import IDS
from tests.site.conftest import Site
from tests.site.folders import files, page, pages, write_site
from tests.stage import playing

OURS = (
    "html head meta title link script body a header p nav ul li main h1 h2 h3 h4 bdi div table "
    "caption thead tbody tr th td small strong time dl dt dd code pre footer figure figcaption "
    "svg path g text title desc circle rect line polyline polygon span ol section i details "
    "summary output input label fieldset legend meter progress aside em br math mrow mi mo mn "
    "mfrac msup msub msqrt munder b"
)
OURS_TO_RUN = (places.THEME, places.SCRIPT, places.VERIFY, BUILD)


def test_every_page_is_still_well_formed(attacked: Site) -> None:
    known = {*OURS.split(), ""}
    for path, root in some(pages(attacked.out)):
        assert {e.tag for e in root.everything()} <= known, path


def test_nothing_runs_and_nothing_leads_away(attacked: Site) -> None:
    for path, root in some(pages(attacked.out)):
        for element in root.everything():
            assert not any(a.startswith("on") or a == "style" for a in element.attributes), path
            link = element.attributes.get("href", "")
            icon = element.attributes.get("rel") == "icon"
            assert ":" not in link or icon, path


def test_no_script_is_there_but_our_own(attacked: Site) -> None:
    for path, root in some(pages(attacked.out)):
        for script in root.all("script"):
            own = {places.root_of(path) + one for one in OURS_TO_RUN}
            assert script.attributes["src"] in own
            assert script.text == ""


def test_an_attacked_site_passes_the_check(attacked: Site) -> None:
    checked = check_site(attacked.out)
    assert checked.findings == ()
    assert not any(line.over for line in checked.budget)


def test_no_file_is_outside_or_oddly_named(attacked: Site) -> None:
    names = [part for path in files(attacked.out) for part in path.split("/")]
    allowed = set("abcdefghijklmnopqrstuvwxyz0123456789-.")
    assert [name for name in names if set(name) - allowed and name != "SHA256SUMS"] == []
    assert max(map(len, names)) <= 120
    assert sorted(p.name for p in attacked.out.parent.glob("*.html")) == []


def test_nothing_that_hides_reaches_a_page(attacked: Site) -> None:
    hidden = [chr(c) for c in (*range(9), 11, 12, *range(14, 32), 127, 0x200B, 0x200F)]
    hidden += [chr(c) for c in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF)]
    for path, text in some(files(attacked.out).items()):
        if path == places.PREVIEW or path.endswith(".parquet"):
            continue  # a drawing of our own, and a table: not text
        words = (decompress(text) if path.endswith(".gz") else text).decode("utf-8")
        assert [c for c in hidden if c in words] == [], path


def test_what_hid_is_named_instead(attacked: Site) -> None:
    shown = page(attacked.out, places.market(MarketId(IDS[1]))).all("h1")[0].text
    assert "[U+202E]gnp.exe [U+2066]" in shown


def test_an_address_that_is_not_https_is_no_link(attacked: Site) -> None:
    assert b"javascript:alert(document.domain)" not in b"".join(files(attacked.out).values())


@pytest.mark.parametrize(
    "text",
    [
        "http://example.org/",
        "javascript:alert(1)",
        "https://",
        "https://example.org@evil.example/",
        "https://example.org/ x",
        'https://example.org/"onclick="x',
        "https://exämple.org/",
        "https://[half",
        "https://example.org/" + "x" * 2000,
        " https://example.org/",
        "https://example.org/\n",
        "//example.org/",
    ],
)
def test_only_a_plain_https_address_is_a_link(text: str) -> None:
    assert address(text) == ""


def test_a_plain_https_address_is_kept_as_it_is() -> None:
    link = "https://example.org/market/will-it-rain?tid=1&x=%20#rules"
    assert address(link) == link


def test_a_market_with_an_address_links_to_it_without_a_word_of_it_to_anybody(
    tmp_path: Path,
) -> None:
    with playing({ADA: {}}) as game:
        linked = replace(game.venue.listed[0], url="https://example.org/rain")
        game.venue.listed = [linked]
        game.tick(0)
        write_site(game.store, tmp_path)
    links = page(tmp_path, places.market(linked.id)).all("a")
    away = next(a for a in links if a.attributes["href"].startswith("https:"))
    assert away.attributes["rel"] == "noopener noreferrer nofollow ugc"
    assert away.text == "The market at example.org"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\tand a tab", "two lines and a tab"),
        ("a\x00b\x9fc", "a[U+0000]b[U+009F]c"),
        ("\ud800", "[U+D800]"),
        ("\u2028\u2029", "[U+2028][U+2029]"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("\U000e0041tag", "[U+E0041]tag"),
        ("Wird es regnen? Заяц, 雨", "Wird es regnen? Заяц, 雨"),
    ],
)
def test_what_hides_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_lines_are_kept_where_they_mean_something() -> None:
    assert visible("a\r\nb\rc\nd", lines=True) == "a\nb\nc\nd"


def test_a_line_is_never_empty_and_never_too_long() -> None:
    assert one_line(" \n ", 10) == "(no words)"
    assert one_line("x" * 100, 10) == "x" * 9 + "…"
    assert shorten("exactly10!", 10) == "exactly10!"


def test_two_ids_of_one_slug_have_two_files() -> None:
    assert slug("a b") == slug("a-b")
    assert file_name("a b") != file_name("a-b")


def test_a_plain_id_names_its_own_folder_and_any_other_a_safe_one() -> None:
    assert folder_name("daily-2026-01-05") == "daily-2026-01-05"
    for name in ("..", "", "Daily", "a/b", "-a", "x" * 200, "\ud800"):
        assert folder_name(name) == file_name(name)
