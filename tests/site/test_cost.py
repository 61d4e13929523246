"""A day's pages cost what the day did, not what history is."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.records.settings import Edition
from arena.site.engine.build import PageSource, begun
from arena.store import Store, open_store
from arena.store.journal.packed import rebuild
from arena.store.pages.showcase import Showcase
from tests.plans import listening, plans
from tests.present import present
from tests.site.folders import LATER, TEMPLATES, files, play_days, write_site
from tests.stage import eventful

# Tables that a statement may read from end to end: they do not grow with time, but with the
# number of contestants; and the newest cohorts, until enough of them are found.
BOUNDED = {
    "totals", "json_each", "o", "r", "named", "listed", "ruled", "known", "cohorts", "touched",
    "fresh", "judged", "moved", "newest", "latest", "asked", "ends", "closed",
}  # fmt: skip
FEW = re.compile("INDEX (positions_open|journal_notes)")  # what is open, and what is rare
NEWEST = re.compile(r"ORDER BY seq DESC\s+LIMIT 1$")  # reads one row, and no more


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with open_store(None) as store:
        play_days(store, 0, 4, contestants=2)
        yield store


def test_no_query_of_a_days_publication_reads_a_table_of_history_whole(
    store: Store, tmp_path: Path
) -> None:
    write_site(store, tmp_path)
    play_days(store, 4, 5, contestants=2)
    with begun(PageSource(store, TEMPLATES, Edition(), LATER), tmp_path) as work:
        assert work.reading.overview  # what is estimated reads history, and is kept
    with listening(store) as said:
        write_site(store, tmp_path)
    scanned = []
    for plan, statement in plans(store, said):
        found = re.match(r"SCAN (?!CONSTANT ROW)(\w+)", plan)
        if found and found[1] not in BOUNDED and not FEW.search(plan):
            if NEWEST.search(statement):
                continue
            scanned.append((plan, statement))
    assert len(said) > 100
    assert scanned == []


def test_the_newest_of_what_was_touched_are_found_without_sorting(store: Store) -> None:
    with listening(store) as said:
        Showcase(store.db).newest_markets(5)
        Showcase(store.db).cohorts_of(Showcase(store.db).contestants()[0], 5)
    sorts = [plan for plan, _ in plans(store, said) if "ORDER BY" in plan]
    assert [plan for plan in sorts if "RIGHT PART" not in plan] == []  # ties may be sorted


def work(store: Store, entry: int, at: datetime | None) -> int:
    """How many hundreds of steps SQLite takes to say what a day changed and what is newest."""
    show, steps = Showcase(store.db), 0

    def count() -> None:
        nonlocal steps
        steps += 1

    store.db.raw.set_progress_handler(count, 100)
    show.since(entry, at)
    show.newest_markets(20)
    for who in show.contestants():
        show.open_positions(who, 20)
        show.deals_of(who, 20)
        show.failures_of(who, 20)
        show.cohorts_of(who, 5)
    store.db.raw.set_progress_handler(None, 0)
    return steps


@pytest.mark.soak
def test_a_late_day_costs_no_more_than_an_early_one(tmp_path: Path) -> None:
    """Once the first cohorts complete, a day reads and writes about as much as the last."""
    written: list[int] = []
    worked: list[int] = []
    with open_store(None) as store:
        for day in range(18):
            entry, at = Showcase(store.db).head()[0], store.boards.as_of()
            play_days(store, day, day + 1, contestants=0)
            written.append(write_site(store, tmp_path))
            worked.append(work(store, entry, at))
        whole = len(files(tmp_path))
    assert max(written[12:]) <= 1.3 * max(written[6:12])
    assert max(worked[12:]) <= 1.3 * max(worked[6:12])
    assert max(written[12:]) < whole / 2


def test_a_page_reads_the_store_as_it_was_when_the_build_began(tmp_path: Path) -> None:
    path = tmp_path / "arena.db"
    with open_store(path) as reader, open_store(path) as writer:
        play_days(writer, 0, 1, contestants=1)
        show = Showcase(reader.db)
        with show.still():
            before = show.head()
            play_days(writer, 1, 2, contestants=1)
            assert show.head() == before
        assert show.head() != before


def test_a_change_since_a_moment_includes_that_moment(store: Store) -> None:
    show = Showcase(store.db)
    last = present(store.boards.as_of())
    entry, _ = show.head()
    assert show.since(entry, last).markets
    assert show.since(entry, last + timedelta(seconds=1)).markets == ()
    assert show.since(entry, last).cohorts == ()


def test_everything_has_changed_since_the_beginning(store: Store) -> None:
    show = Showcase(store.db)
    changes = show.since(0, datetime(2000, 1, 1, tzinfo=UTC))
    assert len(changes.cohorts) == show.cohort_count()
    assert len(changes.markets) == show.market_count()


def test_cohorts_and_markets_are_numbered_without_gaps(store: Store) -> None:
    show = Showcase(store.db)
    cohorts, markets = show.cohorts(1, 10**6), show.markets(1, 10**6)
    assert [c.number for c in cohorts] == list(range(show.cohort_count(), 0, -1))
    assert [m.number for m in markets] == list(range(show.market_count(), 0, -1))
    started = [c.started_at for c in cohorts]
    assert started == sorted(started, reverse=True)


def test_a_rebuild_of_the_caches_leaves_every_page_as_it_is(tmp_path: Path) -> None:
    with eventful() as game:
        write_site(game.store, tmp_path / "before")
        rebuild(game.store.db)
        write_site(game.store, tmp_path / "after")
    assert files(tmp_path / "before") == files(tmp_path / "after")
