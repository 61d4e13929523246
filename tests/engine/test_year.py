"""A year on a machine that fails ends as one on a machine that does not."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import pytest

from arena.store import open_store
from tests.engine.year import Played, documents, forget_losses, plan, play
from tests.present import some
from tests.sizes import size

DAYS = size(8, 360)
KILLS = size(5, 850)  # planned; more than a third come when their tick is over
LEAST_KILLS = size(3, 500)
MEGABYTE = 1_000_000
GROWTH = size(20, 60) * MEGABYTE  # of a tick's memory from the middle on; 20 are the aim


@dataclass(frozen=True, slots=True)
class Years:
    """The same year on a machine that fails, and on one that does not."""

    calm: Played
    disturbed: Played


@pytest.fixture(scope="module")
def years(tmp_path_factory: pytest.TempPathFactory) -> Years:
    folder = tmp_path_factory.mktemp("year")
    planned = plan(DAYS, KILLS, outages=size(2, 14), full=size(1, 30), seed=size(3, 1))
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        calm = pool.submit(play, folder / "calm", planned.undisturbed())
        disturbed = pool.submit(play, folder / "disturbed", planned)
        return Years(calm.result(), disturbed.result())


def document(played: Played, *words: str) -> dict[str, Any]:
    done = played.project.run(*words, "--json")
    assert done.code == 0, done.err
    return done.document


def test_everything_that_was_planned_befell_the_machine(years: Years) -> None:
    ended = years.disturbed.ended
    killed = sum(number for how, number in ended.items() if how.startswith("killed"))
    assert killed >= LEAST_KILLS
    assert ended["clock back: tick.backwards"] == 2
    assert ended["clock ahead: , then tick.backwards"] == 1
    assert ended["damaged: store.damaged"] == 1


def test_who_watches_was_told_of_each_tick_that_failed_on_a_full_disk_and_of_its_end(
    years: Years,
) -> None:
    full = {how for how in years.disturbed.ended if how.startswith("full")}
    if not full:
        pytest.skip("this user cannot mount a small disk")
    assert [how for how in full if not how.endswith("told: True")] == []
    assert not any("tick.failed" in keys for keys in years.disturbed.open_alarms)


def test_the_books_end_with_the_head_of_an_undisturbed_year(years: Years) -> None:
    with open_store(years.calm.project.database) as calm:
        assert document(years.disturbed, "audit")["journal"] == calm.journal.head()


def test_the_pages_of_a_disturbed_year_are_those_of_its_books(years: Years) -> None:
    check = years.disturbed.project.run("site", "build", "--check")
    assert check.code == 0, check.out + check.err


def test_scores_and_pages_are_those_of_an_undisturbed_year(years: Years) -> None:
    forget_losses(years.calm, years.disturbed)
    both = (years.calm, years.disturbed)
    boards = [document(played, "leaderboard") for played in both]
    assert boards[0] == boards[1]
    calm, disturbed = map(documents, both)
    assert sorted(calm) == sorted(disturbed)
    assert [path for path, body in calm.items() if disturbed[path] != body] == []


def test_no_question_is_paid_twice_but_those_whose_answer_was_lost(years: Years) -> None:
    assert set(years.calm.paid.values()) == {1}
    assert set(years.calm.paid) <= set(years.disturbed.paid)
    assert all(again <= lost for lost, again in years.disturbed.repeats)


def test_every_outage_is_told_within_a_tick_and_its_end_too(years: Years) -> None:
    for played in (years.calm, years.disturbed):
        for outage in some(played.plan.outages):
            lasting = [outage.alarm in keys for keys in played.open_alarms]
            assert all(lasting[outage.first + 1 : outage.end]), outage
            assert not all(lasting[outage.end : outage.end + 2]), outage


def test_a_venue_has_an_alarm_after_each_tick_that_it_failed_and_no_other(years: Years) -> None:
    for tick, lasting in zip(years.calm.outcomes, years.calm.open_alarms, strict=True):
        failed = {f.partition(":")[0].replace(" ", ".") for f in tick.failures}
        assert {key for key in lasting if key.startswith("venue.")} == failed


def test_a_tick_takes_little_more_memory_at_the_end_than_in_the_middle(years: Years) -> None:
    peaks = [tick.peak for tick in years.calm.outcomes]
    assert max(peaks[-5:]) - max(peaks[len(peaks) // 2 :][:5]) < GROWTH
