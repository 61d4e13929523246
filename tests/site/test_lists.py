from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.records.cohort import Cadence, CohortId
from arena.records.trade import Entry, Opened
from arena.site.places import front_pager, page_of, pager, pages_with, ranked_pager
from arena.store import Store, open_store
from tests.build import DAY, T0, spec
from tests.site.folders import files, page, rows, table, write_site

AGREED = spec(cadence=Cadence.DAILY)


def open_cohorts(store: Store, first: int, last: int) -> None:
    store.journal.append(
        Entry(f"open:{n:04}", T0 + n * DAY, Opened(AGREED, "0" * 64), CohortId(f"daily-{n:04}"))
        for n in range(first, last + 1)
    )


def test_the_hundredth_is_on_the_first_page_and_the_next_on_the_second() -> None:
    assert [page_of(n) for n in (1, 100, 101, 200, 201)] == [1, 1, 2, 2, 3]


def test_a_page_is_written_with_the_one_before_it() -> None:
    assert list(pages_with([301, 305, 99])) == [1, 3, 4]
    assert list(pages_with([])) == []


def test_a_full_page_does_not_say_how_many_follow() -> None:
    assert pager(2, 201) == pager(2, 100_000)


def test_the_front_leads_to_the_newest_pages_and_to_the_oldest() -> None:
    assert [link.text for link in front_pager("cohorts", 0).links] == []
    assert [link.href for link in front_pager("cohorts", 150).links] == [
        "page-2.html",
        "page-1.html",
    ]
    assert [link.text for link in front_pager("cohorts", 990).links] == [
        f"page {n}" for n in (10, 9, 8, 7, 6, 1)
    ]


@dataclass(frozen=True, slots=True)
class Grown:
    """A site to which cohorts were added twice: its files each time, and a whole one's."""

    folder: Path
    hundred: dict[str, bytes]
    one_more: dict[str, bytes]
    ten_more: dict[str, bytes]
    whole: dict[str, bytes]


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Grown:
    folder = tmp_path_factory.mktemp("lists")
    sites = []
    with open_store(None) as store:
        for first, last in ((1, 100), (101, 101), (102, 111)):
            open_cohorts(store, first, last)
            write_site(store, folder / "grown")
            sites.append(files(folder / "grown"))
        write_site(store, folder / "whole")
    hundred, one_more, ten_more = sites
    return Grown(folder / "grown", hundred, one_more, ten_more, files(folder / "whole"))


def test_an_old_list_page_stays_as_it_is_when_new_cohorts_come(grown: Grown) -> None:
    before, after = grown.one_more, grown.ten_more
    assert before["cohorts/page-1.html"] == after["cohorts/page-1.html"]
    assert before["cohorts/page-2.html"] != after["cohorts/page-2.html"]
    assert after == grown.whole
    pages = [path for path in after if path.endswith(".html")]
    assert len([path for path in pages if before.get(path) != after[path]]) <= 10 + 2 + 20


def test_a_page_that_was_just_full_leads_to_the_page_that_is_new(grown: Grown) -> None:
    assert b"newer: page 2" not in grown.hundred["cohorts/page-1.html"]
    assert b"newer: page 2" in grown.one_more["cohorts/page-1.html"]


def test_the_front_lists_the_newest_hundred_first_of_all_the_newest(grown: Grown) -> None:
    front = page(grown.folder, "cohorts/index.html")
    shown = [row[0] for row in rows(table(front, "Cohorts"))]
    assert shown == [f"daily-{n:04}" for n in range(111, 11, -1)]


def test_a_ranked_list_begins_in_its_folder_and_leads_to_its_other_pages() -> None:
    assert ranked_pager(1, 100).links == ()
    first, second = (ranked_pager(n, 230) for n in (1, 2))
    assert first.here == "Numbers 1 to 100 of 230"
    assert [link.href for link in first.links] == ["page-2.html", "page-3.html"]
    assert [link.href for link in second.links] == ["index.html", "page-3.html"]
