from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.records.settings import Edition
from arena.site import Kind, PageTask
from arena.site.engine.build import PageSource, begun
from arena.site.engine.processes import Bench, made_across, processes, started
from arena.site.engine.renderer import WrittenPages
from arena.store import Store, open_store
from tests.site.folders import LATER, TEMPLATES, play_days


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(tmp_path_factory.mktemp("kept") / "arena.db") as store:
        play_days(store, 0, 1, contestants=0)
        yield store


def bench(store: Store, out: Path) -> Bench:
    with begun(PageSource(store, TEMPLATES, Edition(), LATER), out) as work:
        return Bench(
            store.db.path,
            TEMPLATES,
            Edition(),
            work.reading.at,
            work.reading.overview,
            work.now,
            out,
            out.with_name("stage"),
            None,
            "",
        )


def test_who_sees_another_state_of_the_store_makes_nothing(kept: Store, tmp_path: Path) -> None:
    wanted = bench(kept, tmp_path / "out")
    late = replace(wanted, shown=replace(wanted.shown, entry=wanted.shown.entry + 1))
    with started(1) as crew:
        assert list(made_across([PageTask(Kind.FRONT, ("notices",))], late, crew)) == [None]


def test_what_was_made_comes_in_the_order_of_the_tasks(kept: Store, tmp_path: Path) -> None:
    tasks = [PageTask(Kind.FRONT, (name,)) for name in ("methodology", "notices", "feeds")]
    with started(2) as crew:
        made = list(made_across(tasks, bench(kept, tmp_path / "out"), crew))
    firsts = [one[0].entry.path for one in made if one and isinstance(one[0], WrittenPages)]
    assert firsts[:2] == ["methodology.html", "404.html"]


def test_only_many_pages_of_a_file_are_worth_several_processes(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    assert processes(None, 10, file) == 1
    assert processes(3, 10, file) == 3
    assert processes(None, 10_000, file) <= 4
    assert processes(4, 10_000, None) == 1
