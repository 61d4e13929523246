"""The page on the site names the pages, the policy, the profiles and the limits there are."""

import re

from arena.cli.pages.site import site
from arena.records.settings import Pages
from arena.site import site_checks as budget
from arena.site.engine.page_map import FRONTS
from arena.site.pages.project.feeds import ATOM, JSON, LLMS, SITEMAP
from arena.site.site_checks import CSP
from tests.docs.pages import bare, page, tables

PAGE = page("docs/site.md")


def first_cells(section: str) -> list[str]:
    return [bare(row[0]) for row in tables(PAGE.section(section))[0][1:]]


def test_every_page_that_is_made_once_is_named() -> None:
    named = {path.split("/")[0].split(".")[0] for path in first_cells("What each page answers")}
    made_once = set(FRONTS) - {"notices", "cards", "feeds"} | {"index", "windows"}
    assert named == made_once


def test_the_policy_is_that_of_every_page() -> None:
    (block,) = PAGE.fenced("text")
    assert " ".join(block.text.split()) == CSP


def test_every_command_of_the_site_is_explained() -> None:
    told = set(re.findall(r"`arena site (\w+)", PAGE.section("Commands")))
    assert told == set(site.commands)


def test_every_profile_is_explained() -> None:
    told = set(re.findall(r"`(\w+)`", PAGE.section("Profiles")))
    assert set(Pages) <= told


def test_the_limits_are_those_of_the_builder() -> None:
    told = {cells[0]: cells[1] for cells in tables(PAGE.section("Budgets"))[0][1:]}
    assert told["HTML of a page"] == f"{budget.PAGE_BYTES // budget.KB} KB"
    assert told["elements on a page"] == f"{budget.NODES:,}"
    assert told["elements on the front page"] == f"{budget.FRONT_NODES:,}"
    limits = (budget.FRONT_GZ, budget.STYLE_GZ, budget.SCRIPT_GZ)
    own = f"{budget.FRONT_STYLE_GZ // budget.KB} KB gzipped"
    assert told["style sheet of the leaderboard alone"] == own
    packed = ", ".join(str(limit // budget.KB) for limit in limits)
    view = f"{packed} KB gzipped; {budget.VIEW_GZ // budget.KB} KB together"
    assert told["front page, style sheet, script"] == view


def test_every_feed_is_named() -> None:
    assert {ATOM, JSON, LLMS, SITEMAP} <= set(PAGE.codes)
