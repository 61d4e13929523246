from dataclasses import replace
from io import BytesIO

from PIL import Image

from arena.records.settings import SiteSettings
from arena.site import Page, places
from arena.site.engine.page_map import addressed
from arena.site.pages.parts import Head, Moment, NotFoundPage
from tests.site.conftest import Site

BASE = "https://arena.example.org/"
AT = Moment("2026-01-05 00:00 UTC", "2026-01-05T00:00:00Z")
PAGE = Page("cohorts/c/index.html", "404.html", NotFoundPage(Head("C", "../../")))


def head_of(page: Page) -> Head:
    assert isinstance(page.view, NotFoundPage)
    return page.view.head


def test_the_preview_is_beside_the_style_sheet(simulated: Site) -> None:
    with Image.open(BytesIO((simulated.out / places.PREVIEW).read_bytes())) as image:
        assert image.format == "PNG"


def test_with_an_address_a_page_says_where_it_stands_and_what_to_show_of_it() -> None:
    head = head_of(addressed(PAGE, SiteSettings(base_url=BASE)))
    assert head.url == BASE + PAGE.path
    assert head.image == BASE + places.PREVIEW


def test_without_an_address_a_page_stays_as_it_is() -> None:
    assert addressed(PAGE, SiteSettings()) is PAGE


def test_a_page_with_a_moment_is_stale_after_the_hours_that_were_set() -> None:
    dated = replace(PAGE, view=NotFoundPage(Head("C", "", as_of=AT)))
    assert head_of(addressed(dated, SiteSettings())).stale_hours == 72


def test_every_page_says_what_the_site_is_called() -> None:
    assert head_of(addressed(PAGE, SiteSettings(title="My <arena>"))).site == "My <arena>"


def test_what_is_final_is_never_stale_and_neither_is_a_demonstration() -> None:
    dated = replace(PAGE, view=NotFoundPage(Head("C", "", as_of=AT)))
    final = addressed(replace(dated, final=True), SiteSettings())
    assert head_of(final).stale_hours == 0
    assert head_of(addressed(dated, SiteSettings(demonstration=True))).stale_hours == 0
